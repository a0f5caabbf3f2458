import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { SeenCall } from '../lib/seen-call.ts';
import { bufferedBytes } from './read-body.ts';

/**
 * The metrics. Labels are words of the code and names of configured routes: never an id, a person, a title or a token.
 */
export interface Metrics {
  intake(result: string): void;
  /** A press, when it is stored; its result counts as a ballot. */
  click(result: string): void;
  /** `accepted`, or the refusal's code. */
  ballot(result: string, times?: number): void;
  outcome(
    outcome: {
      readonly status: string;
      readonly credit: string;
      readonly route: string;
    },
    times?: number,
  ): void;
  /** The time from the request to its outcome; null: creates the series, at 0. */
  decided(route: string, tookMs: number | null): void;
  /** The result of a move, a test case or an account change. */
  operation(kind: string, result: string): void;
  alert(cause: string, times?: number): void;
  step(step: string, result: string, tookMs: number): void;
  call(system: 'service' | 'slack', call: SeenCall): void;
  /** `code`: a StoreError's; null: success. */
  store(operation: string, code: string | null, tookMs: number): void;
  /** A save came too late: another worker has the record. */
  leaseLost(): void;
  /** A slot of the budget was reserved, this long from now. */
  slot(waitMs: number): void;
  /** From receiving a Slack request to its acknowledgement. */
  acknowledged(tookMs: number): void;
  /** A refused request to the Slack endpoint. */
  refusedSlack(refusal: string, times?: number): void;
  /** The result of one try of a callback. */
  callback(result: string, times?: number): void;
  records(lane: string, count: number): void;
  /** 1: all of it, 0: none. */
  storeUp(share: number): void;
  /** Open Socket Mode connections; unused over HTTP. */
  connected(count: number): void;
  /** Read only when scraped. */
  onScrape(read: () => Promise<Overview>): void;
  readonly contentType: string;
  /** In the Prometheus text format. Never rejects: unavailable values are left out. */
  text(): Promise<string>;
}

/** The work in the store, shared by all replicas. */
export interface Overview {
  readonly open: readonly {
    readonly route: string;
    /** The number in each state. */
    readonly states: Readonly<Record<string, number>>;
    readonly oldestMs: number;
  }[];
  readonly suspended: readonly { readonly why: string; readonly count: number }[];
  /** How long the most overdue record has been due. */
  readonly overdue: readonly { readonly lane: string; readonly ms: number }[];
}

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

const CALL_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const STORE_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.5];
/** 1, 5 and 15 minutes, 1, 4 and 8 hours, 1, 3 and 7 days. */
const DECISION_BUCKETS = [60, 300, 900, 3_600, 14_400, 28_800, 86_400, 259_200, 604_800];

/** Uses a registry of its own. */
export function createMetrics(about?: About): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const intake = counter('gatepost_intake_total', 'Requests to the intake', ['result']);
  const clicks = counter('gatepost_clicks_total', 'Clicks on approvals', ['result']);
  const ballots = counter(
    'gatepost_ballots_total',
    'Clicks of people who were authorized or refused',
    ['result'],
  );
  const outcomes = counter('gatepost_outcomes_total', 'Outcomes of approvals', [
    'status',
    'credit',
    'route',
  ]);
  const decisionSeconds = histogram(
    'gatepost_decision_seconds',
    'From the request to its outcome',
    ['route'],
    DECISION_BUCKETS,
  );
  const operations = counter(
    'gatepost_operations_total',
    'Moves, test cases and account changes that ended',
    ['kind', 'result'],
  );
  const alerts = counter('gatepost_alerts_total', 'Alerts to administrators', ['cause']);
  const steps = counter('gatepost_steps_total', 'Steps executed', ['step', 'result']);
  const stepSeconds = histogram(
    'gatepost_step_seconds',
    'How long steps took',
    ['step'],
    [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  );
  const callSeconds = {
    service: histogram(
      'gatepost_service_seconds',
      'Calls of the service',
      ['method', 'result'],
      CALL_BUCKETS,
    ),
    slack: histogram(
      'gatepost_slack_seconds',
      'Calls of Slack',
      ['method', 'result'],
      CALL_BUCKETS,
    ),
  };
  const storeSeconds = histogram(
    'gatepost_store_seconds',
    'Calls of the store',
    ['operation'],
    STORE_BUCKETS,
  );
  const storeFailures = counter('gatepost_store_failures_total', 'Calls of the store that failed', [
    'operation',
    'code',
  ]);
  const leasesLost = counter('gatepost_leases_lost_total', 'Saves that came after their lease');
  const slots = counter('gatepost_budget_slots_total', 'Slots of the budget that were asked for');
  const slotSeconds = gauge(
    'gatepost_budget_wait_seconds',
    'How long the last slot of the budget had to be waited for',
  );
  const ackSeconds = histogram(
    'gatepost_ack_seconds',
    'Time from the arrival of a Slack request to its acknowledgement',
    [],
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
  );
  const slackRefused = counter(
    'gatepost_slack_refused_total',
    'Requests to the Slack endpoint that were refused',
    ['refusal'],
  );
  const callbacks = counter('gatepost_callbacks_total', 'Callbacks to sources that were tried', [
    'result',
  ]);
  const records = gauge('gatepost_records', 'Records that are due now or later', ['lane']);
  const storeUp = gauge(
    'gatepost_store_up',
    'Whether the store accepts writes: the share of its shards',
  );
  new Gauge({
    name: 'gatepost_http_buffered_bytes',
    help: 'Bytes held of requests that are still arriving',
    registers,
    collect() {
      this.set(bufferedBytes());
    },
  });
  if (about !== undefined) describeProcess(registry, about);
  const scrape = createScrape(registry);
  let sockets: Gauge | undefined;
  const socketGauge = () =>
    gauge('gatepost_socket_connected', 'Open connections to Slack in Socket Mode');
  return {
    intake: (result) => intake.inc({ result }),
    click: (result) => clicks.inc({ result }),
    ballot: (result, times = 1) => ballots.inc({ result }, times),
    outcome: (outcome, times = 1) => outcomes.inc({ ...outcome }, times),
    decided(route, tookMs) {
      if (tookMs === null) decisionSeconds.zero({ route });
      else decisionSeconds.observe({ route }, tookMs / 1000);
    },
    operation: (kind, result) => operations.inc({ kind, result }),
    alert: (cause, times = 1) => alerts.inc({ cause }, times),
    step(step, result, tookMs) {
      steps.inc({ step, result });
      stepSeconds.observe({ step }, tookMs / 1000);
    },
    call: (system, { method, result, tookMs }) =>
      callSeconds[system].observe({ method, result }, tookMs / 1000),
    store(operation, code, tookMs) {
      storeSeconds.observe({ operation }, tookMs / 1000);
      if (code !== null) storeFailures.inc({ operation, code });
    },
    leaseLost: () => leasesLost.inc(),
    slot(waitMs) {
      slots.inc();
      slotSeconds.set(waitMs / 1000);
    },
    acknowledged: (tookMs) => ackSeconds.observe(tookMs / 1000),
    refusedSlack: (refusal, times = 1) => slackRefused.inc({ refusal }, times),
    callback: (result, times = 1) => callbacks.inc({ result }, times),
    records: (lane, count) => records.set({ lane }, count),
    storeUp: (share) => storeUp.set(share),
    connected(count) {
      sockets ??= socketGauge();
      sockets.set(count);
    },
    onScrape: scrape.onScrape,
    contentType: registry.contentType,
    async text() {
      await scrape.refresh();
      return registry.metrics();
    },
  };
}

