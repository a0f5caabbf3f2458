import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM } from './support/build.ts';
import { type Env, startChild } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { type PendingRecords, startPendingRecords } from './support/pending-records.ts';
import { median } from './support/percentile.ts';
import { startRedisServer, usedBytes } from './support/redis-server.ts';
import { note, type Row, short } from './support/rounds.ts';
import { startWorld } from './support/world.ts';

const MANY = 1_000_000;
const FEWER = [1_000, 30_000];
const DUE = 60_000;
/** A hundred a second. */
const FALLING_DUE = 1_000;
const RUNS = 3;
const IDLE_MS = 20_000;

/**
 * A million pending approvals: their size, what it costs to keep them, and reconciles while they wait. `full`: also
 * fewer of them, with the number in the row's id; the figures should not depend on it.
 */
export async function pending({ full }: { readonly full: boolean }): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of full ? FEWER : []) {
    rows.push(...(await pendingOf(count)).map((row) => ({ ...row, id: `${row.id}-${count}` })));
  }
  return [...rows, ...(await pendingOf(MANY))];
}

async function pendingOf(count: number): Promise<Row[]> {
  await using world = await startWorld();
  await using server = await startRedisServer();
  const env = botEnvironment(world, { REDIS_URL: server.url });
  note(`\n${count.toLocaleString('en')} approvals pending, one round`);
  const empty = await usedBytes(server.url);
  {
    await using records = await startPendingRecords(env);
    const tookMs = await records.run('fill', count);
    note(`  loaded/s ${short((count / tookMs) * 1_000)}`);
  }
  const bytes = ((await usedBytes(server.url)) - empty) / count;
  const { idle, residentMb } = await keeping(env);
  await using records = await startPendingRecords(env);
  const lateMs = await records.run('claim-late', FALLING_DUE);
  note(`  claimed after it was due, ms at 99 % ${short(lateMs)}`);
  const byLoop = await reconciles(records, 'run-loop');
  const atStore = await reconciles(records, 'run-store');
  return [
    row('pending-bytes', 'bytes', [bytes]),
    row('pending-idle', '% of a core', [idle]),
    row('pending-rss', 'MB', [residentMb]),
    row('reconcile', 'per second', atStore),
    row('reconcile-loop', 'per second', byLoop),
  ];
}

/** Of records that are due and only need a new due time. */
async function reconciles(records: PendingRecords, task: 'run-loop' | 'run-store') {
  const rates: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    await records.run('fill-due', DUE);
    rates.push((DUE / (await records.run(task, DUE))) * 1_000);
    note(`  ${task} ${short(rates.at(-1) ?? Number.NaN)}/s`);
  }
  return rates;
}

/** The bot with nothing to do except polling within its budget. */
async function keeping(env: Env) {
  await using bot = await startChild(PROGRAM, env);
  await sleep(IDLE_MS / 4);
  const before = await bot.cpuMs();
  await sleep(IDLE_MS);
  const idle = (((await bot.cpuMs()) - before) / IDLE_MS) * 100;
  return { idle, residentMb: await bot.residentMb() };
}

function row(id: string, unit: string, values: readonly number[]): Row {
  const value = median(values);
  const spread = values.length < 2 ? null : (Math.max(...values) - Math.min(...values)) / value;
  return { id, value, bare: null, ratio: null, spread, unit };
}
