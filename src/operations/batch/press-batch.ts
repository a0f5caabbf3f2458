import type { Core } from '../../core/core.ts';
import { signalRecord } from '../../core/engine/put-record.ts';
import { type Store, StoreError } from '../../core/store/store.ts';
import type { Press } from '../flow/ask.ts';
import type { OperationTypes } from '../flow/rules.ts';
import { NOT_STORED, NOT_YOURS } from '../flow/words.ts';
import { type Batch, type BatchRecord, decodeBatch, readPress } from './batch.ts';
import { encodeBatchSignal, linesFor } from './batch-flow.ts';

/** Sentences for a press that repeats nothing. */
interface PressWords {
  readonly gone: string;
  /** Lines are being sent. */
  readonly underWay: string;
  /** They were sent since the person saw them. */
  readonly seenOld: string;
}

/** Passes the press to the batch, whose message shows the result. Returns a sentence if it cannot. */
export async function pressBatch<T extends OperationTypes, R extends BatchRecord<T>>(
  core: Core,
  batch: Batch<T, R>,
  { gone, underWay, seenOld }: PressWords,
  { value, press, user }: Press,
): Promise<string | undefined> {
  const read = readPress(value);
  if (read === undefined) return gone;
  try {
    const found = await ownBatch(core.store, batch, read.record, user);
    if (found === 'gone') return gone;
    if (found === 'not-theirs') return NOT_YOURS;
    const signal = { id: press, body: encodeBatchSignal(read.press) };
    if ((await signalRecord(core, read.record, signal, { once: true })) === 'missing') return gone;
    // Nothing is repeated, because the lines are being sent or were sent; the message is shown again.
    if (read.press.kind === 'page' || linesFor(batch, found, read.press).length > 0)
      return undefined;
    return found.phase.name === 'done' ? seenOld : underWay;
  } catch (error) {
    if (error instanceof StoreError) return error.code === 'unknown' ? MAYBE_PRESSED : NOT_STORED;
    throw error;
  }
}

/** `things`: "test cases". `done`: "created". */
export function pressWordsFor(gone: string, things: string, done: string): PressWords {
  const first = `${things.charAt(0).toUpperCase()}${things.slice(1)}`;
  return {
    gone,
    underWay: `${first} of this message are still being ${done}. Wait until it shows the results.`,
    seenOld: `The results have changed since this message was shown. Nothing was sent again. Check the latest message about these ${things}, then press again.`,
  };
}

export const MAYBE_PRESSED =
  'It is not known whether your press was recorded. Check the message in a minute. If nothing has changed, press again.';

/** A person's own batch. Throws StoreError. */
export async function ownBatch<T extends OperationTypes, R extends BatchRecord<T>>(
  store: Store,
  batch: Batch<T, R>,
  record: string,
  user: string,
): Promise<R | 'gone' | 'not-theirs'> {
  const found = await store.read(record);
  if (found === undefined || found.kind !== batch.kind) return 'gone';
  const known = decodeBatch(batch, found.data);
  return known.by === user ? known : 'not-theirs';
}
