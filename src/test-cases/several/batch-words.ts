import { untoldSentence } from '../../operations/report.ts';
import { bold, oneLine } from '../../slack/text.ts';
import type { Created, Outcome } from '../case.ts';
import { type TestPlaces, testProjectWith } from '../catalogue.ts';
import { linkOf, saidText, wordsOf } from '../outcome-words.ts';
import { type BatchRecord, type BatchState, type Line, lineState } from './batch.ts';
import { casesText, lineText } from './lines-words.ts';

/** What people read of several test cases, in mrkdwn: state first, next action last. */

type Place = BatchRecord['place'];

/** In the modal, once they are recorded: whether the person may is found out next. */
export function beganText(count: number, place: Place, places: TestPlaces): string {
  const what = `:hourglass_flowing_sand: *Received ${casesText(count)}* ${inProject(place, places)}.`;
  return `${what} Progress and results will appear in a direct message from Gatepost.`;
}

/** One line that names the state. */
export function headline(
  { place, lines, stopped }: BatchRecord,
  state: BatchState,
  places: TestPlaces,
): string {
  const where = inProject(place, places);
  const all = lines.length;
  const { created, failed, unknown, unsent } = state;
  if (state.state === 'authorizing') {
    return `:hourglass_flowing_sand: *Checking whether you can create ${casesText(state.queued)}* ${where}`;
  }
  if (state.state === 'working') {
    return `:hourglass_flowing_sand: *Creating ${casesText(state.queued)}* ${where}`;
  }
  if (created === all) {
    const what = all === 1 ? '1 test case is created' : `All ${all} test cases are created`;
    return `:white_check_mark: *${what}* ${where}`;
  }
  const rest = counted({ created, unknown, 'not sent': unsent });
  if (stopped !== undefined && unsent > 0) {
    const others = counted({ failed, unknown, 'not sent': unsent });
    return `:warning: *Stopped: ${created} of ${all} created* ${where}${others}`;
  }
  if (failed > 0) return `:warning: *${failed} of ${all} failed* ${where}${rest}`;
  if (unknown > 0) {
    return `:grey_question: *${unknown} of ${all} unknown* ${where}${counted({ created })}`;
  }
  return `:warning: *${created} of ${all} created* ${where}${counted({ 'not sent': unsent })}`;
}

/** “██████░░░░ 12 of 40”, and what went wrong so far. */
export function progressText({ done, queued, failed, unknown }: BatchState): string {
  const full = queued === 0 ? BAR : Math.floor((done / queued) * BAR);
  const bar = '█'.repeat(full) + '░'.repeat(BAR - full);
  return `\`${bar}\` ${done} of ${queued}${counted({ failed, unknown })}`;
}

const BAR = 20;

/** What holds for all of them, below the headline. */
export function explanation(batch: BatchRecord, state: BatchState): string {
  const { stopped, channel } = batch;
  const why =
    stopped?.code === 'unknown'
      ? 'The service did not answer several times in a row. Try the others again later.'
      : stopped && stopText(stopped);
  const lost =
    state.unknown > 0
      ? 'Where it is unknown the service did not answer: *it may exist. Look in the service before you repeat.*'
      : undefined;
  const draft =
    state.created > 0 ? 'What is created is a draft, in no test run until it is READY.' : undefined;
  const untold = state.untold && untoldSentence(channel);
  return [why, lost, draft, untold].filter((text) => text).join('\n');
}

/** How a line ended. */
export function endText(line: Line, number: number, place: Place, places: TestPlaces): string {
  const head = `${number}. ${lineText(line)}`;
  const { end } = line;
  switch (lineState(line)) {
    case 'created':
      if (end?.code !== 'created') return head;
      return `:white_check_mark: ${head} · ${createdText(end, place, places)}`;
    case 'unknown':
      return `:grey_question: ${head} · unknown${retold(end)}`;
    case 'failed':
      return `:no_entry_sign: ${head}${end === undefined ? '' : `\n> ${reasonOf(end)}`}`;
    case 'unsent':
      return `:heavy_minus_sign: ${head} · not sent`;
  }
}

/** One that may exist was sent again, and that was not taken. */
function retold(end: Outcome | undefined): string {
  const isLost = end === undefined || end.code === 'unknown';
  return isLost ? '' : `, not created this time\n> ${reasonOf(end)}`;
}

/** Its id; its state only if it is another than it always is. */
function createdText({ id, status }: Created, { projectId }: Place, { links }: TestPlaces): string {
  if (id === null) return 'created; its id is not known';
  const shown = status === null || status === 'DRAFT' ? '' : ` · ${oneLine(status, 40)}`;
  return `${linkOf(id, projectId, links)}${shown}`;
}

/** Why a line was not created. */
function reasonOf(end: Outcome): string {
  if (end.code === 'created') return '';
  return [wordsOf(end).what, saidText(end)].filter((text) => text !== '').join(' ');
}

/** Why all of them stopped, and what to do. */
function stopText(stopped: Outcome): string {
  if (stopped.code === 'created') return '';
  const next =
    stopped.code === 'invalid' ? 'Change them and create them again.' : wordsOf(stopped).next;
  return [reasonOf(stopped), next].filter((text) => text !== '').join(' ');
}

export function inProject({ projectId }: Place, places: TestPlaces): string {
  const name = testProjectWith(places, projectId)?.name ?? projectId;
  return `in ${bold(oneLine(name, 100))}`;
}

/** “ · 2 failed · 1 unknown”. */
function counted(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => ` · ${count} ${what}`)
    .join('');
}
