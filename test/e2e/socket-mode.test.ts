import { expect, vi } from 'vitest';
import { ANA, BEN, startStage } from './stage.ts';
import { story } from './story.ts';

story(
  'socket-reconnect no-click-lost',
  'clicks are acknowledged while the connections are replaced one after the other',
  async () => {
    await using stage = await startStage({ sandbox: { postRate: null } });
    const { until, workspace } = stage.sandbox;
    const { sockets } = workspace;
    await until(() => sockets.open() === 2);
    const asked = await Promise.all(Array.from({ length: 10 }, () => stage.ask()));
    const clicks = [];
    for (const [at, { ts }] of asked.entries()) {
      if (at === 2) sockets.disconnect('warning', 1);
      if (at === 6) {
        await until(() => sockets.open() === 2);
        sockets.disconnect('refresh_requested', 1);
      }
      clicks.push(await stage.click(ANA, ts, 'Approve'));
    }
    expect(clicks.map(({ acknowledged }) => acknowledged)).toEqual(clicks.map(() => true));
    for (const { ts } of asked) await stage.until(ts, /Approved by <@U0ANA>/);
    await until(() => sockets.open() === 2);
  },
);

story(
  'socket-broken no-click-lost nobody-without-answer',
  'without a connection a click visibly fails, the intake works, and the bot reconnects',
  async () => {
    await using stage = await startStage();
    const { app, sandbox } = stage;
    const { sockets } = sandbox.workspace;
    const { ts } = await stage.ask();
    const ready = async () => (await fetch(`${app.url}/readyz`)).status;
    expect(await ready()).toBe(200);

    sandbox.workspace.fault({ kind: '500', method: 'apps.connections.open' });
    sockets.drop();
    await sandbox.until(() => sockets.open() === 0);
    await vi.waitUntil(async () => (await ready()) === 503, { timeout: 60_000 });
    expect(await metricsOf(app)).toContain('gatepost_socket_connected 0\n');
    expect(await stage.click(ANA, ts, 'Approve')).toMatchObject({
      acknowledged: false,
      shown: 'Operation failed: the app did not respond.',
    });
    expect(await stage.send()).toMatchObject({ status: 202 });

    sandbox.workspace.clearFaults();
    await sandbox.until(() => sockets.open() === 2);
    await vi.waitUntil(async () => (await ready()) === 200, { timeout: 60_000 });
    expect(await metricsOf(app)).toContain('gatepost_socket_connected 2\n');
    expect(await stage.click(BEN, ts, 'Approve')).toMatchObject({ acknowledged: true });
    await stage.until(ts, /Approved by <@U0BEN>/);
  },
);

story('socket-broken', 'a connection that was never made is counted in the metrics', async () => {
  await using stage = await startStage({
    before: ({ workspace }) => workspace.fault({ kind: '500', method: 'apps.connections.open' }),
  });
  const { app, sandbox } = stage;
  expect(await metricsOf(app)).toContain('gatepost_socket_connected 0\n');
  sandbox.workspace.clearFaults();
  await sandbox.until(() => sandbox.workspace.sockets.open() === 2);
});

story('socket-alone', 'Slack requests over HTTP are refused', async () => {
  await using stage = await startStage();
  const answer = await fetch(`${stage.app.url}/slack/events`, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(404);
});

async function metricsOf({ url }: { readonly url: string }): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}
