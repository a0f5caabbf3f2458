import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../../src/approvals/approval-flow.ts';
import type { ServiceAnswers } from '../../../src/approvals/decision/service-answers.ts';
import { encodeSignal } from '../../../src/approvals/decision/signal.ts';
import type { Step } from '../../../src/approvals/steps.ts';
import { pressersToTell } from '../../../src/approvals/tell/refresh-home.ts';
import { work } from '../../../src/core/engine/lease-session.ts';
import { systemRandom } from '../../../src/core/lib/random.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import {
  type Change,
  type Signal,
  type Store,
  type StoredRecord,
  StoreError,
} from '../../../src/core/store/store.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { applied, approvalWith, NO_STEPS, NOW, routeWith } from '../approvals.ts';

const ANAS: StoredRecord = {
  ...{ id: '0-home', kind: 'home', data: '{}', lane: 'people' },
  ...{ dueAt: null, place: null, uniqueKey: null, lists: [] },
};

/** A request that Ana approved on her Home tab, in a store whose calls can fail; all of Slack answers. */
class Stage {
  readonly events: string[] = [];
  /** Of the Home tab's part of the store, from now on. */
  failures = 0;
  /** How many more saves succeed before the process dies. */
  savesLeft = Number.POSITIVE_INFINITY;
  now = NOW;
  record: StoredRecord;
  #slept = 0;

  constructor(approval: Approval) {
    this.record = {
      ...{ id: '0-one', kind: 'approval', data: this.#flow().encode(approval), lane: 'people' },
      ...{ dueAt: NOW, place: { channel: 'C0PROD', message: '17.1' }, uniqueKey: null, lists: [] },
    };
  }

  /** As one process works on it. */
  work(inbox: readonly Signal[]) {
    const lease = { id: this.record.id, token: '' };
    const held = { lease, record: this.record, inbox, claims: 1, now: this.now };
    return work(held, this.#flow(), {
      store: {
        save: async (_lease, change) => this.#save(change),
        signal: async () => ({ kind: 'queued' }),
        read: async () => this.record,
      },
      monotonic: () => this.#slept,
      sleep: async (ms) => {
        this.#slept += ms;
      },
      newId: () => 'late',
      timing: TRUE_TIME,
      onVanished() {},
      onStep() {},
    });
  }

  async #save({ data, next }: Change) {
    if (this.savesLeft <= 0) throw new StoreError('unavailable', 'the process is gone');
    this.savesLeft -= 1;
    this.record = { ...this.record, data: data ?? this.record.data };
    const isOver = 'withdrawnAt' in JSON.parse(this.record.data);
    this.events.push(`saved ${isOver ? 'withdrawn' : 'open'}`);
    const dueAt = next.kind === 'release' ? next.dueAt : null;
    this.record = { ...this.record, dueAt };
    return { kind: 'saved', released: next.kind !== 'keep', inbox: [], now: this.now } as const;
  }

  #flow() {
    const { now } = this;
    const flow = createApprovalFlow(
      coreWith({
        ...NO_STEPS,
        timing: TRUE_TIME,
        config: {
          watchMaxAgeMs: 7 * 86_400_000,
          retention: { doneMs: 86_400_000, decidedMs: 3_600_000, auditMs: 86_400_000 },
          routes: [routeWith({ outcomes: { thread: false, channel: null, requester: false } })],
          budgetPerMinute: 240,
        },
        random: systemRandom,
        store: fake<Store>({
          now: () => now,
          servingSince: () => 0,
          wentBackAt: () => 0,
          find: async () => ANAS,
          signal: async (id) => {
            if (this.failures > 0) {
              this.failures -= 1;
              throw new StoreError('unavailable', 'a part of the store is away');
            }
            this.events.push(`signalled ${id}`);
            return { kind: 'queued' };
          },
        }),
        reconciler: { hasRoom: false, run: async () => {} },
        pending: () => 1,
        serviceAnswers: fake<ServiceAnswers>({ isDenying: () => false }),
        callbacks: { isWanted: () => false, send: () => 'unwanted', close: async () => {} },
      }),
    );
    return {
      ...flow,
      execute: (approval: Approval, step: Step, id: string) =>
        step.kind === 'refresh-home'
          ? flow.execute(approval, step, id)
          : Promise.resolve({ kind: 'done' as const }),
    };
  }
}

const pressed = approvalWith({
  ballots: [{ user: 'U0ANA', action: 'approve', at: NOW, atHome: true }],
});
const WITHDRAW = { id: 'w', at: NOW, body: encodeSignal({ kind: 'withdraw' }) };

test('a Home tab is refreshed once what it has to show is saved', async () => {
  const stage = new Stage(pressed);
  await stage.work([WITHDRAW]);
  expect(stage.events.slice(0, 2)).toEqual(['saved withdrawn', 'signalled 0-home']);
  expect(stage.events.filter((event) => event === 'signalled 0-home')).toHaveLength(1);
});

