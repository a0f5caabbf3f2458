import type { SlackMessage } from '../posts/perform-telling.ts';
import { section } from '../slack/blocks.ts';
import { bold, cutPlain, escapeMrkdwn } from '../slack/text.ts';
import type { Places } from './destinations.ts';
import type { Move } from './move.ts';
import { movedLine, projectName } from './outcome-words.ts';

/** What the channel reads of an item that was moved. */
export function announcement(move: Move, places: Places): SlackMessage {
  const { draft, outcome } = move;
  if (outcome?.code !== 'moved' && outcome?.code !== 'found-moved') {
    throw new Error('only what was moved is announced');
  }
  const who = `<@${draft.by}>`;
  const where = bold(projectName(move, places));
  const head =
    outcome.code === 'moved'
      ? `${who} moved a work item to ${where}`
      : `${who} sent a work item to ${where}`;
  const { key, title } = draft.item;
  const about = key === null || title === null ? '' : `\n${escapeMrkdwn(cutPlain(title, 200)[0])}`;
  const text = `${head}\n${movedLine(move, outcome, places)}${about}`;
  return { text, blocks: [section(text)] };
}
