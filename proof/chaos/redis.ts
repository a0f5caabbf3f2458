import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../test/support/free-port.ts';
import { makeFolder, type Program, runProgram, until } from './process.ts';

/** A primary with a replica and a Sentinel, as docs/operations.md recommends. */
export interface RedisPair extends AsyncDisposable {
  readonly url: string;
  /**
   * kill -9, then starts the primary again on its file before its replica is promoted. On a busy machine the replica
   * may be promoted all the same: the result says whether it was.
   */
  killAndRestart(): Promise<{ readonly isPromoted: boolean }>;
  /** Redis runs no client command for that long. */
  pause(ms: number): Promise<void>;
  /**
   * The primary dies, or is only stopped and later comes back demoted; its replica is promoted. Resolves once both are
   * in order again.
   */
  failOver(how: 'killed' | 'stopped'): Promise<void>;
}

const NAME = 'chaos';
/** Longer than a restart takes, so that a restart is not a failover. */
const DOWN_AFTER_MS = 3_000;

/** docs/operations.md: “A good redis.conf”, and what a failover needs to lose no acknowledged click. */
const SETTINGS: Readonly<Record<string, string>> = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
  'maxmemory-policy': 'noeviction',
  'min-replicas-to-write': '1',
  'repl-diskless-sync-delay': '0',
  save: '',
};

interface Server {
  readonly port: number;
  readonly dir: string;
  program: Program;
}

export async function startRedisPair(): Promise<RedisPair> {
  const [portA, portB, portS] = [await freePort(), await freePort(), await freePort()];
  const root = await makeFolder('redis');
  let primary = await startServer(portA, root);
  let replica = await startServer(portB, root, ['--replicaof', `127.0.0.1 ${portA}`]);
  const sentinelFile = join(root, 'sentinel.conf');
  await writeFile(
    sentinelFile,
    [
      `port ${portS}`,
      'bind 127.0.0.1',
      `dir ${root}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${portA} 1`,
      `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${NAME} 6000`,
    ].join('\n'),
  );
  const sentinel = runProgram('redis-server', [sentinelFile, '--sentinel']);
  await until('Sentinel answers', () => answers(portS));
  /** Waits until one follows the other, whichever is the primary then. Returns whether they changed places. */
  const inOrder = async (): Promise<boolean> => {
    const before = primary;
    await until('one Redis follows the other', async () => {
      const texts = await Promise.all([primary, replica].map(({ port }) => info(port)));
      if (texts[0]?.includes('role:slave') === true) [primary, replica] = [replica, primary];
      const [master, follower] = [await info(primary.port), await info(replica.port)];
      return (
        master.includes('role:master') &&
        follower.includes(`master_port:${primary.port}`) &&
        follower.includes('master_link_status:up')
      );
    });
    return primary !== before;
  };
  await inOrder();
  await until('Sentinel knows the replica', async () =>
    (await call(portS, 'SENTINEL', 'REPLICAS', NAME)).includes(String(portB)),
  );
  return {
    url: `redis+sentinel://127.0.0.1:${portS}/${NAME}`,
    async killAndRestart() {
      await primary.program.end('SIGKILL');
      primary.program = launch(primary.port, primary.dir);
      await until('Redis answers again', () => answers(primary.port));
      return { isPromoted: await inOrder() };
    },
    async pause(ms) {
      await call(primary.port, 'CLIENT', 'PAUSE', String(ms), 'ALL');
      await new Promise((resolve) => setTimeout(resolve, ms));
    },
    async failOver(how) {
      if (how === 'killed') await primary.program.end('SIGKILL');
      else primary.program.signal('SIGSTOP');
      await until('the replica is promoted', async () =>
        (await info(replica.port)).includes('role:master'),
      );
      [primary, replica] = [replica, primary];
      if (how === 'killed') replica.program = launch(replica.port, replica.dir);
      else replica.program.signal('SIGCONT');
      await inOrder();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(
        [sentinel, replica.program, primary.program].map((each) => each.end('SIGKILL')),
      );
    },
  };
}

async function startServer(
  port: number,
  root: string,
  more: readonly string[] = [],
): Promise<Server> {
  const dir = await mkdtemp(join(root, 'server-'));
  const program = launch(port, dir, more);
  await until('Redis answers', () => answers(port));
  return { port, dir, program };
}

function launch(port: number, dir: string, more: readonly string[] = []): Program {
  const settings = { port: String(port), bind: '127.0.0.1', dir, ...SETTINGS };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  return runProgram('redis-server', [...words, ...more]);
}

/** Whether there is a `redis-server` program. */
export async function hasRedis(): Promise<boolean> {
  return runProgram('redis-server', ['--version'])
    .line(/server v/)
    .then(
      () => true,
      () => false,
    );
}

async function answers(port: number): Promise<boolean> {
  return (await call(port, 'PING').catch(() => '')).includes('PONG');
}

function info(port: number): Promise<string> {
  return call(port, 'INFO', 'replication').catch(() => '');
}

/** One command on its own connection. */
async function call(port: number, command: string, ...words: readonly string[]): Promise<string> {
  const client = new Redis(port, '127.0.0.1', {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 1_000,
    commandTimeout: 2_000,
    // Also works for Sentinel, and for a server that is loading its file.
    enableReadyCheck: false,
  });
  // The command reports the error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return JSON.stringify(await client.call(command, ...words));
  } finally {
    client.disconnect();
  }
}
