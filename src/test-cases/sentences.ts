import { cleanLine } from '../lib/clean-line.ts';
import { clip } from '../lib/clip.ts';
import { closest } from '../lib/closest.ts';
import { answeredWith, SILENT, untoldSentence } from '../operations/report.ts';
import { ACCOUNT_REFUSALS, type DenialWithAccount } from '../people/permission.ts';
import {
  bold,
  cutPlain,
  escapeMrkdwn,
  filledLink,
  itSays,
  joinSentences,
  oneLine,
} from '../slack/text.ts';
import type { CaseRecord, CaseState, Created, Outcome } from './case.ts';
import { type TestPlaces, testProjectWith } from './catalogue.ts';
import { TITLE_MAX } from './form-view.ts';
import { FLAGS, type WordsFault } from './read-words.ts';

/** What people read of test cases, in mrkdwn: state first, next action last. */

const NOTHING = 'Nothing was created.';
const ASK = 'Ask an administrator of Gatepost.';

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
    return [`${typed(word)} is not known.`, next];
  },
  'no-value': (word) => [`${typed(word)} has no value.`, 'Write one behind it.'],
  twice: (word) => [`${typed(word)} stands there twice.`, 'Leave one out.'],
  stray: (word) => [
    `${typed(word)} is not understood.`,
    'Write the title first, and names of several words in quotes.',
  ],
  'open-quote': (word) => [`The quote before ${typed(word)} is not closed.`, 'Close it.'],
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
  return `There is no ${NOUNS[flag]} ${typed(word)}. ${NOTHING} ${escapeMrkdwn(next)}`;
}

const NAMES_SHOWN = 20;
const NOUNS = { priority: 'priority', type: 'type', suite: 'suite', project: 'test project' };

export function severalCalled(flag: 'suite' | 'project', word: string): string {
  return `Several ${NOUNS[flag]}s are called ${typed(word)}. ${NOTHING} Write the id instead.`;
}

type Failed = Exclude<Outcome['code'], 'created' | 'not-allowed'>;

const OUTCOMES = {
  unknown: {
    what: '{service}, so it is not known whether the test case was created. It may exist.',
    next: 'Look in the service before you repeat.',
  },
  invalid: {
    what: 'The service did not accept the test case.',
    next: 'Change it and create it again.',
  },
  unauthorized: {
    what: 'The service does not accept the key that Gatepost has.',
    next: 'Ask an administrator of Gatepost to set SERVICE_API_KEY anew.',
  },
  forbidden: {
    what: 'The service does not let Gatepost write in this Space.',
    next: 'Ask an administrator of the service to give its key write access there.',
  },
  'not-found': {
    what: 'The service does not know the Space, or the test project.',
    next: 'Ask an administrator of Gatepost to check it in gatepost.yaml.',
  },
  refused: { what: 'The service refused the test case.', next: ASK },
  'not-reached': { what: 'The service could not be reached.', next: 'Try again in a minute.' },
  busy: { what: 'The service is too busy.', next: 'Try again in a few minutes.' },
  'could-not-check': {
    what: 'Slack did not tell whether you may create test cases.',
    next: 'Try again in a minute.',
  },
  'account-not-read': {
    what: 'Gatepost could not read your account in the service, so it is not known whether you can create test cases.',
    next: 'Try again in a minute. If it stays like this, tell an administrator of Gatepost.',
  },
  'no-key': { what: 'Gatepost has no key for the service.', next: ASK },
} as const satisfies Record<Failed, { readonly what: string; readonly next: string }>;

const NOTHING_NOW =
  'Nothing was created this time; an earlier attempt may have created it. Look before you repeat.';

/** One line that names the state. */
export function headline(state: CaseState): string {
  if (state.state === 'authorizing') return ':hourglass_flowing_sand: *Checking whether you can…*';
  if (state.state !== 'done') return ':hourglass_flowing_sand: *Creating…*';
  const { code } = state.outcome;
  if (code === 'created') return ':white_check_mark: *Created*';
  if (code === 'unknown' || state.unconfirmed) return ':grey_question: *Unknown*';
  return ':no_entry_sign: *Not created*';
}

