import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { type AppWorld, channel, formOf, startAppWorld } from './app-world.ts';
import { proof } from './proof.ts';

let world: AppWorld;
beforeEach(async () => {
  world = await startAppWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const type = (text: string, more: { channel?: string; twice?: 'delivered' | 'pressed' } = {}) =>
  world.sandbox.workspace.command({ user: 'U0ANA', channel, text, ...more });
const seenBy = (user: string) => world.sandbox.workspace.visibleTo(user, channel);

describe('a command', () => {
  proof('slash command', 'is sent as a signed form with all its fields', async () => {
    const delivery = await type('/try  one two ');
    expect(delivery).toMatchObject({ sent: true, acknowledged: true, shown: null });
    const [request] = world.app.received;
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(formOf(request)).toEqual({
      token: expect.any(String),
      team_id: 'T0ACME',
      team_domain: 'acme',
      channel_id: channel,
      channel_name: 'deployments',
      user_id: 'U0ANA',
      user_name: 'ana',
      command: '/try',
      text: 'one two',
      api_app_id: 'A0APP',
      is_enterprise_install: 'false',
      response_url: expect.stringContaining(`${world.sandbox.url}/slack/response/`),
      trigger_id: expect.stringMatching(/^\d+\.\w+$/),
    });
    const seconds = request?.headers['x-slack-request-timestamp'];
    const mac = createHmac('sha256', world.sandbox.credentials.signingSecret);
    const signature = mac.update(`v0:${seconds}:${request?.body}`).digest('hex');
    expect(request?.headers['x-slack-signature']).toBe(`v0=${signature}`);
    expect(seenBy('U0ANA')).toEqual([]);
  });

  it.each([
    ['D0ANA', 'directmessage'],
    ['C0SECURITY', 'privategroup'],
    ['C0NOBOT', 'random'],
  ])('can be used in %s, which is called %s', async (where, name) => {
    await type('/try', { channel: where });
    expect(formOf(world.app.received[0])).toMatchObject({
      channel_id: where,
      channel_name: name,
      text: '',
    });
  });

  it('names the organization if there is one', async () => {
    await using other = await startAppWorld({ enterprise: { id: 'E0ACME', name: 'Acme Group' } });
    await other.sandbox.workspace.command({ user: 'U0ANA', channel, text: '/try' });
    expect(formOf(other.app.received[0])).toMatchObject({
      enterprise_id: 'E0ACME',
      enterprise_name: 'Acme Group',
      is_enterprise_install: 'false',
    });
  });

  it('says for an app installed in the organization that it is an enterprise install', async () => {
    const installedIn = [{ id: 'T0ACME', name: 'Acme' }];
    const enterprise = { id: 'E0ACME', name: 'Acme Group', installedIn };
    await using other = await startAppWorld({ enterprise });
    await other.sandbox.workspace.command({ user: 'U0ANA', channel, text: '/try' });
    expect(formOf(other.app.received[0])).toMatchObject({ is_enterprise_install: 'true' });
    await other.sandbox.workspace.shortcut({ user: 'U0ANA', callbackId: 'try.global' });
    expect(other.payloads('shortcut')).toMatchObject([
      { is_enterprise_install: true, enterprise: { id: 'E0ACME', name: 'Acme Group' } },
    ]);
    other.sandbox.workspace.setUser('U0ANA', { real_name: 'Ana' });
    await other.sandbox.until(() => other.app.received.length > 2);
    expect(JSON.parse(other.app.received[2]?.body ?? '')).toMatchObject({
      context_enterprise_id: 'E0ACME',
      authorizations: [{ enterprise_id: 'E0ACME', team_id: null, is_enterprise_install: true }],
    });
  });

  it('escapes its text, and turns names into mentions if the command asks for it', async () => {
    await type('/try a < b & c @ben');
    await type('/ask @ben in #releases, not @nobody');
    await type('/ask @Ben Okafor and @Cleo, not @Benjamin');
    expect(world.app.received.map(formOf)).toMatchObject([
      { text: 'a &lt; b &amp; c @ben' },
      { text: '<@U0BEN|ben> in <#C0OUTCOMES|releases>, not @nobody' },
      { text: '<@U0BEN|ben> and <@U0CLEO|cleo>, not @Benjamin' },
    ]);
  });

  it('missing from the manifest is not sent, and Slack says so', async () => {
    const delivery = await type('/foo bar');
    expect(delivery).toMatchObject({ sent: false });
    expect(delivery.shown).toMatch(/^`\/foo` is not a valid command\. /);
    expect(world.app.received).toEqual([]);
    expect(seenBy('U0ANA')).toMatchObject([{ user: 'USLACKBOT', text: delivery.shown }]);
    expect(seenBy('U0BEN')).toEqual([]);
  });

  it('needs the scope commands', async () => {
    await using other = await startAppWorld({ scopes: ['chat:write'] });
    const typed = await other.sandbox.workspace.command({ user: 'U0ANA', channel, text: '/try' });
    expect(typed).toMatchObject({ sent: false, shown: expect.stringContaining('not a valid') });
  });

  it('must be typed by a member of the channel', async () => {
    await expect(type('/try', { channel: 'D0BEN' })).rejects.toThrow('U0ANA is not in D0BEN.');
  });

  it('can be typed in direct messages by somebody who is in Slack again', async () => {
    const direct = { channel: 'D0ANA' };
    await type('/try', direct);
    world.sandbox.workspace.deactivate('U0ANA');
    await expect(type('/try', direct)).rejects.toThrow('U0ANA is not in D0ANA.');
    world.sandbox.workspace.setUser('U0ANA', { deleted: false });
    expect(await type('/try', direct)).toMatchObject({ sent: true });
  });

  it('has a trigger that opens a modal, and a response_url', async () => {
    await type('/try');
    const { trigger_id, response_url = '' } = formOf(world.app.received[0]);
    const view = {
      type: 'modal',
      title: { type: 'plain_text', text: 'Try' },
      blocks: [{ type: 'divider' }],
    };
    await slackClient(world.sandbox).apiCall('views.open', { trigger_id, view });
    expect(world.sandbox.workspace.modal('U0ANA')).toMatchObject({ type: 'modal' });
    const answer = await fetch(response_url, { method: 'POST', body: '{"text":"Later"}' });
    expect(answer.status).toBe(200);
    expect(seenBy('U0ANA')).toMatchObject([{ text: 'Later', to: 'U0ANA' }]);
  });

  it.each([
    ['delivered', true],
    ['pressed', false],
  ] as const)('can be %s twice', async (twice, isSame) => {
    expect(await type('/try', { twice })).toMatchObject({ second: { acknowledged: true } });
    const [first, second] = world.app.received.map(formOf);
    expect(first?.trigger_id === second?.trigger_id).toBe(isSame);
  });
});

describe('the response to a command', () => {
  const answered = async (body: string) => {
    world.answer(() => ({ status: 200, body }));
    return type('/try it');
  };

  proof('slash command answer', 'is an ephemeral message', async () => {
    expect(await answered('Done.')).toMatchObject({ shown: null, body: 'Done.' });
    expect(seenBy('U0ANA')).toMatchObject([{ text: 'Done.', user: 'U0APP', to: 'U0ANA' }]);
    expect(seenBy('U0BEN')).toEqual([]);
  });

  it('can be a message in JSON, ephemeral by default', async () => {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'Done.' } }];
    await answered(JSON.stringify({ text: 'Done.', blocks }));
    expect(seenBy('U0ANA')).toMatchObject([{ text: 'Done.', blocks, to: 'U0ANA' }]);
  });

  it('is visible to everybody, with the command, if it is for the channel', async () => {
    await answered(JSON.stringify({ text: 'Done.', response_type: 'in_channel' }));
    const messages = world.sandbox.workspace.messages(channel);
    expect(messages).toMatchObject([
      { user: 'U0ANA', text: '/try it' },
      { user: 'U0APP', bot_id: 'B0APP', text: 'Done.' },
    ]);
    expect(seenBy('U0BEN')).toEqual(messages);
  });

  it('that is not a message is an error', async () => {
    const { shown } = await answered('{"blocks":[{"type":"unknown"}]}');
    expect(shown).toBe('/try failed with the error "invalid_command_response"');
  });
});

