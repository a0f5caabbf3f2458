import type { ModalView } from '@slack/types';
import * as z from 'zod';
import { actions, button, context, section } from '../../core/slack/blocks.ts';
import { defineForm } from '../../core/slack/form.ts';
import { oneLine } from '../../core/slack/text.ts';
import { ACTIONS, TITLE } from './actions.ts';
import { destinationText, type Places, statusLabel, workflowOf } from './destinations.ts';
import { carriedDraft } from './draft.ts';
import { counted, itemBlocks, itemsOf, statusesIn } from './item.ts';
import { SUGGESTED } from './mapping-view.ts';
import type { ReviewedDraft } from './move.ts';

/** A section holds 3000 characters. */
const SECTION_MAX = 2_900;
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
  const count = itemsOf(draft.item).length;
  const sections = sectionsOf(mappingLines(draft, places)).map(section);
  return CONFIRM_FORM.view(carryOf(draftId, isUnsure), {
    submit: `Move ${counted(count, 'item')}`,
    blocks: [
      ...(note === undefined ? [] : [section(note.text)]),
      ...itemBlocks(draft, places),
      section(destinationText(draft, places)),
      ...sections,
      ...(isUnsure
        ? []
        : [actions('tasks.review', [button(ACTIONS.change, 'Change statuses', draftId)])]),
      context(
        'Every item gets a new key; old keys keep working. Field values with no counterpart in the destination are archived.',
      ),
    ],
  });
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

/** Joins lines into as few texts as possible. */
function sectionsOf(lines: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    const longer = last === undefined ? line : `${last}\n${line}`;
    if (last !== undefined && longer.length <= SECTION_MAX) texts[texts.length - 1] = longer;
    else texts.push(line);
  }
  return texts;
}

function mappingLines(draft: ReviewedDraft, places: Places): readonly string[] {
  const workflow = workflowOf(places, draft.target);
  return statusesIn(draft.item).map(({ id, count }) => {
    const choice = draft.choices.find(({ from }) => from === id);
    const to = workflow.find((status) => status.id === choice?.to)?.name ?? choice?.to ?? '';
    const from = statusLabel(places, draft, id);
    const mark = choice?.why === undefined ? '' : ` · _${SUGGESTED[choice.why]}_`;
    return `${short(from)} (${count}) → ${short(to)}${mark}`;
  });
}

function short(text: string): string {
  return oneLine(text, NAME_MAX);
}
