import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../src/approvals/approval-flow.ts';
import { resumeSuspended } from '../../src/approvals/decision/resume.ts';
import type { ServiceAnswers } from '../../src/approvals/decision/service-answers.ts';
import { encodeSignal } from '../../src/approvals/decision/signal.ts';
import { UNPOLLED } from '../../src/approvals/lists.ts';
import type { Step, StepResult } from '../../src/approvals/steps.ts';
import { work } from '../../src/core/engine/lease-session.ts';
import { systemRandom } from '../../src/core/lib/random.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import {
  type Change,
  type Held,
  type Signal,
  type Store,
  StoreError,
} from '../../src/core/store/store.ts';
import { cases } from '../support/cases.ts';
import { coreWith } from '../support/core-with.ts';
import { fake } from '../support/fake.ts';
import { approvalWith, NO_STEPS, NOW, routeWith } from './approvals.ts';

/** The service's answers for a token after the upgrade; silent: none, three times. */
const ANSWERS = ['PENDING', 'APPROVED', 400, 403, 404, 500, 'silent'] as const;

interface Fate {
  readonly answer: (typeof ANSWERS)[number];
  /** What happens to it while it is suspended. */
  readonly meanwhile: 'nothing' | 'withdrawn' | 'withdrawn-late' | 'vanished' | 'checked';
}

const fate: fc.Arbitrary<Fate> = fc.record({
  answer: fc.constantFrom(...ANSWERS),
  meanwhile: fc.constantFrom(
    'nothing',
    'nothing',
    'nothing',
    'withdrawn',
    'withdrawn-late',
    'vanished',
    'checked',
  ),
});

interface Kept {
  readonly id: string;
  readonly fate: Fate;
  data: string;
  inbox: Signal[];
  lists: readonly string[];
  listedAt: number;
  dueAt: number | null;
  looks: number;
}

/** Approvals that version 0.1 does not poll, in a store that keeps them in the order of the list. */
class Crowd {
  readonly kept: Kept[];
  now = NOW;
  #signals = 0;
  /** How many more calls succeed before a process dies; at the tape's end all do. */
  readonly #tape: number[];

  constructor(fates: readonly Fate[], tape: readonly number[]) {
    this.#tape = [...tape];
    this.kept = fates.map((fate, at) => ({
      id: `0-${at}`,
      fate,
      data: this.#flow().encode(suspended),
      inbox: [],
      lists: [UNPOLLED],
      listedAt: at,
      dueAt: null,
      looks: 0,
    }));
  }

  get listed(): readonly Kept[] {
    const on = this.kept.filter(
      ({ lists, fate }) => lists.length > 0 && fate.meanwhile !== 'vanished',
    );
    return on.toSorted((a, b) => a.listedAt - b.listedAt);
  }

