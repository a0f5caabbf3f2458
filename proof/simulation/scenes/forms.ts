import { ANA, type Scene } from './scene.ts';

/** In the form for several requests of a route, whose texts may be out of date. */
export const OF_FORMS: readonly Scene[] = [
  {
    meets: ['what was shown: changed since, in a form for several'],
    route: 'both',
    wish: { isWordless: true, isOwn: false, lifeMs: 120_000 },
    lastsMs: 30_000,
    people: [ANA],
    posted: ({ describedLater, askAgain, approveInForm }) => {
      describedLater();
      // There is no form for a single one. Each would take two presses there.
      askAgain(0);
      approveInForm(ANA, 4_000);
    },
  },
];
