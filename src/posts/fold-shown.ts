import { DEFAULT_RETRY_AFTER_MS, patientWaitMs, RETRY_MS } from '../reconcile/patience.ts';
import { type Face, faceKey, type Telling, type TellResult, type TellStep } from './telling.ts';

const TRIES_MAX = 4;

/** Folds a change of the modal, or of the direct message that took its place. */
export function foldShown<Record extends Telling>(
  record: Record,
  { kind, face }: Extract<TellStep<Face>, { kind: 'show' | 'update' }>,
  result: TellResult,
  now: number,
): Record {
  const { showing, ...kept } = record;
  // as: without an optional member it is still one of its kind
  const rest = kept as Record;
  const key = faceKey(face);
  if (result.kind === 'done')
    return kind === 'show' ? { ...rest, shown: key } : { ...rest, told: key };
  if (result.kind !== 'failed') throw new Error(`showing does not end as ${result.kind}`);
  const { failure } = result;
  const tries = (showing?.tries ?? 0) + 1;
  const isRefused = failure.class === 'refused' && failure.status !== 429;
  if (!isRefused && tries < TRIES_MAX) {
    const waitMs =
      failure.retryAfterMs ?? patientWaitMs(tries - 1, RETRY_MS[0], DEFAULT_RETRY_AFTER_MS);
    return { ...rest, showing: { tries, notBefore: now + waitMs } };
  }
  if (kind === 'update') return { ...rest, told: key };
  const isPassing = face.state !== 'over' && !isRefused;
  if (isPassing) return { ...rest, shown: key };
  // It was closed, or Slack does not show the end in it: a direct message takes its place.
  const { modal, ...closed } = rest;
  return closed as Record; // as: see above
}
