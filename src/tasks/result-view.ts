import type { ModalView } from '@slack/types';
import { actions, section } from '../slack/blocks.ts';
import { modal } from '../slack/modal-blocks.ts';
import { FORMS, TITLE } from './actions.ts';
import { choosingView } from './choosing-view.ts';
import type { Places } from './destinations.ts';
import type { Move } from './move.ts';
import type { MoveFace } from './move-face.ts';
import { resultText } from './outcome-words.ts';
import { resultButtons } from './result-buttons.ts';

/** The modal while a move is carried out, and when it has ended. */
export function resultView(id: string, move: Move, face: MoveFace, places: Places): ModalView {
  const text = resultText(move, face, places);
  const isOver = face.state === 'over';
  if (isOver && face.outcome.code === 'invalid') {
    return choosingView(move.draftId, move.draft, places, text);
  }
  const buttons = isOver ? resultButtons(id, move) : [];
  const more = buttons.length > 0 ? [actions('tasks.result', buttons)] : [];
  return modal({
    callbackId: FORMS.notice,
    title: TITLE,
    close: 'Close',
    blocks: [section(text), ...more],
  });
}
