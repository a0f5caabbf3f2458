import process from 'node:process';
import { median } from './percentile.ts';

/** Figures of one round of one contender, by name. */
export type Sample = Readonly<Record<string, number>>;

export interface Contender {
  readonly name: string;
  readonly round: () => Promise<Sample>;
}

/** All rounds, by contender. */
export type Rounds = ReadonlyMap<string, readonly Sample[]>;

/** A comparison: `ratio` is `value` ÷ `bare`, both in `unit`. */
export interface Row {
  readonly id: string;
  readonly value: number;
  /** The value of the barest program that does the same work; null: there is none. */
  readonly bare: number | null;
  readonly ratio: number | null;
  /** (most − least) ÷ median of the value's rounds: it shows a shared machine; null: one round, or no value. */
  readonly spread: number | null;
  readonly unit: string;
}

/**
 * Runs all contenders in turn, A B A B …, so that a noisy minute affects each. Every round and the medians go to
 * standard error.
 */
export async function rounds(
  title: string,
  count: number,
  contenders: readonly Contender[],
): Promise<Rounds> {
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round < count; round += 1) {
    for (const { name, round: measure } of contenders) {
      const sample = await measure();
      samples.set(name, [...(samples.get(name) ?? []), sample]);
      note(`  round ${round + 1} · ${name} · ${line(sample)}`);
    }
  }
  note(`\n${title}; medians of ${count} rounds (least to most)`);
  for (const [name, all] of samples) {
    const figures = Object.keys(all[0] ?? {}).map((figure) =>
      spreadOf(figure, valuesOf(all, figure)),
    );
    note(`  ${name.padEnd(34)} ${figures.join(' · ')}`);
  }
  return samples;
}

/** One figure of one contender compared with one of another; without `bare`, on its own. */
export function rowOf(
  id: string,
  unit: string,
  samples: Rounds,
  ours: readonly [name: string, figure: string],
  bare?: readonly [name: string, figure: string],
): Row {
  const values = valuesOf(samples.get(ours[0]) ?? [], ours[1]);
  const value = median(values);
  const other = bare === undefined ? null : median(valuesOf(samples.get(bare[0]) ?? [], bare[1]));
  const isLone = values.length < 2 || value === 0;
  const spread = isLone ? null : (Math.max(...values) - Math.min(...values)) / value;
  return { id, value, bare: other, ratio: other === null ? null : value / other, spread, unit };
}

/** For people, in addition to the rows. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Rounded as far as it can still be compared. */
export function short(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value < 1 ? 3 : 2);
}

function valuesOf(samples: readonly Sample[], figure: string): number[] {
  return samples.map((sample) => sample[figure] ?? Number.NaN);
}

function spreadOf(figure: string, values: readonly number[]): string {
  const spread = `${short(Math.min(...values))} to ${short(Math.max(...values))}`;
  return `${figure} ${short(median(values))} (${spread})`;
}

function line(sample: Sample): string {
  return Object.entries(sample)
    .map(([figure, value]) => `${figure} ${short(value)}`)
    .join(' · ');
}
