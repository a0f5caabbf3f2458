import { ANA, DANA, type Scene } from './scene.ts';

/** With several processes. */
export const OF_PROCESSES: readonly Scene[] = [
  {
    meets: ['message: changed by a process that stood still'],
    // One approval is not enough there. A message that says so is not made shorter later.
    route: 'release',
    wish: { lifeMs: 120_000 },
    lastsMs: 60_000,
    needsCalm: true,
    people: [ANA],
    posted: ({ approve, heldUpdate, withdraw }) => {
      heldUpdate();
      approve(ANA, 600);
      withdraw(12_000);
    },
  },
  {
    meets: ['newer request: posted before an older one looks for others'],
    route: 'infra',
    // Both are of one automation.
    wish: { supersedes: 'late look', isCalledBack: true, isOwn: false, lifeMs: 120_000 },
    lastsMs: 45_000,
    needsCalm: true,
    people: [],
    posted: ({ heldLook, askAgain }) => {
      heldLook();
      askAgain(500);
    },
  },
  {
    meets: ['decision: an earlier refusal read while it is in doubt'],
    route: 'managers',
    wish: { lifeMs: 120_000 },
    lastsMs: 50_000,
    needsCalm: true,
    people: [ANA],
    posted: ({ approve, trouble }) => {
      trouble('twice');
      approve(ANA, 600);
    },
  },
  {
    meets: ['withdrawal: before a refusal is read'],
    route: 'managers',
    wish: { lifeMs: 120_000 },
    lastsMs: 45_000,
    needsCalm: true,
    people: [ANA],
    posted: ({ approve, withdrawnWhileStill }) => {
      withdrawnWhileStill();
      approve(ANA, 600);
      approve(ANA, 4_000);
    },
  },
];

const HELD_BY_TWO = {
  meets: ['hold: its process stands still, and goes on after another'],
  lastsMs: 45_000,
  needsCalm: true,
  // A press meanwhile would be one more thing to do for whoever takes over.
  held: ({ heldWait }) => heldWait(),
} as const satisfies Partial<Scene>;

/** With several processes, and holds. */
export const OF_PROCESSES_WITH_HOLDS: readonly Scene[] = [
  {
    ...HELD_BY_TWO,
    route: 'careful',
    wish: { lifeMs: 120_000 },
    people: [ANA, DANA],
    posted: ({ approve }) => {
      approve(ANA, 600);
      approve(DANA, 1_500);
    },
  },
];

/** With several processes, where people are away. Some seeds have holds only with one process. */
export const OF_PROCESSES_WITH_ABSENCES: readonly Scene[] = [
  {
    ...HELD_BY_TWO,
    route: 'relay',
    wish: { lifeMs: 120_000 },
    people: [DANA],
    present: [DANA],
    posted: ({ approve }) => approve(DANA, 600),
  },
];

/** Where the store goes back. */
export const OF_LAPSES: readonly Scene[] = [
  {
    meets: ['own gate: its decision is forgotten'],
    route: 'managers',
    // Nobody presses again: only its message says how it ended, until it would time out.
    wish: { isOwn: true, lifeMs: 45_000 },
    needsCalm: true,
    people: [ANA],
    posted: ({ approve, forgotten }) => {
      forgotten(1_900);
      approve(ANA, 2_000);
    },
  },
  {
    meets: ['decision: forgotten, and shown'],
    route: 'managers',
    wish: { isOwn: false, lifeMs: 120_000 },
    needsCalm: true,
    people: [ANA],
    posted: ({ approve, forgotten }) => {
      forgotten(1_900);
      approve(ANA, 2_000);
    },
  },
  {
    meets: ['decision: its end is forgotten, and shown'],
    route: 'managers',
    wish: { isOwn: false, lifeMs: 120_000 },
    needsCalm: true,
    people: [ANA],
    posted: ({ approve, forgottenSinceSent }) => {
      forgottenSinceSent();
      approve(ANA, 600);
    },
  },
];
