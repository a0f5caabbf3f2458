import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { APPROVAL_KIND, type Approval, placeOf } from '../../../../src/approvals/approval.ts';
import { listsOf } from '../../../../src/approvals/decision/lists-of.ts';
import { ABSENCE_KIND, encodeAbsence } from '../../../../src/approvals/electorate/absence.ts';
import { encodeApproval } from '../../../../src/approvals/stored-approval.ts';
import {
  accessTo,
  listForHome,
  listRequests,
} from '../../../../src/approvals/ways-in/list/list-requests.ts';
import {
  ALL,
  DECIDED,
  OVERVIEW,
  pageAfter,
  type View,
} from '../../../../src/approvals/ways-in/list/view.ts';
import type { Route } from '../../../../src/core/config/config.ts';
import type { Core } from '../../../../src/core/core.ts';
import { RemoteFailure } from '../../../../src/core/lib/failure.ts';
import { shortIdOf } from '../../../../src/core/lib/short-id.ts';
import { systemTimers } from '../../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import type { Lookup } from '../../../../src/core/slack/lookup.ts';
import { createLookup } from '../../../../src/core/slack/lookup.ts';
import type { NewRecord, Store } from '../../../../src/core/store/store.ts';
import { openEmbeddedWorld } from '../../../core/store/embedded-world.ts';
import type { StoreWorld } from '../../../core/store/store-world.ts';
import { coreWith } from '../../../support/core-with.ts';
import { fake } from '../../../support/fake.ts';
import { personOf } from '../../../support/slack-person.ts';
import { approvalWith, DECIDING, NOW, routeWith } from '../../approvals.ts';

let world: StoreWorld;
let store: Store;
beforeEach(async () => {
  world = await openEmbeddedWorld();
  [store] = world.stores;
});
afterEach(() => world[Symbol.asyncDispose]());

const ana = { users: ['U0ANA'], groups: [], channel: false };

function needsWith(
  routes: readonly Partial<Route>[],
  lookup: Partial<Lookup['recent']> = {},
): Core {
  return coreWith({
    store,
    config: { routes: routes.map((each) => routeWith({ reviewers: ana, ...each })) },
    timers: systemTimers,
    timing: TRUE_TIME,
    workspace: { team: 'T0', enterprise: null, teams: [] },
    lookup: fake<Lookup>({
      recent: {
        person: async (id) => personOf(id),
        isMember: async (channel) => channel === 'C0PROD',
        groupMembers: async (group) => ({
          users: group === 'S0OPS' ? ['U0ANA'] : [],
          missing: null,
        }),
        ...lookup,
      },
    }),
  });
}

function recordOf(approval: Approval): NewRecord {
  return {
    kind: APPROVAL_KIND,
    data: encodeApproval(approval),
    lane: 'background',
    dueInMs: 0,
    place: placeOf(approval),
    lists: listsOf(approval),
  };
}

/** Stores a request with this title. */
async function ask(title: string, change: Partial<Approval> = {}): Promise<void> {
  const approval = approvalWith({ title, createdAt: store.now(), ...change });
  await store.create(recordOf(approval), { hold: false });
  await world.pass(1);
}

const titles = (found: { requests: readonly { approval: Approval }[] } | undefined) =>
  found?.requests.map(({ approval }) => approval.title);

async function waitingFor(user: string, needs: Core, view: View = OVERVIEW) {
  return titles((await listRequests(needs, user, view)).waiting);
}

