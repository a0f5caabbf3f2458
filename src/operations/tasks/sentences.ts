import { clip } from '../../core/lib/clip.ts';
import { closest } from '../../core/lib/closest.ts';
import {
  bold,
  code,
  dateText,
  inertText,
  itSays,
  joinSentences,
  oneLine,
} from '../../core/slack/text.ts';
import { uncheckedCode } from '../flow/progress.ts';
import { type Places, projectWith } from './destinations.ts';
import { LABEL_MAX, labelOf, linkedKey } from './item.ts';
import type { Entered } from './manual-entry.ts';
import { STATUSES_MAX } from './mapping-view.ts';
import type { MoveRefusal } from './may-move.ts';
import { OUTCOMES, REFUSALS, WORDS } from './outcome-words.ts';
import type { ReadTrouble } from './read-item.ts';
import { type MovedItem, SNAPSHOT_DAYS } from './snapshot.ts';

/** Sentences before a move, in mrkdwn: the state first, what to do last. */

const BY_HAND = 'You can enter the item by hand.';
const ADMINISTRATOR = 'Tell a Gatepost administrator.';

export const TROUBLES = {
  'no-source': 'Gatepost is not set up to read work items. Enter this one by hand.',
  'by-hand': 'Enter the work item as the service shows it.',
  'no-snapshot': `No automation has reported this work item in the last ${SNAPSHOT_DAYS} days. Check the key, have an automation report the item, or enter it by hand.`,
  'not-found': 'The service does not know this work item.',
  unauthorized: `The service did not accept Gatepost's API key (401). ${ADMINISTRATOR} ${BY_HAND}`,
  forbidden: `Gatepost's API key cannot read this work item (403). Check the key of the item, or ask an administrator of the service for access. ${BY_HAND}`,
  refused: `The service refused to show this work item. Check the key. ${BY_HAND}`,
  busy: 'The service is too busy to show this work item (429). Try again in a minute.',
  incomplete: `The service's answer has no usable member {member}, so it is not known what would be moved. A Gatepost administrator has to set \`dialect.task\`. ${BY_HAND}`,
  unreadable: `The service's answer could not be read as a work item. ${ADMINISTRATOR} ${BY_HAND}`,
  unreachable: 'The service could not be reached, or gave no clear answer. Try again in a minute.',
} satisfies Record<ReadTrouble, string>;

export const HELP = [
  '*/move-task* moves a work item and its sub-items to another project. You review everything before it is moved.',
  '• `/move-task OPS-12` – with a key, an id or a link',
  '• `/move-task OPS-12 Platform` – with the destination',
  '• `/move-task OPS-12 OPS-18 Platform` – with up to 50 items for one destination',
  '• `/move-task` – asks for everything',
  'Or choose *Move a work item* from the menu of a message that names one, or several.',
].join('\n');

export const ENTRY_HELP =
  'First the item: id, key (optional), updatedAt, status. Then each sub-item at any depth: id, key (optional), status. A status is its name or id.';

export const FORM_GONE =
  'This form has been open for too long. Close it and start over with /move-task.';
export const NOT_SET_UP =
  '`/move-task` is not set up yet: no project is listed. Ask a Gatepost administrator.';
/** For administrators. */
export const SET_UP = [
  '`/move-task` is not set up yet: no project is listed. Add yours to gatepost.yaml, and restart Gatepost:',
  '```catalogue:',
  '  projects:',
  '    - id: the-id-of-the-project',
  '      name: Platform',
  '      statuses: [{ id: the-id-of-a-status, name: Open }]',
  'move:',
  '  who: { users: [U0ANA] }```',
  'gatepost.example.yaml explains each key.',
].join('\n');
export const NOWHERE =
  'There is no project that this work item can be moved to. Ask a Gatepost administrator to list projects under `catalogue.projects` in gatepost.yaml and restart Gatepost.';
