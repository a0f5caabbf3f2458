import { describe, expect, test } from 'vitest';
import type { Approval, Decision, Phase } from '../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../src/approvals/approval-flow.ts';
import { applyResult, type StepResult } from '../../src/approvals/steps.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import { duePost } from '../../src/core/posts/post.ts';
import { coreWith } from '../support/core-with.ts';
import { applied, approvalWith, NO_STEPS, NOW, received, termsWith, WAITING } from './approvals.ts';

/** Late results of a worker whose lease has ended, while another continued. */

const now = NOW + 60_000;
const late = { plannedAt: NOW };
const open = { plannedAt: NOW + 20_000, mustEndBy: NOW + 25_000 };

function failed(failure: { class: 'not-sent' | 'refused' | 'ambiguous'; status?: number }) {
  return { kind: 'failed', failure: { code: 'x', ...failure } } as const;
}

describe('the late result of an earlier post', () => {
  const message = { name: 'message', channel: 'C0PROD', attempt: open };
  const approval = approvalWith({ posts: [message] });
  const post = {
    kind: 'post',
    post: 'message',
    channel: 'C0PROD',
    state: WAITING,
    ...late,
  } as const;

  test.each<[string, StepResult]>([
    ['was not sent', failed({ class: 'not-sent' })],
    ['was refused', failed({ class: 'refused', status: 200 })],
    // It was deleted since, or it would have been found.
    ['was posted', { kind: 'posted', channel: 'C0PROD', ts: '16.1' }],
  ])('that %s changes nothing about the attempt that runs now', (_end, result) => {
    expect(applied(approval, post, result, now)).toEqual(approval);
  });

  test('is applied if it belongs to the current attempt', () => {
    const own = { ...post, plannedAt: open.plannedAt };
    const posted = { kind: 'posted', channel: 'C0PROD', ts: '17.2' } as const;
    expect(applied(approval, own, posted, now).posts).toEqual([
      { name: 'message', channel: 'C0PROD', ts: '17.2' },
    ]);
  });
});

describe('the late result of a post that the store has lost', () => {
  const message = { name: 'message', channel: 'C0PROD', ts: '15.1' };
  const announcement = { name: 'outcome-channel', channel: 'C0ALL' };
  const post = {
    kind: 'post',
    post: announcement.name,
    channel: announcement.channel,
    state: WAITING,
    ...late,
  } as const;

  test.each<[string, Approval, StepResult]>([
    [
      'is not known to have worked',
      approvalWith({
        posts: [message, { ...announcement, soughtAt: NOW, slot: true, notBefore: now }],
      }),
      failed({ class: 'ambiguous' }),
    ],
    [
      'worked',
      approvalWith({ posts: [message] }),
      { kind: 'posted', channel: 'C0ALL', ts: '16.1' },
    ],
  ])('leads to a search for the post if it %s', (_end, approval, result) => {
    const [, known] = applied(approval, post, result, now).posts;
    expect(known).toMatchObject({ ...announcement, attempt: late });
    expect(known).not.toHaveProperty('slot');
    expect(known?.attempt?.mustEndBy).toBeGreaterThan(now);
    expect(known && duePost(known, now)).toBe('find');
  });

  test.each<[string, StepResult]>([
    ['was not sent', failed({ class: 'not-sent' })],
    ['was refused', failed({ class: 'refused', status: 200 })],
  ])('changes nothing if the post %s', (_end, result) => {
    const approval = approvalWith({ posts: [message, announcement] });
    expect(applied(approval, post, result, now)).toEqual(approval);
  });
});

describe('the late result of an update', () => {
  const approval = approvalWith({ shown: '{"state":"waiting"}' });
  const update = { kind: 'update', state: WAITING, ...late } as const;
  const gone = {
    kind: 'failed',
    failure: { class: 'refused', code: 'message_not_found' },
  } as const;

  test.each<[string, StepResult]>([
    ['worked', { kind: 'done' }],
    ['found no message', gone],
    ['is not known to have worked', failed({ class: 'ambiguous' })],
  ])('that %s changes nothing, but the update is repeated', (_end, result) => {
    const { update: again, ...rest } = applied(approval, update, result, now);
    expect(rest).toEqual(approval);
    expect(again).toEqual({ againAt: now + 30_000 });
  });
});

