import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { type Answer, type Received, type Receiver, startReceiver } from '../receiver.ts';
import { slackClient } from '../slack-client.ts';
import { quietManifest } from './app-world.ts';
import { proof } from './proof.ts';

const channel = 'C0DEPLOYS';
const metadata = { event_type: 'part', event_payload: { record: 'r1' } };
const button = (label: string, more: object = {}) => ({
  type: 'button',
  action_id: `go.${label}`,
  value: 'opaque',
  text: { type: 'plain_text', text: label },
  ...more,
});
const confirm = {
  title: { type: 'plain_text', text: 'Sure?' },
  text: { type: 'plain_text', text: 'Really?' },
  confirm: { type: 'plain_text', text: 'Yes' },
  deny: { type: 'plain_text', text: 'No' },
};
const blocks = [
  {
    type: 'actions',
    block_id: 'choices',
    elements: [button('Approve', { style: 'primary' }), button('Reject', { confirm })],
  },
];

let sandbox: Sandbox;
let app: Receiver;
let ticks: number;
let answer: (request: Received) => Answer | null;

beforeEach(async () => {
  ticks = 0;
  answer = () => ({ status: 200 });
  sandbox = await startSandbox({
    manifest: quietManifest,
    now: () => Date.UTC(2026, 10, 20) + ticks,
  });
  app = await startReceiver((request) => answer(request));
  sandbox.connectBot({ eventsUrl: `${app.url}/slack/events`, intakeUrl: `${app.url}/v1` });
});
afterEach(async () => {
  await app[Symbol.asyncDispose]();
  await sandbox.close();
});

async function post(to = sandbox): Promise<string> {
  await slackClient(to).apiCall('chat.postMessage', { channel, text: 'Deploy?', blocks, metadata });
  return to.workspace.messages(channel).at(-1)?.ts ?? '';
}

function payloadOf(request: Received | undefined) {
  return JSON.parse(new URLSearchParams(request?.body).get('payload') ?? 'null');
}

