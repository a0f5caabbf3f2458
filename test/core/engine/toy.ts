import type { Flow, Plan } from '../../../src/core/engine/flow.ts';
import type { Signal } from '../../../src/core/store/store.ts';

/** A toy record that has to ring a bell several times, and stores the wishes it received. */
export interface Toy {
  readonly toRing: number;
  readonly rung: number;
  /** A noted ring whose end is not known. */
  readonly isOpen: boolean;
  readonly wishes: readonly string[];
  /** With nothing left to ring; null: it is finished. */
  readonly waitUntil: number | null;
}

export const newToy: Toy = { toRing: 0, rung: 0, isOpen: false, wishes: [], waitUntil: null };

export type Ring = { readonly kind: 'ring' };
export type Rang = { readonly kind: 'rang' };

/** A signal to the toy. */
export type Wish = { readonly kind: 'wish'; readonly name: string };

/** `ring` is the only effect. If `onPlan` throws, the toy can never be processed. */
export function toyFlow(ring: (toy: Toy) => Promise<void>, onPlan = (_: Toy) => {}) {
  return {
    kind: 'toy',
    // as: only `encode` writes it
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
  // as: only the tests write it
  return JSON.parse(body) as Wish;
}
