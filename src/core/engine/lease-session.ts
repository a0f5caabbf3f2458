import type { Timing } from '../lib/timing.ts';
import { renewed } from '../store/renewed.ts';
import type { Change, Held, NewAuditEntry, Saved, Signal, Store } from '../store/store.ts';
import { StoreError } from '../store/store.ts';
import { FRESH_MS } from './attempt.ts';
import type { Failed } from './call-result.ts';
import {
  type Applied,
  type Flow,
  type Named,
  type Plan,
  resultIn,
  resultSignal,
  SHORTEST_WAIT_MS,
  STORE_AGAIN_MS,
  type StepFacts,
} from './flow.ts';

export interface WorkNeeds {
  readonly store: Pick<Store, 'save' | 'signal' | 'read'>;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly newId: () => string;
  readonly timing: Timing;
  /** Called when a record is gone at the time it is to be saved. */
  readonly onVanished: (facts: { readonly record: string; readonly step: string }) => void;
  /** Called when a record's data were saved. */
  readonly onSaved?: (record: string) => void;
  /** Called for every step that was executed. */
  readonly onStep: (facts: StepFacts & { record: string; tookMs: number }) => void;
}

export interface SessionEnd {
  /** When the record is due again, in the store's time; null: never, or not known here. */
  readonly dueAt: number | null;
  /** How many steps it took to reach the session's limit, with something still due. */
  readonly stepsAtLimit?: number;
  /** The failure of another part of the store during a step, which is due again soon. */
  readonly away?: StoreError;
}

/**
 * Works on a held record until nothing is due or the session reaches its limit, and releases it. Throws StoreError when
 * the store fails before a step: nothing was sent then, and the record is due again when its lease ends.
 */
export async function work<Data, Step extends Named, Result extends Named>(
  held: Held,
  flow: Flow<Data, Step, Result>,
  needs: WorkNeeds,
): Promise<SessionEnd> {
  return new LeaseSession(held, flow, needs).run();
}

class LeaseSession<Data, Step extends Named, Result extends Named> {
  readonly #held: Held;
  readonly #flow: Flow<Data, Step, Result>;
  readonly #needs: WorkNeeds;
  #data: Data;
  #inbox: readonly Signal[];
  #handled: string[] = [];
  #audit: NewAuditEntry[] = [];
  /** Results of effects that are not saved yet. `signalId`: under which it was handed over, perhaps. */
  #unsaved: { step: Step; result: Result; isUrgent: boolean; signalId?: string }[] = [];
  /** The data as last read or saved. */
  #kept: Data;
  /** The lists it belongs to, as last read or saved. */
  #lists: readonly string[];
  /** The last save failed, and its retries were used up. */
  #isAway = false;
  /** The store's time at `#tick` of the monotonic clock. */
  #storeNow: number;
  #tick: number;
  /** How many notes in a row were too old once they were saved. */
  #staleNotes = 0;
  /** The latest time that `#now` returned. */
  #latest = Number.NEGATIVE_INFINITY;

  constructor(held: Held, flow: Flow<Data, Step, Result>, needs: WorkNeeds) {
    this.#held = held;
    this.#flow = flow;
    this.#needs = needs;
    this.#data = flow.decode(held.record.data, held.record.place);
    this.#kept = this.#data;
    this.#lists = held.record.lists;
    this.#inbox = held.inbox;
    this.#storeNow = held.now;
    this.#tick = needs.monotonic();
  }

  async run(): Promise<SessionEnd> {
    try {
      return await this.#run();
    } catch (error) {
      await this.#saveResults();
      throw error;
    }
  }

