import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import type { Plugin } from 'esbuild';
import { conditionTable, isExcusedWrongly, passedIn, sumOf } from './condition-table.ts';
import type { Broken } from './evidence.ts';
import { EXCUSED, placesOf } from './excused-conditions.ts';
import { featuresOf } from './features.ts';
import { RULE_PLANTS } from './rule-plants.ts';
import { added, metTable, unmetIn } from './rules-met.ts';
import { runWorlds } from './run-worlds.ts';
import { UNMET_PLANTS } from './unmet-plants.ts';
import type { Job, JobDone } from './worker.ts';
import type { WorldReport } from './world.ts';

/**
 * `npm run simulate`: runs approvals, in worlds of a hundred, each with its own seed. Prints the story of every
 * violation on stderr, and one line of JSON at the end of stdout; exit code 1 if a promise was broken or an excuse was
 * wrong (`excused-conditions.ts`), 2 for wrong usage.
 */

const USAGE = `npm run simulate -- [--approvals N] [--seed S] [--plant NAME] [--batch B] [--calm] [--conditions] [--besides S] [--lines FILE] [--processes P]
npm run simulate -- --find NAMES [--approvals N] [--seed S] [--processes P]
npm run simulate -- --plants

  --approvals  how many are run; default 1000
  --seed       any text; the same seed gives the same run. Default 1
  --plant      with a planted bug; ends at the first violation
  --find       planted bugs, separated by commas, or all that are known to be found: each runs until it is found, and
               the exit code is 1 if one was not within --approvals, and names no unit test that notices it
  --plants     lists the names of the planted bugs, and which of them are not known to be found
  --batch      one world alone, as a story names it, with everything that happened
  --besides    another seed, of which the first 1000 approvals run, too
  --lines      writes everything that happened into this file, a line each: two runs can be compared
  --calm       nothing goes wrong
  --conditions counts how often each condition of the rules was true and false; not with --plant
  --processes  how many at a time; default one for each core. It changes nothing but the time it takes
`;

const WORLD_APPROVALS = 100;
/** Progress is printed on stderr after this many approvals. */
const TOLD_APPROVALS = 10_000;
const BESIDES_APPROVALS = 1_000;
const WRONG_USAGE = 2;

interface Options {
  readonly approvals: number;
  readonly seed: string;
  /** Another seed, with fewer approvals. */
  readonly besides: string | undefined;
  readonly batch: number | null;
  /** The file for everything that happened. */
  readonly lines?: string | undefined;
  readonly processes: number;
  readonly plant: string | undefined;
  /** Planted bugs that have to be found. */
  readonly find: readonly string[] | undefined;
  readonly calm: boolean;
  readonly conditions: boolean;
}

process.exitCode = await main();

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { PLANTS } = await import('./plants.ts');
  const plants = [...Object.keys(PLANTS), ...Object.keys(RULE_PLANTS)];
  const options = readOptions(plants);
  if (options === 'plants') {
    const lines = plants.map((name) => {
      const { notWithin, noticedBy } = RULE_PLANTS[name] ?? {};
      if (isExpected(name)) return name;
      const why = notWithin === undefined ? 'no world goes there' : `not found within ${notWithin}`;
      return `${name} (${why}; ${noticedBy} notices it)`;
    });
    process.stdout.write(`${lines.join('\n')}\n`);
    return 0;
  }
  if (options?.find !== undefined) return find(options.find, options, plants.length);
  if (options !== undefined) return simulate(options);
  process.stderr.write(USAGE);
  return WRONG_USAGE;
}

function readOptions(plants: readonly string[]): Options | 'plants' | undefined {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const numbers = { approvals: text, batch: text, processes: text };
  const names = { ...numbers, seed: text, besides: text, plant: text, find: text, lines: text };
  let values: ReturnType<typeof parse>;
  try {
    values = parse();
  } catch {
    return undefined;
  }
  if (values.plants) return 'plants';
  const { seed = '1', besides, plant, lines, calm, conditions } = values;
  const approvals = whole(values.approvals ?? '1000', 1);
  const batch = values.batch === undefined ? null : whole(values.batch, 0);
  const processes = whole(values.processes ?? String(availableParallelism()), 1);
  if (approvals === undefined || batch === undefined || processes === undefined) return undefined;
  if (plant !== undefined && !plants.includes(plant)) return undefined;
  // The bundle with the bug would not have the counters, and the bug ends the run.
  if (conditions && plant !== undefined) return undefined;
  const find = values.find === 'all' ? plants.filter(isExpected) : values.find?.split(',');
  if (find?.some((name) => !plants.includes(name))) return undefined;
  return { approvals, seed, besides, batch, lines, processes, plant, find, calm, conditions };

  function parse() {
    return parseArgs({ options: { ...names, plants: flag, calm: flag, conditions: flag } }).values;
  }
}

/** Known to be found. */
function isExpected(name: string): boolean {
  return RULE_PLANTS[name]?.notWithin === undefined && !Object.hasOwn(UNMET_PLANTS, name);
}

function whole(text: string, least: number): number | undefined {
  return /^\d{1,9}$/.test(text) && Number(text) >= least ? Number(text) : undefined;
}

