import type { Absentees } from './absentees.ts';
import type { Wish } from './automations.ts';
import type { Chance } from './chance.ts';
import type { Gate } from './observer.ts';
import type { People } from './people.ts';
import type { Scheduler } from './scheduler.ts';
import type { SecondThoughts } from './second-thoughts.ts';
import { routeNamed } from './settings.ts';

interface SceneNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly people: Pick<People, 'presses' | 'stay' | 'becomesGuest' | 'leavesService'>;
  readonly secondThoughts: Pick<SecondThoughts, 'undo'>;
  readonly absentees: () => Pick<Absentees, 'names'> | null;
  readonly standsInFor: (giver: string) => string | undefined;
  readonly review: (gate: Gate, person: string) => void;
  readonly holds: boolean;
  readonly absences: boolean;
}

/** Few people do what a rule is about, one after the other: by chance they seldom meet. */
interface Scene {
  readonly route: string;
  readonly wish?: Wish;
  /** They can decide, and stay for a while. */
  readonly people: readonly string[];
  /** Its message is there. */
  readonly posted?: (stage: Stage, gate: Gate) => void;
  /** Its message says that its approval is held. */
  readonly held?: (stage: Stage, gate: Gate) => void;
  /** It asks for a review. */
  readonly reviewable?: (stage: Stage, gate: Gate) => void;
}

/** What people can do; times are from the moment of the call, in milliseconds. */
interface Stage {
  readonly chance: Chance;
  readonly approve: (person: string, atMs: number) => void;
  readonly reject: (person: string, atMs: number) => void;
  readonly undo: (person: string, atMs: number) => void;
  readonly review: (person: string, atMs: number) => void;
  /** Whoever surely stands in for them by then. */
  readonly approveFor: (giver: string, atMs: number) => void;
  /** They set themselves away. */
  readonly names: (giver: string, substitute: string, atMs: number) => void;
  readonly becomesGuest: (person: string, atMs: number) => void;
  readonly leavesService: (person: string, atMs: number) => void;
}

const [ANA, BEN, CLEO, DANA] = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA'] as const;

const WITH_HOLDS: readonly Scene[] = [
  {
    route: 'careful',
    people: [ANA, DANA],
    posted: ({ approve }) => {
      approve(ANA, 600);
      approve(DANA, 2_500);
    },
    held: ({ undo, approve, chance }) => {
      undo(ANA, chance.whole(300, 6_500));
      if (chance.often(0.5)) approve(ANA, chance.whole(7_000, 20_000));
    },
  },
  {
    route: 'paused',
    people: [ANA, DANA],
    posted: ({ approve }) => approve(ANA, 800),
    held: ({ reject, chance }) => reject(DANA, chance.whole(300, 17_000)),
  },
  {
    route: 'paused',
    people: [ANA],
    posted: ({ approve }) => approve(ANA, 800),
    held: ({ undo, approve, chance }) => {
      undo(ANA, chance.whole(300, 18_000));
      approve(ANA, 21_000);
    },
  },
  {
    // The escalation comes 20 s after the request.
    route: 'ladder',
    people: [BEN, DANA],
    posted: ({ approve, chance }) => {
      approve(BEN, chance.whole(2_000, 8_000));
      approve(BEN, chance.whole(11_000, 17_000));
    },
    held: ({ reject, approve, chance }) =>
      (chance.often(0.5) ? reject : approve)(DANA, chance.whole(8_000, 19_000)),
  },
  {
    // Its hold would end after its deadline.
    route: 'paused',
    wish: { lifeMs: 16_000 },
    people: [ANA],
    posted: ({ approve, chance }) => approve(ANA, chance.whole(400, 5_000)),
  },
  {
    route: 'night',
    wish: { isOwn: true, askedBy: BEN, lifeMs: 90_000 },
    people: [ANA, BEN],
    posted: ({ approve }) => {
      approve(BEN, 800);
      approve(BEN, 12_000);
    },
    reviewable: ({ review, chance }) => {
      review(BEN, chance.whole(500, 3_000));
      review(ANA, chance.whole(4_000, 9_000));
    },
  },
  {
    route: 'alone',
    wish: { isOwn: true, askedBy: CLEO, lifeMs: 60_000 },
    people: [CLEO],
    posted: ({ approve }) => {
      approve(CLEO, 800);
      approve(CLEO, 12_000);
    },
  },
];

