import { describe, expect, test } from 'vitest';
import type { Approval, Gone } from '../../../src/approvals/approval.ts';
import type { ApprovalCore } from '../../../src/approvals/decision/approval-core.ts';
import { countedAgain, countReviewers } from '../../../src/approvals/electorate/count-reviewers.ts';
import { approvalMessage } from '../../../src/approvals/tell/message/message.ts';
import { messageStateOf, stateKey } from '../../../src/approvals/tell/message/message-state.ts';
import type { Route } from '../../../src/core/config/config.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { personOf } from '../../support/slack-person.ts';
import { applied, approvalWith, NOW, plan, routeWith, termsWith } from '../approvals.ts';

const step = { kind: 'count-reviewers', groups: ['S0OPS'] } as const;
const inGroup = { users: [], groups: ['S0OPS'], channel: false };
const AGAIN_MS = 5 * 60_000;

function counted(
  members: readonly string[],
  route: Partial<Route> = {},
  change: Partial<Approval> = {},
  now = NOW,
): Approval {
  const terms = termsWith({ reviewers: inGroup, ...route });
  const result = { kind: 'counted', members: { S0OPS: members } } as const;
  return applied(approvalWith(change), step, result, now, terms);
}

const next = (approval: Approval, route: Partial<Route>, now = NOW) => {
  const terms = termsWith({ reviewers: inGroup, ...route });
  const shown = stateKey(messageStateOf(approval, terms, now));
  return plan({ ...approval, shown, alerts: [] }, terms, now);
};

/** Everybody but Ana is deactivated. */
function counts(members: Readonly<Record<string, readonly string[]>>) {
  const groups = Object.keys(members);
  const person = async (id: string) => ({ ...personOf(id), deleted: id !== 'U0ANA' });
  const core = coreWith({
    timers: systemTimers,
    workspace: { team: 'T0', enterprise: null, teams: [] },
    config: {
      routes: [routeWith({ name: approvalWith().route, reviewers: { ...inGroup, groups } })],
    },
    lookup: fake<Lookup>({
      known: { person },
      recent: fake<Lookup['recent']>({
        person,
        groupMembers: async (id) => ({ users: members[id] ?? [], missing: null }),
      }),
    }),
  });
  const asked = { kind: 'count-reviewers', groups } as const;
  return countReviewers.execute(core as unknown as ApprovalCore, '0-1', approvalWith(), asked);
}

