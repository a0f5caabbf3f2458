import { once } from 'node:events';
import { SocketModeClient } from '@slack/socket-mode';
import { describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startSandbox } from '../../start-sandbox.ts';
import { silentLogger, slackClient } from '../slack-client.ts';
import { quietManifest } from './app-world.ts';
import { proof } from './proof.ts';

/** What only passes with time, at Slack's own pace. */

async function startHere() {
  const sandbox = await startSandbox({ manifest: quietManifest });
  sandbox.connectBot({ eventsUrl: null, intakeUrl: 'http://127.0.0.1:1' });
  return sandbox;
}

describe.concurrent('a connection', () => {
  proof('socket falls silent', 'that is silent is abandoned by the real client', async () => {
    await using sandbox = await startHere();
    const { workspace } = sandbox;
    const channel = 'C0DEPLOYS';
    const text = { type: 'plain_text', text: 'Yes' };
    const elements = [{ type: 'button', action_id: 'approve', text }];
    const blocks = [{ type: 'actions', elements }];
    await slackClient(sandbox).apiCall('chat.postMessage', { channel, text: 'Deploy?', blocks });
    const ts = workspace.messages(channel)[0]?.ts ?? '';
    const press = { user: 'U0ANA', channel, ts, label: 'Yes' };
    const client = new SocketModeClient({
      appToken: sandbox.credentials.appToken,
      logger: silentLogger,
      clientOptions: { slackApiUrl: sandbox.slackApiUrl },
    });
    let came = 0;
    client.on('interactive', ({ ack }) => {
      came += 1;
      return ack();
    });
    await client.start();
    workspace.sockets.freeze();
    const unheard = await workspace.click(press);
    expect(unheard).toMatchObject({ acknowledged: false });
    expect(unheard.ackMs, 'Slack waits three seconds').toBeGreaterThan(2_900);
    expect(came).toBe(1);
    const isBack = async () => (await workspace.click(press)).acknowledged;
    await vi.waitUntil(isBack, { timeout: 60_000 });
    await sandbox.until(() => workspace.sockets.open() === 1);
    // The client waits until the sandbox ends the connection, as with Slack.
    await Promise.all([client.disconnect(), sandbox.close()]);
  });

  test('without a reply to a ping is dropped', async () => {
    await using sandbox = await startHere();
    const { appToken } = sandbox.credentials;
    const { url } = await slackClient(sandbox, appToken).apps.connections.open({});
    const socket = new WebSocket(String(url), { autoPong: false });
    await once(socket, 'close');
    await sandbox.until(() => sandbox.workspace.sockets.open() === 0);
  });
});
