/**
 * The candidate that `word` is probably meant to be: a typo, or the beginning of only that one; undefined when none is
 * close. Ignores case.
 */
export function closest<Candidate extends string>(
  word: string,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const near = candidates
    // Their distance is at least the difference of their lengths, which takes no time to compare.
    .filter((candidate) => Math.abs(word.length - candidate.length) <= mostTypos(candidate))
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .filter(({ candidate, distance }) => distance <= mostTypos(candidate))
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.candidate ?? begunWith(word, candidates);
}

function mostTypos(candidate: string): number {
  return Math.max(1, Math.floor(candidate.length / 3));
}

const BEGINNING_MIN = 3;

function begunWith<Candidate extends string>(
  word: string,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const begun = word.toLowerCase();
  if (begun.length < BEGINNING_MIN) return undefined;
  const found = candidates.filter((candidate) => candidate.toLowerCase().startsWith(begun));
  return found.length === 1 ? found[0] : undefined;
}

/** The number of letters to add, remove, change or swap with their neighbour. */
function distanceOf(left: string, right: string): number {
  const [a, b] = [left.toLowerCase(), right.toLowerCase()];
  let [beforeLast, last]: [number[], number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, column) => column),
  ];
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

function at(numbers: readonly number[], index: number): number {
  return numbers[index] ?? Number.POSITIVE_INFINITY;
}
