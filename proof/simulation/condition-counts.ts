/**
 * How often each condition of the instrumented files was evaluated, in this process. `conditions.ts` inserts the calls
 * and knows which number is which condition. Each function returns its value unchanged.
 */

/** More conditions than there will be. */
export const MOST_CONDITIONS = 4_096;

/** Two per condition: how often it was true, how often false. */
const counts = new Uint32Array(2 * MOST_CONDITIONS);

/** As `if` and `&&` read it. */
export function countTruth<T>(number: number, value: T): T {
  count(number, Boolean(value));
  return value;
}

/** As `??` and `?.` read it. */
export function countPresence<T>(number: number, value: T): T {
  count(number, value !== undefined && value !== null);
  return value;
}

/** As `switch` reads it; the cases are numbered from `first` on. */
export function countCases<T>(first: number, cases: readonly unknown[], value: T): T {
  for (const [at, each] of cases.entries()) count(first + at, each === value);
  return value;
}

function count(number: number, isTrue: boolean): void {
  counts[2 * number + (isTrue ? 0 : 1)] = (counts[2 * number + (isTrue ? 0 : 1)] ?? 0) + 1;
}

/** The counts since the last call: two per condition. Empty if nothing is instrumented. */
export function takeCounts(): number[] {
  const taken = Array.from(counts.subarray(0, counts.findLastIndex((each) => each > 0) + 1));
  counts.fill(0);
  return taken;
}
