import type { ModalView } from '@slack/types';
import type { Core } from '../../../core/core.ts';
import { signalRecord } from '../../../core/engine/put-record.ts';
import { type Store, StoreError } from '../../../core/store/store.ts';
import { unlessAway } from '../../../core/store/unless-away.ts';
import type { Press } from '../../flow/ask.ts';
import { NOT_STORED, NOT_YOURS } from '../../flow/words.ts';
import { whereOf } from '../form-view.ts';
import { noticeView } from '../result-view.ts';
import { WORDS } from '../sentences.ts';
import {
  BATCH_KIND,
  type BatchPress,
  type BatchRecord,
  decodeBatch,
  lineState,
  readPress,
} from './batch.ts';
import { encodeBatchSignal, linesFor } from './batch-flow.ts';
import { formOfLines } from './lines-form.ts';
import { MAYBE_PRESSED, SEEN_OLD, UNDER_WAY } from './sentences.ts';

/** Passes the press to the batch, whose message shows the result. Returns a sentence if it cannot. */
export async function pressBatch(
  core: Core,
  { value, press, user }: Press,
): Promise<string | undefined> {
  const read = readPress(value);
  if (read === undefined) return WORDS.gone;
  try {
    const found = await batchOf(core.store, read.record, user);
    if (typeof found === 'string') return found;
    const signal = { id: press, body: encodeBatchSignal(read.press) };
    if ((await signalRecord(core, read.record, signal, { once: true })) === 'missing')
      return WORDS.gone;
    return passedOver(found, read.press);
  } catch (error) {
    if (error instanceof StoreError) return error.code === 'unknown' ? MAYBE_PRESSED : NOT_STORED;
    throw error;
  }
}

/**
 * The sentence for a press that repeats nothing, because the lines are being sent or were sent; the message is shown
 * again.
 */
function passedOver(batch: BatchRecord, press: BatchPress): string | undefined {
  if (press.kind === 'page' || linesFor(batch, press).length > 0) return undefined;
  return batch.phase.name === 'done' ? SEEN_OLD : UNDER_WAY;
}

/** A form to change the lines that were certainly not created. */
export function changeFailed(
  { store, config: places }: Core,
  { value, user }: Press,
): Promise<ModalView> {
  const form = async () => {
    const found = await batchOf(store, value, user);
    if (typeof found === 'string') return noticeView(found);
    const { phase, place } = found;
    // Lines in flight would be created twice.
    if (phase.name !== 'done') return noticeView(UNDER_WAY);
    const lines = found.lines.filter((line) => CHANGEABLE.has(lineState(line)));
    return formOfLines(places, whereOf(found), { ...place, lines });
  };
  return unlessAway(form(), noticeView(NOT_STORED));
}

const CHANGEABLE: ReadonlySet<string> = new Set(['failed', 'unsent']);

/** The batch, or a sentence if it does not exist or is not theirs. */
async function batchOf(store: Store, record: string, user: string): Promise<BatchRecord | string> {
  const found = await store.read(record);
  if (found === undefined || found.kind !== BATCH_KIND) return WORDS.gone;
  const known = decodeBatch(found.data);
  return known.by === user ? known : NOT_YOURS;
}
