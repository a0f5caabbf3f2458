import { describe, expect, test } from 'vitest';
import type { Approval, Ballot } from '../../../src/approvals/approval.ts';
import { beginAsking } from '../../../src/approvals/electorate/asking.ts';
import { type Electorate, electorateOf } from '../../../src/approvals/electorate/electorate.ts';
import { eligible } from '../../../src/approvals/electorate/eligible.ts';
import { isSamePerson, votersFor } from '../../../src/approvals/electorate/votes.ts';
import type { Route } from '../../../src/core/config/config.ts';
import type { Core } from '../../../src/core/core.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Directory, KnownAccount } from '../../../src/core/people/directory.ts';
import type { Identity } from '../../../src/core/people/identity.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import { StoreError } from '../../../src/core/store/store.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';
import { approvalWith, NOW, routeWith } from '../approvals.ts';

const linked: Identity = { kind: 'linked', userId: 'user-ana', active: true };

interface World {
  readonly person?: Partial<SlackPerson>;
  /** Slack's facts about people other than Ana. */
  readonly others?: Readonly<Record<string, Partial<SlackPerson>>>;
  readonly identity?: Identity;
  readonly account?: KnownAccount;
  readonly alsoKnownAs?: readonly string[];
  readonly members?: readonly string[];
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Groups that no longer exist. */
  readonly missing?: readonly string[];
  /** Groups that Slack does not return now. */
  readonly limited?: readonly string[];
  /** The workspace's plan has no groups. */
  readonly isFree?: boolean;
  readonly failure?: RemoteFailure;
  /** Failures of the directory only. */
  readonly unlisted?: RemoteFailure | StoreError;
}

function needsOf(world: World): Core {
  const {
    person,
    identity = linked,
    members,
    groups,
    missing = [],
    limited = [],
    isFree,
    failure,
    unlisted,
  } = world;
  const { others = {}, account = null, alsoKnownAs = [] } = world;
  const { email = 'ana@example.com', isEmailConfirmed = true } = person ?? {};
  const address = isEmailConfirmed ? email : null;
  const answer = async <Value>(value: Value): Promise<Value> => {
    if (failure !== undefined) throw failure;
    return value;
  };
  return coreWith({
    timing: TRUE_TIME,
    lookup: fake<Lookup>({
      person: (id) =>
        answer(slackPerson({ id, teamId: 'T0', ...(id === 'U0ANA' ? person : others[id]) })),
      isMember: (_channel, id) => answer(members?.includes(id) ?? false),
      groupMembers: async (id) => {
        if (limited.includes(id)) throw LIMITED;
        return answer({
          users: groups?.[id] ?? [],
          missing: isFree ? 'no_groups_in_plan' : missing.includes(id) ? 'unknown_group' : null,
        });
      },
      lastSeen: () => undefined,
    }),
    directory: fake<Directory>({
      readAhead() {},
      serviceUserFor: () =>
        unlisted ? Promise.reject(unlisted) : answer({ identity, address, account, alsoKnownAs }),
    }),
    workspace: { team: 'T0', enterprise: null, teams: ['T0PARTNER'] },
  });
}

function ask(
  world: World = {},
  route: Partial<Route> = {},
  approval: Partial<Approval> = {},
  user = 'U0ANA',
) {
  return eligible(needsOf(world), electorateWith(route, approval), user, asking());
}

function electorateWith(route: Partial<Route> = {}, approval: Partial<Approval> = {}): Electorate {
  return electorateOf(approvalWith(approval), { route: routeWith(route), asOf: NOW });
}

const asking = () => beginAsking({ ages: { monotonic: () => 0 }, timing: TRUE_TIME });
const LIMITED = new RemoteFailure('limited', {
  class: 'refused',
  code: 'ratelimited',
  status: 429,
});
const accepted = { kind: 'accepted', serviceUser: 'user-ana' };
const refused = (code: string) => ({ kind: 'not-allowed', code });
const nobody = { users: [], groups: [], channel: false };

