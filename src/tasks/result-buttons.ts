import type { Button } from '@slack/types';
import { writeAgain } from '../reconcile/press-again.ts';
import { button, confirm } from '../slack/blocks.ts';
import { ACTIONS } from './actions.ts';
import { isRepeatable, isReviewable, type Move } from './move.ts';

/** What a person can do about a move that did not end as wanted. */
export function resultButtons(id: string, move: Move): readonly Button[] {
  if (isReviewable(move)) return [button(ACTIONS.review, 'Review again', id, { style: 'primary' })];
  if (!isRepeatable(move)) return [];
  const again = writeAgain(id, move);
  if (move.doubt === undefined && move.outcome?.code !== 'not-moved') {
    return [button(ACTIONS.again, 'Try again', again)];
  }
  const sure = confirm(
    'Send the same again?',
    'Exactly what you reviewed is sent once more. If the item was moved or changed meanwhile, the service refuses it.',
    'Send again',
    'Not now',
  );
  return [button(ACTIONS.again, 'Send the same move again', again, { confirm: sure })];
}
