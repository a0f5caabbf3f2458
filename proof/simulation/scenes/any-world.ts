import type { NeedSeen } from '../evidence.ts';
import { HIDDEN_ADDRESS, SECOND, WATCH } from '../settings.ts';
import { GONE_MS } from './absences.ts';
import { OF_FORMS } from './forms.ts';
import { OF_PRESS_ORDER } from './press-order.ts';
import { ANA, BEN, CLEO, DANA, KEYS, type Scene } from './scene.ts';

const WATCHERS: NeedSeen = { name: 'Watch', of: { users: [], groups: [WATCH] }, count: 1 };

/** In any world. */
export const USUAL: readonly Scene[] = [
  {
    meets: ['newer request: comes while somebody presses'],
    route: 'infra',
    wish: { supersedes: 'late press', isOwn: false, lifeMs: 90_000 },
    people: [ANA],
    posted: ({ approveLate, askAgain }) => {
      approveLate(ANA, 450, 1_400);
      askAgain(500);
    },
  },
  ...OF_PRESS_ORDER,
  ...OF_FORMS,
  {
    meets: ['requester: known by an address alone'],
    route: 'both',
    wish: { askedBy: 'robot@ci.example', lifeMs: 90_000 },
    people: [SECOND],
    posted: ({ approve }) => {
      approve(SECOND, 800);
      approve(SECOND, 9_000);
    },
  },
  {
    meets: ['requester: by an address that Slack does not know'],
    route: 'both',
    wish: { askedBy: HIDDEN_ADDRESS, lifeMs: 90_000 },
    people: [CLEO],
    posted: ({ approve }) => {
      approve(CLEO, 800);
      approve(CLEO, 9_000);
    },
  },
  {
    meets: ['needs: people of several groups'],
    // Her second account is in no group: it fills no place.
    route: 'crews',
    wish: { lifeMs: 120_000 },
    people: [SECOND, BEN, DANA],
    posted: ({ approve }) => {
      for (const [place, person] of [SECOND, BEN, DANA, SECOND, BEN, DANA].entries())
        approve(person, 600 + place * 3_000);
    },
  },
  {
    meets: ['needs: of a group that Slack does not show'],
    // Nobody presses: it is counted who could.
    route: 'release',
    wish: { lifeMs: 40_000, need: WATCHERS },
    people: [],
    posted: ({ groupHidden }) => groupHidden(WATCH, 6_000),
  },
  {
    meets: ['needs: enough people, and a place is open', 'needs: more approved than are needed'],
    // Of the first three Ben alone can fill the added one, and without him there are too few in the crew: Dana is not
    // needed once Cleo has approved.
    route: 'release',
    wish: { lifeMs: 90_000, need: KEYS },
    people: [BEN, ANA, DANA, CLEO],
    lastsMs: 20_000,
    posted: ({ approve }) => {
      for (const [place, person] of [BEN, ANA, DANA, BEN, ANA, DANA, CLEO].entries())
        approve(person, 600 + place * 2_000);
    },
  },
  {
    meets: ['needs: somebody changes places'],
    // Both who can fill the added one fill those of the crew, until Ana approves.
    route: 'release',
    wish: { lifeMs: 90_000, need: KEYS },
    people: [BEN, CLEO, ANA],
    posted: ({ approve }) => {
      for (const [place, person] of [BEN, CLEO, ANA, BEN, CLEO, ANA].entries())
        approve(person, 600 + place * 2_000);
    },
  },
  {
    meets: ['quorum: two accounts, and one person'],
    route: 'both',
    wish: { lifeMs: 60_000 },
    people: [CLEO, SECOND],
    posted: ({ approve }) => {
      approve(CLEO, 800);
      approve(SECOND, 3_000);
      approve(SECOND, 12_000);
    },
  },
  {
    meets: ['reviewers: gone after they approved'],
    route: 'both',
    wish: { lifeMs: 90_000 },
    lastsMs: 30_000,
    // Few other scenes need her, and bring her back.
    people: [ANA, CLEO],
    posted: ({ approve, leavesService }) => {
      approve(CLEO, 600);
      leavesService(CLEO, 2_500);
      approve(ANA, GONE_MS);
    },
  },
  {
    meets: ['needs: more than one of a need'],
    route: 'release',
    wish: { lifeMs: 120_000 },
    people: [ANA, BEN, DANA],
    posted: ({ approve }) => {
      for (const [place, person] of [ANA, BEN, DANA, ANA, BEN, DANA].entries())
        approve(person, 600 + place * 3_000);
    },
  },
];
