import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { bufferedBytes } from './read-body.ts';

/** What is counted. Labels are words of the code: never an id, a name or a token. */
export interface Metrics {
  intake(result: string): void;
  click(result: string): void;
  step(step: string, result: string, tookMs: number): void;
  /** Time from the arrival of a Slack request to its acknowledgement. */
  acknowledged(tookMs: number): void;
  records(lane: string, count: number): void;
  storeUp(isUp: boolean): void;
  /** How many connections to Slack stand; never said over HTTP. */
  connected(count: number): void;
  readonly contentType: string;
  /** The exposition format of Prometheus. */
  text(): Promise<string>;
}

/** A registry of its own for each app. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const intake = counter('gatepost_intake_total', 'Requests to the intake', ['result']);
  const clicks = counter('gatepost_clicks_total', 'Clicks on approvals', ['result']);
  const steps = counter('gatepost_steps_total', 'Steps executed', ['step', 'result']);
  const stepSeconds = new Histogram({
    name: 'gatepost_step_seconds',
    help: 'How long steps took',
    labelNames: ['step'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const ackSeconds = new Histogram({
    name: 'gatepost_ack_seconds',
    help: 'Time from the arrival of a Slack request to its acknowledgement',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3],
    registers,
  });
  const records = new Gauge({
    name: 'gatepost_records',
    help: 'Records that are due now or later',
    labelNames: ['lane'],
    registers,
  });
  const storeUp = new Gauge({
    name: 'gatepost_store_up',
    help: 'Whether the store accepts writes',
    registers,
  });
  new Gauge({
    name: 'gatepost_http_buffered_bytes',
    help: 'Bytes held of requests that are still arriving',
    registers,
    collect() {
      this.set(bufferedBytes());
    },
  });
  let sockets: Gauge | undefined;
  const socketGauge = () =>
    new Gauge({
      name: 'gatepost_socket_connected',
      help: 'Open connections to Slack in Socket Mode',
      registers,
    });
  return {
    intake: (result) => intake.inc({ result }),
    click: (result) => clicks.inc({ result }),
    step(step, result, tookMs) {
      steps.inc({ step, result });
      stepSeconds.observe({ step }, tookMs / 1000);
    },
    acknowledged: (tookMs) => ackSeconds.observe(tookMs / 1000),
    records: (lane, count) => records.set({ lane }, count),
    storeUp: (isUp) => storeUp.set(isUp ? 1 : 0),
    connected(count) {
      sockets ??= socketGauge();
      sockets.set(count);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
