import { describe, expect, test } from 'vitest';
import { type Approval, type HistoryEvent, placeOf } from '../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../src/approvals/approval-flow.ts';
import type { ServiceAnswers } from '../../src/approvals/decision/service-answers.ts';
import { encodeSignal } from '../../src/approvals/decision/signal.ts';
import { withEvent } from '../../src/approvals/history.ts';
import type { Step, StepResult } from '../../src/approvals/steps.ts';
import { decodeApproval, encodeApproval } from '../../src/approvals/stored-approval.ts';
import type { Callbacks } from '../../src/core/http/callbacks.ts';
import type { Random } from '../../src/core/lib/random.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { Store } from '../../src/core/store/store.ts';
import { coreWith } from '../support/core-with.ts';
import { fake } from '../support/fake.ts';
import { approvalWith, DECIDING, NO_STEPS, NOW, routeWith } from './approvals.ts';

const flow = createApprovalFlow(
  coreWith({
    ...NO_STEPS,
    config: {
      routes: [routeWith({ quorum: 2 })],
      retention: { doneMs: 1, decidedMs: 1, auditMs: 1 },
      watchMaxAgeMs: 7 * 86_400_000,
      budgetPerMinute: 240,
    },
    timing: TRUE_TIME,
    random: fake<Random>({ fraction: () => 0.5 }),
    serviceAnswers: fake<ServiceAnswers>({ isDenying: () => false }),
    callbacks: fake<Callbacks>({ isWanted: () => false }),
    store: fake<Store>({ now: () => at, servingSince: () => 0, wentBackAt: () => 0 }),
  }),
);

const at = NOW + 1_500;
const after = 1_500;
const press = (user: string, action: 'approve' | 'reject' = 'approve') =>
  ({ id: `of-${user}`, user, channel: 'C0PROD', at: NOW, action }) as const;

function apply(approval: Approval, step: Step, result: StepResult): Approval {
  return flow.apply(approval, step, result, at).data;
}

function authorized(approval: Approval, result: StepResult): Approval {
  const [click = press('U0ANA')] = approval.queue;
  return apply(approval, { kind: 'authorize', click }, result);
}

function eventsOf({ history }: Approval): readonly HistoryEvent[] {
  return history?.events ?? [];
}

const status = (word: 'PENDING' | 'REJECTED') =>
  ({ kind: 'status', answer: { status: word, raw: null, resolvedAt: null } }) as const;
const failed = (failure: { class: 'not-sent' | 'refused' | 'ambiguous'; status?: number }) =>
  ({ kind: 'failed', failure: { code: 'x', ...failure } }) as const;
const read = { kind: 'read-status', why: 'decide', deadlineMs: 5_000, plannedAt: NOW } as const;
const ballots = [{ user: 'U0BEN', action: 'approve', at: NOW }] as const;