const people = (...users: string[]) => ({ users, groups: [] });

describe('a route that requires a known requester', () => {
  const known = { requester: 'known' } as const;

  test('takes no approval of an older request of which it is not known who asked', async () => {
    expect(await ask({}, known)).toEqual(refused('requester-not-known'));
    const requester = { name: 'Ben', known: false };
    expect(await ask({}, known, { requester })).toEqual(refused('requester-not-known'));
    expect(await ask({}, known, { requester: { user: 'U0BEN', known: true } })).toEqual(accepted);
  });

  test('takes a rejection', async () => {
    const found = eligible(needsOf({}), electorateWith(known), 'U0ANA', asking(), 'reject');
    expect(await found).toEqual(accepted);
  });
});

describe('the groups that needs name', () => {
  const need = ['S0SRE', 'S0SEC'].map((group) => {
    return { name: group, count: 1, of: { users: [], groups: [group] } };
  });
  const groups = { S0SRE: ['U0ANA'], S0SEC: [] };

  test('are looked up for a reviewer; a group that Slack does not answer for is reported as unread', async () => {
    expect(await ask({ groups }, { need })).toEqual({ ...accepted, through: ['S0SRE'] });
    expect(await ask({ groups, limited: ['S0SEC'] }, { need })).toEqual({
      ...accepted,
      through: ['S0SRE'],
      unread: { groups: ['S0SEC'], failure: LIMITED.facts },
    });
  });

  test('do not make anybody a reviewer, and do not delay the refusal of somebody else', async () => {
    const world = { groups, limited: ['S0SEC'] };
    expect(await ask(world, { need, reviewers: nobody })).toEqual(refused('not-a-reviewer'));
  });

  test('are not looked up for a rejection', async () => {
    const needs = needsOf({ groups, limited: ['S0SRE', 'S0SEC'] });
    const found = eligible(needs, electorateWith({ need }), 'U0ANA', asking(), 'reject');
    expect(await found).toEqual(accepted);
  });
});

