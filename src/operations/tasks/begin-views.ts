import type { ModalView } from '@slack/types';
import * as z from 'zod';
import { actions, button, context, section } from '../../core/slack/blocks.ts';
import { defineForm } from '../../core/slack/form.ts';
import { input, noticesOf, textInput } from '../../core/slack/modal-blocks.ts';
import { ACTIONS, TITLE } from './actions.ts';
import { carriedDraft } from './draft.ts';
import { ENTRY_HELP } from './sentences.ts';

export const noticeView = noticesOf('tasks.notice', TITLE);
export const LOADING = noticeView('Loading…');

export const REFERENCE = 'tasks.reference';
const REFERENCE_MAX = 500;

interface AskNote {
  /** Why the item has to be named again. */
  readonly why?: string;
  /** A draft without an item, for entering it. */
  readonly byHand?: string;
  /** Several items can be named. */
  readonly takesAll?: boolean;
}

/** Where somebody asked, and the project typed with the command. */
const where = z.strictObject({ channel: z.string(), wanted: z.string().nullable() });
export type Where = z.infer<typeof where>;

export const ASK_FORM = defineForm({ id: 'tasks.ask', title: TITLE, carried: where });

/** Asks for the item. `found`: found in the message, or named before. */
export function askView(
  { channel, wanted }: Where,
  found: readonly string[],
  { why, byHand, takesAll = false }: AskNote = {},
): ModalView {
  const isAll = takesAll && found.length > 1;
  const others = found.slice(0, 10).join(', ');
  const named = takesAll ? 'Its key, id or link, or several of them' : 'Its key, id or link';
  const fitting = fittingOf(isAll ? found : found.slice(0, 1));
  const left = found.length - fitting.length;
  const inMessage = isAll ? allMove(left) : `In the message: ${others}`;
  const text = fitting.join('\n');
  return ASK_FORM.view(
    { channel, wanted },
    {
      submit: 'Next',
      blocks: [
        ...(why === undefined ? [] : [section(why)]),
        input(
          REFERENCE,
          isAll ? 'Work items' : 'Work item',
          textInput(REFERENCE, {
            focus_on_load: true,
            max_length: takesAll ? REFERENCES_MAX : REFERENCE_MAX,
            ...(isAll && { multiline: true }),
            ...(text !== '' && { initial_value: text }),
          }),
          { hint: found.length > 1 ? inMessage : named },
        ),
        ...(byHand === undefined ? [] : [byHandActions(byHand)]),
      ],
    },
  );
}

function allMove(left: number): string {
  const rest = left === 0 ? '' : ` ${left} more do not fit here: move them afterwards.`;
  return `All of these move to the same project. Remove those that stay.${rest}`;
}

/** Slack's limit for a text input. */
const REFERENCES_MAX = 3_000;

/** As many names as fit into the input, one per line. */
function fittingOf(names: readonly string[]): readonly string[] {
  const cut = names.map((name) => name.slice(0, REFERENCE_MAX));
  return cut.filter((_, index) => cut.slice(0, index + 1).join('\n').length <= REFERENCES_MAX);
}

export const LINES = 'tasks.lines';

export const ENTRY_FORM = defineForm({ id: 'tasks.entry', title: TITLE, carried: carriedDraft });

/** The form for pasted lines. `draft`: a draft without an item, to continue with. */
export function entryView(draftId: string, why: string | null, lines = ''): ModalView {
  return ENTRY_FORM.view(
    { draft: draftId },
    {
      submit: 'Next',
      blocks: [
        ...(why === null ? [] : [section(why)]),
        input(
          LINES,
          'Item and sub-items, one per line',
          textInput(LINES, {
            multiline: true,
            focus_on_load: true,
            ...(lines !== '' && lines.length <= 3_000 && { initial_value: lines }),
          }),
          { hint: ENTRY_HELP },
        ),
        context(ENTRY_EXAMPLE),
      ],
    },
  );
}

const ENTRY_EXAMPLE =
  'For example:\n```6f1c4e52-0a1b-4c2d-8e3f-1a2b3c4d5e6f OPS-12 2030-01-01T10:00:00Z st-open\n7a2d5f63-1b2c-4d3e-9f40-2b3c4d5e6f70 OPS-13 st-done```';

function byHandActions(draftId: string) {
  return actions('tasks.trouble', [button(ACTIONS.enter, 'Enter it by hand', draftId)]);
}

/** Why the item could not be read, with the alternative. */
export function troubleView(draftId: string, why: string): ModalView {
  return noticeView(why, [byHandActions(draftId)]);
}
