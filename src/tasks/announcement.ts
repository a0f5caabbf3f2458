import type { SlackMessage } from '../operations/report.ts';
import { section } from '../slack/blocks.ts';
import { bold } from '../slack/text.ts';
import type { Places } from './destinations.ts';
import type { Move } from './move.ts';
import { movedLine, projectName } from './outcome-words.ts';
import { titleOf } from './tree.ts';

/** What the channel reads of an item that was moved. */
export function announcement(move: Move, places: Places): SlackMessage {
  const { outcome } = move;
  const { draft } = move.wish;
  if (outcome?.code !== 'moved' && outcome?.code !== 'found-moved') {
    throw new Error('only what was moved is announced');
  }
  const who = `<@${draft.by}>`;
  const where = bold(projectName(move, places));
  const head =
    outcome.code === 'moved'
      ? `${who} moved a work item to ${where}`
      : `${who} sent a work item to ${where}`;
  const lines = [head, movedLine(move, outcome, places), titleOf(draft.item, 200)];
  const text = lines.filter((line) => line !== '').join('\n');
  return { text, blocks: [section(text)] };
}