describe('who is a reviewer', () => {
  test.each<[string, Partial<Route>, Partial<Approval>, World, object]>([
    ['a person named by the route', {}, {}, {}, accepted],
    [
      'nobody, if nobody is named',
      { reviewers: nobody },
      {},
      { members: ['U0ANA'] },
      refused('not-a-reviewer'),
    ],
    [
      'a member of a group',
      { reviewers: { ...nobody, groups: ['S0A', 'S0B'] } },
      {},
      { groups: { S0B: ['U0ANA'] } },
      { ...accepted, through: ['S0B'] },
    ],
    [
      'anyone in the channel, where the route says so',
      { reviewers: { ...nobody, channel: true } },
      {},
      { members: ['U0ANA'] },
      { ...accepted, through: ['channel'] },
    ],
    [
      'nobody outside the channel',
      { reviewers: { ...nobody, channel: true } },
      {},
      {},
      refused('not-a-reviewer'),
    ],
    [
      'not a reviewer whom the request leaves out',
      {},
      { narrowedTo: { users: ['U0BEN'], groups: [] } },
      {},
      refused('not-a-reviewer'),
    ],
    [
      'nobody whom the request alone names',
      { reviewers: { ...nobody, users: ['U0BEN'] } },
      { narrowedTo: { users: ['U0ANA'], groups: [] } },
      {},
      refused('reviewer-no-more'),
    ],
    [
      'nobody, if the request narrows to nobody',
      { reviewers: { ...nobody, channel: true } },
      { narrowedTo: { users: [], groups: [] } },
      { members: ['U0ANA'] },
      refused('not-a-reviewer'),
    ],
    ['a quiet reviewer', { reviewers: nobody, quiet: people('U0ANA') }, {}, {}, accepted],
    [
      'a member of a quiet group',
      { reviewers: nobody, quiet: { users: [], groups: ['S0A'] } },
      {},
      { groups: { S0A: ['U0ANA'] } },
      { ...accepted, through: ['S0A'] },
    ],
    [
      'not a quiet reviewer whom the request leaves out',
      { quiet: people('U0ANA') },
      { narrowedTo: people('U0BEN') },
      {},
      refused('not-a-reviewer'),
    ],
    [
      'a quiet reviewer whom the request names',
      { reviewers: nobody, quiet: people('U0ANA') },
      { narrowedTo: people('U0ANA') },
      {},
      accepted,
    ],
    [
      'nobody who can decide only later',
      { reviewers: nobody, escalate: [{ after: 60_000, to: people('U0ANA') }] },
      {},
      {},
      refused('not-a-reviewer'),
    ],
    [
      'nobody whom the request names too early',
      { reviewers: nobody, escalate: [{ after: 60_000, to: people('U0ANA') }] },
      { narrowedTo: people('U0ANA') },
      {},
      refused('reviewer-no-more'),
    ],
    [
      'whoever it was escalated to',
      { reviewers: nobody, escalate: [{ after: 0, to: people('U0ANA') }] },
      {},
      {},
      accepted,
    ],
    [
      'a member of a group that it was escalated to, though the request names others',
      { escalate: [{ after: 0, to: { users: [], groups: ['S0A'] } }] },
      { narrowedTo: people('U0BEN') },
      { groups: { S0A: ['U0ANA'] } },
      { ...accepted, through: ['S0A'] },
    ],
    [
      'never the requester, whoever it was escalated to',
      { reviewers: nobody, escalate: [{ after: 0, to: people('U0ANA') }] },
      { requester: { user: 'U0ANA' } },
      {},
      refused('requester'),
    ],
    [
      'a reviewer whom the request names by group',
      {},
      { narrowedTo: { users: [], groups: ['S0A'] } },
      { groups: { S0A: ['U0ANA'] } },
      { ...accepted, through: ['S0A'] },
    ],
  ])('%s', async (_who, route, approval, world, result) => {
    expect(await ask(world, route, approval)).toEqual(result);
  });
});

describe('a user group that no longer exists', () => {
  const inGroups = { reviewers: { ...nobody, groups: ['S0A', 'S0B'] } };

  test('does not matter for a member of another group, and is reported', async () => {
    const world = { missing: ['S0A'], groups: { S0B: ['U0ANA'] } };
    expect(await ask(world, inGroups)).toEqual({
      ...accepted,
      through: ['S0B'],
      missingGroups: ['S0A'],
    });
  });

  test('is the reason if somebody cannot be authorized', async () => {
    expect(await ask({ missing: ['S0A'] }, inGroups)).toEqual({
      ...refused('group-missing'),
      missingGroups: ['S0A'],
    });
  });

  test('is told apart from a Slack plan without user groups', async () => {
    const { groups } = inGroups.reviewers;
    expect(await ask({ isFree: true }, inGroups)).toEqual({
      ...refused('no-user-groups'),
      missingGroups: groups,
      noGroupsInPlan: true,
    });
    const reviewers = { ...nobody, users: ['U0ANA'], groups };
    expect(await ask({ isFree: true }, { reviewers })).toEqual(accepted);
  });

  test('is also reported if only the request names it', async () => {
    const narrowedTo = { users: [], groups: ['S0GONE'] };
    expect(await ask({ missing: ['S0GONE'] }, {}, { narrowedTo })).toMatchObject({
      missingGroups: ['S0GONE'],
    });
  });
});

