import type { Absentees } from './absentees.ts';
import type { Wish } from './automations.ts';
import type { Chance } from './chance.ts';
import type { Closings } from './closings.ts';
import type { Action, NeedSeen } from './evidence.ts';
import type { TroubleOfScene } from './mishaps.ts';
import type { Gate } from './observer.ts';
import type { People } from './people.ts';
import { ABSENCES_THAT_CHANGE, COUNTS, GONE_MS } from './scenes-of-absences.ts';
import { OF_FAILURES } from './scenes-of-failures.ts';
import { OF_FORMS } from './scenes-of-forms.ts';
import { HOLDS_THAT_END_LATE } from './scenes-of-holds.ts';
import { OF_LOST_ANSWERS } from './scenes-of-lost-answers.ts';
import {
  OF_PRESS_ORDER,
  OF_PRESS_ORDER_WITH_HOLDS,
  OF_PRESS_ORDER_WITHOUT_HOLDS,
} from './scenes-of-press-order.ts';
import { OF_LAPSES, OF_PROCESSES } from './scenes-of-processes.ts';
import { OF_RELOADS } from './scenes-of-reloads.ts';
import type { Scheduler } from './scheduler.ts';
import type { SecondThoughts } from './second-thoughts.ts';
import { type Asker, HIDDEN_ADDRESS, isNamed, routeNamed, SECOND, WATCH } from './settings.ts';

interface SceneNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly people: Pick<
    People,
    'presses' | 'decideSeveralOf' | 'stay' | 'opensHome' | 'becomesGuest' | 'leavesService'
  >;
  readonly secondThoughts: Pick<SecondThoughts, 'undo'>;
  /** The next press of this person on its message arrives that much later. */
  readonly holdUp: (gate: Gate, person: string, ms: number) => void;
  /** The person undoes it just before it is sent. */
  readonly undoneAtLast: (gate: Gate, person: string) => void;
  /** What happens to the decisions on it. */
  readonly trouble: (gate: Gate, name: TroubleOfScene) => void;
  readonly unread: (gate: Gate) => void;
  readonly groupHidden: (group: string, forMs: number) => void;
  /** Somebody approves it in the service. */
  readonly decidedElsewhere: (gate: Gate) => void;
  /** The process that changes its message next stands still before it sends that. */
  readonly heldUpdate: (gate: Gate) => void;
  /** Slack does not take the reply with which a self-approval begins, for a while. */
  readonly untold: (gate: Gate) => void;
  /** Somebody deletes its message, and the next one is lost on its way at first. */
  readonly deleted: (gate: Gate) => void;
  /** The process that looks next for those that it replaces stands still before that. */
  readonly heldLook: (gate: Gate) => void;
  /** The service says its description after a while. */
  readonly describedLater: (gate: Gate) => void;
  /** Its automation asks for another one. Nothing happens if there are enough. */
  readonly askAgain: (scene: Scene) => Gate | undefined;
  readonly withdraw: (gate: Gate) => void;
  /** The process that sends a decision on it stands still before it reads a 429, and its automation withdraws it then. */
  readonly withdrawnWhileStill: (gate: Gate) => void;
  /** The store goes back to the present moment, that long after it; until then its message is changed without fault. */
  readonly forget: (gate: Gate, afterMs: number) => void;
  readonly absentees: () => Pick<Absentees, 'names' | 'declines' | 'comesBack'> | null;
  readonly closings: () => Pick<Closings, 'closes'> | null;
  readonly standsInFor: (giver: string) => string | undefined;
  /** Somebody may be away now. */
  readonly mayBeAway: (person: string) => boolean;
  readonly mayBeClosed: (route: string) => boolean;
  /** Nobody can be asked in its channel now. */
  readonly isArchived: (route: string) => boolean;
  readonly rulesChange: () => void;
  readonly areRulesUsual: () => boolean;
  readonly review: (gate: Gate, person: string) => void;
  readonly storeAway: (forMs: number) => void;
  /** For that long, nothing else fails on purpose. */
  readonly restOfFaults: (forMs: number) => void;
  /** Nothing else fails now. */
  readonly isCalm: () => boolean;
  readonly accountHidden: (person: string, forMs: number) => void;
  /** Which rules the gates of scenes have met, by name. */
  readonly rulesMet: () => readonly string[];
  readonly holds: boolean;
  readonly absences: boolean;
  /** Several processes. */
  readonly hasSeveral: boolean;
  /** The store may go back. */
  readonly forgets: boolean;
  /** Rules may change. */
  readonly reloads: boolean;
  /** The world waits until its scenes have met their rules. */
  readonly waits: boolean;
  /** Those of any world are played. */
  readonly usual: boolean;
  /** Everybody who can be the requester. */
  readonly askers: readonly Asker[];
}

