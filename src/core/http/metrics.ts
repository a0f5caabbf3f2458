import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { bufferedBytes } from './read-body.ts';

/** Upper bounds, in seconds. */
const CALLS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** 1, 5 and 15 minutes, 1, 4 and 8 hours, 1, 3 and 7 days. */
const DECISIONS = [60, 300, 900, 3_600, 14_400, 28_800, 86_400, 259_200, 604_800];

/** Labels are words of the code and names of configured routes: never an id, a person, a title or a token. */
const COUNTERS = {
  intake: row('gatepost_intake_total', 'Requests to the intake', ['result']),
  /** An identity token or request key: `accepted`, or which check failed. Shown once there is one. */
  identityToken: {
    ...row('gatepost_identity_tokens_total', 'Identity tokens and request keys of sources', [
      'result',
    ]),
    onceSet: true,
  },
  /** A press, when it is stored; its result counts as a ballot. */
  click: row('gatepost_clicks_total', 'Clicks on approvals', ['result']),
  /** `accepted`, or the refusal's code. */
  ballot: row('gatepost_ballots_total', 'Clicks of people who were authorized or refused', [
    'result',
  ]),
  outcome: row('gatepost_outcomes_total', 'Outcomes of approvals', ['status', 'credit', 'route']),
  operation: row('gatepost_operations_total', 'Moves, test cases and account changes that ended', [
    'kind',
    'result',
  ]),
  alert: row('gatepost_alerts_total', 'Alerts to administrators', ['cause']),
  step: row('gatepost_steps_total', 'Steps executed', ['step', 'result']),
  storeFailure: row('gatepost_store_failures_total', 'Calls of the store that failed', [
    'operation',
    'code',
  ]),
  /** Another worker has the record. */
  leaseLost: row('gatepost_leases_lost_total', 'Saves that came after their lease'),
  slot: row('gatepost_budget_slots_total', 'Slots of the budget that were asked for'),
  slackRefused: row(
    'gatepost_slack_refused_total',
    'Requests to the Slack endpoint that were refused',
    ['refusal'],
  ),
  /** Each try counts. */
  callback: row('gatepost_callbacks_total', 'Callbacks to sources that were tried', ['result']),
};

const DURATIONS = {
  decision: {
    ...row('gatepost_decision_seconds', 'From the request to its outcome', ['route']),
    buckets: DECISIONS,
  },
  step: {
    ...row('gatepost_step_seconds', 'How long steps took', ['step']),
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  },
  service: {
    ...row('gatepost_service_seconds', 'Calls of the service', ['method', 'result']),
    buckets: CALLS,
  },
  slack: {
    ...row('gatepost_slack_seconds', 'Calls of Slack', ['method', 'result']),
    buckets: CALLS,
  },
  store: {
    ...row('gatepost_store_seconds', 'Calls of the store', ['operation']),
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.5],
  },
  acknowledgement: {
    ...row(
      'gatepost_ack_seconds',
      'Time from the arrival of a Slack request to its acknowledgement',
    ),
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
  },
};

const GAUGES = {
  slotSeconds: row(
    'gatepost_budget_wait_seconds',
    'How long the last slot of the budget had to be waited for',
  ),
  records: row('gatepost_records', 'Records that are due now or later', ['lane']),
  /** 1: all of it, 0: none. */
  storeUp: row('gatepost_store_up', 'Whether the store accepts writes: the share of its shards'),
  /** Unused over HTTP, and not shown there. */
  connected: {
    ...row('gatepost_socket_connected', 'Open connections to Slack in Socket Mode'),
    onceSet: true,
  },
};

/** Read from the store at each scrape, the same for every replica: use their maximum, not their sum. */
const SHARED = {
  open: row('gatepost_approvals_open', 'Approvals that wait for a decision', ['route', 'state']),
  oldestSeconds: row(
    'gatepost_approvals_oldest_seconds',
    'How long the oldest open approval has waited',
    ['route'],
  ),
  suspended: row(
    'gatepost_approvals_suspended',
    'Open approvals that the service does not let Gatepost read, or whose message Slack refuses',
    ['why'],
  ),
  overdueSeconds: row(
    'gatepost_overdue_seconds',
    'How long the record that is due for longest has been due',
    ['lane'],
  ),
};

/** Of this process, read at each scrape. */
const OWN = {
  cpuSeconds: row('gatepost_process_cpu_seconds_total', 'CPU time'),
  residentBytes: row('gatepost_process_resident_memory_bytes', 'Resident memory'),
  heapBytes: row('gatepost_process_heap_bytes', 'Heap in use'),
  startedAt: row(
    'gatepost_process_start_time_seconds',
    'When the process started, since the epoch',
  ),
} satisfies Record<keyof Usage, Row<never>>;

interface Row<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: Label[];
}

function row<const Label extends string = never>(
  name: string,
  help: string,
  labelNames: Label[] = [],
): Row<Label> {
  return { name, help, labelNames };
}

type LabelsOf<Table, Name extends keyof Table> =
  Table[Name] extends Row<infer Label> ? Readonly<Record<Label, string>> : never;

