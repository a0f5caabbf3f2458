import { expect, test } from 'vitest';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { send, startSocketStage } from './socket-stage.ts';

// The Socket Mode library needs some seconds to notice that a tunnel is gone.
test('connections through a proxy are made, made again when their tunnels break, and closed completely', async () => {
  await using proxy = await startConnectProxy();
  const server = { variable: 'HTTP_PROXY', url: proxy.url };
  const proxies = { http: server, https: server, noProxy: '' };
  await using stage = await startSocketStage({ proxies });
  await stage.receiver.start();
  await stage.until(() => stage.counts.at(-1) === 2);
  const goals = new Set(proxy.asked);
  expect(goals.size).toBe(2);
  send(stage.sockets[0], { payload: {} });
  await stage.until(() => stage.answers.length === 1);
  proxy.cut();
  await stage.until(() => stage.sockets.length === 4 && stage.counts.at(-1) === 2);
  await stage.receiver.stop();
  // The one that asked for addresses is kept for a while.
  await stage.until(() => proxy.standing <= 1);
});
