import type { CatalogueTestProject, Named } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { closest } from '../../core/lib/closest.ts';
import type { NewTestCase } from '../../core/service/create-test-case.ts';
import { askOnce } from '../flow/ask.ts';
import { announcementAt } from '../flow/report.ts';
import { storeTrouble } from '../flow/store-away.ts';
import { CASE_RULES } from './case.ts';
import { meant, testProjectWith } from './catalogue.ts';
import { ALL_FIELDS, type CaseField, FLAGS, type Flag, together } from './fields.ts';
import { setUpSentence } from './first-form.ts';
import { recallChoices, withTyped } from './last-choices.ts';
import { type TypedCase, writeWords } from './read-words.ts';
import {
  CHOOSE_PROJECT,
  faultSentence,
  faultsText,
  MAYBE_RECEIVED,
  noSuchChoice,
  receivedText,
  severalCalled,
  tooLong,
  WORDS,
} from './sentences.ts';

/** The immediate answer; `carryOn` starts work afterwards. */
interface Answer {
  readonly text: string;
  carryOn(): Promise<void>;
}

/** A command with options: recorded before the acknowledgement. `trigger`: unique to it. */
export async function createNow(
  core: Core,
  typed: TypedCase,
  { user: by, channel, trigger }: { user: string; channel: string; trigger: string },
): Promise<Answer> {
  const { store } = core;
  const missing = await setUpSentence(core, by);
  if (missing !== null) return say(missing);
  try {
    const last = await recallChoices(store, channel);
    const places = withTyped(core.config, last);
    const { testProjects } = places.catalogue;
    const chosen = choose(typed, testProjects, testProjectWith(places, last?.projectId));
    if (!chosen.ok) return say(chosen.text);
    const { record, carryOn } = await askOnce(core, CASE_RULES, {
      by,
      channel,
      wish: { testCase: chosen.wanted, round: 0 },
      ...announcementAt(places.cases.announce, { channel }),
      key: `command\0${trigger}`,
      delivery: trigger,
    });
    return { text: receivedText(record, places), carryOn };
  } catch (error) {
    return say(storeTrouble(error) === 'unknown' ? MAYBE_RECEIVED : WORDS.notRecorded(false));
  }
}

function say(text: string): Answer {
  return { text, async carryOn() {} };
}

type Chosen =
  | { readonly ok: true; readonly wanted: NewTestCase }
  /** All problems, and the command as it was probably meant. */
  | { readonly ok: false; readonly text: string };

/** The test case a command with options asks for. `last`: the channel's last test project, the default. */
function choose(
  { title, lines, flags, faults }: TypedCase,
  projects: readonly CatalogueTestProject[],
  last: CatalogueTestProject | undefined,
): Chosen {
  const project = projectOf(flags.project, projects, last);
  const probable = project.item ?? projects.find(({ name }) => name === project.typed);
  const given = ALL_FIELDS.map(
    (field) => [field, valueFor(field, { flags, lines, project: probable })] as const,
  );
  const values = new Map<Flag, Value<Named>>([
    ...given.map(([{ flag }, value]) => [flag, value] as const),
    ['project', project],
  ]);
  const wrong = [
    ...faults.map(faultSentence),
    ...FLAGS.flatMap((flag) => values.get(flag)?.fault ?? []),
  ];
  if (wrong.length > 0 || project.item === undefined) {
    const meantFlags = [...values].flatMap(([flag, { typed }]) =>
      typed === undefined ? [] : [[flag, typed]],
    );
    const corrected = { title, lines, flags: Object.fromEntries(meantFlags) };
    return { ok: false, text: faultsText(wrong, writeWords(corrected)) };
  }
  const wanted = { spaceSlug: project.item.space, projectId: project.item.id, title };
  const read = given.map(([field, { item }]) => field.read(item?.id ?? ''));
  return { ok: true, wanted: read.reduce<NewTestCase>(together, wanted) };
}

/** The meaning of an option. */
interface Value<Item extends Named> {
  /** undefined: missing or invalid. */
  readonly item?: Item | undefined;
  /** What is wrong with it. */
  readonly fault?: string;
  /** Its value in the corrected command; empty: it has to be chosen. */
  readonly typed?: string | undefined;
}

/** Missing values were already reported when the words were parsed. */
function readValue<Item extends Named>(
  flag: Flag,
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

function valueFor(
  { flag, choices, max = Number.POSITIVE_INFINITY, takesLines = false }: CaseField,
  {
    flags,
    lines,
    project,
  }: Pick<TypedCase, 'flags' | 'lines'> & {
    readonly project: CatalogueTestProject | undefined;
  },
): Value<Named> {
  const word = flags[flag];
  const items = choices(project);
  if (items !== null) return readValue(flag, word, items);
  const below = takesLines ? lines : '';
  const whole = [word ?? '', below].filter((each) => each !== '').join('\n\n');
  if (whole === '') return { typed: word };
  const item = { id: whole, name: whole };
  return { item, typed: word, ...(whole.length > max && { fault: tooLong(flag, max) }) };
}
