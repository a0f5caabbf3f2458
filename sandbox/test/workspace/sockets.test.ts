import { once } from 'node:events';
import { SocketModeClient } from '@slack/socket-mode';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ClientOptions, WebSocket } from 'ws';
import type { Sandbox, SandboxOptions } from '../../sandbox.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { silentLogger, slackClient } from '../slack-client.ts';
import { quietManifest } from './app-world.ts';
import { proof } from './proof.ts';

const channel = 'C0DEPLOYS';
let sandbox: Sandbox;

async function start(options: SandboxOptions = {}): Promise<void> {
  sandbox = await startSandbox({ manifest: quietManifest, ...options });
  sandbox.connectBot({ eventsUrl: null, intakeUrl: 'http://127.0.0.1:1' });
}
/** Slack waits only as long as nothing has to come in time. */
async function startImpatient(): Promise<void> {
  await sandbox.close();
  await start({ patienceMs: IMPATIENT_MS });
}
const IMPATIENT_MS = 200;

beforeEach(() => start());
afterEach(() => sandbox.close());

/** A connection, and every frame received over it, parsed. */
async function connect(url?: string, options: ClientOptions = {}) {
  const { appToken } = sandbox.credentials;
  const answer = url ? { url } : await slackClient(sandbox, appToken).apps.connections.open({});
  const socket = new WebSocket(String(answer.url), options);
  const frames: Record<string, unknown>[] = [];
  const seen = new EventTarget();
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)));
    seen.dispatchEvent(new Event('frame'));
  });
  await once(socket, 'open');
  const frame = async (type: string): Promise<Record<string, unknown>> => {
    const found = frames.find((each) => each.type === type);
    if (found) return found;
    await once(seen, 'frame');
    return frame(type);
  };
  return { socket, frames, frame, url: String(answer.url) };
}

/** A message of the bot with one button. */
async function postButton(): Promise<string> {
  const button = {
    type: 'button',
    action_id: 'approve',
    text: { type: 'plain_text', text: 'Approve' },
  } as const;
  const blocks = [{ type: 'actions', elements: [button] }] as const;
  const answer = await slackClient(sandbox).chat.postMessage({
    channel,
    text: 'Deploy?',
    blocks: [...blocks].map(({ type, elements }) => ({ type, elements: [...elements] })),
  });
  return String(answer.ts);
}

describe('apps.connections.open', () => {
  test.each([
    ['the token of the bot', () => sandbox.credentials.botToken, 'not_allowed_token_type'],
    ['an unknown token', () => 'xapp-1-unknown', 'invalid_auth'],
  ])('refuses %s', async (_, token, code) => {
    const answer = slackClient(sandbox, token()).apps.connections.open({});
    await expect(answer).rejects.toMatchObject({ data: { error: code } });
  });

  test('accepts the app-level token, which no other method accepts', async () => {
    const client = slackClient(sandbox, sandbox.credentials.appToken);
    expect(await client.apps.connections.open({})).toMatchObject({ ok: true });
    await expect(client.auth.test()).rejects.toMatchObject({
      data: { error: 'not_allowed_token_type' },
    });
  });

  test('returns a URL for one connection', async () => {
    const { url, frame } = await connect();
    expect(await frame('hello')).toMatchObject({ num_connections: 1 });
    await expect(connect(url)).rejects.toThrow();
  });

  test('returns the error of a fault', async () => {
    const method = 'apps.connections.open';
    sandbox.workspace.fault({ kind: 'refused', error: 'token_revoked', method, times: 1 });
    await expect(connect()).rejects.toMatchObject({ data: { error: 'token_revoked' } });
    await connect();
  });

  proof('ten connections', 'refuses an eleventh connection', async () => {
    for (let count = 1; count <= 10; count += 1) await connect();
    const { frame } = await connect();
    expect(await frame('disconnect')).toMatchObject({ reason: 'too_many_websockets' });
    expect(sandbox.workspace.sockets.open()).toBe(10);
  });
});

describe('a pressed button', () => {
  test('is sent to one of the connections, and acknowledged by its envelope', async () => {
    const ts = await postButton();
    const all = [await connect(), await connect()];
    for (const { socket } of all) {
      socket.on('message', (data) => {
        const { envelope_id } = JSON.parse(String(data));
        if (envelope_id) socket.send(JSON.stringify({ envelope_id }));
      });
    }
    const first = await sandbox.workspace.click({ user: 'U0ANA', channel, ts, label: 'Approve' });
    const second = await sandbox.workspace.click({ user: 'U0BEN', channel, ts, label: 'Approve' });
    expect([first, second]).toMatchObject([{ acknowledged: true }, { acknowledged: true }]);
    for (const { frames } of all) {
      const [envelope, ...more] = frames.filter(({ type }) => type === 'interactive');
      expect(more).toEqual([]);
      expect(envelope).toMatchObject({
        accepts_response_payload: false,
        payload: { type: 'block_actions', container: { message_ts: ts } },
      });
    }
  });

  test('shows a failure if no acknowledgement comes in time over its own connection', async () => {
    await startImpatient();
    const ts = await postButton();
    const other = await connect();
    const { socket } = await connect();
    const clicks = [1, 2].map(() =>
      sandbox.workspace.click({ user: 'U0ANA', channel, ts, label: 'Approve' }),
    );
    const { envelope_id } = await other.frame('interactive');
    socket.send(JSON.stringify({ envelope_id }));
    for (const { acknowledged, shown, ackMs } of await Promise.all(clicks)) {
      expect(acknowledged).toBe(false);
      expect(shown).toBe('Operation failed: the app did not respond.');
      expect(ackMs).toBeGreaterThan(IMPATIENT_MS - 5);
    }
  });

  test('shows a failure at once if there is no connection', async () => {
    const ts = await postButton();
    const click = await sandbox.workspace.click({ user: 'U0ANA', channel, ts, label: 'Approve' });
    expect(click).toMatchObject({ acknowledged: false, ackMs: 0 });
  });

  test('is marked as repeated at its second delivery', async () => {
    const ts = await postButton();
    const { socket, frames } = await connect();
    socket.on('message', (data) => {
      const { envelope_id } = JSON.parse(String(data));
      if (envelope_id) socket.send(JSON.stringify({ envelope_id }));
    });
    const press = { user: 'U0ANA', channel, ts, label: 'Approve', twice: 'delivered' } as const;
    await sandbox.workspace.click(press);
    const [first, second] = frames.filter(({ type }) => type === 'interactive');
    expect(first).not.toHaveProperty('retry_attempt');
    expect(second).toMatchObject({ retry_attempt: 1, payload: first?.payload });
  });
});

