import type { MonotonicClock } from '../lib/clock.ts';
import type { GiveWay } from '../lib/give-way.ts';
import type { Timers } from '../lib/timers.ts';
import type { Claimed, Held, Lane, Store, StoredRecord } from '../store/store.ts';
import { PATIENT_CLAIMS, retryInMs, StoreError } from '../store/store.ts';
import type { SessionEnd } from './lease-session.ts';

export interface Logger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

export interface ReconcilerNeeds {
  readonly store: Pick<Store, 'claim' | 'defer'>;
  /** By kind of record. */
  readonly workers: Readonly<Record<string, (held: Held) => Promise<SessionEnd>>>;
  readonly logger: Logger;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  readonly newReference: () => string;
  /** Called with the number of scheduled records in a lane. */
  readonly onSize: (lane: Lane, size: number) => void;
  /** Called each time a record that makes no progress, or never finishes, is claimed. */
  readonly onStuck: (record: StoredRecord) => void;
  readonly giveWay: Pick<GiveWay, 'turn'>;
}

/** Works on what was just stored, in this process. */
export interface RecordRunner {
  /** Whether another record can be leased for work that people wait for. */
  readonly hasRoom: boolean;
  /** Works on a record whose lease the caller was just given. Never rejects. */
  run(held: Held): Promise<void>;
}

export interface Reconciler extends RecordRunner {
  start(): void;
  /** Takes no new records, and waits at most `withinMs` for those being worked on. */
  stop(withinMs: number): Promise<void>;
}

/** Records being worked on at once, per lane. A slow service must not stop the other lane. */
const SLOTS = 256;
/** With at least this many free slots, due records are claimed at once. */
const SLOTS_WORTH = SLOTS / 4;
/** How often an idle lane is checked, for records that other replicas left behind. */
const IDLE_MS = 1_000;
/** How long to wait for more slots to become free. */
const BUSY_MS = 20;
/** Pause after a failed claim. */
const AWAY_MS = 500;
/** How often repeated failures are logged. */
const AWAY_AGAIN_MS = 60_000;
/** Twice the steps of the longest possible job: several hundred test cases at once. */
const ENDLESS_STEPS = 3_000;
/** How many records are remembered, including those that other replicas have finished. */
const AT_LIMIT_MAX = 1_000;

/** How much work a record has caused in sessions that ended at their limit. */
interface AtLimit {
  readonly steps: number;
  /** How many times it was reported. */
  readonly reports: number;
}

/** Shared by both lanes, by record id, because a record can change its lane. */
interface Known {
  readonly atLimit: Map<string, AtLimit>;
  /** Resolves when the running session with the record ends. */
  readonly sessions: Map<string, Promise<void>>;
}

export function createReconciler(needs: ReconcilerNeeds): Reconciler {
  const known = { atLimit: new Map(), sessions: new Map() };
  const lanes = {
    people: new LanePump('people', needs, known),
    background: new LanePump('background', needs, known),
  };
  return {
    start() {
      lanes.people.start();
      lanes.background.start();
    },
    get hasRoom() {
      return lanes.people.room > 0;
    },
    run: (held) => lanes.people.run(held),
    async stop(withinMs) {
      await Promise.all([lanes.people.stop(withinMs), lanes.background.stop(withinMs)]);
    },
  };
}

/** Claims due records of one lane, never more than it has room for. */
class LanePump {
  readonly #lane: Lane;
  readonly #needs: ReconcilerNeeds;
  readonly #known: Known;
  readonly #inHand = new Set<Promise<void>>();
  #state: 'new' | 'running' | 'stopped' = 'new';
  #cancelWake = () => {};
  #wakeAt = Number.POSITIVE_INFINITY;
  #claiming: Promise<void> | undefined;
  #wokenWhileClaiming = false;
  /** More records may be due than there was room for. */
  #isBehind = false;
  /** When a failed claim was last logged; undefined: the last one worked. */
  #awayNotedAt: number | undefined;

