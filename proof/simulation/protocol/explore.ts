import { type Bounds, firstState, movesOf, type State, unsettled } from './model.ts';
import { StateSpace } from './state-space.ts';

export interface Explored {
  readonly states: number;
  readonly moves: number;
  /** The number of final states: nothing more can happen except further presses and faults. */
  readonly ends: number;
  /** The shortest path to a violation; null: there is none. */
  readonly violation: { readonly what: string; readonly story: readonly string[] } | null;
}

/**
 * Tries every order of events within the bounds, nearest states first. It does not check that the record always makes
 * progress: a cycle of states is no violation.
 */
export function explore(bounds: Bounds): Explored {
  const space = new StateSpace();
  space.add(firstState(bounds), null);
  let [moves, ends] = [0, 0];
  const result = (violation: Explored['violation']): Explored => ({
    ...{ states: space.size, moves, ends },
    violation,
  });
  for (let number = 0; number < space.size; number += 1) {
    const state: State = space.at(number);
    const possible = movesOf(state, bounds);
    const isEnd = possible.every(({ isOptional }) => isOptional);
    if (isEnd) {
      ends += 1;
      const left = unsettled(state);
      if (left !== null) return result({ what: left, story: space.storyOf(number) });
    }
    for (const { name, to } of possible) {
      moves += 1;
      if (to.fault !== null) {
        return result({ what: to.fault, story: space.storyOf(number, name) });
      }
      space.add(to, { name, from: number, state });
    }
  }
  return result(null);
}