describe('a command that fails', () => {
  it.each([
    [404, 'http_client_error'],
    [500, 'http_service_error'],
  ])('with status %i shows %s', async (status, code) => {
    world.answer(() => ({ status }));
    const delivery = await type('/try');
    expect(delivery).toMatchObject({ acknowledged: false, status });
    expect(delivery.shown).toBe(`/try failed with the error "${code}"`);
    expect(seenBy('U0ANA')).toMatchObject([{ user: 'USLACKBOT', text: delivery.shown }]);
  });

  proof(
    'acknowledgement within 3 s',
    'without an acknowledgement within three seconds shows operation_timeout',
    async () => {
      const waitedMs: number[] = [];
      await using other = await startAppWorld({
        post: async ({ patienceMs }) => {
          waitedMs.push(patienceMs);
          return { status: 0, body: '', timedOut: true, noRetry: false };
        },
      });
      const typed = { user: 'U0ANA', channel, text: '/try' };
      const { shown } = await other.sandbox.workspace.command(typed);
      expect(shown).toBe('/try failed with the error "operation_timeout"');
      expect(waitedMs).toEqual([3_000]);
    },
  );

  it('without a connection shows dispatch_failed', async () => {
    await world.app[Symbol.asyncDispose]();
    expect((await type('/try')).shown).toBe('/try failed with the error "dispatch_failed"');
  });
});
