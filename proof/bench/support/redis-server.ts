import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { freePort } from '../../../test/support/free-port.ts';

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
}

/**
 * Starts a Redis server that appends every command to its log and flushes it each second. `more`: settings, as
 * arguments.
 */
export async function startRedisServer(more: readonly string[] = []): Promise<RedisServer> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'gatepost-own-redis-'));
  const child = spawn('redis-server', [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', ''],
    ...['--appendonly', 'yes', '--appendfsync', 'everysec'],
    // Rewriting the log would disturb one contender and not the other.
    ...['--auto-aof-rewrite-percentage', '0'],
    ...more,
  ]);
  process.once('exit', () => {
    child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });
  await accepting(child);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The memory that its data use. */
export async function usedBytes(url: string): Promise<number> {
  const redis = new Redis(url);
  const info = await redis.info('memory');
  await redis.quit();
  return Number(/used_memory:(\d+)/.exec(info)?.[1]);
}

function accepting(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error('the output is piped');
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('redis-server did not start')));
    lines.on('line', (line) => {
      if (line.includes('Ready to accept connections')) resolve();
    });
  });
}