describe('the requester does not decide', () => {
  test.each<[string, Approval['requester'], object]>([
    ['by the id', { user: 'U0ANA' }, refused('requester')],
    ['by the address, in any case', { email: 'Ana@Example.com' }, refused('requester')],
    ['by a name it is nobody', { name: 'Ana' }, accepted],
    ['somebody else may', { user: 'U0BEN', email: 'ben@example.com' }, accepted],
  ])('known %s', async (_how, requester, result) => {
    expect(await ask({}, {}, requester && { requester })).toEqual(result);
  });

  const ofRita = { id: 'user-rita', userName: 'Rita@example.com', externalId: 'rita' };
  const ofAna = { id: 'user-ana', userName: 'ana@example.com', externalId: null };
  const rita = { U0RITA: { email: 'rita@example.com' } };
  const inGrid = { globalId: 'W0ANA' };

  test.each<[string, Approval['requester'], World]>([
    ['by the address of an account that an override links', { email: 'rita@example.com' }, {}],
    ['by its external id', { email: 'rita' }, {}],
    ['by the Slack account that has its address', { user: 'U0RITA' }, { others: rita }],
    [
      'by the Slack account that is linked with it',
      { user: 'U0ANA2' },
      { account: ofAna, alsoKnownAs: ['U0ANA2'] },
    ],
    ['by the id in the organisation', { user: 'W0ANA' }, { person: inGrid }],
    [
      'by another id in the organisation',
      { user: 'U1ANA' },
      { account: ofAna, person: inGrid, others: { U1ANA: { ...inGrid, email: null } } },
    ],
    [
      'by the same address in another workspace',
      { user: 'U1ANA' },
      { account: ofAna, person: { teamId: 'T0PARTNER' }, others: { U1ANA: {} } },
    ],
  ])('with a second account, known %s', async (_how, requester, world) => {
    expect(await ask({ account: ofRita, ...world }, {}, requester && { requester })).toEqual(
      refused('requester'),
    );
    const loud = { requester: requester ?? {} };
    const allowed = await ask({ account: ofRita, ...world }, { selfApproval: true }, loud);
    expect(allowed).toMatchObject({ kind: 'accepted' });
  });

  test('except for an own gate on a route with loud self-approval, which marks the approval as their own', async () => {
    const requester = { user: 'U0ANA' };
    const route = { selfApproval: 'loud' } as const;
    const gate = { key: 'deploy/1', requester };
    expect(await ask({}, route, gate)).toEqual({ ...accepted, self: true });
    expect(await ask({}, route, { requester })).toEqual(refused('requester'));
    expect(await ask({}, route, { ...gate, requester: { user: 'U0BEN' } })).toEqual(accepted);
    const unknown = { ...gate, requester: { email: 'rita@example.com' } };
    const hidden = { person: { email: null, isEmailConfirmed: false } };
    expect(await ask(hidden, route, unknown)).toMatchObject({ kind: 'not-allowed' });
  });

  test('but only if another reviewer of the route can be told, whatever the request narrows', async () => {
    const gate = { key: 'deploy/1', requester: { user: 'U0ANA' } };
    const loud = { selfApproval: 'loud' } as const;
    const reviewedBy = (reviewers: Partial<Route['reviewers']>) => ({
      ...loud,
      reviewers: { ...nobody, ...reviewers },
    });
    expect(await ask({}, reviewedBy({ users: ['U0ANA'] }), gate)).toEqual(
      refused('nobody-to-tell'),
    );
    const groups = { S0OPS: ['U0ANA'], S0ALL: ['U0ANA', 'U0BEN', 'U0BOT'] };
    expect(await ask({ groups }, reviewedBy({ groups: ['S0OPS'] }), gate)).toEqual(
      refused('nobody-to-tell'),
    );
    const narrowed = { ...gate, narrowedTo: { users: [], groups: ['S0OPS'] } };
    expect(await ask({ groups }, reviewedBy({ groups: ['S0ALL'] }), narrowed)).toMatchObject({
      self: true,
    });
    const others = { U0BEN: { deleted: true }, U0BOT: { isBot: true } };
    expect(await ask({ groups, others }, reviewedBy({ groups: ['S0ALL'] }), gate)).toEqual(
      refused('nobody-to-tell'),
    );
    expect(await ask({ members: ['U0ANA'] }, reviewedBy({ channel: true }), gate)).toMatchObject({
      self: true,
    });
  });

  test('but somebody else with an overridden account does, unless their address may be the requester’s', async () => {
    const world = { account: ofRita, others: { U0BEN: { email: 'ben@example.com' } } };
    const decides = { ...accepted, account: 'user-rita' };
    expect(await ask(world, {}, { requester: { user: 'U0BEN' } })).toEqual(decides);
    expect(await ask(world, {}, { requester: { email: 'ben@example.com' } })).toEqual(decides);
    // An unconfirmed or hidden address may be the requester's.
    for (const person of [
      { email: null },
      { email: 'typed@example.com', isEmailConfirmed: false },
    ]) {
      const hidden = { ...world, person };
      expect(await ask(hidden, {}, { requester: { email: 'ben@example.com' } })).toEqual(
        refused('requester-unknown'),
      );
    }
    const own = { email: 'typed@example.com', isEmailConfirmed: false };
    expect(await ask({ person: own }, {}, { requester: { email: own.email } })).toEqual(
      refused('requester'),
    );
  });

  test('and their profile is read from Slack only if needed to compare addresses', async () => {
    const needs = needsOf({ account: ofAna });
    const asked: string[] = [];
    const person = (id: string) => {
      asked.push(id);
      return needs.lookup.person(id);
    };
    const lookup = { ...needs.lookup, person };
    const electorate = electorateWith({}, { requester: { user: 'U0BEN' } });
    await eligible({ ...needs, lookup }, electorate, 'U0ANA', asking());
    expect(asked).toEqual(['U0ANA']);
  });

  test('and nobody does while Slack does not say who the requester is', async () => {
    const facts = { class: 'ambiguous', code: 'timeout' } as const;
    const needs = needsOf({ account: ofRita });
    const person = (id: string) =>
      id === 'U0ANA'
        ? needs.lookup.person(id)
        : Promise.reject(new RemoteFailure('users.info', facts));
    const lookup = { ...needs.lookup, person };
    const electorate = electorateWith({}, { requester: { user: 'U0BEN' } });
    const found = eligible({ ...needs, lookup }, electorate, 'U0ANA', asking());
    expect(await found).toEqual({ kind: 'failed', failure: facts });
  });

  test('and nobody does whose address is hidden, if the requester is known only by address', async () => {
    const person = { email: null };
    const byAddress = { requester: { email: 'rita@example.com' } };
    expect(await ask({ person }, {}, byAddress)).toEqual(refused('requester-unknown'));
    expect(await ask({ person }, { selfApproval: true }, byAddress)).toEqual(accepted);
    const found = { requester: { email: 'rita@example.com', user: 'U0RITA' } };
    expect(await ask({ person }, {}, found)).toEqual(accepted);
  });

  test.each([
    ['x@bücher.example', 'X@xn--bcher-kva.example'],
    ['x@xn--bcher-kva.example', 'x@bücher.example'],
    ['jürgen@example.com', 'Ju\u0308rgen@example.com'],
    ['ana_x.com#EXT#@y.onmicrosoft.com', 'Ana_x.com#ext#@y.onmicrosoft.com'],
  ])('however the address is written (%s)', async (asked, own) => {
    const requester = { requester: { email: asked, lookups: 8 } };
    expect(await ask({ person: { email: own } }, {}, requester)).toEqual(refused('requester'));
  });

  test.each(['49699333+dependabot[bot]@users.noreply.github.com', 'root@localhost'])(
    'and if nobody in Slack has the requester’s address, only people with a visible address decide (%s)',
    async (email) => {
      const requester = { requester: { email, lookups: 8 } };
      expect(await ask({}, {}, requester)).toEqual(accepted);
      expect(await ask({ person: { email: null } }, {}, requester)).toEqual(
        refused('requester-unknown'),
      );
    },
  );

  test('unless the route allows self-approval', async () => {
    const requester = { user: 'U0ANA' };
    expect(await ask({}, { selfApproval: true }, { requester })).toEqual(accepted);
  });
});

