import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { messageStateOf, stateKey } from '../../src/approvals/message/message-state.ts';
import { plan } from '../../src/approvals/plan.ts';
import type { Post } from '../../src/core/posts/post.ts';
import { applied, approvalWith, attempted, NOW, termsWith } from './approvals.ts';

/** A decided message folds to its outcome: never before what was decided is in the thread. */

const terms = termsWith({ outcomes: { thread: true, channel: null, requester: false } });
const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;
const FOLDS_AT = NOW + 30_000;
const message: Post = { name: 'message', channel: 'C0PROD', ts: '17.1' };
const kept: Post = { name: 'outcome-request', channel: 'C0PROD', ts: '17.2' };

/** It shows its outcome, whole. */
function decided(change: Partial<Approval> = {}): Approval {
  const approval = approvalWith({ outcome, posts: [message, kept], ...change });
  return { ...approval, shown: stateKey(messageStateOf(approval, terms, NOW)) };
}

test('half a minute after its outcome, and nothing is left to do then', () => {
  const approval = decided();
  expect(plan(approval, terms, NOW + 1)).toEqual({
    kind: 'wait',
    until: FOLDS_AT,
    lane: 'background',
  });
  const next = plan(approval, terms, FOLDS_AT);
  expect(next).toMatchObject({ step: { kind: 'update', state: { folded: true } } });
  if (next.kind !== 'step' || next.step.kind !== 'update') throw new Error('it is not changed');
  const begun = attempted(approval, next.step, FOLDS_AT);
  const folded = applied(begun, next.step, { kind: 'done' }, FOLDS_AT);
  expect(plan(folded, terms, FOLDS_AT + 1)).toMatchObject({ kind: 'finish' });
});

describe('not', () => {
  const later = (approval: Approval) => plan(approval, terms, FOLDS_AT);

  test('before the thread has the request', () => {
    const posts = [message];
    expect(later(decided({ posts }))).toMatchObject({ step: { post: 'outcome-request' } });
    const refused = [
      message,
      { name: 'outcome-request', channel: 'C0PROD', failed: 'is_archived' },
    ];
    expect(later(decided({ posts: refused }))).toMatchObject({ kind: 'finish' });
  });

  test('where an earlier version told the thread the outcome alone', () => {
    const told = { name: 'outcome-thread', channel: 'C0PROD', ts: '17.2' };
    expect(later(decided({ posts: [message, told] }))).toMatchObject({ kind: 'finish' });
  });

  test('where it was posted anew, and its thread is that of the other', () => {
    const again = { ...message, ts: '18.1', gone: ['17.1'] };
    expect(later(decided({ posts: [again, kept] }))).toMatchObject({ kind: 'finish' });
  });

  test('where a store forgot the reasons that it shows', () => {
    expect(later(decided({ recalled: true }))).toMatchObject({ kind: 'finish' });
  });
});

test('one that says no more than its title is short at once', () => {
  const { message: words, ...silent } = approvalWith({ outcome, posts: [message] });
  expect(messageStateOf(silent, terms, NOW)).toMatchObject({ folded: true });
  expect(messageStateOf({ ...silent, message: 'Deploy 4.2' }, terms, NOW)).toMatchObject({
    folded: true,
  });
  expect(messageStateOf({ ...silent, change: '+ 1' }, terms, NOW)).not.toHaveProperty('folded');
});

test.each<Partial<Approval>>([
  { title: 'x'.repeat(200) },
  { title: 'See https://ci.example.com/7' },
  { link: `https://ci.example.com/${'ü'.repeat(9)}` },
])('one that would no longer show %j keeps it in the thread first', (change) => {
  const posts = [message, { name: 'overflow-1', channel: 'C0PROD', ts: '17.2' }];
  const { message: words, ...silent } = approvalWith({ outcome, posts, ...change });
  const state = messageStateOf(silent, terms, NOW);
  expect(state).not.toHaveProperty('folded');
  const shown = { ...silent, shown: stateKey(state) };
  expect(plan(shown, terms, NOW)).toMatchObject({ step: { post: 'outcome-request' } });
});

test('that Slack refuses it is told to nobody: the outcome is there', () => {
  const refusal = {
    kind: 'failed',
    failure: { class: 'refused', code: 'is_archived', status: 200 },
  } as const;
  let approval = decided();
  const state = messageStateOf(approval, terms, FOLDS_AT);
  for (let at = 0; at < 12; at += 1) {
    const now = FOLDS_AT + at * 60_000;
    const step = { kind: 'update', state, plannedAt: now } as const;
    approval = applied(attempted(approval, step, now), step, refusal, now);
  }
  expect(approval.update?.gaveUpOn).toBe(stateKey(state));
  expect(approval.replies).toEqual([]);
});