describe('a press of a button', () => {
  it.each([
    ['C0OUTCOMES', { id: 'C0OUTCOMES', name: 'releases' }],
    ['C0SECURITY', { id: 'C0SECURITY', name: 'privategroup' }],
    ['U0ANA', { id: 'D0ANA', name: 'directmessage' }],
  ])('in %s names the channel as Slack does', async (to, named) => {
    sandbox.workspace.inviteBot('C0SECURITY');
    const sent = { channel: to, text: 'Deploy?', blocks };
    await slackClient(sandbox).apiCall('chat.postMessage', sent);
    const { ts = '' } = sandbox.workspace.messages(named.id).at(-1) ?? {};
    await sandbox.workspace.click({
      user: 'U0ANA',
      channel: named.id,
      ts,
      label: 'Approve',
    });
    expect(payloadOf(app.received[0]).channel).toEqual(named);
  });

  proof('button', 'is sent and signed as Slack does', async () => {
    const ts = await post();
    const delivery = await sandbox.workspace.click({
      user: 'U0ANA',
      channel,
      ts,
      label: 'Approve',
    });
    expect(delivery).toMatchObject({ sent: true, status: 200, acknowledged: true, shown: null });
    const [request] = app.received;
    const seconds = Date.UTC(2026, 10, 20) / 1000;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/slack/events',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-slack-request-timestamp': String(seconds),
      },
    });
    const mac = createHmac('sha256', sandbox.credentials.signingSecret);
    mac.update(`v0:${seconds}:${request?.body}`);
    expect(request?.headers['x-slack-signature']).toBe(`v0=${mac.digest('hex')}`);
    expect(payloadOf(request)).toMatchObject({
      type: 'block_actions',
      user: { id: 'U0ANA', username: 'ana', name: 'ana', team_id: 'T0ACME' },
      api_app_id: 'A0APP',
      container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false },
      trigger_id: expect.stringMatching(/^\d+\.\w+$/),
      team: { id: 'T0ACME', domain: 'acme' },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: channel, name: 'deployments' },
      message: { ts, text: 'Deploy?', bot_id: 'B0APP', metadata, blocks: [{ type: 'actions' }] },
      state: { values: {} },
      response_url: expect.stringContaining(`${sandbox.url}/slack/response/`),
      actions: [
        {
          action_id: 'go.Approve',
          block_id: 'choices',
          value: 'opaque',
          style: 'primary',
          type: 'button',
          text: { type: 'plain_text', text: 'Approve' },
          action_ts: expect.stringMatching(/^\d+\.\d{6}$/),
        },
      ],
    });
  });

  it('has the URL of a link button, and still needs an acknowledgement', async () => {
    const url = 'https://ci.example.com/runs/7';
    const elements = [button('Open run', { value: undefined, url })];
    const sent = { channel, text: 'Deploy?', blocks: [{ type: 'actions', elements }] };
    await slackClient(sandbox).apiCall('chat.postMessage', sent);
    const { ts = '' } = sandbox.workspace.messages(channel).at(-1) ?? {};
    answer = () => ({ status: 500 });
    const press = { user: 'U0ANA', channel, ts, label: 'Open run' };
    const delivery = await sandbox.workspace.click(press);
    expect(delivery).toMatchObject({ acknowledged: false, shown: expect.any(String) });
    const [action] = payloadOf(app.received[0]).actions;
    expect(action).toMatchObject({ type: 'button', action_id: 'go.Open run', url });
    expect(action).not.toHaveProperty('value');
  });

  it('has the other company’s team for a stranger', async () => {
    await sandbox.workspace.click({ user: 'U0STR', channel, ts: await post(), label: 'Approve' });
    expect(payloadOf(app.received[0]).user.team_id).toBe('T0OTHER');
  });

  it('has the thread if the message has replies', async () => {
    const ts = await post();
    sandbox.workspace.say({ user: 'U0BEN', channel, text: 'Wait', threadTs: ts });
    await sandbox.workspace.click({ user: 'U0ANA', channel, ts, label: 'Approve' });
    expect(payloadOf(app.received[0])).toMatchObject({
      container: { message_ts: ts, thread_ts: ts },
      message: { ts, thread_ts: ts, reply_count: 1 },
    });
  });

  it('is possible only for people who see the message, and only on its buttons', async () => {
    const ts = await post();
    const press = (user: string, label: string) =>
      sandbox.workspace.click({ user, channel, ts, label });
    await expect(press('U0DEL', 'Approve')).rejects.toThrow('U0DEL sees no message');
    await expect(press('U0ANA', 'Maybe')).rejects.toThrow('no button "Maybe"');
    expect(app.received).toEqual([]);
  });

  it('is not sent if the person does not confirm', async () => {
    const ts = await post();
    const press = { user: 'U0ANA', channel, ts, label: 'Reject' };
    expect(await sandbox.workspace.click({ ...press, confirm: false })).toMatchObject({
      sent: false,
    });
    expect(app.received).toEqual([]);
    expect(await sandbox.workspace.click(press)).toMatchObject({ acknowledged: true });
  });

  it('shows a failure if the app responds with anything but 200', async () => {
    answer = () => ({ status: 404, body: 'No' });
    const press = { user: 'U0ANA', channel, ts: await post(), label: 'Approve' };
    expect(await sandbox.workspace.click(press)).toMatchObject({
      status: 404,
      body: 'No',
      acknowledged: false,
      shown: 'Operation failed: the app responded with status code 404.',
    });
  });

  it('shows a failure if nobody responds in time', async () => {
    answer = () => null;
    await using other = await startSandbox({ manifest: quietManifest, patienceMs: 50 });
    other.connectBot({ eventsUrl: `${app.url}/slack/events`, intakeUrl: `${app.url}/v1` });
    const press = { user: 'U0ANA', channel, ts: await post(other), label: 'Approve' };
    const delivery = await other.workspace.click(press);
    expect(delivery).toMatchObject({
      status: 0,
      acknowledged: false,
      shown: 'Operation failed: the app did not respond.',
    });
    expect(delivery.ackMs).toBeGreaterThan(45);
  });

  it('shows a failure if nobody listens', async () => {
    await app[Symbol.asyncDispose]();
    const press = { user: 'U0ANA', channel, ts: await post(), label: 'Approve' };
    expect(await sandbox.workspace.click(press)).toMatchObject({ status: 0, acknowledged: false });
  });

  proof('double delivery', 'can be delivered twice with the same body', async () => {
    const press = { user: 'U0ANA', channel, ts: await post(), label: 'Approve' };
    const delivery = await sandbox.workspace.click({ ...press, twice: 'delivered' });
    expect(delivery.second).toMatchObject({ acknowledged: true });
    const [one, two] = app.received;
    expect(app.received).toHaveLength(2);
    expect(two?.body).toBe(one?.body);
  });

  proof('double click', 'can be pressed twice, with different triggers', async () => {
    const press = { user: 'U0ANA', channel, ts: await post(), label: 'Approve' };
    await sandbox.workspace.click({ ...press, twice: 'pressed' });
    const [one, two] = app.received.map(payloadOf);
    expect(two.trigger_id).not.toBe(one.trigger_id);
    expect(two.response_url).not.toBe(one.response_url);
    expect(two.actions[0].action_ts).not.toBe(one.actions[0].action_ts);
  });

  it('needs a connected bot', async () => {
    await using alone = await startSandbox();
    const press = { user: 'U0ANA', channel, ts: await post(alone), label: 'Approve' };
    await expect(alone.workspace.click(press)).rejects.toThrow('No app is connected');
  });
});

