import type { ModalView } from '@slack/types';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { context, section } from '../../core/slack/blocks.ts';
import { defineForm } from '../../core/slack/form.ts';
import { type Choosable, input, select } from '../../core/slack/modal-blocks.ts';
import { cutPlain } from '../../core/slack/text.ts';
import { ACTIONS, TITLE } from './actions.ts';
import {
  destinationText,
  type Places,
  projectName,
  projectWith,
  statusLabel,
  workflowOf,
} from './destinations.ts';
import { type Choice, carriedDraft } from './draft.ts';
import { counted, itemBlocks, statusesOf } from './item.ts';
import type { ReviewedDraft } from './move.ts';

export const MAPPING_FORM = defineForm({
  id: 'tasks.mapping',
  title: TITLE,
  carried: carriedDraft,
});
const BLOCK = 'tasks.status';
/** A modal holds 100 blocks. */
export const STATUSES_MAX = 90;

/** The input of status number `index`, unique to this draft's modal. */
function statusBlock(draftId: string, index: number): string {
  return `${BLOCK}.${index}.${draftId}`;
}

export function statusChoices(places: Places, draft: ReviewedDraft): readonly Choosable[] {
  return workflowOf(places, draft.target).map(({ id, name }) => ({ value: id, label: name }));
}

/** Asks which status replaces each one in use. `note`: shown above. */
export function mappingView(
  draftId: string,
  draft: ReviewedDraft,
  places: Places,
  note?: string,
): ModalView {
  const choices = statusChoices(places, draft);
  const statuses = statusesOf(draft);
  const isMixed = new Set(statuses.map(({ projectId }) => projectId)).size > 1;
  const selects = statuses.map((status, index) => {
    const { id, count, projectId } = status;
    const project = isMixed ? projectWith(places, projectId) : undefined;
    const where = project === undefined ? [] : [cutPlain(cleanLine(project.name), 80)[0]];
    const choice = draft.choices.find(({ from }) => from === id);
    const suggested = choice?.why === undefined ? [] : [SUGGESTED[choice.why]];
    return input(
      statusBlock(draftId, index),
      cutPlain(statusLabel(places, status), 200)[0],
      select(ACTIONS.status, choices, {
        chosen: choice?.to,
        hint: 'Choose a status',
        times: statuses.length,
      }),
      { hint: [counted(count, 'item'), ...where, ...suggested].join(' · ') },
    );
  });
  return MAPPING_FORM.view(
    { draft: draftId },
    {
      submit: 'Review',
      blocks: [
        ...(note === undefined ? itemBlocks(draft, places) : [section(note)]),
        section(destinationText(draft, places)),
        context(`What should each status become in ${projectName(places, draft.target)}?`),
        ...selects,
      ],
    },
  );
}

/** What a suggestion is based on. */
export const SUGGESTED = {
  'same-name': 'suggested: same name',
  'last-time': 'suggested: chosen last time',
} as const satisfies Record<NonNullable<Choice['why']>, string>;

/** The choices made in this draft's modal. */
export function choicesIn(
  draftId: string,
  draft: ReviewedDraft,
  values: ReadonlyMap<string, string>,
): readonly Choice[] {
  return statusesOf(draft).flatMap(({ id }, index) => {
    const to = values.get(statusBlock(draftId, index));
    return to === undefined ? [] : [{ from: id, to }];
  });
}

/** The first input, for an error. */
export function firstStatusBlock(draftId: string): string {
  return statusBlock(draftId, 0);
}
