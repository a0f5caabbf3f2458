import { cleanLine } from '../../core/lib/clean-line.ts';
import { clip } from '../../core/lib/clip.ts';
import { closest } from '../../core/lib/closest.ts';
import type { FailureFacts } from '../../core/lib/failure.ts';
import { refusalsTo } from '../../core/people/denials.ts';
import type { DenialWithAccount } from '../../core/people/permission.ts';
import {
  bold,
  code,
  cutPlain,
  escapeMrkdwn,
  filledLink,
  inertText,
  itSays,
  joinSentences,
  oneLine,
} from '../../core/slack/text.ts';
import { uncheckedCode } from '../flow/progress.ts';
import { answeredWith, SILENT, untoldSentence } from '../flow/report.ts';
import { wordsFor } from '../flow/words.ts';
import type { CaseRecord, CaseState, Created, Outcome } from './case.ts';
import { projectText, type TestPlaces } from './catalogue.ts';
import { FLAGS, type Flag } from './fields.ts';
import { TITLE_MAX } from './form-view.ts';
import type { WordsFault } from './read-words.ts';

/** Texts about test cases, in mrkdwn: the state first, what to do last. */

const CAN = 'create test cases';

export const WORDS = wordsFor({
  can: CAN,
  done: 'created',
  command: '/new-case',
  again: 'Press Create again without changing anything. It is created only once.',
});
const NOTHING = WORDS.nothing;

export const HELP = [
  '*/new-case* creates a test case. It is a draft: not in test runs until it is Ready.',
  '• `/new-case` or `/new-case Pay by card` – opens a form',
  '• `/new-case Pay by card --priority high --type manual --suite Smoke --project Checkout --description "1. Pay"` – creates it at once; put values of several words in quotes. Lines below the first are the description.',
  '• *Several at once* in the form – one per line, with a preview',
  'Or choose *Create a test case* from the menu of a message. If it has replies, the whole thread can fill the form.',
].join('\n');

export const NOT_SET_UP =
  '`/new-case` is not set up yet: no test project is listed. Ask a Gatepost administrator.';
/** For administrators. */
export const SET_UP = [
  '`/new-case` is not set up yet: no test project is listed. Add yours to gatepost.yaml, and restart Gatepost:',
  '```catalogue:',
  '  testProjects:',
  '    - id: the-id-of-the-project',
  '      name: Checkout',
  '      space: the-slug-of-its-space',
  '      suites: [{ id: the-id-of-a-suite, name: Smoke }]',
  'cases:',
  '  who: { users: [U0ANA] }```',
  'gatepost.example.yaml explains each key.',
].join('\n');
export const MAYBE_RECEIVED =
  ':warning: It is not known whether your test case was recorded. If it was, you will get the result here or as a direct message within a minute. Wait for it before you try again.';
export const FORM_OLD = 'The test projects have changed. Choose one again.';
export const NO_TITLE = 'Enter a title.';
export const NO_SUITE = 'Enter the id of the suite, or choose another one.';
export const CHOOSE_PROJECT = 'The test project is missing. Add --project.';

export const FROM_WHICH =
  'Fill the form from this message, or from its whole thread: what people wrote, in order, with their names?';
export const NOBODY_WROTE =
  'Only Gatepost has written in this thread, so the form is filled from the message.';

/** `replies`: null: not known. */
export function threadLabel(replies: number | null): string {
  if (replies === null) return 'The whole thread';
  return `The thread (${replies} ${replies === 1 ? 'reply' : 'replies'})`;
}

/** Why the thread was not read. */
export function threadTrouble({ code, detail }: FailureFacts): string {
  const what = THREAD_TROUBLE[code] ?? 'Slack did not return the thread.';
  const scope = /^needs ([a-z:.,]+)$/u.exec(detail ?? '')?.[1];
  return `${what.replace('{scope}', scope ?? 'it needs')} The form is filled from the message only.`;
}

const NOT_IN_THERE =
  'Gatepost cannot read this thread: it is not in this conversation. Invite it to the channel and use the shortcut again.';

const THREAD_TROUBLE: Readonly<Record<string, string>> = {
  missing_scope: 'Gatepost cannot read this thread: its Slack app does not have the scope {scope}.',
  not_in_channel: NOT_IN_THERE,
  channel_not_found: NOT_IN_THERE,
  thread_not_found: 'The thread no longer exists.',
};

/** If the person could not be authorized; `of`: who did not answer, absent for Slack. */
export function notChecked(of: 'service' | 'store' | undefined): string {
  const { what, next } = OUTCOMES[uncheckedCode(of)];
  return `${what} ${NOTHING} ${next}`;
}

