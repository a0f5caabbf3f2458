import type { ModalView } from '@slack/types';
import { compareIsoTimes } from '../lib/iso-time.ts';
import { readAgain, runOf } from '../reconcile/press-again.ts';
import { type SignalRecordNeeds, signalRecord } from '../reconcile/signal-record.ts';
import type { Store } from '../store/store.ts';
import { entryView, noticeView, troubleView } from './begin-views.ts';
import { choosingView } from './choosing-view.ts';
import { type Draft, keepDraft } from './draft.ts';
import { type FirstViewNeeds, kept } from './first-view.ts';
import { accountRead } from './may-move.ts';
import { decodeMove, isRepeatable, isReviewable, MOVE_KIND, type Move } from './move.ts';
import { faceOf } from './move-face.ts';
import { encodeMoveSignal } from './move-flow.ts';
import { nextView } from './next-view.ts';
import { readItem } from './read-item.ts';
import { resultView } from './result-view.ts';
import { MOVE_GONE, movedSentence, NOT_YOURS, SNAPSHOT_OLD, troubleSentence } from './sentences.ts';
import { itemsOf } from './tree.ts';
import { turnedAway } from './turned-away.ts';

export interface GoOnNeeds extends FirstViewNeeds, SignalRecordNeeds {
  readonly store: FirstViewNeeds['store'] & Pick<Store, 'read' | 'signal'>;
}

/** A press on a button of a move that did not end as wanted. */
export interface Press {
  /** Of the button: the record, and for one that sends it again what was seen of it. */
  readonly value: string;
  /** Unique to this press. */
  readonly press: string;
  readonly user: string;
}

/** Has exactly the same sent once more. The view to show; undefined: the move itself shows what comes of it. */
export async function sendAgain(needs: GoOnNeeds, press: Press): Promise<ModalView | undefined> {
  const { id, run } = readAgain(press.value);
  const move = await moveOf(needs, id, press.user);
  if (typeof move === 'string') return noticeView(move);
  // It has gone on since: the person has not seen yet how.
  if (!isRepeatable(move) || runOf(move) !== run) {
    return resultView(id, move, faceOf(move), needs.places);
  }
  const signal = { id: press.press, body: encodeMoveSignal({ kind: 'again', run }) };
  const signalled = await signalRecord(needs, id, signal, { once: true });
  return signalled === 'missing' ? noticeView(MOVE_GONE) : undefined;
}

/** Reads the item anew, and keeps of the choices what still fits. */
export async function reviewAgain(
  needs: GoOnNeeds,
  { value, user }: Pick<Press, 'value' | 'user'>,
): Promise<ModalView> {
  return kept(async () => {
    const move = await moveOf(needs, value, user);
    if (typeof move === 'string') return noticeView(move);
    if (!isReviewable(move)) return resultView(value, move, faceOf(move), needs.places);
    const { draft, outcome } = move;
    const away = await turnedAway(needs, draft);
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
      return troubleView(await keepDraft(needs, draft), troubleSentence(read.why, read.detail));
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
  });
}

/** The sentence to say instead, when it is not theirs or not there. */
async function moveOf(
  { store }: Pick<GoOnNeeds, 'store'>,
  id: string,
  user: string,
): Promise<Move | string> {
  const found = await store.read(id);
  if (found === undefined || found.kind !== MOVE_KIND) return MOVE_GONE;
  const move = decodeMove(found.data);
  return move.draft.by === user ? move : NOT_YOURS;
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
