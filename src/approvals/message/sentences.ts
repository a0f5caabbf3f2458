import type { Reviewers } from '../../config/config.ts';
import { clip } from '../../lib/clip.ts';
import { escapeMrkdwn, itSays, joinSentences, oneLine } from '../../slack/text.ts';
import type { Action, Approval, Outcome, UnknownWhy } from '../approval.ts';
import type { Trouble } from '../failure.ts';

/** Sentences that a person gets after a click, in mrkdwn: state first, next action last. */

const DONE = { APPROVED: 'approved', REJECTED: 'rejected', TIMED_OUT: 'timed out' } as const;
const ANSWER: Record<Action, string> = { approve: 'approval', reject: 'rejection' };

/** Why an answer was not carried out; the buttons are back. */
export type ClosedCode =
  | 'not-reached'
  | 'silent'
  | 'busy'
  | 'denied'
  | 'invalid'
  | 'not-shown'
  | 'refused'
  | 'sealed'
  | 'could-not-check'
  | 'may-not-check';

const SEALED = "Gatepost can no longer read this request's token. Ask for a new one.";

export const CLOSED = {
  'not-reached': 'The service could not be reached. Nothing was sent. Press again in a minute.',
  silent: 'The service did not answer in time. Nothing was sent. Press again in a minute.',
  busy: 'The service is too busy to take your answer. It was not taken. Press again in a few minutes.',
  denied:
    'The service did not let Gatepost in, so your answer was not taken. Ask an administrator of Gatepost to check its access.',
  invalid:
    'The service did not accept your answer. Press again, or ask an administrator of Gatepost.',
  'not-shown':
    'The service did not let us read the request. Nothing was sent. Ask an administrator of Gatepost.',
  refused: 'The service refused your answer and still waits for one. Press again in a minute.',
  sealed: SEALED,
  'could-not-check':
    'Gatepost could not check who may decide just now. Nothing was sent. Press again in a minute.',
  'may-not-check':
    'Gatepost is not let in to check who may decide. Nothing was sent. Ask an administrator of Gatepost to check its access.',
} satisfies Record<ClosedCode, string>;

/** `detail` is the service's own words. */
export function closedSentence(code: ClosedCode, detail?: string): string {
  return joinSentences(CLOSED[code], itSays(detail));
}

type Decided = Pick<Outcome, 'status' | 'by' | 'credit'>;

/** For who only asked. */
export function outcomeSentence({ status, by, credit }: Decided): string {
  if (status === 'TIMED_OUT') return 'This request has timed out. No answer is taken any more.';
  if (credit === 'none') return `This request was ${DONE[status]} elsewhere.`;
  if (credit === 'sent') {
    return `This request is ${DONE[status]}. The answer of ${people(by)} was sent; the service did not say whose it took.`;
  }
  return `This request was ${DONE[status]} by ${people(by)}.`;
}

/** For who decided, where the message cannot say it. `title` is not escaped. */
export function unshownSentence(outcome: Decided, channel: string, title: string): string {
  return `“${quoted(title)}” in <#${channel}>: ${outcomeSentence(outcome)} Slack does not let Gatepost change its message.`;
}

/** For who answered. */
export function decidedSentence(outcome: Decided): string {
  const isMoot = outcome.status !== 'TIMED_OUT' && outcome.credit !== 'sent';
  return `${outcomeSentence(outcome)}${isMoot ? ' Your answer changed nothing.' : ''}`;
}

export function progressSentence(have: number, needed: number): string {
  const left = needed - have;
  return `Your approval counts: ${have} of ${needed}. ${left} more ${left === 1 ? 'is' : 'are'} needed.`;
}

/** For whose ballot counted until everybody was checked again. `title` is not escaped. */
export function droppedSentence(action: Action, title: string, why: string): string {
  return `Your ${ANSWER[action]} of “${quoted(title)}” no longer counts: ${why}. Once you can decide it again, press again.`;
}

/** For whose decision could not go on at once, and then not any more. `title` is not escaped. */
export function overtakenSentence(action: Action, title: string, why: string): string {
  return `Your ${ANSWER[action]} of “${quoted(title)}” was not taken. While it was held up, ${why}. Once you can decide it again, press again.`;
}

/** For who would have decided with others. */
export function droppedNote(dropped: readonly string[]): string {
  const what = dropped.length === 1 ? 'approval' : 'approvals';
  const counts = dropped.length === 1 ? 'counts' : 'count';
  return `The ${what} of ${people(dropped)} no longer ${counts}: they can no longer decide this request.`;
}

/** For who had decided, before more approvals were needed. */
export const QUORUM_RAISED =
  'While your approval was held up, the number of approvals needed was changed in the configuration.';

/** For who had answered before somebody else's answer made a decision that came to nothing. */
export function spentSentence(action: Action): string {
  return `The decision that your ${ANSWER[action]} was part of could not be carried out, so your ${ANSWER[action]} no longer counts. Press again once the message has its buttons.`;
}

