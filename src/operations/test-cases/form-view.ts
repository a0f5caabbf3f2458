import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { CatalogueTestProject } from '../../core/config/config.ts';
import { cleanLine } from '../../core/lib/clean-line.ts';
import type { NewTestCase } from '../../core/service/create-test-case.ts';
import { actions, button, section } from '../../core/slack/blocks.ts';
import type { Form } from '../../core/slack/form.ts';
import { type Choosable, input, modal, select, textInput } from '../../core/slack/modal-blocks.ts';
import type { Report } from '../flow/report.ts';
import { ACTIONS, FORMS, TITLE } from './actions.ts';
import { PRIORITIES, type TestPlaces, TYPES, testProjectWith, wordOf } from './catalogue.ts';

/**
 * What a modal carries: where it was opened, in which thread the message is that it was made from, and how
 * often the form was shown anew in it.
 */
const carried = z.strictObject({
  channel: z.string(),
  thread: z.string().optional(),
  round: z.number(),
  /** A press may have been recorded that was not answered: nothing says any more that nothing was created. */
  unsure: z.literal(true).optional(),
});
type Carried = z.infer<typeof carried>;

/** Where somebody asked for test cases. */
export interface Origin {
  readonly channel: string;
  readonly thread?: string | undefined;
}

export function carriedIn(metadata: string): Carried {
  return carried.parse(JSON.parse(metadata));
}

/** Where somebody asked for test cases: what the modals carry, as `announcementAt` takes it. */
export function askedAt({ channel, thread }: Origin) {
  return { channel, ...(thread !== undefined && { threadTs: thread }) };
}

/** The same, of a record. */
export function whereOf({ channel, announceIn }: Report) {
  const thread = announceIn?.threadTs;
  return { channel, ...(thread !== undefined && { thread }) };
}

/** What is entered in the form so far, or offered. */
export type Entered = Partial<NewTestCase>;

/** Something to say above the form, or at one of its inputs. */
interface Note {
  readonly text: string;
  readonly at: FieldName | null;
}

/** By the names of the interface (4.2), which the service may use in its words. */
export const BLOCKS = {
  title: 'test-cases.title',
  description: 'test-cases.description',
  priority: 'test-cases.priority',
  type: 'test-cases.type',
  suiteId: 'test-cases.suite',
} as const;
type FieldName = keyof typeof BLOCKS;
export const PROJECT_BLOCK = 'test-cases.project';

/** A block of its own for each project: a suite must not stay chosen when the project changes. */
export function suiteBlock(projectId: string): string {
  return `${BLOCKS.suiteId}:${projectId}`;
}

export const TITLE_MAX = 500;
export const DESCRIPTION_MAX = 3_000;

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
  const fields: readonly (readonly [FieldName | null, readonly ModalView['blocks'][number][]])[] = [
    [null, [projectInput(testProjects, project)]],
    ['title', [titleInput(entered)]],
    ['description', [descriptionInput(entered)]],
    ['priority', [wordInput('priority', 'Priority', PRIORITIES, entered.priority)]],
    ['type', [wordInput('type', 'Type', TYPES, entered.type)]],
    ['suiteId', project === undefined ? [] : [suiteInput(project, entered.suiteId)]],
  ];
  const said = note === undefined ? [] : [section(note.text)];
  const isAtField = fields.some(
    ([name, blocks]) => name !== null && name === note?.at && blocks.length > 0,
  );
  return modal({
    callbackId: FORMS.create,
    title: TITLE,
    submit: 'Create',
    close: 'Cancel',
    metadata: JSON.stringify(carry satisfies Carried),
    blocks: [
      ...(isAtField ? [] : said),
      // Another form would create again what this one creates only once.
      ...(carry.unsure
        ? []
        : [actions(ACTIONS.several, [button(ACTIONS.several, 'Several at once', 'several')])]),
      ...fields.flatMap(([name, blocks]) =>
        isAtField && name === note?.at ? [...said, ...blocks] : blocks,
      ),
    ],
  });
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
  return projects.map(({ id, name, space }) => ({ value: id, label: `${name} · ${space}` }));
}