async function simulate(options: Options): Promise<number> {
  const { seed, plant } = options;
  const trace = createHash('sha256');
  const sum = { approvals: 0, clicks: 0, operations: 0, kills: 0, faults: 0, steps: 0 };
  const broken = { lost: 0, double: 0, false: 0, unanswered: 0 } satisfies Record<Broken, number>;
  let met: readonly number[] = [];
  const file = options.lines === undefined ? undefined : await open(options.lines, 'w');
  const tally = options.conditions ? await tallyConditions() : undefined;
  for await (const { seed, batch, report, counts } of allWorldsOf(options, tally?.plugin)) {
    trace.update(report.trace);
    await file?.write(`seed ${seed}, world ${batch}\n${report.lines?.join('\n')}\n`);
    tally?.add(counts);
    met = added(met, report.met);
    for (const name of Object.keys(sum)) {
      // as: its keys
      sum[name as keyof typeof sum] += report[name as keyof typeof sum];
    }
    for (const { violation } of report.violations) broken[violation.kind] += 1;
    if (sum.approvals % TOLD_APPROVALS === 0) {
      process.stderr.write(`${sum.approvals} approvals: ${JSON.stringify(broken)}\n`);
    }
    if (report.violations.length === 0) continue;
    const again = [`--approvals ${options.approvals} --seed ${seed} --batch ${batch}`];
    if (plant !== undefined) again.push(`--plant ${plant}`);
    if (options.calm) again.push('--calm');
    tell(`seed ${seed}, world ${batch}`, report, again.join(' '));
    if (plant !== undefined) break;
  }
  await file?.close();
  const passed = tally?.passed();
  const conditions = passed && sumOf(passed);
  if (passed !== undefined) process.stderr.write(`\n${conditionTable(passed)}`);
  process.stderr.write(`\n${metTable(met)}`);
  const closing = {
    seed,
    ...(options.besides !== undefined && { besides: options.besides }),
    ...sum,
    ...broken,
    unmet: unmetIn(
      met,
      jobsOf(options).some((each) => each.options.rewinds),
    ),
    ...(conditions && { conditions }),
    trace: trace.digest('hex'),
  };
  process.stdout.write(`${JSON.stringify(closing)}\n`);
  const isBroken = Object.values(broken).some((count) => count > 0);
  return isBroken || passed?.some(isExcusedWrongly) === true ? 1 : 0;
}

/** Tries planted bugs, as many at a time as there are processes. */
async function find(names: readonly string[], options: Options, plants: number): Promise<number> {
  const { seed, approvals, processes } = options;
  const waiting = names.values();
  const ends = { found: 0, leftToTests: 0, notFound: 0 };
  const tryThem = async () => {
    for (const plant of waiting) {
      const within = await foundWithin({ ...options, plant, processes: 1 });
      const { noticedBy } = RULE_PLANTS[plant] ?? {};
      if (within !== undefined) {
        ends.found += 1;
        process.stderr.write(`found in ${within}: ${plant}\n`);
      } else if (noticedBy !== undefined) {
        ends.leftToTests += 1;
        process.stderr.write(`left to test/${noticedBy} after ${approvals}: ${plant}\n`);
      } else {
        ends.notFound += 1;
        process.stderr.write(`Not found within ${approvals}: ${plant}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: processes }, tryThem));
  const closing = { seed, plants, tried: names.length, ...ends };
  process.stdout.write(`${JSON.stringify(closing)}\n`);
  return ends.notFound > 0 ? 1 : 0;
}

/** How many approvals were run until a planted bug was found; undefined: it was not found. */
async function foundWithin(options: Options): Promise<number | undefined> {
  let approvals = 0;
  for await (const { report } of worldsOf(options)) {
    approvals += report.approvals;
    if (report.violations.length > 0) return approvals;
  }
  return undefined;
}

/** The worlds of both seeds, one after the other. */
async function* allWorldsOf(
  options: Options,
  counting?: Plugin,
): AsyncGenerator<JobDone & Pick<Options, 'seed'>> {
  const { seed, besides, approvals } = options;
  const other = besides === undefined ? [] : [besides];
  for (const each of [...other, seed]) {
    const most = each === seed ? approvals : Math.min(approvals, BESIDES_APPROVALS);
    const own = { ...options, seed: each, approvals: most };
    for await (const done of worldsOf(own, counting)) yield { ...done, seed: each };
  }
}

/** The worlds of a run, with its planted bug in the right place. */
function worldsOf(options: Options, counting?: Plugin): AsyncGenerator<JobDone> {
  const { plant, processes } = options;
  if (plant === undefined || RULE_PLANTS[plant] === undefined) {
    return runWorlds(jobsOf(options), processes, undefined, counting);
  }
  return runWorlds(jobsOf({ ...options, plant: undefined }), processes, plant, counting);
}

/** Adds up the counts of all worlds. The code that finds conditions is loaded only for that. */
async function tallyConditions() {
  const { instrumentRules } = await import('./conditions.ts');
  const { plugin, conditions } = await instrumentRules();
  const excuses = placesOf(EXCUSED, conditions);
  const total = new Array<number>(2 * conditions.length).fill(0);
  return {
    plugin,
    add(counts: readonly number[]): void {
      for (const [at, count] of counts.entries()) total[at] = (total[at] ?? 0) + count;
    },
    passed: () => passedIn(conditions, total, excuses),
  };
}

function jobsOf({ approvals, seed, batch: only, lines, plant, calm }: Options): Job[] {
  const batches = Array.from({ length: Math.ceil(approvals / WORLD_APPROVALS) }, (_, at) => at);
  return batches
    .filter((batch) => only === null || batch === only)
    .map((batch) => ({
      batch,
      options: {
        seed: `${seed}/${batch}`,
        approvals: Math.min(WORLD_APPROVALS, approvals - batch * WORLD_APPROVALS),
        faults: !calm,
        ...featuresOf(seed, batch),
        plant,
        keepsStory: only !== null || lines !== undefined,
        tellsAll: lines !== undefined,
      },
    }));
}

function tell(world: string, { violations }: WorldReport, again: string): void {
  for (const { told } of violations) process.stderr.write(`\n${world}\n${told}\n`);
  process.stderr.write(`\nTo see all that happened: npm run simulate -- ${again}\n`);
}
