import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { PROGRAM } from './support/build.ts';
import type { Env } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { makePlace, type StoreName } from './support/place.ts';
import { note, type Row, rounds, rowOf, short } from './support/rounds.ts';
import {
  atOnce,
  configOf,
  HOUR_MS,
  openQuietStore,
  waitingApprovals,
} from './support/waiting-approvals.ts';

const APPROVALS = 100_000;
/** Nothing is called: only the store is read. */
const NOWHERE = { url: 'http://127.0.0.1:1' };

/** The peak memory of a command that reads a million audit entries. */
export async function auditMillion(): Promise<Row[]> {
  const stores = ['embedded', 'redis'] as const;
  const samples = await rounds('Reading a million audit entries', 1, stores.map(contender));
  const [embedded, redis] = stores.map((name) =>
    rowOf('audit-million', 'MB', samples, [name, 'own MB']),
  );
  if (embedded === undefined || redis === undefined) throw new Error('there are two');
  return [embedded.value > redis.value ? embedded : redis];
}

function contender(store: StoreName) {
  return {
    name: store,
    async round() {
      await using place = await makePlace(store);
      const env = botEnvironment(NOWHERE, place.env);
      const id = await fill(env);
      let most = 0;
      for (const words of [
        'list',
        'list --json',
        'export',
        `show ${id}`,
        'verify',
        'report --from 2020-01-01',
      ]) {
        const { ownMb, firstMs, ms } = await read(words.split(' '), env);
        note(
          `    audit ${words}: ${short(ownMb)} MB, first ${short(firstMs)} ms, all ${short(ms)} ms`,
        );
        most = Math.max(most, ownMb);
      }
      return { 'own MB': most };
    },
  };
}

/** Ten entries for each record; returns the id of one from the middle. */
async function fill(env: Env): Promise<string> {
  const config = configOf(env);
  const make = waitingApprovals(config);
  await using store = await openQuietStore(config);
  let middle = '';
  await atOnce(APPROVALS, 200, async (number) => {
    const { record } = make({ dueInMs: HOUR_MS, askInMs: HOUR_MS });
    const created = await store.create({ ...record, audit: AUDIT }, { hold: false });
    if (created.kind === 'created' && number === APPROVALS / 2) middle = created.id;
  });
  return middle;
}

const POSTED = { channel: 'C0BENCH', ts: '1750000000.000000' };
const TOLD = {
  via: 'ephemeral',
  about: 'outcome',
  text: '“Deploy 4.2 to production” was approved.',
};
const ASKED = {
  ...{ route: 'default', channel: 'C0BENCH', title: 'Deploy 4.2 to production' },
  'requester.known': true,
};
const OUTCOME = {
  ...{ route: 'default', tookMs: 41_000, status: 'APPROVED', credit: 'certain', resolvedAt: null },
  ...{ digest: 'Zm9vYmFyYmF6', rules: 'cXV4cXV1eGNv' },
};
const AUDIT = [
  { action: 'approvals.asked', actor: 'default', facts: ASKED },
  { action: 'approvals.post', actor: 'gatepost', facts: { post: 'message', ...POSTED } },
  {
    action: 'approvals.ballot',
    actor: 'U0BENCH10',
    facts: { action: 'approve', through: 'S0BENCH' },
  },
  {
    action: 'approvals.respond',
    actor: 'U0BENCH10',
    facts: { action: 'approve', serviceUser: '7' },
  },
  { action: 'approvals.answered', actor: 'gatepost', facts: { answer: 'APPROVED' } },
  { action: 'approvals.outcome', actor: 'U0BENCH10', facts: OUTCOME },
  { action: 'approvals.told', actor: 'gatepost', facts: { user: 'U0BENCH11', ...TOLD } },
  { action: 'approvals.post', actor: 'gatepost', facts: { post: 'outcome-thread', ...POSTED } },
  { action: 'approvals.post', actor: 'gatepost', facts: { post: 'outcome-channel', ...POSTED } },
  { action: 'approvals.result', actor: 'default', facts: { state: 'succeeded' } },
].map((entry) => ({ ...entry, record: null }));

interface Reading {
  /** Peak of the memory that is not mapped from files. */
  readonly ownMb: number;
  readonly firstMs: number;
  readonly ms: number;
}

async function read(words: readonly string[], env: Env): Promise<Reading> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const child = spawn(process.execPath, [PROGRAM, 'audit', ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  let firstMs = Number.NaN;
  child.stdout.once('data', () => {
    firstMs = elapsed();
  });
  child.stdout.resume();
  let ownMb = 0;
  const look = setInterval(async () => {
    ownMb = Math.max(ownMb, await ownMbOf(child));
  }, LOOK_MS);
  const [code] = await once(child, 'close');
  clearInterval(look);
  if (code !== 0) throw new Error(`audit ${words.join(' ')} ended with ${code}`);
  return { ownMb, firstMs, ms: elapsed() };
}

const LOOK_MS = 20;

/** Without the mapped pages of the program and of the folder's file: the system can take them back. 0: it has ended. */
async function ownMbOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
