import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { PROGRAM } from './support/build.ts';
import { type Env, startChild } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { type PendingRecords, startPendingRecords } from './support/pending-records.ts';
import { startRedisServer } from './support/redis-server.ts';
import { startWorld } from './support/world.ts';

const PENDING = Number(process.env.BENCH_PENDING ?? 1_000_000);
const AUDITED = 50_000;
const DUE = 100_000;
const IDLE_MS = 20_000;

/** A million approvals that wait: their room, and what it costs to keep them. Takes minutes and 2 GB. */
export async function pending(): Promise<void> {
  await using world = await startWorld();
  await using server = await startRedisServer();
  const env = botEnvironment(world, { REDIS_URL: server.url });
  console.log(`\n${PENDING.toLocaleString('en')} approvals pending, one round`);
  {
    await using records = await startPendingRecords(env);
    await room(server.url, records);
  }
  await idle(env);
  await using records = await startPendingRecords(env);
  for (const task of ['run-loop', 'run-store', 'run-loop', 'run-store'] as const) {
    await records.run('fill-due', DUE);
    line(`${task}: reconciles/s`, (DUE / (await records.run(task, DUE))) * 1000);
  }
  console.log('  wanted: under 900 bytes, idle under 15 % and 150 MB, 30,000 reconciles/s');
}

async function room(url: string, records: PendingRecords): Promise<void> {
  const empty = await usedBytes(url);
  const tookMs = await records.run('fill', PENDING);
  const full = await usedBytes(url);
  line('loaded/s', (PENDING / tookMs) * 1000);
  line('bytes each', (full - empty) / PENDING);
  await records.run('fill-audited', AUDITED);
  line('bytes each, with two audit entries', ((await usedBytes(url)) - full) / AUDITED);
}

async function usedBytes(url: string): Promise<number> {
  const redis = new Redis(url);
  const info = await redis.info('memory');
  await redis.quit();
  return Number(/used_memory:(\d+)/.exec(info)?.[1]);
}

/** The bot with nothing to do but to poll within its budget. */
async function idle(env: Env): Promise<void> {
  await using bot = await startChild(PROGRAM, env);
  await sleep(IDLE_MS / 4);
  const before = await bot.cpuMs();
  await sleep(IDLE_MS);
  line('start → ready ms', bot.readyMs);
  line('idle, % of a core', (((await bot.cpuMs()) - before) / IDLE_MS) * 100);
  line('resident MB', await bot.residentMb());
}

function line(what: string, value: number): void {
  console.log(`  ${what.padEnd(36)} ${value.toFixed(value < 100 ? 2 : 0)}`);
}
