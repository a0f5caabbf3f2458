import type { SlackMessage } from '../posts/perform-telling.ts';
import { actions, section } from '../slack/blocks.ts';
import type { Places } from './destinations.ts';
import type { Move } from './move.ts';
import type { MoveFace } from './move-face.ts';
import { resultText } from './outcome-words.ts';
import { resultButtons } from './result-buttons.ts';

/** The direct message to a person who closed the modal. */
export function resultMessage(
  id: string,
  move: Move,
  face: MoveFace,
  places: Places,
): SlackMessage {
  const text = resultText(move, face, places);
  const buttons = face.state === 'over' ? resultButtons(id, move) : [];
  const more = buttons.length > 0 ? [actions('tasks.result', buttons)] : [];
  return { text, blocks: [section(text), ...more] };
}