/** Few people do what a rule is about, one after the other: by chance they seldom meet. */
export interface Scene {
  /** Rows of `rules-met.ts`: until the world has met each of them, the scene has priority. */
  readonly meets: readonly string[];
  readonly route: string;
  readonly wish?: Wish;
  /** They can decide, and stay for a while. */
  readonly people: readonly string[];
  /** How long it is played; default `SCENE_MS`. */
  readonly lastsMs?: number;
  /** It begins only when nothing else fails, and nothing else does while it is played. */
  readonly needsCalm?: true;
  /** It begins only under the usual rules. */
  readonly needsUsualRules?: true;
  /** Those of them who must not be away. */
  readonly present?: readonly string[];
  /** They set themselves away, without a substitute, before its automation asks. */
  readonly leave?: readonly string[];
  /** Its message is there, for the first time. */
  readonly posted?: (stage: Stage, gate: Gate) => void;
  /** Somebody read that about it. */
  readonly told?: (stage: Stage, person: string, text: string) => void;
  /** Its message says that its approval is held. */
  readonly held?: (stage: Stage, gate: Gate) => void;
  /** It asks for a review. */
  readonly reviewable?: (stage: Stage, gate: Gate) => void;
}

/** What people can do; times are from the moment of the call, in milliseconds. */
export interface Stage {
  readonly chance: Chance;
  readonly approve: (person: string, atMs: number) => void;
  readonly reject: (person: string, atMs: number) => void;
  /** Their press is on its way for that long. */
  readonly approveLate: (person: string, atMs: number, forMs: number) => void;
  readonly rejectLate: (person: string, atMs: number, forMs: number) => void;
  readonly undo: (person: string, atMs: number) => void;
  /** Just before it is sent. */
  readonly undoAtLast: (person: string) => void;
  /** What happens to its decisions: see `Mishaps`. */
  readonly trouble: (name: TroubleOfScene) => void;
  /** For a while, no read of it is answered. */
  readonly unread: () => void;
  /** Slack does not show this group for that long. */
  readonly groupHidden: (group: string, forMs: number) => void;
  /** Somebody approves it in the service. */
  readonly decidedElsewhere: (atMs: number) => void;
  /** The process that changes its message next stands still before it sends that. */
  readonly heldUpdate: () => void;
  /** Slack does not take the reply with which a self-approval begins, for a while. */
  readonly untold: () => void;
  /** Somebody deletes its message, and the next one is lost on its way at first. */
  readonly deleted: (atMs: number) => void;
  /** The process that looks next for those that it replaces stands still before that. */
  readonly heldLook: () => void;
  /** The service says its description after a while. */
  readonly describedLater: () => void;
  /** In a form for several; they read it there before its message has its description, and decide after that. */
  readonly approveInForm: (person: string, atMs: number) => void;
  /** Its automation asks for another one, which nobody decides. */
  readonly askAgain: (atMs: number) => void;
  /** Its automation. */
  readonly withdraw: (atMs: number) => void;
  /** It does so while the process that sends a decision stands still, before it reads a 429. */
  readonly withdrawnWhileStill: () => void;
  /** The store forgets what happens from `atMs` on, that long after it. */
  readonly forget: (atMs: number, afterMs: number) => void;
  readonly review: (person: string, atMs: number) => void;
  readonly opensHome: (person: string, atMs: number) => void;
  /** Whoever surely stands in for them by then. */
  readonly approveFor: (giver: string, atMs: number) => void;
  /** They set themselves away; without a name they keep the substitute they have. `then`: once they read so. */
  readonly names: (giver: string, substitute: string, atMs: number, then?: () => void) => void;
  /** Their substitute, once they were told. `then`: once they read that it is done. */
  readonly declines: (substitute: string, giver: string, then: () => void) => void;
  readonly becomesGuest: (person: string, atMs: number) => void;
  readonly leavesService: (person: string, atMs: number) => void;
  /** Nobody reaches the store for that long. */
  readonly storeAway: (atMs: number, forMs: number) => void;
  /** From now on, no process is killed or stops by chance for that long. */
  readonly restOfFaults: (forMs: number) => void;
  /** The service does not show their account for that long. */
  readonly accountHidden: (person: string, atMs: number, forMs: number) => void;
  /** For all processes: see `Reloads`. */
  readonly rulesChange: (atMs: number) => void;
  /** Until the end of its hold, as its message says. */
  readonly leftMs: number;
  /** An administrator closes its route, if that happens in this world. */
  readonly closes: (atMs: number) => void;
}

