import { type WorkNeeds, work } from '../../core/engine/lease-session.ts';
import { type Held, type Store, StoreError } from '../../core/store/store.ts';
import type { AccountChange, Change, ChangeTypes } from '../../operations/accounts/change.ts';
import { accountCalls, askForChange } from '../../operations/accounts/change-operation.ts';
import { CHANGE_RULES } from '../../operations/accounts/change-rules.ts';
import { decodeOperation, type Operation, stateOf } from '../../operations/flow/operation.ts';
import { createOperationFlow, encodeSignal } from '../../operations/flow/operation-flow.ts';
import type { End } from './change.ts';
import type { Session } from './session.ts';

/** Whoever waits at a terminal is more patient than a modal. */
const RULES = { ...CHANGE_RULES, limitedMax: 3 };
/** How long what was done is kept, as the bot keeps it by default. */
const KEPT_MS = 30 * 86_400_000;
/** So much later than here it is due for a running bot: it takes up what a process left behind that is gone. */
const BEHIND_MS = 15_000;
/** How often it is looked at while a bot holds it. */
const LOOK_MS = 250;
/** How long a bot is waited for that holds what was interrupted. */
const LEAVE_MS = 15_000;

interface CarryOutOptions {
  /** The account has just been read. */
  readonly isReady: boolean;
}

/**
 * Makes a change by the rules that the bot makes one by, from a record in the bot's own store: if this
 * process is killed, a running bot finds out what became of it. Throws StoreError when it was certainly
 * not recorded, and what interrupts it before then: nothing is sent then, by anybody.
 */
export async function carryOut(
  session: Session,
  change: Change,
  { isReady }: CarryOutOptions,
): Promise<End> {
  const { terminal, system } = session;
  terminal.signal.throwIfAborted();
  const store = await session.records();
  const { worker, operation } = workerOn(session, store);
  const ask = () =>
    askForChange(
      { store, reconciler: worker },
      {
        by: `os:${terminal.user}@${terminal.host}`,
        wish: { change, typedAt: store.now() },
        silent: true,
        isReady,
        key,
        delivery: key,
      },
    );
  const key = system.random.uuid();
  const asked = await recorded(ask);
  // A bot on the same store may carry it out.
  if (asked === null) return {};
  await asked.carryOn();
  return endOf({ session, store, worker, operation, id: asked.id });
}

/**
 * Asks a second time when the first answer is lost, which finds what the first one recorded. null: it is
 * not known whether it was recorded. Throws StoreError when it certainly was not.
 */
async function recorded<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'unknown') throw error;
  }
  try {
    return await ask();
  } catch (error) {
    if (error instanceof StoreError) return null;
    throw error;
  }
}

/** Works on records here, as the bot's loop does. */
interface Worker {
  readonly hasRoom: true;
  /** Rejects with StoreError when the store is lost on the way. */
  run(held: Held): Promise<void>;
  /** The last run. */
  readonly rested: Promise<void>;
}

function workerOn(session: Session, store: Store) {
  const { clock, timers, random } = session.system;
  const changes: Operation<ChangeTypes> = {
    rules: RULES,
    authorize: async () => ({ kind: 'allowed' }),
    ...accountCalls(session.calls, timers),
    keepMs: KEPT_MS,
  };
  const operation = createOperationFlow(changes, session.timing);
  const flow: typeof operation = {
    ...operation,
    plan(record, now) {
      const next = operation.plan(record, now);
      return next.kind === 'wait' ? { ...next, until: next.until + BEHIND_MS } : next;
    },
  };
  const needs: WorkNeeds = {
    store,
    monotonic: () => clock.monotonic(),
    sleep: (ms) => timers.sleep(ms),
    newId: () => random.uuid(),
    timing: session.timing,
    // What is not there any more is noticed when it is read.
    onVanished() {},
    onStep() {},
  };
  let rested = Promise.resolve();
  const worker: Worker = {
    hasRoom: true,
    run(held) {
      rested = work(held, flow, needs).then(() => {});
      // Told by who waits for it.
      rested.catch(() => {});
      return rested;
    },
    get rested() {
      return rested;
    },
  };
  return { worker, operation };
}

interface Following {
  readonly session: Session;
  readonly store: Store;
  readonly worker: Worker;
  readonly operation: ReturnType<typeof workerOn>['operation'];
  readonly id: string;
}

/** Goes on with it until it has ended, here or on a bot that took it up. */
async function endOf(following: Following): Promise<End> {
  const { session, store, worker, operation, id } = following;
  const say = sayOnce(session);
  try {
    for (;;) {
      await worker.rested;
      const record = await recordOf(store, id);
      const end = endIn(record);
      if (end !== undefined) return end;
      const next = operation.plan(record, store.now());
      const waitMs = next.kind === 'wait' ? next.until - store.now() : 0;
      say(record, waitMs);
      const isInterrupted = await session.waiting.sleep(Math.max(waitMs, LOOK_MS)).then(
        () => false,
        () => true,
      );
      if (isInterrupted) return await interrupted(following);
      await signal(following, 'go-on');
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    // What is not sent yet is not to be sent by a bot that knows nothing of this either.
    return interrupted(following).catch(() => ({}));
  }
}

/** Takes back what is not sent, and waits a little for what is known of the rest. */
async function interrupted(following: Following): Promise<End> {
  const { clock, timers } = following.session.system;
  await signal(following, 'cancel');
  const endAt = clock.monotonic() + LEAVE_MS;
  for (;;) {
    const end = endIn(await recordOf(following.store, following.id));
    if (end !== undefined) return end;
    if (clock.monotonic() > endAt) return {};
    await timers.sleep(LOOK_MS);
    await signal(following, 'go-on');
  }
}

/** Works on it at once, unless a bot holds it, who will see the signal. */
async function signal(
  { session, store, worker, id }: Following,
  kind: 'cancel' | 'go-on',
): Promise<void> {
  const body = encodeSignal({ kind });
  const signalled = await store.signal(
    id,
    { id: session.system.random.uuid(), body },
    { hold: true },
  );
  if (signalled.kind === 'leased') await worker.run(signalled.held);
}

function endIn({ phase, outcome, unconfirmed }: AccountChange): End | undefined {
  if (phase.name !== 'done' || outcome === undefined) return undefined;
  return { outcome, ...(unconfirmed !== undefined && { unconfirmed: true }) };
}

async function recordOf(store: Store, id: string): Promise<AccountChange> {
  const found = await store.read(id);
  if (found === undefined) throw new StoreError('unavailable', 'the record is gone');
  return decodeOperation(RULES, found.data);
}

/** Says what is waited for; that there was no clear answer, once. */
function sayOnce({ output, waiting }: Session) {
  let isSaid = false;
  return (record: AccountChange, waitMs: number) => {
    if (stateOf(record).state === 'reading-back') {
      if (!isSaid) output.note('The result is not known. Checking whether it was done.');
      isSaid = true;
    } else if (record.phase.name === 'authorize' && record.phase.sends.limited > 0) {
      waiting.onWait(waitMs);
    }
  };
}
