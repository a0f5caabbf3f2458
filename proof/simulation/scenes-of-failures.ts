import type { Scene } from './scenes.ts';

const [ANA, BEN, DANA] = ['U0ANA', 'U0BEN', 'U0DANA'] as const;

/** Decisions that the service does not take, or takes late. */
export const OF_FAILURES: readonly Scene[] = [
  {
    meets: ['quorum: counted again before it is sent'],
    // No form asks for a reason there. Without Dana there are too few.
    route: 'release',
    wish: { lifeMs: 120_000 },
    people: [DANA, BEN, ANA],
    lastsMs: 20_000,
    needsCalm: true,
    posted: ({ approve, trouble, leavesService }) => {
      trouble('unreached');
      approve(DANA, 600);
      approve(BEN, 1_000);
      approve(ANA, 2_500);
      leavesService(DANA, 5_000);
    },
  },
  {
    meets: ['decision: refused, and told those who approved'],
    route: 'both',
    wish: { lifeMs: 90_000 },
    people: [ANA, DANA],
    posted: ({ approve, trouble }) => {
      trouble('forbidden');
      approve(DANA, 600);
      approve(ANA, 3_000);
    },
  },
  {
    meets: ['message: said late that a decision is sent'],
    route: 'infra',
    wish: { isShort: true, lifeMs: 90_000 },
    people: [DANA],
    posted: ({ approve, trouble }) => {
      trouble('shownLate');
      approve(DANA, 600);
    },
  },
  {
    meets: ['answers: two to one person at once'],
    route: 'release',
    wish: { lifeMs: 90_000 },
    people: [ANA],
    posted: ({ approve, reject, unread, decidedElsewhere }) => {
      unread();
      reject(ANA, 600);
      approve(ANA, 700);
      decidedElsewhere(3_500);
    },
  },
];
