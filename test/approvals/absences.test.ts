import { describe, expect, test } from 'vitest';
import type { Absent, Approval, Ballot } from '../../src/approvals/approval.ts';
import { receiveSignal } from '../../src/approvals/decision/receive.ts';
import { learnOutcome, markUnknown } from '../../src/approvals/decision/transitions.ts';
import { isShortOfPeople } from '../../src/approvals/electorate/asked.ts';
import { electorateOf } from '../../src/approvals/electorate/electorate.ts';
import {
  dueAbsent,
  dueAbsentFirst,
  findAbsent,
} from '../../src/approvals/electorate/find-absent.ts';
import { messageStateOf } from '../../src/approvals/tell/message/message-state.ts';
import {
  announcementPosts,
  metadataFor,
  recipientOf,
} from '../../src/approvals/tell/message/post-content.ts';
import { escalationName } from '../../src/approvals/tell/message/reminder.ts';
import { waitedFor } from '../../src/approvals/tell/message/waited-for.ts';
import type { Route } from '../../src/core/config/config.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import { approvalWith, NOW, plan, routeWith, termsWith } from './approvals.ts';

const MIN = 60_000;
const UNTIL = NOW + 86_400_000;
const p = (user: string, substitute?: string) => ({
  ids: [user],
  until: UNTIL,
  ...(substitute && { substitute }),
});
const approve = (user: string, more: Partial<Ballot> = {}): Ballot => ({
  user,
  action: 'approve',
  at: NOW,
  ...more,
});
const named = (...users: string[]) => ({ users, groups: [] as string[], channel: false });
const ofGroups = (...groups: string[]) => ({ users: [] as string[], groups, channel: false });

function isShort(change: Partial<Approval>, route: Route): boolean {
  const approval = approvalWith(change);
  return isShortOfPeople(electorateOf(approval, { route, asOf: NOW }), approval.ballots);
}

