import type { Scene } from './scenes.ts';

const ANA = 'U0ANA';

/** One press, of somebody who stays, and the service's answer to its decision does not arrive. */
export const OF_LOST_ANSWERS: readonly Scene[] = [
  {
    meets: ['decision: given up after its answer was lost'],
    route: 'infra',
    wish: { lifeMs: 120_000 },
    lastsMs: 40_000,
    needsCalm: true,
    people: [ANA],
    posted: ({ approve, trouble }) => {
      trouble('cut');
      approve(ANA, 600);
    },
  },
  {
    meets: ['decision: given up after two answers were lost'],
    route: 'infra',
    wish: { lifeMs: 120_000 },
    lastsMs: 60_000,
    people: [ANA],
    posted: ({ approve, trouble }) => {
      trouble('failing');
      approve(ANA, 600);
    },
  },
];
