import type { CatalogueTestProject, Named } from '../../core/config/config.ts';
import { closest } from '../../core/lib/closest.ts';
import type { NewTestCase } from '../../core/service/create-test-case.ts';
import { StoreError } from '../../core/store/store.ts';
import { askOnce } from '../flow/ask.ts';
import { announcementAt } from '../flow/report.ts';
import { CASE_RULES } from './case.ts';
import { meant, PRIORITIES, TYPES, testProjectWith } from './catalogue.ts';
import { type NewCaseDependencies, setUpSentence } from './first-form.ts';
import { DESCRIPTION_MAX } from './form-view.ts';
import { recallChoices } from './last-choices.ts';
import { type Flag, type TypedCase, writeWords } from './read-words.ts';
import {
  CHOOSE_PROJECT,
  faultSentence,
  faultsText,
  LONG_DESCRIPTION,
  MAYBE_RECORDED,
  NOT_RECORDED,
  noSuchChoice,
  receivedText,
  severalCalled,
} from './sentences.ts';

/** What the person reads at once; `carryOn` begins after that. */
interface Answer {
  readonly text: string;
  carryOn(): Promise<void>;
}

/** A command with options: recorded before it is acknowledged. `trigger` is unique to it. */
export async function createNow(
  needs: NewCaseDependencies,
  typed: TypedCase,
  { user: by, channel, trigger }: { user: string; channel: string; trigger: string },
): Promise<Answer> {
  const { places, store } = needs;
  const { testProjects } = places.catalogue;
  const missing = await setUpSentence(needs, by);
  if (missing !== null) return say(missing);
  try {
    const isOpen = typed.flags.project === undefined && testProjects.length > 1;
    const last = isOpen ? await recallChoices(store, channel) : undefined;
    const chosen = choose(typed, testProjects, testProjectWith(places, last?.projectId));
    if (!chosen.ok) return say(chosen.text);
    const { record, carryOn } = await askOnce(needs, CASE_RULES, {
      by,
      channel,
      wish: { testCase: chosen.wanted, round: 0 },
      ...announcementAt(places.cases.announce, { channel }),
      key: `command\0${trigger}`,
      delivery: trigger,
    });
    return { text: receivedText(record, places), carryOn };
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
  /** Everything that is wrong, and the command as it was probably meant. */
  | { readonly ok: false; readonly text: string };

/** What a command with options asks for. `last`: the channel's last test project, for one that names none. */
function choose(
  { title, lines, flags, faults }: TypedCase,
  projects: readonly CatalogueTestProject[],
  last: CatalogueTestProject | undefined,
): Chosen {
  const priority = readValue('priority', flags.priority, named(PRIORITIES));
  const type = readValue('type', flags.type, named(TYPES));
  const project = projectOf(flags.project, projects, last);
  const probable = project.item ?? projects.find(({ name }) => name === project.typed);
  const suite = suiteOf(flags.suite, probable);
  const description = descriptionOf(flags.description, lines);
  const values = { priority, type, suite, project, description };
  const wrong = [
    ...faults.map(faultSentence),
    ...Object.values(values).flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
  ];
  if (wrong.length > 0 || project.item === undefined) {
    // as: the keys of the values are the flags
    const entries = Object.entries(values) as [Flag, Value<Named>][];
    const meantFlags = entries.flatMap(([flag, { typed }]) =>
      typed === undefined ? [] : [[flag, typed]],
    );
    const corrected = { title, lines, flags: Object.fromEntries(meantFlags) };
    return { ok: false, text: faultsText(wrong, writeWords(corrected)) };
  }
  const wanted = {
    spaceSlug: project.item.space,
    projectId: project.item.id,
    title,
    ...(description.item !== undefined && { description: description.item.id }),
    ...(priority.item !== undefined && { priority: priority.item.id }),
    ...(type.item !== undefined && { type: type.item.id }),
    ...(suite.item !== undefined && { suiteId: suite.item.id }),
  };
  return { ok: true, wanted };
}

/** What an option means. */
interface Value<Item extends Named> {
  /** undefined: it is not given, or wrong. */
  readonly item?: Item | undefined;
  /** What is wrong with it. */
  readonly fault?: string;
  /** As it stands in the corrected command; empty: it has to be chosen. */
  readonly typed?: string | undefined;
}

/** The words of the interface as things with names. */
function named<Word extends string>(words: Readonly<Record<Word, string>>) {
  // as: the keys of a record of all words are the words
  const all = Object.keys(words) as Word[];
  return all.map((id) => ({ id, name: words[id] }));
}

/** Whether a value is missing altogether was noticed when the words were read. */
function readValue<Item extends Named>(
  flag: Exclude<Flag, 'description'>,
  word: string | undefined,
  items: readonly Item[],
): Value<Item> {
  if (word === undefined || word === '') return { typed: word };
  const [item, ...others] = meant(items, word);
  if (item !== undefined && others.length === 0) return { item, typed: word };
  if (item !== undefined) return { fault: severalCalled(flag, word), typed: '' };
  const names = items.map(({ name }) => name);
  return { fault: noSuchChoice(flag, word, names), typed: closest(word, names) ?? '' };
}

function projectOf(
  word: string | undefined,
  projects: readonly CatalogueTestProject[],
  last: CatalogueTestProject | undefined,
): Value<CatalogueTestProject> {
  if (word !== undefined) return readValue('project', word, projects);
  const item = projects.length === 1 ? projects[0] : last;
  return item === undefined ? { fault: CHOOSE_PROJECT, typed: '' } : { item };
}

/** Where the catalogue names no suites, what was typed is an id. */
function suiteOf(word: string | undefined, project: CatalogueTestProject | undefined) {
  const isKnown = project !== undefined && project.suites.length > 0;
  if (isKnown || !word) return readValue('suite', word, project?.suites ?? []);
  return { item: { id: word, name: word }, typed: word };
}

function descriptionOf(word: string | undefined, lines: string): Value<Named> {
  const whole = [word ?? '', lines].filter((each) => each !== '').join('\n\n');
  if (whole === '') return { typed: word };
  const item = { id: whole, name: whole };
  return {
    item,
    typed: word,
    ...(whole.length > DESCRIPTION_MAX && { fault: LONG_DESCRIPTION }),
  };
}
