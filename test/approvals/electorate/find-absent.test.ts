import { describe, expect, test } from 'vitest';
import type { Absent, Approval } from '../../../src/approvals/approval.ts';
import type { ApprovalCore } from '../../../src/approvals/decision/approval-core.ts';
import { receiveSignal } from '../../../src/approvals/decision/receive.ts';
import type { Absence } from '../../../src/approvals/electorate/absence.ts';
import { electorateOf } from '../../../src/approvals/electorate/electorate.ts';
import {
  dueAbsent,
  dueAbsentFirst,
  findAbsent,
} from '../../../src/approvals/electorate/find-absent.ts';
import { messageStateOf } from '../../../src/approvals/tell/message/message-state.ts';
import { remindedOf, waitedFor } from '../../../src/approvals/tell/message/waited-for.ts';
import type { Route } from '../../../src/core/config/config.ts';
import { STORE_AGAIN_MS } from '../../../src/core/engine/flow.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { personOf } from '../../support/slack-person.ts';
import { approvalWith, NOW, routeWith, termsWith } from '../approvals.ts';
import { listed } from '../ways-in/absence/listed.ts';

const SILENT = new RemoteFailure('silent', { class: 'ambiguous', code: 'timeout' });
const MINUTE = 60_000;
const UNTIL = NOW + 86_400_000;
const reviewers = { users: ['U0ANA', 'U0BEN'], groups: [] as string[], channel: false };
const groupOf = (...groups: string[]) => ({ users: [], groups, channel: false });
const step = { kind: 'find-absent', plannedAt: NOW, seenAt: NOW, changedAt: undefined } as const;

const person = (user: string, substitute?: string) => ({
  ids: [user],
  until: UNTIL,
  ...(substitute !== undefined && { substitute }),
});
const without = (...users: string[]): Absent => ({
  at: NOW,
  people: users.map((user) => person(user)),
});

function said(absent: Absent, route: Partial<Route> = {}, change: Partial<Approval> = {}): string {
  const approval = approvalWith({ absent, ...change });
  const terms = { ...termsWith(route), asOf: NOW + 5 };
  const state = messageStateOf(approval, terms, NOW + 5);
  if (state.name !== 'waiting') throw new Error('the message does not wait');
  return waitedFor(approval, state, terms);
}

const awayNote = `(away until <!date^${Math.floor(UNTIL / 1_000)}^{date_short_pretty} at {time}|${new Date(UNTIL).toISOString()}>)`;

