import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { heapGrowth } from './heap-growth.ts';
import { REDIS_VARIABLE, startRedis } from './redis.ts';
import type { FindingKind } from './target.ts';
import { TARGETS } from './targets.ts';
import type { Found, Job, Word } from './worker.ts';

/**
 * `npm run fuzz`: hostile input for everything that accepts input. Prints findings on stderr, and one line of JSON at
 * the end of stdout; exit code 1 if something was found, 2 for wrong usage.
 */

const USAGE = `npm run fuzz -- [--inputs N] [--seed S] [--target NAME] [--input N] [--from N] [--processes P]

  --inputs     how many are tried; default 1000000
  --seed       any text; the same seed tries the same inputs. Default 1
  --target     one alone: ${TARGETS.map(({ name }) => name).join(', ')}
  --input      one alone, by its number, as a failure names it
  --from       the number of the first one; default 0
  --processes  how many at a time; default one for each core. It changes nothing but the time it takes
`;

/** After this many inputs the targets are opened again. */
const SEGMENT = 1_000;
/**
 * After this long without output the input counts as endless. On a busy machine a start alone may take half a minute.
 */
const SILENCE_MS = 120_000;
const LOOK_MS = 1_000;
const MOST_SHOWN = 40;

interface Options {
  readonly from: number;
  readonly to: number;
  readonly seed: string;
  readonly only: string | null;
  readonly processes: number;
}

if (process.argv.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const options = readOptions();
if (options === undefined) process.stderr.write(USAGE);
process.exit(options === undefined ? 2 : await fuzz(options));

function readOptions(): Options | undefined {
  const text = { type: 'string' } as const;
  let values: ReturnType<typeof parse>;
  try {
    values = parse();
  } catch {
    return undefined;
  }
  const { seed = '1', target } = values;
  const single = whole(values.input);
  const from = single ?? whole(values.from ?? '0');
  const inputs = values.input === undefined ? whole(values.inputs ?? '1000000') : 1;
  const processes = whole(values.processes ?? String(availableParallelism()));
  if (from === undefined || inputs === undefined || !processes) return undefined;
  if (values.input !== undefined && single === undefined) return undefined;
  if (target !== undefined && !TARGETS.some(({ name }) => name === target)) return undefined;
  return { from, to: from + inputs, seed, only: target ?? null, processes };

  function parse() {
    const names = { inputs: text, seed: text, target: text, input: text, from: text };
    return parseArgs({ options: { ...names, processes: text } }).values;
  }
}

function whole(given: string | undefined): number | undefined {
  return given !== undefined && /^\d{1,9}$/.test(given) ? Number(given) : undefined;
}

async function fuzz({ from, to, seed, only, processes }: Options): Promise<number> {
  const startedAt = performance.now();
  const byTarget = Object.fromEntries(TARGETS.map(({ name }) => [name, 0]));
  const counts = { crash: 0, hang: 0, leak: 0 };
  let tried = 0;
  const onFound = ({ kind, input, target, words }: Found) => {
    counts[kind] += 1;
    if (counts.crash + counts.hang + counts.leak > MOST_SHOWN) return;
    process.stderr.write(`\n${kind} in ${target}, seed ${seed}, input ${input}\n${words}\n`);
    const narrow = only === null ? '' : ` --target ${only}`;
    const segment = input - (input % SEGMENT);
    const before = `--from ${segment} --inputs ${input - segment + 1}`;
    process.stderr.write(
      `Alone: npm run fuzz -- --seed ${seed}${narrow} --input ${input}\n` +
        `After what came before it: npm run fuzz -- --seed ${seed}${narrow} ${before}\n`,
    );
  };
  const segments = segmentsOf(from, to);
  const needed = Math.min(processes, Math.ceil(to / SEGMENT) - Math.floor(from / SEGMENT));
  const hasLua = only === null || only === 'lua';
  let redis = hasLua ? await startRedis() : null;
  const running: Promise<void>[] = [];
  for (let count = 0; count < needed; count += 1) {
    // Each with its own server, which it empties.
    if (count > 0 && redis !== null) redis = await startRedis();
    running.push(trySegments(redis));
  }
  await Promise.all(running);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const { crash: crashes, hang: hangs, leak: leaks } = counts;
  process.stdout.write(
    `${JSON.stringify({ inputs: tried, byTarget, crashes, hangs, leaks, seconds })}\n`,
  );
  return crashes + hangs + leaks > 0 ? 1 : 0;

  /** Takes segments until there are none left. */
  async function trySegments(server: string | null): Promise<void> {
    let worker = startWorker(server);
    let heap: number[] = [];
    for (const { start, end } of segments) {
      const segment = Math.floor(start / SEGMENT);
      for (let at = start; at < end; ) {
        const came = await trySegment(worker, { seed, segment, from: at, to: end, only });
        if (came.kind === 'done') {
          if (end - at === SEGMENT) heap.push(came.heapBytes);
          break;
        }
        onFound(came.found);
        judgeHeap(heap);
        heap = [];
        worker = startWorker(server);
        at = came.found.input + 1;
      }
    }
    worker.kill();
    judgeHeap(heap);
  }

  /** The heap of one process after each segment. */
  function judgeHeap(heap: readonly number[]): void {
    const growth = heapGrowth(heap);
    if (growth === null) return;
    counts.leak += 1;
    process.stderr.write(`\nleak: the heap grows: ${growth}\n`);
  }

  function trySegment(child: ChildProcess, job: Job): Promise<Came> {
    return new Promise((resolve) => {
      let silentMs = 0;
      let lookedAt = performance.now();
      let present = { input: job.from, target: only ?? '' };
      const watch = setInterval(() => {
        // A pause of the whole machine says nothing about the input.
        silentMs += Math.min(performance.now() - lookedAt, 2 * LOOK_MS);
        lookedAt = performance.now();
        if (silentMs < SILENCE_MS) return;
        end(ended('hang', `no end within ${SILENCE_MS} ms`));
        child.kill('SIGKILL');
      }, LOOK_MS);
      const ended = (kind: FindingKind, words: string): Came => ({
        kind: 'ended',
        found: { ...present, kind, words },
      });
      const onMessage = (word: Word) => {
        silentMs = 0;
        if (word.kind === 'found') onFound(word.found);
        if (word.kind === 'done') end(word);
        if (word.kind !== 'begun') return;
        present = word;
        tried += 1;
        byTarget[word.target] = (byTarget[word.target] ?? 0) + 1;
      };
      const onExit = (code: number | null, signal: string | null) =>
        end(ended('crash', `the process ended with ${code ?? signal}`));
      const end = (came: Came) => {
        clearInterval(watch);
        child.off('message', onMessage);
        child.off('exit', onExit);
        resolve(came);
      };
      child.on('message', onMessage);
      child.on('exit', onExit);
      child.send(job);
    });
  }
}

/** All of one size, so that an input shares what is opened with the same inputs in every run. */
function* segmentsOf(from: number, to: number): Generator<{ start: number; end: number }> {
  for (let start = from; start < to; ) {
    const end = Math.min(to, (Math.floor(start / SEGMENT) + 1) * SEGMENT);
    yield { start, end };
    start = end;
  }
}

type Came = Extract<Word, { kind: 'done' }> | { readonly kind: 'ended'; readonly found: Found };

function startWorker(redis: string | null): ChildProcess {
  const env = { ...process.env, ...(redis !== null && { [REDIS_VARIABLE]: redis }) };
  // With a larger young generation less is copied.
  const execArgv = ['--import', 'tsx', '--max-semi-space-size=32'];
  return fork(new URL('./worker.ts', import.meta.url), { execArgv, env });
}
