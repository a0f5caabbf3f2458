import { bold, itSays, joinSentences, oneLine } from '../../../core/slack/text.ts';
import { type BatchState, lineState } from '../../batch/batch.ts';
import { headlineOf, UNCLEAR } from '../../batch/batch-message.ts';
import { pressWordsFor } from '../../batch/press-batch.ts';
import { untoldSentence } from '../../flow/report.ts';
import { type Places, projectName } from '../destinations.ts';
import { counted, LABEL_MAX, linkedItem } from '../item.ts';
import { MOVE_RULES, type Outcome } from '../move.ts';
import { countText, movedLine, sentenceOf, unmovedText, WORDS } from '../outcome-words.ts';
import type { ReadTrouble } from '../read-item.ts';
import { SNAPSHOT_DAYS } from '../snapshot.ts';
import { type MoveBatch, type MoveLine, wishOf } from './move-batch.ts';

/** Texts about moving several work items, in mrkdwn: the state first, what to do last. */

/** The most items that can be named at once. */
export const NAMED_MAX = 50;
/** The most items in all of their trees: one record holds them. */
export const ITEMS_MAX = 2_000;

export const ONE_AT_A_TIME =
  'Gatepost cannot read work items here, so they can only be moved one at a time.';
export const NOT_INCLUDED = ':warning: Not included:';
export const MOVED_AWAY = 'it was moved, and has not been reported since';

/** Why an item that was named is not among those to be moved. */
export const UNREAD = {
  'no-source': 'Gatepost is not set up to read it',
  'by-hand': 'it can only be entered by hand',
  'no-snapshot': `no automation has reported it in the last ${SNAPSHOT_DAYS} days`,
  'not-found': 'the service does not know it',
  unauthorized: "the service did not accept Gatepost's API key (401)",
  forbidden: "Gatepost's API key cannot read it (403)",
  refused: 'the service refused to show it',
  busy: 'the service is too busy to show it (429)',
  incomplete: "the service's answer could not be read as a work item",
  unreadable: "the service's answer could not be read as a work item",
  unreachable: 'the service could not be reached, or gave no clear answer',
} as const satisfies Record<ReadTrouble, string>;

/** `isEscaped`: the name is. */
export function leftOut(name: string, why: string, isEscaped = false): string {
  return `• ${isEscaped ? name : oneLine(name, LABEL_MAX)}: ${why}`;
}

export function goesWith(name: string, other: string): string {
  return `${name} is below ${other}, and moves with it.`;
}

export function tooManyNamed(count: number): string {
  return `You named ${count} work items. At most ${NAMED_MAX} can be moved at once: the first ${NAMED_MAX} are below. Move the others afterwards.`;
}

export function tooManyItems(count: number): string {
  return `These work items have ${count} items with their sub-items. At most ${ITEMS_MAX} can be moved at once. Remove some, and move them afterwards.`;
}

export const PRESS_WORDS = pressWordsFor(WORDS.gone, 'work items', 'moved');

function itemsText(count: number): string {
  return counted(count, 'work item');
}

/** "to *Platform*" */
function toProject({ target }: Pick<MoveBatch, 'target'>, places: Places): string {
  return `to ${bold(projectName(places, target))}`;
}

/** For the modal, once they are recorded: the person is authorized next. */
export function beganText(record: MoveBatch, places: Places): string {
  const what = `:hourglass_flowing_sand: *Received ${itemsText(record.lines.length)}* ${toProject(record, places)}.`;
  return `${what} Progress and results will appear in a direct message.`;
}

/** One line with the state. */
export function headline(record: MoveBatch, state: BatchState, places: Places): string {
  return headlineOf(record.lines.length, record.stopped !== undefined, state, {
    counted: itemsText,
    where: `→ ${bold(projectName(places, record.target))}`,
    ...{ can: 'move', doing: 'Moving', done: 'moved' },
  });
}

/** For the channel. `isSure`: the service said of each that it moved it, so nobody else did. */
export function announcedText(
  count: number,
  record: MoveBatch,
  { who, isSure }: { readonly who: string; readonly isSure: boolean },
  places: Places,
) {
  return `${itemsText(count)} ${isSure ? 'moved' : 'sent'} ${toProject(record, places)} by ${who}`;
}

/** Below the headline, about all of them. */
export function explanation(record: MoveBatch, { unknown, untold }: BatchState): string {
  const { stopped } = record;
  const lost =
    'Unknown: the service did not say whether they were moved. Check them: old keys work wherever they are.';
  return [
    ...(stopped === undefined ? [] : [stopText(stopped)]),
    ...(unknown > 0 ? [lost] : []),
    ...(untold ? [untoldSentence(record)] : []),
  ].join('\n');
}

/** Why all of them stopped, and what to do. */
function stopText(stopped: Outcome): string {
  if (stopped.code === 'unknown') return UNCLEAR;
  if (stopped.code === 'moved' || stopped.code === 'found-moved') return '';
  const { what, next } = sentenceOf(stopped);
  return joinSentences(what, 'detail' in stopped ? itSays(stopped.detail) : '', next);
}

/** The outcome of a line. */
export function lineText(record: MoveBatch, index: number, places: Places): string {
  const { draft } = wishOf(record, index);
  const line: MoveLine | undefined = record.lines[index];
  const end = line?.end;
  const head = `${index + 1}. ${linkedItem(places, draft)}`;
  switch (lineState(MOVE_RULES, line ?? {})) {
    case 'succeeded': {
      if (end?.code !== 'moved' && end?.code !== 'found-moved') return head;
      const count = countText({ draft }, end).replaceAll('\n', ' ');
      return `:white_check_mark: ${index + 1}. ${movedLine({ draft }, end, places)}${count}`;
    }
    case 'unknown':
      return `:grey_question: ${head} · unknown${whyText(record, index, places)}`;
    case 'failed':
      return `:no_entry_sign: ${head}${whyText(record, index, places)}`;
    case 'unsent':
      return `:heavy_minus_sign: ${head} · not sent`;
  }
}

/** Why a line was not moved, or is not known to be. */
function whyText(record: MoveBatch, index: number, places: Places): string {
  const { end } = record.lines[index] ?? {};
  if (end === undefined || end.code === 'moved' || end.code === 'found-moved') return '';
  const { draft } = wishOf(record, index);
  return `\n> ${unmovedText({ draft }, end, places).replaceAll('\n', '; ')}`;
}
