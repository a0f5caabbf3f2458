import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { createLookup } from '../../../src/core/slack/lookup.ts';
import { createWebClients } from '../../../src/core/slack/web-clients.ts';
import { patientTimers } from '../lib/patient-timers.ts';
import { type Answer, type FakeSlack, startFakeSlack } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';

/** A clock that advances with each read. */
function ticking() {
  let tick = 0;
  return () => ++tick;
}

function lookupOf(slack: FakeSlack, monotonic = ticking(), isOfOrganisation = false) {
  const { logger } = createLogSink();
  const clients = createWebClients(
    { botToken: 'xoxb-1', apiUrl: slack.apiUrl, logger },
    { clock: systemClock, timers: patientTimers, timing: TRUE_TIME },
  );
  return createLookup({
    client: clients.lookup,
    isOfOrganisation,
    clock: { monotonic },
    timers: systemTimers,
    timing: TRUE_TIME,
  });
}

const TEAMS = ['T1', 'T2', 'T3'].map((id) => ({ id, name: `Team ${id}` }));

const ana = {
  id: 'U1',
  team_id: 'T1',
  name: 'ana',
  deleted: false,
  is_bot: false,
  is_restricted: false,
  is_ultra_restricted: false,
  is_email_confirmed: true,
  tz: 'Europe/Madrid',
  enterprise_user: { id: 'W1', enterprise_id: 'E1' },
  profile: { email: 'ana@example.com', display_name: '', real_name: 'Ana García' },
};
const answering =
  (user: object): Answer =>
  () => ({ ok: true, user });

