import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { suspensionsOf } from '../../src/approvals/lists.ts';
import { messageStateOf, withShown } from '../../src/approvals/tell/message/message-state.ts';
import { isAheadOfMessage } from '../../src/approvals/tell/post.ts';
import { update } from '../../src/approvals/tell/update.ts';
import type { FailureFacts } from '../../src/core/lib/failure.ts';
import type { Post } from '../../src/core/posts/post.ts';
import { applied, approvalWith, attempted, NOW, plan, termsWith } from './approvals.ts';

/** A decided message folds to its outcome, but not before the decided request is in the thread. */

const terms = termsWith({ outcomes: { thread: true, channel: null, requester: false } });
const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;
const DONE = { kind: 'done' } as const;
const FOLDS_AT = NOW + 30_000;
const message: Post = { name: 'message', channel: 'C0PROD', ts: '17.1' };
const kept: Post = { name: 'outcome-request', channel: 'C0PROD', ts: '17.2' };

/** It shows its outcome, not folded. */
function decided(change: Partial<Approval> = {}): Approval {
  const approval = approvalWith({ outcome, posts: [message, kept], ...change });
  return withShown(approval, messageStateOf(approval, terms, NOW));
}

test('a decided message folds 30 s after its outcome, and then its record is done', () => {
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

describe('a decided message does not fold', () => {
  const later = (approval: Approval) => plan(approval, terms, FOLDS_AT);

  test('before the request has been kept in the thread', () => {
    const posts = [message];
    expect(later(decided({ posts }))).toMatchObject({ step: { post: 'outcome-request' } });
    const refused = [
      message,
      { name: 'outcome-request', channel: 'C0PROD', failed: 'is_archived' },
    ];
    const alone = { step: { kind: 'take-slot', post: 'outcome-thread' } };
    expect(later(decided({ posts: refused }))).toMatchObject(alone);
    const told = { name: 'outcome-thread', channel: 'C0PROD', ts: '17.2' };
    expect(later(decided({ posts: [...refused, told] }))).toMatchObject({ kind: 'finish' });
  });

  test('while an earlier update may still arrive', () => {
    const { stated, ...shown } = decided();
    const againAt = NOW + 60_000;
    const late = { ...shown, update: { againAt } };
    expect(later(late)).toEqual({ kind: 'wait', until: againAt, lane: 'people' });
    const again = plan(late, terms, againAt);
    if (again.kind !== 'step' || again.step.kind !== 'update') throw new Error('it is not changed');
    expect(again.step.state).not.toHaveProperty('folded');
    const whole = applied(attempted(late, again.step, againAt), again.step, DONE, againAt);
    expect(plan(whole, terms, againAt)).toMatchObject({ step: { state: { folded: true } } });
  });

  test('if an earlier version posted only the outcome to the thread', () => {
    const told = { name: 'outcome-thread', channel: 'C0PROD', ts: '17.2' };
    expect(later(decided({ posts: [message, told] }))).toMatchObject({ kind: 'finish' });
  });

  test('if it was posted again and its thread belongs to the deleted message', () => {
    const again = { ...message, ts: '18.1', gone: ['17.1'] };
    expect(later(decided({ posts: [again, kept] }))).toMatchObject({ kind: 'finish' });
  });

  test('if it shows reasons that the store has lost', () => {
    expect(later(decided({ recalled: true }))).toMatchObject({ kind: 'finish' });
  });
});

test('a decided message with only a title is folded at once', () => {
  const { message: words, ...silent } = approvalWith({ outcome, posts: [message] });
  expect(messageStateOf(silent, terms, NOW)).toMatchObject({ folded: true });
  expect(messageStateOf({ ...silent, message: 'Deploy 4.2' }, terms, NOW)).toMatchObject({
    folded: true,
  });
  expect(messageStateOf({ ...silent, change: '+ 1' }, terms, NOW)).not.toHaveProperty('folded');
});

describe('a message that cannot be folded', () => {
  const failed = (approval: Approval, failure: FailureFacts) => {
    const state = messageStateOf(approval, terms, FOLDS_AT);
    const step = { kind: 'update', state, plannedAt: FOLDS_AT } as const;
    const begun = attempted(approval, step, FOLDS_AT);
    return [applied(begun, step, { kind: 'failed', failure }, FOLDS_AT), begun, step] as const;
  };

  test.each(['is_archived', 'edit_window_closed', 'cant_update_message', 'message_not_found'])(
    'because of %s stays as it is, and nobody is told or alerted',
    (code) => {
      const failure = { class: 'refused', code, status: 200 } as const;
      const [stays, begun, step] = failed(decided(), failure);
      expect(plan(stays, terms, FOLDS_AT)).toMatchObject({ kind: 'finish' });
      expect(stays).toMatchObject({ posts: [message, kept], replies: [] });
      expect(suspensionsOf(stays)).toEqual([]);
      const alerts = update.alerts?.(begun, step, { kind: 'failed', failure }, stays);
      expect(alerts).toEqual([]);
    },
  );

  test('does not hold up the announcements of an own gate', () => {
    const gate = decided({ key: 'build-9' });
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const [trying] = failed(gate, failure);
    expect(trying.shown).toBeUndefined();
    expect(isAheadOfMessage(trying, terms, FOLDS_AT)).toBe(false);
    const { stated, ...unsaid } = trying;
    expect(isAheadOfMessage(unsaid, terms, FOLDS_AT)).toBe(true);
  });
});

test.each<Partial<Approval>>([
  { title: 'x'.repeat(200) },
  { title: 'See https://ci.example.com/7' },
  { link: `https://ci.example.com/${'ü'.repeat(9)}` },
])('a message whose folded form would no longer show %j keeps it in the thread first', (change) => {
  const posts = [message, { name: 'overflow-1', channel: 'C0PROD', ts: '17.2' }];
  const { message: words, ...silent } = approvalWith({ outcome, posts, ...change });
  const state = messageStateOf(silent, terms, NOW);
  expect(state).not.toHaveProperty('folded');
  const shown = withShown(silent, state);
  expect(plan(shown, terms, NOW)).toMatchObject({ step: { post: 'outcome-request' } });
});