/** Constant values, and the process's own, read when scraped. */
function describeProcess(
  registry: Registry,
  { version, node, store, budgetPerMinute, usage }: About,
): void {
  const registers = [registry];
  new Gauge({
    name: 'gatepost_build_info',
    help: 'Always 1; the labels say what runs',
    labelNames: ['version', 'node', 'store'],
    registers,
  }).set({ version, node, store }, 1);
  new Gauge({
    name: 'gatepost_budget_per_minute',
    help: 'Calls for polling and bulk work that all replicas together may make in a minute',
    registers,
  }).set(budgetPerMinute);
  const ofProcess = (name: string, help: string, read: (now: Usage) => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read(usage()));
      },
    });
  new Counter({
    name: 'gatepost_process_cpu_seconds_total',
    help: 'CPU time',
    registers,
    collect() {
      this.reset();
      this.inc(usage().cpuSeconds);
    },
  });
  ofProcess(
    'gatepost_process_resident_memory_bytes',
    'Resident memory',
    ({ residentBytes }) => residentBytes,
  );
  ofProcess('gatepost_process_heap_bytes', 'Heap in use', ({ heapBytes }) => heapBytes);
  ofProcess(
    'gatepost_process_start_time_seconds',
    'When the process started, since the epoch',
    ({ startedAt }) => startedAt,
  );
}

/** Gauges from the store, the same for every replica: use their maximum, not their sum. */
function createScrape(registry: Registry): {
  readonly onScrape: Metrics['onScrape'];
  readonly refresh: () => Promise<void>;
} {
  const registers = [registry];
  const gauge = (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers });
  const open = gauge('gatepost_approvals_open', 'Approvals that wait for a decision', [
    'route',
    'state',
  ]);
  const oldest = gauge(
    'gatepost_approvals_oldest_seconds',
    'How long the oldest open approval has waited',
    ['route'],
  );
  const suspended = gauge(
    'gatepost_approvals_suspended',
    'Open approvals that the service does not let Gatepost read, or whose message Slack refuses',
    ['why'],
  );
  const overdue = gauge(
    'gatepost_overdue_seconds',
    'How long the record that is due for longest has been due',
    ['lane'],
  );
  let read: (() => Promise<Overview>) | undefined;
  let reading: Promise<void> | undefined;
  const set = (overview: Overview | undefined) => {
    for (const each of [open, oldest, suspended, overdue]) each.reset();
    for (const { route, states, oldestMs } of overview?.open ?? []) {
      for (const [state, count] of Object.entries(states)) open.set({ route, state }, count);
      oldest.set({ route }, oldestMs / 1000);
    }
    for (const { why, count } of overview?.suspended ?? []) suspended.set({ why }, count);
    for (const { lane, ms } of overview?.overdue ?? []) overdue.set({ lane }, ms / 1000);
  };
  return {
    onScrape(reads) {
      read = reads;
    },
    // Simultaneous scrapes share one read.
    async refresh() {
      reading ??= Promise.resolve(read?.())
        .then(set, () => set(undefined))
        .finally(() => {
          reading = undefined;
        });
      await reading;
    },
  };
}
