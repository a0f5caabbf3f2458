import { ANA, BEN, CLEO, DANA, type Scene } from './scene.ts';

/** Decisions that the service does not take, or takes late. */
export const OF_FAILURES: readonly Scene[] = [
  {
    meets: ['quorum: counted again before it is sent'],
    // No form asks for a reason there. Without Dana there are too few.
    route: 'release',
    wish: { lifeMs: 120_000 },
    people: [DANA, BEN, ANA],
    lastsMs: 30_000,
    posted: ({ approve, trouble, leavesService }) => {
      trouble('unreached', () => leavesService(DANA, 200));
      approve(DANA, 600);
      approve(BEN, 1_000);
      approve(ANA, 2_500);
    },
  },
  {
    meets: ['reviewers: gone before their decision is sent again'],
    // The service would accept it.
    route: 'managers',
    wish: { lifeMs: 90_000 },
    people: [CLEO],
    lastsMs: 25_000,
    posted: ({ approve, trouble, becomesGuest }) => {
      trouble('unreached', () => becomesGuest(CLEO, 200));
      approve(CLEO, 600);
    },
  },
  {
    meets: ['withdrawal: while its decision is sent again'],
    route: 'managers',
    wish: { lifeMs: 90_000 },
    people: [ANA],
    posted: ({ approve, trouble, withdraw, chance }) => {
      trouble('unreached', () => withdraw(chance.whole(100, 2_500)));
      approve(ANA, 600);
    },
  },
  {
    meets: ['press order: taken back while it is being sent'],
    route: 'both',
    wish: { lifeMs: 90_000 },
    people: [DANA, ANA],
    posted: ({ approve, takeBack, trouble, chance }) => {
      const isCarriedOut = chance.often(0.6);
      trouble(isCarriedOut ? 'unheard' : 'unreachedBriefly', () =>
        takeBack(DANA, chance.whole(500, 2_000)),
      );
      approve(DANA, 600);
      approve(ANA, 3_000);
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

/** Two reject, and the first reject may have been carried out. */
export const OF_REJECTS: readonly Scene[] = [
  {
    meets: ['reviewers: rejected what may be rejected already'],
    // A reject needs a reason there.
    route: 'infra',
    wish: { lifeMs: 120_000 },
    lastsMs: 30_000,
    people: [ANA, DANA],
    posted: ({ reject, trouble }) => {
      trouble('garbled');
      reject(ANA, 600);
      reject(DANA, 900);
    },
  },
];
