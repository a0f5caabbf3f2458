import { describe, expect, test } from 'vitest';
import type { Approval, Click } from '../../src/approvals/approval.ts';
import { applyResult, failureIn, markAttempt, type Step } from '../../src/approvals/steps.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import { approvalWith, NOW, termsWith } from './approvals.ts';

/** What the step of a kind shares with all others: its note, the status read beside it, and its alerts. */

const terms = termsWith();

describe('a press that was authorized while the status was read', () => {
  const click: Click = { id: 'c', user: 'U0BEN', channel: 'C0PROD', at: NOW, action: 'approve' };
  const looking = { deadlineMs: 1_000, plannedAt: NOW };
  const step: Step = { kind: 'authorize', click, look: looking };
  const approval = approvalWith({ queue: [click] });

  function authorized(
    status: 'PENDING' | 'APPROVED' | 'REJECTED',
    result:
      | { readonly kind: 'accepted' }
      | { readonly kind: 'not-allowed'; readonly code: 'inactive' },
  ) {
    const answer = { status, raw: null, resolvedAt: null };
    const beside = { look: { kind: 'status', answer } as const, others: {} };
    return applyResult(approval, step, { ...result, beside }, terms, NOW);
  }
  const actionsOf = ({ audit = [] }: ReturnType<typeof authorized>) =>
    audit.map(({ action }) => action);
  const told = ({ owed = [] }: Approval) => owed.map(({ statement }) => statement.code);

  test('has the entries of both in the audit log', () => {
    const pending = authorized('PENDING', { kind: 'accepted' });
    expect(actionsOf(pending)).toEqual(['approvals.ballot']);
    expect(pending.data.decision?.phase).toMatchObject({ name: 'send' });
    expect(actionsOf(authorized('REJECTED', { kind: 'accepted' }))).toEqual(['approvals.outcome']);
  });

  test('does not say who cannot decide what is decided', () => {
    const refused = { kind: 'not-allowed', code: 'inactive' } as const;
    const over = authorized('APPROVED', refused);
    expect(over.data.outcome).toMatchObject({ status: 'APPROVED' });
    expect(told(over.data)).toEqual(['decided']);
    const open = authorized('PENDING', refused);
    expect(open.data.outcome).toBeUndefined();
    expect(told(open.data)).not.toContain('decided');
  });
});

test('a step without rules of its own raises the alerts of what Slack refuses', () => {
  const failure = { class: 'refused', code: 'account_inactive' } as const;
  const terms = { ...termsWith(), servingSince: NOW + 1 };
  const { token, ...gate } = approvalWith({ key: 'k' });
  const applied = (of: typeof failure | { class: 'not-sent'; code: 'refused' }) =>
    applyResult(gate, { kind: 'recall' }, { kind: 'failed', failure: of }, terms, NOW + 2).data;
  expect(applied(failure).alerts).toEqual([{ cause: 'token-refused', said: 'account_inactive' }]);
  expect(applied({ class: 'not-sent', code: 'refused' }).alerts).toBeUndefined();
});

test('a step that may be repeated needs no note', () => {
  const step: Step = { kind: 'recall' };
  expect(markAttempt(approvalWith(), step, TRUE_TIME, NOW)).toBeUndefined();
});

test('the failure of a decision is that of its call', () => {
  const failure = { class: 'not-sent', code: 'refused' } as const;
  const end = { kind: 'failed', failure } as const;
  expect(failureIn(end)).toBe(failure);
  expect(failureIn({ kind: 'responded', end })).toBe(failure);
  expect(failureIn({ kind: 'not-found' })).toBeUndefined();
});
