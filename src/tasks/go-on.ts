import type { ModalView } from '@slack/types';
import { compareIsoTimes } from '../lib/iso-time.ts';
import {
  type AgainDependencies,
  askAgain,
  type Found,
  findOwn,
  type Press,
} from '../operations/ask.ts';
import { stateOf } from '../operations/operation.ts';
import { entryView, noticeView, troubleView } from './begin-views.ts';
import { choosingView } from './choosing-view.ts';
import { type Draft, keepDraft } from './draft.ts';
import { type FirstViewNeeds, kept } from './first-view.ts';
import { accountRead } from './may-move.ts';
import { isReviewable, MOVE_RULES, type MoveTypes } from './move.ts';
import { nextView } from './next-view.ts';
import { readItem } from './read-item.ts';
import { resultView } from './result-view.ts';
import { MOVE_GONE, movedSentence, NOT_YOURS, SNAPSHOT_OLD, troubleSentence } from './sentences.ts';
import { itemsOf } from './tree.ts';
import { turnedAway } from './turned-away.ts';

export interface GoOnNeeds extends FirstViewNeeds, AgainDependencies {
  readonly store: FirstViewNeeds['store'] & AgainDependencies['store'];
}

/** Has exactly the same sent once more. The view to show; undefined: the move itself shows what comes of it. */
export async function sendAgain(needs: GoOnNeeds, press: Press): Promise<ModalView | undefined> {
  const asked = await askAgain(needs, MOVE_RULES, press);
  if (asked.kind === 'stored') return undefined;
  if (asked.kind !== 'found') return absent(asked.kind);
  const { id, record } = asked;
  return resultView(id, record, stateOf(record), needs.places);
}

/** Reads the item anew, and keeps of the choices what still fits. */
export async function reviewAgain(
  needs: GoOnNeeds,
  { value, user }: Pick<Press, 'value' | 'user'>,
): Promise<ModalView> {
  return kept(async () => {
    const found = await findOwn(needs.store, MOVE_RULES, value, user);
    if (found.kind !== 'found') return absent(found.kind);
    const { record: move } = found;
    if (!isReviewable(move)) return resultView(value, move, stateOf(move), needs.places);
    const { outcome } = move;
    const { draft } = move.wish;
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
