import type { Folded } from '../reconcile/flow.ts';
import type { Move, Outcome } from './move.ts';
import { REFUSED } from './refusal.ts';

/** Ends a sending with what is known of it. */
export function over(move: Move, outcome: Outcome): Folded<Move> {
  const { doubt, ...rest } = move;
  const isSettled = SETTLED.has(outcome.code) || doubt === undefined;
  const data: Move = { ...rest, ...(!isSettled && { doubt }), phase: { name: 'over' }, outcome };
  return { data, audit: [outcomeEntry(move, outcome)] };
}

/** After these nobody need wonder any more what became of an earlier sending. */
const SETTLED: ReadonlySet<Outcome['code']> = new Set([
  'moved',
  'found-moved',
  'not-moved',
  'changed',
  'invalid',
]);

function outcomeEntry({ draft: { by, item } }: Move, outcome: Outcome) {
  const { code } = outcome;
  const facts = {
    task: item.id,
    outcome: code,
    ...('key' in outcome && { key: outcome.key }),
    ...(code === 'moved' && { items: outcome.movedCount }),
    ...(code === 'not-allowed' && { refusal: outcome.refusal }),
  };
  const action = code === 'not-allowed' ? REFUSED : 'tasks.move.outcome';
  return { action, record: null, actor: by, facts };
}