describe('what waits for a person', () => {
  test('includes routes that name them, one of their groups, or a channel they are in', async () => {
    const nobody = { users: [], groups: [], channel: false };
    const needs = needsWith([
      { name: 'named' },
      { name: 'group', reviewers: { ...nobody, groups: ['S0DEV', 'S0OPS'] } },
      { name: 'other-group', reviewers: { ...nobody, groups: ['S0DEV'] } },
      { name: 'channel', reviewers: { ...nobody, channel: true } },
      { name: 'others', reviewers: { ...nobody, users: ['U0BEN'] } },
      { name: 'nobody', reviewers: nobody },
    ]);
    for (const route of ['group', 'others', 'channel', 'nobody', 'other-group', 'named', 'gone']) {
      await ask(route, { route });
    }
    await ask('elsewhere', { route: 'channel', channel: 'C0OTHER' });
    expect(await waitingFor('U0ANA', needs)).toEqual(['group', 'channel', 'named']);
  });

  test('includes what was escalated to them, from its time on', async () => {
    const routes = (after: number) => {
      const to = { users: ['U0LEA'], groups: [] };
      return needsWith([{ escalate: [{ after, to }] }]);
    };
    const createdAt = store.now();
    await ask('Deploy 4.2', { createdAt });
    await ask('Deploy 4.3', {
      createdAt: createdAt + 1,
      narrowedTo: { users: ['U0ANA'], groups: [] },
    });
    expect(await waitingFor('U0LEA', routes(60_000))).toEqual([]);
    const request = approvalWith({ createdAt });
    expect(await accessTo(routes(60_000), 'U0LEA', request)).toBe('none');
    await world.pass(10);
    expect(await waitingFor('U0LEA', routes(1))).toEqual(['Deploy 4.2', 'Deploy 4.3']);
    expect(await accessTo(routes(1), 'U0LEA', request)).toBe('decides');
    expect(await waitingFor('U0GUS', routes(1))).toEqual([]);
  });

  test('includes what they can decide as quiet reviewers', async () => {
    await ask('Deploy 4.2');
    const quiet = { users: ['U0QIN'], groups: [] };
    expect(await waitingFor('U0QIN', needsWith([{ quiet }]))).toEqual(['Deploy 4.2']);
  });

  test('includes narrowed requests only if they or their group are named, and are reviewers of the route', async () => {
    await ask('to Ben', { narrowedTo: { users: ['U0BEN'], groups: [] } });
    await ask('to Ana', { narrowedTo: { users: ['U0ANA'], groups: [] } });
    await ask('to a group of hers', { narrowedTo: { users: [], groups: ['S0OPS'] } });
    expect(await waitingFor('U0ANA', needsWith([{}]))).toEqual(['to Ana', 'to a group of hers']);
    const others = { ...ana, users: ['U0BEN'] };
    expect(await waitingFor('U0ANA', needsWith([{ reviewers: others }]))).toEqual([]);
  });

  test('excludes their own requests, by user or address, unless the route allows self-approval', async () => {
    await ask('mine', { requester: { user: 'U0ANA' } });
    await ask('of my address', { requester: { email: 'u0ana@example.com' } });
    await ask('of Ben', { requester: { user: 'U0BEN', email: 'ben@example.com' } });
    expect(await waitingFor('U0ANA', needsWith([{}]))).toEqual(['of Ben']);
    expect(await waitingFor('U0ANA', needsWith([{ selfApproval: true }]))).toHaveLength(3);
    const hidden = { person: async (id: string) => ({ ...personOf(id), email: null }) };
    expect(await waitingFor('U0ANA', needsWith([{}], hidden))).toEqual(['of Ben']);
  });

  test('excludes requests that cannot be decided now', async () => {
    await ask('being decided', { decision: DECIDING });
    await ask('unknown', { watch: { state: 'unknown', why: 'gone', nextAt: NOW } });
    const failure = { class: 'refused', code: 'http_403', status: 403 } as const;
    await ask('not let in', { watch: { state: 'pending', nextAt: NOW, ended: true, failure } });
    await ask('open', { ballots: [{ user: 'U0ANA', action: 'approve', at: NOW }] });
    expect(await waitingFor('U0ANA', needsWith([{}]))).toEqual(['not let in', 'open']);
  });

  test.each([
    ['a guest', { isGuest: true }],
    ['a stranger', { isStranger: true }],
    ['somebody of another workspace', { teamId: 'T0OTHER' }],
    ['somebody deactivated', { deleted: true }],
    ['an app', { isBot: true }],
  ])('is empty for %s', async (_, change) => {
    await ask('open');
    await ask('asked', { requester: { user: 'U0ANA' } });
    const needs = needsWith([{}], { person: async (id) => ({ ...personOf(id), ...change }) });
    const listing = await listRequests(needs, 'U0ANA', OVERVIEW);
    expect(titles(listing.waiting)).toEqual([]);
    expect(titles(listing.asked)).toEqual(['asked']);
  });

  test('includes for a guest only routes that allow guests', async () => {
    await ask('for members');
    await ask('for guests', { route: 'open' });
    const person = async (id: string) => ({ ...personOf(id), isGuest: true });
    const needs = needsWith([{}, { name: 'open', guests: true }], { person });
    expect(await waitingFor('U0ANA', needs)).toEqual(['for guests']);
  });

  test('is empty for somebody whom Slack does not show', async () => {
    await ask('open');
    const failure = new RemoteFailure('users.info', { class: 'refused', code: 'user_not_visible' });
    await ask('asked', { requester: { user: 'U0ANA' } });
    const needs = needsWith([{}], { person: () => Promise.reject(failure) });
    const { waiting, asked } = await listRequests(needs, 'U0ANA', OVERVIEW);
    expect([waiting, asked].map(titles)).toEqual([[], ['asked']]);
  });

  test('gives only a count if Slack does not say whether they can decide', async () => {
    await ask('named', { route: 'named' });
    await ask('of a group', { route: 'group' });
    await ask('of a channel', { route: 'channel' });
    const nobody = { users: [], groups: [], channel: false };
    const away = () =>
      Promise.reject(new RemoteFailure('m', { class: 'ambiguous', code: 'timeout' }));
    const needs = needsWith(
      [
        { name: 'named' },
        { name: 'group', reviewers: { ...nobody, groups: ['S0OPS'] } },
        { name: 'channel', reviewers: { ...nobody, channel: true } },
      ],
      { isMember: away, groupMembers: away },
    );
    const { waiting } = await listRequests(needs, 'U0ANA', OVERVIEW);
    expect([titles(waiting), waiting?.untold]).toEqual([['named'], 2]);
    await expect(
      listRequests(
        coreWith({
          ...needs,
          lookup: fake<Lookup>({ recent: { ...needs.lookup.recent, person: away } }),
        }),
        'U0ANA',
        OVERVIEW,
      ),
    ).rejects.toBeInstanceOf(RemoteFailure);
  });

  test('does not even count requests in a private channel that Gatepost was removed from', async () => {
    await ask('private');
    const hidden = { class: 'refused', code: 'channel_not_found', status: 200 } as const;
    const isMember = () => Promise.reject(new RemoteFailure('conversations.members', hidden));
    const reviewers = { users: [], groups: [], channel: true };
    const { waiting } = await listRequests(
      needsWith([{ reviewers }], { isMember }),
      'U0ANA',
      OVERVIEW,
    );
    expect([titles(waiting), waiting?.untold]).toEqual([[], 0]);
  });

  test('includes what they decide for somebody who is away, on routes that allow it', async () => {
    const absence = {
      ...({ v: 1, ids: ['U0ANA'], since: store.now(), until: store.now() + 86_400_000 } as const),
      ...{
        notices: [],
        count: 0,
        lastChangeAt: store.now(),
        substitute: { ids: ['U0SUE'] } as const,
      },
    };
    const lists = ['stands-in:U0SUE'];
    const record = {
      kind: ABSENCE_KIND,
      data: encodeAbsence(absence),
      lane: 'background' as const,
    };
    await store.create({ ...record, dueInMs: 0, place: null, lists }, { hold: false });
    await ask('allowed', { route: 'allowed' });
    await ask('strict', { route: 'strict' });
    const core = needsWith([{ name: 'strict' }, { name: 'allowed', substitutes: true }]);
    expect(await waitingFor('U0SUE', core)).toEqual(['allowed']);
    const access = (route: string) => accessTo(core, 'U0SUE', approvalWith({ route }));
    expect(await Promise.all(['allowed', 'strict'].map(access))).toEqual(['decides', 'none']);
    const administrators = { users: [], groups: [] };
    const home = coreWith({ ...core, config: { routes: core.config.routes, administrators } });
    expect((await listForHome(home, 'U0SUE', {})).routes).toEqual(['allowed']);
  });

  test('covers up to fifty routes, and says if there are more', async () => {
    const routes = Array.from({ length: 51 }, (_, i) => ({ name: `r${i}` }));
    await ask('first', { route: 'r0' });
    await ask('fiftieth', { route: 'r49' });
    await ask('beyond', { route: 'r50' });
    const listing = await listRequests(needsWith(routes), 'U0ANA', OVERVIEW);
    expect([titles(listing.waiting), listing.hasMoreRoutes]).toEqual([['first', 'fiftieth'], true]);
    const fewer = await listRequests(needsWith(routes.slice(1)), 'U0ANA', OVERVIEW);
    expect([titles(fewer.waiting), fewer.hasMoreRoutes]).toEqual([['fiftieth', 'beyond'], false]);
  });
});

