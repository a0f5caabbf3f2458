import { cleanLine } from '../lib/clean-line.ts';
import { clip } from '../lib/clip.ts';
import { untoldSentence } from '../operations/report.ts';
import { filledLink } from '../slack/filled-link.ts';
import { bold, cutPlain, escapeMrkdwn, oneLine } from '../slack/text.ts';
import type { CaseRecord, CaseState, Created, Outcome } from './case.ts';
import { type TestPlaces, testProjectWith } from './catalogue.ts';
import { REFUSALS } from './refusal.ts';

/** What people read of how a test case ended, in mrkdwn: state first, next action last. */

type Failed = Exclude<Outcome['code'], 'created' | 'not-allowed'>;

const ASK = 'Ask an administrator of Gatepost.';

export const OUTCOMES = {
  unknown: {
    what: 'The service did not answer, so it is not known whether the test case was created. It may exist.',
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
    what: 'The service says that the Space or the test project does not exist; it does not say which.',
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

const NOTHING = 'Nothing was created.';
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
    const told = untold ? untoldSentence(record.channel) : '';
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
  return [what, nothing, saidText(outcome), next].filter((each) => each !== '').join(' ');
}

/** What the service says of it. */
export function saidText(outcome: Outcome): string {
  return 'detail' in outcome && outcome.detail ? `It says: ${quoted(outcome.detail)}` : '';
}

/** What is said of a test case that was not created: what holds, and what to do. */
export function wordsOf(outcome: Exclude<Outcome, { code: 'created' }>) {
  if (outcome.code !== 'not-allowed') return OUTCOMES[outcome.code];
  const [what, next] = REFUSALS[outcome.refusal];
  return { what, next };
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

export function quoted(text: string): string {
  return `“${escapeMrkdwn(clip(text, 300)[0])}”`;
}

function lines(...all: readonly string[]): string {
  return all.filter((line) => line !== '').join('\n');
}