describe('a late response of the service', () => {
  const respond = { kind: 'respond', ...late } as const;
  const approved: StepResult = {
    kind: 'responded',
    end: { kind: 'status', answer: { status: 'APPROVED', resolvedAt: null } },
  };
  const decision = (by: string, at: number, phase: Phase): Decision => ({
    action: 'approve',
    by,
    at,
    asker: { user: by, channel: 'C0PROD', at },
    phase,
  });
  const sends = { notSent: 0, limited: 0, ambiguous: 0 };
  const checking = { name: 'check', tries: 0, notBefore: 0, sends } as const;

  describe('that says what was sent', () => {
    const sent = (status: 'APPROVED' | 'REJECTED' = 'APPROVED') => ({
      kind: 'responded' as const,
      end: { kind: 'status' as const, answer: { status, resolvedAt: null } },
      sent: {
        decision: { ...decision('U0ANA', NOW - 5, checking), approvers: ['U0CEM'], rules: 'sent' },
        ballots: [
          { user: 'U0ANA', action: 'approve' as const, at: NOW - 5, reason: 'Green.' },
          { user: 'U0CEM', action: 'approve' as const, at: NOW - 9, for: { user: 'U0DAN' } },
        ],
      },
    });
    const found = (by: string, at: number) =>
      approvalWith({
        decision: { ...decision(by, at, checking), rules: 'found' },
        ballots: [{ user: by, action: 'approve', at, reason: 'Another one.' }],
      });

    // The store has an earlier decision if it lost the one that was sent.
    test.each([
      ['that ended', approvalWith(), []],
      ['after which another began', found('U0BEN', NOW + 30_000), ['U0BEN']],
      ['that the store has lost', found('U0BEN', NOW - 30_000), ['U0BEN']],
      ['of which the store has lost a part', found('U0ANA', NOW - 5), []],
    ])('credits the authors of a decision %s, with reasons and rules', (_what, approval, told) => {
      const { data, audit = [] } = applyResult(approval, respond, sent(), termsWith(), now);
      expect(data.outcome).toMatchObject({
        status: 'APPROVED',
        credit: 'certain',
        by: ['U0CEM', 'U0ANA'],
        for: { U0CEM: 'U0DAN' },
        reasons: [{ user: 'U0ANA', text: 'Green.' }],
      });
      expect((data.owed ?? []).map(({ user, about }) => [about, user])).toEqual(
        told.map((user) => ['late', user]),
      );
      const { facts } = audit.find(({ action }) => action === 'approvals.outcome') ?? {};
      expect(facts).toMatchObject({ credit: 'certain', rules: 'sent' });
    });

    test('credits nobody else for a status that was not asked for, unless they may have sent it', () => {
      const unconfirmed = [{ action: 'reject', by: 'U0BEN', quietAt: NOW }] as const;
      const outcomeOf = (approval: Approval) =>
        applied(approval, respond, sent('REJECTED'), now).outcome;
      expect(outcomeOf(found('U0BEN', NOW - 30_000))).toMatchObject({ credit: 'none', by: [] });
      expect(outcomeOf(approvalWith({ unconfirmed }))).toMatchObject({
        credit: 'sent',
        by: ['U0BEN'],
      });
    });
  });

  test('does not credit the author of a later decision', () => {
    const unconfirmed = [{ action: 'approve', by: 'U0ANA', quietAt: NOW }] as const;
    const approval = approvalWith({
      decision: decision('U0BEN', NOW + 30_000, checking),
      unconfirmed,
    });
    const { outcome, replies } = applied(approval, respond, approved, now);
    expect(outcome).toMatchObject({ status: 'APPROVED', credit: 'sent', by: ['U0ANA'] });
    expect(replies.map(({ user }) => user)).toEqual(['U0BEN']);
  });

  test('credits the author of the decision that is still being checked', () => {
    const settle: Phase = {
      name: 'settle',
      sends,
      failure: { class: 'ambiguous', code: 'process_ended' },
      endedAt: NOW,
      mustEndBy: NOW,
      looks: 1,
      notBefore: NOW,
    };
    const approval = approvalWith({ decision: decision('U0ANA', NOW - 5, settle) });
    const { outcome } = applied(approval, respond, approved, now);
    expect(outcome).toMatchObject({ credit: 'certain', by: ['U0ANA'] });
  });

  test('credits the author of the attempt that it answers, whatever the clocks say', () => {
    const sending: Phase = { name: 'sending', attempt: { ...late, mustEndBy: NOW + 5_000 }, sends };
    const approval = approvalWith({ decision: decision('U0ANA', NOW + 200, sending) });
    const { outcome, replies } = applied(approval, respond, approved, now);
    expect(outcome).toMatchObject({ credit: 'certain', by: ['U0ANA'] });
    expect(replies).toEqual([]);
  });

  test.each<[string, StepResult]>([
    ['it was not sent', { kind: 'responded', end: failed({ class: 'not-sent' }) }],
    ['it was refused', { kind: 'responded', end: failed({ class: 'refused', status: 403 }) }],
  ])('that %s does not affect a later attempt of another process', (_what, result) => {
    const sending: Phase = { name: 'sending', attempt: open, sends };
    const approval = approvalWith({ decision: decision('U0ANA', NOW - 5, sending) });
    expect(applied(approval, respond, result, now)).toEqual(approval);
  });

  test('changes nothing once the outcome is known', () => {
    const outcome = { status: 'REJECTED', credit: 'none', by: [], learnedAt: NOW } as const;
    expect(applied(approvalWith({ outcome }), respond, approved, now).outcome).toEqual(outcome);
  });
});