/** The values of the labels; nothing for a metric that has none. */
type Labels<Table, Name extends keyof Table> = keyof LabelsOf<Table, Name> extends never
  ? null
  : LabelsOf<Table, Name>;

export interface Metrics {
  /** 0 times: creates the series. */
  count<Name extends keyof typeof COUNTERS>(
    name: Name,
    labels: Labels<typeof COUNTERS, Name>,
    times?: number,
  ): void;
  /** In milliseconds; null: creates the series. */
  took<Name extends keyof typeof DURATIONS>(
    name: Name,
    labels: Labels<typeof DURATIONS, Name>,
    ms: number | null,
  ): void;
  set<Name extends keyof typeof GAUGES>(
    name: Name,
    labels: Labels<typeof GAUGES, Name>,
    value: number,
  ): void;
  /** Read only when scraped. */
  onScrape(read: () => Promise<Overview>): void;
  readonly contentType: string;
  /** In the Prometheus text format. Never rejects: unavailable values are left out. */
  text(): Promise<string>;
}

/** The work in the store, shared by all replicas: values with their labels. */
export type Overview = {
  readonly [Name in keyof typeof SHARED]: readonly (readonly [
    labels: LabelsOf<typeof SHARED, Name>,
    value: number,
  ])[];
};

export interface About {
  readonly version: string;
  readonly node: string;
  readonly store: string;
  readonly budgetPerMinute: number;
  /** This process's current usage. */
  readonly usage: () => Usage;
}

interface Usage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** In seconds since the epoch. */
  readonly startedAt: number;
}

/** Uses a registry of its own. */
export function createMetrics(about?: About): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const shownIn = (each: object) => ('onceSet' in each ? [] : registers);
  const counters = made(COUNTERS, (each) => new Counter({ ...each, registers: shownIn(each) }));
  const durations = made(DURATIONS, (each) => new Histogram({ ...each, registers }));
  const gauges = made(GAUGES, (each) => new Gauge({ ...each, registers: shownIn(each) }));
  const showing = <Shown extends Counter | Gauge>(shown: Shown, { name }: { name: string }) => {
    if (registry.getSingleMetric(name) === undefined) registry.registerMetric(shown);
    return shown;
  };
  new Gauge({
    ...row('gatepost_http_buffered_bytes', 'Bytes held of requests that are still arriving'),
    registers,
    collect() {
      this.set(bufferedBytes());
    },
  });
  if (about !== undefined) describeProcess(registry, about);
  const shared = made(SHARED, (each) => new Gauge({ ...each, registers }));
  let read: (() => Promise<Overview>) | undefined;
  let reading: Promise<void> | undefined;
  const show = (overview: Overview | undefined) => {
    for (const [name, gauge] of Object.entries(shared)) {
      gauge.reset();
      // as: its keys
      for (const [labels, value] of overview?.[name as keyof Overview] ?? [])
        gauge.set(labels, value);
    }
  };
  return {
    count: (name, labels, times = 1) =>
      showing(counters[name], COUNTERS[name]).inc(labels ?? {}, times),
    took(name, labels, ms) {
      if (ms === null) durations[name].zero(labels ?? {});
      else durations[name].observe(labels ?? {}, ms / 1000);
    },
    set: (name, labels, value) => showing(gauges[name], GAUGES[name]).set(labels ?? {}, value),
    onScrape(reads) {
      read = reads;
    },
    contentType: registry.contentType,
    async text() {
      // Simultaneous scrapes share one read.
      reading ??= Promise.resolve(read?.())
        .then(show, () => show(undefined))
        .finally(() => {
          reading = undefined;
        });
      await reading;
      return registry.metrics();
    },
  };
}

function made<Name extends string, Each, Made>(
  table: Readonly<Record<Name, Each>>,
  make: (each: Each) => Made,
): Readonly<Record<Name, Made>> {
  const entries = Object.entries<Each>(table).map(([name, each]) => [name, make(each)]);
  // as: an entry for each key
  return Object.fromEntries(entries) as Record<Name, Made>;
}

function describeProcess(
  registry: Registry,
  { version, node, store, budgetPerMinute, usage }: About,
): void {
  const registers = [registry];
  const info = row('gatepost_build_info', 'Always 1; the labels say what runs', [
    'version',
    'node',
    'store',
  ]);
  new Gauge({ ...info, registers }).set({ version, node, store }, 1);
  const budget = row(
    'gatepost_budget_per_minute',
    'Calls for polling and bulk work that all replicas together may make in a minute',
  );
  new Gauge({ ...budget, registers }).set(budgetPerMinute);
  const { cpuSeconds, ...rest } = OWN;
  new Counter({
    ...cpuSeconds,
    registers,
    collect() {
      this.reset();
      this.inc(usage().cpuSeconds);
    },
  });
  for (const [name, each] of Object.entries(rest)) {
    new Gauge({
      ...each,
      registers,
      collect() {
        // as: its keys
        this.set(usage()[name as keyof Usage]);
      },
    });
  }
}
