import { describe, expect, test } from 'vitest';
import type { Action, Approval, Ballot } from '../../../src/approvals/approval.ts';
import type { Absence } from '../../../src/approvals/electorate/absence.ts';
import { beginAsking } from '../../../src/approvals/electorate/asking.ts';
import { electorateOf } from '../../../src/approvals/electorate/electorate.ts';
import { authorizeAgain, authorizePress } from '../../../src/approvals/electorate/stand-ins.ts';
import { tally } from '../../../src/approvals/electorate/tally.ts';
import type { Route } from '../../../src/core/config/config.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Directory } from '../../../src/core/people/directory.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';
import { approvalWith, NOW, routeWith, termsWith } from '../approvals.ts';
import { listed } from '../ways-in/absence/listed.ts';

/** Ana reviews, is away, and has named Ben, who reviews nothing; Carl reviews as well. */

const away = (user: string, substitute: string, change: Partial<Absence> = {}): Absence => ({
  v: 1,
  ids: [user],
  since: NOW,
  until: NOW + 86_400_000,
  substitute: { ids: [substitute] },
  lastChangeAt: NOW,
  notices: [],
  count: 0,
  ...change,
});

interface World {
  readonly absences?: readonly Absence[];
  readonly people?: Readonly<Record<string, Partial<SlackPerson>>>;
  /** Accounts that are not active. */
  readonly inactive?: readonly string[];
  readonly unseen?: readonly string[];
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  readonly isStoreAway?: boolean;
}

const SILENT = new RemoteFailure('silent', { class: 'ambiguous', code: 'timeout' });

function coreOf({ absences = [away('U0ANA', 'U0BEN')], ...world }: World) {
  const { people = {}, inactive = [], unseen = [], groups = {}, isStoreAway } = world;
  return coreWith({
    timing: TRUE_TIME,
    store: fake<Store>({
      now: () => NOW,
      async list(names) {
        if (isStoreAway) throw new StoreError('unavailable', 'away');
        const named = ({ substitute }: Absence) =>
          substitute?.ids.some((id) => names.includes(`stands-in:${id}`));
        return listed(absences.filter(named));
      },
    }),
    lookup: fake<Lookup>({
      person: async (id) => {
        if (unseen.includes(id)) throw SILENT;
        return slackPerson({ id, teamId: 'T0', email: `${id}@example.com`, ...people[id] });
      },
      isMember: async () => false,
      groupMembers: async (id) => ({ users: groups[id] ?? [], missing: null }),
      lastSeen: () => undefined,
    }),
    directory: fake<Directory>({
      readAhead() {},
      serviceUserFor: async ({ id }) => ({
        identity: inactive.includes(id)
          ? { kind: 'inactive' }
          : { kind: 'linked', userId: `user-${id}`, active: true },
        address: `${id}@example.com`,
        account: null,
        alsoKnownAs: [],
      }),
    }),
    workspace: { team: 'T0', enterprise: null, teams: [] },
  });
}

const asking = () => beginAsking({ ages: { monotonic: () => 0 }, timing: TRUE_TIME });

const reviewers = { users: ['U0ANA', 'U0CARL'], groups: [], channel: false };

function press(
  world: World = {},
  route: Partial<Route> = {},
  approval: Partial<Approval> = {},
  { user = 'U0BEN', action = 'approve' }: { user?: string; action?: Action } = {},
) {
  const terms = { route: routeWith({ reviewers, substitutes: true, ...route }), asOf: NOW };
  const { ballots, ...request } = approvalWith(approval);
  const electorate = electorateOf(request, terms);
  return authorizePress(coreOf(world), electorate, { ballots, user, asking: asking(), action });
}

const forAna = {
  kind: 'accepted',
  serviceUser: 'user-U0BEN',
  for: { user: 'U0ANA', serviceUser: 'user-U0ANA' },
};
const refused = (code: string) => ({ kind: 'not-allowed', code });
const ballotFor = (user: string, giver: string): Ballot => ({
  user,
  action: 'approve',
  at: NOW,
  serviceUser: `user-${user}`,
  for: { user: giver, serviceUser: `user-${giver}` },
});

