import type { ModalView } from '@slack/types';
import { compareIsoTimes } from '../../core/lib/iso-time.ts';
import type { Form } from '../../core/slack/form.ts';
import { StoreError } from '../../core/store/store.ts';
import { askAgain, askOnce, type Found, findOwn, type Press } from '../flow/ask.ts';
import { stateOf } from '../flow/operation.ts';
import { announcementAt } from '../flow/report.ts';
import { viewOfTrouble } from './begin-move.ts';
import { entryView, noticeView, troubleView } from './begin-views.ts';
import { isComplete } from './choices.ts';
import type { TaskDependencies } from './dependencies.ts';
import { type Draft, draftIdIn, isUnsureIn, keepDraft, readDraft } from './draft.ts';
import { itemsOf } from './item.ts';
import { accountRead } from './may-move.ts';
import { isReviewable, MOVE_RULES, type MoveTypes } from './move.ts';
import { moveRefusal } from './move-refusal.ts';
import { choosingView, nextView } from './next-view.ts';
import { readItem } from './read-item.ts';
import { resultView } from './result-view.ts';
import { moveAgainView, reviewView } from './review-view.ts';
import {
  FORM_GONE,
  MAYBE_RECORDED,
  MOVE_GONE,
  movedSentence,
  NOT_RECORDED,
  NOT_YOURS,
  OTHER_WORKFLOW,
  SNAPSHOT_OLD,
} from './sentences.ts';

/** What the modal shows next; `carryOn` is for after the acknowledgement. */
interface Submitted {
  readonly carryOn: () => Promise<void>;
  readonly view: ModalView;
}

/**
 * Records a move that was reviewed, durably and once: the draft's id is its key, so that a second
 * press, or a second delivery, finds the first.
 */
export async function submitMove(
  needs: TaskDependencies,
  form: Form,
  by: string,
): Promise<Submitted> {
  const draftId = draftIdIn(form.metadata) ?? '';
  const draft = await readDraft(needs.store, draftId).catch(unlessStore);
  const isUnsure = isUnsureIn(form.metadata);
  if (draft === 'unavailable' || draft === 'unknown') {
    return shown(moveAgainView(draftId, notRecorded(isUnsure)));
  }
  const { target } = draft ?? {};
  if (draft === undefined || target === undefined || draft.by !== by) {
    return shown(noticeView(FORM_GONE));
  }
  const reviewed = { ...draft, target };
  if (!isComplete(needs.places, reviewed)) {
    return shown(choosingView(draftId, reviewed, needs.places, OTHER_WORKFLOW));
  }
  const asked = await askOnce(needs, MOVE_RULES, {
    by,
    channel: draft.channel,
    wish: { draft: reviewed, draftId },
    ...announcementAt(needs.places.move.announce, { channel: draft.channel }),
    modal: form.id,
    key: draftId,
    delivery: form.hash,
  }).catch(unlessStore);
  if (asked === 'unavailable' || asked === 'unknown') {
    const note = notRecorded(isUnsure || asked === 'unknown');
    return shown(reviewView(draftId, reviewed, needs.places, note));
  }
  const { id, record, carryOn } = asked;
  return { view: resultView(id, record, stateOf(record), needs.places), carryOn };
}

function notRecorded(isUnsure: boolean) {
  return { text: isUnsure ? MAYBE_RECORDED : NOT_RECORDED, isUnsure };
}

function shown(view: ModalView): Submitted {
  return { view, async carryOn() {} };
}

function unlessStore(error: unknown): StoreError['code'] {
  if (error instanceof StoreError) return error.code;
  throw error;
}

/** Has exactly the same sent once more. The view to show; undefined: the move itself shows what comes of it. */
export async function sendAgain(
  needs: TaskDependencies,
  press: Press,
): Promise<ModalView | undefined> {
  const asked = await askAgain(needs, MOVE_RULES, press);
  if (asked.kind === 'stored') return undefined;
  if (asked.kind !== 'found') return absent(asked.kind);
  const { id, record } = asked;
  return resultView(id, record, stateOf(record), needs.places);
}

/** Reads the item anew, and keeps of the choices what still fits. Throws StoreError. */
export async function reviewAgain(
  needs: TaskDependencies,
  { value, user }: Press,
): Promise<ModalView> {
  const found = await findOwn(needs.store, MOVE_RULES, value, user);
  if (found.kind !== 'found') return absent(found.kind);
  const { record: move } = found;
  if (!isReviewable(move)) return resultView(value, move, stateOf(move), needs.places);
  const { outcome } = move;
  const { draft } = move.wish;
  const away = await moveRefusal(needs, draft);
  if (away !== null) return noticeView(away);
  if (draft.from === 'manual') {
    return entryView(await keepDraft(needs, draft), null, linesOf(draft));
  }
  const read = await readItem(needs.items, draft.reference);
  if (read.kind === 'moved') {
    const why = movedSentence(read.moved, needs.places);
    return troubleView(await keepDraft(needs, draft), why);
  }
  if (read.kind === 'trouble') {
    return viewOfTrouble(needs, draft, read);
  }
  const isOld =
    read.from === 'push' && compareIsoTimes(read.item.updatedAt, draft.item.updatedAt) <= 0;
  if (isOld && outcome?.code !== 'invalid') {
    return troubleView(await keepDraft(needs, draft), SNAPSHOT_OLD);
  }
  const { item, from, readAt } = read;
  const next = { ...draft, item, from, readAt };
  if (outcome?.code !== 'invalid') return nextView(accountRead(needs), next);
  return choosingView(await keepDraft(needs, next), next, needs.places);
}

function absent(kind: Exclude<Found<MoveTypes>['kind'], 'found'>): ModalView {
  return noticeView(kind === 'gone' ? MOVE_GONE : NOT_YOURS);
}

/** What was entered, to be brought up to date. */
function linesOf({ item }: Draft): string {
  const rows = itemsOf(item).map(({ id, key, status }, index) =>
    [id, key, index === 0 ? item.updatedAt : null, status]
      .filter((part) => part !== null)
      .join(' '),
  );
  return rows.join('\n');
}