describe('what a person asked for', () => {
  test('is listed on every route, even if nobody can decide it now', async () => {
    const requester = { user: 'U0CLEO' };
    await ask('open', { requester });
    await ask('unknown', {
      requester,
      route: 'gone',
      watch: { state: 'unknown', why: 'gone', nextAt: NOW },
    });
    await ask('of Ben', { requester: { user: 'U0BEN' } });
    const { asked } = await listRequests(needsWith([{}]), 'U0CLEO', OVERVIEW);
    expect(titles(asked)).toEqual(['open', 'unknown']);
  });
});

test('a person of an organization sees what they requested under either of their ids', async () => {
  await ask('in the workspace', { requester: { user: 'U0CLEO' } });
  await ask('in the organisation', { requester: { user: 'W0CLEO' } });
  const person = async (id: string) => ({ ...personOf(id), globalId: 'W0CLEO' });
  const { asked } = await listRequests(needsWith([{}], { person }), 'U0CLEO', OVERVIEW);
  expect(titles(asked)).toEqual(['in the workspace', 'in the organisation']);
  const own = approvalWith({ requester: { user: 'W0CLEO' } });
  expect(await accessTo(needsWith([{}], { person }), 'U0CLEO', own)).toBe('sees');
});

test('a reviewer of an organization may be named by either of their ids', async () => {
  await ask('open');
  const person = async (id: string) => ({ ...personOf(id), globalId: 'W0ANA' });
  expect(await waitingFor('U0ANA', needsWith([{}], { person }))).toEqual(['open']);
});

