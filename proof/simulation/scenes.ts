import type { Absentees } from './absentees.ts';
import type { Chance } from './chance.ts';
import type { Gate } from './observer.ts';
import type { People } from './people.ts';
import { WITH_ABSENCES } from './scenes/absences.ts';
import { USUAL } from './scenes/any-world.ts';
import { OF_CLOSINGS } from './scenes/closings.ts';
import { OF_FAILURES, OF_REJECTS } from './scenes/failures.ts';
import { HOLDS_THAT_END_LATE, WITH_HOLDS } from './scenes/holds.ts';
import { OF_LOST_ANSWERS } from './scenes/lost-answers.ts';
import { OF_PRESS_ORDER_WITHOUT_HOLDS } from './scenes/press-order.ts';
import {
  OF_LAPSES,
  OF_PROCESSES,
  OF_PROCESSES_WITH_ABSENCES,
  OF_PROCESSES_WITH_HOLDS,
} from './scenes/processes.ts';
import { OF_RELOADS } from './scenes/reloads.ts';
import type { Scene, Stage } from './scenes/scene.ts';
import type { Scheduler } from './scheduler.ts';
import { type Asker, isNamed, routeNamed } from './settings.ts';

interface SceneNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly people: Pick<People, 'stay'>;
  /** What people can do there, and what can happen to it. */
  readonly stageOf: (gate: Gate, leftMs: number) => Stage;
  /** Its automation asks for another one. Nothing happens if there are enough. */
  readonly askAgain: (scene: Scene) => Gate | undefined;
  readonly absentees: () => Pick<Absentees, 'names' | 'comesBack'> | null;
  /** Somebody may be away now. */
  readonly mayBeAway: (person: string) => boolean;
  readonly mayBeClosed: (route: string) => boolean;
  /** Nobody can be asked in its channel now. */
  readonly isArchived: (route: string) => boolean;
  readonly areRulesUsual: () => boolean;
  /** For that long, nothing else fails on purpose. */
  readonly restOfFaults: (forMs: number) => void;
  /** Nothing else fails now. */
  readonly isCalm: () => boolean;
  /** Which rules the gates of scenes have met, by name. */
  readonly rulesMet: () => readonly string[];
  readonly holds: boolean;
  readonly absences: boolean;
  /** Routes are closed. */
  readonly closings: boolean;
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

/** Those with holds have many of their own. */
const WITHOUT_HOLDS: readonly Scene[] = [
  ...OF_FAILURES,
  ...OF_LOST_ANSWERS,
  ...OF_PRESS_ORDER_WITHOUT_HOLDS,
  ...OF_REJECTS,
];

/** Nothing happens to it on purpose. */
const LEFT_ALONE: Scene = { meets: [], route: '', people: [] };

/**
 * What is away as one hold ends must not be away as another does, not all processes can stand still at once, and the
 * store goes back to one moment.
 */
const ONE_BY_ONE = [
  [...HOLDS_THAT_END_LATE, ...OF_PROCESSES_WITH_HOLDS],
  [...OF_PROCESSES, ...OF_PROCESSES_WITH_HOLDS, ...OF_PROCESSES_WITH_ABSENCES],
  [...OF_LAPSES],
];

/** How long the people of a scene stay. */
const STAY_MS = 40_000;
const SCENE_MS = 15_000;
/** How long people may take to set themselves away. */
const LEAVING_MS = 12_000;
/** How often a scene is played whose rules were met. */
const AGAIN = 0.6;

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
    const { chance, holds, absences, closings, usual, askers } = needs;
    const { hasSeveral, forgets, reloads } = needs;
    const isKnown = ({ wish }: Scene) =>
      wish?.askedBy === undefined || askers.some((each) => isNamed(each, wish.askedBy));
    const all = [
      ...(holds ? WITH_HOLDS : WITHOUT_HOLDS),
      ...(absences ? WITH_ABSENCES : []),
      ...(closings ? OF_CLOSINGS : []),
      ...(hasSeveral ? OF_PROCESSES : []),
      ...(hasSeveral && holds ? OF_PROCESSES_WITH_HOLDS : []),
      ...(hasSeveral && absences ? OF_PROCESSES_WITH_ABSENCES : []),
      ...(reloads ? OF_RELOADS : []),
      ...(usual ? USUAL.filter(isKnown) : []),
    ];
    const first = chance.whole(0, all.length - 1);
    const inTurn = [...all.slice(first), ...all.slice(0, first)];
    // Fewest worlds can play those of lapses.
    this.#all = [...(forgets ? OF_LAPSES : []), ...inTurn].map((scene) => ({
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

  /** The automation of a scene asks for another one, which is left alone. */
  askAgain(gate: Gate): void {
    const scene = this.#of.get(gate);
    const again = scene && this.#needs.askAgain(scene);
    if (again !== undefined) this.#of.set(again, LEFT_ALONE);
  }

  #stage(gate: Gate, leftMs = 0): Stage {
    return this.#needs.stageOf(gate, leftMs);
  }
}

/** Names of rules that some scene is meant to meet. */
export const MEANT = [
  ...USUAL,
  ...WITH_HOLDS,
  ...WITHOUT_HOLDS,
  ...WITH_ABSENCES,
  ...OF_CLOSINGS,
  ...OF_PROCESSES,
  ...OF_PROCESSES_WITH_HOLDS,
  ...OF_LAPSES,
  ...OF_RELOADS,
].flatMap(({ meets }) => meets);

/** What its automation asks for. */
export function askFor({ route, wish }: Scene) {
  return { route: routeNamed(route), wish: { ...wish, isPlain: true } };
}
