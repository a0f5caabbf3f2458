import type { Flow, Plan } from '../../../src/core/engine/flow.ts';
import type { Signal } from '../../../src/core/store/store.ts';

/** A toy that has to ring a bell some times, and counts the wishes it got. */
export interface Toy {
  readonly toRing: number;
  readonly rung: number;
  /** A ring that was noted and whose end is not known. */
  readonly isOpen: boolean;
  readonly wishes: readonly string[];
  /** Once nothing is to ring; null: it is finished. */
  readonly waitUntil: number | null;
}

export const newToy: Toy = { toRing: 0, rung: 0, isOpen: false, wishes: [], waitUntil: null };

export type Ring = { readonly kind: 'ring' };
export type Rang = { readonly kind: 'rang' };

/** What the toy is told. */
export type Wish = { readonly kind: 'wish'; readonly name: string };

/** `ring` is the only effect. `onPlan` may throw: then the toy is poison. */
export function toyFlow(ring: (toy: Toy) => Promise<void>, onPlan = (_: Toy) => {}) {
  return {
    kind: 'toy',
    // as: written by `encode` alone
    decode: (text) => JSON.parse(text) as Toy,
    encode: (toy) => JSON.stringify(toy),
    receive(toy, signal) {
      const wish = wishOf(signal);
      const data = { ...toy, wishes: [...toy.wishes, wish.name] };
      return { data, audit: [{ action: 'toy.wish', record: null, actor: wish.name, facts: {} }] };
    },
    plan(toy): Plan<Ring> {
      onPlan(toy);
      if (toy.toRing > toy.rung) return { kind: 'step', step: { kind: 'ring' } };
      if (toy.waitUntil === null) return { kind: 'finish', keepMs: 60_000 };
      return { kind: 'wait', until: toy.waitUntil, lane: 'background' };
    },
    markAttempt: (toy) => ({ data: { ...toy, isOpen: true } }),
    async execute(toy) {
      await ring(toy);
      return { kind: 'rang' };
    },
    apply: (toy) => ({ data: rangOnce(toy) }),
    describe: (step, result) => ({ step: step.kind, result: result.kind }),
  } satisfies Flow<Toy, Ring, Rang>;
}

function rangOnce(toy: Toy): Toy {
  return { ...toy, rung: toy.rung + 1, isOpen: false };
}

function wishOf({ body }: Signal): Wish {
  // as: written by the tests alone
  return JSON.parse(body) as Wish;
}