test('every look-up in Slack has a deadline', async () => {
  const isLimited: boolean[] = [];
  const asked = (options?: { readonly signal?: AbortSignal }) =>
    void isLimited.push(options?.signal !== undefined);
  const reviewers = { users: [], groups: ['S0OPS'], channel: false };
  const core = needsWith([{ reviewers }], {
    person: async (id, options) => {
      asked(options);
      return personOf(id);
    },
    groupMembers: async (_, options) => {
      asked(options);
      return { users: [], missing: null };
    },
  });
  await listRequests(core, 'U0ANA', OVERVIEW);
  await accessTo(core, 'U0ANA', approvalWith());
  expect(isLimited.length).toBeGreaterThan(3);
  expect(isLimited).not.toContain(false);
});

test('a mistake of the program is not taken for silence of Slack', async () => {
  const reviewers = { users: [], groups: ['S0OPS'], channel: false };
  const groupMembers = () => Promise.reject(new TypeError('a mistake'));
  const core = needsWith([{ reviewers }], { groupMembers });
  await expect(listRequests(core, 'U0ANA', OVERVIEW)).rejects.toThrow('a mistake');
});

test('listing does not use the group reads that deciding needs', async () => {
  await ask('to a group', { narrowedTo: { users: [], groups: ['S0DEV'] } });
  let now = 0;
  const asked: unknown[] = [];
  const lookup = createLookup({
    client: {
      async apiCall(_, options) {
        asked.push(options?.usergroup);
        return { ok: true, users: options?.usergroup === 'S0OPS' ? ['U0BEN'] : ['U0DANA'] };
      },
    },
    clock: { monotonic: () => now },
    timers: systemTimers,
    timing: TRUE_TIME,
  });
  const reviewers = { users: [], groups: ['S0OPS'], channel: false };
  const { groupMembers } = lookup.recent;
  const needs = needsWith([{ reviewers }], { groupMembers });
  for (const user of ['U0ANA', 'U0BEN', 'U0CLEO', 'U0BEN']) {
    await listRequests(needs, user, OVERVIEW);
    now += 19_000;
  }
  expect(asked).toEqual(['S0OPS', 'S0DEV']);
  await listRequests(needs, 'U0ANA', OVERVIEW);
  expect(asked).toEqual(['S0OPS', 'S0DEV', 'S0OPS']);
});

