import type { Scene } from './scenes.ts';

const [ANA, DANA] = ['U0ANA', 'U0DANA'] as const;

/** How long after the end of a hold the objection may be checked. */
const CHECKED_MS = 13_000;

/** Something is away as a hold ends: the store, or what the service says of somebody who objects. */
export const HOLDS_THAT_END_LATE: readonly Scene[] = [
  {
    meets: ['hold: over while the store is away'],
    // Its hold is longer than it takes until another process goes on.
    route: 'paused',
    wish: { lifeMs: 120_000 },
    people: [ANA],
    lastsMs: 42_000,
    posted: ({ approve }) => {
      approve(ANA, 800);
      approve(ANA, 9_000);
    },
    held: ({ restOfFaults, storeAway, leftMs, chance }) => {
      // Another fault may delay its message, or the process that goes on.
      restOfFaults(leftMs + CHECKED_MS + 10_000);
      // For so long that one goes on soon after.
      storeAway(leftMs - 1_500, chance.whole(15_500, 17_500));
    },
  },
  {
    meets: ['hold: rejected, and checked after its end'],
    route: 'paused',
    wish: { lifeMs: 90_000 },
    people: [ANA, DANA],
    lastsMs: 30_000,
    needsCalm: true,
    posted: ({ approve }) => {
      approve(ANA, 800);
      approve(ANA, 9_000);
    },
    held: ({ restOfFaults, reject, accountHidden, leftMs }) => {
      restOfFaults(leftMs + CHECKED_MS);
      const atMs = leftMs - 6_500;
      reject(DANA, atMs);
      // Steps that look for it delay the end of the hold.
      accountHidden(DANA, atMs, 17_000);
    },
  },
];