  constructor(lane: Lane, needs: ReconcilerNeeds, known: Known) {
    this.#lane = lane;
    this.#needs = needs;
    this.#known = known;
  }

  get room(): number {
    return SLOTS - this.#inHand.size;
  }

  start(): void {
    this.#state = 'running';
    this.#wakeIn(0);
  }

  async stop(withinMs: number): Promise<void> {
    this.#state = 'stopped';
    this.#cancelWake();
    await this.#claiming;
    let cancel = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = this.#needs.timers.after(withinMs, resolve);
    });
    await Promise.race([Promise.all(this.#inHand), late]);
    cancel();
  }

  run(held: Held): Promise<void> {
    const { id } = held.lease;
    const { sessions } = this.#known;
    const before = sessions.get(id);
    const work = before === undefined ? this.#work(held) : this.#leaveTo(before, held);
    const done = work.finally(() => {
      this.#inHand.delete(done);
      if (sessions.get(id) === done) sessions.delete(id);
      if (this.#isBehind) this.#wakeIn(this.room < SLOTS_WORTH ? BUSY_MS : 0);
    });
    this.#inHand.add(done);
    if (before === undefined) sessions.set(id, done);
    // A press finds no slot now: a claim will pick it up.
    if (this.room <= 0) this.#isBehind = true;
    return done;
  }

  /**
   * A lease can end while its session still runs here, if the store's clock is set forward. The result of that
   * session's last call is known only when it ends: wait for it, then give the record back so that it is claimed in its
   * current state.
   */
  async #leaveTo(before: Promise<void>, held: Held): Promise<void> {
    await before;
    try {
      await this.#needs.store.defer(held.lease, held.now);
      this.#wakeIn(0);
    } catch (error) {
      this.#noteNotGivenBack(held, error);
    }
  }

  async #work(given: Held): Promise<void> {
    const turn = this.#needs.giveWay.turn();
    const held = turn === undefined ? given : await this.#after(turn, given);
    const { kind } = held.record;
    if (held.claims >= PATIENT_CLAIMS) {
      // An earlier holder may have crashed on it without logging anything.
      const facts = { record: held.lease.id, claims: held.claims };
      this.#needs.logger.error(facts, 'a record was claimed repeatedly without progress');
      this.#needs.onStuck(held.record);
    }
    try {
      const worker = this.#needs.workers[kind];
      if (worker === undefined) throw new Error(`no worker for records of kind ${kind}`);
      if (await this.#isEndless(held)) return;
      const { dueAt, stepsAtLimit, away } = await worker(held);
      if (away !== undefined) {
        const facts = { record: held.lease.id, err: away };
        this.#needs.logger.warn(
          facts,
          'part of the store was unavailable; the step will be retried soon',
        );
      }
      this.#noteSteps(held.lease.id, stepsAtLimit);
      if (stepsAtLimit !== undefined) this.#wakeIn(0);
      else if (dueAt !== null) this.#wakeIn(dueAt - held.now);
    } catch (error) {
      await this.#giveBack(held, error);
    }
  }

  /** The same record, with the store's time moved on by the wait. */
  async #after(turn: Promise<void>, held: Held): Promise<Held> {
    const { clock } = this.#needs;
    const since = clock.monotonic();
    await turn;
    // Stored times are whole milliseconds.
    return { ...held, now: Math.floor(held.now + (clock.monotonic() - since)) };
  }

  /** Adds the steps of a session; undefined: it ended with nothing due. */
  #noteSteps(id: string, stepsAtLimit: number | undefined): void {
    const { atLimit } = this.#known;
    const { steps, reports } = atLimit.get(id) ?? { steps: 0, reports: 0 };
    atLimit.delete(id);
    if (stepsAtLimit === undefined) return;
    atLimit.set(id, { steps: steps + stepsAtLimit, reports });
    const [oldest] = atLimit.keys();
    if (atLimit.size > AT_LIMIT_MAX && oldest !== undefined) atLimit.delete(oldest);
  }

  /**
   * A rule that always finds something due would never end: such a record is reported and deferred, for longer each
   * time.
   */
  async #isEndless({ lease, record, now }: Held): Promise<boolean> {
    const { atLimit } = this.#known;
    const { steps, reports } = atLimit.get(lease.id) ?? { steps: 0, reports: 0 };
    if (steps < ENDLESS_STEPS) return false;
    atLimit.set(lease.id, { steps: 0, reports: reports + 1 });
    this.#needs.logger.error({ record: lease.id, steps }, 'a record always has something due');
    this.#needs.onStuck(record);
    await this.#needs.store.defer(lease, now + retryInMs(PATIENT_CLAIMS + reports));
    return true;
  }

  /** The one boundary: a worker that threw made no progress; the record is retried with growing pauses. */
  async #giveBack(held: Held, error: unknown): Promise<void> {
    const facts = { record: held.lease.id, claims: held.claims, err: error };
    if (error instanceof StoreError) {
      this.#needs.logger.warn(
        facts,
        'the store was unavailable; the record is due again when its lease ends',
      );
      return;
    }
    const reference = this.#needs.newReference();
    this.#needs.logger.error({ ...facts, reference }, 'a record made no progress');
    const waitMs = Math.min(1_000 * 2 ** held.claims, 3_600_000);
    await this.#needs.store
      .defer(held.lease, held.now + waitMs)
      .catch((cause: unknown) => this.#noteNotGivenBack(held, cause));
  }

  #noteNotGivenBack({ lease }: Held, cause: unknown): void {
    this.#needs.logger.warn({ record: lease.id, err: cause }, 'could not release a record');
  }

  /** Logs the first failure, then one a minute. */
  #noteAway(error: unknown): void {
    const now = this.#needs.clock.monotonic();
    if (this.#awayNotedAt !== undefined && now - this.#awayNotedAt < AWAY_AGAIN_MS) return;
    this.#awayNotedAt = now;
    this.#needs.logger.warn({ lane: this.#lane, err: error }, 'could not claim due records');
  }

  /** Claims due records in `ms`, unless a claim is scheduled earlier. */
  #wakeIn(ms: number): void {
    if (this.#state !== 'running') return;
    const waitMs = Math.max(0, Math.min(ms, IDLE_MS));
    const at = this.#needs.clock.monotonic() + waitMs;
    if (at >= this.#wakeAt) return;
    this.#cancelWake();
    this.#wakeAt = at;
    this.#cancelWake = this.#needs.timers.after(waitMs, () => this.#wake());
  }

  #wake(): void {
    this.#wakeAt = Number.POSITIVE_INFINITY;
    if (this.#state !== 'running') return;
    if (this.#claiming !== undefined) {
      this.#wokenWhileClaiming = true;
      return;
    }
    this.#claiming = this.#claim().then((waitMs) => {
      this.#claiming = undefined;
      this.#wakeIn(this.#wokenWhileClaiming ? 0 : waitMs);
      this.#wokenWhileClaiming = false;
    });
  }

  /** Claims due records. Returns when to look again, in milliseconds. */
  async #claim(): Promise<number> {
    const { room } = this;
    this.#isBehind = room <= 0;
    if (this.#isBehind) return IDLE_MS;
    let claimed: Claimed;
    try {
      claimed = await this.#needs.store.claim(this.#lane, room);
    } catch (error) {
      this.#noteAway(error);
      return AWAY_MS;
    }
    this.#awayNotedAt = undefined;
    this.#needs.onSize(this.#lane, claimed.size);
    for (const held of claimed.held) void this.run(held);
    this.#isBehind ||= claimed.held.length === room;
    if (this.#isBehind) return IDLE_MS;
    if (claimed.nextDueAt === null) return IDLE_MS;
    return Math.max(claimed.nextDueAt - claimed.now, BUSY_MS);
  }
}