describe('pages of requests', () => {
  /** Titles of all pages, and whether each was certain that there are more. */
  async function pagesOf(section: 'waiting' | 'asked', user: string) {
    const pages: (readonly (string | undefined)[])[] = [];
    const sure: boolean[] = [];
    let view: View = { section, trail: [] };
    for (;;) {
      const found = (await listRequests(needsWith([{}]), user, view))[section];
      pages.push(titles(found) ?? []);
      sure.push(found?.isMoreCertain ?? false);
      if (found === undefined || found.next === null) return { pages, sure };
      view = pageAfter(view, section, found.next);
    }
  }

  test('hold eight waiting or five own requests, and read no other section', async () => {
    const requester = { user: 'U0CLEO' };
    const all = Array.from({ length: 16 }, (_, i) => `r${i}`);
    for (const title of all) await ask(title, { requester });
    expect((await pagesOf('waiting', 'U0ANA')).pages).toEqual([all.slice(0, 8), all.slice(8)]);
    const asked = await pagesOf('asked', 'U0CLEO');
    expect(asked.pages.map(({ length }) => length)).toEqual([5, 5, 5, 1]);
    expect(asked.pages.flat()).toEqual(all);
    const page = await listRequests(needsWith([{}]), 'U0CLEO', { section: 'asked', trail: [] });
    expect(page.waiting).toBeUndefined();
  });

  test('end after two hundred requests of others, and can be continued', async () => {
    const narrowedTo = { users: ['U0BEN'], groups: [] };
    for (let i = 0; i < 205; i += 1) await ask(`b${i}`, { narrowedTo });
    await ask('at last');
    const { pages, sure } = await pagesOf('waiting', 'U0ANA');
    expect(pages).toEqual([[], ['at last']]);
    expect(sure).toEqual([false, true]);
  });

  test('leave out decided requests, other records and unreadable records', async () => {
    const open = recordOf(approvalWith());
    await store.create({ ...open, kind: 'toy', data: '{}' }, { hold: false });
    const outcome = { status: 'APPROVED', credit: 'none', by: [], learnedAt: NOW } as const;
    const { lists = [] } = open;
    await store.create({ ...recordOf(approvalWith({ outcome })), lists }, { hold: false });
    await store.create({ ...open, data: '{"v":9}' }, { hold: false });
    const refused = { name: 'message', channel: 'C0PROD', refused: 'is_archived', notBefore: NOW };
    const unposted = approvalWith({ outcome, posts: [refused] });
    expect(listsOf(unposted)).toEqual(['decided:production', 'blocked:C0PROD']);
    await store.create({ ...recordOf(unposted), lists }, { hold: false });
    const withdrawn = { withdrawnAt: NOW, title: 'withdrawn' };
    const decided = listsOf(approvalWith({ outcome }));
    await store.create({ ...recordOf(approvalWith(withdrawn)), lists: decided }, { hold: false });
    await ask('open');
    expect((await pagesOf('waiting', 'U0ANA')).pages).toEqual([['open']]);
    const { waiting } = await listRequests(needsWith([{}]), 'U0ANA', OVERVIEW);
    expect(waiting?.untold).toBe(1);
    const listing = await listRequests(needsWith([{}]), 'U0ANA', DECIDED);
    expect(titles(listing.decided)).toEqual([]);
  });
});

