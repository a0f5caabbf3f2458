import { expect, test } from 'vitest';
import { listsOf } from '../../src/approvals/decision/lists-of.ts';
import { messageStateOf, withShown } from '../../src/approvals/tell/message/message-state.ts';
import { approvalWith, NOW, plan, termsWith } from './approvals.ts';

test('an open request is on the list of its route, and of its requester once their Slack id is known', () => {
  expect(listsOf(approvalWith())).toEqual(['route:production']);
  const email = 'cleo@example.com';
  expect(listsOf(approvalWith({ requester: { email } }))).toEqual(['route:production']);
  expect(listsOf(approvalWith({ requester: { email, user: 'U0CLEO' } }))).toEqual([
    'route:production',
    'asker:U0CLEO',
  ]);
});

test.each([
  ['unknown', { watch: { state: 'unknown', nextAt: NOW } }],
  ['blocked', { posts: [{ name: 'message', channel: 'C0PROD', refused: 'not_in_channel' }] }],
] as const)(
  'an open request that is %s is also on a list of that state; a withdrawn one is on none',
  (state, members) => {
    expect(listsOf(approvalWith(members))).toContain(`state:${state}:production`);
    expect(listsOf(approvalWith({ ...members, withdrawnAt: NOW }))).toEqual([]);
  },
);

test('a decided request is only on the lists of decided requests, and a withdrawn one on none', () => {
  const requester = { user: 'U0CLEO' };
  const outcome = { status: 'TIMED_OUT', credit: 'none', by: [], learnedAt: NOW } as const;
  const lists = ['decided:production', 'decided-for:U0CLEO'];
  expect(listsOf(approvalWith({ requester, outcome }))).toEqual(lists);
  expect(listsOf(approvalWith({ requester, withdrawnAt: NOW }))).toEqual([]);
});

test('a decided request is listed for a week and kept for the full retention time', () => {
  const DAY = 86_400_000;
  const terms = { ...termsWith(), keepMs: 30 * DAY, decidedMs: 7 * DAY };
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;
  const posts = ['message', 'outcome-thread'].map((name) => ({ name, channel: 'C0PROD', ts: '1' }));
  const decided = approvalWith({ outcome, posts });
  const shown = withShown(decided, messageStateOf(decided, terms, NOW));
  expect(plan(shown, terms, NOW + DAY)).toEqual({
    kind: 'wait',
    until: NOW + 7 * DAY,
    lane: 'people',
  });
  expect(plan(shown, terms, NOW + 7 * DAY)).toEqual({ kind: 'finish', keepMs: 23 * DAY });
  const late = plan(shown, terms, NOW + 31 * DAY);
  expect(late).toEqual({ kind: 'finish', keepMs: 0 });
});