/** Everything that is said to the person. */
export function resultText(record: CaseRecord, state: CaseState, places: TestPlaces): string {
  const head = `${headline(state)} · ${titleOf(record)} in ${bold(projectName(record, places))}`;
  if (state.state !== 'done') return head;
  const { outcome, unconfirmed, untold } = state;
  if (outcome.code === 'created') {
    const told = untold ? untoldSentence(record) : '';
    const twice = unconfirmed
      ? 'An earlier attempt may have created another one; look for it.'
      : '';
    return lines(head, createdLine(record, outcome, places), twice, told);
  }
  return lines(head, failureText(outcome, unconfirmed === true));
}

function failureText(outcome: Exclude<Outcome, { code: 'created' }>, unconfirmed: boolean): string {
  const { what, next } = wordsOf(outcome);
  const nothing = outcome.code === 'unknown' ? '' : unconfirmed ? NOTHING_NOW : NOTHING;
  const said = 'detail' in outcome ? itSays(outcome.detail) : '';
  const isEnough = said !== '' && QUOTED.has(outcome.code);
  return joinSentences(what, nothing, said, isEnough ? '' : next);
}

/** Where the service says itself what is missing, no guess of ours stands beside its words. */
const QUOTED: ReadonlySet<Outcome['code']> = new Set<Outcome['code']>([
  'forbidden',
  'not-found',
  'refused',
]);

/** What is said of a test case that was not created: what holds, and what to do. */
export function wordsOf(outcome: Exclude<Outcome, { code: 'created' }>) {
  if (outcome.code === 'not-allowed') {
    const [what, next] = REFUSALS[outcome.refusal];
    return { what, next };
  }
  const { what, next } = OUTCOMES[outcome.code];
  const service = 'status' in outcome ? answeredWith(outcome.status) : SILENT;
  return { what: what.replace('{service}', service), next };
}

/** "TC-1 · DRAFT, in no test run until it is READY" */
export function createdLine(
  { wish: { testCase } }: CaseRecord,
  { id, status }: Created,
  { links }: TestPlaces,
): string {
  if (id === null) {
    return "The service's answer could not be read, so its id is not known. It is a draft, in no test run until it is READY.";
  }
  const linked = linkOf(id, testCase.projectId, links);
  const shown = oneLine(status ?? 'DRAFT', 40);
  const runs = shown === 'DRAFT' ? ', in no test run until it is READY' : '';
  return `${linked} · ${shown}${runs}`;
}

/** The id of a test case, with a link where there is one. */
export function linkOf(id: string, testProjectId: string, links: TestPlaces['links']): string {
  return filledLink(links.testCase, { id, testProjectId }, cutPlain(cleanLine(id), 100)[0]);
}

/** Escaped, as one line. */
export function titleOf({ wish: { testCase } }: CaseRecord): string {
  return oneLine(testCase.title, 200);
}

/** Escaped. */
export function projectName({ wish }: CaseRecord, places: TestPlaces): string {
  const { projectId } = wish.testCase;
  return oneLine(testProjectWith(places, projectId)?.name ?? projectId, 100);
}

function typed(word: string): string {
  return `“${escapeMrkdwn(clip(word, 100)[0])}”`;
}

function lines(...all: readonly string[]): string {
  return all.filter((line) => line !== '').join('\n');
}

/** Why a person may not create a test case: what holds, and what they can do. */
const REFUSALS = {
  ...ACCOUNT_REFUSALS,
  'not-named': ['You are not among the people who may create test cases.', ASK],
  bot: ['Apps cannot create test cases.', ''],
  deactivated: ['This Slack account is deactivated.', ''],
  guest: ['Guests cannot create test cases.', 'Ask a member of your team.'],
  stranger: ['People of other companies cannot create test cases.', 'Ask a member of the team.'],
  'other-company': ['Your Slack workspace is not allowed to create test cases.', ASK],
} as const satisfies Record<DenialWithAccount, readonly [what: string, next: string]>;

/** What the audit log calls it. */
export const REFUSED = 'test-cases.refused';

export function refusalSentence(code: DenialWithAccount): string {
  const [what, next] = REFUSALS[code];
  return [what, next].filter((each) => each !== '').join(' ');
}
