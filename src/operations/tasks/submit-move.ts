import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { compareIsoTimes } from '../../core/lib/iso-time.ts';
import type { Form } from '../../core/slack/form.ts';
import { showInstead } from '../../core/slack/modal-blocks.ts';
import type { FormAnswer } from '../../core/slack/show-form.ts';
import { type Absent, askAgain, askOnce, findOwn, type Press } from '../flow/ask.ts';
import { stateOf } from '../flow/operation.ts';
import { announcementAt } from '../flow/report.ts';
import { storeTrouble } from '../flow/store-away.ts';
import { NOT_YOURS } from '../flow/words.ts';
import { viewOfTrouble } from './begin-move.ts';
import { entryView, noticeView, troubleView } from './begin-views.ts';
import { isComplete } from './choices.ts';
import { type Draft, keepDraft, readDraft } from './draft.ts';
import { itemsOf } from './item.ts';
import { isReviewable, MOVE_RULES, type Move, type MoveState, type ReviewedDraft } from './move.ts';
import { moveRefusal } from './move-refusal.ts';
import { choosingView, nextView } from './next-view.ts';
import { WORDS } from './outcome-words.ts';
import { readItem } from './read-item.ts';
import { resultView } from './result-view.ts';
import { CONFIRM_FORM, moveAgainView, reviewView } from './review-view.ts';
import { FORM_GONE, movedSentence, OTHER_WORKFLOW, SNAPSHOT_OLD } from './sentences.ts';
import { beganText } from './several/sentences.ts';
import { recordMoves } from './several/submit-several.ts';

/**
 * Records a reviewed move, durably and once: the draft's id is its key, so that a second press, or a repeated delivery,
 * finds the first record.
 */
export async function submitMove(core: Core, form: Form, by: string): Promise<FormAnswer> {
  const { draft: draftId, unsure: isUnsure = false } = CONFIRM_FORM.carriedIn(form);
  const draft = await readDraft(core.store, draftId).catch(storeTrouble);
  if (draft === 'unavailable' || draft === 'unknown') {
    return shown(moveAgainView(draftId, notRecorded(isUnsure)));
  }
  const { target } = draft ?? {};
  if (draft === undefined || target === undefined || draft.by !== by) {
    return shown(noticeView(FORM_GONE));
  }
  const reviewed = { ...draft, target };
  if (!isComplete(core.config, reviewed)) {
    return shown(choosingView(draftId, reviewed, core.config, OTHER_WORKFLOW));
  }
  if (draft.more !== undefined) return submitSeveral(core, draftId, reviewed, isUnsure);
  const asked = await askOnce(core, MOVE_RULES, {
    by,
    channel: draft.channel,
    wish: { draft: reviewed, draftId },
    ...announcementAt(core.config.move.announce, { channel: draft.channel }),
    modal: form.id,
    key: draftId,
    delivery: form.hash,
  }).catch(storeTrouble);
  if (asked === 'unavailable' || asked === 'unknown') {
    const note = notRecorded(isUnsure || asked === 'unknown');
    return shown(reviewView(draftId, reviewed, core.config, note));
  }
  const { id, record, carryOn } = asked;
  const view = resultView(id, record, stateOf(record), core.config);
  return { ack: showInstead(view), later: carryOn };
}

async function submitSeveral(
  core: Core,
  draftId: string,
  draft: ReviewedDraft,
  isUnsure: boolean,
): Promise<FormAnswer> {
  const moves = await recordMoves(core, draftId, draft).catch(storeTrouble);
  if (moves === 'unavailable' || moves === 'unknown') {
    const note = notRecorded(isUnsure || moves === 'unknown');
    return shown(reviewView(draftId, draft, core.config, note));
  }
  const { record, carryOn } = moves;
  const ack = showInstead(noticeView(beganText(record, core.config)));
  return { ack, later: async () => carryOn() };
}

function notRecorded(isUnsure: boolean) {
  return { text: WORDS.notRecorded(isUnsure), isUnsure };
}

function shown(view: ModalView): FormAnswer {
  return { ack: showInstead(view) };
}

/** Repeats exactly the same call. Returns a view to show; undefined: the move itself shows the result. */
export function sendAgain(core: Core, press: Press): Promise<ModalView | undefined> {
  const result = (id: string, move: Move, state: MoveState) =>
    resultView(id, move, state, core.config);
  return askAgain(core, MOVE_RULES, press, { result, absent });
}

/** Reads the item again, and keeps the choices that still fit. Throws StoreError. */
export async function reviewAgain(core: Core, { value, user }: Press): Promise<ModalView> {
  const found = await findOwn(core.store, MOVE_RULES, value, user);
  if (found.kind !== 'found') return absent(found.kind);
  const { record: move } = found;
  if (!isReviewable(move)) return resultView(value, move, stateOf(move), core.config);
  const { outcome } = move;
  const { draft } = move.wish;
  const away = await moveRefusal(core, draft);
  if (away !== null) return noticeView(away);
  if (draft.from === 'manual') {
    return entryView(await keepDraft(core, draft), null, linesOf(draft));
  }
  const read = await readItem(core, draft.reference);
  if (read.kind === 'moved') {
    const why = movedSentence(read.moved, core.config);
    return troubleView(await keepDraft(core, draft), why);
  }
  if (read.kind === 'trouble') {
    return viewOfTrouble(core, draft, read);
  }
  const isOld =
    read.from === 'push' && compareIsoTimes(read.item.updatedAt, draft.item.updatedAt) <= 0;
  if (isOld && outcome?.code !== 'invalid') {
    return troubleView(await keepDraft(core, draft), SNAPSHOT_OLD);
  }
  const { item, from, readAt } = read;
  const next = { ...draft, item, from, readAt };
  if (outcome?.code !== 'invalid') return nextView(core, next, { isAccountRead: true });
  return choosingView(await keepDraft(core, next), next, core.config);
}

function absent(kind: Absent): ModalView {
  return noticeView(kind === 'gone' ? WORDS.gone : NOT_YOURS);
}

/** The entered lines, to be updated. */
function linesOf({ item }: Draft): string {
  const rows = itemsOf(item).map(({ id, key, status }, index) =>
    [id, key, index === 0 ? item.updatedAt : null, status]
      .filter((part) => part !== null)
      .join(' '),
  );
  return rows.join('\n');
}
