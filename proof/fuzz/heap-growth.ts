/** Until then code is compiled and caches fill. */
const WARM_UP = 5;
/** Fewer are not enough for a conclusion. */
const LEAST_SEGMENTS = 12;
const MOST_GROWTH_BYTES = 16 * 1024 * 1024;

/**
 * Takes the heap after each segment. Says how it grows, if the second half of a run uses much more than the first;
 * null: it does not. It compares medians, because a single measurement may be unlucky.
 */
export function heapGrowth(heapBytes: readonly number[]): string | null {
  const warm = heapBytes.slice(WARM_UP);
  if (warm.length < LEAST_SEGMENTS) return null;
  const third = Math.floor(warm.length / 3);
  const [first, middle, last] = [0, 1, 2].map((part) =>
    medianOf(warm.slice(part * third, (part + 1) * third)),
  );
  if (first === undefined || middle === undefined || last === undefined) return null;
  // A single growth step is not a leak.
  const grows =
    last - first > MOST_GROWTH_BYTES && middle > first && last > middle + MOST_GROWTH_BYTES / 4;
  return grows
    ? `${[first, middle, last].map((bytes) => Math.round(bytes / 1024)).join(' → ')} KiB`
    : null;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