describe('absences of reviewers', () => {
  test('after an absence signal, absences are read before the first post mentions anybody', () => {
    const fresh = approvalWith({ posts: [{ name: 'message', channel: 'C0PROD' }] });
    const terms = termsWith();
    const { data } = receiveSignal(
      fresh,
      { id: 's', at: NOW + 1, body: '' },
      { kind: 'absences' },
      terms,
    );
    expect(dueAbsentFirst(data, terms, NOW + 1)).toMatchObject({ kind: 'find-absent' });
  });
  test('absences read before the last change are read again before the first post', () => {
    const fresh = approvalWith({
      posts: [{ name: 'message', channel: 'C0PROD' }],
      absent: { at: NOW, changedAt: NOW + 1 },
    });
    const next = plan(fresh, termsWith(), NOW + 2);
    expect(next).toMatchObject({ step: { kind: 'find-absent' } });
  });
  test('of the reviewers in a group, the substitute of the requester or of an approver is not counted as available', () => {
    const escalate = [{ after: 30 * MIN, to: { users: ['U0LEA'], groups: [] } }];
    const absent: Absent = {
      at: NOW,
      people: [p('U0ANA', 'U0BEN'), p('U0CLEO')],
      groups: { S0: ['U0ANA', 'U0CLEO'] },
    };
    const route = routeWith({ reviewers: ofGroups('S0'), substitutes: true, escalate });
    expect(isShort({ absent, requester: { user: 'U0ANA' } }, route)).toBe(true);
    const two = { ...route, quorum: 2 };
    expect(isShort({ absent, ballots: [approve('U0ANA')] }, two)).toBe(true);
  });
  test('one person left for two needs counts as too few', () => {
    const need = [
      { name: 'SRE', count: 1, of: { users: ['U0ANA', 'U0BEN'], groups: [] } },
      { name: 'SEC', count: 1, of: { users: ['U0CARL', 'U0BEN'], groups: [] } },
    ];
    const route = routeWith({ reviewers: named('U0ANA', 'U0BEN', 'U0CARL'), need });
    const absent: Absent = { at: NOW, people: [p('U0ANA'), p('U0CARL')] };
    expect(isShort({ absent }, route)).toBe(true);
  });
  test('an escalation due to an absence found before the first post is announced once', () => {
    const escalate = [{ after: 30 * MIN, to: { users: ['U0LEA'], groups: [] } }];
    const terms = termsWith({ reviewers: named('U0ANA'), escalate });
    const step = {
      kind: 'find-absent',
      plannedAt: NOW,
      seenAt: NOW,
      changedAt: undefined,
    } as const;
    const { data } = findAbsent.apply(
      approvalWith({ posts: [{ name: 'message', channel: 'C0PROD' }] }),
      step,
      { kind: 'found', absent: { people: [p('U0ANA')] } },
      terms,
      NOW + 5,
    );
    const ts = String((NOW + 500) / 1000);
    const postedIt: Approval = { ...data, posts: [{ name: 'message', channel: 'C0PROD', ts }] };
    const electorate = electorateOf(postedIt, { ...terms, asOf: NOW + 600 });
    expect(escalationName(postedIt, electorate)).toBeUndefined();
  });
  test('quiet people of a group are not mentioned by name', () => {
    const absent: Absent = {
      at: NOW,
      people: [p('U0ANA')],
      groups: { S0: ['U0ANA', 'U0BOSS', 'U0CARL'] },
    };
    const approval = approvalWith({ absent });
    const terms = termsWith({
      reviewers: ofGroups('S0'),
      quiet: { users: ['U0BOSS'], groups: [] },
    });
    const state = messageStateOf(approval, terms, NOW);
    if (state.name !== 'waiting') throw new Error();
    expect(waitedFor(approval, state, terms)).not.toContain('U0BOSS');
  });
  test('a late result of an older read changes nothing', () => {
    const terms = termsWith();
    const older = dueAbsent(
      approvalWith({ absent: { at: NOW, changedAt: NOW + 1 } }),
      terms,
      NOW + 1,
    );
    if (older === null || typeof older === 'number') throw new Error();
    const newer = approvalWith({ absent: { at: NOW + 9, people: [p('U0ANA')] } });
    expect(
      findAbsent.apply(newer, older, { kind: 'found', absent: {} }, terms, NOW + 20).data,
    ).toBe(newer);
  });
  test('an unconfirmed decision of a substitute still records whom they replaced', () => {
    const ballots = [approve('U0BEN', { for: { user: 'U0ANA' } })];
    const decision = {
      action: 'approve',
      by: 'U0BEN',
      at: NOW,
      asker: { user: 'U0BEN', channel: 'C0PROD', at: NOW },
      phase: {
        name: 'sending',
        sends: { notSent: 0, limited: 0, ambiguous: 1 },
        attempt: { plannedAt: NOW, mustEndBy: NOW + 1000 },
      },
    } as const;
    const lost = markUnknown(approvalWith({ ballots, decision }), 'unsure', TRUE_TIME, NOW);
    const { outcome } = learnOutcome(
      lost,
      { status: 'APPROVED', resolvedAt: null, how: 'refused' },
      NOW + 5,
    ).data;
    expect(outcome).toMatchObject({ by: ['U0BEN'], for: { U0BEN: 'U0ANA' } });
  });
  test('the message metadata keeps whose place the decision was made in', () => {
    const outcome = {
      status: 'APPROVED',
      credit: 'certain',
      by: ['U0BEN'],
      for: { U0BEN: 'U0ANA' },
      learnedAt: NOW,
    } as const;
    const approval = approvalWith({ outcome });
    const state = messageStateOf(approval, termsWith(), NOW);
    expect(JSON.stringify(metadataFor('0-1', approval, 'message', state))).toContain('U0ANA');
  });

  test('an absent person gets a direct message about what was decided in their place', () => {
    const outcome = {
      status: 'REJECTED',
      credit: 'certain',
      by: ['U0BEN'],
      for: { U0BEN: 'U0ANA' },
      learnedAt: NOW,
    } as const;
    const decided = approvalWith({ outcome });
    const names = announcementPosts(decided, routeWith()).map(({ name }) => name);
    expect(names).toContain('outcome-giver-U0ANA');
    expect(recipientOf(decided, 'outcome-giver-U0ANA')).toBe('U0ANA');
    const { for: _, ...own } = outcome;
    const other = announcementPosts(approvalWith({ outcome: own }), routeWith());
    expect(other.map(({ name }) => name)).not.toContain('outcome-giver-U0ANA');
  });
});