describe('a submitted modal', () => {
  test('stays open if its acknowledgement has errors, and closes if it is empty', async () => {
    const ts = await postButton();
    const { socket, frames, frame } = await connect();
    const answers = [{ response_action: 'errors', errors: { why: 'Too short' } }, {}];
    socket.on('message', (data) => {
      const { envelope_id, accepts_response_payload } = JSON.parse(String(data));
      if (!envelope_id) return;
      const payload = accepts_response_payload ? answers.shift() : { text: 'ignored' };
      socket.send(JSON.stringify({ envelope_id, payload }));
    });
    const press = { user: 'U0ANA', channel, ts, label: 'Approve' };
    expect(await sandbox.workspace.click(press)).toMatchObject({ acknowledged: true, body: '' });
    const { payload } = await frame('interactive');
    // The sandbox gave every press a trigger.
    const { trigger_id } = payload as { trigger_id: string };
    const element = { type: 'plain_text_input', action_id: 'why' } as const;
    const label = { type: 'plain_text', text: 'Why?' } as const;
    const blocks = [{ type: 'input', block_id: 'why', label, element }];
    const title = { type: 'plain_text', text: 'Reason' };
    const submit = { type: 'plain_text', text: 'Send' };
    await slackClient(sandbox).apiCall('views.open', {
      trigger_id,
      view: { type: 'modal', title, submit, blocks },
    });
    const submission = { user: 'U0ANA', values: { why: 'No' } };
    const first = await sandbox.workspace.submit(submission);
    expect(JSON.parse(first.body)).toMatchObject({ response_action: 'errors' });
    expect(sandbox.workspace.modal('U0ANA')).toBeDefined();
    expect(await sandbox.workspace.submit(submission)).toMatchObject({ body: '' });
    expect(sandbox.workspace.modal('U0ANA')).toBeUndefined();
    expect(frames.filter(({ type }) => type === 'interactive')).toHaveLength(3);
  });
});

describe('a connection', () => {
  test.each(['warning', 'refresh_requested', 'link_disabled'] as const)(
    'that is asked to disconnect because of %s gets nothing more',
    async (reason) => {
      const { frame } = await connect();
      await frame('hello');
      sandbox.workspace.sockets.disconnect(reason);
      expect(await frame('disconnect')).toMatchObject({ reason });
      expect(sandbox.workspace.sockets.open()).toBe(0);
    },
  );

  proof('socket is told to go', 'can be disconnected on its own, the oldest first', async () => {
    const first = await connect();
    const second = await connect();
    await second.frame('hello');
    sandbox.workspace.sockets.disconnect('refresh_requested', 1);
    await first.frame('disconnect');
    expect(sandbox.workspace.sockets.open()).toBe(1);
    expect(second.frames.map(({ type }) => type)).toEqual(['hello']);
  });

  proof('socket breaks', 'that is dropped is closed', async () => {
    const { socket, frame } = await connect();
    await frame('hello');
    const closed = once(socket, 'close');
    sandbox.workspace.sockets.drop();
    await closed;
    await sandbox.until(() => sandbox.workspace.sockets.open() === 0);
  });

  test('is closed at once when its app is killed', async () => {
    const { open } = sandbox.workspace.sockets;
    const { socket, frame } = await connect();
    await frame('hello');
    socket.terminate();
    await sandbox.until(() => open() === 0);
  });

  proof('socket says nonsense', 'delivers any given frame', async () => {
    const { socket, frame } = await connect();
    await frame('hello');
    const said = once(socket, 'message');
    sandbox.workspace.sockets.send('null');
    expect(String((await said)[0])).toBe('null');
  });

  test('that is frozen still delivers, and hears nothing', async () => {
    await startImpatient();
    const ts = await postButton();
    const { socket, frame } = await connect();
    await frame('hello');
    sandbox.workspace.sockets.freeze();
    const click = sandbox.workspace.click({ user: 'U0ANA', channel, ts, label: 'Approve' });
    const { envelope_id } = await frame('interactive');
    socket.send(JSON.stringify({ envelope_id }));
    expect(await click).toMatchObject({ acknowledged: false });
  });

  test('of the real client gets a hello, and its acknowledgement is accepted', async () => {
    const ts = await postButton();
    const client = new SocketModeClient({
      appToken: sandbox.credentials.appToken,
      logger: silentLogger,
      clientOptions: { slackApiUrl: sandbox.slackApiUrl },
      autoReconnectEnabled: false,
    });
    client.on('slack_event', ({ ack }) => ack());
    await client.start();
    const click = await sandbox.workspace.click({ user: 'U0ANA', channel, ts, label: 'Approve' });
    expect(click).toMatchObject({ acknowledged: true, status: 200, shown: null });
  });
});
