import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Workspace } from '../../workspace/workspace-handle.ts';
import { slackClient } from '../slack-client.ts';
import { type AppWorld, channel, manifest, startAppWorld } from './app-world.ts';
import { proof } from './proof.ts';

let world: AppWorld;
beforeEach(async () => {
  world = await startAppWorld({ eventRetriesMs: [0, 20, 40] });
});
afterEach(() => world[Symbol.asyncDispose]());

/** Waits until the app has answered for every event. */
async function told(type?: string): Promise<Readonly<Record<string, unknown>>[]> {
  const { workspace, until } = world.sandbox;
  await until(() => workspace.events().every(({ over }) => over));
  return workspace.events(type).map(({ event }) => event);
}

it('is sent when the app writes with metadata of a type that it follows', async () => {
  const client = slackClient(world.sandbox);
  const write = (event_type: string) =>
    client.chat.postMessage({
      channel,
      text: 'Written',
      metadata: { event_type, event_payload: { record: 'r1' } },
    });
  await write('other');
  const { ts } = await write('part');
  await client.chat.postMessage({ channel, text: 'Plain' });
  expect(await told('message_metadata_posted')).toMatchObject([
    {
      channel_id: channel,
      message_ts: ts,
      user_id: 'U0APP',
      app_id: 'A0APP',
      metadata: { event_type: 'part', event_payload: { record: 'r1' } },
    },
  ]);
});

type Does = (workspace: Workspace) => unknown;

describe('an event is sent when', () => {
  const cases: [string, Does, string, object][] = [
    [
      'a person joins',
      (it) => it.invite(channel, 'U0BOTX'),
      'member_joined_channel',
      { user: 'U0BOTX', channel, channel_type: 'C', team: 'T0ACME' },
    ],
    [
      'the bot joins',
      (it) => it.inviteBot('C0SECURITY'),
      'member_joined_channel',
      { user: 'U0APP', channel: 'C0SECURITY', channel_type: 'G' },
    ],
    [
      'a person types /invite with the bot',
      (it) => it.command({ user: 'U0ANA', channel: 'C0SECURITY', text: '/invite @Tryout' }),
      'member_joined_channel',
      { user: 'U0APP', channel: 'C0SECURITY', channel_type: 'G', inviter: 'U0ANA' },
    ],
    [
      'a person leaves',
      (it) => it.remove(channel, 'U0ANA'),
      'member_left_channel',
      { user: 'U0ANA', channel, channel_type: 'C' },
    ],
    ['the bot leaves', (it) => it.kickBot(channel), 'channel_left', { channel }],
    ['a channel is archived', (it) => it.archive(channel), 'channel_archive', { channel }],
    [
      'a channel is opened again',
      (it) => it.unarchive('C0OLD'),
      'channel_unarchive',
      { channel: 'C0OLD' },
    ],
    [
      'a channel is renamed',
      (it) => it.rename(channel, 'ships'),
      'channel_rename',
      { channel: { id: channel, name: 'ships' } },
    ],
    [
      'a person changes',
      (it) => it.setUser('U0ANA', { real_name: 'Ana R.' }),
      'user_change',
      { user: { id: 'U0ANA', real_name: 'Ana R.' } },
    ],
    [
      'a person is deactivated',
      (it) => it.deactivate('U0ANA'),
      'user_change',
      { user: { id: 'U0ANA', deleted: true } },
    ],
    [
      'a user group gets other members',
      (it) => it.setUserGroup('S0REL', { users: ['U0BEN', 'U0CLEO'] }),
      'subteam_members_changed',
      { subteam_id: 'S0REL', added_users: ['U0CLEO'], removed_users: ['U0ANA'] },
    ],
    [
      'a user group is switched off',
      (it) => it.setUserGroup('S0REL', { enabled: false }),
      'subteam_updated',
      { subteam: { id: 'S0REL', handle: 'release-managers', date_delete: expect.any(Number) } },
    ],
    [
      'a person opens the home tab',
      (it) => it.openHome('U0ANA'),
      'app_home_opened',
      { user: 'U0ANA', channel: 'D0ANA', tab: 'home' },
    ],
    [
      'a person writes in a channel',
      (it) => it.say({ user: 'U0ANA', channel, text: 'a & b' }),
      'message',
      { user: 'U0ANA', channel, channel_type: 'channel', text: 'a &amp; b' },
    ],
    [
      'a person writes to the app',
      (it) => it.say({ user: 'U0ANA', channel: 'D0ANA', text: 'help' }),
      'message',
      { user: 'U0ANA', channel: 'D0ANA', channel_type: 'im' },
    ],
    [
      'a person mentions the app',
      (it) => it.say({ user: 'U0ANA', channel, text: '<@U0APP> help' }),
      'app_mention',
      { user: 'U0ANA', channel, text: '<@U0APP> help' },
    ],
    [
      'a message is deleted',
      (it) => it.deleteMessage(channel, it.say({ user: 'U0ANA', channel, text: 'a' }).ts),
      'message',
      { subtype: 'message_deleted', channel, previous_message: { text: 'a' } },
    ],
  ];

  it.each(cases)('%s', async (_, does, type, facts) => {
    does(world.sandbox.workspace);
    expect((await told(type)).at(-1)).toMatchObject({
      type,
      ...facts,
      event_ts: expect.stringMatching(/^\d+\.\d{6}$/),
    });
  });

  it('a private channel changes, if the app is in it', async () => {
    const { workspace } = world.sandbox;
    const change = () => {
      workspace.archive('C0SECURITY');
      workspace.unarchive('C0SECURITY');
      workspace.rename('C0SECURITY', 'safe');
    };
    change();
    expect(await told()).toEqual([]);
    workspace.inviteBot('C0SECURITY');
    change();
    workspace.kickBot('C0SECURITY');
    expect((await told()).map(({ type }) => type)).toEqual([
      'member_joined_channel',
      'group_archive',
      'group_unarchive',
      'group_rename',
      'group_left',
    ]);
  });

  it('but not when nothing changes, or where the app is not a member', async () => {
    const { workspace } = world.sandbox;
    workspace.invite(channel, 'U0ANA');
    workspace.archive('C0OLD');
    workspace.remove('C0NOBOT', 'U0ANA');
    workspace.say({ user: 'U0BEN', channel: 'C0NOBOT', text: 'alone' });
    expect(await told()).toEqual([]);
  });
});