describe('a click', () => {
  const clickOn = (message: string) => ({
    id: 'c1',
    at: NOW,
    body: JSON.stringify({
      kind: 'ballot',
      action: 'approve',
      asker: { user: 'U0ANA', channel: 'C0PROD' },
      message,
    }),
  });
  const take = (approval: Approval, message: string) => received(approval, clickOn(message));

  test('on a message whose post has not been answered proves that it was posted', () => {
    const approval = approvalWith({
      posts: [{ name: 'message', channel: 'C0PROD', attempt: open, tries: 2 }],
    });
    expect(take(approval, '17.9').posts).toEqual([
      { name: 'message', channel: 'C0PROD', ts: '17.9' },
    ]);
  });

  test('on another message than the known one does not replace it', () => {
    expect(take(approvalWith(), '17.9').posts).toEqual(approvalWith().posts);
  });

  test('on a message that was deleted since does not restore it', () => {
    const posts = [{ name: 'message', channel: 'C0PROD', gone: ['17.1'] }];
    const taken = take(approvalWith({ posts }), '17.1');
    expect(taken.posts).toEqual(posts);
    expect(taken.queue).toHaveLength(1);
  });

  test('that is repeated on the same button while it waits counts once', () => {
    const once = take(approvalWith(), '17.1');
    expect(take(once, '17.1').queue).toEqual(once.queue);
  });
});

test('after its lease is lost, an authorization is dropped and the press stays queued', () => {
  const flow = createApprovalFlow(coreWith({ ...NO_STEPS, config: {}, timing: TRUE_TIME }));
  const click = { id: 'c1', user: 'U0ANA', channel: 'C0PROD', at: NOW, action: 'approve' } as const;
  expect(flow.isTooLate?.({ kind: 'authorize', click, others: [] })).toBe(true);
  expect(flow.isTooLate?.({ kind: 'recall' })).toBe(false);
});

// What they wrote to other records may be lost together with the note, and can be written again.
test('after its lease is lost, an alert and a resumed list are done again', () => {
  const flow = createApprovalFlow(coreWith({ ...NO_STEPS, config: {}, timing: TRUE_TIME }));
  const alert = { cause: 'not-in-channel', subject: 'C0PROD' } as const;
  expect(flow.isTooLate?.({ kind: 'alert', alert })).toBe(true);
  expect(flow.isTooLate?.({ kind: 'resume', list: 'blocked:C0PROD' })).toBe(true);
});
