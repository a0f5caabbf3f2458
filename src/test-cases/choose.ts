import type { CatalogueTestProject, Named } from '../config/config.ts';
import type { NewTestCase } from '../service/create-test-case.ts';
import { meant } from './catalogue.ts';
import { PRIORITIES, TYPES, wordOf } from './choices.ts';
import type { CaseWords } from './read-words.ts';
import { CHOOSE_PROJECT, noSuchChoice, severalCalled } from './sentences.ts';

export type Chosen =
  | { readonly ok: true; readonly wanted: NewTestCase }
  /** The sentence that names the word. */
  | { readonly ok: false; readonly sentence: string };

/** What a command with flags asks for. `last`: the channel's last test project, for one that names none. */
export function choose(
  { title, flags }: Extract<CaseWords, { kind: 'create' }>,
  projects: readonly CatalogueTestProject[],
  last: CatalogueTestProject | undefined,
): Chosen {
  const priority = wordOf(PRIORITIES, flags.priority);
  if (flags.priority !== undefined && priority === undefined) {
    return wrong(noSuchChoice('priority', flags.priority, Object.values(PRIORITIES)));
  }
  const type = wordOf(TYPES, flags.type);
  if (flags.type !== undefined && type === undefined) {
    return wrong(noSuchChoice('type', flags.type, Object.values(TYPES)));
  }
  const project = projectOf(flags.project, projects, last);
  if (typeof project === 'string') return wrong(project);
  const suiteId = suiteOf(flags.suite, project);
  if (typeof suiteId === 'object') return wrong(suiteId.sentence);
  const wanted = {
    spaceSlug: project.space,
    projectId: project.id,
    title,
    ...(priority !== undefined && { priority }),
    ...(type !== undefined && { type }),
    ...(suiteId !== undefined && { suiteId }),
  };
  return { ok: true, wanted };
}

function projectOf(
  word: string | undefined,
  projects: readonly CatalogueTestProject[],
  last: CatalogueTestProject | undefined,
): CatalogueTestProject | string {
  const alone = projects.length === 1 ? projects[0] : undefined;
  if (word === undefined) return alone ?? last ?? CHOOSE_PROJECT;
  return oneOf('project', word, projects);
}

/** Where the catalogue names no suites, what was typed is an id. */
function suiteOf(
  word: string | undefined,
  { suites }: CatalogueTestProject,
): string | undefined | { readonly sentence: string } {
  if (word === undefined || suites.length === 0) return word;
  const suite = oneOf('suite', word, suites);
  return typeof suite === 'string' ? { sentence: suite } : suite.id;
}

function oneOf<Item extends Named>(
  flag: 'project' | 'suite',
  word: string,
  items: readonly Item[],
): Item | string {
  const [item, ...others] = meant(items, word);
  if (item === undefined)
    return noSuchChoice(
      flag,
      word,
      items.map(({ name }) => name),
    );
  return others.length > 0 ? severalCalled(flag, word) : item;
}

function wrong(sentence: string): Chosen {
  return { ok: false, sentence };
}