describe('the Slack profile of a person', () => {
  test.each<[string, Partial<SlackPerson>, string]>([
    ['an app', { isBot: true }, 'bot'],
    ['a deactivated account', { deleted: true }, 'deactivated'],
    ['another workspace', { teamId: 'T0OTHER' }, 'other-company'],
    ['a guest', { isGuest: true }, 'guest'],
    ['a stranger', { isStranger: true }, 'stranger'],
  ])('excludes %s', async (_what, person, code) => {
    expect(await ask({ person })).toEqual(refused(code));
  });

  test('does not exclude guests or allowed workspaces if the configuration allows them', async () => {
    expect(await ask({ person: { isGuest: true } }, { guests: true })).toEqual(accepted);
    expect(await ask({ person: { teamId: 'T0PARTNER' } })).toEqual(accepted);
  });
});

describe('the account in the service', () => {
  test.each<[Identity['kind'], Identity, object, object]>([
    ['linked', linked, accepted, accepted],
    ['inactive', { kind: 'inactive' }, refused('inactive'), refused('inactive')],
    [
      'unknown-activity',
      { kind: 'unknown-activity' },
      refused('activity-unknown'),
      refused('activity-unknown'),
    ],
    ['several', { kind: 'several' }, refused('several-accounts'), refused('several-accounts')],
    ['none', { kind: 'none' }, refused('not-linked'), { kind: 'accepted' }],
    [
      'not-shown',
      { kind: 'not-shown' },
      refused('account-not-shown'),
      refused('account-not-shown'),
    ],
    ['no-address', { kind: 'no-address' }, refused('no-address'), { kind: 'accepted' }],
    ['no-directory', { kind: 'no-directory' }, refused('no-directory'), { kind: 'accepted' }],
  ])(
    '%s is accepted or refused as the route’s identity setting says',
    async (_kind, identity, required, omitted) => {
      expect(await ask({ identity }, { identity: 'require' })).toEqual(required);
      expect(await ask({ identity }, { identity: 'omit' })).toEqual(omitted);
    },
  );
});

