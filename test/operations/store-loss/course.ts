import type { Flow, Named, Plan } from '../../../src/core/engine/flow.ts';
import { StoreError } from '../../../src/core/store/store.ts';
import type { Choices, Weather } from './weather.ts';

/** A record on its way, whatever its kind. */
export interface Course {
  readonly weather: Weather;
  /** Works on what is due, or lets the time pass. `dies`: the process does, after the call. */
  step(options?: { readonly dies: boolean }): Promise<Plan<Named>['kind']>;
  /** A person presses something, or Gatepost itself signals. */
  signal(): void;
  /** A result reaches the record by its inbox, so many times. `which`: counted from the last one. */
  handOver(which: number, times: number): void;
  /** The store loses the last `count` writes. */
  lose(count: number): void;
  /** How many results can be handed over. */
  readonly results: number;
}

/** Twice what any record has needed, and five times. */
const STEPS_AT_ONCE_MAX = 50;
const WAITS_MAX = 50;

/** Works on a record as lease sessions do, in a time of its own. */
export function courseOf<Data, Step extends Named, Result extends Named>(
  weather: Weather,
  flow: Flow<Data, Step, Result>,
  first: Data,
  signals: () => Choices<object>,
): Course {
  const writes = [flow.encode(first)];
  const results: { readonly step: Step; readonly result: Result }[] = [];
  let data = first;
  let signalCount = 0;

  function write(next: Data): void {
    writes.push(flow.encode(next));
    data = flow.decode(writes.at(-1) ?? '', null);
  }

  async function execute(step: Step, dies: boolean): Promise<void> {
    const mark = flow.markAttempt(data, step, weather.now);
    if (mark !== undefined) write(mark.data);
    const result = await flow.execute(data, step, 'r1');
    if (mark !== undefined && flow.isTooLate?.(step) !== true) {
      results.push(structuredClone({ step, result }));
    }
    weather.now += weather.pick([1, 50, 900]);
    if (!dies) write(flow.apply(data, step, result, weather.now).data);
  }

  return {
    weather,
    get results() {
      return results.length;
    },
    async step({ dies } = { dies: false }) {
      const plan = flow.plan(data, weather.now);
      if (plan.kind === 'wait') {
        if (!Number.isFinite(plan.until)) throw new Error('it has no due time');
        weather.now = Math.max(weather.now + 1, plan.until);
      }
      if (plan.kind !== 'step') return plan.kind;
      try {
        await execute(plan.step, dies);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        weather.now += 5_000;
      }
      return plan.kind;
    },
    signal() {
      weather.forget();
      const signal = { id: `s${++signalCount}`, at: weather.now };
      const body = JSON.stringify(weather.pick(signals()));
      write(flow.receive(data, { ...signal, body }, weather.now).data);
    },
    handOver(which, times) {
      const late = results.at(-1 - (which % Math.max(1, results.length)));
      if (late === undefined) return;
      for (let time = 0; time < times; time += 1) {
        write(flow.apply(data, late.step, late.result, weather.now).data);
      }
    },
    lose(count) {
      weather.forget();
      weather.now += 1;
      weather.wentBackAt = weather.now;
      writes.splice(Math.max(1, writes.length - count));
      data = flow.decode(writes.at(-1) ?? '', null);
    },
  };
}

/** Everything works again: the record reaches its end. */
export async function reachEnd(course: Course): Promise<void> {
  course.weather.clear();
  let stepsAtOnce = 0;
  for (let waits = 0; waits < WAITS_MAX; ) {
    const kind = await course.step();
    if (kind === 'finish') return;
    stepsAtOnce = kind === 'step' ? stepsAtOnce + 1 : 0;
    if (stepsAtOnce > STEPS_AT_ONCE_MAX) throw new Error('it is due all the time');
    if (kind === 'wait') waits += 1;
  }
  throw new Error('it never ends');
}