describe('the number of people who can approve', () => {
  test.each<[string, readonly string[], Partial<Route>, Partial<Approval>, number | undefined]>([
    ['a group of two for two approvals', ['U0ANA', 'U0BEN'], { quorum: 2 }, {}, undefined],
    ['a group of one for two approvals', ['U0ANA'], { quorum: 2 }, {}, 1],
    ['a group of whoever asked', ['U0ANA'], {}, { requester: { user: 'U0ANA' } }, 0],
    [
      'the same where the route lets them',
      ['U0ANA'],
      { selfApproval: true },
      { requester: { user: 'U0ANA' } },
      undefined,
    ],
    ['an empty group', [], {}, {}, 0],
    [
      'a group and somebody in it',
      ['U0ANA'],
      { reviewers: { ...inGroup, users: ['U0ANA'] }, quorum: 2 },
      {},
      1,
    ],
    [
      'those of the request who review the route',
      ['U0ANA', 'U0BEN'],
      {},
      { narrowedTo: { users: ['U0ANA', 'U0EVE'], groups: [] }, quorum: 2 },
      1,
    ],
    [
      'those of the request in a channel',
      ['U0ANA'],
      { reviewers: { ...inGroup, groups: [], channel: true } },
      { narrowedTo: { users: ['U0EVE'], groups: ['S0OPS'] }, quorum: 2 },
      undefined,
    ],
  ])('is counted: %s', (_what, members, route, change, able) => {
    expect(counted(members, route, change).counted).toMatchObject(
      able === undefined ? { at: NOW } : { at: NOW, able },
    );
  });

  test('is not known from a part of a group', () => {
    const terms = termsWith({ reviewers: inGroup, quorum: 2 });
    const partial = { kind: 'counted', members: { S0OPS: ['U0ANA'] }, isPartial: true } as const;
    const unread = applied(approvalWith(), step, partial, NOW, terms);
    expect(unread.counted).toEqual({ at: NOW, isUnread: true });
    // It is counted again, as often as it takes.
    const rules = { quorum: 2 };
    expect(next(unread, rules, NOW + AGAIN_MS)).toMatchObject({ step });
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const failed = applied(approvalWith(), step, { kind: 'failed', failure }, NOW, terms);
    expect(next(failed, rules, NOW + AGAIN_MS)).toMatchObject({ step });
    const all = { kind: 'counted', members: { S0OPS: ['U0ANA', 'U0BEN'] } } as const;
    expect(applied(unread, step, all, NOW, terms).counted).toEqual({ at: NOW });
  });

  test('is read less and less often while Slack does not list the members, up to once an hour', () => {
    const terms = termsWith({ reviewers: inGroup });
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const failed = (approval: Approval, now: number) =>
      applied(approval, step, { kind: 'failed', failure }, now, terms);
    const watch = { state: 'pending', nextAt: NOW + 9 * 60 * 60_000 } as const;
    let [approval, now] = [failed(approvalWith({ watch }), NOW), NOW];
    for (const minutes of [5, 10, 20, 40, 60, 60]) {
      const until = now + minutes * 60_000;
      expect(next(approval, {}, now)).toMatchObject({ kind: 'wait', until });
      expect(next(approval, {}, until)).toMatchObject({ step });
      approval = failed(approval, until);
      now = until;
    }
    // Whoever was counted has changed: at once, and from the beginning.
    const again = countedAgain(approval);
    expect(next(again, {}, now)).toMatchObject({ step });
    expect(failed(again, now).counted).toEqual({ at: now, isUnread: true });
  });

  test('includes the people that the request is escalated to before its deadline', () => {
    const to = { users: ['U0LEA'], groups: [] };
    const escalated = { quorum: 2, escalate: [{ after: AGAIN_MS, to }] };
    expect(counted(['U0ANA'], escalated).counted).toEqual({ at: NOW });
    expect(counted([], escalated).counted).toEqual({ at: NOW, able: 1 });
    const soon = { expiresAt: NOW + AGAIN_MS };
    expect(counted(['U0ANA'], escalated, soon).counted).toEqual({ at: NOW, able: 1 });
    const groups = { escalate: [{ after: AGAIN_MS, to: { users: [], groups: ['S0LEADS'] } }] };
    expect(next(approvalWith(), groups)).toMatchObject({
      step: { kind: 'count-reviewers', groups: ['S0OPS', 'S0LEADS'] },
    });
  });

  test('includes quiet reviewers', () => {
    const quiet = { users: ['U0QIN'], groups: [] };
    expect(counted(['U0ANA'], { quorum: 2, quiet }).counted).toEqual({ at: NOW });
  });

  const need = (name: string, ...groups: string[]) => ({
    name,
    count: 1,
    of: { users: [], groups },
  });
  const [sre, security] = [need('SRE', 'S0SRE'), need('Security', 'S0SEC')];
  const inEach = (members: Record<string, readonly string[]>, change: Partial<Approval> = {}) => {
    const terms = termsWith({ reviewers: inGroup, need: [sre, security] });
    return applied(approvalWith(change), step, { kind: 'counted', members }, NOW, terms).counted;
  };

  test('is counted for each need: a person in two groups counts for one of them', () => {
    const both = { S0OPS: ['U0ANA', 'U0BEN', 'U0CLEO'], S0SRE: ['U0ANA', 'U0BEN'] };
    expect(inEach({ ...both, S0SEC: ['U0BEN'] })).toEqual({ at: NOW });
    expect(inEach({ ...both, S0SEC: [] })).toEqual({ at: NOW, lacking: ['Security'] });
    // Ben is no reviewer.
    const others = { ...both, S0OPS: ['U0ANA', 'U0CLEO'], S0SEC: ['U0BEN'] };
    expect(inEach(others)).toEqual({ at: NOW, lacking: ['Security'] });
    const asked = { requester: { user: 'U0BEN' } };
    expect(inEach({ ...both, S0SEC: ['U0BEN'] }, asked)).toEqual({
      at: NOW,
      lacking: ['Security'],
    });
    // Either is fine alone.
    const one = { ...both, S0SRE: ['U0ANA'], S0SEC: ['U0ANA'] };
    expect(inEach(one)).toEqual({ at: NOW, lacking: ['SRE', 'Security'] });
    const few = { S0OPS: ['U0ANA'], S0SRE: ['U0ANA'], S0SEC: ['U0ANA'] };
    expect(inEach(few)).toEqual({ at: NOW, able: 1, lacking: ['SRE', 'Security'] });
  });

  test('is counted from the groups of all needs, of the route and of the request', () => {
    const route = { reviewers: inGroup, need: [sre] };
    const all = { kind: 'count-reviewers', groups: ['S0OPS', 'S0SRE', 'S0SEC'] };
    expect(next(approvalWith({ needs: [security] }), route)).toMatchObject({ step: all });
  });

  test('is too small for a need: administrators are alerted, and the message says which', () => {
    const members = { S0OPS: ['U0ANA', 'U0BEN'], S0SRE: ['U0ANA', 'U0BEN'], S0SEC: [] };
    const terms = termsWith({ reviewers: inGroup, need: [sre, security] });
    const result = { kind: 'counted', members } as const;
    const data = applied(approvalWith(), step, result, NOW, terms);
    expect(data.alerts).toEqual([{ cause: 'reviewers-too-few', subject: 'production' }]);
    expect(messageStateOf(data, terms, NOW)).toMatchObject({ lacking: ['Security'] });
    const quiet = { ...data, alerts: [], watch: { ...data.watch, nextAt: NOW + 2 * AGAIN_MS } };
    expect(next(quiet, terms.route ?? {}, NOW + 1)).toMatchObject({ until: NOW + AGAIN_MS });
  });

  test('is counted once, and every five minutes while it is too small', () => {
    const waits = { reviewers: inGroup, quorum: 2 };
    expect(next(approvalWith(), waits)).toMatchObject({ step });
    const enough = counted(['U0ANA', 'U0BEN'], { quorum: 2 });
    expect(next(enough, waits, NOW + AGAIN_MS)).not.toMatchObject({ step });
    const short = counted(['U0ANA'], { quorum: 2 });
    const quiet = { ...short, watch: { ...short.watch, nextAt: NOW + 2 * AGAIN_MS } };
    expect(next(quiet, waits, NOW + 1)).toMatchObject({ until: NOW + AGAIN_MS });
    expect(next(quiet, waits, NOW + AGAIN_MS)).toMatchObject({ step });
    expect(next(approvalWith(), { reviewers: { ...inGroup, channel: true } })).not.toMatchObject({
      step,
    });
  });

  test('is too small: administrators are alerted once', () => {
    const short = counted(['U0ANA'], { quorum: 2 });
    expect(short.alerts).toEqual([{ cause: 'reviewers-too-few', subject: 'production' }]);
    const { alerts, ...told } = short;
    expect(counted(['U0ANA'], { quorum: 2 }, told, NOW + AGAIN_MS).alerts).toBeUndefined();
    expect(counted(['U0ANA', 'U0BEN'], { quorum: 2 }).alerts).toBeUndefined();
  });

  describe('leaves out who cannot decide any more', () => {
    const gone = { U0BEN: 'deactivated', U0BOT: 'bot', U0GUS: 'guest' } as const;
    const members = { S0OPS: ['U0ANA', ...Object.keys(gone)] };
    const terms = termsWith({ reviewers: inGroup, quorum: 2 });
    const countedWith = (
      read: { gone: Gone; isUnread: boolean },
      change: Partial<Approval> = {},
    ) => {
      const result = { kind: 'counted', members, read: { ...read, asked: members.S0OPS } } as const;
      return applied(approvalWith(change), step, result, NOW, terms);
    };

    test('and says why', () => {
      const short = countedWith({ gone, isUnread: false });
      expect(short.counted).toEqual({ at: NOW, able: 1 });
      expect(short.absent?.gone).toEqual(gone);
      expect(short.alerts).toEqual([{ cause: 'reviewers-too-few', subject: 'production' }]);
      const state = messageStateOf(short, terms, NOW);
      const { blocks } = approvalMessage('0-1', short, state, terms);
      expect(JSON.stringify(blocks)).toContain(
        'Cannot be approved: 2 approvals are needed, and only 1 reviewer can approve. Not counted: 1 deactivated account, 1 guest, 1 app. Add reviewers, or request it again.',
      );
    });

    test('as far as Slack answers, and asks again', () => {
      const unread = countedWith({ gone: { U0BEN: 'deactivated' }, isUnread: true });
      expect(unread.counted).toEqual({ at: NOW, isUnread: true });
      expect(next(unread, { quorum: 2 }, NOW + AGAIN_MS)).toMatchObject({ step });
      // What was known of the others still holds.
      const short = countedWith({ gone: {}, isUnread: true }, { absent: { at: NOW, gone } });
      expect(short.counted).toEqual({ at: NOW, able: 1, isUnread: true });
      const back = countedWith({ gone: {}, isUnread: false }, { absent: { at: NOW, gone } });
      expect(back.counted).toEqual({ at: NOW });
      expect(back.absent).toEqual({ at: NOW });
    });

    test('also where all are named, once one of them is found to be gone', () => {
      const named = {
        reviewers: { users: ['U0ANA', 'U0BEN'], groups: [], channel: false },
        quorum: 2,
      };
      const none = { kind: 'count-reviewers', groups: [] };
      const known = approvalWith({ absent: { at: NOW } });
      expect(next(known, named)).not.toMatchObject({ step: none });
      const left = approvalWith({ absent: { at: NOW, gone: { U0BEN: 'deactivated' } } });
      expect(next(left, named)).toMatchObject({ step: none });
      const unread = approvalWith({ absent: { at: NOW, isUnread: true } });
      expect(next(unread, named)).toMatchObject({ step: none });
    });

    test('but not in groups with more than 50 members', async () => {
      const many = Array.from({ length: 51 }, (_, at) => `U0${at}`);
      const found = await counts({ S0OPS: many, S0SRE: ['U0BEN'] });
      expect(found).toMatchObject({
        members: { S0OPS: many, S0SRE: ['U0BEN'] },
        read: { gone: { U0BEN: 'deactivated' }, isUnread: false, asked: ['U0BEN'] },
      });
      const large = applied(approvalWith(), step, found, NOW, terms);
      expect(large.counted).toEqual({ at: NOW, large: ['S0OPS'] });
    });
  });

  test('keeps its last value while Slack does not list the members', () => {
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const terms = termsWith({ reviewers: inGroup, quorum: 2 });
    const unknown = applied(approvalWith(), step, { kind: 'failed', failure }, NOW, terms);
    expect(unknown.counted).toEqual({ at: NOW, isUnread: true });
    const short = counted(['U0ANA'], { quorum: 2 });
    const later = applied(short, step, { kind: 'failed', failure }, NOW + 1, terms);
    expect(later.counted).toEqual({ at: NOW + 1, able: 1, isUnread: true });
  });
});
