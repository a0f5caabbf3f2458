import { createHash } from 'node:crypto';
import type { Core } from '../../../core/core.ts';
import { type RecordedOnce, recordOnce } from '../../../core/engine/put-record.ts';
import type { Form } from '../../../core/slack/form.ts';
import { showError, showInstead } from '../../../core/slack/modal-blocks.ts';
import type { FormAnswer } from '../../../core/slack/show-form.ts';
import type { StoreError } from '../../../core/store/store.ts';
import { decodeBatch, encodeBatch } from '../../batch/batch.ts';
import { queueOf } from '../../batch/queue.ts';
import { announcementAt } from '../../flow/report.ts';
import { storeTrouble } from '../../flow/store-away.ts';
import { testProjectWith } from '../catalogue.ts';
import { askedAt, PROJECT_BLOCK } from '../form-view.ts';
import { noticeView } from '../result-view.ts';
import { FORM_OLD, WORDS } from '../sentences.ts';
import { CASE_BATCH, type CaseBatch } from './case-batch.ts';
import {
  boxBlock,
  type EnteredLines,
  enteredLines,
  LINES_FORM,
  type LinesCarried,
  type LinesNote,
  linesForm,
} from './lines-form.ts';
import { readLines } from './read-lines.ts';
import { beganText, LINES_CHANGED, LINES_MAX, NO_LINES, tooMany } from './sentences.ts';

/**
 * Handles submitted lines: first shows them as understood, in the same form; submitted again without changes, they are
 * recorded before the acknowledgement.
 */
export async function submitLines(core: Core, form: Form, by: string): Promise<FormAnswer> {
  const { config: places } = core;
  const carry = LINES_FORM.carriedIn(form);
  const entered = enteredLines(form, places);
  const project = testProjectWith(places, entered.projectId);
  if (project === undefined) return { ack: showError(PROJECT_BLOCK, FORM_OLD) };
  const read = readLines(entered.boxes.join('\n'));
  const lines = read.flatMap((each) => ('line' in each ? [each.line] : []));
  if (read.length === 0) return { ack: showError(boxBlock(0), NO_LINES) };
  const print = printOf(entered);
  const show = (note: LinesNote, change: Pick<LinesCarried, 'previewed' | 'unsure'> = {}) => {
    const { previewed, ...kept } = carry;
    return { ack: showInstead(linesForm(places, { ...kept, ...change }, entered, note)) };
  };
  if (read.length > LINES_MAX) return show({ text: tooMany(read.length) });
  if (lines.length < read.length) return show({ read });
  if (carry.previewed !== print) {
    const isOld = carry.previewed !== undefined;
    return show({ read, ...(isOld && { text: LINES_CHANGED }) }, { previewed: print });
  }
  const suite = entered.suiteId === undefined ? {} : { suiteId: entered.suiteId };
  const place = { spaceSlug: project.space, projectId: project.id, ...suite };
  const told = announcementAt(places.cases.announce, askedAt(carry));
  const wish = { by, channel: carry.channel, ...told, place, lines };
  return record(core, wish, form, (code) => {
    const isUnsure = code === 'unknown' || carry.unsure === true;
    const text = WORDS.notRecorded(isUnsure);
    return show({ read, text }, { previewed: print, ...(isUnsure && { unsure: true }) });
  });
}

async function record(
  core: Core,
  wish: Parameters<typeof recordBatch>[1],
  form: Form,
  again: (code: StoreError['code']) => FormAnswer,
): Promise<FormAnswer> {
  try {
    const { batch, carryOn } = await recordBatch(core, wish, `lines\0${form.id}`);
    const text = beganText(batch.lines.length, batch.place, core.config);
    return { ack: showInstead(noticeView(text)), later: async () => carryOn() };
  } catch (error) {
    return again(storeTrouble(error));
  }
}

/** A digest, to see whether what is submitted was previewed. */
function printOf(entered: EnteredLines): string {
  const { projectId = '', suiteId = '', boxes } = entered;
  const text = JSON.stringify([projectId, suiteId, ...boxes]);
  return createHash('sha256').update(text).digest('base64url');
}

/** A request for several test cases. */
type BatchWish = Pick<CaseBatch, 'by' | 'channel' | 'announce' | 'announceIn' | 'place' | 'lines'>;

interface RecordedBatch extends Pick<RecordedOnce, 'carryOn'> {
  /** The first record of this request. */
  readonly batch: CaseBatch;
}

/**
 * Records several test cases, durably and once: a repeated delivery finds the first record. `key`: unique to the form.
 * Throws StoreError.
 */
async function recordBatch(core: Core, wish: BatchWish, key: string): Promise<RecordedBatch> {
  const { by, place, lines } = wish;
  const facts = {
    project: place.projectId,
    suite: place.suiteId ?? null,
    lines: lines.length,
  };
  const batch = newBatch(wish, core.store.now());
  const { created, carryOn } = await recordOnce(core, {
    kind: CASE_BATCH.kind,
    data: encodeBatch(batch),
    key,
    audit: { action: 'test-cases.asked', record: null, actor: by, facts },
  });
  const isFirst = created.kind === 'created';
  return { batch: isFirst ? batch : decodeBatch(CASE_BATCH, created.record.data), carryOn };
}

function newBatch(wish: BatchWish, createdAt: number): CaseBatch {
  return {
    v: 1,
    ...wish,
    createdAt,
    ...queueOf(
      wish.lines.map((_, index) => index),
      0,
    ),
    allowedAt: 0,
    run: 0,
    page: 0,
    posts: [],
  };
}