const WITH_ABSENCES: readonly Scene[] = [
  {
    route: 'loan',
    wish: { lifeMs: 90_000 },
    people: [BEN, DANA],
    posted: ({ names, becomesGuest, approve }) => {
      names(DANA, BEN, 200);
      becomesGuest(BEN, 6_000);
      approve(BEN, 9_000);
    },
  },
  {
    route: 'relay',
    wish: { lifeMs: 120_000 },
    people: [ANA, CLEO],
    // Whoever gave their place comes back: see `Absentees`.
    posted: ({ names, approve }) => {
      names(CLEO, ANA, 200);
      approve(ANA, 6_000);
    },
  },
  {
    route: 'pair',
    wish: { lifeMs: 120_000 },
    people: [ANA, BEN, CLEO],
    posted: ({ names, approve }) => {
      names(CLEO, ANA, 200);
      names(BEN, ANA, 400);
      approve(ANA, 9_000);
    },
  },
  {
    // Whoever has voted needs no substitute.
    route: 'watch',
    wish: { lifeMs: 120_000 },
    people: [ANA, BEN],
    posted: ({ names, approve, approveFor }) => {
      approve(BEN, 400);
      names(BEN, ANA, 3_000);
      for (const atMs of [6_000, 12_000, 20_000]) approveFor(BEN, atMs);
    },
  },
  {
    route: 'pair',
    wish: { lifeMs: 90_000 },
    people: [CLEO, DANA],
    posted: ({ names, leavesService, approve }) => {
      names(CLEO, DANA, 200);
      leavesService(DANA, 6_000);
      approve(DANA, 9_000);
    },
  },
];

/** How long the people of a scene stay. */
const STAY_MS = 40_000;

export class Scenes {
  readonly #needs: SceneNeeds;
  readonly #all: readonly Scene[];
  readonly #of = new Map<Gate, Scene>();
  #next = 0;

  constructor(needs: SceneNeeds) {
    this.#needs = needs;
    const { chance, holds, absences } = needs;
    const all = [...(holds ? WITH_HOLDS : []), ...(absences ? WITH_ABSENCES : [])];
    const first = chance.whole(0, Math.max(0, all.length - 1));
    this.#all = [...all.slice(first), ...all.slice(0, first)];
  }

  /** The next one; undefined: there is none in this world. */
  draw(): Scene | undefined {
    const scene = this.#all[this.#next % Math.max(1, this.#all.length)];
    this.#next += 1;
    return scene;
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
    if (scene === undefined) return;
    this.#needs.people.stay(scene.people, STAY_MS);
    scene.posted?.(this.#stage(gate), gate);
  }

  held(gate: Gate): void {
    this.#of.get(gate)?.held?.(this.#stage(gate), gate);
  }

  reviewable(gate: Gate): void {
    this.#of.get(gate)?.reviewable?.(this.#stage(gate), gate);
  }

  #stage(gate: Gate): Stage {
    const { scheduler, chance, people, secondThoughts, absentees } = this.#needs;
    const { review, standsInFor } = this.#needs;
    const at = (act: (person: string) => void) => (person: string, ms: number) =>
      void scheduler.after(ms, () => act(person));
    return {
      chance,
      approve: at((person) => people.presses(gate, person, 'approve')),
      reject: at((person) => people.presses(gate, person, 'reject')),
      undo: at((person) => secondThoughts.undo(gate, person)),
      review: at((person) => review(gate, person)),
      approveFor: at((giver) => {
        const person = standsInFor(giver);
        if (person !== undefined) people.presses(gate, person, 'approve');
      }),
      names: (giver, substitute, ms) =>
        void scheduler.after(ms, () => absentees()?.names(giver, substitute)),
      becomesGuest: at((person) => people.becomesGuest(person)),
      leavesService: at((person) => people.leavesService(person)),
    };
  }
}

/** What its automation asks for. */
export function askFor({ route, wish }: Scene) {
  return { route: routeNamed(route), wish: { ...wish, isPlain: true } };
}
