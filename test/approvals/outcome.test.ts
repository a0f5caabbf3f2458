import { describe, expect, test } from 'vitest';
import type { Approval, Click, Outcome } from '../../src/approvals/approval.ts';
import { learnOutcome } from '../../src/approvals/decision/transitions.ts';
import { digestOf } from '../../src/approvals/digest.ts';
import { approvalWith, DECIDING, inWords, NOW, said } from './approvals.ts';

const APPROVED = { status: 'APPROVED', resolvedAt: null, how: 'confirmed' } as const;
const words = ({ replies }: Approval) =>
  replies.map(({ about, user, text }) => `${about} ${user}: ${text}`);

function press(user: string, action: Click['action']): Click {
  return { id: `${user}-${action}`, user, action, channel: 'C0PROD', at: NOW };
}

/** Two approved; the second one's press decided. */
const ballots = [
  { user: 'U0ANA', action: 'approve', at: NOW },
  { user: 'U0BEN', action: 'approve', at: NOW },
] as const;
const deciding = approvalWith({ decision: DECIDING, ballots });

function learned(approval: Approval, now = NOW + 5): Approval & { readonly outcome: Outcome } {
  const { outcome, ...data } = inWords(learnOutcome(approval, APPROVED, now).data);
  if (outcome === undefined) throw new Error('there is no outcome');
  return { ...data, outcome };
}

describe('once the outcome is known', () => {
  test('everybody whose press is queued is told, unless their press matches the outcome', () => {
    const queue = [press('U0BEN', 'approve'), press('U0EVE', 'approve'), press('U0CLEO', 'reject')];
    const { outcome, ...data } = learned({ ...deciding, queue });
    expect(data.queue).toEqual([]);
    expect(words(data)).toEqual([
      `late U0EVE: ${said({ code: 'decided', outcome, action: 'approve' })}`,
      `late U0CLEO: ${said({ code: 'decided', outcome, action: 'reject' })}`,
    ]);
  });

  test('the author of a decision is told if the outcome is the opposite', () => {
    const rejecting = { ...deciding, decision: { ...DECIDING, action: 'reject' as const } };
    const data = learned(rejecting);
    expect(data.outcome).toMatchObject({ credit: 'none', by: [] });
    expect(words(data)).toEqual([
      `late U0BEN: ${said({ code: 'decided', outcome: data.outcome, action: 'reject' })}`,
    ]);
  });

  test('people who pressed Check now are told, and the watch and the decision are cleared', () => {
    const askers = [{ user: 'U0EVE', channel: 'C0PROD', at: NOW }];
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const watch = { state: 'unknown', why: 'unsure', nextAt: NOW, stale: true, tries: 2 } as const;
    const data = learned({ ...deciding, watch: { ...watch, failure, askers } }, NOW + 9);
    expect(words(data)).toEqual([
      `state U0EVE: ${said({ code: 'outcome', outcome: data.outcome })}`,
    ]);
    expect(data.watch).toEqual({ state: 'pending', nextAt: NOW, checkedAt: NOW + 9 });
    expect(data).not.toHaveProperty('decision');
  });

  test('it says when the service last reported the gate as open', () => {
    const openAt = (state: 'pending' | 'unknown') =>
      learned({ ...deciding, watch: { state, nextAt: NOW, checkedAt: NOW - 9 } }).outcome.openAt;
    expect(openAt('pending')).toBe(NOW - 9);
    expect(openAt('unknown')).toBeUndefined();
  });

  test('it says in whose place people decided', () => {
    const gave = (user: string, giver: string, action: Click['action'] = 'approve') =>
      ({ user, action, at: NOW, for: { user: giver } }) as const;
    const votes = [
      gave('U0BEN', 'U0DEE'),
      gave('U0BEN', 'U0EVE', 'reject'),
      gave('U0FAY', 'U0GUS'),
    ];
    const decision = { ...DECIDING, approvers: ['U0BEN'] };
    const { by, for: places } = learned(approvalWith({ decision, ballots: votes })).outcome;
    expect([by, places]).toEqual([['U0BEN'], { U0BEN: 'U0DEE' }]);
  });

  test('it has no time if the service gave none', () => {
    expect(learned(deciding).outcome).not.toHaveProperty('resolvedAt');
  });

  test('unconfirmed decisions are credited only if they match the outcome', () => {
    const unconfirmed = [
      { action: 'reject', by: 'U0ANA', quietAt: NOW },
      { action: 'approve', by: 'U0BEN', quietAt: NOW },
      { action: 'approve', by: 'U0BEN', quietAt: NOW + 1 },
    ] as const;
    const credited = (change: Partial<Approval>) => learned(approvalWith(change)).outcome;
    expect(credited({ unconfirmed })).toMatchObject({ credit: 'sent', by: ['U0BEN'] });
    const opposite = { unconfirmed: unconfirmed.slice(0, 1) };
    expect(credited(opposite)).toMatchObject({ credit: 'none', by: [] });
    expect(credited({})).toMatchObject({ credit: 'none', by: [] });
  });

  test('a deleted message is posted again at once, and one that waits for its post keeps waiting', () => {
    const gone = { name: 'message', channel: 'C0PROD', gone: ['17.1'] };
    const failed = { ...gone, failed: 'message_not_found', notBefore: NOW + 60_000, tries: 3 };
    expect(learned(approvalWith({ posts: [failed] })).posts).toEqual([gone]);
    const waits = { name: 'message', channel: 'C0PROD', notBefore: NOW + 60_000, tries: 3 };
    expect(learned(approvalWith({ posts: [waits] })).posts).toEqual([waits]);
  });
});