describe('a substitute', () => {
  test.each<Action>(['approve', 'reject'])(
    'can %s in place of a person who is away',
    async (action) => {
      expect(await press({}, {}, {}, { action })).toEqual(forAna);
    },
  );

  test.each<[string, World, Partial<Route>, Partial<Approval>, string]>([
    ['where the route has none', {}, { substitutes: false }, {}, 'not-a-reviewer'],
    [
      'once they declined',
      { absences: [away('U0ANA', 'U0BEN', { substitute: { ids: ['U0BEN'], declinedAt: 1 } })] },
      {},
      {},
      'not-a-reviewer',
    ],
    [
      'once that person is back',
      { absences: [away('U0ANA', 'U0BEN', { until: NOW })] },
      {},
      {},
      'not-a-reviewer',
    ],
    ['for somebody who cannot', { absences: [away('U0DAN', 'U0BEN')] }, {}, {}, 'giver-cannot'],
    ['for somebody who is deactivated', { inactive: ['U0ANA'] }, {}, {}, 'giver-cannot'],
    ['for whoever asked', {}, {}, { requester: { user: 'U0ANA' } }, 'giver-cannot'],
    [
      'for the requester, even if the requester could decide',
      {},
      { selfApproval: true },
      { requester: { user: 'U0ANA' } },
      'giver-cannot',
    ],
    [
      'what they asked for',
      {},
      { selfApproval: true },
      { requester: { user: 'U0BEN' } },
      'requester',
    ],
    [
      'as a guest, though guests can',
      { people: { U0BEN: { isGuest: true } } },
      { guests: true },
      {},
      'guest',
    ],
    ['without an active account', { inactive: ['U0BEN'] }, {}, {}, 'inactive'],
    [
      'for somebody whose substitute is away',
      { absences: [away('U0ANA', 'U0DAN'), away('U0DAN', 'U0BEN')] },
      {},
      {},
      'giver-cannot',
    ],
  ])('cannot decide %s', async (_, world, route, approval, code) => {
    expect(await press(world, route, approval)).toEqual(refused(code));
  });

  test('is retried while Slack or the store does not answer', async () => {
    expect(await press({ unseen: ['U0ANA'] })).toEqual({ kind: 'failed', failure: SILENT.facts });
    expect(await press({ isStoreAway: true })).toMatchObject({ kind: 'failed', of: 'store' });
    // A person who can decide without it is not delayed.
    const carl = { kind: 'accepted', serviceUser: 'user-U0CARL' };
    expect(await press({ isStoreAway: true }, {}, {}, { user: 'U0CARL' })).toEqual(carl);
  });

  test('decides in their own right if they are a reviewer', async () => {
    const world = { absences: [away('U0ANA', 'U0CARL')] };
    const carl = { kind: 'accepted', serviceUser: 'user-U0CARL' };
    expect(await press(world, {}, {}, { user: 'U0CARL' })).toEqual(carl);
  });

  test('covers a need of the absent person if they can cover none themselves', async () => {
    const need = [{ name: 'SRE', count: 1, of: { users: [], groups: ['S0SRE'] } }];
    const world = { absences: [away('U0ANA', 'U0CARL')], groups: { S0SRE: ['U0ANA'] } };
    const found = await press(world, { need }, {}, { user: 'U0CARL' });
    const place = { user: 'U0ANA', serviceUser: 'user-U0ANA' };
    expect(found).toEqual({
      kind: 'accepted',
      serviceUser: 'user-U0CARL',
      for: place,
      through: ['S0SRE'],
    });
    const ballots = [{ ...ballotFor('U0CARL', 'U0ANA'), through: ['S0SRE'] }];
    const electorate = electorateOf(approvalWith(), termsWith({ need }));
    expect(tally(electorate, ballots)).toMatchObject({ isEnough: true });
    const both = { absences: world.absences, groups: { S0SRE: ['U0ANA', 'U0CARL'] } };
    expect(await press(both, { need }, {}, { user: 'U0CARL' })).not.toHaveProperty('for');
  });

  test('covers the absent person’s open need if their own is covered', async () => {
    const need = ['SRE', 'SEC'].map((name) => ({
      name,
      count: 1,
      of: { users: [], groups: [`S0${name}`] },
    }));
    const groups = { S0SRE: ['U0CARL', 'U0DAN'], S0SEC: ['U0ANA'] };
    const world = { absences: [away('U0ANA', 'U0CARL')], groups };
    const user = 'U0CARL';
    expect(await press(world, { need }, {}, { user })).not.toHaveProperty('for');
    const dan: Ballot = { user: 'U0DAN', action: 'approve', at: NOW, through: ['S0SRE'] };
    const found = await press(world, { need }, { ballots: [dan] }, { user });
    expect(found).toMatchObject({ for: { user: 'U0ANA' } });
  });

  test('decides for the absent person under the id that their own press would have', async () => {
    const world = { absences: [away('W0ANA', 'U0BEN', { ids: ['W0ANA', 'U0ANA'] })] };
    expect(await press(world)).toMatchObject({ for: { user: 'U0ANA' } });
  });

  test('of two people decides in place of one who has not voted', async () => {
    const world = { absences: [away('U0ANA', 'U0BEN'), away('U0CARL', 'U0BEN')] };
    expect(await press(world)).toMatchObject({ for: { user: 'U0ANA' } });
    const ana: Ballot = { user: 'U0ANA', action: 'approve', at: NOW };
    expect(await press(world, {}, { ballots: [ana] })).toMatchObject({ for: { user: 'U0CARL' } });
    const own = [ballotFor('U0BEN', 'U0ANA')];
    expect(await press(world, {}, { ballots: own })).toMatchObject({ for: { user: 'U0ANA' } });
  });
});

