import process from 'node:process';
import { median } from './percentile.ts';

/** Figures of one round of one contender, by name. */
export type Sample = Readonly<Record<string, number>>;

export interface Contender {
  readonly name: string;
  readonly round: () => Promise<Sample>;
}

/** Medians of the rounds, by contender. */
export type Medians = Readonly<Record<string, Sample>>;

/** Lets all contenders take turns, A B A B …, so that a noisy minute hits each, and prints the medians. */
export async function rounds(
  title: string,
  count: number,
  contenders: readonly Contender[],
): Promise<Medians> {
  const samples = new Map<string, Sample[]>();
  for (let round = 0; round < count; round += 1) {
    for (const { name, round: measure } of contenders) {
      const sample = await measure();
      samples.set(name, [...(samples.get(name) ?? []), sample]);
      process.stderr.write(`  round ${round + 1} · ${name} · ${line(sample)}\n`);
    }
  }
  const medians = Object.fromEntries([...samples].map(([name, all]) => [name, medianOf(all)]));
  print(title, count, samples, medians);
  return medians;
}

function medianOf(samples: readonly Sample[]): Sample {
  const names = Object.keys(samples[0] ?? {});
  return Object.fromEntries(
    names.map((name) => [name, median(samples.map((sample) => sample[name] ?? Number.NaN))]),
  );
}

/** A line of one figure against another: `ratio('intake', a, b, 0.6)`. */
export function printRatio(what: string, ours: number, theirs: number, target?: number): void {
  const wanted = target === undefined ? '' : `   (wanted: ${target})`;
  console.log(`  ratio ${what}: ${(ours / theirs).toFixed(2)}${wanted}`);
}

function print(
  title: string,
  count: number,
  samples: ReadonlyMap<string, readonly Sample[]>,
  medians: Medians,
): void {
  console.log(`\n${title}; medians of ${count} rounds (least to most)`);
  for (const [name, all] of samples) {
    const figures = Object.entries(medians[name] ?? {}).map(([figure, value]) => {
      const values = all.map((sample) => sample[figure] ?? Number.NaN);
      const spread = `${short(Math.min(...values))} to ${short(Math.max(...values))}`;
      return `${figure} ${short(value)} (${spread})`;
    });
    console.log(`  ${name.padEnd(34)} ${figures.join(' · ')}`);
  }
}

function line(sample: Sample): string {
  return Object.entries(sample)
    .map(([figure, value]) => `${figure} ${short(value)}`)
    .join(' · ');
}

function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
