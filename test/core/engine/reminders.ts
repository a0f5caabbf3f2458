import type { Flow } from '../../../src/core/engine/flow.ts';
import { work } from '../../../src/core/engine/lease-session.ts';
import { createReconciler, type Logger } from '../../../src/core/engine/reconciler.ts';
import { system } from '../../../src/core/lib/system.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { Memory } from '../../../src/core/store/memory/memory-store.ts';

interface Reminder {
  readonly text: string;
  readonly at: number;
  readonly state: 'waiting' | 'tried' | 'said';
}

/** A reminder is said once, even if the process dies in the middle. */
function reminders(
  say: (text: string) => Promise<void>,
): Flow<Reminder, { kind: 'say' }, { kind: 'said' }> {
  return {
    kind: 'reminder',
    decode: (text) => JSON.parse(text),
    encode: (reminder) => JSON.stringify(reminder),
    // A signal: { "at": … } moves it, while it waits.
    receive: (reminder, { body }) =>
      reminder.state === 'waiting'
        ? { data: { ...reminder, ...JSON.parse(body) } }
        : { data: reminder },
    plan({ state, at }, now) {
      // Tried, without a result: it may have been said. A flow that can look that up has a step for it here.
      if (state !== 'waiting') return { kind: 'finish', keepMs: 60_000 };
      return now < at
        ? { kind: 'wait', until: at, lane: 'people' }
        : { kind: 'step', step: { kind: 'say' } };
    },
    // Saved before the call is made, and the result after it.
    markAttempt: (reminder) => ({ data: { ...reminder, state: 'tried' } }),
    async execute({ text }) {
      await say(text);
      return { kind: 'said' };
    },
    apply: (reminder) => ({ data: { ...reminder, state: 'said' } }),
  };
}

export function startReminders(say: (text: string) => Promise<void>, logger: Logger = console) {
  const { clock, timers, random } = system;
  const store = new Memory({ clock, random }).openStore();
  const flow = reminders(say);
  const session = {
    ...{ store, timing: TRUE_TIME, monotonic: () => clock.monotonic() },
    ...{ sleep: (ms: number) => timers.sleep(ms), newId: () => random.uuid() },
    ...{ onStep() {}, onVanished() {} },
  };
  const reconciler = createReconciler({
    ...{ store, clock, timers, newReference: () => random.uuid() },
    workers: { reminder: (held) => work(held, flow, session) },
    ...{ logger, onSize() {}, onStuck() {}, giveWay: { turn: () => undefined } },
  });
  reconciler.start();
  return {
    async remind(text: string, inMs: number): Promise<string> {
      const data = flow.encode({ text, at: store.now() + inMs, state: 'waiting' });
      const record = { kind: flow.kind, data, lane: 'people', dueInMs: inMs, place: null } as const;
      const created = await store.create(record, { hold: false });
      return created.kind === 'created' ? created.id : created.record.id;
    },
    /** `id` names the click: the same one counts once. */
    async sayNow(reminder: string, id: string): Promise<void> {
      const body = JSON.stringify({ at: store.now() });
      const signalled = await store.signal(reminder, { id, body }, { hold: true, once: true });
      if (signalled.kind === 'leased') await reconciler.run(signalled.held);
    },
    async stop(): Promise<void> {
      await reconciler.stop(1_000);
      await store[Symbol.asyncDispose]();
    },
  };
}