describe('the history of a request has', () => {
  test('no entry for a poll', () => {
    const polled = apply(approvalWith(), { ...read, why: 'watch' }, status('PENDING'));
    expect(polled).not.toHaveProperty('history');
    expect(polled.watch.checkedAt).toBe(at);
  });

  test('one entry for a press that counts', () => {
    const once = authorized(approvalWith({ queue: [press('U0ANA')] }), { kind: 'accepted' });
    const counted = { kind: 'counted', by: 'U0ANA', action: 'approve', after };
    expect(eventsOf(once)).toEqual([counted]);
    const again = authorized({ ...once, queue: [press('U0ANA')] }, { kind: 'accepted' });
    expect(eventsOf(again)).toEqual([counted]);
  });

  test('a press that was refused, with the reason', () => {
    const code = 'not-a-reviewer';
    const data = authorized(approvalWith({ queue: [press('U0CLEO')] }), {
      kind: 'not-allowed',
      code,
    });
    expect(eventsOf(data)).toEqual([{ kind: 'not-counted', by: 'U0CLEO', why: code, after }]);
  });

  test('a press by somebody who could not be checked', () => {
    const data = authorized(
      approvalWith({ queue: [press('U0ANA')] }),
      failed({ class: 'refused', status: 400 }),
    );
    expect(data.queue).toEqual([]);
    expect(eventsOf(data)).toEqual([{ kind: 'not-counted', by: 'U0ANA', why: 'unchecked', after }]);
  });

  test('a press that came too late, even if it waited while others decided', () => {
    const waiting = approvalWith({ queue: [press('U0ANA')] });
    const over = apply(waiting, { ...read, why: 'watch' }, status('REJECTED'));
    const late = { kind: 'not-counted', by: 'U0ANA', why: 'late', after };
    expect(eventsOf(over)).toEqual([late]);
    const asker = { user: 'U0BEN', channel: 'C0PROD' };
    const body = encodeSignal({ kind: 'ballot', action: 'approve', asker, message: '17.1' });
    const { data } = flow.receive(over, { id: 's', at, body }, at);
    expect(eventsOf(data)).toEqual([late, { ...late, by: 'U0BEN' }]);
  });

  test('an approval that was taken back, but not an attempt without an approval', () => {
    const back = (user: string) => {
      const body = encodeSignal({ kind: 'take-back', asker: { user, channel: 'C0PROD' } });
      return eventsOf(flow.receive(approvalWith({ ballots }), { id: 's', at, body }, at).data);
    };
    expect(back('U0BEN')).toEqual([{ kind: 'taken-back', by: 'U0BEN', after }]);
    expect(back('U0ANA')).toEqual([]);
  });

  test('an approval that no longer counts', () => {
    const click = press('U0ANA');
    const data = apply(
      approvalWith({ queue: [click], ballots }),
      { kind: 'authorize', click, others: ['U0BEN'] },
      {
        kind: 'accepted',
        beside: { others: { U0BEN: { kind: 'not-allowed', code: 'deactivated' } } },
      },
    );
    expect(eventsOf(data).map(({ kind }) => kind)).toEqual(['dropped', 'counted']);
    expect(eventsOf(data)[0]).toMatchObject({ by: 'U0BEN', action: 'approve', why: 'deactivated' });
  });

  test('the sending of a decision before it happens, and then its result', () => {
    const phase = { name: 'send', sends: DECIDING.phase.sends, askedAt: NOW } as const;
    const approval = approvalWith({ ballots, decision: { ...DECIDING, phase } as never });
    const step = { kind: 'respond', plannedAt: NOW } as const;
    const marked = flow.markAttempt(approval, step, NOW)?.data ?? approval;
    const sending = { kind: 'sending', by: 'U0BEN', action: 'approve', after: 0 };
    expect(eventsOf(marked)).toEqual([sending]);
    const end = failed({ class: 'refused', status: 401 });
    const data = apply(marked, step, { kind: 'responded', end });
    expect(eventsOf(data)).toEqual([
      sending,
      { kind: 'answered', answer: 'x', class: 'refused', after },
      { kind: 'closed', by: 'U0BEN', action: 'approve', after },
    ]);
    const confirmed = apply(marked, step, { kind: 'responded', end: status('REJECTED') });
    expect(eventsOf(confirmed).at(-1)).toEqual({ kind: 'answered', answer: 'REJECTED', after });
  });

  test('a decision that failed, with the reason', () => {
    const approval = approvalWith({ ballots, decision: DECIDING });
    const denied = apply(approval, read, failed({ class: 'refused', status: 403 }));
    expect(eventsOf(denied)).toEqual([
      {
        kind: 'closed',
        by: 'U0BEN',
        action: 'approve',
        failure: { class: 'refused', code: 'x', status: 403 },
        after,
      },
    ]);
    const gone = apply(approval, read, failed({ class: 'refused', status: 404 }));
    expect(gone.watch.state).toBe('unknown');
    expect(eventsOf(gone)).toEqual([{ kind: 'closed', by: 'U0BEN', action: 'approve', after }]);
  });

  test('a decision that could not be confirmed', () => {
    const phase = {
      name: 'settle',
      sends: DECIDING.phase.sends,
      failure: { class: 'ambiguous', code: 'timeout' },
      endedAt: NOW,
      mustEndBy: NOW,
      looks: 0,
      notBefore: NOW,
    };
    const approval = approvalWith({ ballots, decision: { ...DECIDING, phase } as never });
    const data = apply(approval, read, failed({ class: 'refused', status: 404 }));
    expect(eventsOf(data)).toMatchObject([{ kind: 'closed', unsure: true }]);
  });

  test('the callback that its source accepted', () => {
    const event = 'approval.withdrawn';
    const approval = approvalWith({ withdrawnAt: NOW, callbacks: [{ event, at: NOW }] });
    const step = { kind: 'call-back', event, at: NOW, plannedAt: NOW } as const;
    const taken = apply(approval, step, { kind: 'taken' });
    expect(eventsOf(taken)).toEqual([{ kind: 'callback', event, isTaken: true, after }]);
    expect(eventsOf(apply(taken, step, { kind: 'taken' })), 'a late end').toHaveLength(1);
    const isPosted = { ...step, event: 'approval.posted' } as const;
    const posted = approvalWith({ callbacks: [{ event: isPosted.event, at: NOW }] });
    expect(apply(posted, isPosted, { kind: 'taken' })).not.toHaveProperty('history');
  });
});

const refused = (by: string) => ({ kind: 'not-counted', by, why: 'not-a-reviewer' }) as const;
const counted = { kind: 'counted', by: 'U0ANA', action: 'approve' } as const;

describe('the history of a request', () => {
  test('is limited: presses that were not counted are dropped first, and their number is kept', () => {
    const first = withEvent(approvalWith(), counted, NOW);
    const full = Array.from({ length: 1_000 }, (_, index) => index).reduce(
      (approval, index) => withEvent(approval, refused(`U${index}`), NOW + index),
      first,
    );
    expect(eventsOf(full)).toHaveLength(40);
    expect(eventsOf(full)[0]).toMatchObject(counted);
    expect(eventsOf(full)[1]).toMatchObject({ by: 'U961' });
    expect(full.history?.left).toBe(961);
    expect(JSON.stringify(full.history).length).toBeLessThan(4_000);
  });

  test('is limited to the latest entries even if every press counts', () => {
    const full = Array.from({ length: 100 }, (_, index) => index).reduce(
      (approval, index) => withEvent(approval, counted, NOW + index),
      approvalWith(),
    );
    expect(eventsOf(full).map((event) => event.after)).toEqual(
      Array.from({ length: 40 }, (_, index) => 60 + index),
    );
    expect(full.history?.left).toBe(60);
  });

  test('is stored and read back unchanged, including members of a later version', () => {
    const approval = withEvent(approvalWith(), counted, NOW);
    const kept = { data: encodeApproval(approval), place: placeOf(approval) };
    expect(decodeApproval(kept)).toEqual(approval);
    expect(decodeApproval({ ...kept, data: encodeApproval(approvalWith()) })).toEqual(
      approvalWith(),
    );
    // An unknown member, as of a later version, is kept.
    const data = JSON.stringify({ ...JSON.parse(kept.data), later: [1] });
    const again = encodeApproval(decodeApproval({ ...kept, data }));
    expect(JSON.parse(again)).toEqual(JSON.parse(data));
  });
});