function suiteChoices({ suites }: CatalogueTestProject): readonly Choosable[] {
  return suites.map(({ id, name }) => ({ value: id, label: name }));
}

function titleInput({ title = '' }: Entered) {
  const begun = title === '' ? {} : { initial_value: title };
  const element = textInput(BLOCKS.title, { max_length: TITLE_MAX, ...begun });
  return input(BLOCKS.title, 'Title', element);
}

function descriptionInput({ description = '' }: Entered) {
  const element = textInput(BLOCKS.description, {
    multiline: true,
    max_length: DESCRIPTION_MAX,
    ...(description !== '' && { initial_value: description }),
  });
  return input(BLOCKS.description, 'Description or steps', element, { optional: true });
}

function wordInput(
  name: 'priority' | 'type',
  label: string,
  words: Readonly<Record<string, string>>,
  chosen: string | undefined,
) {
  const choices = Object.entries(words).map(([value, text]) => ({ value, label: text }));
  const element = select(BLOCKS[name], choices, { chosen, hint: "The service's default" });
  return input(BLOCKS[name], label, element, { optional: true });
}

/** Where the catalogue names no suites, an id may be entered. */
export function suiteInput(project: CatalogueTestProject, chosen: string | undefined) {
  const choices = suiteChoices(project);
  if (choices.length === 0) {
    const begun = chosen === undefined ? {} : { initial_value: chosen };
    const text = textInput(ACTIONS.suite, { max_length: 200, ...begun });
    return input(suiteBlock(project.id), 'Id of a suite', text, { optional: true });
  }
  const element = select(ACTIONS.suite, choices, { chosen, hint: 'Unassigned' });
  return input(suiteBlock(project.id), 'Suite', element, { optional: true });
}

/** What is entered in the form: only what was chosen, the title as one that is not empty. */
export function enteredIn({ values }: Form, places: TestPlaces): Entered {
  const project = testProjectWith(places, values.get(PROJECT_BLOCK));
  const title = values.get(BLOCKS.title)?.trim() ?? '';
  const description = values.get(BLOCKS.description) ?? '';
  const priority = wordOf(PRIORITIES, values.get(BLOCKS.priority));
  const type = wordOf(TYPES, values.get(BLOCKS.type));
  const suiteId = project && values.get(suiteBlock(project.id))?.trim();
  return {
    ...(project && { spaceSlug: project.space, projectId: project.id }),
    ...(cleanLine(title) !== '' && { title }),
    ...(description.trim() !== '' && { description }),
    ...(priority !== undefined && { priority }),
    ...(type !== undefined && { type }),
    ...(suiteId !== undefined && suiteId !== '' && { suiteId }),
  };
}

/** The form with the suites of the project that is chosen in it. */
export function changeProject(places: TestPlaces, form: Form): ModalView {
  return formView(places, carriedIn(form.metadata), enteredIn(form, places));
}

/** What a list of the form offers that is too long to come with it. */
export function optionsFor(
  { catalogue }: TestPlaces,
  { actionId, blockId }: { readonly actionId: string; readonly blockId: string },
): readonly Choosable[] {
  if (actionId === ACTIONS.project) return projectChoices(catalogue.testProjects);
  const project = catalogue.testProjects.find(({ id }) => suiteBlock(id) === blockId);
  return project === undefined ? [] : suiteChoices(project);
}

/** The one field that the service's words name, as the interface writes it (4.2); null: none, or several. */
export function fieldNamedIn(words: string): FieldName | null {
  // as: the keys of the table are the names
  const names = Object.keys(BLOCKS) as FieldName[];
  const named = names.filter((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'u').test(words));
  return named.length === 1 ? (named[0] ?? null) : null;
}