it('the app gets events for its own actions too', async () => {
  const { workspace } = world.sandbox;
  const client = slackClient(world.sandbox);
  const { ts = '' } = await client.chat.postMessage({ channel, text: 'a <@U0APP>' });
  await client.chat.update({ channel, ts, text: 'b' });
  await client.chat.delete({ channel, ts });
  expect(await told()).toMatchObject([
    { type: 'message', ts, bot_id: 'B0APP', channel, channel_type: 'channel' },
    { subtype: 'message_changed', message: { text: 'b' }, previous_message: { ts } },
    { subtype: 'message_deleted', deleted_ts: ts, previous_message: { text: 'b' } },
  ]);
  expect(workspace.events('app_mention')).toEqual([]);
});

describe('an event', () => {
  proof('event', 'is sent in a signed envelope', async () => {
    const { workspace, credentials } = world.sandbox;
    workspace.archive(channel);
    await told();
    const [request] = world.app.received;
    const { body = '', headers } = request ?? {};
    expect(headers?.['content-type']).toBe('application/json');
    const mac = createHmac('sha256', credentials.signingSecret);
    mac.update(`v0:${headers?.['x-slack-request-timestamp']}:${body}`);
    expect(headers?.['x-slack-signature']).toBe(`v0=${mac.digest('hex')}`);
    expect(headers).not.toHaveProperty('x-slack-retry-num');
    expect(JSON.parse(body)).toMatchObject({
      type: 'event_callback',
      token: expect.any(String),
      team_id: 'T0ACME',
      api_app_id: 'A0APP',
      event: { type: 'channel_archive' },
      event_id: workspace.events()[0]?.eventId,
      event_time: expect.any(Number),
      authorizations: [{ team_id: 'T0ACME', user_id: 'U0APP', is_bot: true, enterprise_id: null }],
    });
  });

  proof(
    'event again',
    'is sent three more times when it is not acknowledged, with the reason',
    async () => {
      world.answer(() => ({ status: 500 }));
      world.sandbox.workspace.archive(channel);
      await told();
      const { received } = world.app;
      const header = (name: string) => received.map(({ headers }) => headers[name]);
      expect(header('x-slack-retry-num')).toEqual([undefined, '1', '2', '3']);
      const reasons = [undefined, 'http_error', 'http_error', 'http_error'];
      expect(header('x-slack-retry-reason')).toEqual(reasons);
      expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    },
  );

  it('is repeated until it is acknowledged, or the app asks for no retries', async () => {
    const { workspace } = world.sandbox;
    world.answer(({ headers }) => ({ status: headers['x-slack-retry-num'] === '1' ? 200 : 503 }));
    workspace.archive(channel);
    await told();
    expect(workspace.events()[0]?.attempts.map(({ status }) => status)).toEqual([503, 200]);
    world.answer(() => ({ status: 503, headers: { 'x-slack-no-retry': '1' } }));
    workspace.unarchive(channel);
    await told();
    expect(workspace.events()[1]?.attempts).toHaveLength(1);
  });

  it('has the reason for its retry: a timeout, or a failed connection', async () => {
    const reasons: unknown[] = [];
    await using late = await startAppWorld({
      eventRetriesMs: [0],
      post: async (_to, _body, headers) => {
        const isRetry = reasons.push(headers['x-slack-retry-reason']) > 1;
        return { status: isRetry ? 200 : 0, body: '', timedOut: !isRetry, noRetry: false };
      },
    });
    late.sandbox.workspace.archive(channel);
    await late.sandbox.until(() => late.sandbox.workspace.events().every(({ over }) => over));
    expect(reasons).toEqual([undefined, 'http_timeout']);

    await using other = await startAppWorld({ eventRetriesMs: [] });
    await other.app[Symbol.asyncDispose]();
    const { workspace, until } = other.sandbox;
    workspace.archive(channel);
    const sent = await until(() => workspace.events().find(({ over }) => over));
    expect(sent.attempts).toMatchObject([{ status: 0, timedOut: false }]);
  });

  it('can be sent twice at the same time', async () => {
    const { workspace } = world.sandbox;
    workspace.repeatEvents(true);
    workspace.archive(channel);
    await told();
    const bodies = world.app.received.map(({ body }) => body);
    expect(bodies).toEqual([bodies[0], bodies[0]]);
  });

  it('is not sent if the manifest does not list it', async () => {
    const without = manifest.replace('channel_archive, ', '');
    await using other = await startAppWorld({ manifest: without });
    other.sandbox.workspace.archive(channel);
    other.sandbox.workspace.unarchive(channel);
    expect(other.sandbox.workspace.events().map(({ type }) => type)).toEqual(['channel_unarchive']);
  });

  it('is not sent without its scope', async () => {
    await using other = await startAppWorld({ scopes: ['groups:read'] });
    const { workspace } = other.sandbox;
    workspace.archive(channel);
    workspace.inviteBot('C0SECURITY');
    workspace.openHome('U0ANA');
    expect(workspace.events().map(({ type }) => type)).toEqual([
      'member_joined_channel',
      'app_home_opened',
    ]);
  });

  it('is dropped when the sandbox is reset', async () => {
    const { workspace, until } = world.sandbox;
    world.answer(() => ({ status: 500 }));
    workspace.archive(channel);
    await until(() => workspace.events()[0]?.attempts.length === 1);
    world.sandbox.reset();
    expect(workspace.events()).toEqual([]);
    const before = world.app.received.length;
    workspace.archive('C0OUTCOMES');
    await told();
    const later = world.app.received.slice(before).map(({ body }) => body);
    expect(later).toEqual(Array.from({ length: 4 }, () => expect.stringContaining('C0OUTCOMES')));
  });
});
