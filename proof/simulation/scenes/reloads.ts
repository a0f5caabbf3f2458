import { CHANGING } from '../settings.ts';
import type { Scene } from './scene.ts';

/** Where the rules of running processes change. */
export const OF_RELOADS: readonly Scene[] = [
  {
    meets: ['reviewers: taken off while the status is read'],
    // One approval is enough there.
    route: 'deploys',
    wish: { lifeMs: 90_000 },
    lastsMs: 20_000,
    needsUsualRules: true,
    people: [CHANGING.person],
    posted: ({ approve, trouble, rulesChange, chance }) => {
      trouble('slowReads', () => rulesChange(chance.whole(100, 400)));
      approve(CHANGING.person, 600);
    },
  },
];
