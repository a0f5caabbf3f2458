/**
 * `npm run prove`: runs everything that is proved each night, one step after the other, and writes counts and findings
 * into `proof/RESULTS.md`. With `--quick` less of it, with `--long` as much as for a release.
 * Each command that has ended is a piece in `proof/pieces`: after an interruption, or after `--for` minutes, `--resume`
 * goes on, and `--anew` removes them. `--only` leaves the other steps to another checkout, whose pieces are added later.
 * Exit code 1 if anything failed, 2 for wrong usage and pieces that do not fit.
 */

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import {
  type Counts,
  type Piece,
  readPieces,
  removePieces,
  stateOf,
  sumOf,
  whyRefused,
  writePiece,
} from './pieces.ts';
import { RULE_PLANTS } from './simulation/rule-plants.ts';

type Extent = 'quick' | 'night' | 'long';

interface Step {
  readonly name: string;
  /** As a shell command. */
  readonly night: string;
  /** The same with less work; absent: skipped. */
  readonly quick?: string;
  /** The same with more work, and with how many seeds, the first of them that of the run; absent: skipped. */
  readonly long?: readonly [command: string, seeds: number];
  /** Matches the line with the counts; absent: the last line of standard output is JSON. */
  readonly counted?: RegExp;
}

/** Usually found in the first world: bugs between the program and its store or network, and bugs in rules. */
const QUICK_PLANTS = [
  'acknowledge-before-storing',
  'post-without-search',
  'update-that-overtakes',
  'anybody-decides',
  'decided-below-the-quorum',
  'refused-without-a-word',
].join();

export const STEPS: readonly Step[] = [
  {
    name: 'simulation',
    // New worlds each time, and the same ones.
    night: 'npm run simulate -- --approvals 50000 --seed $SEED --besides 1',
    quick: 'npm run simulate -- --approvals 2000 --seed $SEED --besides 1',
    long: ['npm run simulate -- --approvals 2000 --seed $SEED', 100],
  },
  {
    name: 'planted bugs',
    night: 'npm run simulate -- --find all --approvals 10000 --seed $SEED',
    quick: `npm run simulate -- --find ${QUICK_PLANTS} --approvals 1000 --seed $SEED`,
    long: ['npm run simulate -- --find all --approvals 1000 --seed $SEED', 3],
  },
  {
    name: 'unit tests',
    night: 'npm run noticed',
    long: ['npm run noticed', 1],
  },
  {
    name: 'exploration',
    night: 'npm run explore',
    quick: 'npm run explore -- --small',
    long: ['npm run explore', 1],
  },
  {
    name: 'fuzz',
    night: 'npm run fuzz -- --inputs 200000 --seed $SEED',
    quick: 'npm run fuzz -- --inputs 20000 --seed $SEED',
    long: ['npm run fuzz -- --inputs 100000 --seed $SEED', 10],
  },
  {
    name: 'chaos',
    night: 'npm run chaos -- --short --seed $SEED',
    quick: 'npm run chaos -- --short --seed $SEED',
    long: ['npm run chaos -- --approvals 2000 --seed $SEED', 5],
  },
  {
    name: 'slow tests',
    night: 'TEST_SEED=$SEED npm run test:slow',
    counted: /^ *Tests +(.+)/,
  },
];

/** The commands of a step, each a piece; none: it is skipped. Seeds of a run follow one another. */
export function commandsOf(step: Step, extent: Extent, seed: string): readonly string[] {
  const [command, seeds] = extent === 'long' ? (step.long ?? []) : [step[extent], 1];
  return Array.from({ length: command === undefined ? 0 : (seeds ?? 0) }, (_, at) =>
    // as: undefined has no commands
    (command as string).replace('$SEED', String(Number(seed) + at)),
  );
}

const NAMES = STEPS.map(({ name }) => name);

/**
 * All commands of these steps, in the order in which they are run: after each part of the time, each step has had as
 * large a part.
 */
export function turnsOf(
  extent: Extent,
  seed: string,
  only: readonly string[] = NAMES,
): readonly { readonly step: Step; readonly command: string }[] {
  return STEPS.filter(({ name }) => only.includes(name))
    .flatMap((step) =>
      commandsOf(step, extent, seed).map((command, at, { length }) => ({
        ...{ step, command },
        turn: at / length,
      })),
    )
    .toSorted((a, b) => a.turn - b.turn);
}

/** What the pieces of a step say together. */
export interface Result {
  readonly name: string;
  /** As typed; of several the first. */
  readonly command: string;
  /** How many of its commands have ended. */
  readonly done: number;
  readonly of: number;
  /** The first that is not 0. */
  readonly code: number;
  readonly counts: Counts;
  readonly found: readonly string[];
  readonly seconds: number;
}

