import { cleanLine } from '../../core/lib/clean-line.ts';
import { instantOf } from '../../core/lib/iso-time.ts';
import { refusalsTo } from '../../core/people/denials.ts';
import {
  bold,
  cutPlain,
  dateText,
  inertText,
  itSays,
  joinSentences,
  oneLine,
} from '../../core/slack/text.ts';
import { answeredWith, SILENT, untoldSentence } from '../flow/report.ts';
import { ASK, wordsFor } from '../flow/words.ts';
import { type Places, projectName } from './destinations.ts';
import {
  type Changes,
  counted,
  itemsOf,
  LABEL_MAX,
  labelOf,
  linkedItem,
  linkedKey,
} from './item.ts';
import type { MoveRefusal } from './may-move.ts';
import type { Move, Moved, MoveState, Outcome } from './move.ts';

/** The outcome of a move for people, in mrkdwn: the state first, what to do last. */

type Code = Outcome['code'];
type Unmoved = Exclude<Code, 'moved' | 'found-moved' | 'not-allowed'>;

const CAN = 'move work items';

export const WORDS = wordsFor({
  can: CAN,
  done: 'moved',
  command: '/move-task',
  again: 'Press the button again: nothing is moved twice.',
});

/**
 * The state, and what to do; `isStill`: it already says where the item is. `{service}`: what came instead of an answer.
 */
interface Sentence {
  readonly what: string;
  readonly next: string;
  readonly isStill?: true;
}

export const OUTCOMES = {
  ...WORDS.outcomes,
  'not-moved': {
    what: '{service}, and the item is still where it was.',
    next: 'You can send the same move again.',
    isStill: true,
  },
  unknown: {
    what: '{service}, so it is not known whether the item was moved.',
    next: 'Check {item}: the old key works wherever it is. You can also send the same move again: if the item was moved, the service refuses it.',
    isStill: true,
  },
  'moved-or-changed': {
    what: 'The service says that the item has changed since it was read: an earlier attempt moved it, or somebody changed it.',
    next: 'Check {item}. If the move is still needed, review it again.',
    isStill: true,
  },
  changed: {
    what: 'The item or its sub-items have changed since they were read.',
    next: 'Review the move again.',
  },
  invalid: {
    what: 'The service did not accept the move.',
    next: 'Check the statuses and the type, then choose again.',
  },
  forbidden: {
    what: "Gatepost's API key cannot move this item to that project (403).",
    next: 'The key needs *Move tasks* in the Space of the item, and *Create tasks* and *View tasks* in the destination. Ask an administrator of the service.',
  },
  'not-found': {
    what: 'The service does not know the item or the project (404 or 410).',
    next: 'Check both, then start over.',
  },
} as const satisfies Record<Unmoved, Sentence>;

/** Why a person cannot move it, and what they can do. What was to be moved goes in between. */
export const REFUSALS = {
  ...refusalsTo(CAN),
  'not-from': [
    'You are not on the list of people who can move work items out of this project.',
    ASK,
  ],
  'not-between': [
    'You are not on the list of people who can move work items from this project to that one.',
    ASK,
  ],
  'source-project': ['Work items of this project cannot be moved from Slack.', ASK],
  'source-unknown': [
    'Only items of certain projects can be moved from Slack, and it is not known which project this one is in.',
    'Move it in the service.',
  ],
  'target-project': ['Work items cannot be moved to that project from Slack.', ASK],
} as const satisfies Record<MoveRefusal, readonly [what: string, next: string]>;

const NOTHING_NOW = 'Nothing was moved this time, but an earlier attempt may have moved it.';

/** One line with the state. */
function headline(state: MoveState): string {
  if (state.state === 'authorizing') return ':hourglass_flowing_sand: *Checking whether you can…*';
  if (state.state === 'working') return ':hourglass_flowing_sand: *Moving…*';
  if (state.state === 'reading-back') return ':hourglass_flowing_sand: *Checking…*';
  switch (state.outcome.code) {
    case 'moved':
    case 'found-moved':
      return ':white_check_mark: *Moved*';
    case 'unknown':
    case 'moved-or-changed':
      return ':grey_question: *Unknown*';
    default:
      return state.unconfirmed ? ':grey_question: *Unknown*' : ':no_entry_sign: *Not moved*';
  }
}