describe('a person who is away', () => {
  const LEADS = { users: ['U0LEA'], groups: [] };
  const escalate = [{ after: 30 * MINUTE, to: LEADS }];
  const approve = (user: string) => ({ user, action: 'approve', at: NOW }) as const;

  test.each<[string, string, Absent, Partial<Route>, Partial<Approval>]>([
    ['is not mentioned', '*Waiting for* <@U0BEN>', without('U0ANA'), { reviewers }, {}],
    [
      'is mentioned where nobody else is left, with the note that they are away',
      `*Waiting for* <@U0ANA> ${awayNote} or <@U0BEN> ${awayNote}`,
      without('U0ANA', 'U0BEN'),
      { reviewers },
      {},
    ],
    [
      'is mentioned where too few others are left',
      `*Waiting for* <@U0ANA> ${awayNote} and <@U0BEN>`,
      without('U0ANA'),
      { reviewers, quorum: 2 },
      {},
    ],
    [
      'is mentioned with the only other one gone',
      `*Waiting for* <@U0ANA> ${awayNote}`,
      { ...without('U0ANA'), gone: { U0BEN: 'deactivated' } },
      { reviewers },
      {},
    ],
    [
      'has no substitute who is gone',
      '*Waiting for* <@U0BEN>',
      { at: NOW, people: [person('U0ANA', 'U0SUB')], gone: { U0SUB: 'guest' } },
      { reviewers, substitutes: true },
      {},
    ],
    [
      'leaves their place to those of a group who are not gone',
      '*Waiting for* <@U0CARL>',
      {
        ...without('U0ANA'),
        groups: { S0SRE: ['U0ANA', 'U0CARL', 'U0DAN'] },
        gone: { U0DAN: 'bot' },
      },
      { reviewers: groupOf('S0SRE') },
      {},
    ],
    [
      'has a substitute where the route allows one',
      '*Waiting for* <@U0SUB> or <@U0BEN>',
      { at: NOW, people: [person('U0ANA', 'U0SUB')] },
      { reviewers, substitutes: true },
      {},
    ],
    [
      'has none on another route',
      '*Waiting for* <@U0BEN>',
      { at: NOW, people: [person('U0ANA', 'U0SUB')] },
      { reviewers },
      {},
    ],
    [
      'is left out of their group, which is mentioned one by one',
      '*Waiting for* <@U0CARL> or <@U0DAN>',
      { ...without('U0ANA'), groups: { S0SRE: ['U0ANA', 'U0CARL', 'U0DAN'] } },
      { reviewers: groupOf('S0SRE') },
      {},
    ],
    [
      'is mentioned with their group where all of it is away',
      `*Waiting for* <@U0ANA> ${awayNote}`,
      { ...without('U0ANA'), groups: { S0SRE: ['U0ANA'] } },
      { reviewers: groupOf('S0SRE') },
      {},
    ],
    [
      'changes nothing where anybody in the channel can decide',
      '*Waiting for anyone in this channel*',
      without('U0ANA'),
      { reviewers: { ...groupOf(), channel: true } },
      {},
    ],
    [
      'is mentioned for a need that nobody else can fill',
      `*Waiting for* 1 of SRE (<@U0ANA> ${awayNote})`,
      without('U0ANA'),
      { reviewers, need: [{ name: 'SRE', count: 1, of: { users: ['U0ANA'], groups: [] } }] },
      {},
    ],
    [
      'is not mentioned while somebody else can decide later',
      '*Waiting* · nobody else can decide yet',
      without('U0ANA', 'U0BEN'),
      { reviewers, escalate },
      {},
    ],
    [
      'and has approved is not waited for again',
      '*Waiting for* <@U0BEN>',
      without('U0ANA'),
      { reviewers, quorum: 2 },
      { ballots: [approve('U0ANA')] },
    ],
    [
      'is nobody to mention once their substitute approved',
      '*Waiting for* <@U0BEN>',
      { at: NOW, people: [person('U0ANA', 'U0SUB')] },
      { reviewers, substitutes: true, quorum: 2 },
      { ballots: [{ ...approve('U0SUB'), for: { user: 'U0ANA' } }] },
    ],
  ])('%s', (_, expected, absent, route, change) => {
    expect(said(absent, route, change)).toBe(expected);
  });

  test('is not mentioned in a reminder', () => {
    const approval = approvalWith({ absent: without('U0ANA') });
    expect(remindedOf(approval, electorateOf(approval, termsWith({ reviewers })))).toBe('<@U0BEN>');
  });
});

test('a message and its reminder fit into a section however many are away', () => {
  const many = Array.from({ length: 45 }, (_, at) => `U0LONGID${1_000 + at}`);
  const all = { users: many, groups: [] };
  const need = ['SRE', 'Security', 'Data'].map((name) => ({ name, count: 1, of: all }));
  const reviewers = { ...all, channel: false };
  for (const route of [{ reviewers }, { reviewers, need }]) {
    const line = said(without(...many), route);
    expect(line).toContain('(away until <!date');
    expect(line).toMatch(/<@\w+> \(away\)/);
    const approval = approvalWith({ absent: without(...many) });
    const terms = { ...termsWith(route), asOf: NOW + 5 };
    const reminder = remindedOf(approval, electorateOf(approval, terms));
    expect(reminder).toMatch(/<@\w+> \(away\)/);
    expect(Math.max(line.length, String(reminder).length)).toBeLessThan(2_500);
  }
});

