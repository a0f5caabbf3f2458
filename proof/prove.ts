/**
 * `npm run prove`: runs what is proved each night, one after the other, and writes the results into `proof/RESULTS.md`
 * and `docs/reliability.md`. With `--quick` less of it, in some minutes. Ends with 1 if anything failed; a run that is
 * interrupted writes nothing.
 */

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

interface Proof {
  readonly name: string;
  /** Arguments of npm. */
  readonly command: (seed: string) => readonly string[];
  /** Fewer of the same; left out: not at all. */
  readonly quick?: (seed: string) => readonly string[];
  readonly env?: (seed: string) => NodeJS.ProcessEnv;
}

const PROOFS: readonly Proof[] = [
  {
    name: 'simulation',
    command: (seed) => ['run', 'simulate', '--', '--approvals', '50000', '--seed', seed],
    quick: (seed) => ['run', 'simulate', '--', '--approvals', '1000', '--seed', seed],
  },
  {
    name: 'exploration',
    command: () => ['run', 'explore'],
    quick: () => ['run', 'explore', '--', '--small'],
  },
  {
    name: 'fuzz',
    command: (seed) => ['run', 'fuzz', '--', '--inputs', '200000', '--seed', seed],
    quick: (seed) => ['run', 'fuzz', '--', '--inputs', '5000', '--seed', seed],
  },
  {
    name: 'chaos',
    command: (seed) => ['run', 'chaos', '--', '--short', '--seed', seed],
    quick: (seed) => ['run', 'chaos', '--', '--approvals', '100', '--seed', seed],
  },
  {
    name: 'slow tests',
    command: () => ['run', 'test:slow'],
    env: (seed) => ({ TEST_SEED: seed }),
  },
];

export interface Result {
  readonly name: string;
  /** As somebody types it. */
  readonly command: string;
  readonly code: number;
  /** The last line of standard output. */
  readonly last: string;
  readonly seconds: number;
}

/** One of the proofs; its output is passed on. */
async function run(proof: Proof, seed: string, args: readonly string[]): Promise<Result> {
  const startedAt = performance.now();
  const more = proof.env?.(seed) ?? {};
  const child = spawn('npm', args, {
    env: { ...process.env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = '';
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    console.log(line);
    if (line.trim() !== '') last = line.trim();
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (ended) => resolve(ended ?? 1));
  });
  const set = Object.entries(more).map(([name, value]) => `${name}=${value} `);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return { name: proof.name, command: `${set.join('')}npm ${args.join(' ')}`, code, last, seconds };
}

/** What is not counted, or has a column of its own. */
const LEFT_OUT: ReadonlySet<string> = new Set(['seed', 'seconds', 'trace', 'byTarget', 'steps']);

/** The counts of a line of JSON; of another line its words. */
export function countsOf(last: string): string {
  if (!last.startsWith('{')) return last.replaceAll('|', '\\|').slice(0, 200);
  const counts = Object.entries(JSON.parse(last) as Record<string, unknown>); // as: it begins as an object
  return counts
    .filter(([name, count]) => typeof count === 'number' && !LEFT_OUT.has(name))
    .map(([name, count]) => `${Number(count).toLocaleString('en')} ${wordsOf(name)}`)
    .join(', ');
}

function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** The table of both documents. */
export function tableOf(results: readonly Result[]): string {
  const rows = results.map(({ name, command, code, last, seconds }) => {
    const end = code === 0 ? 'held' : `**failed** (${code})`;
    return `| ${name} | \`${command}\` | ${countsOf(last)} | ${end} | ${seconds.toLocaleString('en')} |`;
  });
  return [
    '| proof | command | counted | result | seconds |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

const BEGIN = '<!-- results: written by `npm run prove` -->';
const END = '<!-- /results -->';

/** A document with the table between its marks. Throws where it has none. */
export function withTable(document: string, table: string): string {
  const [before, rest = ''] = document.split(BEGIN);
  const [, after] = rest.split(END);
  if (before === undefined || after === undefined) throw new Error('there is no place for results');
  return `${before}${BEGIN}\n${table}\n${END}${after}`;
}

async function write(results: readonly Result[], commit: string): Promise<void> {
  const table = tableOf(results);
  const head = [
    '# Results',
    '',
    'Written by `npm run prove`; nobody edits this file. [What each proof tries](README.md).',
    '',
    `${new Date().toISOString().slice(0, 10)} · commit \`${commit}\` · Node ${process.version.slice(1)}`,
  ];
  const place = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const reliability = await readFile(place('../docs/reliability.md'), 'utf8');
  const documents = [
    [place('RESULTS.md'), withTable(`${head.join('\n')}\n\n${BEGIN}\n${END}\n`, table)],
    [place('../docs/reliability.md'), withTable(reliability, table)],
  ] as const;
  for (const [path, text] of documents) await writeFile(`${path}.new`, text);
  for (const [path] of documents) await rename(`${path}.new`, path);
}

async function outputOf(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout) output += chunk;
  return output.trim();
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, seed: { type: 'string' } },
  });
  const seed = values.seed ?? String(randomInt(1, 1_000_000));
  if (!/^[1-9]\d{0,8}$/.test(seed)) throw new Error('--seed must be a whole number from 1 on');
  const isChanged = (await outputOf('git', ['status', '--porcelain'])) !== '';
  const commit = `${await outputOf('git', ['rev-parse', '--short=12', 'HEAD'])}${isChanged ? ' and changes' : ''}`;
  const results: Result[] = [];
  for (const proof of PROOFS) {
    const command = values.quick ? proof.quick : proof.command;
    if (command !== undefined) results.push(await run(proof, seed, command(seed)));
  }
  await write(results, commit);
  if (results.some(({ code }) => code !== 0)) process.exitCode = 1;
}
