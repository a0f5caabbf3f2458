import type { InputBlock, ModalView } from '@slack/types';
import * as z from 'zod';
import type { CatalogueTestProject } from '../../core/config/config.ts';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { actions, button, section } from '../../core/slack/blocks.ts';
import { defineForm, type Form } from '../../core/slack/form.ts';
import {
  type Choosable,
  input,
  labelWithId,
  select,
  textInput,
} from '../../core/slack/modal-blocks.ts';
import type { Report } from '../flow/report.ts';
import { ACTIONS, TITLE } from './actions.ts';
import { type TestPlaces, testProjectWith } from './catalogue.ts';
import {
  ALL_FIELDS,
  type CaseField,
  type Entered,
  FIELDS,
  isOtherSuite,
  isUnlisted,
  suiteBlock,
  suitesOffered,
  together,
} from './fields.ts';

/**
 * What a modal carries: where it was opened, the thread of the message it was made from, and how many times the form
 * was shown again.
 */
const carried = z.strictObject({
  channel: z.string(),
  thread: z.string().exactOptional(),
  round: z.number(),
  /** An unanswered press may have been recorded, so the form no longer says that nothing was created. */
  unsure: z.literal(true).exactOptional(),
  /** The form asks for the id of a suite that is not listed. */
  otherSuite: z.literal(true).exactOptional(),
});
type Carried = z.infer<typeof carried>;

export const CASE_FORM = defineForm({ id: 'test-cases.create-form', title: TITLE, carried });

/** Where somebody asked for test cases. */
export interface Origin {
  readonly channel: string;
  readonly thread?: string;
}

/** The origin from a modal, in the form of `announcementAt`. */
export function askedAt({ channel, thread }: Origin) {
  return { channel, ...(thread !== undefined && { threadTs: thread }) };
}

/** The same, from a record. */
export function whereOf({ channel, announceIn }: Report) {
  const thread = announceIn?.threadTs;
  return { channel, ...(thread !== undefined && { thread }) };
}

/** A note above the form, or at one of its inputs. */
interface Note {
  readonly text: string;
  readonly at: FieldName | null;
}

/** A field's name in the interface (4.2), which the service may mention. */
type FieldName = 'title' | keyof typeof FIELDS;
export const TITLE_BLOCK = 'test-cases.title';
export const PROJECT_BLOCK = 'test-cases.project';

export const TITLE_MAX = 500;

/** The form for one test case. */
export function formView(
  places: TestPlaces,
  carry: Carried,
  entered: Entered,
  note?: Note,
): ModalView {
  const { testProjects } = places.catalogue;
  const project =
    testProjectWith(places, entered.projectId) ??
    (testProjects.length === 1 ? testProjects[0] : undefined);
  // as: the keys of the table
  const named = Object.entries(FIELDS) as [FieldName, CaseField][];
  const { otherSuite: _, ...kept } = carry;
  const shows = { otherSuite: carry.otherSuite === true || isUnlisted(project, entered.suiteId) };
  const fields: readonly (readonly [FieldName | null, readonly InputBlock[]])[] = [
    [null, [projectInput(testProjects, project)]],
    ['title', [titleInput(entered)]],
    ...named.map(([name, field]) => [name, field.inputs(entered, project, shows)] as const),
  ];
  const said = note === undefined ? [] : [section(note.text)];
  const isAtField = fields.some(
    ([name, blocks]) => name !== null && name === note?.at && blocks.length > 0,
  );
  return CASE_FORM.view(
    { ...kept, ...(shows.otherSuite && { otherSuite: true as const }) },
    {
      submit: 'Create',
      blocks: [
        ...(isAtField ? [] : said),
        // Another form would not know that this one may already have created it.
        ...(carry.unsure
          ? []
          : [actions(ACTIONS.several, [button(ACTIONS.several, 'Several at once', 'several')])]),
        ...fields.flatMap(([name, blocks]) => [
          ...(isAtField && name === note?.at ? said : []),
          ...blocks,
        ]),
      ],
    },
  );
}

export function projectInput(
  projects: readonly CatalogueTestProject[],
  project: CatalogueTestProject | undefined,
) {
  const element = select(ACTIONS.project, projectChoices(projects), {
    chosen: project?.id,
    hint: 'Choose a test project',
  });
  return input(PROJECT_BLOCK, 'Test project', element, { speaks: true });
}

function projectChoices(projects: readonly CatalogueTestProject[]): readonly Choosable[] {
  return projects.map(({ id, name, space, reported }) => {
    const label = `${name} · ${space}`;
    return { value: id, label: reported === undefined ? label : labelWithId(label, id) };
  });
}

function titleInput({ title = '' }: Entered) {
  const begun = title === '' ? {} : { initial_value: title };
  const element = textInput(TITLE_BLOCK, { max_length: TITLE_MAX, ...begun });
  return input(TITLE_BLOCK, 'Title', element);
}

/** The entered values: only chosen ones, and a non-empty title. */
export function enteredIn({ values }: Form, places: TestPlaces): Entered {
  const project = testProjectWith(places, values.get(PROJECT_BLOCK));
  const title = values.get(TITLE_BLOCK)?.trim() ?? '';
  const entered = ALL_FIELDS.map(({ valueIn, read }) => read(valueIn(values, project)));
  return entered.reduce(together, {
    ...(project && { spaceSlug: project.space, projectId: project.id }),
    ...(cleanLine(title) !== '' && { title }),
  });
}

/** The form with the suites of the chosen project. */
export function changeProject(places: TestPlaces, form: Form): ModalView {
  return formView(places, carriedFrom(form, places), enteredIn(form, places));
}

/** The form after a choice of a suite; undefined: it stays as it is. */
export function changeSuite(places: TestPlaces, form: Form): ModalView | undefined {
  const isAsked = CASE_FORM.carriedIn(form).otherSuite === true;
  const asks = carriedFrom(form, places).otherSuite === true;
  return isAsked === asks ? undefined : changeProject(places, form);
}

/** What the form carries, as it is filled in now. */
export function carriedFrom(form: Form, places: TestPlaces): Carried {
  const { otherSuite, ...carry } = CASE_FORM.carriedIn(form);
  const project = testProjectWith(places, form.values.get(PROJECT_BLOCK));
  return { ...carry, ...(isOtherSuite(form.values, project) && { otherSuite: true as const }) };
}

/** Options for a list that is too long to come with the form. */
export function optionsFor(
  { catalogue }: TestPlaces,
  { callback }: Pick<Form, 'callback'>,
  { actionId, blockId }: { readonly actionId: string; readonly blockId: string },
): readonly Choosable[] {
  if (actionId === ACTIONS.project) return projectChoices(catalogue.testProjects);
  const project = catalogue.testProjects.find(({ id }) => suiteBlock(id) === blockId);
  return project === undefined ? [] : suitesOffered(project, callback === CASE_FORM.id);
}

/** The only field named in the service's words, as in the interface (4.2); null: none, or several. */
export function fieldNamedIn(words: string): FieldName | null {
  // as: the keys of the table
  const names = ['title', ...Object.keys(FIELDS)] as FieldName[];
  const named = names.filter((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'u').test(words));
  return named.length === 1 ? (named[0] ?? null) : null;
}