describe('what was decided', () => {
  const decidedFor = async (user: string, needs: Core, view: View = DECIDED) =>
    titles((await listRequests(needs, user, view)).decided);
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0BEN'], learnedAt: NOW } as const;

  test('includes what the person could decide by the current rules, or requested, newest first', async () => {
    const nobody = { users: [], groups: [], channel: false };
    const needs = needsWith([{ name: 'named' }, { name: 'others', reviewers: nobody }]);
    await ask('reviewed', { route: 'named', outcome });
    await ask('of others', { route: 'others', outcome });
    await ask('asked', { route: 'others', outcome, requester: { user: 'U0ANA' } });
    await ask('to Ben', {
      route: 'named',
      outcome,
      narrowedTo: { users: ['U0BEN'], groups: [] },
    });
    await ask('both', { route: 'named', outcome, requester: { user: 'U0ANA' } });
    await ask('open', { route: 'named' });
    await ask('elsewhere', { route: 'named', outcome, channel: 'C0OTHER' });
    expect(await decidedFor('U0ANA', needs)).toEqual(['elsewhere', 'both', 'asked', 'reviewed']);
    expect(await waitingFor('U0ANA', needs)).toEqual(['open']);
  });

  test('is split into pages, with each request once', async () => {
    const all = Array.from({ length: 19 }, (_, at) => `Request ${at}`);
    for (const title of all) await ask(title, { outcome, requester: { user: 'U0ANA' } });
    const pages: (readonly (string | undefined)[])[] = [];
    let view: View = DECIDED;
    for (;;) {
      const { decided } = await listRequests(needsWith([{}]), 'U0ANA', view);
      pages.push(titles(decided) ?? []);
      expect(decided?.isMoreCertain).toBe(true);
      if (decided?.next == null) break;
      view = pageAfter(view, 'decided', decided.next);
    }
    expect(pages.map(({ length }) => length)).toEqual([8, 8, 3]);
    expect(pages.flat()).toEqual(all.toReversed());
  });

  test('is found by its id, and is not in the overview', async () => {
    const approval = approvalWith({ title: 'Found', outcome });
    const made = await store.create(recordOf(approval), { hold: false });
    const id = made.kind === 'created' ? made.id : '';
    const named: View = { section: 'both', id: shortIdOf(id) };
    expect(await decidedFor('U0ANA', needsWith([{}]), named)).toEqual(['Found']);
    expect(await decidedFor('U0CLEO', needsWith([{}]), named)).toEqual([]);
    expect(await decidedFor('U0ANA', needsWith([{}]), OVERVIEW)).toBeUndefined();
  });
});

describe('a typed id or link', () => {
  const stored = async (change: Partial<Approval>) => {
    const created = await store.create(recordOf(approvalWith(change)), { hold: false });
    await world.pass(1);
    return created.kind === 'created' ? created.id : '';
  };
  const found = async (typed: string) =>
    waitingFor('U0ANA', needsWith([{}]), { section: 'both', id: typed });

  test('finds that request only', async () => {
    const posts = (ts: string, channel = 'C0PROD') => [{ name: 'message', channel, ts }];
    const id = await stored({ title: 'One', posts: posts('1790000000.000100') });
    await stored({ title: 'Two', posts: posts('1790000000.000200') });
    await stored({
      title: 'Three',
      channel: 'C0TEAM',
      posts: posts('1790000000.000100', 'C0TEAM'),
    });
    await stored({ title: 'Posting', posts: [{ name: 'message', channel: 'C0PROD' }] });
    const nowhere = { ...recordOf(approvalWith({ title: 'Nowhere' })), place: null };
    await store.create(nowhere, { hold: false });
    const archive = 'https://acme.slack.com/archives/C0PROD';
    expect(await found(shortIdOf(id))).toEqual(['One']);
    expect(await found(`${archive}/p1790000000000200`)).toEqual(['Two']);
    expect(await found(`${archive}/p1790000000000100`)).toEqual(['One']);
    expect(await found(`${archive}/p1790000000000300`)).toEqual([]);
  });

  test('finds it behind far more requests than a list shows', async () => {
    for (let at = 0; at < 201; at += 1) await stored({});
    const id = await stored({ title: 'late' });
    expect(await found(shortIdOf(id))).toEqual(['late']);
  });
});