describe('a person', () => {
  it('is read as Slack tells', async () => {
    await using slack = await startFakeSlack(answering(ana));
    expect(await lookupOf(slack).person('U1')).toEqual({
      id: 'U1',
      globalId: 'W1',
      teamId: 'T1',
      enterpriseId: 'E1',
      deleted: false,
      isBot: false,
      isGuest: false,
      isStranger: false,
      isEmailConfirmed: true,
      email: 'ana@example.com',
      displayName: 'Ana García',
      timeZone: 'Europe/Madrid',
    });
  });

  it.each<[object, object]>([
    [{ is_restricted: true }, { isGuest: true }],
    [{ is_ultra_restricted: true }, { isGuest: true }],
    [{ is_stranger: true }, { isStranger: true }],
    [{ is_bot: true }, { isBot: true }],
    [{ id: 'USLACKBOT' }, { isBot: true }],
    [{ deleted: true }, { deleted: true }],
    [{ is_email_confirmed: undefined }, { isEmailConfirmed: null }],
    [{ is_email_confirmed: false }, { isEmailConfirmed: false }],
    [{ profile: undefined }, { email: null, displayName: 'ana' }],
    [
      { enterprise_user: undefined, tz: undefined },
      { enterpriseId: null, globalId: null, timeZone: null },
    ],
  ])('with %o is %o', async (told, expected) => {
    await using slack = await startFakeSlack(answering({ ...ana, ...told }));
    expect(await lookupOf(slack).person('U1')).toMatchObject(expected);
  });

  it('with unreadable flags is an error, not a full member', async () => {
    await using slack = await startFakeSlack(answering({ ...ana, is_restricted: 'true' }));
    await expect(lookupOf(slack).person('U1')).rejects.toMatchObject({ class: 'unreadable' });
  });

  it('is requested each time, and for lists once a minute', async () => {
    await using slack = await startFakeSlack(answering(ana));
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    await Promise.all([lookup.person('U1'), lookup.person('U1')]);
    expect(slack.calls).toHaveLength(2);
    now = 59_999;
    await lookup.recent.person('U1');
    expect(slack.calls).toHaveLength(2);
    now = 60_000;
    await Promise.all([lookup.recent.person('U1'), lookup.recent.person('U1')]);
    expect(slack.calls).toHaveLength(3);
  });

  it('is known for an hour, until Slack says that they have changed', async () => {
    let user: object = ana;
    await using slack = await startFakeSlack(() => ({ ok: true, user }));
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    await lookup.person('U1');
    user = { ...ana, deleted: true };
    now = 3_599_999;
    expect(await lookup.known.person('U1')).toMatchObject({ deleted: false });
    expect(slack.calls).toHaveLength(1);
    lookup.forget('U1');
    expect(await lookup.known.person('U1')).toMatchObject({ deleted: true });
    now += 3_600_000;
    await lookup.known.person('U1');
    expect(slack.calls).toHaveLength(3);
  });

  it('is asked for in the background slowly, so that presses come first', async () => {
    await using slack = await startFakeSlack(answering(ana));
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    const many = Array.from({ length: 31 }, (_, index) => lookup.known.person(`U${index}`));
    const ends = await Promise.allSettled(many);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
    expect(ends.at(-1)).toMatchObject({ reason: { class: 'ambiguous', code: 'busy' } });
    await lookup.person('U99');
    now = 2_000;
    await lookup.known.person('U100');
    await expect(lookup.known.person('U101')).rejects.toMatchObject({ code: 'busy' });
    expect(slack.calls).toHaveLength(32);
  });

  it('is asked for once by many at the same time, who take no turns from others', async () => {
    await using slack = await startFakeSlack(answering(ana));
    const lookup = lookupOf(slack, () => 0);
    const same = Array.from({ length: 100 }, () => lookup.known.person('U1'));
    const others = Array.from({ length: 29 }, (_, index) => lookup.known.person(`U2${index}`));
    expect(await Promise.all([...same, ...others])).toHaveLength(129);
    expect(slack.calls).toHaveLength(30);
  });

  it('is requested once by lookups for the same press', async () => {
    await using slack = await startFakeSlack(answering(ana));
    const lookup = lookupOf(slack);
    await Promise.all([lookup.person('U1', { since: 0 }), lookup.person('U1', { since: 0 })]);
    expect(slack.calls).toHaveLength(1);
  });

  it('is seen as deactivated or reactivated at once', async () => {
    const told = { ...ana };
    await using slack = await startFakeSlack(() => ({ ok: true, user: told }));
    const lookup = lookupOf(slack);
    for (const deleted of [false, true, false]) {
      told.deleted = deleted;
      expect(await lookup.person('U1')).toMatchObject({ deleted });
      expect(lookup.lastSeen('U1')).toMatchObject({ deleted });
    }
    expect(lookup.lastSeen('U2')).toBeUndefined();
  });

  it('is requested again after a failure', async () => {
    const answers = [
      { ok: false, error: 'user_not_found' },
      { ok: true, user: ana },
    ];
    await using slack = await startFakeSlack(() => answers.shift());
    const lookup = lookupOf(slack);
    await expect(lookup.person('U1')).rejects.toMatchObject({
      class: 'refused',
      code: 'user_not_found',
    });
    expect(await lookup.person('U1')).toMatchObject({ id: 'U1' });
  });

  it.each([
    ['that fires', () => AbortSignal.timeout(50)],
    ['that fired before', () => AbortSignal.abort()],
  ])('keeps others waiting no longer than their own signal %s', async (_, signal) => {
    await using slack = await startFakeSlack(() => () => {});
    const asked = lookupOf(slack).person('U1', { signal: signal() });
    await expect(asked).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('the members of a channel', () => {
  it('are read over all pages, and for lists once within 30 s', async () => {
    await using slack = await startFakeSlack(({ body }) =>
      body.cursor === 'two'
        ? { ok: true, members: ['U3'] }
        : { ok: true, members: ['U1', 'U2'], response_metadata: { next_cursor: 'two' } },
    );
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    expect(await lookup.isMember('C1', 'U3')).toBe(true);
    expect(await lookup.recent.isMember('C1', 'U4')).toBe(false);
    expect(slack.calls).toHaveLength(2);
    now = 29_999;
    expect(await lookup.recent.isMember('C1', 'U1')).toBe(true);
    expect(slack.calls).toHaveLength(2);
    now = 30_000;
    expect(await lookup.recent.isMember('C1', 'U4')).toBe(false);
    expect(slack.calls).toHaveLength(4);
  });

  it('are read no further than the page with the person', async () => {
    await using slack = await startFakeSlack(({ body }) =>
      body.cursor === 'two'
        ? () => {} // No answer.
        : { ok: true, members: ['U1'], response_metadata: { next_cursor: 'two' } },
    );
    const lookup = lookupOf(slack);
    expect(await lookup.isMember('C1', 'U1')).toBe(true);
    expect(await lookup.recent.isMember('C1', 'U1')).toBe(true);
    expect(slack.calls).toHaveLength(1);
  });

  it('are read on from the known pages, and nobody is denied before the last page', async () => {
    const pages: Record<string, object> = {
      '': { members: ['U1'], response_metadata: { next_cursor: 'two' } },
      two: { members: ['U2'], response_metadata: { next_cursor: 'three' } },
      three: { members: ['U3'] },
    };
    let isDown = false;
    await using slack = await startFakeSlack(({ body }) =>
      isDown
        ? { ok: false, error: 'fetch_members_failed' }
        : { ok: true, ...pages[String(body.cursor ?? '')] },
    );
    const lookup = lookupOf(slack, () => 0);
    const find = (user: string) => lookup.recent.isMember('C1', user);
    expect(await find('U1')).toBe(true);
    isDown = true;
    await expect(find('U9')).rejects.toMatchObject({ code: 'fetch_members_failed' });
    isDown = false;
    expect(await Promise.all([find('U2'), find('U2')])).toEqual([true, true]);
    expect(await find('U9')).toBe(false);
    expect(slack.calls.map(({ body }) => body.cursor)).toEqual([undefined, 'two', 'two', 'three']);
  });

  it('authorize by a list from 30 s ago while Slack limits the call, whatever page it limits', async () => {
    const limited: Answer = () => (response) =>
      response.writeHead(429, { 'retry-after': '60' }).end();
    const first: Answer = () => ({
      ok: true,
      members: ['U1'],
      response_metadata: { next_cursor: 'two' },
    });
    const answers: Answer[] = [first, () => ({ ok: true, members: ['U2'] }), first, limited];
    await using slack = await startFakeSlack((call) => (answers.shift() ?? limited)(call));
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    expect(await lookup.isMember('C1', 'U2')).toBe(true);
    now = 29_999;
    expect(await lookup.isMember('C1', 'U2')).toBe(true);
    expect(await lookup.isMember('C1', 'U2')).toBe(true);
    await expect(lookup.isMember('C1', 'U3')).rejects.toMatchObject({ status: 429 });
    now = 30_000;
    await expect(lookup.isMember('C1', 'U2')).rejects.toMatchObject({ status: 429 });
  });

  it('authorize somebody on a later page of a large channel whose list was never read to its end', async () => {
    let isLimited = false;
    const pages: Record<string, object> = {
      '': { members: ['U1'], response_metadata: { next_cursor: 'two' } },
      two: { members: ['U2'], response_metadata: { next_cursor: 'three' } },
      three: { members: ['U3'] },
    };
    await using slack = await startFakeSlack(({ body: { cursor = '' } }) =>
      isLimited && cursor !== ''
        ? (response) => response.writeHead(429, { 'retry-after': '60' }).end()
        : { ok: true, ...pages[String(cursor)] },
    );
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    expect(await lookup.isMember('C1', 'U2')).toBe(true);
    isLimited = true;
    now = 15_000;
    // A newer list that ends before the person does not hide that.
    expect(await lookup.isMember('C1', 'U2')).toBe(true);
    now = 29_999;
    expect(await lookup.isMember('C1', 'U2')).toBe(true);
    await expect(lookup.isMember('C1', 'U3')).rejects.toMatchObject({ status: 429 });
    now = 30_000;
    await expect(lookup.isMember('C1', 'U2')).rejects.toMatchObject({ status: 429 });
  });

  it('deny at once a person who is no longer on a complete list', async () => {
    const members = ['U1', 'U2'];
    await using slack = await startFakeSlack(() => ({ ok: true, members }));
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    expect(await lookup.isMember('C1', 'U2')).toBe(true);
    members.pop();
    now = 1;
    expect(await lookup.isMember('C1', 'U2')).toBe(false);
    expect(await lookup.isMember('C1', 'U1')).toBe(true);
  });

  it('(of a group) are searched on from the workspace that failed, unless that was long ago', async () => {
    const places: unknown[] = [];
    await using slack = await startFakeSlack(({ method, body }) => {
      if (method === 'auth.teams.list') return { ok: true, teams: TEAMS };
      if (body.team_id === 'T3' && !places.includes('T3')) {
        places.push('T3');
        return { ok: false, error: 'access_denied' };
      }
      places.push(body.team_id);
      return body.team_id === 'T3'
        ? { ok: true, users: ['U1'] }
        : { ok: false, error: 'no_such_subteam' };
    });
    let now = 0;
    const lookup = lookupOf(slack, () => ++now, true);
    await expect(lookup.groupMembers('S1')).rejects.toMatchObject({ code: 'access_denied' });
    expect(await lookup.groupMembers('S1')).toEqual({ users: ['U1'], missing: null });
    expect(places.splice(0)).toEqual(['T1', 'T2', 'T3', 'T3']);
    // An old error does not prevent another try.
    await expect(lookup.groupMembers('S2')).rejects.toMatchObject({ code: 'access_denied' });
    now += 11 * 60_000;
    expect(await lookup.groupMembers('S2')).toEqual({ users: ['U1'], missing: null });
    expect(places).toEqual(['T1', 'T2', 'T3', 'T1', 'T2', 'T3']);
  });

  it('are read again before anybody is authorized or denied', async () => {
    const members = ['U1'];
    await using slack = await startFakeSlack(() => ({ ok: true, members }));
    const lookup = lookupOf(slack);
    expect(await lookup.isMember('C1', 'U1')).toBe(true);
    members.splice(0, 1, 'U2');
    expect(await lookup.isMember('C1', 'U2')).toBe(true);
    expect(await lookup.isMember('C1', 'U1')).toBe(false);
  });

  it('are not guessed when a page is missing', async () => {
    await using slack = await startFakeSlack(({ body }) =>
      body.cursor === 'two'
        ? { ok: false, error: 'fetch_members_failed' }
        : { ok: true, members: ['U1'], response_metadata: { next_cursor: 'two' } },
    );
    const asked = lookupOf(slack).isMember('C1', 'U9');
    await expect(asked).rejects.toMatchObject({ code: 'fetch_members_failed' });
  });
});

describe('the members of a group', () => {
  it('are read, and for lists kept for a minute', async () => {
    await using slack = await startFakeSlack(() => ({ ok: true, users: ['U1'] }));
    const lookup = lookupOf(slack);
    expect(await lookup.groupMembers('S1')).toEqual({ users: ['U1'], missing: null });
    await lookup.recent.groupMembers('S1');
    expect(slack.calls).toHaveLength(1);
    expect(slack.calls[0]?.body).toEqual({ usergroup: 'S1' });
  });

  it('are read in the workspace of the group, with the token of an organisation', async () => {
    const said: object[] = [];
    await using slack = await startFakeSlack(({ method, body }) => {
      if (method === 'users.info') return { ok: true, user: ana };
      if (method === 'auth.teams.list') return said.shift() ?? { ok: true, teams: TEAMS };
      if (!body.team_id) return { ok: false, error: 'missing_argument' };
      if (body.team_id === 'T1') return { ok: false, error: 'team_access_not_granted' };
      if (body.team_id !== 'T3') return { ok: false, error: 'no_such_subteam' };
      return body.usergroup === 'S1'
        ? { ok: true, users: ['U1'] }
        : { ok: false, error: 'no_such_subteam' };
    });
    const lookup = lookupOf(slack);
    await lookup.person('U1');
    const asked = () => slack.calls.splice(0).map(({ method, body }) => body.team_id ?? method);
    asked();
    const members = () => lookup.groupMembers('S1', { lookingFor: ['U1'] });
    expect(await members()).toEqual({ users: ['U1'], missing: null });
    // The person's workspace first, then the others; from then on only the group's.
    expect(asked()).toEqual(['usergroups.users.list', 'T1', 'auth.teams.list', 'T2', 'T3']);
    await members();
    expect(asked()).toEqual(['T3']);
    expect(await lookup.groupMembers('S9')).toEqual({ users: [], missing: 'unknown_group' });
    // Nobody is denied because Slack did not say where to look.
    said.push({ ok: false, error: 'access_denied' });
    await expect(lookup.groupMembers('S9')).rejects.toMatchObject({ code: 'access_denied' });
  });

  it('are read again before anybody is authorized or denied', async () => {
    const users = ['U1'];
    await using slack = await startFakeSlack(() => ({ ok: true, users }));
    const lookup = lookupOf(slack);
    const find = async (...lookingFor: string[]) =>
      (await lookup.groupMembers('S1', { lookingFor })).users;
    expect(await find('U1')).toEqual(['U1']);
    users.splice(0, 1, 'W2');
    expect(await find('U1')).toEqual(['W2']);
    expect(await find('U2', 'W2')).toEqual(['W2']);
  });

  it('authorize by a list from a minute ago while Slack limits the call, and deny nobody', async () => {
    const answers: Answer[] = [
      () => ({ ok: true, users: ['U1'] }),
      () => (response) => response.writeHead(429, { 'retry-after': '60' }).end(),
    ];
    await using slack = await startFakeSlack((call) => answers.shift()?.(call));
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    const find = (user: string) => lookup.groupMembers('S1', { lookingFor: [user] });
    await find('U1');
    now = 59_999;
    expect(await find('U1')).toMatchObject({ users: ['U1'] });
    await expect(find('U2')).rejects.toMatchObject({ status: 429 });
    now = 60_000;
    await expect(find('U1')).rejects.toMatchObject({ status: 429 });
  });

  it.each([
    ['no_such_subteam', 'unknown_group'],
    ['subteam_not_found', 'unknown_group'],
    ['plan_upgrade_required', 'no_groups_in_plan'],
    ['paid_teams_only', 'no_groups_in_plan'],
    ['paid_only', 'no_groups_in_plan'],
  ])('are empty after %s', async (error, missing) => {
    await using slack = await startFakeSlack(() => ({ ok: false, error }));
    expect(await lookupOf(slack).groupMembers('S1')).toEqual({ users: [], missing });
  });

  it('are not known when Slack fails', async () => {
    await using slack = await startFakeSlack(() => ({ ok: false, error: 'missing_scope' }));
    const asked = lookupOf(slack).groupMembers('S1');
    await expect(asked).rejects.toMatchObject({ code: 'missing_scope' });
  });
});

describe('a person found by e-mail', () => {
  it('is an id', async () => {
    await using slack = await startFakeSlack(answering(ana));
    expect(await lookupOf(slack).userByEmail('ana@example.com')).toBe('U1');
    expect(slack.calls[0]?.body).toEqual({ email: 'ana@example.com' });
  });

  it('is not found when Slack knows nobody', async () => {
    await using slack = await startFakeSlack(() => ({ ok: false, error: 'users_not_found' }));
    expect(await lookupOf(slack).userByEmail('x@example.com')).toBeUndefined();
  });
});