export function resultsOf(
  pieces: ReadonlyMap<string, Piece>,
  extent: Extent,
  seed: string,
): readonly Result[] {
  return STEPS.flatMap((step) => {
    const commands = commandsOf(step, extent, seed);
    const done = commands.flatMap((command) => pieces.get(command) ?? []);
    const [first = ''] = commands;
    if (first === '') return [];
    return {
      name: step.name,
      command: first,
      done: done.length,
      of: commands.length,
      code: done.find(({ code }) => code !== 0)?.code ?? 0,
      counts: sumOf(done.map(({ counts }) => counts)),
      found: done.flatMap(({ found }) => found),
      seconds: done.reduce((sum, each) => sum + each.seconds, 0),
    };
  });
}

/** Runs one of the commands; its output is passed on. */
async function run({ counted }: Step, command: string) {
  const startedAt = performance.now();
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const read = (stream: Readable, passOn: (line: string) => void) =>
    createInterface({ input: stream }).on('line', (line) => {
      passOn(line);
      lines.push(stripVTControlCharacters(line));
    });
  read(child.stdout, console.log);
  read(child.stderr, console.error);
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (ended) => resolve(ended ?? 1));
  });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return { command, code, counts: countsIn(lines, counted), found: [...foundIn(lines)], seconds };
}

/** Not a count, or in its own column. */
const LEFT_OUT: ReadonlySet<string> = new Set(['seed', 'seconds', 'steps']);

/** The counts of the last line that has any. */
export function countsIn(lines: readonly string[], counted = /^(\{.+\})$/): Counts {
  const [, last = ''] = lines.map((line) => counted.exec(line)).findLast((each) => each) ?? [];
  if (!last.startsWith('{')) return last.replaceAll(' | ', ', ');
  const counts = Object.entries(JSON.parse(last) as Record<string, unknown>); // as: it begins as an object
  const numbers = counts.filter(
    ([name, count]) => typeof count === 'number' && !LEFT_OUT.has(name),
  );
  return Object.fromEntries(numbers.map(([name, count]) => [name, Number(count)]));
}

function countedIn(counts: Counts): string {
  if (typeof counts === 'string') return counts;
  return Object.entries(counts)
    .map(([name, count]) => `${count.toLocaleString('en')} ${wordsOf(name)}`)
    .join(', ');
}

function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** How the steps report a problem: a broken promise, hostile input, an unnoticed bug or rule, a test. */
const FOUND =
  /^(?:(?:lost|double|false|unanswered): |(?:crash|hang|leak) in |leak: |Not found |Not noticed: |The protocol breaks | *FAIL )/;
const FOUND_MOST = 20;

/** Without duplicates. */
export function foundIn(lines: readonly string[]): readonly string[] {
  const found = [...new Set(lines.filter((line) => FOUND.test(line)).map((line) => line.trim()))];
  const more = found.length - FOUND_MOST;
  return more > 0 ? [...found.slice(0, FOUND_MOST), `and ${more} more`] : found;
}

