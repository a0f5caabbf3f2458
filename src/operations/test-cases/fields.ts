/**
 * The optional fields of a test case: each is an input of the form and an option of `/new-case`. To add one, add a row
 * here with its option in `FLAGS`, and a member to `NewTestCase`.
 */

import type { InputBlock } from '@slack/types';
import type { CatalogueTestProject, Named } from '../../core/config/config.ts';
import type { NewTestCase } from '../../core/service/create-test-case.ts';
import { type Choosable, input, select, textInput } from '../../core/slack/modal-blocks.ts';
import { ACTIONS } from './actions.ts';
import { PRIORITIES, TYPES, wordOf } from './catalogue.ts';

/** Options of `/new-case`, in the order in which they are named. */
export const FLAGS = ['priority', 'type', 'suite', 'project', 'description'] as const;
export type Flag = (typeof FLAGS)[number];

/** What was entered so far, or suggested. */
export type Entered = Partial<NewTestCase>;

export interface CaseField {
  readonly flag: Exclude<Flag, 'project'>;
  /** The maximum length. */
  readonly max?: number;
  /** Includes the lines below the command. */
  readonly takesLines?: boolean;
  /** A single word: display names by the interface's words. */
  readonly words?: Readonly<Record<string, string>>;
  /** The options; null: free text. */
  readonly choices: (project: CatalogueTestProject | undefined) => readonly Named[] | null;
  /** What is entered in a form, by block. */
  readonly valueIn: (
    values: ReadonlyMap<string, string>,
    project: CatalogueTestProject | undefined,
  ) => string;
  /** None: not available yet. */
  readonly inputs: (
    entered: Entered,
    project: CatalogueTestProject | undefined,
    shows: { readonly otherSuite: boolean },
  ) => readonly InputBlock[];
  /** The text, or the id of the option, as sent; empty: nothing. */
  readonly read: (text: string) => Entered;
}

export function together<Some extends Entered>(all: Some, more: Entered): Some {
  return { ...all, ...more };
}

export const DESCRIPTION_MAX = 3_000;
const DESCRIPTION = 'test-cases.description';

/** By the interface's names (4.2), in the order of the form. */
export const FIELDS = {
  description: {
    flag: 'description',
    max: DESCRIPTION_MAX,
    takesLines: true,
    choices: () => null,
    valueIn: (values) => values.get(DESCRIPTION) ?? '',
    inputs({ description = '' }) {
      const element = textInput(DESCRIPTION, {
        multiline: true,
        max_length: DESCRIPTION_MAX,
        ...(description !== '' && { initial_value: description }),
      });
      return [input(DESCRIPTION, 'Description or steps', element, { optional: true })];
    },
    read: (text) => (text.trim() === '' ? {} : { description: text }),
  },
  priority: wordField('priority', 'Priority', PRIORITIES, (priority) => ({ priority })),
  type: wordField('type', 'Type', TYPES, (type) => ({ type })),
  suiteId: {
    flag: 'suite',
    // If the catalogue has no suites, the typed text is an id.
    choices: (project) =>
      project === undefined || project.suites.length === 0 ? null : project.suites,
    valueIn(values, project) {
      const id = project?.id ?? '';
      const chosen = values.get(suiteBlock(id)) ?? '';
      return chosen === OTHER ? (values.get(otherBlock(id)) ?? '') : chosen;
    },
    inputs({ suiteId }, project, { otherSuite }) {
      return project === undefined ? [] : suiteInputs(project, suiteId, otherSuite);
    },
    read: (text) => (text.trim() === '' ? {} : { suiteId: text.trim() }),
  },
} as const satisfies Record<
  Exclude<keyof NewTestCase, 'spaceSlug' | 'projectId' | 'title'>,
  CaseField
>;

export const ALL_FIELDS: readonly CaseField[] = Object.values(FIELDS);

