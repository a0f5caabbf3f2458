import type { Begun, Folded } from '../reconcile/flow.ts';
import { postBegun } from './fold-part.ts';
import { foldShown } from './fold-shown.ts';
import { foldToldPart, type ToldTo } from './fold-told-part.ts';
import {
  type Audience,
  type Face,
  partNamed,
  type Telling,
  type TellResult,
  type TellStep,
  withPart,
} from './telling.ts';

/** What is noted before it is tried. A face is no effect, but an old one must not come behind a newer. */
export function beginTelling<Record extends Telling>(
  record: Record,
  audience: Audience,
  step: TellStep<Face>,
  now: number,
): Begun<Record> | undefined {
  switch (step.kind) {
    case 'post': {
      const begun = postBegun(partNamed(record, audience, step.part), step, now);
      return { data: withPart(record, begun), durable: true };
    }
    case 'show':
    case 'update':
      return { data: record };
    default:
      return undefined;
  }
}

/** Folds a step of telling into the record: the same for a result that comes late or twice. */
export function foldTelling<Record extends Telling>(
  record: Record,
  to: ToldTo,
  step: TellStep<Face>,
  result: { readonly kind: string } | TellResult,
  now: number,
): Folded<Record> {
  if (!isTellResult(result)) throw new Error(`telling does not end as ${result.kind}`);
  if (step.kind === 'show' || step.kind === 'update') {
    return { data: foldShown(record, step, result, now) };
  }
  return foldToldPart(record, to, step, result, now);
}

const ENDS: ReadonlySet<string> = new Set<TellResult['kind']>([
  'turn',
  'opened',
  'not-found',
  'done',
  'posted',
  'failed',
]);

function isTellResult(result: { readonly kind: string }): result is TellResult {
  return ENDS.has(result.kind);
}
