import { expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { approvalDetails } from '../../src/approvals/intake-contract.ts';
import type { Post } from '../../src/posts/post.ts';
import { approvalWith, NOW } from './approvals.ts';

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
])('its source reads of a message that %s', (_how, approval, posting) => {
  expect(approvalDetails('0-abc', approval)).toMatchObject({ id: '0-abc', posting });
});
