import { createHash } from 'node:crypto';
import type { Form } from '../../slack/form.ts';
import { showError, showInstead } from '../../slack/modal-blocks.ts';
import { StoreError } from '../../store/store.ts';
import { testProjectWith } from '../catalogue.ts';
import { PROJECT_BLOCK } from '../form-view.ts';
import { noticeView } from '../result-view.ts';
import { FORM_OLD } from '../sentences.ts';
import type { SubmitNeeds, Submitted } from '../submit-form.ts';
import { beganText } from './batch-words.ts';
import {
  boxBlock,
  type EnteredLines,
  enteredLines,
  type LinesNote,
  linesCarriedIn,
  linesForm,
} from './lines-form.ts';
import {
  LINES_CHANGED,
  LINES_MAX,
  MAYBE_RECORDED_LINES,
  NO_LINES,
  NOT_RECORDED_LINES,
  tooMany,
} from './lines-words.ts';
import { readLines } from './read-lines.ts';
import { recordBatch } from './record-batch.ts';

/**
 * The lines were submitted. They are shown as they are understood, in the same form; submitted once
 * more, unchanged, they are recorded before Slack hears of it.
 */
export async function submitLines(needs: SubmitNeeds, form: Form, by: string): Promise<Submitted> {
  const { places } = needs;
  const carry = linesCarriedIn(form.metadata);
  const entered = enteredLines(form, places);
  const project = testProjectWith(places, entered.projectId);
  if (project === undefined) return answer(showError(PROJECT_BLOCK, FORM_OLD));
  const read = readLines(entered.boxes.join('\n'));
  const lines = read.flatMap((each) => ('line' in each ? [each.line] : []));
  if (read.length === 0) return answer(showError(boxBlock(0), NO_LINES));
  const print = printOf(entered);
  const show = (note: LinesNote, previewed?: string) => {
    const shown = { channel: carry.channel, boxes: carry.boxes, ...(previewed && { previewed }) };
    return answer(showInstead(linesForm(places, shown, entered, note)));
  };
  if (read.length > LINES_MAX) return show({ text: tooMany(read.length) });
  if (lines.length < read.length) return show({ read });
  if (carry.previewed !== print) {
    const isOld = carry.previewed !== undefined;
    return show({ read, ...(isOld && { text: LINES_CHANGED }) }, print);
  }
  const suite = entered.suiteId === undefined ? {} : { suiteId: entered.suiteId };
  const place = { spaceSlug: project.space, projectId: project.id, ...suite };
  const wish = { by, channel: carry.channel, place, lines };
  return record(needs, wish, form, (text) => show({ read, text }, print));
}

async function record(
  needs: SubmitNeeds,
  wish: Parameters<typeof recordBatch>[1],
  form: Form,
  again: (text: string) => Submitted,
): Promise<Submitted> {
  try {
    const { batch, carryOn } = await recordBatch(needs, wish, `lines\0${form.id}`);
    const text = beganText(batch.lines.length, batch.place, needs.places);
    return { ack: showInstead(noticeView(text)), carryOn: async () => carryOn() };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return again(error.code === 'unknown' ? MAYBE_RECORDED_LINES : NOT_RECORDED_LINES);
  }
}

/** Tells whether what was previewed is what is submitted. */
function printOf(entered: EnteredLines): string {
  const { projectId = '', suiteId = '', boxes } = entered;
  const text = JSON.stringify([projectId, suiteId, ...boxes]);
  return createHash('sha256').update(text).digest('base64url');
}

function answer(ack: Submitted['ack']): Submitted {
  return { ack, async carryOn() {} };
}