/** One of the interface's words (2.3). */
function wordField<Word extends string>(
  flag: 'priority' | 'type',
  label: string,
  words: Readonly<Record<Word, string>>,
  read: (word: Word) => Entered,
): CaseField {
  const block = `test-cases.${flag}`;
  // as: the keys of a record of all words
  const all = (Object.keys(words) as Word[]).map((id) => ({ id, name: words[id] }));
  return {
    flag,
    words,
    choices: () => all,
    valueIn: (values) => values.get(block) ?? '',
    inputs(entered) {
      const choices = all.map(({ id, name }) => ({ value: id, label: name }));
      const element = select(block, choices, {
        chosen: entered[flag],
        hint: "The service's default",
      });
      return [input(block, label, element, { optional: true })];
    },
    read(text) {
      const word = wordOf(words, text);
      return word === undefined ? {} : read(word);
    },
  };
}

/** Each project has its own block, so that a suite does not stay selected when the project changes. */
export function suiteBlock(projectId: string): string {
  return `test-cases.suite:${projectId}`;
}

export function otherBlock(projectId: string): string {
  return `test-cases.other-suite:${projectId}`;
}

/** Slack's limit for an option, as which a typed suite is offered next time. */
export const OPTION_MAX = 75;

/** Stands for a suite that nobody has listed. */
const OTHER = '(other)';

/** Whether the form has to ask for the id of the suite. */
export function isOtherSuite(
  values: ReadonlyMap<string, string>,
  project: CatalogueTestProject | undefined,
): boolean {
  return values.get(suiteBlock(project?.id ?? '')) === OTHER;
}

/** Whether a suite has to be shown by its id. */
export function isUnlisted(
  project: CatalogueTestProject | undefined,
  suiteId: string | undefined,
): boolean {
  const suites = project?.suites ?? [];
  return suites.length > 0 && suiteId !== undefined && !suites.some(({ id }) => id === suiteId);
}

/** The list of suites and, with `isOther`, an input for the id of one that is not listed. */
function suiteInputs(
  project: CatalogueTestProject,
  chosen: string | undefined,
  isOther: boolean,
): readonly InputBlock[] {
  const choices = suiteChoices(project);
  if (choices.length === 0) return [suiteInput(project, chosen)];
  const element = select(ACTIONS.suite, withOther(choices), {
    chosen: isOther ? OTHER : chosen,
    hint: 'Unassigned',
  });
  const list = input(suiteBlock(project.id), 'Suite', element, { optional: true, speaks: true });
  if (!isOther) return [list];
  const text = suiteText(isUnlisted(project, chosen) ? chosen : undefined, OPTION_MAX);
  return [list, input(otherBlock(project.id), 'Id of a suite', text)];
}

/** The list of suites alone, with the chosen one. If the catalogue has none, an id can be entered. */
export function suiteInput(project: CatalogueTestProject, chosen: string | undefined): InputBlock {
  const block = suiteBlock(project.id);
  const choices = suiteChoices(project);
  if (choices.length === 0) {
    return input(block, 'Id of a suite', suiteText(chosen, 200), { optional: true });
  }
  const isTyped = chosen !== undefined && isUnlisted(project, chosen);
  const fits = isTyped && chosen.length <= OPTION_MAX;
  const all = fits ? [...choices, { value: chosen, label: chosen }] : choices;
  const element = select(ACTIONS.suite, all, { chosen, hint: 'Unassigned' });
  return input(block, 'Suite', element, { optional: true });
}

function suiteText(chosen: string | undefined, most: number) {
  const begun = chosen === undefined ? {} : { initial_value: chosen.slice(0, most) };
  return textInput(ACTIONS.suite, { max_length: most, ...begun });
}

function suiteChoices({ suites }: CatalogueTestProject): readonly Choosable[] {
  return suites.map(({ id, name }) => ({ value: id, label: name }));
}

/** What a list of suites offers; `hasOther`: the form asks for the id of another one. */
export function suitesOffered(
  project: CatalogueTestProject,
  hasOther: boolean,
): readonly Choosable[] {
  const choices = suiteChoices(project);
  return hasOther ? withOther(choices) : choices;
}

function withOther(choices: readonly Choosable[]): readonly Choosable[] {
  return [...choices, { value: OTHER, label: 'Other…', isAlways: true }];
}