test('the list of everything includes waiting requests of every route', async () => {
  const nobody = { users: [], groups: [], channel: false };
  const needs = needsWith([{ name: 'named' }, { name: 'others', reviewers: nobody }]);
  await ask('named', { route: 'named' });
  await ask('of others', { route: 'others', channel: 'C0OTHER' });
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0BEN'], learnedAt: NOW } as const;
  await ask('decided', { route: 'others', outcome });
  expect(titles((await listRequests(needs, 'U0DANA', ALL)).all)).toEqual(['named', 'of others']);
});

test('somebody who became a guest cannot open requests of routes without guests', async () => {
  const guest = { person: async (id: string) => ({ ...personOf(id), isGuest: true }) };
  const request = approvalWith();
  expect(await accessTo(needsWith([{}]), 'U0ANA', request)).toBe('decides');
  expect(await accessTo(needsWith([{}], guest), 'U0ANA', request)).toBe('none');
  expect(await accessTo(needsWith([{ guests: true }], guest), 'U0ANA', request)).toBe('decides');
});

test('the filter by route finds requests behind hundreds on other routes', async () => {
  const needs = needsWith([{ name: 'one' }, { name: 'two' }]);
  const { routes } = needs.config;
  const administrators = { users: [], groups: [] };
  const core = coreWith({ ...needs, config: { routes, administrators } });
  for (let at = 0; at < 201; at += 1) {
    await store.create(recordOf(approvalWith({ route: 'one' })), { hold: false });
  }
  await world.pass(1);
  await ask('late', { route: 'two' });
  const { listing } = await listForHome(core, 'U0ANA', { route: 'two' });
  expect(titles(listing.waiting)).toEqual(['late']);
});

