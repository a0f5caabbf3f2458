import { cleanLine } from '../../../core/lib/clean-line.ts';
import { clip } from '../../../core/lib/clip.ts';
import { closest } from '../../../core/lib/closest.ts';
import { clipText, inertText, itSays, joinSentences, oneLine } from '../../../core/slack/text.ts';
import { type BatchState, lineState } from '../../batch/batch.ts';
import { headlineOf, mayBeTwice, UNCLEAR } from '../../batch/batch-message.ts';
import { pressWordsFor } from '../../batch/press-batch.ts';
import { untoldSentence } from '../../flow/report.ts';
import { CASE_RULES, type Created, type Outcome } from '../case.ts';
import { PRIORITIES, projectText, type TestPlaces, TYPES } from '../catalogue.ts';
import { TITLE_MAX } from '../form-view.ts';
import { titleLink, WORDS, wordsOf } from '../sentences.ts';
import type { CaseBatch, Line } from './case-batch.ts';
import type { LineFault, NewLine, ReadLine } from './read-lines.ts';

/** Texts about pasted lines before anything is created, in mrkdwn. */

/** The most test cases at once. */
export const LINES_MAX = 500;

export const NO_LINES = 'Enter at least one line.';
export const LINES_CHANGED = 'The lines have changed since the preview. Check them, then create.';
export const DESCRIPTION_STAYS =
  'Test cases created several at once have no description. Create this one first, or clear its description.';
export const PRESS_WORDS = pressWordsFor(WORDS.gone, 'test cases', 'created');

export function tooMany(count: number): string {
  return `You entered ${count} lines. At most ${LINES_MAX} test cases can be created at once. Remove some.`;
}

const NAMES = [...Object.values(PRIORITIES), ...Object.values(TYPES)];

/** What is wrong with a line, and what to do. */
const FAULTS = {
  'no-title': () => 'The title is missing.',
  'too-long': () => `The title is longer than ${TITLE_MAX} characters.`,
  'unknown-word': (word) => {
    const near = closest(word, NAMES);
    const next = near === undefined ? `Use ${NAMES.join(', ')}.` : `Did you mean ${near}?`;
    return `"${inertText(clip(cleanLine(word), 60)[0])}" is neither a priority nor a type. ${next}`;
  },
  twice: (word) => `"${inertText(word)}" is one too many. A line has one priority and one type.`,
} satisfies Record<LineFault['code'], (word: string) => string>;

function faultText({ code, word }: LineFault): string {
  return FAULTS[code](word);
}

/** "3 of 40 lines need fixing: 2, 17, 33." `unsure`: an earlier press may have been recorded. */
export function faultsText(all: number, numbers: readonly number[], unsure = false): string {
  const need = numbers.length === 1 ? 'needs' : 'need';
  const what = `${numbers.length} of ${lineCount(all)} ${need} fixing: ${listed(numbers)}.`;
  const nothing = unsure ? '' : ' Nothing was created.';
  return `:warning: *${what}*${nothing} Change the marked lines below.`;
}

/** "2 lines repeat an earlier title: 4, 7." */
export function repeatsText(numbers: readonly number[]): string {
  const repeat = numbers.length === 1 ? '1 line repeats' : `${numbers.length} lines repeat`;
  return `:warning: ${repeat} an earlier title: ${listed(numbers)}. Each becomes a test case.`;
}

function lineCount(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}

function listed(numbers: readonly number[]): string {
  const more = numbers.length > NUMBERS_SHOWN ? ', …' : '';
  return `${numbers.slice(0, NUMBERS_SHOWN).join(', ')}${more}`;
}

const NUMBERS_SHOWN = 30;

/** "12. Pay by card · High · Manual"; with `isTold`, includes what is wrong. */
export function rowText(read: ReadLine, isTold: boolean): string {
  if ('line' in read) return `${read.number}. ${lineText(read.line)}`;
  const fault = isTold ? `\n> ${faultText(read.fault)}` : '';
  return `:warning: ${read.number}. ${shown(read.words)}${fault}`;
}

/** As one escaped line. `title`: as shown. */
function lineText({ title: words, priority, type }: NewLine, title = shown(words)): string {
  const choices = [priority && PRIORITIES[priority], type && TYPES[type]];
  return [title, ...choices.filter((word) => word !== undefined)].join(' · ');
}