/** What was not understood in a command, and what to do. */
const FAULTS = {
  'unknown-flag': (word, near) => {
    const all = FLAGS.map((name) => `--${name}`).join(', ');
    const next = near === undefined ? `Use ${all}.` : `Did you mean --${near}?`;
    return `Unknown option ${typed(word)}. ${next}`;
  },
  'no-value': (word) => `${typed(word)} has no value. Add a value after it.`,
  twice: (word) => `${typed(word)} is given twice. Leave one out.`,
  stray: (word) =>
    `${typed(word)} belongs to no option. Put the title first, and values of several words in quotes.`,
  'open-quote': (word) => `The quote before ${typed(word)} is not closed. Add the closing quote.`,
  'no-title': () => 'The title is missing. Put it before the first option.',
  'long-title': () =>
    `The title is longer than ${TITLE_MAX} characters. Shorten it, or leave out the options to use the form.`,
} satisfies Record<WordsFault['code'], (word: string, near?: string) => string>;

export function faultSentence(fault: WordsFault): string {
  return FAULTS[fault.code](fault.word, 'near' in fault ? fault.near : undefined);
}

/** An invalid value of an option. */
export function noSuchChoice(flag: Flag, word: string, names: readonly string[]): string {
  const near = closest(word, names);
  const shown = names.slice(0, NAMES_SHOWN);
  const more = names.length > shown.length ? ', …' : '';
  const next = near === undefined ? `Use ${shown.join(', ')}${more}.` : `Did you mean ${near}?`;
  return `There is no ${nounOf(flag)} ${typed(word)}. ${inertText(next)}`;
}

const NAMES_SHOWN = 20;

function nounOf(flag: Flag): string {
  return flag === 'project' ? 'test project' : flag;
}

export function tooLong(flag: Flag, max: number): string {
  return `The ${nounOf(flag)} is longer than ${max} characters. Shorten it, or leave out the options to use the form.`;
}

export function severalCalled(flag: Flag, word: string): string {
  return `Several ${nounOf(flag)}s are called ${typed(word)}. Use the id instead.`;
}

/** All problems of a command, and the corrected command: `…` has to be filled in. */
export function faultsText(faults: readonly string[], corrected: string): string {
  const [only = '', ...others] = faults;
  const isOne = others.length === 0;
  const all = [
    `${NOTHING} ${faults.length} things need fixing:`,
    ...faults.map((each) => `• ${each}`),
  ];
  const isWhole = !/(?:^| )…(?: |$)/mu.test(corrected);
  const next = isWhole ? 'Corrected, to copy and send:' : 'To copy, complete (…) and send:';
  const command = escapeMrkdwn(corrected.replaceAll('```', "'''"));
  return `${isOne ? `${only} ${NOTHING}` : all.join('\n')}\n${next}\n\`\`\`${command}\`\`\``;
}

/** The command is stored; the person is authorized next, so nothing is promised. */
export function receivedText(record: CaseRecord, places: TestPlaces): string {
  const where = projectOf(record, places);
  return `:hourglass_flowing_sand: Received ${bold(titleOf(record))} for ${where}. You'll get the result here or as a direct message.`;
}

type Failed = Exclude<Outcome['code'], 'created' | 'not-allowed'>;

const OUTCOMES = {
  ...WORDS.outcomes,
  unknown: {
    what: '{service}, so it is not known whether the test case was created. It may exist.',
    next: 'Check the service before you create it again.',
  },
  invalid: {
    what: 'The service did not accept the test case.',
    next: 'Change it and create it again.',
  },
  forbidden: {
    what: "Gatepost's API key cannot create test cases in this Space (403).",
    next: 'Ask an administrator of the service to give the key write access there.',
  },
  'not-found': {
    what: 'The service does not know the Space or the test project (404 or 410).',
    next: 'Ask a Gatepost administrator to check its id and the slug of its Space.',
  },
} as const satisfies Record<Failed, { readonly what: string; readonly next: string }>;

const NOTHING_NOW =
  'Nothing was created this time, but an earlier attempt may have created it. Check the service before you create it again.';

/** One line with the state. */
function headline(state: CaseState): string {
  if (state.state === 'authorizing') {
    return ':hourglass_flowing_sand: *Checking whether you can…*';
  }
  if (state.state !== 'done') return ':hourglass_flowing_sand: *Creating…*';
  const { code } = state.outcome;
  if (code === 'created') return ':white_check_mark: *Created*';
  if (code === 'unknown' || state.unconfirmed) return ':grey_question: *Unknown*';
  return ':no_entry_sign: *Not created*';
}