describe('the Home tab of an administrator', () => {
  const administratedBy = (
    given: Partial<Core['config']['administrators']>,
    lookup: Partial<Lookup['recent']> = {},
  ) => {
    const needs = needsWith([{ name: 'named' }, { name: 'others', reviewers: nobody }], lookup);
    const administrators = { users: [], groups: [], ...given };
    return coreWith({ ...needs, config: { routes: needs.config.routes, administrators } });
  };
  const nobody = { users: [], groups: [], channel: false };

  test('repeats nothing that another section lists, and sorts waiting requests by deadline', async () => {
    await ask('hers', { route: 'others', requester: { user: 'U0ANA' } });
    await ask('of others', { route: 'others', expiresAt: NOW + 1 });
    await ask('no hurry', { route: 'named' });
    await ask('later', { route: 'named', expiresAt: NOW + 2 });
    await ask('soon', { route: 'named', expiresAt: NOW + 1 });
    const core = administratedBy({ users: ['U0ANA'] });
    const { listing } = await listForHome(core, 'U0ANA', {});
    expect([listing.waiting, listing.asked, listing.all].map(titles)).toEqual([
      ['soon', 'later', 'no hurry'],
      ['hers'],
      ['of others'],
    ]);
    expect(listing.isAllUnchecked).toBe(false);
    const { listing: waiting } = await listForHome(core, 'U0ANA', {}, ['waiting']);
    expect([waiting.asked, waiting.decided, waiting.all]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('is for those who are named, not for whoever is in a channel', async () => {
    await ask('of others', { route: 'others' });
    const core = administratedBy({ users: ['U0BEN'] }, { isMember: async () => true });
    const { listing, routes } = await listForHome(core, 'U0ANA', {});
    expect([listing.all, routes]).toEqual([undefined, ['named']]);
  });

  test('lists all decisions at once, and own requests only of the chosen route', async () => {
    const outcome = {
      status: 'APPROVED',
      credit: 'certain',
      by: ['U0BEN'],
      learnedAt: NOW,
    } as const;
    for (let at = 0; at < 9; at += 1) await ask(`decided ${at}`, { route: 'named', outcome });
    await ask('here', { route: 'named', requester: { user: 'U0ANA' } });
    await ask('elsewhere', { route: 'others', requester: { user: 'U0ANA' } });
    const { listing } = await listForHome(administratedBy({}), 'U0ANA', { route: 'named' });
    expect([listing.decided, listing.asked].map((each) => each?.requests.length)).toEqual([9, 1]);
    expect(titles(listing.asked)).toEqual(['here']);
  });

  test('offers no routes to somebody who is a guest or whom Slack does not show', async () => {
    const guest = async (id: string) => ({ ...personOf(id), isGuest: true });
    const refused = { class: 'refused', code: 'user_not_visible' } as const;
    const hidden = () => Promise.reject(new RemoteFailure('users.info', refused));
    for (const person of [guest, hidden]) {
      const { routes } = await listForHome(administratedBy({}, { person }), 'U0ANA', {});
      expect(routes).toEqual([]);
    }
  });

  test('says so if Slack does not say whether they are an administrator', async () => {
    const groupMembers = () =>
      Promise.reject(new RemoteFailure('m', { class: 'ambiguous', code: 'timeout' }));
    const core = administratedBy({ groups: ['S0OPS'] }, { groupMembers });
    const { listing } = await listForHome(core, 'U0ANA', {});
    expect([listing.all, listing.isAllUnchecked]).toEqual([undefined, true]);
  });

  test('offers every route to filter by, up to fifty; to others the routes they review', async () => {
    const names = (core: Core) => listForHome(core, 'U0ANA', {}).then(({ routes }) => routes);
    expect(await names(administratedBy({ users: ['U0ANA'] }))).toEqual(['named', 'others']);
    expect(await names(administratedBy({ users: ['U0BEN'] }))).toEqual(['named']);
    const many = needsWith(Array.from({ length: 60 }, (_, at) => ({ name: `route-${at}` })));
    const administrators = { users: ['U0ANA'], groups: [] };
    const { routes } = many.config;
    const all = await names(coreWith({ ...many, config: { routes, administrators } }));
    expect([all.length, all.at(-1)]).toEqual([50, 'route-49']);
  });

  test('shows only the chosen route or source, and as waiting only what is posted', async () => {
    const core = administratedBy({ users: ['U0ANA'] });
    await ask('posted', { route: 'named' });
    await ask('posting', { route: 'named', posts: [{ name: 'message', channel: 'C0PROD' }] });
    await ask('from the agent', { route: 'named', source: 'agent' });
    await ask('elsewhere', { route: 'others' });
    const shown = async (by: { readonly route?: string; readonly source?: string }) => {
      const { listing } = await listForHome(core, 'U0ANA', by);
      return [listing.waiting, listing.all].map(titles);
    };
    expect(await shown({ route: 'named' })).toEqual([['posted', 'from the agent'], ['posting']]);
    expect(await shown({ route: 'others' })).toEqual([[], ['elsewhere']]);
    expect(await shown({ source: 'agent' })).toEqual([['from the agent'], []]);
  });
});

describe('what somebody can do with a request', () => {
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;
  const decided = approvalWith({ outcome, requester: { user: 'U0CEM' } });
  const silent = () =>
    Promise.reject(new RemoteFailure('m', { class: 'ambiguous', code: 'timeout' }));
  const groups = { reviewers: { users: [], groups: ['S0OPS'], channel: false } };

  test('is to see it if they asked for it, or could have decided it', async () => {
    const access = (user: string) => accessTo(needsWith([{}]), user, decided);
    expect(await Promise.all(['U0ANA', 'U0CEM', 'U0LEA'].map(access))).toEqual([
      'sees',
      'sees',
      'none',
    ]);
  });

  test('is not known if Slack does not say who the reviewers are', async () => {
    const core = needsWith([groups], { groupMembers: silent });
    for (const approval of [approvalWith(), decided]) {
      expect(await accessTo(core, 'U0LEA', approval)).toBe('unknown');
    }
  });

  test('is nothing for somebody whom Slack does not show, except with their own', async () => {
    const failure = new RemoteFailure('users.info', { class: 'refused', code: 'user_not_visible' });
    const core = needsWith([{}], { person: () => Promise.reject(failure) });
    expect(await accessTo(core, 'U0ANA', approvalWith())).toBe('none');
    const own = { requester: { user: 'U0CEM' } };
    for (const approval of [decided, approvalWith(own)]) {
      expect(await accessTo(core, 'U0CEM', approval)).toBe('sees');
    }
  });
});