/** The table of both documents. */
export function tableOf(results: readonly Result[]): string {
  const rows = results.map(({ name, command, done, of, code, counts, seconds }) => {
    const held = done === 0 ? 'not run yet' : 'held';
    const end = code === 0 ? held : `**failed** (${code})`;
    const asked = `\`${command}\`${of === 1 ? '' : `, and so on: ${done} of ${of} seeds`}`;
    return `| ${name} | ${asked} | ${done === 0 ? '–' : countedIn(counts)} | ${end} | ${seconds.toLocaleString('en')} |`;
  });
  return ['| step | command | counted | result | seconds |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}

/** The findings of each step. */
export function findingsOf(results: readonly Result[]): string {
  const failed = results.filter(({ code, found }) => code !== 0 || found.length > 0);
  if (failed.length === 0) return 'Nothing was found.';
  const parts = failed.map(({ name, found }) => {
    const words = found.length === 0 ? ['It failed without saying what it found.'] : found;
    return `Found by ${name}:\n\n\`\`\`\n${words.join('\n')}\n\`\`\``;
  });
  return parts.join('\n\n');
}

/** Where and when the pieces were run, a line for each state, day, machine and Node. */
export function placesOf(pieces: Iterable<Piece>): readonly string[] {
  const counts = new Map<string, number>();
  for (const { date, commit, isChanged, node, machine } of pieces) {
    const state = `commit \`${commit}\`${isChanged ? ' and changes' : ''}`;
    const place = `${date} · ${state} · Node ${node} · ${machine}`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return [...counts].map(
    ([place, count]) => `${place} · ${count} ${count === 1 ? 'piece' : 'pieces'}`,
  );
}

/** `run`: what was asked for, as text. */
async function write(
  results: readonly Result[],
  pieces: Iterable<Piece>,
  run: string,
): Promise<void> {
  const parts = [
    '# Results',
    'Written by `npm run prove`; nobody edits this file. [What each step tries](README.md).',
    [run, ...placesOf(pieces)].join('\n\n'),
    `<!-- results: written by \`npm run prove\` -->\n${tableOf(results)}\n<!-- /results -->`,
    findingsOf(results),
  ];
  const path = fileURLToPath(new URL('RESULTS.md', import.meta.url));
  await writeFile(`${path}.new`, `${parts.join('\n\n')}\n`);
  await rename(`${path}.new`, path);
}

async function outputOf(command: string): Promise<string> {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return output.trim();
}

/** The files whose state is tried: the program, and what tries it. */
const TRIED = [
  ...['src', 'ask', 'proof', 'sandbox', 'scripts', 'test/support'],
  ...['package.json', 'package-lock.json'],
  ...new Set(Object.values(RULE_PLANTS).map(({ noticedBy }) => `test/${noticedBy}`)),
].join(' ');

async function main(): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: {
      quick: flag,
      long: flag,
      resume: flag,
      anew: flag,
      seed: { type: 'string' },
      for: { type: 'string' },
      only: { type: 'string' },
    },
  });
  const asked = { extent: extentIn(values), seed: values.seed ?? String(randomInt(1, 1_000_000)) };
  const minutes = Number(values.for ?? Number.POSITIVE_INFINITY);
  if (!/^[1-9]\d{0,14}$/.test(asked.seed) || !(minutes > 0)) {
    return wrong('--seed has to be a whole number from 1 on, and --for a number of minutes.');
  }
  if (values.resume && (values.quick || values.long || values.seed !== undefined)) {
    return wrong('--resume goes on with the run in proof/pieces: leave out what that run was.');
  }
  const only = values.only?.split(',');
  if (only?.some((name) => !NAMES.includes(name))) {
    return wrong(`--only needs names of steps, separated by commas: ${NAMES.join(', ')}.`);
  }
  const listed = await outputOf(`git ls-files --cached --others --exclude-standard -- ${TRIED}`);
  const tried = await stateOf(listed.split('\n'));
  if (!values.resume) {
    const kept = (await readPieces()).size;
    if (kept > 0 && !values.anew) return wrong(keptWords(kept));
    await removePieces();
  }
  const pieces = new Map(await readPieces());
  const refused = values.resume ? whyRefused(pieces.values(), tried) : null;
  if (refused !== null) return wrong(refused);
  const [last] = pieces.values();
  const { extent, seed } = last ?? asked;
  const option = extent === 'night' ? '' : `--${extent} `;
  console.log(`Seed ${seed}: npm run prove -- ${option}--seed ${seed} repeats this run`);
  // Not what the run itself writes.
  const apart = `':!proof/pieces' ':!proof/RESULTS.md'`;
  const isChanged = (await outputOf(`git status --porcelain -- ${TRIED} ${apart}`)) !== '';
  const commit = await outputOf('git rev-parse --short=12 HEAD');
  const node = process.version.slice(1);
  const here = { extent, seed, tried, commit, isChanged, node, machine: machine() };
  const startedAt = performance.now();
  const isLate = () => performance.now() - startedAt > minutes * 60_000;
  // as: what was read was written here
  for (const { step, command } of turnsOf(extent as Extent, seed, only)) {
    if (pieces.has(command) || isLate()) continue;
    const date = new Date().toISOString().slice(0, 10);
    const done = { step: step.name, ...here, date, ...(await run(step, command)) };
    await writePiece(done);
    pieces.set(command, done);
  }
  const results = resultsOf(pieces, extent as Extent, seed);
  const what = extent === 'night' ? 'as each night' : `\`--${extent}\``;
  await write(results, pieces.values(), `Seed ${seed} · ${what}`);
  return results.some(({ code }) => code !== 0) ? 1 : 0;
}

function extentIn({ quick, long }: { readonly quick: boolean; readonly long: boolean }): Extent {
  if (quick) return 'quick';
  return long ? 'long' : 'night';
}

function keptWords(kept: number): string {
  const pieces = kept === 1 ? 'one piece' : `${kept} pieces`;
  return `proof/pieces has ${pieces} of an earlier run. Add --resume to go on with it, or --anew to remove it.`;
}

function wrong(words: string): number {
  console.error(words);
  return 2;
}

const machine = () => `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;

if (process.argv[1] === import.meta.filename) process.exitCode = await main();