/** The whole text for the person. */
export function resultText(record: CaseRecord, state: CaseState, places: TestPlaces): string {
  const where = projectOf(record, places);
  const head = (title: string) => `${headline(state)} · ${title} in ${where}`;
  if (state.state !== 'done') return head(titleOf(record));
  const { outcome, unconfirmed, untold } = state;
  if (outcome.code === 'created') {
    const told = untold ? untoldSentence(record) : '';
    const twice = unconfirmed ? TWICE : '';
    return lines(head(linkedTitle(record, outcome, places)), draftText(outcome), twice, told);
  }
  return lines(head(titleOf(record)), failureText(outcome, unconfirmed === true));
}

const TWICE = 'An earlier attempt may have created another one. Check the service.';

function failureText(outcome: Exclude<Outcome, { code: 'created' }>, unconfirmed: boolean): string {
  const { what, next } = wordsOf(outcome);
  const nothing = outcome.code === 'unknown' ? '' : unconfirmed ? NOTHING_NOW : NOTHING;
  const said = 'detail' in outcome ? itSays(outcome.detail) : '';
  const isEnough = said !== '' && QUOTED.has(outcome.code);
  return joinSentences(what, nothing, said, isEnough ? '' : next);
}

/** The service's words say what is missing, so ours add no guesses. */
const QUOTED: ReadonlySet<Outcome['code']> = new Set<Outcome['code']>([
  'forbidden',
  'not-found',
  'refused',
]);

/** For a test case that was not created: the state, and what to do. */
export function wordsOf(outcome: Exclude<Outcome, { code: 'created' }>) {
  if (outcome.code === 'not-allowed') {
    const [what, next] = REFUSALS[outcome.refusal];
    return { what, next };
  }
  const { what, next } = OUTCOMES[outcome.code];
  const service = 'status' in outcome ? answeredWith(outcome.status) : SILENT;
  return { what: what.replace('{service}', service), next };
}

/** "Draft: not in test runs until it is Ready." */
function draftText({ id, status }: Created): string {
  const shown = oneLine(status ?? 'DRAFT', 40);
  const state = shown === 'DRAFT' ? DRAFT : `Status: ${shown}.`;
  return id === null ? `${state} ${NO_ID}` : state;
}

const DRAFT = 'Draft: not in test runs until it is Ready.';
const NO_ID = "The service's answer could not be read, so its id is not known.";

/** The title, linked to the test case if its address is known. */
function linkedTitle({ wish: { testCase } }: CaseRecord, created: Created, places: TestPlaces) {
  return titleLink(testCase, created, places, 200);
}

/** A longer id takes up too much of a message. */
const ID_MAX = 80;

/** Without a link, the id helps to find it in the service. */
export function titleLink(
  { title, projectId }: { readonly title: string; readonly projectId: string },
  { id }: Created,
  { links }: TestPlaces,
  max: number,
): string {
  const label = cutPlain(cleanLine(title), max)[0];
  const shown = filledLink(links.testCase, { id, testProjectId: projectId }, label);
  if (shown.startsWith('<') || id === null) return shown;
  const named = code(id);
  return named.length > ID_MAX ? shown : `${shown} (${named})`;
}

/** The channel's announcement of a new test case. `who`: a name, which notifies nobody. */
export function announcementText(
  record: CaseRecord,
  created: Created,
  places: TestPlaces,
  who: string,
): string {
  const what = `${linkedTitle(record, created, places)} in ${projectOf(record, places)}`;
  return `:white_check_mark: *Created* by ${who}\n${what}\n${draftText(created)}`;
}

/** As one escaped line. */
function titleOf({ wish: { testCase } }: CaseRecord): string {
  return oneLine(testCase.title, 200);
}

function projectOf({ wish }: CaseRecord, places: TestPlaces): string {
  return projectText(places, wish.testCase.projectId);
}

function typed(word: string): string {
  return `"${inertText(clip(word, 100)[0])}"`;
}

function lines(...all: readonly string[]): string {
  return all.filter((line) => line !== '').join('\n');
}

/** Why a person cannot create a test case, and what they can do. */
const REFUSALS = refusalsTo(CAN);

/** The audit log's name for a refusal. */
export const REFUSED = 'test-cases.refused';

export function refusalSentence(code: DenialWithAccount): string {
  const [what, next] = REFUSALS[code];
  return [what, next].filter((each) => each !== '').join(' ');
}
