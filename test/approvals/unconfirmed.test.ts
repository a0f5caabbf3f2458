import { describe, expect, test } from 'vitest';
import { type Approval, NO_SENDS, type Phase } from '../../src/approvals/approval.ts';
import { statusOf } from '../../src/approvals/decision/status.ts';
import {
  closeDecision,
  isWithdrawn,
  markUnknown,
} from '../../src/approvals/decision/transitions.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { Post } from '../../src/core/posts/post.ts';
import { approvalWith, DECIDING, inWords, NOW, said } from './approvals.ts';

/**
 * A decision that ends without an outcome: what is kept of it, who is told, and when it is certain that it was not
 * accepted.
 */

const words = (approval: Approval) =>
  inWords(approval).replies.map(({ about, user, text }) => `${about} ${user}: ${text}`);

const attempt = { plannedAt: NOW, mustEndBy: NOW + 7_000 };
const sending: Phase = { name: 'sending', attempt, sends: NO_SENDS };
const settling: Phase = {
  name: 'settle',
  sends: NO_SENDS,
  failure: { class: 'ambiguous', code: 'timeout' },
  endedAt: NOW,
  mustEndBy: NOW + 5_000,
  looks: 1,
  notBefore: NOW + 2_000,
};
const again: Phase = { name: 'send', askedAt: NOW, sends: { ...NO_SENDS, ambiguous: 1 } };

/** Ana and Ben approved; Ben's press decided. */
function deciding(phase: Phase, change: Partial<Approval> = {}): Approval {
  const ballots = [
    { user: 'U0ANA', action: 'approve', at: NOW },
    { user: 'U0BEN', action: 'approve', at: NOW },
  ] as const;
  return approvalWith({ decision: { ...DECIDING, phase }, ballots, ...change });
}

const lost = (approval: Approval) => markUnknown(approval, 'unsure', TRUE_TIME, NOW + 1_000);

describe('a rejection that could not be sent', () => {
  test('is removed alone: earlier approvals stay, and their authors are not told', () => {
    const approve = { user: 'U0ANA', action: 'approve', at: NOW } as const;
    const reject = { user: 'U0BEN', action: 'reject', at: NOW } as const;
    const approval = approvalWith({
      decision: { ...DECIDING, action: 'reject' },
      ballots: [approve, reject],
    });
    const closed = closeDecision(approval, { code: 'lost-hold' });
    expect(closed.ballots).toEqual([approve]);
    expect(words(closed)).toEqual([`closed U0BEN: ${said({ code: 'lost-hold' })}`]);
  });
});

describe('a decision that could not be confirmed', () => {
  test.each<[string, Phase, number]>([
    ['is being sent', sending, NOW + 17_000],
    ['is looked up', settling, NOW + 15_000],
    ['is to be sent again', again, 0],
  ])(
    'and that %s is kept as unconfirmed until it can no longer arrive',
    (_what, phase, quietAt) => {
      const { decision, unconfirmed } = lost(deciding(phase));
      expect(decision).toBeUndefined();
      expect(unconfirmed).toEqual([{ action: 'approve', by: 'U0BEN', quietAt }]);
    },
  );

  test('replaces the earlier one of the same person and action, and is kept beside all others', () => {
    const before = [
      { action: 'approve', by: 'U0BEN', quietAt: NOW - 9 },
      { action: 'approve', by: 'U0ANA', quietAt: NOW - 8 },
      { action: 'reject', by: 'U0BEN', quietAt: NOW - 7 },
    ] as const;
    expect(lost(deciding(settling, { unconfirmed: before })).unconfirmed).toEqual([
      before[1],
      before[2],
      { action: 'approve', by: 'U0BEN', quietAt: NOW + 15_000 },
    ]);
  });

  test('was in the place of whoever its own ballot was cast for, not an approval by the same person', () => {
    const ballots = [
      { user: 'U0BEN', action: 'approve', at: NOW, for: { user: 'U0ANA' } },
      { user: 'U0BEN', action: 'reject', at: NOW },
    ] as const;
    const place = (action: 'approve' | 'reject') => {
      const decision = { ...DECIDING, action, phase: settling };
      return lost(deciding(settling, { ballots, decision })).unconfirmed?.[0]?.for;
    };
    expect(place('approve')).toBe('U0ANA');
    expect(place('reject')).toBeUndefined();
  });

  test('is reported to everybody whose approval was part of it', () => {
    expect(words(lost(deciding(settling)))).toEqual([
      `closed U0BEN: ${said({ code: 'unknown', why: 'unsure', sent: 'approve' })}`,
      `spent U0ANA: ${said({ code: 'spent', action: 'approve', unsure: true })}`,
    ]);
  });

  test('for a withdrawn request is followed by a read as soon as it can no longer arrive', () => {
    const nextAt = (change: Partial<Approval>, polledAt: number) =>
      lost(deciding(settling, { ...change, watch: { state: 'pending', nextAt: polledAt } })).watch
        .nextAt;
    expect(nextAt({ withdrawnAt: NOW }, NOW + 900_000)).toBe(NOW + 15_000);
    expect(nextAt({ withdrawnAt: NOW }, NOW + 10)).toBe(NOW + 10);
    expect(nextAt({}, NOW + 900_000)).toBe(NOW + 900_000);
  });
});

