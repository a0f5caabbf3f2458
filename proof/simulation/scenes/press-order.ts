import { SECOND } from '../settings.ts';
import { ANA, DANA, type Scene } from './scene.ts';

/** How long a press is on its way, and when the next one is made: only the second of a form is known. */
const LATE_MS = 1_400;
const NEXT_MS = 1_100;
/** From then on, a message is changed as soon as somebody approves. */
const CHANGED_MS = 3_500;

/** Presses that arrive in another order than they were made, in any world. */
export const OF_PRESS_ORDER: readonly Scene[] = [
  {
    meets: ['press order: before a newer one of the same person'],
    // One approval is not enough there.
    route: 'release',
    wish: { lifeMs: 40_000 },
    people: [ANA],
    posted: ({ rejectLate, approve }) => {
      rejectLate(ANA, 600, LATE_MS);
      approve(ANA, 600 + NEXT_MS);
    },
  },
];

/** The same where nothing is held. */
export const OF_PRESS_ORDER_WITHOUT_HOLDS: readonly Scene[] = [
  {
    meets: ['press order: on a deleted message, before the next one is there'],
    // Two approvals are not enough there. Its automation hears if it is not posted again.
    route: 'release',
    wish: { lifeMs: 90_000, isCalledBack: true },
    needsCalm: true,
    people: [DANA, ANA],
    posted: ({ approve, approveLate, deleted }) => {
      approve(DANA, CHANGED_MS);
      approveLate(ANA, CHANGED_MS + 10, LATE_MS);
      deleted(CHANGED_MS + 20);
    },
  },
];

/**
 * The same, and other presses at the wrong moment, where approvals are held or requesters approve their own gates. While
 * one is held its message has no Approve: Dana presses before it is shown.
 */
export const OF_PRESS_ORDER_WITH_HOLDS: readonly Scene[] = [
  {
    meets: ['press order: before somebody else undid it'],
    route: 'paused',
    wish: { lifeMs: 60_000 },
    people: [ANA, DANA],
    posted: ({ approve, approveLate }) => {
      approve(ANA, 800);
      // Slack waits for 3 s until she would press again.
      approveLate(DANA, 850, 2_500);
    },
    held: ({ undo }) => undo(ANA, 100),
  },
  {
    meets: ['press order: undone before it was looked at'],
    route: 'paused',
    wish: { lifeMs: 60_000 },
    people: [ANA, DANA],
    posted: ({ approve, approveLate, undo }) => {
      approve(ANA, 800);
      approveLate(DANA, 850, 2_100);
      undo(DANA, 3_000);
    },
  },
  {
    meets: ['press order: undone when it was over'],
    route: 'careful',
    wish: { lifeMs: 60_000 },
    people: [ANA, DANA],
    posted: ({ approve }) => {
      approve(ANA, 800);
      approve(DANA, 2_000);
    },
    held: ({ undoAtLast }) => undoAtLast(DANA),
  },
  {
    meets: ['self-approval: pressed without a reason'],
    route: 'night',
    wish: { isOwn: true, askedBy: 'U0CLEO', lifeMs: 40_000 },
    // Only once she has pressed it is known that her second account is hers.
    people: [SECOND],
    posted: ({ approve }) => approve(SECOND, 800),
  },
];