describe('the read of absences', () => {
  const away = (user: string, substitute?: string): Absence => ({
    v: 1,
    ids: [user],
    since: NOW,
    until: UNTIL,
    ...(substitute !== undefined && { substitute: { ids: [substitute] } }),
    lastChangeAt: NOW,
    notices: [],
    count: 0,
  });

  /** Without whom it asked then. */
  async function found(...given: Parameters<typeof read>) {
    const result = await read(...given);
    if (result.kind !== 'found') return result;
    const { asked: _, ...absent } = result.absent;
    return { ...result, absent };
  }

  function read(
    absences: readonly Absence[] | StoreError,
    route: Partial<Route> = {},
    change: Partial<Approval> = {},
    members: Readonly<Record<string, readonly string[]>> = {},
    people: Readonly<Record<string, Partial<SlackPerson> | null>> = {},
  ) {
    const approval = approvalWith(change);
    const personAsked = async (id: string) => {
      const person = people[id];
      if (person === null) throw SILENT;
      return { ...personOf(id), ...person };
    };
    const core = coreWith({
      timers: systemTimers,
      workspace: { team: 'T0', enterprise: null, teams: [] },
      config: { routes: [routeWith({ name: approval.route, reviewers, ...route })] },
      store: fake<Store>({
        now: () => NOW,
        async list() {
          if (absences instanceof StoreError) throw absences;
          return listed(absences);
        },
      }),
      lookup: fake<Lookup>({
        known: { person: personAsked },
        recent: fake<Lookup['recent']>({
          person: personAsked,
          groupMembers: async (id) => {
            const users = members[id];
            if (users === undefined) throw SILENT;
            return { users, missing: null };
          },
        }),
      }),
    });
    return findAbsent.execute(core as unknown as ApprovalCore, '0-1', approval, step);
  }

  test('finds absent reviewers of the request, and nobody else', async () => {
    expect(await found([away('U0ANA', 'U0SUB'), away('U0EVE')])).toEqual({
      kind: 'found',
      absent: { people: [person('U0ANA', 'U0SUB')] },
    });
    expect(await found([away('U0EVE')])).toEqual({ kind: 'found', absent: {} });
    expect(await found([])).toEqual({ kind: 'found', absent: {} });
  });

  test('finds those whom an escalation would only ask after the deadline: it may come earlier', async () => {
    const escalate = [{ after: 30 * MINUTE, to: { users: ['U0LEA'], groups: [] } }];
    const soon = { expiresAt: NOW + 10 * MINUTE };
    expect(await found([away('U0LEA')], { escalate }, soon)).toEqual({
      kind: 'found',
      absent: { people: [person('U0LEA')] },
    });
  });

  test('finds who of the people it would mention cannot decide any more', async () => {
    const [absent, gone] = [[away('U0CARL', 'U0SUB')], { deleted: true }];
    const members = { S0SRE: ['U0CARL', 'U0DAN', 'U0EVE'] };
    const route = { reviewers: { ...groupOf('S0SRE'), users: ['U0ANA', 'U0BEN'] } };
    const people = { U0BEN: gone, U0DAN: { isGuest: true }, U0SUB: { isBot: true } };
    expect(await found(absent, route, {}, members, people)).toEqual({
      kind: 'found',
      absent: {
        people: [person('U0CARL', 'U0SUB')],
        groups: members,
        gone: { U0BEN: 'deactivated', U0DAN: 'guest', U0SUB: 'bot' },
      },
    });
    // Where guests may decide, they are there.
    expect(await found([], { ...route, guests: true }, {}, members, people)).toEqual({
      kind: 'found',
      absent: { gone: { U0BEN: 'deactivated' } },
    });
    // A whole group is not looked through here.
    expect(await found([], { reviewers: groupOf('S0SRE') }, {}, members, people)).toEqual({
      kind: 'found',
      absent: {},
    });
  });

  test('takes people for present whom Slack does not show in time, unless they were gone before', async () => {
    const people = { U0ANA: null, U0BEN: null };
    const before = { absent: { at: NOW, gone: { U0BEN: 'guest', U0EVE: 'bot' } } } as const;
    expect(await found([], {}, before, {}, people)).toEqual({
      kind: 'found',
      absent: { gone: { U0BEN: 'guest', U0EVE: 'bot' }, isUnread: true },
    });
    // Of people who are not looked at here, what is known stays.
    expect(await found([], {}, before)).toEqual({
      kind: 'found',
      absent: { gone: { U0EVE: 'bot' } },
    });
  });

  test('ignores a substitute who is away too, or is the requester', async () => {
    expect(await found([away('U0ANA', 'U0SUB'), away('U0SUB')])).toEqual({
      kind: 'found',
      absent: { people: [person('U0ANA')] },
    });
    const requester = { user: 'U0SUB' };
    expect(await found([away('U0ANA', 'U0SUB')], {}, { requester })).toEqual({
      kind: 'found',
      absent: { people: [person('U0ANA')] },
    });
  });

  test('includes the members of groups, except large, empty or unknown groups', async () => {
    const many = Array.from({ length: 42 }, (_, at) => `U0${at}`);
    const members = { S0SRE: ['U0ANA', 'U0CARL'], S0ALL: ['U0ANA', ...many], S0NONE: [] };
    const route = { reviewers: groupOf('S0SRE', 'S0ALL', 'S0NONE', 'S0GONE'), substitutes: true };
    expect(await found([away('U0ANA', 'U0SUB')], route, {}, members)).toEqual({
      kind: 'found',
      absent: { people: [person('U0ANA', 'U0SUB')], groups: { S0SRE: ['U0ANA', 'U0CARL'] } },
    });
  });

  test('does not hold up the request while the store is away, and is due again soon', async () => {
    const isAway = new StoreError('unavailable', 'away');
    expect(await found(isAway)).toEqual({ kind: 'away' });
    const terms = termsWith({ reviewers });
    const fresh = approvalWith({ posts: [{ name: 'message', channel: 'C0PROD' }] });
    const first = dueAbsentFirst(fresh, terms, NOW);
    if (first === null || typeof first === 'number') throw new Error('nothing is due');
    const unread = findAbsent.apply(fresh, first, { kind: 'away' }, terms, NOW).data;
    expect(dueAbsentFirst(unread, terms, NOW)).toBeNull();
    // What was known before is kept.
    const before = approvalWith({ absent: { ...without('U0ANA'), changedAt: NOW } });
    const due = dueAbsent(before, terms, NOW);
    if (due === null || typeof due === 'number') throw new Error('nothing is due');
    const posted = findAbsent.apply(before, due, { kind: 'away' }, terms, NOW).data;
    expect(posted.absent?.people).toEqual([person('U0ANA')]);
    const againAt = NOW + STORE_AGAIN_MS;
    expect(dueAbsent(posted, terms, NOW)).toBe(againAt);
    const again = dueAbsent(posted, terms, againAt);
    if (again === null || typeof again === 'number') throw new Error('nothing is due again');
    const read = findAbsent.apply(posted, again, { kind: 'found', absent: {} }, terms, againAt);
    expect(read.data.absent).toEqual({ at: againAt });
  });

  test('is due again when an absence changes, and at each reminder', () => {
    const terms = termsWith({ reviewers, remind: { afterMs: MINUTE, times: 2 } });
    const seen = approvalWith({ absent: { at: NOW } });
    expect(dueAbsent(seen, terms, NOW)).toBeNull();
    expect(dueAbsent(seen, terms, NOW + MINUTE)).toMatchObject({ kind: 'find-absent' });
    expect(dueAbsent({ ...seen, withdrawnAt: NOW }, terms, NOW + MINUTE)).toBeNull();
    const signal = { id: 's', at: NOW + 1, body: '' };
    const changed = receiveSignal(seen, signal, { kind: 'absences' }, terms).data;
    const due = dueAbsent(changed, terms, NOW + 1);
    expect(due).toEqual({
      kind: 'find-absent',
      plannedAt: NOW + 1,
      seenAt: NOW,
      changedAt: NOW + 1,
    });
    if (due === null || typeof due === 'number') throw new Error('nothing is due');
    const applied = (to: Approval) =>
      findAbsent.apply(to, due, { kind: 'found', absent: {} }, terms, NOW + 2).data;
    expect(applied(changed).absent).toEqual({ at: NOW + 1 });
    // Known before the first read, it is due from when the request was made.
    const early = receiveSignal(approvalWith(), signal, { kind: 'absences' }, terms).data;
    expect(early.absent).toEqual({ at: NOW, changedAt: NOW + 1 });
    // A change during the read causes another read, whatever the clock says.
    const again = receiveSignal(changed, { ...signal, at: NOW }, { kind: 'absences' }, terms).data;
    expect(applied(again).absent).toEqual({ at: NOW + 1, changedAt: NOW });
  });

  test('is due again once a reload asks other people', async () => {
    const result = await read([], { reviewers: { ...reviewers, groups: ['S0SRE'] } });
    const asked = ['U0ANA', 'U0BEN', 'S0SRE'];
    expect(result).toMatchObject({ absent: { asked } });
    const terms = termsWith({ reviewers: { ...reviewers, groups: ['S0SRE'] } });
    const seen = findAbsent.apply(approvalWith(), step, result, terms, NOW).data;
    expect(dueAbsent(seen, terms, NOW)).toBeNull();
    const without = termsWith({ reviewers });
    expect(dueAbsent(seen, without, NOW + 1)).toMatchObject({ kind: 'find-absent', seenAt: NOW });
    // One that the version before read waits for the next reminder.
    expect(dueAbsent(approvalWith({ absent: { at: NOW } }), without, NOW + 1)).toBeNull();
    // What could not be read is read again first.
    const unread = findAbsent.apply(seen, step, { kind: 'away' }, without, NOW + 1).data;
    expect(dueAbsent(unread, without, NOW + 1)).toBe(NOW + 1 + STORE_AGAIN_MS);
  });
});

