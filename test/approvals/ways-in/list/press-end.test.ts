import { expect, test } from 'vitest';
import type { Approval, Ballot, HistoryEvent } from '../../../../src/approvals/approval.ts';
import { pressEnd } from '../../../../src/approvals/ways-in/list/press-end.ts';
import { approvalWith, DECIDING, NOW } from '../../approvals.ts';

const wish = { user: 'U0ANA', action: 'approve' } as const;
const outcome = { status: 'REJECTED', credit: 'certain', by: ['U0BEN'], learnedAt: NOW } as const;
const refused = { kind: 'not-counted', by: 'U0ANA', why: 'requester' } as const;
const counted = { kind: 'counted', by: 'U0ANA', action: 'approve', after: 500 } as const;
const closed = { kind: 'closed', by: 'U0BEN', action: 'approve', after: 1_000 } as const;

const own: Ballot = { user: 'U0ANA', action: 'approve', at: NOW };
const click = { id: 'c', user: 'U0ANA', channel: '', at: NOW, action: 'approve' } as const;
const events = (...all: readonly HistoryEvent[]) => ({ history: { events: all } });

test.each<[string, Partial<Approval>, RegExp | undefined]>([
  ['waiting', { queue: [click] }, undefined],
  ['waiting for a further press', { queue: [click], ballots: [own] }, undefined],
  [
    'waiting for another person’s press',
    { queue: [{ ...click, user: 'U0BEN' }], ballots: [own] },
    /approval counts\. More/,
  ],
  ['being decided', { decision: DECIDING, ballots: [own] }, undefined],
  ['being withdrawn', { withdrawnAt: NOW, unrecalled: true, ballots: [own] }, undefined],
  ['decided', { outcome }, /^:x: \*Rejected by <@U0BEN>\*$/],
  ['withdrawn', { withdrawnAt: NOW }, /Withdrawn/],
  ['counted', { ballots: [own] }, /^:white_check_mark: Your approval counts\. More/],
  [
    'decided otherwise by the person before',
    { ballots: [{ ...own, action: 'reject' }] },
    undefined,
  ],
  [
    'counted no more',
    events({ kind: 'dropped', by: 'U0ANA', action: 'approve', after: 0 }),
    /^:no_entry_sign: Your approval no longer counts\.$/,
  ],
  [
    'taken back',
    events({ kind: 'taken-back', by: 'U0ANA', after: 0 }),
    /^:leftwards_arrow_with_hook: You took your approval back\.$/,
  ],
  ['taken back by somebody else', events({ kind: 'taken-back', by: 'U0BEN', after: 0 }), undefined],
  ['not known to be decided', events(counted, { ...closed, unsure: true }), undefined],
  [
    'not decided, in the other way',
    events(counted, { ...closed, action: 'reject', after: 1_000 }),
    undefined,
  ],
  [
    'not decided, after the person had decided otherwise',
    events({ ...counted, action: 'reject' }, closed),
    undefined,
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
    { createdAt: NOW - 60_000, ...events({ ...refused, after: 54_999 }) },
    undefined,
  ],
  [
    'not counted just before, by another process’s clock',
    { createdAt: NOW - 60_000, ...events({ ...refused, after: 55_000 }) },
    /Not counted: .*asked for/,
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
  expect(cast(NOW - 5_000)).toBeDefined();
  expect(cast(NOW - 5_001)).toBeUndefined();
});

test('up to three people who decided are named', () => {
  const end = (...by: readonly string[]) =>
    pressEnd(approvalWith({ outcome: { ...outcome, by } }), { ...wish, at: NOW })?.end;
  expect(end('U1', 'U2', 'U3')).toBe(':x: *Rejected by <@U1>, <@U2> and <@U3>*');
  expect(end('U1', 'U2', 'U3', 'U4')).toBe(':x: *Rejected by 4 people*');
});
