import { expect, test } from 'vitest';
import { approvalDetails } from '../../../ask/contract/approval-details.ts';
import type { Approval, Ballot, Outcome } from '../../../src/approvals/approval.ts';
import { detailsOf } from '../../../src/approvals/ways-in/approval-view.ts';
import { shortIdOf } from '../../../src/core/lib/short-id.ts';
import type { Post } from '../../../src/core/posts/post.ts';
import { approvalWith, NOW, routeWith, termsWith } from '../approvals.ts';

const withMessage = (post: Partial<Post>, change: Partial<Approval> = {}) =>
  approvalWith({ posts: [{ name: 'message', channel: 'C0PROD', ...post }], ...change });

test.each<[string, Approval, object]>([
  ['waits to be posted', withMessage({ notBefore: NOW + 900 }), { state: 'waiting' }],
  ['was posted', withMessage({ ts: '17.1' }), { state: 'posted' }],
  [
    'is refused for now',
    withMessage({ refused: 'not_in_channel', tries: 3 }),
    { state: 'blocked', reason: 'not_in_channel' },
  ],
  [
    'was deleted too often',
    withMessage({ failed: 'message_not_found', gone: ['17.1', '17.2'] }),
    { state: 'ended', reason: 'message_not_found' },
  ],
  [
    'was taken back before it was posted',
    withMessage({ refused: 'is_archived' }, { withdrawnAt: NOW }),
    { state: 'ended', reason: 'withdrawn' },
  ],
])('a source sees the posting state of a message that %s', (_how, approval, posting) => {
  const details = approvalDetails.parse(detailsOf('0-abc', approval, undefined, termsWith()));
  expect(details).toMatchObject({ id: '0-abc', posting });
});

test('a source sees how many approvals each need has, for needs of the route and of the request', () => {
  const need = (name: string, count: number, group: string) => {
    return { name, count, of: { users: [], groups: [group] } };
  };
  const ballots: Ballot[] = [
    { user: 'U0ANA', action: 'approve', at: NOW, through: ['S0SRE'] },
    { user: 'U0BEN', action: 'approve', at: NOW, through: ['S0SRE', 'S0SEC'] },
  ];
  const approval = approvalWith({ ballots, needs: [need('Security', 2, 'S0SEC')] });
  const route = routeWith({ need: [need('SRE', 1, 'S0SRE')] });
  expect(
    approvalDetails.parse(detailsOf('0-abc', approval, undefined, { route, asOf: NOW })),
  ).toMatchObject({
    approvals: 2,
    needs: [
      { name: 'SRE', count: 1, have: 1 },
      { name: 'Security', count: 2, have: 1 },
    ],
  });
});

test('a source sees who decided and why, in the documented shape', () => {
  const by = ['U0ANA'];
  const outcome: Outcome = { status: 'REJECTED', credit: 'sent', by, learnedAt: NOW };
  const ballots: Ballot[] = [{ user: 'U0ANA', action: 'reject', at: NOW, reason: 'Friday' }];
  const details = detailsOf(
    '0-abc',
    withMessage({ ts: '17.1' }, { outcome, ballots }),
    'https://acme.example/p17',
    { route: undefined, asOf: NOW },
  );
  const at = new Date(NOW).toISOString();
  expect(approvalDetails.parse(details)).toEqual({
    id: '0-abc',
    status: 'REJECTED',
    final: true,
    url: '/v1/approvals/0-abc',
    shortId: shortIdOf('0-abc'),
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    permalink: 'https://acme.example/p17',
    createdAt: at,
    requester: { known: false },
    posting: { state: 'posted' },
    ballots: [{ user: 'U0ANA', action: 'reject', at, reason: 'Friday' }],
    approvals: 0,
    needs: [],
    outcome: { status: 'REJECTED', resolvedAt: null, by, certain: false },
  });
});