test('a Home tab is not refreshed for a change that could not be saved', async () => {
  const stage = new Stage(pressed);
  stage.savesLeft = 0;
  await expect(stage.work([WITHDRAW])).rejects.toThrow(StoreError);
  expect(stage.events).toEqual([]);
});

test('a Home tab is refreshed by another process if the first one ends after its save', async () => {
  const stage = new Stage(pressed);
  stage.savesLeft = 1;
  stage.failures = Number.POSITIVE_INFINITY;
  await expect(stage.work([WITHDRAW])).rejects.toThrow(StoreError);
  expect(stage.events).toEqual(['saved withdrawn']);
  stage.savesLeft = Number.POSITIVE_INFINITY;
  stage.failures = 0;
  await stage.work([]);
  expect(stage.events).toContain('signalled 0-home');
});

test('a Home tab in a part of the store that is away is refreshed later, and delays nothing else', async () => {
  const stage = new Stage(pressed);
  stage.failures = 1;
  await stage.work([WITHDRAW]);
  expect(stage.events).not.toContain('signalled 0-home');
  expect(stage.record.dueAt).toBe(NOW + 5_000);
  stage.now = NOW + 5_000;
  await stage.work([]);
  expect(stage.events).toContain('signalled 0-home');
});

test('only those in the part of the store that is away are refreshed again', async () => {
  const ballots = ['U0ANA', 'U0BEN'].map(
    (user) => ({ user, action: 'approve', at: NOW, atHome: true }) as const,
  );
  const stage = new Stage(approvalWith({ ballots }));
  stage.failures = 1;
  await stage.work([WITHDRAW]);
  stage.now = NOW + 5_000;
  await stage.work([]);
  expect(stage.events.filter((event) => event === 'signalled 0-home')).toHaveLength(2);
});

test('a Home tab that became stale again while it was refreshed stays stale', () => {
  const [ana, ben] = [{ user: 'U0ANA' }, { user: 'U0BEN' }];
  const step = { kind: 'refresh-home', homes: [ana, ben] } as const;
  const again = approvalWith({ homes: [ben, { user: 'U0ANA' }] });
  const { homes } = applied(again, step, { kind: 'done', away: [] }, NOW);
  expect(homes).toEqual([{ user: 'U0ANA' }]);
  expect(applied(approvalWith({ homes: [ana] }), step, { kind: 'done', away: [] }, NOW)).toEqual(
    approvalWith(),
  );
});

describe('who is shown what became of a press on the Home tab', () => {
  const cast = { user: 'U0ANA', action: 'approve', at: NOW } as const;
  const before = approvalWith({
    ballots: [
      { ...cast, atHome: true },
      { ...cast, user: 'U0BEN' },
    ],
  });
  const withdrawn = { ...before, withdrawnAt: NOW };
  const result = { reports: [{ state: 'running', at: NOW }] } as const;

  test('whoever pressed there, once the request is over or has a result', () => {
    expect(pressersToTell(before, withdrawn)).toEqual(['U0ANA']);
    expect(pressersToTell(withdrawn, withdrawn)).toEqual([]);
    expect(pressersToTell(before, { ...before, result })).toEqual(['U0ANA']);
  });

  test('whoever pressed there, once their press counts, or counts no more', () => {
    const none = { ...before, ballots: [] };
    expect(pressersToTell(none, before)).toEqual(['U0ANA']);
    expect(pressersToTell(before, none)).toEqual(['U0ANA']);
    const more = { ...before, ballots: [...before.ballots, { ...cast, user: 'U0CLEO' }] };
    expect(pressersToTell(before, more)).toEqual([]);
  });

  test('the requester who withdrew it', () => {
    expect(pressersToTell(before, { ...withdrawn, withdrawnBy: 'U0DEV' })).toEqual([
      'U0ANA',
      'U0DEV',
    ]);
  });

  test('and whoever has to press again, because the decision ended without an outcome', () => {
    const decision = fake<NonNullable<Approval['decision']>>({ action: 'approve' });
    const sending = { ...before, decision };
    expect(pressersToTell(before, sending)).toEqual([]);
    expect(pressersToTell(sending, { ...before, ballots: [] })).toEqual(['U0ANA']);
  });

  test('whoever is told that their press there did not count', () => {
    const none = { ...before, ballots: [] };
    const told = { about: 'refusal', statement: { code: 'refused' }, via: 'direct' } as const;
    const owed = [{ ...told, user: 'U0ANA', channel: 'C0PROD', at: NOW, direct: true as const }];
    expect(pressersToTell(none, { ...none, owed })).toEqual(['U0ANA']);
    const elsewhere = [{ ...told, user: 'U0ANA', channel: 'C0PROD', at: NOW }];
    expect(pressersToTell(none, { ...none, owed: elsewhere })).toEqual([]);
  });

  test('nobody when anything else changes', () => {
    const watch = { ...before.watch, state: 'unknown' } as const;
    expect(pressersToTell(before, { ...before, watch })).toEqual([]);
  });
});
