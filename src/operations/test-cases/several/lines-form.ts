import type { ModalView } from '@slack/types';
import * as z from 'zod';
import { actions, button, section } from '../../../core/slack/blocks.ts';
import { defineForm, type Form } from '../../../core/slack/form.ts';
import { input, textInput } from '../../../core/slack/modal-blocks.ts';
import { packed, sectionsOf } from '../../batch/pack-rows.ts';
import { ACTIONS } from '../actions.ts';
import { projectText, type TestPlaces, testProjectWith } from '../catalogue.ts';
import { FIELDS, suiteInput } from '../fields.ts';
import {
  CASE_FORM,
  enteredIn,
  formView,
  type Origin,
  PROJECT_BLOCK,
  projectInput,
} from '../form-view.ts';
import { type NewLine, type ReadLine, writeLine } from './read-lines.ts';
import { casesText, DESCRIPTION_STAYS, faultsText, repeatsText, rowText } from './sentences.ts';

/** Slack's limit for a text area: many lines need several. */
export const BOX_MAX = 3_000;
export const BOXES_MAX = 10;

/** What the modal carries: where it was opened, its number of text areas, and a digest of what was previewed. */
const carried = z.strictObject({
  channel: z.string(),
  thread: z.string().exactOptional(),
  boxes: z.number(),
  previewed: z.string().exactOptional(),
  /** An unanswered press may have been recorded, so the form no longer says that nothing was created. */
  unsure: z.literal(true).exactOptional(),
});
export type LinesCarried = z.infer<typeof carried>;

export const LINES_FORM = defineForm({
  id: 'test-cases.lines-form',
  title: 'Create test cases',
  carried,
});

/** Entered so far. */
export interface EnteredLines {
  readonly projectId?: string | undefined;
  readonly suiteId?: string | undefined;
  /** The content of each text area. */
  readonly boxes: readonly string[];
}

/** Shown above the inputs. */
export interface LinesNote {
  readonly text?: string;
  /** A row for each line; if all are valid, they can be created. */
  readonly read?: readonly ReadLine[];
}

export function boxBlock(index: number): string {
  return `test-cases.lines.${index + 1}`;
}

/** The form for several test cases. */
export function linesForm(
  places: TestPlaces,
  carry: LinesCarried,
  entered: EnteredLines,
  { text, read = [] }: LinesNote = {},
): ModalView {
  const { testProjects } = places.catalogue;
  const alone = testProjects.length === 1 ? testProjects[0] : undefined;
  const project = testProjectWith(places, entered.projectId) ?? alone;
  const isReady = carry.previewed !== undefined;
  const where = projectText(places, project?.id ?? '');
  const head = isReady ? `*${casesText(read.length)}* in ${where}:` : '';
  const boxes = Array.from({ length: carry.boxes }, (_, index) => boxInput(index, entered));
  return LINES_FORM.view(carry, {
    submit: isReady ? `Create ${read.length}` : 'Preview',
    blocks: [
      ...(text === undefined ? [] : [section(text)]),
      ...sectionsOf([head, ...rowsOf(read, carry)].filter((row) => row !== '')),
      projectInput(testProjects, project),
      ...(project === undefined ? [] : [suiteInput(project, entered.suiteId)]),
      ...boxes,
      ...(carry.boxes < BOXES_MAX ? [actions('test-cases.lines', [MORE])] : []),
    ],
  });
}

const MORE = button(ACTIONS.moreLines, 'More lines', 'more');

function boxInput(index: number, { boxes }: EnteredLines) {
  const text = boxes[index] ?? '';
  const element = textInput(boxBlock(index), {
    multiline: true,
    max_length: BOX_MAX,
    ...(text !== '' && { initial_value: text }),
    ...(index === 0 && { hint: 'Pay by card | High | Manual' }),
  });
  const label = index === 0 ? 'Lines' : `Lines (${index + 1})`;
  return input(boxBlock(index), label, element, {
    optional: index > 0,
    ...(index === 0 && { hint: HINT }),
  });
}

const HINT =
  'One test case per line: title, then optionally priority and type, separated by |, or pasted from a table.';

/** The first few problems are explained, the others only marked. */
const FAULTS_TOLD = 30;

function rowsOf(read: readonly ReadLine[], { unsure }: LinesCarried): string[] {
  const faulty = read.filter((each) => 'fault' in each);
  const told = new Set<ReadLine>(faulty.slice(0, FAULTS_TOLD));
  const repeated = faulty.length > 0 ? [] : repeatsIn(read);
  const head = [
    ...(faulty.length > 0 ? [faultsText(read.length, faulty.map(numberOf), unsure === true)] : []),
    ...(repeated.length > 0 ? [repeatsText(repeated.map(numberOf))] : []),
  ];
  return [...head, ...read.map((each) => rowText(each, told.has(each)))];
}

/** Lines that repeat an earlier title, for example because they were pasted twice. */
function repeatsIn(read: readonly ReadLine[]): readonly ReadLine[] {
  const titles = new Set<string>();
  return read.filter((each) => {
    if (!('line' in each)) return false;
    const isKnown = titles.has(each.line.title);
    titles.add(each.line.title);
    return isKnown;
  });
}

function numberOf({ number }: ReadLine): number {
  return number;
}

/** The values entered in the form. */
export function enteredLines(form: Form, places: TestPlaces) {
  const { values } = form;
  const project = testProjectWith(places, values.get(PROJECT_BLOCK));
  const suiteId = FIELDS.suiteId.valueIn(values, project).trim();
  const boxes = Array.from(
    { length: LINES_FORM.carriedIn(form).boxes },
    (_, index) => values.get(boxBlock(index)) ?? '',
  );
  return { projectId: project?.id, suiteId: suiteId || undefined, boxes } satisfies EnteredLines;
}

/** Replaces the form for one test case, with its values as the first line. */
export function severalInstead(places: TestPlaces, form: Form): ModalView {
  const carry = CASE_FORM.carriedIn(form);
  const entered = enteredIn(form, places);
  const { title, priority, type, description } = entered;
  if (description !== undefined) {
    return formView(places, carry, entered, { text: DESCRIPTION_STAYS, at: null });
  }
  const line = { title: title ?? '', ...(priority && { priority }), ...(type && { type }) };
  const lines = title === undefined ? [] : [line];
  const { round, otherSuite, ...where } = carry;
  return formOfLines(places, where, { ...entered, lines });
}

/** A form that starts with lines. */
export function formOfLines(
  places: TestPlaces,
  where: Origin,
  wanted: Omit<EnteredLines, 'boxes'> & { readonly lines: readonly NewLine[] },
): ModalView {
  const texts = packed(wanted.lines.map(writeLine), BOX_MAX);
  const boxes = texts.length > 0 ? texts : [''];
  return linesForm(places, { ...where, boxes: boxes.length }, { ...wanted, boxes });
}

/** The form with the suites of the chosen project. */
export function changeLinesProject(places: TestPlaces, form: Form): ModalView {
  return linesForm(places, withoutPreview(form), enteredLines(form, places));
}

/** The form with another text area. */
export function moreLines(places: TestPlaces, form: Form): ModalView {
  const carry = withoutPreview(form);
  const boxes = Math.min(carry.boxes + 1, BOXES_MAX);
  return linesForm(places, { ...carry, boxes }, enteredLines(form, places));
}

function withoutPreview(form: Form): LinesCarried {
  const { previewed, ...carry } = LINES_FORM.carriedIn(form);
  return carry;
}