/** For the same, when that decision may have been taken. */
export function unconfirmedSentence(action: Action): string {
  return `It is not known whether the decision that your ${ANSWER[action]} was part of was taken. If the message has its buttons again, press again: your ${ANSWER[action]} no longer counts.`;
}

export function waitingSentence(): string {
  return 'This request still waits for a decision.';
}

/** `note` is a sentence more. */
export function unknownSentence(why: UnknownWhy, action: Action | null, note?: string): string {
  const mine = action === null ? '' : ` It is not known whether your ${ANSWER[action]} was taken.`;
  // Asking again is of no use without the key.
  const next = why === 'sealed' ? '' : ' Press Check now to ask again.';
  const more = note === undefined ? '' : ` ${note}`;
  return `${UNKNOWN[why]}${why === 'unsure' ? '' : mine}${more}${next}`;
}

/** Of an answer that was lost: the beginning of the note that says why. */
export const NOT_AGAIN = 'It was not sent again';

export const WITHDRAWN =
  'This request was withdrawn by the automation that asked. Your answer was not sent.';
export const WITHDRAWN_STATE = 'This request was withdrawn. Nothing is decided here any more.';

/** For messages and sentences. */
export const UNKNOWN = {
  gone: 'The service no longer shows this request.',
  'not-known-404': 'The service does not know this approval (404).',
  'not-known-409': 'The service does not show this approval (409).',
  'not-known-410': 'The service does not know this approval (410).',
  unsure: 'It is not known whether the answer reached the service.',
  silent: 'The service refused an answer and has not said since how this request stands.',
  unreadable: 'The service answered, but its answer could not be read.',
  sealed: SEALED,
  'new-status': 'The service gave a status that Gatepost does not know.',
} satisfies Record<UnknownWhy, string>;

/** For a click that never came as far as its record. */
export const CLICK_TROUBLE = {
  missing: 'This request is no longer kept here, so nothing was sent. Ask for a new one.',
  mismatch: 'This is a copy of the request, so nothing was sent. Decide on the original message.',
  'not-opened':
    'Nothing was sent yet: Slack did not say that its form opened. If you do not see it, press again.',
  unavailable:
    'Your click was not recorded: Gatepost cannot store it just now. Press again in a minute.',
  unknown:
    'It is not known whether your click was recorded. Look at the message in a minute, and press again if nothing has changed.',
} as const;

export type ClickTrouble = keyof typeof CLICK_TROUBLE;

export function mismatchSentence(link: string | undefined): string {
  if (link === undefined) return CLICK_TROUBLE.mismatch;
  return `This is a copy of the request, so nothing was sent. Decide on <${link}|the original message>.`;
}

export function people(users: readonly string[]): string {
  const names = users.map((user) => `<@${user}>`);
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Other people's words, escaped and not too many. */
export function quoted(text: string): string {
  return escapeMrkdwn(clip(text, 300)[0]);
}

/** Who may decide, mentioned so that they are notified: the middle of a sentence. */
export function reviewersText(
  reviewers: Reviewers | undefined,
  narrowedTo: Approval['narrowedTo'],
): string {
  if (reviewers === undefined) return 'nobody can decide: its route is not configured';
  const named = narrowedTo ?? (reviewers.channel ? undefined : reviewers);
  if (named === undefined) return 'anyone in this channel can decide';
  const names = [
    ...named.users.map((user) => `<@${user}>`),
    ...named.groups.map((group) => `<!subteam^${group}>`),
  ];
  if (names.length === 0) return 'nobody can decide: no reviewers are configured';
  const shown = names.slice(0, MENTIONS_MAX).join(', ');
  const more = names.length > MENTIONS_MAX ? ` and ${names.length - MENTIONS_MAX} more` : '';
  const condition =
    narrowedTo !== undefined && reviewers.groups.length > 0 ? ' if they review this route' : '';
  return `${shown}${more} can decide${condition}`;
}

/** So many mentions fit into a section beside everything else. */
const MENTIONS_MAX = 40;

/** What holds, in a sentence; `silent` says it of a service that did not answer. */
export function troubleText(trouble: Trouble, silent: string): string {
  switch (trouble.why) {
    case 'silent':
      return silent;
    case 'busy':
      return 'The service is too busy to answer.';
    case 'denied':
      return `The service does not let Gatepost in (${trouble.status}).`;
    case 'refused': {
      const words = trouble.detail === undefined ? '.' : `: “${oneLine(trouble.detail, 300)}”`;
      return `The service refuses to show this request${words}`;
    }
  }
}

/** For who asked for a check that told nothing. */
export function troubleSentence(trouble: Trouble, goesOn: boolean): string {
  const what = troubleText(trouble, 'The service did not answer just now.');
  const isLasting = trouble.why === 'denied' || trouble.why === 'refused';
  const advice = isLasting ? ' Ask an administrator of Gatepost.' : '';
  const next = goesOn
    ? ' Gatepost goes on asking; press Check now to ask again.'
    : ' Press Check now to ask again.';
  return `${what}${advice}${next}`;
}