export const NO_STATUS = 'Choose a status for each of these.';
export const OTHER_WORKFLOW = 'The statuses of that project have changed. Choose again.';
export const NOT_OFFERED = 'That project or type is no longer available. Choose again.';
export const NO_PROJECT = 'Choose a project.';
export const SNAPSHOT_OLD =
  'No newer report of this item has arrived, so the service would refuse the move again. Have the automation report it again, or enter it by hand.';

/** If the person could not be authorized; `of`: who did not answer, absent for Slack. */
export function notChecked(of: 'service' | 'store' | undefined): string {
  const { what, next } = OUTCOMES[uncheckedCode(of)];
  return `${what} ${WORDS.nothing} ${next}`;
}

/** For an item that could not be read; `detail`: the service's own words. */
export function troubleSentence(why: ReadTrouble, detail: string | null): string {
  if (why === 'incomplete') return TROUBLES[why].replace('{member}', () => code(detail ?? ''));
  const next = why === 'not-found' ? 'Correct the key.' : '';
  return joinSentences(TROUBLES[why], itSays(detail), next);
}

/** For an item that Gatepost moved, without a later report. */
export function movedSentence({ was, key, projectId, by, at }: MovedItem, places: Places): string {
  const project = projectWith(places, projectId);
  const where = bold(oneLine(project?.name ?? projectId, LABEL_MAX));
  const when = dateText(at, new Date(at).toISOString());
  const slugs = { spaceSlug: project?.space ?? null, projectSlug: project?.slug ?? null, key };
  const as = key === null ? '' : ` as ${linkedKey(places, slugs, key)}`;
  const state = `${labelOf(was)} was moved to ${where}${as} by <@${by}>, ${when}.`;
  const next =
    places.move.source === 'push'
      ? 'It has not been reported since. To move it again, have the automation report it again, or enter it by hand.'
      : 'To move it again, enter it as it is there now.';
  return `${state} ${next}`;
}

export function refusalSentence(code: MoveRefusal): string {
  const [what, next] = REFUSALS[code];
  return [what, next].filter((each) => each !== '').join(' ');
}

/** `fitting`: of several items, the first ones whose statuses fit into a form. */
export function tooManyStatuses(count: number, fitting?: readonly string[]): string {
  const [first, ...others] = fitting ?? [];
  const last = others.at(-1);
  const use = `use ${count} different statuses. A form in Slack can hold ${STATUSES_MAX}.`;
  if (fitting === undefined)
    return `This work item and its sub-items ${use} Move it in the service.`;
  const next =
    first === undefined
      ? 'Move them in the service.'
      : last === undefined
        ? `Move ${first} on its own, and then the others.`
        : `Move fewer at once: those from ${first} to ${last} first, and then the others.`;
  return `These work items and their sub-items ${use} ${next}`;
}

/** No project, or several, have this name. */
export function unclearProject(wanted: string, count: number, names: readonly string[]): string {
  const words = `"${inertText(clip(wanted, 100)[0])}"`;
  if (count > 1) return `Several projects are called ${words}. Choose one.`;
  const near = closest(wanted, names);
  const meant = near === undefined ? '' : ` Did you mean ${oneLine(near, 100)}?`;
  return `There is no project ${words} that it can be moved to.${meant} Choose one.`;
}

export function alreadyThere(project: string): string {
  return `The item is already in ${oneLine(project, 100)}. Choose another project.`;
}

const NAMES_SHOWN = 5;

/** Why projects of the catalogue are not offered. */
export function noStatusesIn(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => bold(oneLine(name, 100)));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return `Nothing can be moved to ${shown.join(', ')}${more}: no statuses are listed there. Ask a Gatepost administrator to add them.`;
}

const FAULTS_SHOWN = 3;

/** What is wrong with pasted lines, for the input. */
export function entryFaults({ faults }: Extract<Entered, { ok: false }>): string {
  const shown = faults.slice(0, FAULTS_SHOWN).map(({ line, message }) => {
    const end = message.endsWith('?') ? '' : '.';
    return line === 0 ? message : `Line ${line}: ${message}${end}`;
  });
  const more = faults.length - FAULTS_SHOWN;
  return [...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}
