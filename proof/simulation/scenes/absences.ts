import { ANA, BEN, CLEO, DANA, KEYS, type Scene } from './scene.ts';

/** Somebody read that their approval counts, and more are needed. */
export const COUNTS = /^Your approval of [^\n]* counts: /;
/** A person who has left cannot count for longer than that, and is soon back. */
export const GONE_MS = 20_500;
/** Whoever is back by then cannot count in any way, even if another process had to store it. */
const BACK_MS = 33_000;

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
  {
    meets: ['substitute: of somebody back since'],
    // The same, and nobody else decides before it is escalated.
    route: 'watch',
    wish: { lifeMs: 120_000 },
    people: [ANA, BEN, DANA],
    lastsMs: 60_000,
    needsCalm: true,
    present: [ANA],
    posted: ({ names, approveFor }) =>
      names(BEN, ANA, 200, () => {
        approveFor(BEN, 500);
        approveFor(BEN, 5_000);
      }),
    told: ({ comesBack, approve }, person, text) => {
      if (person === ANA && COUNTS.test(text)) comesBack(BEN, 300, () => approve(DANA, BACK_MS));
    },
  },
];

/** When a substitute tries, once they are named. */
const NAMED_MS = [500, 6_000, 12_000];
/** Naming one takes some tries. */
const NAMING_MS = 30_000;

/** In worlds in which people are away. */
export const WITH_ABSENCES: readonly Scene[] = [
  ...ABSENCES_THAT_CHANGE,
  {
    meets: ['substitute: is a guest', 'substitute: could fill a place of their own'],
    route: 'loan',
    wish: { lifeMs: 90_000, need: KEYS },
    people: [BEN, DANA],
    lastsMs: NAMING_MS,
    present: [BEN],
    posted: ({ names, becomesGuest, approve }) =>
      names(DANA, BEN, 200, () => {
        approve(BEN, 300);
        becomesGuest(BEN, 5_000);
        approve(BEN, 7_500);
        approve(BEN, 13_000);
      }),
  },
  {
    meets: ['substitute: is a guest where guests can decide'],
    // By the time they press first. With a place that they cannot fill it is not decided at once.
    route: 'loan',
    wish: { lifeMs: 60_000, need: KEYS },
    people: [BEN, DANA],
    lastsMs: NAMING_MS,
    present: [BEN],
    posted: ({ names, becomesGuest, approve }) =>
      names(DANA, BEN, 200, () => {
        becomesGuest(BEN, 100);
        approve(BEN, 1_500);
        approve(BEN, 6_000);
      }),
  },
  {
    meets: ['substitute: of somebody who is back'],
    route: 'relay',
    wish: { lifeMs: 120_000 },
    people: [ANA, CLEO],
    lastsMs: NAMING_MS,
    present: [ANA],
    // Whoever gave their place comes back: see `Absentees`.
    posted: ({ names, approveFor }) =>
      names(CLEO, ANA, 200, () => {
        for (const atMs of NAMED_MS) approveFor(CLEO, atMs);
      }),
  },
  {
    meets: ['substitute: of whoever asked'],
    // She may approve her own requests there.
    route: 'shop',
    wish: { askedBy: CLEO, lifeMs: 90_000 },
    people: [ANA, CLEO],
    lastsMs: NAMING_MS,
    present: [ANA],
    posted: ({ names, approve }) =>
      names(CLEO, ANA, 200, () => {
        approve(ANA, 300);
        approve(ANA, 7_000);
      }),
  },
  {
    meets: ['substitute: of two people'],
    route: 'pair',
    wish: { lifeMs: 120_000 },
    people: [ANA, BEN, CLEO],
    lastsMs: NAMING_MS,
    present: [ANA],
    posted: ({ names, approveFor }) => {
      const bothNamed = () => {
        for (const atMs of NAMED_MS) approveFor(BEN, atMs);
      };
      names(CLEO, ANA, 200, () => names(BEN, ANA, 0, bothNamed));
    },
  },
  {
    meets: ['substitute: of somebody who voted'],
    // Whoever votes after their substitute is still one vote, and then needs no substitute.
    route: 'watch',
    wish: { lifeMs: 120_000 },
    people: [ANA, BEN],
    lastsMs: NAMING_MS,
    present: [ANA, BEN],
    posted: ({ names, approve, approveFor, chance }) => {
      const isFirst = chance.often(0.15);
      if (isFirst) approve(BEN, 400);
      names(BEN, ANA, isFirst ? 3_000 : 200, () => {
        for (const atMs of NAMED_MS) approveFor(BEN, atMs);
      });
    },
    told: ({ approve }, person, text) => {
      if (person === ANA && COUNTS.test(text)) approve(BEN, 300);
    },
  },
  {
    meets: ['substitute: cannot decide anything'],
    route: 'pair',
    wish: { lifeMs: 90_000 },
    people: [CLEO, DANA],
    lastsMs: NAMING_MS,
    present: [DANA],
    posted: ({ names, leavesService, approve }) =>
      names(CLEO, DANA, 200, () => {
        leavesService(DANA, 300);
        approve(DANA, 2_500);
        approve(DANA, 8_000);
      }),
  },
  {
    meets: ['substitute: of somebody who cannot'],
    route: 'pair',
    wish: { lifeMs: 90_000 },
    people: [BEN, DANA],
    lastsMs: NAMING_MS,
    present: [DANA],
    posted: ({ names, leavesService, approve }) =>
      names(BEN, DANA, 200, () => {
        leavesService(BEN, 300);
        approve(DANA, 2_500);
        approve(DANA, 8_000);
      }),
  },
  {
    meets: ['escalation: because too few are left'],
    route: 'pair',
    wish: { lifeMs: 120_000 },
    people: [BEN, CLEO],
    present: [BEN, CLEO],
    leave: [BEN, CLEO],
  },
];
