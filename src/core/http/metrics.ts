import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { bufferedBytes } from './read-body.ts';

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

/** `buckets`: upper bounds, in seconds. */
function timed<const Label extends string = never>(
  buckets: number[],
  ...given: Parameters<typeof row<Label>>
) {
  return { ...row(...given), buckets };
}

/** Not shown before it is set. */
function late<const Label extends string = never>(...given: Parameters<typeof row<Label>>) {
  return { ...row(...given), isLate: true };
}

const CALLS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const STEPS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const STORE = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.5];
const ACKS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];
/** 1, 5 and 15 minutes, 1, 4 and 8 hours, 1, 3 and 7 days. */
const DECISIONS = [60, 300, 900, 3_600, 14_400, 28_800, 86_400, 259_200, 604_800];

/** All metrics. Labels are words of the code and names of configured routes: never an id, a person, a title or a token. */
export const METRICS = {
  counters: {
    intake: row('gatepost_intake_total', 'Requests to the intake', ['result']),
    /** An identity token or request key: `accepted`, or which check failed. */
    identityToken: late(
      'gatepost_identity_tokens_total',
      'Identity tokens and request keys of sources',
      ['result'],
    ),
    /** A press, when it is stored; its result counts as a ballot. */
    click: row('gatepost_clicks_total', 'Clicks on approvals', ['result']),
    /** `accepted`, or the refusal's code. */
    ballot: row('gatepost_ballots_total', 'Clicks of people who were authorized or refused', [
      'result',
    ]),
    outcome: row('gatepost_outcomes_total', 'Outcomes of approvals', ['status', 'credit', 'route']),
    operation: row(
      'gatepost_operations_total',
      'Moves, test cases and account changes that ended',
      ['kind', 'result'],
    ),
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
  },
  durations: {
    decision: timed(DECISIONS, 'gatepost_decision_seconds', 'From the request to its outcome', [
      'route',
    ]),
    step: timed(STEPS, 'gatepost_step_seconds', 'How long steps took', ['step']),
    service: timed(CALLS, 'gatepost_service_seconds', 'Calls of the service', ['method', 'result']),
    slack: timed(CALLS, 'gatepost_slack_seconds', 'Calls of Slack', ['method', 'result']),
    store: timed(STORE, 'gatepost_store_seconds', 'Calls of the store', ['operation']),
    acknowledgement: timed(
      ACKS,
      'gatepost_ack_seconds',
      'Time from the arrival of a Slack request to its acknowledgement',
    ),
  },
  gauges: {
    slotSeconds: row(
      'gatepost_budget_wait_seconds',
      'How long the last slot of the budget had to be waited for',
    ),
    records: row('gatepost_records', 'Records that are due now or later', ['lane']),
    /** 1: all of it, 0: none. */
    storeUp: row('gatepost_store_up', 'Whether the store accepts writes: the share of its shards'),
    /** Unused over HTTP. */
    connected: late('gatepost_socket_connected', 'Open connections to Slack in Socket Mode'),
    bufferedBytes: row(
      'gatepost_http_buffered_bytes',
      'Bytes held of requests that are still arriving',
    ),
  },
  /** Read from the store at each scrape, the same for every replica: use their maximum, not their sum. */
  shared: {
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
  },
  /** Of this process, if it is a running Gatepost: its CPU time is a counter. */
  process: {
    build: row('gatepost_build_info', 'Always 1; the labels say what runs', [
      'version',
      'node',
      'store',
    ]),
    budget: row(
      'gatepost_budget_per_minute',
      'Calls for polling and bulk work that all replicas together may make in a minute',
    ),
    residentBytes: row('gatepost_process_resident_memory_bytes', 'Resident memory'),
    heapBytes: row('gatepost_process_heap_bytes', 'Heap in use'),
    startedAt: row(
      'gatepost_process_start_time_seconds',
      'When the process started, since the epoch',
    ),
  },
  cpu: { seconds: row('gatepost_process_cpu_seconds_total', 'CPU time') },
};

type Table = typeof METRICS;

type LabelsOf<Rows, Name extends keyof Rows> =
  Rows[Name] extends Row<infer Label> ? Readonly<Record<Label, string>> : never;

/** The values of the labels; nothing for a metric that has none. */
type Labels<Rows, Name extends keyof Rows> = keyof LabelsOf<Rows, Name> extends never
  ? null
  : LabelsOf<Rows, Name>;

export interface Metrics {
  /** 0 times: creates the series. */
  count<Name extends keyof Table['counters']>(
    name: Name,
    labels: Labels<Table['counters'], Name>,
    times?: number,
  ): void;
  /** In milliseconds; null: creates the series. */
  took<Name extends keyof Table['durations']>(
    name: Name,
    labels: Labels<Table['durations'], Name>,
    ms: number | null,
  ): void;
  set<Name extends keyof Table['gauges']>(
    name: Name,
    labels: Labels<Table['gauges'], Name>,
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
  readonly [Name in keyof Table['shared']]: readonly (readonly [
    labels: LabelsOf<Table['shared'], Name>,
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
  const made = <Name extends string, Made>(
    rows: Readonly<Record<Name, Row<string>>>,
    Metric: new (options: Row<string> & { readonly registers: Registry[] }) => Made,
  ) => {
    const entries = Object.entries<Row<string>>(rows).map(([name, each]) => {
      const registers = 'isLate' in each ? [] : [registry];
      return [name, new Metric({ ...each, registers })];
    });
    // as: an entry for each key
    return Object.fromEntries(entries) as Record<Name, Made>;
  };
  const counters = made(METRICS.counters, Counter);
  const durations = made(METRICS.durations, Histogram);
  const gauges = made(METRICS.gauges, Gauge);
  const shared = made(METRICS.shared, Gauge);
  const showing = <Shown extends Counter | Gauge>(shown: Shown, { name }: Row<string>) => {
    if (registry.getSingleMetric(name) === undefined) registry.registerMetric(shown);
    return shown;
  };
  const readProcess = about && showProcess(about);
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
      showing(counters[name], METRICS.counters[name]).inc(labels ?? {}, times),
    took(name, labels, ms) {
      if (ms === null) durations[name].zero(labels ?? {});
      else durations[name].observe(labels ?? {}, ms / 1000);
    },
    set: (name, labels, value) =>
      showing(gauges[name], METRICS.gauges[name]).set(labels ?? {}, value),
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
      gauges.bufferedBytes.set(bufferedBytes());
      readProcess?.();
      return registry.metrics();
    },
  };

  function showProcess({ usage, budgetPerMinute, version, node, store }: About) {
    const own = made(METRICS.process, Gauge);
    const cpu = made(METRICS.cpu, Counter);
    own.build.set({ version, node, store }, 1);
    own.budget.set(budgetPerMinute);
    return () => {
      const { cpuSeconds, ...used } = usage();
      cpu.seconds.reset();
      cpu.seconds.inc(cpuSeconds);
      own.residentBytes.set(used.residentBytes);
      own.heapBytes.set(used.heapBytes);
      own.startedAt.set(used.startedAt);
    };
  }
}
