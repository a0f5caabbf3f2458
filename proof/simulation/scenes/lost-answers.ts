import { ANA, DANA, type Scene } from './scene.ts';

/** When Dana looks at what waits for her: it is in doubt for longer. */
const LOOKED_MS = [5_000, 8_000, 11_000];

/** One press, of somebody who stays, and the service's answer to its decision does not arrive. */
export const OF_LOST_ANSWERS: readonly Scene[] = [
  {
    meets: ['decision: given up after its answer was lost'],
    route: 'infra',
    wish: { lifeMs: 120_000 },
    lastsMs: 40_000,
    needsCalm: true,
    people: [ANA],
    posted: ({ approve, trouble, opensHome }) => {
      trouble('cut');
      approve(ANA, 600);
      for (const atMs of LOOKED_MS) opensHome(DANA, atMs);
    },
  },
  {
    meets: [
      'decision: given up after two answers were lost',
      'Home tab: published while a decision is in doubt',
    ],
    route: 'infra',
    wish: { lifeMs: 120_000 },
    lastsMs: 60_000,
    people: [ANA],
    posted: ({ approve, trouble, opensHome }) => {
      trouble('failing');
      approve(ANA, 600);
      for (const atMs of LOOKED_MS) opensHome(DANA, atMs);
    },
  },
];
