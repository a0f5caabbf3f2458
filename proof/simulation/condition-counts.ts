/**
 * How often each condition of the instrumented files was passed, in this process. Which number is which condition, and
 * what calls this, is in `conditions.ts`. Each function gives its value back as it is.
 */

/** More conditions than there will be. */
export const MOST_CONDITIONS = 4_096;

/** Of each condition two: how often it was true, how often false. */
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

/** As `switch` reads it; the cases have the numbers from `first` on. */
export function countCases<T>(first: number, cases: readonly unknown[], value: T): T {
  for (const [at, each] of cases.entries()) count(first + at, each === value);
  return value;
}

function count(number: number, isTrue: boolean): void {
  counts[2 * number + (isTrue ? 0 : 1)] = (counts[2 * number + (isTrue ? 0 : 1)] ?? 0) + 1;
}

/** What was counted since the last time: of each condition two. Empty where nothing is instrumented. */
export function takeCounts(): number[] {
  const taken = Array.from(counts.subarray(0, counts.findLastIndex((each) => each > 0) + 1));
  counts.fill(0);
  return taken;
}