describe('somebody without a confirmed address', () => {
  const person = { isEmailConfirmed: false };

  test('can decide through an override', async () => {
    expect(await ask({ person })).toEqual(accepted);
  });

  test('is identified by a linked account, but its id is not sent', async () => {
    const account = { id: 'u-1', userName: null, externalId: null };
    const world = { person, identity: { kind: 'no-address' }, account } as const;
    expect(await ask(world, { identity: 'omit' })).toEqual({ kind: 'accepted', account: 'u-1' });
    expect(await ask(world, { identity: 'require' })).toEqual(refused('no-address'));
  });
});

describe('one person has one vote', () => {
  const ballot = (user: string, change: Partial<Ballot> = {}): Ballot => ({
    ...{ user, action: 'approve', at: 0 },
    ...change,
  });

  test.each<[string, Ballot, Ballot, boolean]>([
    ['the same Slack account', ballot('U0ANA'), ballot('U0ANA'), true],
    [
      'two ids of one person in an organisation',
      ballot('U0ANA', { alsoKnownAs: ['W0ANA'] }),
      ballot('U1ANA', { alsoKnownAs: ['W0ANA'] }),
      true,
    ],
    [
      'the id in the organisation and a local one',
      ballot('W0ANA'),
      ballot('U1ANA', { alsoKnownAs: ['W0ANA'] }),
      true,
    ],
    [
      'one account in the service',
      ballot('U0ANA', { serviceUser: 'u-1' }),
      ballot('U0ANA2', { serviceUser: 'u-1' }),
      true,
    ],
    [
      'one account by two of its names',
      ballot('U0ANA', { serviceUser: 'x-1', account: 'u-1' }),
      ballot('U0ANA2', { account: 'u-1' }),
      true,
    ],
    [
      'two accounts, one of which is called what the other is',
      ballot('U0ANA', { serviceUser: '42', account: '7' }),
      ballot('U0BEN', { serviceUser: '9', account: '42' }),
      false,
    ],
    [
      'two accounts',
      ballot('U0ANA', { serviceUser: 'u-1' }),
      ballot('U0BEN', { serviceUser: 'u-2' }),
      false,
    ],
    ['nothing but two Slack accounts', ballot('U0ANA'), ballot('U0BEN'), false],
  ])('with %s', (_what, one, other, isOne) => {
    expect(isSamePerson(one, other)).toBe(isOne);
    expect(isSamePerson(other, one)).toBe(isOne);
    expect(votersFor('approve', [one, other])).toHaveLength(isOne ? 1 : 2);
  });
});

