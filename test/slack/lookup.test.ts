import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createLookup } from '../../src/slack/lookup.ts';
import { createWebClients } from '../../src/slack/web-clients.ts';
import { type Answer, type FakeSlack, startFakeSlack } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';

function lookupOf(slack: FakeSlack, monotonic = () => 0) {
  const { logger } = createLogSink();
  const clients = createWebClients(
    { botToken: 'xoxb-1', apiUrl: slack.apiUrl, logger },
    systemClock,
  );
  return createLookup({ client: clients.lookup, clock: { monotonic } });
}

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

  it('whose flags cannot be read is not taken for a full member', async () => {
    await using slack = await startFakeSlack(answering({ ...ana, is_restricted: 'true' }));
    await expect(lookupOf(slack).person('U1')).rejects.toMatchObject({ class: 'unreadable' });
  });

  it('is asked for once by those who ask at the same time, and again after a minute', async () => {
    await using slack = await startFakeSlack(answering(ana));
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    await Promise.all([lookup.person('U1'), lookup.person('U1')]);
    now = 59_999;
    await lookup.person('U1');
    expect(slack.calls).toHaveLength(1);
    now = 60_000;
    await lookup.person('U1');
    expect(slack.calls).toHaveLength(2);
  });

  it('that could not be asked for is asked for again', async () => {
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
  it('are read over all pages, once within 30 s', async () => {
    await using slack = await startFakeSlack(({ body }) =>
      body.cursor === 'two'
        ? { ok: true, members: ['U3'] }
        : { ok: true, members: ['U1', 'U2'], response_metadata: { next_cursor: 'two' } },
    );
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    expect(await lookup.isMember('C1', 'U3')).toBe(true);
    expect(await lookup.isMember('C1', 'U4')).toBe(false);
    expect(slack.calls).toHaveLength(2);
    now = 29_999;
    expect(await lookup.isMember('C1', 'U1')).toBe(true);
    expect(slack.calls).toHaveLength(2);
    now = 30_000;
    expect(await lookup.isMember('C1', 'U1')).toBe(true);
    expect(slack.calls).toHaveLength(4);
  });

  it('are asked for again after 20 s before somebody is turned away', async () => {
    const members = ['U1'];
    await using slack = await startFakeSlack(() => ({ ok: true, members }));
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    expect(await lookup.isMember('C1', 'U1')).toBe(true);
    members.push('U2');
    now = 19_999;
    expect(await lookup.isMember('C1', 'U2')).toBe(false);
    now = 20_000;
    expect(await lookup.isMember('C1', 'U2')).toBe(true);
    expect(await lookup.isMember('C1', 'U3')).toBe(false);
    expect(slack.calls).toHaveLength(2);
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
  it('are read and kept for a minute', async () => {
    await using slack = await startFakeSlack(() => ({ ok: true, users: ['U1'] }));
    const lookup = lookupOf(slack);
    expect(await lookup.groupMembers('S1')).toEqual({ users: ['U1'], missing: null });
    await lookup.groupMembers('S1');
    expect(slack.calls).toHaveLength(1);
    expect(slack.calls[0]?.body).toEqual({ usergroup: 'S1' });
  });

  it('are asked for again after 20 s when somebody who is looked for is not among them', async () => {
    const users = ['U1'];
    await using slack = await startFakeSlack(() => ({ ok: true, users }));
    let now = 0;
    const lookup = lookupOf(slack, () => now);
    const find = async (...lookingFor: string[]) =>
      (await lookup.groupMembers('S1', { lookingFor })).users;
    await find('U1');
    users.push('W2');
    now = 59_999;
    expect(await find('U1')).toEqual(['U1']);
    expect(await find('U2', 'W2')).toEqual(['U1', 'W2']);
    expect(await find('U3')).toEqual(['U1', 'W2']);
    expect(slack.calls).toHaveLength(2);
  });

  it.each([
    ['no_such_subteam', 'unknown_group'],
    ['plan_upgrade_required', 'no_groups_in_plan'],
  ])('are nobody after %s', async (error, missing) => {
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

  it('is nobody when Slack knows nobody', async () => {
    await using slack = await startFakeSlack(() => ({ ok: false, error: 'users_not_found' }));
    expect(await lookupOf(slack).userByEmail('x@example.com')).toBeUndefined();
  });
});
