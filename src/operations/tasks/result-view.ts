import type { Button, ModalView } from '@slack/types';
import { actions, button, confirm, section } from '../../core/slack/blocks.ts';
import type { SlackLinks } from '../../core/slack/links.ts';
import type { SlackMessage } from '../../core/slack/outbox.ts';
import { bold } from '../../core/slack/text.ts';
import { writeAgain } from '../flow/ask.ts';
import { isRepeatable } from '../flow/progress.ts';
import { ACTIONS } from './actions.ts';
import { noticeView } from './begin-views.ts';
import { type Places, projectName } from './destinations.ts';
import { titleOf } from './item.ts';
import { isReviewable, MOVE_RULES, type Move, type MoveState } from './move.ts';
import { choosingView } from './next-view.ts';
import { movedLine, resultText } from './outcome-words.ts';

/** The modal during and after a move. */
export function resultView(id: string, move: Move, state: MoveState, places: Places): ModalView {
  const text = resultText(move, state, places);
  if (state.state === 'done' && state.outcome.code === 'invalid' && isReviewable(move)) {
    const { draft, draftId } = move.wish;
    return choosingView(draftId, draft, places, text);
  }
  return noticeView(text, buttonBlocks(id, move, state));
}

/** The direct message to a person who closed the modal. */
export function resultMessage(
  id: string,
  move: Move,
  state: MoveState,
  places: Places,
): SlackMessage {
  const text = resultText(move, state, places);
  return { text, blocks: [section(text), ...buttonBlocks(id, move, state)] };
}

function buttonBlocks(id: string, move: Move, state: MoveState) {
  const buttons = state.state === 'done' ? buttonsOf(id, move) : [];
  return buttons.length > 0 ? [actions('tasks.result', buttons)] : [];
}

/** What a person can do about a move that failed. */
function buttonsOf(id: string, move: Move): readonly Button[] {
  if (isReviewable(move)) return [button(ACTIONS.review, 'Review again', id, { style: 'primary' })];
  if (!isRepeatable(MOVE_RULES, move)) return [];
  const again = writeAgain(id, move.run);
  if (move.unconfirmed === undefined && move.outcome?.code !== 'not-moved') {
    return [button(ACTIONS.again, 'Try again', again)];
  }
  return [button(ACTIONS.again, 'Send the same move again', again, { confirm: sendAgainSure() })];
}

export function sendAgainSure() {
  return confirm(
    'Send the same move again?',
    'Exactly what you reviewed is sent again. If the item was moved or changed in the meantime, the service refuses it.',
    'Send again',
    'Not now',
  );
}

/** The channel's announcement of a moved item. */
export function announcement(move: Move, places: Places, links: SlackLinks): SlackMessage {
  const { outcome } = move;
  const { draft } = move.wish;
  if (outcome?.code !== 'moved' && outcome?.code !== 'found-moved') {
    throw new Error('only what was moved is announced');
  }
  // Nobody is notified of what they did themselves.
  const who = links.person(draft.by);
  const where = bold(projectName(places, draft.target));
  const done = outcome.code === 'moved' ? 'moved' : 'sent';
  const head = `Work item ${done} to ${where} by ${who}`;
  const lines = [head, movedLine(move.wish, outcome, places), titleOf(draft.item, 200)];
  const text = lines.filter((line) => line !== '').join('\n');
  return { text, blocks: [section(text)] };
}
