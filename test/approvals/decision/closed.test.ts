import { describe, expect, test } from 'vitest';
import { type Approval, type Decision, NO_SENDS } from '../../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../../src/approvals/approval-flow.ts';
import type { ApprovalCore } from '../../../src/approvals/decision/approval-core.ts';
import { encodeSignal } from '../../../src/approvals/decision/signal.ts';
import { clockShows } from '../../../src/approvals/electorate/bar.ts';
import { electorateOf, stopsOf } from '../../../src/approvals/electorate/electorate.ts';
import type { ReadClosing } from '../../../src/approvals/electorate/read-closing.ts';
import { remindersOf } from '../../../src/approvals/electorate/reminder-times.ts';
import type { Terms } from '../../../src/approvals/electorate/terms.ts';
import { plan } from '../../../src/approvals/plan.ts';
import { messageStateOf, stateKey } from '../../../src/approvals/tell/message/message-state.ts';
import type { Config } from '../../../src/core/config/config.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { fake } from '../../support/fake.ts';
import {
  applied,
  applyResult,
  approvalWith,
  DECIDING,
  NOW,
  received,
  termsWith,
} from '../approvals.ts';

const HOUR = 3_600_000;
const UNTIL = NOW + HOUR;
const CLOSED = { until: UNTIL, why: 'Black Friday' };

const OPEN = { kind: 'closing-read', closing: null } as const;
const SHUT = { kind: 'closing-read', closing: CLOSED } as const;

/** Ben's approval, read as pending just now. */
const sending = (sends = NO_SENDS, more: Partial<Decision> = {}): Decision => ({
  ...DECIDING,
  ...more,
  phase: { name: 'send', askedAt: NOW, sends },
});

const ballot = (user: string, at = NOW) => ({ user, action: 'approve', at }) as const;

function toSend(change: Partial<Approval> = {}): Approval {
  const approval = approvalWith({ decision: sending(), ballots: [ballot('U0BEN')], ...change });
  return shownNow(approval);
}

function shownNow(approval: Approval): Approval {
  return { ...approval, shown: stateKey(messageStateOf(approval, termsWith(), NOW)) };
}

function stepOf(approval: Approval, terms: Terms = termsWith(), now = NOW) {
  const next = plan(approval, { ...terms, asOf: now }, now);
  return next.kind === 'step' ? next.step : undefined;
}

/** What is done at the same time. */
function stepsOf(approval: Approval) {
  const next = plan(approval, termsWith(), NOW);
  return next.kind === 'step' ? [next.step, ...(next.beside ?? [])] : [];
}

function readOf(approval: Approval, terms?: Terms, now = NOW): ReadClosing {
  const step = stepOf(approval, terms, now);
  if (step?.kind !== 'read-closing') throw new Error(`${step?.kind} instead of a read`);
  return step;
}

const replies = ({ replies: all }: Approval) => all.map(({ user, text }) => `${user}: ${text}`);

