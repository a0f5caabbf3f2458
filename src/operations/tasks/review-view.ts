import type { ModalView } from '@slack/types';
import * as z from 'zod';
import { actions, button, context, section } from '../../core/slack/blocks.ts';
import { defineForm } from '../../core/slack/form.ts';
import { dateText, oneLine } from '../../core/slack/text.ts';
import { sectionsOf } from '../batch/pack-rows.ts';
import { ACTIONS, TITLE } from './actions.ts';
import {
  destinationText,
  type Places,
  projectWith,
  statusLabel,
  workflowOf,
} from './destinations.ts';
import { carriedDraft } from './draft.ts';
import { counted, countOf, itemBlocks, statusesOf } from './item.ts';
import { SUGGESTED } from './mapping-view.ts';
import type { ReviewedDraft } from './move.ts';

const NAME_MAX = 60;

/** unsure: an unanswered press may have been recorded, so the form no longer says that nothing was moved. */
export const CONFIRM_FORM = defineForm({
  id: 'tasks.confirm',
  title: TITLE,
  carried: carriedDraft.extend({ unsure: z.literal(true).exactOptional() }),
});

interface ReviewNote {
  readonly text: string;
  /** A press may have been recorded: other statuses would be another move. */
  readonly isUnsure: boolean;
}

/** Shows exactly what will be done; the button names the number of items. */
export function reviewView(
  draftId: string,
  draft: ReviewedDraft,
  places: Places,
  note?: ReviewNote,
): ModalView {
  const { isUnsure = false } = note ?? {};
  const count = countOf(draft);
  return CONFIRM_FORM.view(carryOf(draftId, isUnsure), {
    submit: `Move ${counted(count, 'item')}`,
    blocks: [
      ...(note === undefined ? [] : [section(note.text)]),
      ...itemBlocks(draft, places),
      section(destinationText(draft, places)),
      ...describedBy(draft, places),
      ...sectionsOf(mappingLines(draft, places)),
      ...(isUnsure
        ? []
        : [actions('tasks.review', [button(ACTIONS.change, 'Change statuses', draftId)])]),
      context(
        'Every item gets a new key; old keys keep working. Field values with no counterpart in the destination are archived.',
      ),
    ],
  });
}

/** Who says that the destination is called so, and since when. */
function describedBy({ target }: ReviewedDraft, places: Places) {
  const reported = projectWith(places, target.projectId)?.reported;
  if (reported === undefined) return [];
  const at = dateText(reported.at, new Date(reported.at).toISOString());
  return [context(`As reported by ${oneLine(reported.source, NAME_MAX)} ${at}`)];
}

/** Replaces a review that cannot be read now: submitting it records what was reviewed. */
export function moveAgainView(draftId: string, { text, isUnsure }: ReviewNote): ModalView {
  return CONFIRM_FORM.view(carryOf(draftId, isUnsure), {
    submit: 'Try again',
    blocks: [section(text)],
  });
}

function carryOf(draft: string, isUnsure: boolean) {
  return { draft, ...(isUnsure && { unsure: true as const }) };
}

function mappingLines(draft: ReviewedDraft, places: Places): readonly string[] {
  const workflow = workflowOf(places, draft.target);
  return statusesOf(draft).map((status) => {
    const { id, count } = status;
    const choice = draft.choices.find(({ from }) => from === id);
    const to = workflow.find((status) => status.id === choice?.to)?.name ?? choice?.to ?? '';
    const from = statusLabel(places, status);
    const mark = choice?.why === undefined ? '' : ` · _${SUGGESTED[choice.why]}_`;
    return `${short(from)} (${count}) → ${short(to)}${mark}`;
  });
}

function short(text: string): string {
  return oneLine(text, NAME_MAX);
}
