import { clip } from '../lib/clip.ts';
import { closest } from '../lib/closest.ts';
import {
  bold,
  code,
  dateText,
  escapeMrkdwn,
  itSays,
  joinSentences,
  oneLine,
} from '../slack/text.ts';
import { type Places, projectWith } from './destinations.ts';
import { LABEL_MAX, labelOf, linkedKey } from './item.ts';
import type { Entered } from './manual-entry.ts';
import { STATUSES_MAX } from './mapping-view.ts';
import type { MoveRefusal } from './may-move.ts';
import { OUTCOMES, REFUSALS } from './outcome-words.ts';
import type { ReadTrouble } from './read-item.ts';
import { type MovedItem, SNAPSHOT_DAYS } from './snapshot.ts';

/** Sentences on the way to a move, in mrkdwn: state first, next action last. */

const BY_HAND = 'You can enter the item by hand.';

export const TROUBLES = {
  'no-source': 'Gatepost is not set up to read work items, so enter this one by hand.',
  'by-hand': 'Enter the work item as the service shows it.',
  'no-snapshot': `No automation has reported this work item in the last ${SNAPSHOT_DAYS} days. Let one report it, or enter it by hand.`,
  'not-found': `The service has no such work item. Check its key; ${BY_HAND.toLowerCase()}`,
  unauthorized: `The service does not accept the key that Gatepost has. Tell an administrator of Gatepost. ${BY_HAND}`,
  forbidden: `The service does not let Gatepost see this work item. Ask an administrator of the service. ${BY_HAND}`,
  refused: `The service refuses to show this work item. ${BY_HAND}`,
  busy: 'The service is too busy to show this work item. Try again in a minute.',
  incomplete: `The service's answer has no member {member}, so it is not known what would be moved. An administrator of Gatepost has to set \`dialect.task\`. ${BY_HAND}`,
  unreadable: `The service's answer lacks something that a move needs. Tell an administrator of Gatepost. ${BY_HAND}`,
  unreachable: 'The service did not answer. Try again in a minute.',
} satisfies Record<ReadTrouble, string>;

export const HELP = [
  '*/move-task* moves a work item and its sub-items to another project. Nothing is moved before you have reviewed it.',
  '• `/move-task OPS-12` – a key, an id or a link',
  '• `/move-task OPS-12 Platform` – and where it is to go',
  '• `/move-task` – asks for everything',
  'Or choose *Move a work item* from the menu of a message that names one.',
].join('\n');

export const ENTRY_HELP =
  'First the item: id, key if you like, updatedAt, status id. Then each sub-item, at any depth: id, key if you like, status id.';

export const FORM_GONE =
  'This form has been open for too long. Close it and begin again with /move-task.';
export const NOT_STORED = 'Gatepost cannot keep this just now. Press again in a minute.';
export const NOT_RECORDED =
  ':warning: Your move was not recorded: Gatepost cannot store it just now. Nothing was moved. Press again in a minute.';
export const MAYBE_RECORDED =
  ':warning: It is not known whether your move was recorded. Press again: it is carried out once, however often you press.';
export const NOWHERE =
  'There is no project that this work item could be moved to. Ask an administrator of Gatepost to name some in gatepost.yaml.';
export const NOT_OPENED = 'The form could not be opened. Nothing was moved. Try again.';
export const MOVE_GONE = 'This move is no longer kept here. Begin again with /move-task.';
export const NOT_YOURS = 'Only the person who began this move can go on with it.';
export const NO_STATUS = 'Choose one for each status.';
export const OTHER_WORKFLOW = 'The statuses of that project have changed. Choose again.';
export const NOT_OFFERED = 'What was chosen is not offered any more. Choose again.';
export const NO_PROJECT = 'Choose a project.';
export const SNAPSHOT_OLD =
  'Nothing newer was reported of this item, so the service would refuse the move again. Let the automation report it anew, or enter it by hand.';

/** Whether the person may could not be found out; `of`: whom Gatepost could not ask, absent for Slack. */
export function notChecked(of: 'service' | undefined): string {
  const { what, next } = OUTCOMES[of === 'service' ? 'account-not-read' : 'could-not-check'];
  return `${what} Nothing was moved. ${next}`;
}

/** What is told of an item that could not be read; `detail` is the service's own words. */
export function troubleSentence(why: ReadTrouble, detail: string | null): string {
  if (why === 'incomplete') return TROUBLES[why].replace('{member}', () => code(detail ?? ''));
  return joinSentences(TROUBLES[why], itSays(detail));
}

/** Gatepost moved it, and nothing newer is known. */
export function movedSentence({ was, key, projectId, by, at }: MovedItem, places: Places): string {
  const project = projectWith(places, projectId);
  const where = bold(oneLine(project?.name ?? projectId, LABEL_MAX));
  const when = dateText(at, new Date(at).toISOString());
  const slugs = { spaceSlug: project?.space ?? null, projectSlug: project?.slug ?? null, key };
  const as = key === null ? '' : ` as ${linkedKey(places, slugs, key)}`;
  const state = `${labelOf(was)} was moved to ${where}${as} by <@${by}>, ${when}.`;
  const next =
    places.move.source === 'push'
      ? 'It has not been reported since. To move it again, let the automation report it anew, or enter it by hand.'
      : 'To move it again, enter it as it is there now.';
  return `${state} ${next}`;
}

export function refusalSentence(code: MoveRefusal): string {
  const [what, next] = REFUSALS[code];
  return [what, next].filter((each) => each !== '').join(' ');
}

export function tooManyStatuses(count: number): string {
  return `This work item and its sub-items use ${count} different statuses, and a form in Slack holds ${STATUSES_MAX}. Move it in the service.`;
}

/** There is no project, or more than one, of that name. */
export function unclearProject(wanted: string, count: number, names: readonly string[]): string {
  const words = `“${escapeMrkdwn(clip(wanted, 100)[0])}”`;
  if (count > 1) return `Several projects are called ${words}. Choose one.`;
  const near = closest(wanted, names);
  const meant = near === undefined ? '' : ` Did you mean ${escapeMrkdwn(clip(near, 100)[0])}?`;
  return `There is no project ${words} to move it to.${meant} Choose one.`;
}

export function alreadyThere(project: string): string {
  return `The item is in ${escapeMrkdwn(clip(project, 100)[0])} already. Choose another project.`;
}

const FAULTS_SHOWN = 3;

/** What is wrong with pasted lines, at the input. */
export function entryFaults({ faults }: Extract<Entered, { ok: false }>): string {
  const shown = faults
    .slice(0, FAULTS_SHOWN)
    .map(({ line, message }) => (line === 0 ? message : `Line ${line}: ${message}.`));
  const more = faults.length - FAULTS_SHOWN;
  return [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
