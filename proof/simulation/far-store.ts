import {
  type Change,
  type Claimed,
  type Lane,
  type Lease,
  STORE_CALLS,
  type Store,
  StoreError,
} from '../../src/core/store/store.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Mishaps } from './mishaps.ts';
import type { Replica } from './replica.ts';
import type { Scheduler } from './scheduler.ts';
import type { Weather } from './weather.ts';

/** As with Redis: after this long without an answer, the result is unknown to the caller. */
const ANSWER_MS = 1_500;
/** The store refuses a write that arrives later than this: see `redis-connection.ts`. */
const ARRIVES_WITHIN_MS = 1_400;
/** A save that takes longer is a slow one. */
const SLOW_MS = 50;

export interface FarStoreNeeds {
  /** Backed by the memory that all replicas share. */
  readonly near: Store;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly weather: Weather;
  readonly mishaps: Pick<Mishaps, 'isHeldLook' | 'isTakenInVain' | 'isWell' | 'saves'>;
  readonly chronicle: Chronicle;
  /** Called with what the store has done, whether its answer arrives or not. */
  readonly onAnswer: (
    replica: Replica,
    name: string,
    args: readonly unknown[],
    answer: unknown,
  ) => void;
  /** Called when a list is not returned; `sinceMs`: how long ago it was asked for. */
  readonly onUnlisted: (sinceMs: number) => void;
  /** Called when a record is saved late or not at all, or the answer to its save or claim arrives late or not at all. */
  readonly onDelay: (record: string) => void;
  /** Nothing is due in this lane for a while: a claim finds nothing. */
  readonly isIdle: (lane: Lane) => boolean;
  /** The server is away, or another one takes over; or a part of it is away. */
  readonly server: { isAway: boolean; generation: number; isPartAway: boolean };
}

/**
 * The shared store as one replica sees it: each call is a message there and one back, and others run between the two.
 * Everything that can happen to messages between a process and Redis can happen to them.
 */
export function farStore(replica: Replica, needs: FarStoreNeeds): Store {
  const calls: Record<string, unknown> = Object.fromEntries(
    STORE_CALLS.map((name) => [name, (...args: unknown[]) => call(replica, name, args, needs)]),
  );
  return new Proxy(needs.near, {
    get(near, name) {
      if (typeof name === 'string' && Object.hasOwn(calls, name)) return calls[name];
      const member: unknown = Reflect.get(near, name);
      return typeof member === 'function' ? member.bind(near) : member;
    },
  });
}

function call(
  replica: Replica,
  name: (typeof STORE_CALLS)[number],
  args: readonly unknown[],
  needs: FarStoreNeeds,
): Promise<unknown> {
  // as: what `list` takes
  const lists = name === 'list' ? (args[0] as readonly string[]) : [];
  if (!needs.mishaps.isHeldLook(lists, replica)) return callNow(replica, name, args, needs);
  return new Promise((resolve) => {
    replica.later(0, () => resolve(callNow(replica, name, args, needs)));
  });
}

