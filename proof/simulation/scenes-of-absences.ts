import type { Scene } from './scenes.ts';

const [ANA, BEN, CLEO, DANA] = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA'] as const;

/** Somebody read that their approval counts, and more are needed. */
export const COUNTS = /^Your approval of [^\n]* counts: /;
/** A person who has left cannot count for longer than that, and is soon back. */
export const GONE_MS = 20_500;

/** Something about an absence changes while a request waits. */
export const ABSENCES_THAT_CHANGE: readonly Scene[] = [
  {
    meets: ['absence: begins while a message asks them'],
    // Nobody else is asked later, nor is anybody reminded.
    route: 'loan',
    wish: { lifeMs: 80_000 },
    people: [DANA],
    lastsMs: 50_000,
    present: [DANA],
    posted: ({ names }) => names(DANA, '', 200),
  },
  {
    meets: ['substitute: declined'],
    // The same.
    route: 'loan',
    wish: { lifeMs: 120_000 },
    people: [ANA, CLEO],
    lastsMs: 45_000,
    present: [ANA],
    posted: ({ names, declines, approve }) => {
      // Until then, a process may go on with what it was about to do before she declined.
      const declined = () => {
        approve(ANA, 16_000);
        approve(ANA, 24_000);
      };
      names(CLEO, ANA, 200, () => declines(ANA, CLEO, declined));
    },
  },
  {
    meets: ['substitute: of somebody who left since'],
    // Two have to approve.
    route: 'watch',
    wish: { lifeMs: 120_000 },
    people: [ANA, BEN, DANA],
    lastsMs: 45_000,
    needsCalm: true,
    present: [ANA],
    posted: ({ names, approveFor }) =>
      names(BEN, ANA, 200, () => {
        approveFor(BEN, 500);
        approveFor(BEN, 5_000);
      }),
    told: ({ leavesService, approve }, person, text) => {
      if (person !== ANA || !COUNTS.test(text)) return;
      leavesService(BEN, 300);
      approve(DANA, GONE_MS);
    },
  },
];
