import { expect, test } from 'vitest';
import type { Approval } from '../../../../src/approvals/approval.ts';
import { pressEnd } from '../../../../src/approvals/ways-in/list/press-end.ts';
import { approvalWith, DECIDING, NOW } from '../../approvals.ts';

const wish = { user: 'U0ANA', action: 'approve' } as const;
const outcome = { status: 'REJECTED', credit: 'certain', by: ['U0BEN'], learnedAt: NOW } as const;
const refused = { kind: 'not-counted', by: 'U0ANA', why: 'requester' } as const;
const counted = { kind: 'counted', by: 'U0ANA', action: 'approve', after: 500 } as const;
const closed = { kind: 'closed', by: 'U0BEN', action: 'approve', after: 1_000 } as const;

test.each<[string, Partial<Approval>, RegExp | undefined]>([
  [
    'waiting',
    { queue: [{ id: 'c', user: 'U0ANA', channel: '', at: NOW, action: 'approve' }] },
    undefined,
  ],
  ['being decided', { decision: DECIDING }, undefined],
  ['decided', { outcome }, /^:x: \*Rejected by <@U0BEN>\*$/],
  ['withdrawn', { withdrawnAt: NOW }, /Withdrawn/],
  [
    'counted',
    { ballots: [{ user: 'U0ANA', action: 'approve', at: NOW }] },
    /approval counts\. More/,
  ],
  [
    'not counted',
    { history: { events: [{ ...refused, after: 1_000 }] } },
    /Not counted: .*asked for/,
  ],
  ['not decided with it', { history: { events: [counted, closed] } }, /Not accepted/],
  ['not decided, by itself', { history: { events: [{ ...closed, by: 'U0ANA' }] } }, /Not accepted/],
  ['not decided by somebody else', { history: { events: [closed] } }, undefined],
  [
    'not decided by somebody else before it was counted',
    { history: { events: [closed, { ...counted, after: 2_000 }] } },
    undefined,
  ],
  [
    'not counted, nor decided by somebody else',
    { history: { events: [{ ...refused, after: 500 }, closed] } },
    /Not counted: .*asked for/,
  ],
  [
    'not counted before',
    { createdAt: NOW - 60_000, history: { events: [{ ...refused, after: 1_000 }] } },
    undefined,
  ],
])('the result for a request that is %s', (_, change, end) => {
  const found = pressEnd(approvalWith({ createdAt: NOW, ...change }), { ...wish, at: NOW })?.end;
  if (end === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(end);
});

test('finds a ballot that another process with a clock behind has cast', () => {
  const cast = (at: number) =>
    pressEnd(approvalWith({ ballots: [{ user: wish.user, action: wish.action, at }] }), {
      ...wish,
      at: NOW,
    });
  expect(cast(NOW - 4_000)).toBeDefined();
  expect(cast(NOW - 6_000)).toBeUndefined();
});
