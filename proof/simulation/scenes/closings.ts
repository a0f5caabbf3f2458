import type { Scene } from './scene.ts';

/** In worlds whose routes are closed. */
export const OF_CLOSINGS: readonly Scene[] = [
  {
    meets: ['closed: asked after it was opened early'],
    // No other scene is played there.
    route: 'anyone',
    wish: { lifeMs: 60_000 },
    lastsMs: 30_000,
    people: [],
    posted: ({ closesBriefly, askAgain }) => closesBriefly(300, () => askAgain(300)),
  },
  {
    meets: ['closed: when people would be reminded'],
    // Twice, after 40 s each. Scenes of holds do not need it.
    route: 'crews',
    wish: { lifeMs: 120_000 },
    lastsMs: 90_000,
    people: [],
    posted: ({ staysClosed }) => staysClosed(300),
  },
];