describe('a failed lookup', () => {
  test('neither grants nor denies', async () => {
    const facts = { class: 'ambiguous', code: 'timeout' } as const;
    const failure = new RemoteFailure('users.info', facts);
    expect(await ask({ failure })).toEqual({ kind: 'failed', failure: facts });
  });

  test('says that the service failed', async () => {
    const facts = { class: 'refused', code: 'http_401', status: 401 } as const;
    const unlisted = new RemoteFailure('list users', facts);
    expect(await ask({ unlisted })).toEqual({ kind: 'failed', failure: facts, of: 'service' });
  });

  test('says that the store failed', async () => {
    const unlisted = new StoreError('unknown', 'get: no answer from Redis');
    const failure = { class: 'not-sent', code: 'store_away' };
    expect(await ask({ unlisted })).toEqual({ kind: 'failed', failure, of: 'store' });
  });

  test('because Slack shows no such person denies', async () => {
    const facts = { class: 'refused', code: 'user_not_found', status: 200 } as const;
    expect(await ask({ failure: new RemoteFailure('users.info', facts) })).toEqual(
      refused('stranger'),
    );
  });
});

test('without a route nobody can decide, and nothing is looked up', async () => {
  const failure = new RemoteFailure('users.info', { class: 'not-sent', code: 'refused' });
  const found = await eligible(
    needsOf({ failure }),
    electorateOf(approvalWith(), { route: undefined, asOf: NOW }),
    'U0ANA',
    asking(),
  );
  expect(found).toEqual(refused('no-route'));
});

describe('the account lookup', () => {
  const seen = { person: { email: 'ana@example.com' } };

  test('starts at once for a person seen before, in parallel with Slack', async () => {
    const begun: string[] = [];
    const never = (_begun?: unknown) => new Promise<never>(() => {});
    const needs = needsOf(seen);
    const known = await needs.lookup.person('U0ANA');
    const lookup = {
      ...needs.lookup,
      person: never,
      lastSeen: () => known,
      groupMembers: (id: string) => never(void begun.push(`members of ${id}`)),
    };
    const directory = {
      ...needs.directory,
      readAhead: ({ email }: Pick<SlackPerson, 'email'>) => void begun.push(`account of ${email}`),
    };
    const reviewers = { ...nobody, groups: ['S0A'] };
    const electorate = electorateWith({ reviewers });
    void eligible({ ...needs, lookup, directory }, electorate, 'U0ANA', asking());
    expect(begun).toEqual(['members of S0A', 'account of ana@example.com']);
  });

  test('counts for the person as Slack shows them now, not as last seen', async () => {
    const needs = needsOf({ person: { deleted: true } });
    const known = await needsOf(seen).lookup.person('U0ANA');
    const lookup = { ...needs.lookup, lastSeen: () => known };
    const found = eligible({ ...needs, lookup }, electorateWith(), 'U0ANA', asking());
    expect(await found).toEqual(refused('deactivated'));
  });

  test('does not start early for a person who could not decide when last seen', async () => {
    const needs = needsOf(seen);
    const guest = { ...(await needs.lookup.person('U0ANA')), isGuest: true };
    const lookup = { ...needs.lookup, lastSeen: () => guest };
    const readAhead = () => expect.unreachable();
    const directory = { ...needs.directory, readAhead };
    const found = eligible({ ...needs, lookup, directory }, electorateWith(), 'U0ANA', asking());
    expect(await found).toEqual(accepted);
  });
});