describe('the unknown status that the service returned', () => {
  const told = { word: 'ESCALATED' };

  test('is quoted to the author of an unsent decision, and to people who pressed Check now', () => {
    const askers = [{ user: 'U0EVE', channel: 'C0PROD', at: NOW }];
    const approval = deciding(DECIDING.phase, {
      ballots: [{ user: 'U0BEN', action: 'approve', at: NOW }],
      watch: { state: 'pending', nextAt: NOW, askers },
    });
    const unknown = markUnknown(approval, 'new-status', TRUE_TIME, NOW, told);
    const statement = { code: 'unknown', why: 'new-status', ...told } as const;
    const text = said(statement);
    expect(text).toContain('ESCALATED');
    const unsent = said({ ...statement, note: { why: 'not-sent', action: 'approve' } });
    expect(unsent).toContain(' Your approval was not sent. ');
    expect(words(unknown)).toEqual([`closed U0BEN: ${unsent}`, `state U0EVE: ${text}`]);
    expect(unknown.watch).toMatchObject({ state: 'unknown', why: 'new-status', ...told });
    expect(unknown.watch).not.toHaveProperty('askers');
  });

  test('is not said to have come before the decision was sent if the service was too busy for it', () => {
    const limited: Phase = { name: 'send', askedAt: NOW, sends: { ...NO_SENDS, limited: 1 } };
    const ballots = [{ user: 'U0BEN', action: 'approve', at: NOW }] as const;
    const unknown = markUnknown(deciding(limited, { ballots }), 'new-status', TRUE_TIME, NOW, told);
    const statement = { code: 'unknown', why: 'new-status', ...told } as const;
    expect(words(unknown)).toEqual([`closed U0BEN: ${said(statement)}`]);
  });

  test('is forgotten when the service returns something else', () => {
    const quoted = markUnknown(approvalWith(), 'new-status', TRUE_TIME, NOW, told);
    expect(markUnknown(quoted, 'gone', TRUE_TIME, NOW).watch).not.toHaveProperty('word');
  });
});

describe('a request is certainly withdrawn and not decided', () => {
  const unconfirmed = [{ action: 'approve', by: 'U0BEN', quietAt: NOW + 9_000 }] as const;
  const withdrawn = (change: Partial<Approval>) => approvalWith({ withdrawnAt: NOW, ...change });
  const read = (state: 'pending' | 'unknown', checkedAt: number) =>
    ({ unconfirmed, watch: { state, nextAt: NOW, checkedAt } }) as const;

  test.each<[string, Approval, boolean]>([
    ['where nothing was sent', withdrawn({}), true],
    [
      'where nothing was sent, whatever the service says',
      withdrawn({ watch: { state: 'unknown', why: 'gone', nextAt: NOW } }),
      true,
    ],
    ['not while a decision goes on', deciding(settling, { withdrawnAt: NOW }), false],
    ['not before what was sent can be told', withdrawn(read('pending', NOW + 8_999)), false],
    ['once the gate was found open after that', withdrawn(read('pending', NOW + 9_000)), true],
    ['not where the service did not tell', withdrawn(read('unknown', NOW + 9_000)), false],
  ])('%s', (_when, approval, is) => {
    expect(isWithdrawn(approval)).toBe(is);
    expect(statusOf(approval) === 'WITHDRAWN').toBe(is);
  });

  test.each<[string, Partial<Post>, boolean]>([
    ['stands', { ts: '17.1', soughtAt: NOW }, false],
    ['may have been posted', { attempt, soughtAt: NOW }, false],
    ['was not looked for', {}, false],
    ['was looked for and not found', { soughtAt: NOW }, true],
  ])('if the store may have lost an outcome, and the message %s: %s', (_how, post, is) => {
    const posts = [{ name: 'message', channel: 'C0PROD', ...post }];
    expect(isWithdrawn(withdrawn({ posts, unrecalled: true }))).toBe(is);
  });
});