describe('a response_url', () => {
  async function pressed(): Promise<{ ts: string; respond: (body: object) => Promise<unknown[]> }> {
    const ts = await post();
    await sandbox.workspace.click({ user: 'U0ANA', channel, ts, label: 'Approve' });
    const url = payloadOf(app.received.at(-1)).response_url;
    const respond = async (body: object) => {
      const given = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
      return [given.status, await given.json()];
    };
    return { ts, respond };
  }
  const ephemeral = { response_type: 'ephemeral', replace_original: false, text: 'Psst' };

  proof('response_url five times', 'posts up to five ephemeral messages', async () => {
    const { respond } = await pressed();
    for (let use = 0; use < 5; use += 1) {
      expect(await respond(ephemeral)).toEqual([200, { ok: true }]);
    }
    expect(await respond(ephemeral)).toEqual([404, { ok: false, error: 'used_url' }]);
    expect(sandbox.workspace.ephemerals('U0ANA')).toHaveLength(5);
    expect(sandbox.workspace.ephemerals('U0BEN')).toEqual([]);
  });

  it('posts buttons that only this person can press', async () => {
    const { respond } = await pressed();
    await respond({ ...ephemeral, blocks });
    const [{ ts = '' } = {}] = sandbox.workspace.ephemerals('U0ANA');
    const press = { channel, ts, label: 'Approve' };
    await sandbox.workspace.click({ ...press, user: 'U0ANA' });
    const payload = payloadOf(app.received.at(-1));
    expect(payload).toMatchObject({
      container: { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: true },
      response_url: expect.stringContaining(`${sandbox.url}/slack/response/`),
      actions: [{ action_id: 'go.Approve', value: 'opaque' }],
    });
    expect(payload).not.toHaveProperty('message');
    await expect(sandbox.workspace.click({ ...press, user: 'U0BEN' })).rejects.toThrow(ts);
  });

  proof('response_url for 30 minutes', 'expires after thirty minutes', async () => {
    const { respond } = await pressed();
    ticks = 30 * 60_000 - 1;
    expect(await respond(ephemeral)).toEqual([200, { ok: true }]);
    ticks += 1;
    expect(await respond(ephemeral)).toEqual([404, { ok: false, error: 'expired_url' }]);
  });

  it('replaces the message by default', async () => {
    const { ts, respond } = await pressed();
    await respond({ text: 'Done' });
    expect(sandbox.workspace.message(channel, ts)).toMatchObject({ text: 'Done', metadata });
    expect(sandbox.workspace.message(channel, ts)).not.toHaveProperty('blocks');
  });

  it('posts to the channel, and deletes the message', async () => {
    const { ts, respond } = await pressed();
    await respond({ response_type: 'in_channel', text: 'All' });
    expect(sandbox.workspace.messages(channel).map(({ text }) => text)).toEqual(['Deploy?', 'All']);
    await respond({ delete_original: true });
    expect(sandbox.workspace.message(channel, ts)).toBeUndefined();
  });

  it('refuses invalid messages, without counting them', async () => {
    const { respond } = await pressed();
    const put = await fetch(payloadOf(app.received[0]).response_url, {
      method: 'PUT',
      body: JSON.stringify(ephemeral),
    });
    expect(put.status).toBe(400);
    expect(await respond([])).toEqual([400, { ok: false, error: 'invalid_payload' }]);
    expect(await respond({ ...ephemeral, text: '' })).toEqual([
      400,
      { ok: false, error: 'no_text' },
    ]);
    expect(await respond({ text: 'a', blocks: [{ type: 'x' }] })).toEqual([
      400,
      { ok: false, error: 'invalid_blocks' },
    ]);
    expect(await respond(ephemeral)).toEqual([200, { ok: true }]);
  });

  it('replaces the ephemeral message whose button was pressed', async () => {
    const given = { channel, user: 'U0ANA', text: 'Ask again?', blocks };
    await slackClient(sandbox).apiCall('chat.postEphemeral', given);
    const words = sandbox.workspace.ephemerals('U0ANA')[0];
    await sandbox.workspace.click({
      user: 'U0ANA',
      channel,
      ts: words?.ts ?? '',
      label: 'Approve',
    });
    const elsewhere = {
      user: 'U0ANA',
      channel: 'C0OUTCOMES',
      ts: words?.ts ?? '',
      label: 'Approve',
    };
    await expect(sandbox.workspace.click(elsewhere)).rejects.toThrow('U0ANA sees no message');
    const payload = payloadOf(app.received[0]);
    expect(payload.container.is_ephemeral).toBe(true);
    expect(payload).not.toHaveProperty('message');
    await fetch(payload.response_url, { method: 'POST', body: '{"text":"Asked"}' });
    expect(sandbox.workspace.ephemerals('U0ANA')).toMatchObject([{ text: 'Asked' }]);
    await fetch(payload.response_url, { method: 'POST', body: '{"delete_original":true}' });
    expect(sandbox.workspace.ephemerals('U0ANA')).toEqual([]);
  });
});