function callNow(
  replica: Replica,
  name: (typeof STORE_CALLS)[number],
  args: readonly unknown[],
  {
    near,
    scheduler,
    chance,
    weather,
    mishaps,
    chronicle,
    server,
    isIdle,
    onAnswer,
    onUnlisted,
    onDelay,
  }: FarStoreNeeds,
): Promise<unknown> {
  const drawn = weather.fate('store');
  const fate = mishaps.isWell(replica) ? 'well' : drawn;
  const isAway = server.isAway || (server.isPartAway && isOfPart(args));
  // as: the method with this name, with its caller's arguments
  const method = near[name] as (...args: readonly unknown[]) => Promise<unknown>;
  // It changes nothing, and a later change does not affect it: it takes no time. Most claims are of this kind.
  // as: the lane that is claimed from
  const isPoll = name === 'ping' || (name === 'claim' && isIdle(args[0] as Lane));
  if (isPoll && fate === 'well' && !isAway) return method.call(near, ...args);
  return new Promise((resolve, reject) => {
    let isOver = false;
    const begunAt = scheduler.now;
    const end = (finish: () => void) => {
      if (isOver) return;
      isOver = true;
      cancel();
      finish();
    };
    const fail = (code: 'unavailable' | 'unknown') =>
      end(() => {
        chronicle.note(replica.name, `store.${name} ${code}`, ...namesIn(args));
        if (name === 'list') onUnlisted(scheduler.now - begunAt);
        reject(new StoreError(code, `${name}: simulated`));
      });
    const cancel = replica.later(ANSWER_MS, () => fail('unknown'));
    const isUnheard = isAway || ['refused', 'lost', 'answerLost', 'answerLate'].includes(fate);
    if (name === 'save' && isUnheard) onDelay(savedBy(args)[0]);
    if (isAway || fate === 'refused') {
      replica.later(chance.wait(0.1, 0.3, 5), () => fail('unavailable'));
      return;
    }
    if (fate === 'lost') return;
    const { generation } = server;
    const usualMs = fate === 'late' ? chance.whole(200, 3_000) : chance.wait(0.1, 0.4, 20);
    const thereMs = usualMs + (name === 'save' ? mishaps.saves(...savedBy(args), replica) : 0);
    scheduler.after(thereMs, () => {
      if (server.isAway || server.generation !== generation || thereMs > ARRIVES_WITHIN_MS) return;
      method.call(near, ...args).then(
        (answer) => {
          chronicle.note(
            'store',
            `${name} for ${replica.name} ${summary(name, answer)}`,
            ...namesIn(args),
          );
          onAnswer(replica, name, args, answer);
          if (name === 'save' && thereMs > SLOW_MS) onDelay(savedBy(args)[0]);
          const isClaim = name === 'claim';
          const isLost =
            fate === 'answerLost' || (isClaim && mishaps.isTakenInVain(takenIn(answer)));
          if (isClaim && (isLost || fate === 'answerLate')) takenIn(answer).forEach(onDelay);
          if (isLost) return;
          // It changed nothing, and a later change does not affect it: its way back takes no time.
          if (isClaim && isEmpty(answer)) return end(() => resolve(answer));
          const backMs =
            fate === 'answerLate' ? chance.whole(200, 3_000) : chance.wait(0.1, 0.4, 20);
          replica.later(backMs, () => {
            // A connection that broke in between returns nothing.
            if (server.generation === generation) end(() => resolve(answer));
          });
        },
        (error: unknown) => replica.later(0.1, () => end(() => reject(error))),
      );
    });
  });
}

/** The record of a save, and its new data; null: they do not change. */
function savedBy([lease, change]: readonly unknown[]): [string, string | null] {
  // as: what `save` takes
  return [(lease as Lease).id, (change as Change).data];
}

/** Whether it is about identity links, which the part keeps. */
function isOfPart([key]: readonly unknown[]): boolean {
  return typeof key === 'string' && key.startsWith('people.');
}

/** A claim that found nothing due. */
function isEmpty(answer: unknown): boolean {
  return takenIn(answer).length === 0;
}

/** The records that a claim returned. */
function takenIn(answer: unknown): string[] {
  // as: the result of `claim`
  return (answer as Claimed).held.map(({ record }) => record.id);
}

/** Records that a call is about, by their names in a story. */
function namesIn(args: readonly unknown[]): string[] {
  const [first] = args;
  if (typeof first === 'string') return [first];
  if (typeof first === 'object' && first !== null && 'id' in first) return [String(first.id)];
  return [];
}

function summary(name: string, answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return name === 'pace' ? String(answer) : '';
  if ('kind' in answer) return 'id' in answer ? `${answer.kind} ${answer.id}` : String(answer.kind);
  if ('held' in answer && Array.isArray(answer.held)) {
    return answer.held.map(({ record }) => record.id).join(' ');
  }
  return '';
}