describe('an approval that could be sent', () => {
  test('is sent only after the closing was read, right before it', () => {
    const step = readOf(toSend());
    const read = applied(toSend(), step, OPEN);
    expect(stepOf(read)?.kind).toBe('respond');
    expect(stepOf(read, termsWith(), NOW + 2_000)?.kind).toBe('respond');
    expect(stepOf(read, termsWith(), NOW + 2_001)?.kind).toBe('read-closing');
  });

  test('is not sent by a clock that went back', () => {
    const read = applied(toSend(), readOf(toSend()), OPEN);
    expect(stepOf(read, termsWith(), NOW - 1)?.kind).toBe('read-closing');
  });

  test('is spent where another replica closed the route between plan and save', () => {
    const after = applied(toSend(), readOf(toSend()), SHUT);
    expect(after.decision).toBeUndefined();
    expect(after.ballots).toEqual([]);
    expect(replies(after)).toEqual([
      expect.stringMatching(
        /^U0BEN: .* is closed until .*: Black Friday\. Your approval was not sent and no longer counts\. When it opens, press Approve again\.$/,
      ),
    ]);
    expect(messageStateOf(after, termsWith(), NOW)).toMatchObject({
      closed: { ...CLOSED, hasSpent: true },
    });
    const { audit } = applyResult(toSend(), readOf(toSend()), SHUT, termsWith(), NOW);
    expect(audit).toMatchObject([
      {
        action: 'approvals.ballot',
        actor: 'U0BEN',
        facts: { action: 'approve', refused: 'route-closed' },
      },
    ]);
  });

  test('is not said to be unsent if the service was too busy for it', () => {
    const before = toSend({ decision: sending({ ...NO_SENDS, limited: 1 }) });
    expect(replies(applied(before, readOf(before), SHUT))).toEqual([
      expect.stringContaining(
        'The service was too busy to accept your approval, and it no longer counts. When it opens,',
      ),
    ]);
  });

  test('leaves ballots that were cast before, short of what is needed', () => {
    const terms = termsWith({
      quorum: 2,
      reviewers: { users: ['U0ANA', 'U0BEN', 'U0CLEO'], groups: [], channel: false },
    });
    const ballots = [ballot('U0ANA', NOW - 2), ballot('U0CLEO', NOW - 1), ballot('U0BEN')];
    const before = toSend({ ballots });
    const after = applied(before, readOf(before, terms), SHUT, NOW, terms);
    expect(after.ballots.map(({ user }) => user)).toEqual(['U0ANA']);
    expect(replies(after).map((text) => text.slice(0, 6))).toEqual(['U0BEN:', 'U0CLEO']);
  });

  test('whose answer was lost is not sent again, and is looked up', () => {
    const before = toSend({ decision: sending({ ...NO_SENDS, ambiguous: 1 }) });
    const after = applied(before, readOf(before), SHUT);
    expect(after.decision).toBeUndefined();
    expect(after.unconfirmed).toMatchObject([{ action: 'approve', by: 'U0BEN' }]);
    expect(replies(after)[0]).toContain('It was not sent again: the route is closed until');
  });

  test('waits while the store does not say, and is not sent', () => {
    const after = applied(toSend(), readOf(toSend()), { kind: 'away' });
    expect(after.decision?.phase).toMatchObject({ name: 'check', waitsFor: 'check' });
    expect(stepOf({ ...after, decision: sending() })?.kind).toBe('read-closing');
  });

  test('waits as well while the store answers too late, and is sent once it answers in time', () => {
    const late = applied(toSend(), readOf(toSend()), OPEN, NOW + 2_001);
    expect(late.closing).toEqual({ readAt: NOW });
    expect(late.decision?.phase).toMatchObject({ name: 'check', waitsFor: 'check', tries: 2 });
    const known = { ...late, decision: sending() };
    const read = readOf(known, termsWith(), NOW + 3_000);
    expect(stepOf(applied(known, read, OPEN, NOW + 3_000), termsWith(), NOW + 3_000)?.kind).toBe(
      'respond',
    );
  });

  test('is spent in a window of the file, without a word in the store', () => {
    const terms = termsWith({ closed: [{ from: NOW, ...CLOSED }] });
    const after = applied(toSend(), readOf(toSend(), terms), OPEN, NOW, terms);
    expect(after.decision).toBeUndefined();
    expect(after.closing?.now).toMatchObject(CLOSED);
  });

  test('of an own gate counts only soon after that read', () => {
    const { token, ...own } = toSend();
    const read = applied({ ...own, key: 'deploy' }, readOf(toSend()), OPEN);
    const step = stepOf(read);
    if (step?.kind !== 'respond') throw new Error(`${step?.kind} instead of a decision`);
    const answer = { status: 'APPROVED', resolvedAt: null } as const;
    const end = { kind: 'responded', end: { kind: 'status', answer } } as const;
    expect(applied(read, step, end, NOW + 2_001)).toEqual(read);
    expect(applied(read, step, end, NOW + 2_000).outcome).toMatchObject({ status: 'APPROVED' });
  });

  test('is called off by a closing that is signalled while its attempt is saved', () => {
    const { callsOff } = createApprovalFlow(
      fake<ApprovalCore>({ config: fake<Config>({}), timing: TRUE_TIME }),
    );
    const step = { kind: 'respond', plannedAt: NOW } as const;
    const body = encodeSignal({ kind: 'closing', changedAt: NOW });
    expect(callsOff?.({ id: 'c', at: NOW, body }, step)).toBe(true);
  });

  test('in flight already is only looked up', () => {
    const attempt = { plannedAt: NOW, mustEndBy: NOW + 7_000 };
    const decision = { ...DECIDING, phase: { name: 'sending', attempt, sends: NO_SENDS } } as const;
    const closing = { changedAt: NOW };
    const before = toSend({ decision, closing });
    const after = applied(before, readOf(before), SHUT);
    expect(after.decision).toBe(decision);
  });

  test('to reject needs no such read', () => {
    const rejecting = toSend({ decision: sending(NO_SENDS, { action: 'reject' }) });
    expect(stepOf(rejecting)?.kind).toBe('respond');
  });
});

