import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, vi } from 'vitest';
import { freePort } from './free-port.ts';

const COMMON_URL = 'redis://127.0.0.1:6379';

/** A Redis server for one test file, which can stop or kill it. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Shuts it down. */
  stop(): Promise<void>;
  /** Kills it (SIGKILL). */
  kill(): Promise<void>;
  /** It keeps its connections but does nothing (SIGSTOP). */
  pause(): void;
  resume(): void;
  /** Starts it again on the same port and folder. */
  restart(): Promise<void>;
}

/**
 * The address of a server that all tests share: REDIS_URL, the machine's own, or one started for this test file. If
 * there is none: undefined and a warning, or an error under CI. Call it at the top of a test file.
 */
export async function redisForTests(): Promise<string | undefined> {
  const given = process.env.REDIS_URL;
  if (given !== undefined) return given;
  if (await answers(COMMON_URL)) return COMMON_URL;
  try {
    const server = await startRedisServer();
    afterAll(() => server.stop());
    return server.url;
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    console.warn('\n*** No Redis server and no redis-server program: its tests are SKIPPED. ***\n');
    return undefined;
  }
}

/** Whether `redis-server` can be started here; under CI it must be. */
export async function canStartRedis(): Promise<boolean> {
  const child = spawn('redis-server', ['--version'], { stdio: 'ignore' });
  const found = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
  if (!found && process.env.CI === 'true') throw new Error('there is no redis-server program');
  if (!found) console.warn('\n*** No redis-server program: tests that hurt one are SKIPPED. ***\n');
  return found;
}

/** Starts a server with its own folder, which is removed when the server is stopped. */
export async function startRedisServer(
  options: {
    readonly appendonly?: boolean;
    readonly dir?: string;
    readonly port?: number;
    /** Settings of redis.conf; they take precedence. */
    readonly settings?: Readonly<Record<string, string>>;
    /** A Sentinel, which watches servers and keeps no records. */
    readonly sentinel?: boolean;
  } = {},
): Promise<RedisServer> {
  const port = options.port ?? (await freePort());
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'redis-')));
  const url = `redis://127.0.0.1:${port}`;
  const args = options.sentinel
    ? await sentinelArguments(port, dir)
    : await serverArguments(port, dir, options.appendonly ?? false, options.settings);
  const launch = () => spawn('redis-server', args, { stdio: 'ignore' });
  // Set as soon as it is launched: a test that ends early still stops it.
  let child = launch();
  await answering(child, url);
  const end = async (signal: NodeJS.Signals) => {
    await endProcess(child, signal);
  };
  const stop = async () => {
    child.kill('SIGCONT');
    await end('SIGTERM');
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
  };
  return {
    url,
    port,
    get pid() {
      return child.pid ?? 0;
    },
    stop,
    kill: () => end('SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    restart: async () => {
      await end('SIGTERM');
      child = launch();
      await answering(child, url);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** Waits until a launched server answers; one that never does is ended. */
async function answering(child: ChildProcess, url: string): Promise<void> {
  try {
    await once(child, 'spawn');
    const isUp = async () => {
      if (child.exitCode !== null) throw new Error(`redis-server ended: ${child.exitCode}`);
      return answers(url);
    };
    await vi.waitUntil(isUp, { timeout: 60_000, interval: 20 });
  } catch (error) {
    await endProcess(child, 'SIGKILL');
    throw error;
  }
}

async function serverArguments(
  port: number,
  dir: string,
  appendonly: boolean,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  // The default bus port, 10,000 above the other, may be in use.
  const bus = more['cluster-enabled'] === 'yes' && { 'cluster-port': String(await freePort()) };
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir,
    save: '',
    appendonly: appendonly ? 'yes' : 'no',
    appendfsync: 'always',
    ...bus,
    ...more,
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** A Sentinel writes what it learns into its file. */
async function sentinelArguments(port: number, dir: string): Promise<readonly string[]> {
  const file = join(dir, 'sentinel.conf');
  await writeFile(file, `port ${port}\nbind 127.0.0.1\ndir ${dir}\n`, { flag: 'a' });
  return [file, '--sentinel'];
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  // While it writes its first append-only file a server refuses to end, and says so only in its log.
  const again = setInterval(() => child.kill(signal), 1_000);
  await ended;
  clearInterval(again);
}

async function answers(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
