import { clip } from '../lib/clip.ts';
import { closest } from '../lib/closest.ts';
import { escapeMrkdwn } from '../slack/text.ts';
import { TITLE_MAX } from './form-view.ts';
import { OUTCOMES } from './outcome-words.ts';
import { FLAGS, type WordsFault } from './read-words.ts';

/** Sentences on the way to a test case, in mrkdwn: state first, next action last. */

export const HELP = [
  '*/new-case* creates a test case. It is a draft, and in no test run until it is READY.',
  '• `/new-case` or `/new-case Pay by card` – opens a form',
  '• `/new-case Pay by card --priority high --type manual --suite Smoke --project Checkout` – creates it at once; names of several words in quotes',
  '• *Several at once* in the form – one per line, with a preview',
  'Or choose *Create a test case* from the menu of a message.',
].join('\n');

export const NO_PROJECTS =
  'There is no test project to create a test case in. Ask an administrator of Gatepost to name some in gatepost.yaml.';
export const NOT_OPENED = 'The form could not be opened. Nothing was created. Try again.';
export const NOT_STORED = 'Gatepost cannot keep this just now. Try again in a minute.';
export const NOT_RECORDED =
  ':warning: Your test case was not recorded: Gatepost cannot store it just now. Nothing was created. Try again in a minute.';
export const MAYBE_RECORDED_FORM =
  ':warning: It is not known whether your test case was recorded. Press Create again: from this form it is created once, however often you press.';
export const MAYBE_RECORDED =
  ':warning: It is not known whether your test case was recorded. If it was, you get a direct message within a minute; look before you repeat.';
export const CASE_GONE = 'This test case is no longer kept here. Begin again with /new-case.';
export const NOT_YOURS = 'Only the person who asked for this test case can go on with it.';
export const FORM_OLD = 'The test projects have changed since. Choose again.';
export const NO_TITLE = 'Enter a title.';
export const CHOOSE_PROJECT =
  'It is not clear which test project it belongs to. Nothing was created. Add --project, or use /new-case without flags for a form.';

const NOTHING = 'Nothing was created.';

/** Whether the person may could not be found out; `of`: whom Gatepost could not ask, absent for Slack. */
export function notChecked(of: 'service' | undefined): string {
  const { what, next } = OUTCOMES[of === 'service' ? 'account-not-read' : 'could-not-check'];
  return `${what} ${NOTHING} ${next}`;
}

/** What was not understood of a command, with the word it is about: what holds, and what to do. */
const FAULTS = {
  'unknown-flag': (word) => {
    const near = closest(word.slice(2), FLAGS);
    const all = FLAGS.map((name) => `--${name}`).join(', ');
    const next = near === undefined ? `Use ${all}.` : `Did you mean --${near}?`;
    return [`${quoted(word)} is not known.`, next];
  },
  'no-value': (word) => [`${quoted(word)} has no value.`, 'Write one behind it.'],
  twice: (word) => [`${quoted(word)} stands there twice.`, 'Leave one out.'],
  stray: (word) => [
    `${quoted(word)} is not understood.`,
    'Write the title first, and names of several words in quotes.',
  ],
  'open-quote': (word) => [`The quote before ${quoted(word)} is not closed.`, 'Close it.'],
  'no-title': () => ['The title is missing.', 'Write it before the first flag.'],
  'long-title': () => [
    `The title is longer than ${TITLE_MAX} characters.`,
    'Shorten it, or leave out the flags for a form.',
  ],
} satisfies Record<WordsFault['code'], (word: string) => readonly [what: string, next: string]>;

export function faultSentence({ code, word }: WordsFault): string {
  const [what, next] = FAULTS[code](word);
  return `${what} ${NOTHING} ${next}`;
}

/** A value of a flag that is none. */
export function noSuchChoice(
  flag: keyof typeof NOUNS,
  word: string,
  names: readonly string[],
): string {
  const near = closest(word, names);
  const all = names.slice(0, NAMES_SHOWN).join(', ');
  const next = near === undefined ? `Choose one of these: ${all}.` : `Did you mean ${near}?`;
  return `There is no ${NOUNS[flag]} ${quoted(word)}. ${NOTHING} ${escapeMrkdwn(next)}`;
}

const NAMES_SHOWN = 20;
const NOUNS = { priority: 'priority', type: 'type', suite: 'suite', project: 'test project' };

export function severalCalled(flag: 'suite' | 'project', word: string): string {
  return `Several ${NOUNS[flag]}s are called ${quoted(word)}. ${NOTHING} Write the id instead.`;
}

function quoted(text: string): string {
  return `“${escapeMrkdwn(clip(text, 100)[0])}”`;
}
