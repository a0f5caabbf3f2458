import { expect, test } from 'vitest';
import { listsOf } from '../../src/approvals/lists.ts';
import { approvalWith, NOW } from './approvals.ts';

test('an open request is on the list of its route, and of whoever asked once Slack knows them', () => {
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
] as const)('an open request that is %s is counted apart, and no other', (state, members) => {
  expect(listsOf(approvalWith(members))).toContain(`state:${state}:production`);
  expect(listsOf(approvalWith({ ...members, withdrawnAt: NOW }))).toEqual([]);
});

test('what is decided or withdrawn is on no list', () => {
  const requester = { user: 'U0CLEO' };
  const outcome = { status: 'TIMED_OUT', credit: 'none', by: [], learnedAt: NOW } as const;
  expect(listsOf(approvalWith({ requester, outcome }))).toEqual([]);
  expect(listsOf(approvalWith({ requester, withdrawnAt: NOW }))).toEqual([]);
});