describe('a vote in place of somebody', () => {
  test('counts as one with that person’s own vote, and with any other vote of the substitute', () => {
    const have = (...ballots: Ballot[]) =>
      tally(electorateOf(approvalWith(), termsWith({ reviewers, quorum: 2 })), ballots).have;
    const own = (user: string): Ballot => ({ user, action: 'approve', at: NOW });
    expect(have(ballotFor('U0BEN', 'U0ANA'), own('U0ANA'))).toBe(1);
    expect(have(ballotFor('U0BEN', 'U0ANA'), own('U0BEN'))).toBe(1);
    expect(have(ballotFor('U0BEN', 'U0ANA'), ballotFor('U0DAN', 'U0ANA'))).toBe(1);
    expect(have(ballotFor('U0BEN', 'U0ANA'), ballotFor('U0BEN', 'U0CARL'))).toBe(1);
    expect(have(ballotFor('U0BEN', 'U0ANA'), own('U0CARL'))).toBe(2);
    const other = { ...own('U1ANA'), serviceUser: 'user-U0ANA' };
    expect(have(ballotFor('U0BEN', 'U0ANA'), other)).toBe(1);
  });

  test.each<[string, World, Partial<Route>, object]>([
    ['counts while both may', {}, {}, forAna],
    ['goes when that person is back', { absences: [] }, {}, refused('giver-back')],
    [
      'goes when the absence is over, even before it is removed',
      { absences: [away('U0ANA', 'U0BEN', { until: NOW })] },
      {},
      refused('giver-back'),
    ],
    [
      'goes when whoever cast it declined',
      { absences: [away('U0ANA', 'U0BEN', { substitute: { ids: ['U0BEN'], declinedAt: NOW } })] },
      {},
      refused('giver-back'),
    ],
    [
      'goes when somebody else was named',
      { absences: [away('U0ANA', 'U0DAN')] },
      {},
      refused('giver-back'),
    ],
    [
      'is no substitute for another who is away',
      { absences: [away('U0CARL', 'U0BEN')] },
      {},
      refused('giver-back'),
    ],
    [
      'is known by every id of that person',
      { absences: [away('W0ANA', 'U0BEN', { ids: ['W0ANA', 'U0ANA'] })] },
      {},
      forAna,
    ],
    [
      'waits for the store',
      { isStoreAway: true },
      {},
      { kind: 'failed', of: 'store', failure: expect.anything() },
    ],
    [
      'goes with a person who is back, whatever Slack does not say',
      { absences: [], unseen: ['U0ANA'] },
      {},
      refused('giver-back'),
    ],
    ['goes with the right of that person', { inactive: ['U0ANA'] }, {}, refused('giver-cannot')],
    ['goes with whoever cast it', { inactive: ['U0BEN'] }, {}, refused('inactive')],
    [
      'goes where the route allows none any more',
      {},
      { substitutes: false },
      refused('not-a-reviewer'),
    ],
    ['waits for Slack', { unseen: ['U0ANA'] }, {}, { kind: 'failed', failure: SILENT.facts }],
  ])('%s', async (_, world, route, expected) => {
    const terms = termsWith({ reviewers, substitutes: true, ...route });
    const { ballots, ...request } = approvalWith({ ballots: [ballotFor('U0BEN', 'U0ANA')] });
    const electorate = electorateOf(request, terms);
    const found = await authorizeAgain(coreOf(world), electorate, {
      ...{ ballots, user: 'U0BEN', asking: asking(), action: 'approve' },
    });
    expect(found).toEqual(expected);
  });
});