describe('a reading', () => {
  test('that is older than what is known changes nothing', () => {
    const before = toSend({ closing: { readAt: NOW + 1, now: { ...CLOSED, since: NOW } } });
    const late = {
      kind: 'read-closing',
      plannedAt: NOW,
      seenAt: 0,
      changedAt: undefined,
      presses: [],
    } as const;
    expect(applyResult(before, late, OPEN, termsWith(), NOW).data).toEqual(before);
  });

  test('that the store did not answer is repeated until it does', () => {
    const soon = NOW + 5_000;
    const before = approvalWith({ posts: [{ name: 'message', channel: 'C0PROD' }] });
    const away = applied(before, readOf(before), { kind: 'away' });
    expect(stepOf(away, termsWith(), soon - 1)?.kind).not.toBe('read-closing');
    const still = applied(away, readOf(away, termsWith(), soon), { kind: 'away' }, soon);
    const late = readOf(still, termsWith(), NOW + HOUR / 2);
    expect(applied(still, late, SHUT, NOW + HOUR / 2).closing).toMatchObject({ now: CLOSED });
  });

  test('is repeated if somebody closed the route meanwhile', () => {
    const step = readOf(toSend());
    const body = JSON.stringify({ kind: 'closing', changedAt: NOW + 5 });
    const told = received(toSend(), { id: 'c', at: NOW, body });
    const read = applied(told, step, OPEN);
    expect(readOf(read).changedAt).toBe(NOW + 5);
    expect(applied(read, readOf(read), OPEN).closing).toEqual({ readAt: NOW });
  });
});

test('a request is posted after one turn of reads', () => {
  const asked = approvalWith({ posts: [{ name: 'message', channel: 'C0PROD' }] });
  expect(stepsOf(asked).map(({ kind }) => kind)).toEqual(['read-closing', 'find-absent']);
});

describe('a press while it is closed', () => {
  const press = (action: 'approve' | 'reject'): Approval => {
    const waiting = approvalWith({
      closing: { readAt: NOW - 1, now: { ...CLOSED, since: NOW } },
      queue: [{ id: 'p', user: 'U0ANA', channel: 'C0PROD', at: NOW, action }],
    });
    return shownNow(waiting);
  };

  test('on Approve is answered and counts for nothing', () => {
    const read = shownNow(applied(press('approve'), readOf(press('approve')), SHUT));
    const step = stepOf(read);
    if (step?.kind !== 'authorize') throw new Error(`${step?.kind} instead of an authorization`);
    const result = { kind: 'accepted' } as const;
    const after = applied(read, step, result);
    expect(after).toMatchObject({ queue: [], ballots: [] });
    expect(applyResult(read, step, result, termsWith(), NOW).audit).toMatchObject([
      { action: 'approvals.ballot', facts: { refused: 'route-closed' } },
    ]);
    expect(replies(after)).toEqual([
      expect.stringMatching(
        /Your approval does not count\. Press again when it opens; Reject works now\.$/,
      ),
    ]);
  });

  test('on Approve is authorized while the closing is read, which is applied first', () => {
    const before = press('approve');
    const [read, authorize] = stepsOf(before);
    if (read?.kind !== 'read-closing' || authorize?.kind !== 'authorize')
      throw new Error(`${read?.kind} and ${authorize?.kind}`);
    const after = applied(applied(before, read, SHUT), authorize, { kind: 'accepted' });
    expect(after).toMatchObject({ queue: [], ballots: [] });
    expect(replies(after)[0]).toContain('Your approval does not count');
  });

  test('on Approve counts though the store did not say meanwhile, and is sent only after it did', () => {
    const before = approvalWith({ queue: press('approve').queue });
    const [read, authorize] = stepsOf(shownNow(before));
    if (read?.kind !== 'read-closing' || authorize?.kind !== 'authorize')
      throw new Error(`${read?.kind} and ${authorize?.kind}`);
    const answer = { status: 'PENDING', raw: null, prompt: null, resolvedAt: null } as const;
    const look = { kind: 'status', answer } as const;
    const result = { kind: 'accepted', beside: { others: {}, look } } as const;
    const after = applied(applied(before, read, { kind: 'away' }), authorize, result);
    expect(after.decision?.phase.name).toBe('send');
    expect(stepOf(shownNow(after))?.kind).toBe('read-closing');
    expect(applied(after, readOf(shownNow(after)), SHUT)).toMatchObject({ ballots: [] });
  });

  test('on Reject is authorized after the closing was read for somebody else', () => {
    const { queue, ...before } = press('reject');
    const other = {
      id: 'q',
      user: 'U0BEN',
      channel: 'C0PROD',
      at: NOW,
      action: 'approve',
    } as const;
    expect(stepsOf({ ...before, queue: [...queue, other] }).map(({ kind }) => kind)).toEqual([
      'read-closing',
    ]);
  });

  test('on Approve counts after its time, though the store does not answer', () => {
    const before = press('approve');
    const terms = { ...termsWith(), asOf: UNTIL };
    const read = applied(before, readOf(before, terms, UNTIL), { kind: 'away' }, UNTIL, terms);
    const [click] = read.queue;
    if (click === undefined) throw new Error('it is queued');
    const step = { kind: 'authorize', click } as const;
    const counted = applied(read, step, { kind: 'accepted' }, UNTIL, terms);
    expect(counted.replies).toEqual([]);
    expect(counted.decision).toMatchObject({ action: 'approve', by: 'U0ANA' });
    const ready = shownNow({ ...counted, decision: sending() });
    expect(stepOf(ready, terms, UNTIL)?.kind).not.toBe('respond');
  });

  test('on Approve counts if it was opened just now', () => {
    const after = applied(press('approve'), readOf(press('approve')), OPEN);
    expect(after.queue).toMatchObject([{ id: 'p', isPastClosing: true }]);
    expect(stepOf(shownNow(after))?.kind).toBe('authorize');
  });

  test('on Reject works', () => {
    const before = press('reject');
    const shown = stateKey(messageStateOf(before, termsWith(), NOW));
    expect(stepOf({ ...before, shown })?.kind).toBe('authorize');
  });

  test('on Approve by its requester is let through where the route says so, and by nobody else', () => {
    const terms = termsWith({ closedAllows: 'loud', selfApproval: 'loud', identity: 'omit' });
    const { token, ...own } = press('approve');
    const gate = { ...own, key: 'deploy', expiresAt: NOW + 2 * HOUR };
    const read = applied(gate, readOf(gate, terms), SHUT, NOW, terms);
    expect(read.queue).toHaveLength(1);
    const [click] = read.queue;
    if (click === undefined) throw new Error('it is queued');
    const step = { kind: 'authorize', click } as const;
    const authorized = (self: boolean) =>
      applied(read, step, { kind: 'accepted', ...(self && { self: true as const }) }, NOW, terms);
    expect(authorized(false)).toMatchObject({ queue: [], ballots: [] });
    expect(replies(authorized(false))[0]).toContain('Your approval does not count');
    expect(authorized(true).decision).toMatchObject({ action: 'approve', by: 'U0ANA' });
  });
});