describe('a request with too few reviewers left', () => {
  const LEADS = { users: ['U0LEA'], groups: [] };
  const HEADS = { users: ['U0HEAD'], groups: [] };
  const escalate = [
    { after: 30 * MINUTE, to: LEADS },
    { after: 60 * MINUTE, to: HEADS },
  ];

  function looked(absent: object, route: Partial<Route> = {}, change: Partial<Approval> = {}) {
    const approval = approvalWith(change);
    const terms = { ...termsWith({ reviewers, escalate, ...route }), asOf: NOW + 5 };
    return findAbsent.apply(approval, step, { kind: 'found', absent }, terms, NOW + 5);
  }
  const people = (...users: string[]) => ({ people: users.map((user) => person(user)) });

  test('is escalated at once, by as many steps as needed, but not while enough are left', () => {
    expect(looked(people('U0ANA')).data.escalatedAt).toBeUndefined();
    const both = looked(people('U0ANA', 'U0BEN'));
    expect(both.data.escalatedAt).toEqual({ [30 * MINUTE]: NOW + 5 });
    expect(both.audit).toEqual([
      {
        action: 'approvals.escalated',
        record: null,
        actor: 'gatepost',
        facts: { route: 'production', why: 'away', steps: 1 },
      },
    ]);
    const lead = looked(people('U0ANA', 'U0BEN', 'U0LEA'));
    expect(lead.data.escalatedAt).toEqual({ [30 * MINUTE]: NOW + 5, [60 * MINUTE]: NOW + 5 });
    const { absent = { at: 0 } } = both.data;
    const escalated = { escalatedAt: both.data.escalatedAt ?? {} };
    expect(said(absent, { reviewers, escalate }, escalated)).toBe('*Waiting for* <@U0LEA>');
  });

  test('mentions everybody if no escalation step has anybody left either', () => {
    const all = ['U0ANA', 'U0BEN', 'U0LEA', 'U0HEAD'];
    const { data } = looked(people(...all));
    expect(Object.keys(data.escalatedAt ?? {})).toHaveLength(2);
    const { absent = { at: 0 }, escalatedAt = {} } = data;
    const line = said(absent, { reviewers, escalate }, { escalatedAt });
    for (const user of all) expect(line).toContain(`<@${user}> ${awayNote}`);
  });

  test('keeps an escalation that already happened, and is not escalated after its deadline', () => {
    const after = looked(people('U0ANA', 'U0BEN'), {}, { escalatedAt: { [30 * MINUTE]: NOW + 1 } });
    const terms = { route: routeWith({ reviewers, escalate }), asOf: NOW + 5 };
    const { begun } = electorateOf(after.data, terms);
    expect(begun.map(({ at }) => at)).toEqual([NOW + 1]);
    const over = looked(people('U0ANA', 'U0BEN'), {}, { expiresAt: NOW + 4 });
    expect(over.data.escalatedAt).toBeUndefined();
  });

  test('is escalated once by each step, also if the file has other times by now', () => {
    const everybody = people('U0ANA', 'U0BEN', 'U0LEA', 'U0HEAD');
    const changed = [
      { after: 45 * MINUTE, to: LEADS },
      { after: 60 * MINUTE, to: HEADS },
    ];
    const hastened = { [30 * MINUTE]: NOW + 1, [60 * MINUTE]: NOW + 1 };
    const { data } = looked(everybody, { escalate: changed }, { escalatedAt: hastened });
    expect(data.escalatedAt).toEqual({ ...hastened, [45 * MINUTE]: NOW + 5 });
    const withdrawn = looked(everybody, {}, { withdrawnAt: NOW + 1 });
    expect(withdrawn.data.escalatedAt).toBeUndefined();
  });

  test('is escalated by a step that would only be due after the deadline', () => {
    const change = { expiresAt: NOW + 20 * MINUTE };
    const terms = { ...termsWith({ reviewers, escalate }), asOf: NOW + 5 };
    const absent = without('U0ANA', 'U0BEN');
    expect(dueAbsent(approvalWith({ ...change, absent }), terms, NOW + 5)).toMatchObject({
      kind: 'find-absent',
    });
    const { data } = looked(people('U0ANA', 'U0BEN'), {}, change);
    expect(data.escalatedAt).toEqual({ [30 * MINUTE]: NOW + 5 });
  });

  test('is escalated if those who are left have approved and more approvals are needed', () => {
    const terms = termsWith({ reviewers, quorum: 2, escalate });
    const left = approvalWith({
      absent: without('U0ANA'),
      ballots: [{ user: 'U0BEN', action: 'approve', at: NOW }],
    });
    expect(dueAbsent(left, terms, NOW)).toMatchObject({ kind: 'find-absent' });
    const found = { kind: 'found', absent: people('U0ANA') } as const;
    const { data } = findAbsent.apply(left, step, found, terms, NOW);
    expect(data.escalatedAt).toEqual({ [30 * MINUTE]: NOW });
    expect(dueAbsent(data, terms, NOW)).toBeNull();
  });
});
