import { type WorkNeeds, work } from '../../core/engine/lease-session.ts';
import { type Held, type Store, StoreError } from '../../core/store/store.ts';
import type { AccountChange, Change, ChangeTypes } from '../../operations/accounts/change.ts';
import { accountCalls, askForChange } from '../../operations/accounts/change-operation.ts';
import { CHANGE_RULES } from '../../operations/accounts/change-rules.ts';
import { decodeOperation, type Operation, stateOf } from '../../operations/flow/operation.ts';
import { createOperationFlow, encodeSignal } from '../../operations/flow/operation-flow.ts';
import type { End } from './change.ts';
import type { Session } from './session.ts';

/** Somebody waiting at a terminal is more patient than a modal. */
const RULES = { ...CHANGE_RULES, limitedMax: 3 };
/** How long results are kept, as by default in the bot. */
const KEPT_MS = 30 * 86_400_000;
/** How much later the record is due for a running bot: it takes over if this process is killed. */
const BEHIND_MS = 15_000;
/** How often it is read while a bot holds it. */
const LOOK_MS = 250;
/** How long to wait for a bot that holds an interrupted change. */
const LEAVE_MS = 15_000;

interface CarryOutOptions {
  /** The account has just been read. */
  readonly isReady: boolean;
}

/**
 * Makes a change by the same rules as the bot, with a record in the bot's store: if this process is killed, a running
 * bot finishes it. Throws StoreError when it was certainly not recorded, and on an interruption before that; nothing is
 * sent then.
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
 * Repeats the request after a lost answer, which finds the first record. null: it is not known whether it was recorded.
 * Throws StoreError when it certainly was not.
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

/** Works on records in this process, like the bot's loop. */
interface Worker {
  readonly hasRoom: true;
  /** Rejects with StoreError when the store fails in between. */
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
    // A vanished record is noticed when it is read.
    onVanished() {},
    onStep() {},
  };
  let rested = Promise.resolve();
  const worker: Worker = {
    hasRoom: true,
    run(held) {
      rested = work(held, flow, needs).then(() => {});
      // The caller that waits for it handles the error.
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

/** Continues until it has ended, here or in a bot that took over. */
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
    // A bot must not send what was not sent yet.
    return interrupted(following).catch(() => ({}));
  }
}

/** Cancels what was not sent, and waits briefly for the result of the rest. */
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

/** Works on it now, unless a bot holds it, which will see the signal. */
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

/** Reports waits; and once, that there was no clear answer. */
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