function shown(text: string): string {
  const escaped = inertText(cleanLine(text));
  const [head, rest] = clipText(escaped, SHOWN_MAX);
  return rest === '' ? head : `${head}…`;
}

/** The limit for a title among many lines. */
const SHOWN_MAX = 150;

/** "40 test cases" */
export function casesText(count: number): string {
  return count === 1 ? '1 test case' : `${count} test cases`;
}

/** Texts about several test cases, in mrkdwn: the state first, what to do last. */

type Place = CaseBatch['place'];

/** For the modal, once they are recorded: the person is authorized next. */
export function beganText(count: number, place: Place, places: TestPlaces): string {
  const what = `:hourglass_flowing_sand: *Received ${casesText(count)}* ${inProject(place, places)}.`;
  return `${what} Progress and results will appear in a direct message.`;
}

/** One line with the state. */
export function headline(
  { place, lines, stopped }: CaseBatch,
  state: BatchState,
  places: TestPlaces,
): string {
  return headlineOf(lines.length, stopped !== undefined, state, {
    counted: casesText,
    where: inProject(place, places),
    ...{ can: 'create', doing: 'Creating', done: 'created' },
  });
}

/** Below the headline, about all of them. */
export function explanation(batch: CaseBatch, state: BatchState): string {
  const { stopped } = batch;
  const why = stopped?.code === 'unknown' ? UNCLEAR : stopped && stopText(stopped);
  const lost =
    state.unknown > 0
      ? 'Unknown: the service did not say whether they were created. *They may exist. Check the service before you create them again.*'
      : undefined;
  const twice = batch.lines.some((line) => mayBeTwice(CASE_RULES, line)) ? TWICE : undefined;
  const draft = state.succeeded > 0 ? DRAFTS : undefined;
  const untold = state.untold && untoldSentence(batch);
  return [why, lost, twice, draft, untold].filter((text) => text).join('\n');
}

const TWICE =
  'May exist twice: an earlier attempt may have created another one. *Check the service.*';

/** For those that were created. */
export const DRAFTS = 'Drafts: not in test runs until they are Ready.';

/** The outcome of a line. */
export function endText(line: Line, number: number, place: Place, places: TestPlaces): string {
  const head = `${number}. ${lineText(line)}`;
  const { end } = line;
  switch (lineState(CASE_RULES, line)) {
    case 'succeeded':
      if (end?.code !== 'created') return head;
      return `:white_check_mark: ${number}. ${createdText(line, end, place, places)}`;
    case 'unknown':
      return `:grey_question: ${head} · unknown${retold(end)}`;
    case 'failed':
      return `:no_entry_sign: ${head}${end === undefined ? '' : `\n> ${reasonOf(end)}`}`;
    case 'unsent':
      return `:heavy_minus_sign: ${head} · not sent`;
  }
}

/** A line that may exist was sent again, and refused. */
function retold(end: Outcome | undefined): string {
  const isLost = end === undefined || end.code === 'unknown' || end.code === 'forgotten';
  return isLost ? '' : `, not created this time\n> ${reasonOf(end)}`;
}

/** Linked to it; with its status only if it is not the usual one. */
function createdText(line: Line, end: Created, { projectId }: Place, places: TestPlaces): string {
  const { id, status } = end;
  const title = titleLink({ title: line.title, projectId }, end, places, SHOWN_MAX);
  const noId = id === null ? ' · created; its id is not known' : '';
  const shown = status === null || status === 'DRAFT' ? '' : ` · ${oneLine(status, 40)}`;
  const twice = mayBeTwice(CASE_RULES, line) ? ' · may exist twice' : '';
  return `${lineText(line, title)}${noId}${shown}${twice}`;
}

/** Why a line was not created. */
function reasonOf(end: Outcome): string {
  if (end.code === 'created') return '';
  // Keeps the reasons on the line's one line.
  const said = 'detail' in end ? itSays(end.detail?.replaceAll('\n', '; ')) : '';
  return joinSentences(wordsOf(end).what, said);
}

/** Why all of them stopped, and what to do. */
function stopText(stopped: Outcome): string {
  if (stopped.code === 'created') return '';
  const next =
    stopped.code === 'invalid' ? 'Change them and create them again.' : wordsOf(stopped).next;
  return [reasonOf(stopped), next].filter((text) => text !== '').join(' ');
}

export function inProject({ projectId }: Place, places: TestPlaces): string {
  return `in ${projectText(places, projectId)}`;
}
