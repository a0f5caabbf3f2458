import type { CatalogueTestProject, Config, Named } from '../../core/config/config.ts';
import { foldTyped, isSameTyped } from '../../core/lib/fold-typed.ts';
import type { NewTestCase } from '../../core/service/create-test-case.ts';
import { bold, code, oneLine } from '../../core/slack/text.ts';

/** The configuration of test projects. */
export interface TestPlaces {
  readonly catalogue: { readonly testProjects: readonly CatalogueTestProject[] };
  readonly links: { readonly testCase: string | null };
  readonly cases: { readonly announce: Config['cases']['announce'] };
}

export function testProjectWith(
  { catalogue }: TestPlaces,
  id: string | undefined,
): CatalogueTestProject | undefined {
  return catalogue.testProjects.find((project) => project.id === id);
}

/** In mrkdwn. An automation can call its project like another one, so its id stands beside the name. */
export function projectText(places: TestPlaces, projectId: string): string {
  const project = testProjectWith(places, projectId);
  const name = bold(oneLine(project?.name ?? projectId, 100));
  return project?.reported === undefined ? name : `${name} (${code(projectId)})`;
}

/** What the typed text may mean: by id, or else by name, ignoring case. */
export function meant<Item extends Named>(items: readonly Item[], words: string): readonly Item[] {
  const byId = items.filter(({ id }) => id === words || id === foldTyped(words));
  return byId.length > 0 ? byId : items.filter(({ name }) => isSameTyped(name, words));
}

type Priority = NonNullable<NewTestCase['priority']>;
type CaseType = NonNullable<NewTestCase['type']>;

/** The interface's words (2.3) with their display names. */
export const PRIORITIES: Readonly<Record<Priority, string>> = {
  LOW: 'Low',
  MEDIUM: 'Medium',
  HIGH: 'High',
  CRITICAL: 'Critical',
};
export const TYPES: Readonly<Record<CaseType, string>> = {
  MANUAL: 'Manual',
  AUTOMATED: 'Automated',
  EXPLORATORY: 'Exploratory',
};

/** The interface's word for the typed text, ignoring case. */
export function wordOf<Word extends string>(
  words: Readonly<Record<Word, string>>,
  typed: string | undefined,
): Word | undefined {
  // as: the keys of a record of all words
  const all = Object.keys(words) as Word[];
  return all.find((word) => isSameTyped(word, typed ?? ''));
}
