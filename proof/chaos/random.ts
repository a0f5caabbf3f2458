/**
 * Random numbers from a seed. What the processes do with them differs from run to run: only the disturbances repeat.
 */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  chance(share: number): boolean;
  /** A whole number, including both ends. */
  between(least: number, most: number): number;
  pick<Each>(all: readonly [Each, ...Each[]]): Each;
  shuffle<Each>(all: readonly Each[]): Each[];
}

/** mulberry32 */
export function seededRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number =>
    least + Math.floor(next() * (most - least + 1));
  return {
    next,
    chance: (share) => next() < share,
    between,
    pick: (all) => all[between(0, all.length - 1)] ?? all[0],
    shuffle: (all) =>
      all
        .map((each) => [next(), each] as const)
        .toSorted(([one], [other]) => one - other)
        .map(([, each]) => each),
  };
}