  /** As at a start. */
  async wake(): Promise<void> {
    await resumeSuspended(
      { store: this.#store(), reconciler: { hasRoom: false, run: async () => {} } },
      UNPOLLED,
    );
  }

  signal(one: Kept, body: string, id = `s${++this.#signals}`): void {
    if (!one.inbox.some((each) => each.id === id)) one.inbox.push({ id, at: this.now, body });
    one.dueAt = this.now;
  }

  /** Works on everything due within a minute: longer than a lease and all quick tries. */
  async settle(): Promise<void> {
    const endAt = this.now + 60_000;
    for (;;) {
      const due = this.kept
        .filter(({ dueAt }) => dueAt !== null && dueAt < endAt)
        .toSorted((a, b) => Number(a.dueAt) - Number(b.dueAt))[0];
      if (due === undefined) return;
      this.now = Math.max(this.now, due.dueAt ?? 0);
      // Its lease ends if the process dies.
      due.dueAt = this.now + 12_000;
      await this.#work(due).catch((error: unknown) => {
        if (!(error instanceof StoreError)) throw error;
      });
    }
  }

  #dies(): void {
    const left = this.#tape[0];
    if (left === undefined) return;
    if (left > 0) this.#tape[0] = left - 1;
    else {
      this.#tape.shift();
      throw new StoreError('unavailable', 'the process is gone');
    }
  }

  #store() {
    return fake<Store>({
      list: async () => {
        const entries = this.listed.slice(0, 2).map(({ id, data, lists }) => ({
          record: {
            id,
            kind: 'approval',
            data,
            lane: 'background',
            dueAt: null,
            place,
            uniqueKey: null,
            lists,
          } as const,
          cursor: '',
        }));
        return { entries, next: null };
      },
      signal: async (id: string, signal: { readonly id: string; readonly body: string }) => {
        this.#dies();
        const one = this.kept.find((each) => each.id === id);
        if (one !== undefined) this.signal(one, signal.body, signal.id);
        return { kind: 'queued' } as const;
      },
    });
  }

  #work(one: Kept) {
    const { id, data, lists } = one;
    const record = {
      id,
      kind: 'approval',
      data,
      lane: 'people',
      dueAt: null,
      place,
      uniqueKey: null,
      lists,
    } as const;
    const held: Held = {
      lease: { id, token: '' },
      record,
      inbox: [...one.inbox],
      claims: 1,
      now: this.now,
    };
    return work(held, this.#flow(one), {
      store: {
        save: async (_lease, change) => this.#save(one, change),
        signal: this.#store().signal,
        read: async () => record,
      },
      monotonic: () => 0,
      sleep: async () => {},
      newId: () => `late-${++this.#signals}`,
      timing: TRUE_TIME,
      onVanished() {},
      onStep() {},
    });
  }

  #save(one: Kept, { data, handled, lists, next }: Change) {
    this.#dies();
    one.data = data ?? one.data;
    one.inbox = one.inbox.filter((signal) => !handled.includes(signal.id));
    const wasListed = one.lists.length > 0;
    one.lists =
      next.kind === 'finish' ? [] : (lists?.filter((name) => name === UNPOLLED) ?? one.lists);
    if (!wasListed && one.lists.length > 0) one.listedAt = this.now;
    const isReleased = next.kind !== 'keep' && one.inbox.length === 0;
    if (isReleased) one.dueAt = next.kind === 'release' ? next.dueAt : null;
    return { kind: 'saved', released: isReleased, inbox: [...one.inbox], now: this.now } as const;
  }

  #flow(one?: Kept) {
    const real = createApprovalFlow(
      coreWith({
        ...NO_STEPS,
        timing: TRUE_TIME,
        config: {
          watchMaxAgeMs: 7 * 86_400_000,
          retention: { doneMs: 86_400_000, decidedMs: 3_600_000, auditMs: 86_400_000 },
          routes: [routeWith({ outcomes: { thread: false, channel: null, requester: false } })],
          budgetPerMinute: 240,
        },
        random: { ...systemRandom, fraction: () => 0.5 },
        store: fake<Store>({ now: () => NOW, servingSince: () => 0, wentBackAt: () => 0 }),
        pending: () => 1,
        serviceAnswers: fake<ServiceAnswers>({
          isDenying: () => false,
        }),
        callbacks: { isWanted: () => false, send: () => 'unwanted', close: async () => {} },
      }),
    );
    // Only steps need the rest, and those are made here.
    return { ...real, execute: (_: Approval, step: Step) => this.#perform(step, one) };
  }

  async #perform(step: Step, one: Kept | undefined): Promise<StepResult> {
    if (step.kind === 'resume') await this.wake();
    if (step.kind !== 'read-status' || one === undefined) return { kind: 'done' };
    one.looks += 1;
    const { answer } = one.fate;
    if (answer === 'silent' && one.looks < 4) {
      return { kind: 'failed', failure: { class: 'ambiguous', code: 'timeout' } };
    }
    if (typeof answer === 'number') {
      const code = `http_${answer}`;
      const kind = answer === 500 ? 'ambiguous' : 'refused';
      return { kind: 'failed', failure: { class: kind, code, status: answer } };
    }
    const status = answer === 'silent' ? 'PENDING' : answer;
    return { kind: 'status', answer: { status, raw: null, resolvedAt: null } };
  }
}

const place = { channel: 'C0PROD', message: '17.1' };
const failure = { class: 'refused', code: 'http_401', status: 401 } as const;
/** In the form of version 0.1. */
const { message, ...wordless } = approvalWith();
const suspended = {
  ...wordless,
  watch: { state: 'pending', nextAt: NOW, ended: true, stale: true, failure },
} as const;

function happen(crowd: Crowd, one: Kept): void {
  const { meanwhile } = one.fate;
  if (meanwhile === 'withdrawn') crowd.signal(one, encodeSignal({ kind: 'withdraw' }));
  if (meanwhile === 'checked') crowd.signal(one, encodeSignal({ kind: 'check' }));
}

test('every approval that version 0.1 stopped polling is read again, even if some of them fail', async () => {
  const fates = fc.array(fate, { minLength: 1, maxLength: 14 });
  const tape = fc.array(fc.nat({ max: 25 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fates, tape, async (fates, tape) => {
      const crowd = new Crowd(fates, tape);
      for (const one of crowd.kept) happen(crowd, one);
      // The first signal may be lost with its process; the next start repeats it.
      await crowd
        .wake()
        .catch(() => crowd.wake())
        .catch(() => {});
      const late = crowd.kept.filter(({ fate }) => fate.meanwhile === 'withdrawn-late');
      for (const one of late) crowd.signal(one, encodeSignal({ kind: 'withdraw' }));
      await crowd.settle();
      for (let times = 0; times < tape.length; times += 1) {
        await crowd.wake().catch(() => {});
        await crowd.settle();
      }
      expect(crowd.listed.map(({ fate }) => fate)).toEqual([]);
      const unread = crowd.kept.filter(({ looks, fate }) => {
        return looks === 0 && ['nothing', 'checked'].includes(fate.meanwhile);
      });
      expect(unread.map(({ fate }) => fate)).toEqual([]);
    }),
    { numRuns: cases(50, 1_000), ...JSON.parse(process.env.RULES ?? '{}') },
  );
});