/** The whole text for the person. */
export function resultText(move: Move, state: MoveState, places: Places): string {
  const { draft } = move.wish;
  const what = `${labelOf(draft.item)} → ${bold(projectName(places, draft.target))}`;
  const head = `${headline(state)} · ${what}`;
  if (state.state === 'authorizing' || state.state === 'working') return head;
  if (state.state === 'reading-back') {
    return `${head}\nThe service has not said whether the item was moved. Gatepost is checking.`;
  }
  const { outcome, unconfirmed, untold } = state;
  if (outcome.code === 'moved' || outcome.code === 'found-moved') {
    const told = untold ? `\n${untoldSentence(move)}` : '';
    return `${head}\n${movedLine(move.wish, outcome, places)}${countText(move.wish, outcome)}${told}`;
  }
  const { next, isStill } = sentenceOf(outcome);
  const nothing = isStill ? '' : unconfirmed ? NOTHING_NOW : WORDS.nothing;
  return `${head}\n${unmovedText(move.wish, outcome, places, { nothing, next })}`;
}

/** Why an item was not moved, or is not known to be; what to do is left out where the service's words say it. */
export function unmovedText(
  { draft }: Pick<Move['wish'], 'draft'>,
  outcome: NotMoved,
  places: Places,
  { nothing, next } = { nothing: '', next: '' },
): string {
  const said = 'detail' in outcome ? itSays(outcome.detail) : '';
  const changed = outcome.code === 'changed' ? changesText(outcome.changes) : '';
  const isEnough = said !== '' && QUOTED.has(outcome.code);
  const { what } = sentenceOf(outcome);
  const text = joinSentences(what, changed, nothing, said, isEnough ? '' : next);
  const service = 'status' in outcome ? answeredWith(outcome.status) : SILENT;
  return text.replace('{service}', service).replace('{item}', () => linkedItem(places, draft));
}

/** If the service moved a different number of items than reviewed. */
export function countText({ draft }: Pick<Move['wish'], 'draft'>, outcome: Moved): string {
  const reviewed = itemsOf(draft.item).length;
  const { movedCount } = outcome.code === 'moved' ? outcome : { movedCount: null };
  if (movedCount === null || movedCount === reviewed) return '';
  return `\n:warning: You reviewed ${counted(reviewed, 'item')}, and the service says that it moved ${movedCount}. Check the sub-items.`;
}

/** The service's words say what is missing, so ours add no guesses. */
const QUOTED: ReadonlySet<Code> = new Set<Code>(['forbidden', 'not-found', 'invalid', 'refused']);

type NotMoved = Exclude<Outcome, { code: 'moved' | 'found-moved' }>;

export function sentenceOf(outcome: NotMoved): Sentence {
  if (outcome.code !== 'not-allowed') return OUTCOMES[outcome.code];
  const [what, next] = REFUSALS[outcome.refusal];
  return { what, next };
}

/** "OPS-12 → PLAT-7, 5 items moved, 1 field value archived" */
export function movedLine(
  { draft }: Pick<Move['wish'], 'draft'>,
  outcome: Moved,
  places: Places,
): string {
  const { key } = outcome;
  if (outcome.code === 'found-moved') {
    const to = key === null ? '' : ` → ${oneLine(key, LABEL_MAX)}`;
    return `${labelOf(draft.item)}${to}. The service gave no clear answer, but the item was found there.`;
  }
  if (key === null) {
    return `${linkedItem(places, draft)} was moved. The service's answer could not be read, so its new key is not known. The old key keeps working.`;
  }
  const { movedCount, droppedFieldCount } = outcome;
  const archived = droppedFieldCount
    ? [`${counted(droppedFieldCount, 'field value')} archived`]
    : [];
  const moved = movedCount === null ? [] : [`${counted(movedCount, 'item')} moved`];
  const keys = `${labelOf(draft.item)} → ${linkedKey(places, outcome, key)}`;
  return [keys, ...moved, ...archived].join(', ');
}

function changesText(changes: Changes | undefined): string {
  if (changes === undefined) return '';
  const parts = [
    ...(changes.project ? ['it is in another project now'] : []),
    ...(changes.added > 0 ? [`${counted(changes.added, 'sub-item')} added`] : []),
    ...(changes.removed > 0 ? [`${counted(changes.removed, 'sub-item')} removed`] : []),
    ...(changes.statuses > 0 ? [`${counted(changes.statuses, 'item')} with another status`] : []),
    ...(changes.updatedAt === null ? [] : [`last changed ${timeText(changes.updatedAt)}`]),
  ];
  return parts.length === 0 ? '' : `Since then: ${parts.join(', ')}.`;
}

/** The service's time, in the reader's time zone if it can be parsed. */
function timeText(text: string): string {
  const at = instantOf(text);
  const shown = cutPlain(cleanLine(text), 40)[0];
  return at === null ? inertText(shown) : dateText(at, shown);
}
