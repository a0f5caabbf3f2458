import type { Scene } from './scenes.ts';

const DANA = 'U0DANA';

/** One press, and the service's answer to its decision does not arrive. */
export const OF_LOST_ANSWERS: readonly Scene[] = [
  {
    meets: ['decision: given up after its answer was lost'],
    route: 'infra',
    wish: { lifeMs: 120_000 },
    lastsMs: 45_000,
    people: [DANA],
    posted: ({ approve, trouble }) => {
      trouble('cut');
      approve(DANA, 600);
    },
  },
  {
    meets: ['decision: given up after two answers were lost'],
    route: 'infra',
    wish: { lifeMs: 120_000 },
    lastsMs: 60_000,
    people: [DANA],
    posted: ({ approve, trouble }) => {
      trouble('failing');
      approve(DANA, 600);
    },
  },
];
