import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import process from 'node:process';
import { parseArgs, promisify } from 'node:util';
import { judgedAgain } from './judge.ts';
import { hasRedis } from './redis.ts';
import { type Round, runRound } from './round.ts';

/**
 * `npm run chaos`: the built program under failures of processes, stores and the servers around it, checked by
 * `proof/simulation/checker.ts`. proof/chaos/README.md lists them.
 */

const USAGE = `npm run chaos -- [--short] [--seed N] [--approvals N] [--per-second N] [--store NAME] [--logs FOLDER] [--verbose]
npm run chaos -- --judge FOLDER

  --short       560 approvals, in three to five minutes
  --seed        the same seed draws the same again; default a random one
  --approvals   how many are run; default 10000
  --per-second  how many are asked for in a second; default 6, with --short 9
  --store       redis or folder alone
  --logs        keeps what the processes wrote, and the evidence, in this folder
  --verbose     shows what happens while it happens
  --judge       judges the evidence that --logs kept once more
`;

const values = readOptions();
const seed = Number(values.seed ?? randomInt(1_000_000));
const approvals = Number(values.approvals ?? (values.short ? 560 : 10_000));
const perSecond = Number(values['per-second'] ?? (values.short ? 9 : 6));
if (![seed, approvals, perSecond].every((each) => Number.isInteger(each) && each >= 0)) {
  console.error('--seed, --approvals and --per-second take whole numbers.');
  process.exit(2);
}

if (values.judge !== undefined) process.exit(await judgeAgain(values.judge));

/** One round keeps all evidence in memory: several rounds keep less at a time. */
const ROUND_MAX = 2_000;
/** A folder has one bot, and each write waits for the disk. */
const FOLDER_SHARE = 0.2;

if (!(await hasRedis())) {
  console.error('There is no redis-server program here: install Redis or Valkey, and try again.');
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // Children end with this process: see process.ts. A second signal, passed on by npm, does not keep it from ending them.
  process.on(signal, () => process.exit(130));
}

const startedAt = performance.now();
const log = (line: string): void => {
  if (values.verbose)
    console.error(`${((performance.now() - startedAt) / 1_000).toFixed(1)} ${line}`);
};
await promisify(execFile)('npm', ['run', 'build']);
if (values.logs !== undefined) await mkdir(values.logs, { recursive: true });
const rounds: Round[] = [];
if (values.short) rounds.push(...(await Promise.all(planned().map(liveOne))));
else for (const [place, each] of planned().entries()) rounds.push(await liveOne(each, place));
const sum = (of: (round: Round) => number): number =>
  rounds.reduce((total, round) => total + of(round), 0);
const broken = {
  lost: sum(({ counts }) => counts.lost),
  double: sum(({ counts }) => counts.double),
  false: sum(({ counts }) => counts.false),
  unanswered: sum(({ counts }) => counts.unanswered),
};
const line = {
  seed,
  approvals: sum((round) => round.approvals),
  clicks: sum(({ clicks }) => clicks),
  kills: sum(({ kills }) => kills),
  redisRestarts: sum(({ redisRestarts }) => redisRestarts),
  faults: sum(({ faults }) => faults),
  ...broken,
  seconds: Math.round((performance.now() - startedAt) / 1_000),
};
console.log(JSON.stringify(line));
process.exitCode = Object.values(broken).some((count) => count > 0) ? 1 : 0;

function readOptions() {
  const [flag, text] = [{ type: 'boolean', default: false }, { type: 'string' }] as const;
  const numbers = { seed: text, approvals: text, 'per-second': text };
  const others = { store: text, logs: text, judge: text, short: flag, verbose: flag, help: flag };
  try {
    const { values } = parseArgs({ options: { ...numbers, ...others } });
    if (!values.help) return values;
  } catch {
    process.stderr.write(USAGE);
    process.exit(2);
  }
  process.stdout.write(USAGE);
  process.exit(0);
}

async function liveOne({ store, count }: Planned, place: number): Promise<Round> {
  console.error(`seed ${seed}, round ${place + 1}: ${count} approvals, records in ${store}`);
  const round = await runRound({
    store,
    approvals: count,
    perSecond: store === 'folder' ? Math.ceil(perSecond / 2) : perSecond,
    seed: seed + 1_000 * place,
    log: (line) => log(`${store}: ${line}`),
    logs: values.logs ?? null,
  });
  for (const story of round.stories) console.error(`\n${story}\n  seed ${seed}`);
  for (const line of round.warnings) log(`${store}: ${line}`);
  return round;
}

/** Exit code 1 if a promise was broken, 2 if there was nothing to check. */
async function judgeAgain(folder: string): Promise<number> {
  const sum = { approvals: 0, lost: 0, double: 0, false: 0, unanswered: 0 };
  for await (const { name, approvals, counts, stories } of judgedAgain(folder)) {
    for (const story of stories) console.error(`\n${story}\n  ${name}`);
    sum.approvals += approvals;
    for (const [kind, count] of Object.entries(counts)) sum[kind as keyof typeof counts] += count; // as: its keys
  }
  if (sum.approvals === 0) {
    console.error(`There is no evidence in ${folder}: keep it with --logs.`);
    return 2;
  }
  console.log(JSON.stringify(sum));
  return sum.lost + sum.double + sum.false + sum.unanswered > 0 ? 1 : 0;
}

interface Planned {
  readonly store: 'redis' | 'folder';
  readonly count: number;
}

function planned(): Planned[] {
  const onFolder = Math.round(approvals * FOLDER_SHARE);
  const all = [
    ...inRounds(approvals - onFolder).map((count) => ({ store: 'redis', count }) as const),
    ...inRounds(onFolder).map((count) => ({ store: 'folder', count }) as const),
  ];
  return all.filter(({ store }) => values.store === undefined || values.store === store);
}

function inRounds(count: number): number[] {
  const rounds = Math.ceil(count / ROUND_MAX);
  return Array.from({ length: rounds }, (_, at) => Math.floor((count + at) / rounds));
}
