import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port that nobody listens on, below those that the system gives to outgoing connections: one of
 * those could be taken, even by the very connection that asks whether the server is up.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]);
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
