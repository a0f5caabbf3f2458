import { expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { learnOutcome } from '../../src/approvals/decision/transitions.ts';
import type { Step } from '../../src/approvals/steps.ts';
import { approvalWith, DECIDING, inWords, NOW, plan, termsWith } from './approvals.ts';

const terms = termsWith({ outcomes: { thread: true, channel: 'C0ALL', requester: true } });
const ballots = [{ user: 'U0BEN', action: 'approve', at: NOW }] as const;
const APPROVED = { status: 'APPROVED', resolvedAt: null, how: 'confirmed' } as const;

/** Just approved, and asked for by somebody whom Slack knows. */
function approved(change: Partial<Approval> = {}): Approval {
  const requester = { name: 'Cleo', user: 'U0CLEO' };
  const asked = approvalWith({ decision: DECIDING, ballots, requester, ...change });
  return inWords(learnOutcome(asked, APPROVED, NOW + 5).data);
}

function planned(approval: Approval, now = NOW + 5): readonly string[] {
  const next = plan(approval, terms, now);
  if (next.kind !== 'step') return [next.kind];
  return [next.step, ...(next.beside ?? [])].map(nameOf);
}

const nameOf = (step: Step) => ('post' in step ? `${step.kind} ${step.post}` : step.kind);

const queue = [{ id: 'c', user: 'U0EVE', action: 'reject', channel: 'C0PROD', at: NOW }] as const;

test('the message is updated, a late presser is told and the direct message is opened at the same time', () => {
  expect(planned(approved({ queue }))).toEqual([
    'update',
    'reply',
    'open-conversation outcome-requester',
  ]);
});

test('announcements get their slots together, and are posted together', () => {
  const message = { name: 'message', channel: 'C0PROD', ts: '17.1' };
  const requester = { name: 'outcome-requester', channel: 'D0CLEO' };
  const later = { notBefore: NOW + 10 };
  const open = approved({ posts: [message, requester] });
  const changed = { ...open, update: { ...open.update, ...later } };
  const names = ['outcome-request', 'outcome-channel', 'outcome-requester'];
  expect(planned(changed)).toEqual(names.map((name) => `take-slot ${name}`));
  const slots = [
    { name: 'outcome-request', channel: 'C0PROD', slot: true },
    { name: 'outcome-channel', channel: 'C0ALL', slot: true },
    { ...requester, slot: true },
  ] as const;
  expect(planned({ ...changed, posts: [message, ...slots] })).toEqual(
    names.map((name) => `post ${name}`),
  );
});

test('the message that asks for a decision is posted alone', () => {
  const asking = approvalWith({ posts: [{ name: 'message', channel: 'C0PROD' }] });
  expect(planned({ ...asking, absent: { at: NOW } }, NOW)).toEqual(['take-slot message']);
});

test('the rest of a long request is posted alone, before what tells of its outcome', () => {
  const message = { name: 'message', channel: 'C0PROD', ts: '17.1' };
  const posts = [message, { name: 'outcome-requester', channel: 'D0CLEO' }];
  const long = approved({ message: 'Ready? '.repeat(1_000), posts });
  const shown = { ...long, update: { ...long.update, notBefore: NOW + 10 } };
  expect(planned(shown)).toEqual(['take-slot overflow-1']);
  const slot = { name: 'overflow-1', channel: 'C0PROD', slot: true } as const;
  expect(planned({ ...shown, posts: [...posts, slot] })).toEqual(['post overflow-1']);
});

test('an own gate shows its outcome before anybody is told', () => {
  expect(planned(approved({ queue, key: 'deploy/1' }))).toEqual(['update']);
});
