import { createHash } from 'node:crypto';
import { type Bounds, firstState, movesOf, type State, unsettled } from './model.ts';

export interface Explored {
  readonly states: number;
  readonly moves: number;
  /** How many states are an end: nothing more happens but for further presses and faults. */
  readonly ends: number;
  /** The shortest way to something wrong; null: there is none. */
  readonly violation: { readonly what: string; readonly story: readonly string[] } | null;
}

/** How a state was reached; the states on the way are not kept. */
interface Way {
  readonly name: string;
  readonly from: Way | null;
}

interface Visit {
  readonly state: State;
  readonly way: Way | null;
}

/** Tries every order of events within the bounds, nearest states first. That the record always gets on is not tried: a circle of states is no violation. */
export function explore(bounds: Bounds): Explored {
  const first: Visit = { state: firstState(bounds), way: null };
  const seen = new Set([keyOf(first.state)]);
  let [moves, ends] = [0, 0];
  let level: Visit[] = [first];
  const result = (what: string | null, at: Visit): Explored => ({
    ...{ states: seen.size, moves, ends },
    violation: what === null ? null : { what, story: storyOf(at.way) },
  });
  while (level.length > 0) {
    const next: Visit[] = [];
    for (const visit of level) {
      const possible = movesOf(visit.state, bounds);
      const isEnd = possible.every(({ isOptional }) => isOptional);
      if (isEnd) {
        ends += 1;
        const left = unsettled(visit.state);
        if (left !== null) return result(left, visit);
      }
      for (const { name, to } of possible) {
        moves += 1;
        const reached: Visit = { state: to, way: { name, from: visit.way } };
        if (to.fault !== null) return result(to.fault, reached);
        const key = keyOf(to);
        if (seen.has(key)) continue;
        seen.add(key);
        next.push(reached);
      }
    }
    level = next;
  }
  return result(null, first);
}

/** The same for states that differ in nothing but which worker is which. */
function keyOf({ workers, calls, ...rest }: State): string {
  const [first = '', second = ''] = workers.map((session) => JSON.stringify(session));
  const isSwapped = first > second;
  const named = isSwapped ? calls.map(swapped) : calls;
  const pair = isSwapped ? second + first : first + second;
  return createHash('sha1')
    .update(JSON.stringify([rest, named]) + pair)
    .digest('base64');
}

function swapped(call: State['calls'][number]): State['calls'][number] {
  return call.worker === null ? call : { ...call, worker: 1 - call.worker };
}

function storyOf(way: Way | null): string[] {
  const story: string[] = [];
  for (let at = way; at !== null; at = at.from) story.unshift(at.name);
  return story;
}