const [ANA, BEN, CLEO, DANA] = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA'] as const;

/** Ben can fill it, but not as Dana's substitute. */
const KEYS: NeedSeen = { name: 'Keys', of: { users: [BEN, CLEO], groups: [] }, count: 1 };

const WATCHERS: NeedSeen = { name: 'Watch', of: { users: [], groups: [WATCH] }, count: 1 };

/** In any world. */
const USUAL: readonly Scene[] = [
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
    meets: ['needs: enough people, and a place is open'],
    // Of them Ben alone can fill the added one, and without him there are too few in the crew.
    route: 'release',
    wish: { lifeMs: 90_000, need: KEYS },
    people: [BEN, ANA, DANA],
    posted: ({ approve }) => {
      for (const [place, person] of [BEN, ANA, DANA, BEN, ANA, DANA].entries())
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

const WITH_HOLDS: readonly Scene[] = [
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
    meets: ['hold: rejected by another'],
    route: 'paused',
    // A reject that is not looked at would wait for that long.
    wish: { lifeMs: 90_000 },
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
  ...HOLDS_THAT_END_LATE,
];

/** Those with holds have many of their own. */
const WITHOUT_HOLDS: readonly Scene[] = [
  ...OF_FAILURES,
  ...OF_LOST_ANSWERS,
  ...OF_PRESS_ORDER_WITHOUT_HOLDS,
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

/** When a substitute tries, once they are named. */
const NAMED_MS = [500, 6_000, 12_000];
/** Naming one takes some tries. */
const NAMING_MS = 30_000;

const WITH_ABSENCES: readonly Scene[] = [
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

/** Nothing happens to it on purpose. */
const LEFT_ALONE: Scene = { meets: [], route: '', people: [] };

/** What is away as one hold ends must not be away as another does, and not all processes can stand still at once. */
const ONE_BY_ONE = [HOLDS_THAT_END_LATE, OF_PROCESSES];

/** How long the people of a scene stay. */
const STAY_MS = 40_000;
const SCENE_MS = 15_000;
/** How long people may take to set themselves away. */
const LEAVING_MS = 12_000;
/** How often a scene is played whose rules were met. */
const AGAIN = 0.3;

/** A scene, as often as it was played. */
interface Played {
  readonly scene: Scene;
  times: number;
  /** When it began last. */
  at: number;
}

/**
 * Scenes are played one after the other; those whose rules were not met yet are repeated until they are. While one is
 * played nothing else happens on purpose to its people and its route: faults may disturb it, and it is repeated. In a
 * world that waits for them, nobody closes the route of a scene that is owed, and at its end nobody goes away whom one
 * needs.
 */
export class Scenes {
  readonly #needs: SceneNeeds;
  readonly #all: readonly Played[];
  readonly #of = new Map<Gate, Scene>();
  readonly #posted = new Set<Gate>();
  #met: ReadonlySet<string> = new Set();
  /** Only those that are owed are played. */
  #isLast = false;

  constructor(needs: SceneNeeds) {
    this.#needs = needs;
    const { chance, holds, absences, usual, askers, hasSeveral, forgets, reloads } = needs;
    const isKnown = ({ wish }: Scene) =>
      wish?.askedBy === undefined || askers.some((each) => isNamed(each, wish.askedBy));
    const all = [
      ...(holds ? WITH_HOLDS : WITHOUT_HOLDS),
      ...(absences ? WITH_ABSENCES : []),
      ...(hasSeveral ? OF_PROCESSES : []),
      ...(forgets ? OF_LAPSES : []),
      ...(reloads ? OF_RELOADS : []),
      ...(usual ? USUAL.filter(isKnown) : []),
    ];
    const first = chance.whole(0, all.length - 1);
    this.#all = [...all.slice(first), ...all.slice(0, first)].map((scene) => ({
      ...{ scene, times: 0 },
      at: Number.NEGATIVE_INFINITY,
    }));
  }

  /** The next one; undefined: now none can be played, or all rules were met and none is repeated. */
  draw(): Scene | undefined {
    const { chance, scheduler, rulesMet, mayBeClosed, mayBeAway } = this.#needs;
    const { isCalm, isArchived, restOfFaults, areRulesUsual } = this.#needs;
    if (this.isOwed) this.#learn(rulesMet());
    const isAgain = chance.often(AGAIN) && !this.#isLast;
    // Somebody who is made a substitute in one scene cannot be made a guest in another.
    const isFree = ({ scene }: Played) =>
      !WITH_ABSENCES.includes(scene) || !scene.people.some((each) => this.#isIn(each));
    const isAlone = ({ scene }: Played) =>
      !ONE_BY_ONE.some(
        (some) =>
          some.includes(scene) &&
          this.#all.some((each) => some.includes(each.scene) && this.#isOn(each)),
      );
    const canBegin = (each: Played) =>
      isFree(each) &&
      isAlone(each) &&
      (each.scene.needsCalm === undefined || isCalm()) &&
      (each.scene.needsUsualRules === undefined || areRulesUsual()) &&
      this.#isTurnOf(each) &&
      !mayBeClosed(each.scene.route) &&
      !isArchived(each.scene.route) &&
      !(each.scene.present ?? []).some(mayBeAway);
    const next = this.#all
      .filter((each) => (this.#isOwed(each) ? !this.#isOn(each) : isAgain) && canBegin(each))
      .toSorted(
        (one, other) =>
          Number(this.#isOwed(other)) - Number(this.#isOwed(one)) || one.times - other.times,
      )[0];
    if (next === undefined) return undefined;
    next.times += 1;
    next.at = scheduler.now;
    if (next.scene.needsCalm) restOfFaults(next.scene.lastsMs ?? SCENE_MS);
    return next.scene;
  }

  /** Whoever acts in a scene that has met its rules is free. */
  #learn(met: readonly string[]): void {
    const owed = this.#all.filter((each) => this.#isOwed(each));
    this.#met = new Set(met);
    for (const each of owed) if (!this.#isOwed(each)) each.at = Number.NEGATIVE_INFINITY;
  }

  /** At the end scenes that were played less often have priority for their people. */
  #isTurnOf({ scene: { people }, times }: Played): boolean {
    const less = this.#all.filter((each) => each.times < times && this.#isOwed(each));
    return (
      !this.#isLast || !less.some(({ scene }) => scene.people.some((each) => people.includes(each)))
    );
  }

  /** Some have not met their rules yet. */
  get isOwed(): boolean {
    return this.#all.some((each) => this.#isOwed(each));
  }

  #isOwed({ scene: { meets } }: Played): boolean {
    return meets.some((each) => !this.#met.has(each));
  }

  /** From now on nothing else is played, and whoever must not be away comes back. */
  waitForOwed(): void {
    const { mayBeAway, absentees } = this.#needs;
    this.#isLast = true;
    for (const person of this.#neededLast())
      if (!this.#isIn(person) && mayBeAway(person)) absentees()?.comesBack(person);
  }

  /** The person acts in a scene, or is needed for one. */
  keeps(person: string): boolean {
    return this.#isIn(person) || (this.#isLast && this.#neededLast().has(person));
  }

  /** The route is that of a scene, or of one that is owed. */
  keepsRoute(name: string): boolean {
    const { waits } = this.#needs;
    return this.#all.some(
      (each) => each.scene.route === name && (this.#isOn(each) || (waits && this.#isOwed(each))),
    );
  }

  #neededLast(): ReadonlySet<string> {
    const owed = this.#all.filter((each) => this.#isOwed(each));
    return new Set(owed.flatMap(({ scene: { present = [] } }) => present));
  }

  #isIn(person: string): boolean {
    return this.#all.some((each) => this.#isOn(each) && each.scene.people.includes(person));
  }

  #isOn({ at, scene: { lastsMs = SCENE_MS } }: Played): boolean {
    return this.#needs.scheduler.now < at + lastsMs;
  }

  /** `ask`: once everybody has left who has to, or after a while. */
  begin({ leave = [] }: Scene, ask: () => void): void {
    const { scheduler, absentees } = this.#needs;
    const isThere = new Set(leave);
    let isAsked = false;
    const once = () => {
      if (!isAsked) ask();
      isAsked = true;
    };
    for (const person of leave) {
      absentees()?.names(person, '', () => {
        isThere.delete(person);
        if (isThere.size === 0) once();
      });
    }
    if (leave.length === 0) once();
    else scheduler.after(LEAVING_MS, once);
  }

  opened(gate: Gate, scene: Scene): void {
    this.#of.set(gate, scene);
    this.#needs.people.stay(scene.people, STAY_MS);
  }

  has(gate: Gate): boolean {
    return this.#of.has(gate);
  }

  posted(gate: Gate): void {
    const scene = this.#of.get(gate);
    if (scene === undefined || this.#posted.has(gate)) return;
    this.#posted.add(gate);
    this.#needs.people.stay(scene.people, STAY_MS);
    scene.posted?.(this.#stage(gate), gate);
  }

  told(gate: Gate, person: string, text: string): void {
    this.#of.get(gate)?.told?.(this.#stage(gate), person, text);
  }

  held(gate: Gate, leftMs: number): void {
    this.#of.get(gate)?.held?.(this.#stage(gate, leftMs), gate);
  }

  reviewable(gate: Gate): void {
    this.#of.get(gate)?.reviewable?.(this.#stage(gate), gate);
  }

  #askAgain(gate: Gate): void {
    const scene = this.#of.get(gate);
    const again = scene && this.#needs.askAgain(scene);
    if (again !== undefined) this.#of.set(again, LEFT_ALONE);
  }

  #stage(gate: Gate, leftMs = 0): Stage {
    const { scheduler, chance, people, secondThoughts, absentees, closings } = this.#needs;
    const { review, standsInFor, storeAway, restOfFaults, accountHidden, holdUp, undoneAtLast } =
      this.#needs;
    const { trouble, unread, groupHidden, decidedElsewhere, heldUpdate, untold, deleted } =
      this.#needs;
    const { withdraw, withdrawnWhileStill, forget, heldLook, describedLater, rulesChange } =
      this.#needs;
    const at = (act: (person: string) => void) => (person: string, ms: number) =>
      void scheduler.after(ms, () => act(person));
    const late = (action: Action) => (person: string, ms: number, forMs: number) =>
      void scheduler.after(ms, () => {
        holdUp(gate, person, forMs);
        people.presses(gate, person, action);
      });
    return {
      chance,
      approve: at((person) => people.presses(gate, person, 'approve')),
      reject: at((person) => people.presses(gate, person, 'reject')),
      approveLate: late('approve'),
      rejectLate: late('reject'),
      undo: at((person) => secondThoughts.undo(gate, person)),
      undoAtLast: (person) => undoneAtLast(gate, person),
      trouble: (name) => trouble(gate, name),
      unread: () => unread(gate),
      groupHidden,
      decidedElsewhere: (ms) => void scheduler.after(ms, () => decidedElsewhere(gate)),
      heldUpdate: () => heldUpdate(gate),
      untold: () => untold(gate),
      deleted: (ms) => void scheduler.after(ms, () => deleted(gate)),
      heldLook: () => heldLook(gate),
      describedLater: () => describedLater(gate),
      approveInForm: at((person) => people.decideSeveralOf(gate, person, true)),
      askAgain: (ms) => void scheduler.after(ms, () => this.#askAgain(gate)),
      withdraw: (ms) => void scheduler.after(ms, () => withdraw(gate)),
      withdrawnWhileStill: () => withdrawnWhileStill(gate),
      forget: (ms, afterMs) => void scheduler.after(ms, () => forget(gate, afterMs)),
      review: at((person) => review(gate, person)),
      opensHome: at((person) => people.opensHome(person)),
      approveFor: at((giver) => {
        const person = standsInFor(giver);
        if (person !== undefined) people.presses(gate, person, 'approve');
      }),
      names: (giver, substitute, ms, then = () => {}) =>
        void scheduler.after(ms, () => absentees()?.names(giver, substitute, then)),
      declines: (substitute, giver, then) => absentees()?.declines(substitute, giver, then),
      becomesGuest: at((person) => people.becomesGuest(person)),
      leavesService: at((person) => people.leavesService(person)),
      storeAway: (ms, forMs) => void scheduler.after(ms, () => storeAway(forMs)),
      restOfFaults,
      accountHidden: (person, ms, forMs) =>
        void scheduler.after(ms, () => accountHidden(person, forMs)),
      rulesChange: (ms) => void scheduler.after(ms, rulesChange),
      leftMs,
      closes: (ms) => void scheduler.after(ms, () => closings()?.closes(gate.route)),
    };
  }
}

/** Names of rules that some scene is meant to meet. */
export const MEANT = [
  ...USUAL,
  ...WITH_HOLDS,
  ...WITHOUT_HOLDS,
  ...WITH_ABSENCES,
  ...OF_PROCESSES,
  ...OF_LAPSES,
  ...OF_RELOADS,
].flatMap(({ meets }) => meets);

/** What its automation asks for. */
export function askFor({ route, wish }: Scene) {
  return { route: routeNamed(route), wish: { ...wish, isPlain: true } };
}
