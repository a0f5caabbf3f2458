/**
 * `npm run prove`: runs everything that is proved each night, one step after the other, and writes counts and findings
 * into `proof/RESULTS.md` and `docs/reliability.md`. With `--quick`, less of it. Exit code 1 if anything failed; an
 * interrupted run writes nothing.
 */

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs, stripVTControlCharacters } from 'node:util';

interface Step {
  readonly name: string;
  /** As a shell command. */
  readonly night: string;
  /** The same with less work; absent: skipped. */
  readonly quick?: string;
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
  },
  {
    name: 'planted bugs',
    night: 'npm run simulate -- --find all --approvals 10000 --seed $SEED',
    quick: `npm run simulate -- --find ${QUICK_PLANTS} --approvals 1000 --seed $SEED`,
  },
  { name: 'exploration', night: 'npm run explore', quick: 'npm run explore -- --small' },
  {
    name: 'fuzz',
    night: 'npm run fuzz -- --inputs 200000 --seed $SEED',
    quick: 'npm run fuzz -- --inputs 20000 --seed $SEED',
  },
  {
    name: 'chaos',
    night: 'npm run chaos -- --short --seed $SEED',
    quick: 'npm run chaos -- --short --seed $SEED',
  },
  {
    name: 'slow tests',
    night: 'TEST_SEED=$SEED npm run test:slow',
    counted: /^ *Tests +(.+)/,
  },
];

export interface Result {
  readonly name: string;
  /** As typed. */
  readonly command: string;
  readonly code: number;
  readonly counted: string;
  /** Lines that report problems. */
  readonly found: readonly string[];
  readonly seconds: number;
}

/** Runs one of the steps; its output is passed on. */
async function run({ name, counted }: Step, command: string): Promise<Result> {
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
  return { name, command, code, counted: countsIn(lines, counted), found: foundIn(lines), seconds };
}

/** Not a count, or in its own column. */
const LEFT_OUT: ReadonlySet<string> = new Set(['seed', 'seconds', 'steps']);

/** The counts of the last line that has any. */
export function countsIn(lines: readonly string[], counted = /^(\{.+\})$/): string {
  const [, last = ''] = lines.map((line) => counted.exec(line)).findLast((each) => each) ?? [];
  if (!last.startsWith('{')) return last.replaceAll(' | ', ', ');
  const counts = Object.entries(JSON.parse(last) as Record<string, unknown>); // as: it begins as an object
  return counts
    .filter(([name, count]) => typeof count === 'number' && !LEFT_OUT.has(name))
    .map(([name, count]) => `${Number(count).toLocaleString('en')} ${wordsOf(name)}`)
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
  const rows = results.map(({ name, command, code, counted, seconds }) => {
    const end = code === 0 ? 'held' : `**failed** (${code})`;
    return `| ${name} | \`${command}\` | ${counted} | ${end} | ${seconds.toLocaleString('en')} |`;
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

const BEGIN = '<!-- results: written by `npm run prove` -->';
const END = '<!-- /results -->';

/** A document with the table between its marks. Throws if it has no marks. */
export function withTable(document: string, table: string): string {
  const [before, rest = ''] = document.split(BEGIN);
  const [, after] = rest.split(END);
  if (before === undefined || after === undefined) throw new Error('there is no place for results');
  return `${before}${BEGIN}\n${table}\n${END}${after}`;
}

/** `facts`: about the whole run, as text. */
async function write(results: readonly Result[], facts: readonly string[]): Promise<void> {
  const table = tableOf(results);
  const parts = [
    '# Results',
    'Written by `npm run prove`; nobody edits this file. [What each step tries](README.md).',
    facts.join(' · '),
    `${BEGIN}\n${END}`,
    findingsOf(results),
  ];
  const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const reliability = await readFile(place('../docs/reliability.md'), 'utf8');
  const documents = [
    [place('RESULTS.md'), withTable(`${parts.join('\n\n')}\n`, table)],
    [place('../docs/reliability.md'), withTable(reliability, table)],
  ] as const;
  for (const [path, text] of documents) await writeFile(`${path}.new`, text);
  for (const [path] of documents) await rename(`${path}.new`, path);
}

async function outputOf(command: string): Promise<string> {
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return output.trim();
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, seed: { type: 'string' } },
  });
  const { quick, seed = String(randomInt(1, 1_000_000)) } = values;
  if (!/^[1-9]\d{0,14}$/.test(seed)) throw new Error('--seed must be a whole number from 1 on');
  console.log(
    `Seed ${seed}: npm run prove -- ${quick ? '--quick ' : ''}--seed ${seed} repeats this run`,
  );
  const isChanged = (await outputOf('git status --porcelain')) !== '';
  const commit = `${await outputOf('git rev-parse --short=12 HEAD')}\`${isChanged ? ' and changes' : ''}`;
  const results: Result[] = [];
  for (const step of STEPS) {
    const command = (quick ? step.quick : step.night)?.replace('$SEED', seed);
    if (command !== undefined) results.push(await run(step, command));
  }
  await write(results, [
    new Date().toISOString().slice(0, 10),
    `commit \`${commit}`,
    `Node ${process.version.slice(1)}`,
    `seed ${seed}`,
    quick ? '`--quick`' : 'as each night',
  ]);
  if (results.some(({ code }) => code !== 0)) process.exitCode = 1;
}
