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

/** Hands the press to the batch, whose message shows what comes of it. The sentence to say when it cannot be. */
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

/** What is said of a press that sends nothing again, as others are or were sent; the message is shown anew. */
function passedOver(batch: BatchRecord, press: BatchPress): string | undefined {
  if (press.kind === 'page' || linesFor(batch, press).length > 0) return undefined;
  return batch.phase.name === 'done' ? SEEN_OLD : UNDER_WAY;
}

/** A form with the lines that were certainly not created, to be changed. */
export function changeFailed(
  { store, config: places }: Core,
  { value, user }: Press,
): Promise<ModalView> {
  const form = async () => {
    const found = await batchOf(store, value, user);
    if (typeof found === 'string') return noticeView(found);
    const { phase, place } = found;
    // What is on its way now would be created twice.
    if (phase.name !== 'done') return noticeView(UNDER_WAY);
    const lines = found.lines.filter((line) => CHANGEABLE.has(lineState(line)));
    return formOfLines(places, whereOf(found), { ...place, lines });
  };
  return unlessAway(form(), noticeView(NOT_STORED));
}

const CHANGEABLE: ReadonlySet<string> = new Set(['failed', 'unsent']);

/** The sentence to say instead, when it is not theirs or not there. */
async function batchOf(store: Store, record: string, user: string): Promise<BatchRecord | string> {
  const found = await store.read(record);
  if (found === undefined || found.kind !== BATCH_KIND) return WORDS.gone;
  const known = decodeBatch(found.data);
  return known.by === user ? known : NOT_YOURS;
}
