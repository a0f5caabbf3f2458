import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands before a Redis that does not know WAITAOF, and answers that for it. */
export interface FlushingServer extends AsyncDisposable {
  readonly url: string;
  /** What waits for the disk is there now. */
  flush(): void;
  /** How many wait for the disk. */
  readonly waiting: number;
  /** From now on nothing reaches the disk (0), or all does (1). */
  reaches(disk: 0 | 1): void;
}

const WAITAOF = /\*4\r\n\$7\r\nWAITAOF\r\n(?:\$\d+\r\n\d+\r\n){3}/i;

/** As WAITAOF does, a connection that waits is held up until the flush. */
export async function startFlushingServer(redisPort: number): Promise<FlushingServer> {
  const held = new Set<() => void>();
  const sockets = new Set<Socket>();
  let disk: 0 | 1 = 1;
  const server = createServer((client) => {
    const redis = connect(redisPort, '127.0.0.1');
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        redis.destroy();
      });
    }
    redis.pipe(client);
    let unsent = '';
    let isHeld = false;
    const pass = () => {
      if (isHeld) return;
      const at = WAITAOF.exec(unsent);
      redis.write(unsent.slice(0, at?.index), 'latin1');
      unsent = at === null ? '' : unsent.slice(at.index + at[0].length);
      if (at === null) return;
      isHeld = true;
      held.add(() => {
        isHeld = false;
        redis.write(`EVAL "return {${disk},0}" 0\r\n`);
        pass();
      });
    };
    client.on('data', (chunk) => {
      unsent += chunk.toString('latin1');
      pass();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    get waiting() {
      return held.size;
    },
    reaches(next) {
      disk = next;
    },
    flush() {
      const all = [...held];
      held.clear();
      for (const go of all) go();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
