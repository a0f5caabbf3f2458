import type { CatalogueTestProject, Named } from '../config/config.ts';
import { type AskDependencies, askOnce } from '../operations/ask.ts';
import { announcementAt } from '../operations/report.ts';
import type { NewTestCase } from '../service/create-test-case.ts';
import { type Store, StoreError } from '../store/store.ts';
import { CASE_RULES } from './case.ts';
import { meant, PRIORITIES, type TestPlaces, TYPES, testProjectWith, wordOf } from './catalogue.ts';
import { recallChoices } from './last-choices.ts';
import type { CaseWords } from './read-words.ts';
import {
  CHOOSE_PROJECT,
  MAYBE_RECORDED,
  NO_PROJECTS,
  NOT_RECORDED,
  noSuchChoice,
  projectName,
  severalCalled,
  titleOf,
} from './sentences.ts';

export interface CreateNowNeeds extends AskDependencies {
  readonly store: AskDependencies['store'] & Pick<Store, 'get'>;
  readonly places: TestPlaces;
}

/** What the person reads at once; `carryOn` begins after that. */
interface Answer {
  readonly text: string;
  carryOn(): Promise<void>;
}

/** A command with flags: recorded before it is acknowledged. `trigger` is unique to it. */
export async function createNow(
  needs: CreateNowNeeds,
  words: Extract<CaseWords, { kind: 'create' }>,
  { user: by, channel, trigger }: { user: string; channel: string; trigger: string },
): Promise<Answer> {
  const { places, store } = needs;
  const { testProjects } = places.catalogue;
  if (testProjects.length === 0) return say(NO_PROJECTS);
  try {
    const isOpen = words.flags.project === undefined && testProjects.length > 1;
    const last = isOpen ? await recallChoices(store, channel) : undefined;
    const chosen = choose(words, testProjects, testProjectWith(places, last?.projectId));
    if (!chosen.ok) return say(chosen.sentence);
    const { record, carryOn } = await askOnce(needs, CASE_RULES, {
      by,
      channel,
      wish: { testCase: chosen.wanted, round: 0 },
      ...announcementAt(places.cases.announce, { channel }),
      key: `command\0${trigger}`,
      delivery: trigger,
    });
    const where = projectName(record, places);
    const text = `:hourglass_flowing_sand: Received: ${titleOf(record)} for ${where}. You'll get the result as a direct message.`;
    return { text, carryOn };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return say(error.code === 'unknown' ? MAYBE_RECORDED : NOT_RECORDED);
  }
}

function say(text: string): Answer {
  return { text, async carryOn() {} };
}

type Chosen =
  | { readonly ok: true; readonly wanted: NewTestCase }
  /** The sentence that names the word. */
  | { readonly ok: false; readonly sentence: string };

/** What a command with flags asks for. `last`: the channel's last test project, for one that names none. */
function choose(
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