describe('clocks', () => {
  const closing = { now: { ...CLOSED, since: NOW }, earlier: [[NOW - 10, NOW - 5]] } as const;

  test('stand still while it is closed', () => {
    const shown = [NOW - 11, NOW - 10, NOW - 5, NOW + 1].map((at) =>
      clockShows(stopsOf({ closing }), at),
    );
    expect(shown).toEqual([NOW - 11, NOW - 5, UNTIL, UNTIL + 6]);
  });

  test('of reminders and escalation move, the deadline does not', () => {
    const approval = approvalWith({
      closing: { now: { ...CLOSED, since: NOW + 1 } },
      expiresAt: NOW + HOUR,
    });
    const at = remindersOf(approval, { afterMs: HOUR / 2, times: 1 }).map((each) => each.at);
    expect(at).toEqual([UNTIL + HOUR / 2 - 1, NOW + HOUR * 0.75]);
    const to = { users: ['U0CLEO'], groups: [] };
    const { route } = termsWith({ escalate: [{ after: HOUR / 2, to }] });
    const { expiresAt: _, ...open } = approval;
    expect(electorateOf(open, { route, asOf: NOW + HOUR / 2 })).toMatchObject({
      begun: [],
      steps: [{ at: UNTIL + HOUR / 2 - 1 }],
    });
  });

  test('of the deadline go on, and call nobody for the last time while it is closed', () => {
    const terms = termsWith({ remind: { afterMs: 2 * HOUR, times: 1 } });
    const lastCall = (closing: NonNullable<Approval['closing']>) => {
      const near = { createdAt: NOW - HOUR, expiresAt: NOW + 60_000, absent: { at: NOW } };
      return stepOf(shownNow(approvalWith({ ...near, closing })), terms);
    };
    expect(lastCall({ readAt: NOW })).toMatchObject({ post: 'last-call' });
    expect(lastCall({ readAt: NOW, now: { ...CLOSED, since: NOW } })).toBeUndefined();
  });

  test('go on from the opening, of which the thread tells once', () => {
    const before = approvalWith({
      posts: [{ name: 'message', channel: 'C0PROD', ts: `${NOW / 1000}` }],
      closing: { readAt: NOW, now: { ...CLOSED, since: NOW } },
    });
    const later = UNTIL + 60_000;
    const opened = applied(before, readOf(before, termsWith(), later), OPEN, later);
    expect(opened.closing).toEqual({ readAt: later, earlier: [[NOW, UNTIL]] });
    const shown = { ...opened, shown: stateKey(messageStateOf(opened, termsWith(), later)) };
    expect(stepOf(shown, termsWith(), later)).toMatchObject({ post: `opened-${UNTIL}` });
  });
});
