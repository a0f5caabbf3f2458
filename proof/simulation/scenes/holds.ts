import { OF_PRESS_ORDER_WITH_HOLDS } from './press-order.ts';
import { ANA, BEN, CLEO, DANA, KEYS, type Scene } from './scene.ts';

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

/** In worlds with holds. */
export const WITH_HOLDS: readonly Scene[] = [
  ...OF_PRESS_ORDER_WITH_HOLDS,
  {
    meets: ['hold: undone by another'],
    route: 'careful',
    people: [ANA, DANA],
    posted: ({ approve }) => {
      approve(ANA, 600);
      approve(DANA, 2_500);
      approve(DANA, 12_000);
    },
    held: ({ undo, approve, chance }) => {
      undo(ANA, chance.whole(300, 6_500));
      if (chance.often(0.5)) approve(ANA, chance.whole(7_000, 20_000));
    },
  },
  {
    meets: ['hold: clocks are set forward'],
    route: 'careful',
    people: [ANA, DANA],
    posted: ({ approve }) => {
      approve(ANA, 600);
      approve(DANA, 2_500);
      approve(DANA, 12_000);
    },
    // By more than its hold.
    held: ({ clocksForward, chance }) =>
      clocksForward(chance.whole(500, 4_000), chance.whole(10_000, 30_000)),
  },
  {
    meets: ['hold: rejected by another'],
    route: 'paused',
    // A reject that is not looked at would wait for that long.
    wish: { lifeMs: 200_000 },
    people: [ANA, DANA],
    posted: ({ approve }) => {
      approve(ANA, 800);
      approve(ANA, 9_000);
    },
    held: ({ reject, chance }) => reject(DANA, chance.whole(300, 17_000)),
  },
  {
    meets: ['hold: undone'],
    route: 'paused',
    people: [ANA],
    posted: ({ approve }) => {
      approve(ANA, 800);
      approve(ANA, 9_000);
    },
    held: ({ undo, approve, chance }) => {
      undo(ANA, chance.whole(300, 18_000));
      approve(ANA, 21_000);
    },
  },
  {
    meets: ['hold: whoever approved leaves meanwhile'],
    // Where rules change, everybody is authorized again for that reason, too.
    route: 'ladder',
    wish: { lifeMs: 60_000 },
    people: [CLEO],
    lastsMs: 30_000,
    posted: ({ approve }) => {
      approve(CLEO, 800);
      approve(CLEO, 9_000);
    },
    // She is away until some seconds after its end.
    held: ({ leavesService, leftMs, chance }) =>
      leavesService(CLEO, Math.max(300, leftMs - chance.whole(1_500, 7_000))),
  },
  {
    meets: ['hold: escalated meanwhile', 'needs: filled by somebody it was escalated to'],
    // The escalation comes 20 s after the request.
    route: 'ladder',
    wish: { lifeMs: 90_000, need: KEYS },
    people: [BEN, DANA],
    posted: ({ approve, chance }) => {
      if (chance.often(0.5)) {
        approve(DANA, 26_000);
        approve(DANA, 32_000);
        return;
      }
      approve(BEN, chance.whole(2_000, 8_000));
      approve(BEN, chance.whole(11_000, 17_000));
    },
    held: ({ reject, approve, chance }) =>
      (chance.often(0.5) ? reject : approve)(DANA, chance.whole(8_000, 19_000)),
  },
  {
    meets: ['hold: ends at the deadline'],
    // Its hold would end after its deadline.
    route: 'paused',
    wish: { lifeMs: 16_000 },
    people: [ANA],
    posted: ({ approve, chance }) => approve(ANA, chance.whole(400, 5_000)),
  },
  {
    meets: [
      'self-approval: told',
      'self-approval: told late',
      'self-approval: reviewed',
      'self-approval: reviewed by the requester',
    ],
    route: 'night',
    wish: { isOwn: true, askedBy: BEN, lifeMs: 90_000 },
    lastsMs: 30_000,
    people: [ANA, BEN],
    posted: ({ approve, untold }) => {
      // Until it is posted nothing may go ahead.
      untold();
      approve(BEN, 800);
      approve(BEN, 12_000);
    },
    reviewable: ({ review, chance }) => {
      review(BEN, chance.whole(500, 3_000));
      // A guest.
      review('U0GUS', 3_500);
      review(ANA, chance.whole(4_000, 9_000));
    },
  },
  {
    meets: ['self-approval: nobody else to tell'],
    route: 'alone',
    wish: { isOwn: true, askedBy: CLEO, lifeMs: 60_000 },
    people: [CLEO],
    posted: ({ approve }) => {
      approve(CLEO, 800);
      approve(CLEO, 12_000);
    },
  },
  {
    meets: ['requester: the only one who could decide'],
    route: 'alone',
    // The intake does not know whose address it is.
    wish: { isOwn: false, askedBy: 'CLEO@example.com', lifeMs: 60_000, isCalledBack: true },
    people: [CLEO],
  },
  {
    meets: ['closed: an approval not sent'],
    // Few other scenes wait for this route.
    route: 'ladder',
    wish: { lifeMs: 120_000 },
    // One of them is enough.
    people: [BEN, CLEO],
    posted: ({ approve }) => {
      approve(BEN, 800);
      approve(CLEO, 850);
      approve(BEN, 9_000);
    },
    held: ({ closes, chance }) => closes(chance.whole(200, 4_000)),
  },
  {
    meets: ['closed: more approvals than needed, and none sent'],
    route: 'careful',
    wish: { lifeMs: 120_000 },
    lastsMs: 25_000,
    people: [ANA, BEN, DANA],
    posted: ({ approve }) => {
      approve(ANA, 600);
      approve(BEN, 900);
    },
    held: ({ approve, closes, chance }) => {
      approve(DANA, 200);
      closes(chance.whole(1_000, 3_000));
    },
  },
  ...HOLDS_THAT_END_LATE,
];
