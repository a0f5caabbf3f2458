import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Chance } from '../simulation/chance.ts';
import { Finding, type FindingKind, type OpenTarget, type Target } from './target.ts';
import { TARGETS } from './targets.ts';

/** A process that tries one segment of inputs after the other. Its output shows the parent where it hangs. */

/** Inputs `from` up to `to`, which share what their targets open. */
export interface Job {
  readonly seed: string;
  readonly segment: number;
  readonly from: number;
  readonly to: number;
  /** The name of the only target; null: all of them. */
  readonly only: string | null;
}

export type Word =
  | { readonly kind: 'begun'; readonly input: number; readonly target: string }
  | { readonly kind: 'found'; readonly found: Found }
  /** `heapBytes`: the heap after everything is closed. */
  | { readonly kind: 'done'; readonly heapBytes: number };

export interface Found {
  readonly input: number;
  readonly target: string;
  readonly kind: FindingKind;
  readonly words: string;
}

/** An input usually takes a thousandth of it. The machine may be busy. */
const HANG_CPU_MS = 1_000;

setFlagsFromString('--expose-gc');
// as: the flag adds it
const collectGarbage = runInNewContext('gc') as () => void;

let present = { input: -1, target: '' };

const say = (word: Word) => process.send?.(word);
const sayFound = (kind: FindingKind, words: string) =>
  say({ kind: 'found', found: { ...present, kind, words } });

for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => sayFound('crash', `${event}: ${wordsOf(error)}`));
}
process.on('disconnect', () => process.exit());
process.on('message', (job: Job) => void runSegment(job));

async function runSegment({ seed, segment, from, to, only }: Job): Promise<void> {
  const opened = new Map<string, OpenTarget | null>();
  const open = async (target: Target): Promise<OpenTarget | null> => {
    const known = opened.get(target.name);
    if (known !== undefined) return known;
    const made = await target.open(new Chance(`${seed}/${target.name}/${segment}`));
    opened.set(target.name, made);
    return made;
  };
  for (let input = from; input < to; input += 1) {
    const chance = new Chance(`${seed}/${input}`);
    const target = drawn(chance, only);
    present = { input, target: target.name };
    await attempt(async () => {
      const there = await open(target);
      if (there === null) return;
      say({ kind: 'begun', ...present });
      const before = process.cpuUsage();
      await there.run(chance);
      const { user, system } = process.cpuUsage(before);
      const tookMs = (user + system) / 1_000;
      if (tookMs > HANG_CPU_MS) throw new Finding('hang', `took ${Math.round(tookMs)} ms`);
    });
  }
  for (const each of opened.values()) await attempt(async () => each?.close());
  opened.clear();
  // Abandoned work is released in a later turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  say({ kind: 'done', heapBytes: heapUsed + external });
}

async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    sayFound(error instanceof Finding ? error.kind : 'crash', wordsOf(error));
  }
}

function drawn(chance: Chance, only: string | null): Target {
  const targets = TARGETS.filter(({ name }) => only === null || name === only);
  const sum = targets.reduce((all, { weight }) => all + weight, 0);
  let left = chance.fraction() * sum;
  const target = targets.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  if (target === undefined) throw new Error(`There is no target ${only}`);
  return target;
}

function wordsOf(error: unknown): string {
  if (error instanceof Finding) return error.message;
  return error instanceof Error ? `${error.stack}` : String(error);
}