describe('the outcome in the audit log', () => {
  const entry = (approval: Approval, how: object = {}, now = NOW + 2_000) =>
    learnOutcome(approval, { ...APPROVED, ...how }, now).audit;

  test('has who decided what, how certain that is, and how long it took', () => {
    expect(entry(deciding, { resolvedAt: '2026-09-21T10:00:00Z' })).toEqual([
      {
        action: 'approvals.outcome',
        record: null,
        actor: 'U0ANA,U0BEN',
        facts: {
          route: 'production',
          tookMs: 2_000,
          status: 'APPROVED',
          credit: 'certain',
          resolvedAt: '2026-09-21T10:00:00Z',
          digest: digestOf(deciding),
        },
      },
    ]);
  });

  test('has the rules by which its people were authorized, if it is theirs', () => {
    const ruled = { ...deciding, decision: { ...DECIDING, rules: 'r1' } };
    expect(entry(ruled)).toMatchObject([{ facts: { credit: 'certain', rules: 'r1' } }]);
    const [elsewhere] = entry(ruled, { status: 'REJECTED' }) ?? [];
    expect(elsewhere?.facts).not.toHaveProperty('rules');
  });

  test('names Gatepost as the actor if nobody is known, without an invented time', () => {
    const elsewhere = { actor: 'gatepost', facts: { credit: 'none', resolvedAt: null } };
    expect(entry(approvalWith())).toMatchObject([elsewhere]);
  });

  test('has a duration of 0 if the clock of the store went back', () => {
    expect(entry(deciding, {}, NOW - 1)).toMatchObject([{ facts: { tookMs: 0 } }]);
  });

  test('has another entry for what somebody approved alone', () => {
    const credited = { credit: 'certain', by: ['U0ANA'], self: { by: 'U0ANA' } } as const;
    expect(entry(deciding, { credited })?.slice(1)).toEqual([
      {
        action: 'approvals.self-approval',
        record: null,
        actor: 'U0ANA',
        facts: { route: 'production' },
      },
    ]);
  });

  test('says that an own gate was decided by Gatepost', () => {
    const { token, ...gate } = deciding;
    const own = { ...gate, key: 'checkout/4711' };
    expect(entry(own)).toMatchObject([{ facts: { authority: 'gatepost' } }]);
  });
});
