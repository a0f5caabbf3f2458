import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startConnectProxy } from '../../test/support/connect-proxy.ts';
import { type Bots, startBots } from './bots.ts';
import { allReady, atRest, disturb, ON_FOLDER, ON_REDIS } from './disturbances.ts';
import { keep, makeFolder, runProgram } from './process.ts';
import { seededRandom } from './random.ts';
import { startRedisPair } from './redis.ts';
import { SETTINGS } from './settings.ts';
import type { Place, Requests, Verdict } from './world.ts';

export interface RoundOptions {
  readonly store: 'redis' | 'folder';
  readonly approvals: number;
  readonly perSecond: number;
  readonly seed: number;
  readonly log: (line: string) => void;
  /** Folder for the bots' log lines and the evidence; null: none. */
  readonly logs: string | null;
}

export interface Round extends Verdict {
  readonly kills: number;
  readonly redisRestarts: number;
  readonly warnings: readonly string[];
}

/**
 * Everything people wait for is done within this time after the last disturbance. An update with an unclear result is
 * repeated after 30 s.
 */
const SETTLED_MS = 40_000;
/** Polling notices decisions made elsewhere at most this long after. */
const NUDGE_AFTER_MS = 75_000;
/** What has not changed for that long will not change. */
const STAYS_MS = 30_000;

/** One round with its own store and bots: runs until it is at rest, then checks it. */
export async function runRound(options: RoundOptions): Promise<Round> {
  const { store, approvals, perSecond, seed, log } = options;
  const folder = await makeFolder(store);
  await writeFile(join(folder, 'gatepost.yaml'), SETTINGS);
  await using world = await startWorld(seed);
  await using redis = store === 'redis' ? await startRedisPair() : undefined;
  await using proxy = await startConnectProxy();
  const env = {
    HTTP_PROXY: proxy.url,
    ...envOf(world.place),
    GATEPOST_CONFIG: join(folder, 'gatepost.yaml'),
    ...(redis === undefined
      ? { DATA_DIR: join(folder, 'data') }
      : { REDIS_URL: redis.url, REDIS_CONFIRM: 'replicas=1' }),
  };
  await using bots = await startBots(redis === undefined ? 1 : 2, env, options.logs);
  const counts = { kills: 0, redisRestarts: 0 };
  const random = seededRandom(seed + 1);
  await world.ask('begin', { frontUrl: bots.url, approvals, perSecond });
  let isFinished = false;
  const finished = world.ask('finished', {}).then(() => {
    isFinished = true;
  });
  await disturb(
    redis === undefined ? ON_FOLDER : ON_REDIS,
    {
      bots,
      proxy,
      ...(redis && { redis }),
      random,
      counts,
      note: async (what) => {
        log(JSON.stringify(what));
        await world.ask('note', what);
      },
    },
    () => isFinished,
  );
  await finished;
  await world.ask('calm', {});
  await allReady(bots);
  const verdict = await settle(
    world,
    bots,
    env,
    join(options.logs ?? folder, `audit-${seed}.jsonl`),
    log,
  );
  return { ...verdict, ...counts, warnings: bots.warnings() };
}

/** Waits until nothing is wrong, or for the longest allowed time; then the audit log is compared, too. */
async function settle(
  world: World,
  bots: Bots,
  env: Readonly<Record<string, string>>,
  auditFile: string,
  log: (line: string) => void,
): Promise<Verdict> {
  const startedAt = performance.now();
  let isNudged = false;
  for (;;) {
    const { counts } = await world.ask('judge', {});
    const waitedMs = performance.now() - startedAt;
    log(`settling for ${Math.round(waitedMs / 1_000)} s: ${JSON.stringify(counts)}`);
    if (counts.lost + counts.unanswered === 0 || waitedMs > NUDGE_AFTER_MS + STAYS_MS) break;
    if (waitedMs > NUDGE_AFTER_MS && !isNudged) {
      isNudged = true;
      await world.ask('nudge', {});
    }
    await new Promise((resolve) => setTimeout(resolve, 3_000));
  }
  if (!(await atRest(bots, SETTLED_MS))) log('the bots still have work that people wait for');
  await writeFile(auditFile, await runCli(['audit', 'export', '--format', 'jsonl'], env));
  await runCli(['audit', 'verify'], env);
  return world.ask('judge', { auditFile });
}

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** Runs a command of the program beside the running bots. Throws if it fails. */
async function runCli(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const lines: string[] = [];
  const program = runProgram(process.execPath, [PROGRAM, ...words], env, (line) =>
    lines.push(line),
  );
  const code = await program.ended;
  if (code !== 0)
    throw new Error(
      `gatepost ${words.join(' ')} ended with ${code}:\n${lines.slice(-20).join('\n')}`,
    );
  return `${lines.join('\n')}\n`;
}

interface World extends AsyncDisposable {
  readonly place: Place;
  ask<Name extends keyof Answers>(name: Name, request: Requests[Name]): Promise<Answers[Name]>;
}

type Answers = { readonly [Name in keyof Requests]: Name extends 'judge' ? Verdict : null };

async function startWorld(seed: number): Promise<World> {
  const child: ChildProcess = fork(fileURLToPath(new URL('world.ts', import.meta.url)), {
    env: { PATH: process.env.PATH, SEED: String(seed) },
    execArgv: ['--import', 'tsx', '--max-old-space-size=6000'],
    // Ctrl-C is for the parent process; without its parent this one ends by itself.
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  keep(child);
  const ended = once(child, 'exit').then(() => {
    throw new Error('the world ended');
  });
  const waiting = new Map<number, { resolve(answer: never): void; reject(error: Error): void }>();
  ended.catch((error: Error) => {
    for (const { reject } of waiting.values()) reject(error);
  });
  const { promise: placed, resolve: place } = withResolvers<Place>();
  // as: `world.ts` sends nothing else
  child.on('message', (message: { place?: Place; id?: number; answer?: never; error?: string }) => {
    if (message.place !== undefined) place(message.place);
    const asked = waiting.get(message.id ?? -1);
    waiting.delete(message.id ?? -1);
    if (message.error !== undefined) asked?.reject(new Error(message.error));
    else asked?.resolve(message.answer as never);
  });
  let count = 0;
  return {
    place: await Promise.race([placed, ended]),
    ask(name, request) {
      count += 1;
      const id = count;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.send({ id, name, request });
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended.catch(() => undefined);
    },
  };
}

function withResolvers<Value>() {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

function envOf({ slackApiUrl, serviceUrl, credentials }: Place): Record<string, string> {
  return {
    SLACK_BOT_TOKEN: credentials.botToken ?? '',
    SLACK_SIGNING_SECRET: credentials.signingSecret ?? '',
    SLACK_API_URL: slackApiUrl,
    SERVICE_URL: serviceUrl,
    SERVICE_API_KEY: credentials.apiKey ?? '',
    SCIM_TOKEN: credentials.scimToken ?? '',
    GATEPOST_KEYS: `chaos:${randomBytes(32).toString('base64')}`,
    GATEPOST_INTAKE_SECRET: credentials.intakeSecret ?? '',
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'info',
  };
}
