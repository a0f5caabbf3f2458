import type { Chance } from './chance.ts';
import { turns } from './closed-world.ts';

/** A scheduled event. */
interface Due {
  readonly at: number;
  /** Random: the order of events that are due at the same time. */
  readonly order: number;
  readonly number: number;
  run: (() => void) | null;
}

/**
 * Owns time. Events wait here with their moment; they happen one after the other, and time jumps from one to the next.
 * Between two of them all promises that can continue have done so.
 */
export class Scheduler {
  readonly #chance: Chance;
  readonly #heap: Due[] = [];
  #now = 0;
  #number = 0;
  #steps = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Milliseconds since the world began. */
  get now(): number {
    return this.#now;
  }

  /** How many events have happened. */
  get steps(): number {
    return this.#steps;
  }

  /** Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void {
    const at = this.#now + Math.max(0, ms);
    this.#number += 1;
    const due: Due = { at, order: this.#chance.bits(), number: this.#number, run };
    this.#push(due);
    return () => {
      due.run = null;
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Runs events until `isOver` is true, or none is left. */
  run(isOver: () => boolean): Promise<void> {
    return turns(() => {
      if (isOver()) return 'last';
      const next = this.#next();
      if (next === undefined) return 'last';
      this.#now = next.at;
      this.#steps += 1;
      next.run?.();
      return 'more';
    });
  }

  /** Skips cancelled events. */
  #next(): Due | undefined {
    for (;;) {
      const next = this.#pop();
      if (next === undefined || next.run !== null) return next;
    }
  }

  #push(due: Due): void {
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, due)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = due;
  }

  #pop(): Due | undefined {
    const heap = this.#heap;
    const [top] = heap;
    const last = heap.pop();
    if (top === undefined || last === undefined || heap.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      let least = heap[child];
      if (least === undefined) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, least)) {
        least = right;
        child += 1;
      }
      if (isBefore(last, least)) break;
      heap[at] = least;
      at = child;
    }
    heap[at] = last;
    return top;
  }
}

function isBefore(one: Due, other: Due): boolean {
  if (one.at !== other.at) return one.at < other.at;
  if (one.order !== other.order) return one.order < other.order;
  return one.number < other.number;
}