  async #run(): Promise<SessionEnd> {
    const endAt = this.#needs.monotonic() + SESSION_MS;
    for (let steps = 0; ; ) {
      this.#receiveSignals();
      const now = this.#now();
      const plan = this.#flow.plan(this.#data, now);
      // A store that is too slow is noticed by several notes in a row.
      const isLate = this.#needs.monotonic() >= endAt && this.#staleNotes === 0;
      const isOver = isLate || steps >= SESSION_STEPS;
      if (plan.kind === 'step' && !isOver) {
        const planned = [plan.step, ...(plan.beside ?? [])];
        steps += planned.length;
        const done = await this.#execute(planned, now);
        if (done === 'lost') return { dueAt: null };
        if (done === 'done') continue;
        const dueAt = this.#inStore() + STORE_AGAIN_MS;
        const saved = await this.#save({ ...this.#goingOn(), dueAt });
        if (saved.kind === 'lost') return { dueAt: null };
        if (saved.released) return { dueAt, away: done };
        continue;
      }
      const next = plan.kind === 'step' ? this.#goingOn() : this.#ending(plan);
      const saved = await this.#save(next);
      if (saved.kind === 'lost') return { dueAt: null };
      if (!saved.released) continue;
      const dueAt = next.kind === 'release' ? next.dueAt : null;
      return plan.kind === 'step' ? { dueAt, stepsAtLimit: steps } : { dueAt };
    }
  }

  /** Due again at once, after the records that have been due for longer. */
  #goingOn() {
    return { kind: 'release', lane: this.#held.record.lane, dueAt: this.#inStore() } as const;
  }

  /** A later step threw: saves earlier results. One try. */
  async #saveResults(): Promise<void> {
    if (this.#unsaved.length === 0 || this.#isAway) return;
    // The error that led here is the one to throw.
    await this.#save({ kind: 'keep' }, { patienceMs: 0 }).catch(() => undefined);
  }

  /**
   * Saves the attempts and what earlier ones have changed, executes the steps at the same time and applies their results
   * in order; if they were planned too long ago by then, or a signal calls them off, nothing but the next save, which
   * removes the notes. lost: another worker has the record. A StoreError: a step had no result because another part of
   * the store was unavailable.
   */
  async #execute(steps: readonly Step[], plannedAt: number): Promise<'done' | 'lost' | StoreError> {
    const marks = steps.map((step) => this.#flow.markAttempt(this.#data, step, this.#now()));
    const effects = steps.filter((_, place) => marks[place] !== undefined);
    const isToSave = effects.length > 0 || this.#unsaved.some(({ isUrgent }) => isUrgent);
    if (isToSave || this.#sinceSaved() > this.#needs.timing.leaseMs / 3) {
      const unmarked = this.#data;
      const noted = await this.#note(effects, plannedAt);
      if (noted === 'lost') return 'lost';
      const isCalledOff = (step: Step) =>
        this.#inbox.some((signal) => this.#flow.callsOff?.(signal, step) === true);
      if (noted === 'stale' || steps.some(isCalledOff)) {
        this.#data = unmarked;
        return 'done';
      }
    }
    const noted = this.#data;
    const executed = await Promise.allSettled(steps.map((step) => this.#timed(noted, step)));
    const failed: unknown[] = [];
    for (const [index, step] of steps.entries()) {
      const end = executed[index];
      try {
        if (end?.status !== 'fulfilled') throw end?.reason;
        const { result, tookMs } = end.value;
        const record = this.#held.lease.id;
        this.#needs.onStep({ ...this.#factsOf(step, result), record, tookMs });
        this.#adopt(this.#flow.apply(this.#data, step, result, this.#now()));
        const mark = marks[index];
        if (mark) this.#unsaved.push({ step, result, isUrgent: mark.savesResult === true });
      } catch (error) {
        // The results of the other steps still count.
        failed.push(error);
      }
    }
    const fault = failed.find((error) => !(error instanceof StoreError));
    if (fault !== undefined) throw fault;
    const [away] = failed;
    return away instanceof StoreError ? away : 'done';
  }

  async #timed(data: Data, step: Step): Promise<{ result: Result; tookMs: number }> {
    const startedAt = this.#needs.monotonic();
    const result = await this.#flow.execute(data, step, this.#held.lease.id);
    return { result, tookMs: this.#needs.monotonic() - startedAt };
  }

  /**
   * Saves that the steps are about to be executed. stale: it took so long that what they were planned by may have
   * changed, and that other workers misjudge when a call ends. lost: another worker has the record. Throws StoreError
   * when the store stays too slow.
   */
  async #note(steps: readonly Step[], plannedAt: number): Promise<'fresh' | 'stale' | 'lost'> {
    const startedAt = this.#needs.monotonic();
    const saved = await this.#save({ kind: 'keep' }, { steps });
    if (saved.kind === 'lost') return 'lost';
    // Our estimate of the store's time lags by as long as its answer took.
    const atMostNow = saved.now + (this.#needs.monotonic() - startedAt);
    const isFresh = atMostNow - plannedAt <= FRESH_MS;
    this.#staleNotes = isFresh ? 0 : this.#staleNotes + 1;
    if (isFresh) return 'fresh';
    if (this.#staleNotes < STALE_NOTES_MAX) return 'stale';
    throw new StoreError('unavailable', 'the store is too slow to note what is about to be tried');
  }

  #receiveSignals(): void {
    for (const signal of this.#inbox) {
      this.#adopt(this.#received(signal));
      this.#handled.push(signal.id);
    }
    this.#inbox = [];
  }

  /** Applies a signal: something from outside, or a result that an earlier worker could not save. */
  #received(signal: Signal): Applied<Data> {
    const flow = this.#flow;
    const late = resultIn(signal);
    if (late === undefined) return flow.receive(this.#data, signal, this.#now());
    const step = late.step as Step; // as: only `resultSignal` writes it
    if (flow.isTooLate?.(step)) return { data: this.#data };
    return flow.apply(this.#data, step, late.result as Result, this.#now()); // as: the same
  }

  #factsOf(step: Step, result: Result): StepFacts {
    const { kind, describe } = this.#flow;
    if (describe !== undefined) return describe(step, result);
    // as: a failed result has `failure`, and an answer of the other system has a kind
    const { failure, answer } = result as Partial<Failed> & { readonly answer?: Named };
    const ended = { step: `${kind}-${step.kind}`, result: (answer ?? result).kind };
    return failure === undefined ? ended : { ...ended, failure };
  }

  #ending(plan: Exclude<Plan<Step>, { kind: 'step' }>) {
    if (plan.kind === 'finish') return { kind: 'finish', keepMs: plan.keepMs } as const;
    const dueAt = Math.max(plan.until, this.#now() + SHORTEST_WAIT_MS);
    return { kind: 'release', lane: plan.lane, dueAt } as const;
  }

  async #save(next: Change['next'], options: SaveOptions<Step> = {}): Promise<Saved> {
    const saved = await this.#trySave(next, options);
    if (saved.kind === 'lost') {
      await this.#handOver();
      return saved;
    }
    this.#storeNow = saved.now;
    this.#tick = this.#needs.monotonic();
    this.#handled = [];
    this.#audit = [];
    this.#unsaved = [];
    this.#inbox = saved.inbox;
    return saved;
  }

  /**
   * Retries for a while only if the save holds the result of an effect, and does not itself decide something: later it
   * would decide by what may have changed (`mustLast`). Each try notes the attempt at `steps` again, so that the note is
   * never older than it says. A try without an answer may have been stored: its audit entries are not written again.
   */
  async #trySave(
    next: Change['next'],
    { steps = [], patienceMs = this.#unsaved.length > 0 ? PATIENCE_MS : 0 }: SaveOptions<Step>,
  ): Promise<Saved> {
    const giveUpAt = this.#needs.monotonic() + patienceMs;
    let unanswered: string | null = null;
    let isLogged = false;
    for (let waitMs = SHORTEST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, 2_000)) {
      const { data, audit, durable } = this.#noted(steps);
      const mustLast = this.#flow.mustLast?.(this.#kept, data) === true;
      const change = {
        ...this.#changed(data),
        handled: this.#handled,
        place: this.#flow.placeOf?.(data) ?? null,
        audit: audit.map((entry) => ({ ...entry, record: entry.record ?? this.#held.lease.id })),
        durable: durable || mustLast,
        next,
      };
      try {
        if (unanswered !== null && (await this.#isKept(unanswered))) {
          isLogged = true;
          this.#unsaved = [];
          this.#renew();
        }
        unanswered = null;
        const logged = isLogged ? { ...change, audit: [] } : change;
        const saved = await this.#needs.store.save(this.#held.lease, logged);
        if (saved.kind === 'lost') return saved;
        this.#renew();
        if (data !== this.#kept) this.#needs.onSaved?.(this.#held.lease.id);
        this.#data = data;
        this.#kept = data;
        this.#lists = change.lists ?? this.#lists;
        return saved;
      } catch (error) {
        const isInTime = !mustLast && this.#needs.monotonic() < giveUpAt;
        if (!(error instanceof StoreError && isInTime)) {
          this.#isAway = true;
          throw error;
        }
        // Null if the data are unchanged: they cannot show whether the try was stored.
        if (error.code === 'unknown') unanswered ??= change.data;
        await this.#needs.sleep(waitMs);
      }
    }
  }

  #renew(): void {
    this.#held.lease = renewed(this.#held.lease);
  }

  /** Whether a try without an answer was stored. The store refuses late writes, so it cannot arrive after this read. */
  async #isKept(data: string): Promise<boolean> {
    return (await this.#needs.store.read(this.#held.lease.id))?.data === data;
  }

  /** Only what differs from the stored record, which is cheaper. A rewound store refuses this lease anyway. */
  #changed(data: Data): Pick<Change, 'data' | 'lists'> {
    const kept = this.#lists;
    const lists = this.#flow.listsOf?.(data) ?? [];
    const isSame = lists.length === kept.length && lists.every((name) => kept.includes(name));
    return {
      data: data === this.#kept ? null : this.#flow.encode(data),
      ...(isSame ? {} : { lists }),
    };
  }

  /** Our data, with the attempts noted. */
  #noted(steps: readonly Step[]) {
    const noted = { data: this.#data, audit: this.#audit, durable: false };
    const now = this.#now();
    for (const step of steps) {
      const begun = this.#flow.markAttempt(noted.data, step, now);
      if (begun === undefined) continue;
      noted.data = begun.data;
      if (begun.audit !== undefined) noted.audit = [...noted.audit, ...begun.audit];
      noted.durable ||= begun.durable ?? false;
    }
    return noted;
  }

  /**
   * Another worker holds the record now: what we learned goes into its inbox, but for what would be too late there: its
   * version may not know the step.
   */
  async #handOver(): Promise<void> {
    const { id } = this.#held.lease;
    const isGone = async () => (await this.#needs.store.read(id)) === undefined;
    const wanted = this.#unsaved.filter(({ step }) => this.#flow.isTooLate?.(step) !== true);
    if (wanted.length === 0 && (await isGone())) {
      const [first] = this.#unsaved;
      return this.#lastWord(first ? this.#factsOf(first.step, first.result) : { step: 'save' });
    }
    for (const unsaved of wanted) {
      const { step, result, signalId = this.#needs.newId() } = unsaved;
      unsaved.signalId = signalId;
      const signal = { id: signalId, body: resultSignal(step, result) };
      const { kind } = await this.#needs.store.signal(id, signal, { hold: false });
      if (kind === 'missing') return this.#lastWord(this.#factsOf(step, result));
    }
  }

  /** The record is gone: there is nowhere to keep what we learned. */
  async #lastWord({ step }: Pick<StepFacts, 'step'>): Promise<void> {
    const { id } = this.#held.lease;
    const last = this.#flow.lastWord?.(this.#data, this.#kept, id, this.#now());
    this.#needs.onVanished({ record: id, step, ...last?.facts });
    await last?.show();
  }

  #adopt(applied: Applied<Data>): void {
    this.#data = applied.data;
    if (applied.audit !== undefined) this.#audit.push(...applied.audit);
  }

  /**
   * In whole milliseconds, as times are stored. Never goes back: a store whose clock is being slowed down runs behind
   * our own count between two saves.
   */
  #now(): number {
    this.#latest = Math.max(this.#latest, this.#inStore());
    return this.#latest;
  }

  #inStore(): number {
    return Math.floor(this.#storeNow + this.#sinceSaved());
  }

  #sinceSaved(): number {
    return this.#needs.monotonic() - this.#tick;
  }
}

interface SaveOptions<Step> {
  /** Their attempts are noted with the save. */
  readonly steps?: readonly Step[];
  /** How long to retry while the store is unavailable. */
  readonly patienceMs?: number;
}

/**
 * A lease session ends after this many steps, or with the step at which this much time has passed: another replica can
 * continue, and one record does not delay shutdown.
 */
const SESSION_STEPS = 200;
const SESSION_MS = 10_000;
const STALE_NOTES_MAX = 3;
/** How long a result is kept in memory while the store is unavailable. */
const PATIENCE_MS = 30_000;
