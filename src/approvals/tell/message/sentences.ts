import { type NamedPeople, union } from '../../../core/config/values.ts';
import {
  bold,
  code,
  inertText,
  itSays,
  joinSentences,
  oneLine,
  secondsText,
} from '../../../core/slack/text.ts';
import type { Action, Approval, Decision, Outcome, UnknownWhy } from '../../approval.ts';
import {
  askedOf,
  isConditional,
  isEscalatedLater,
  type PresentRoute,
} from '../../electorate/reviewers.ts';
import { furtherIn, openIn, type Progress } from '../../electorate/votes.ts';
import type { Trouble } from '../../failure.ts';

/** Sentences for a person after a click, in mrkdwn: what happened first, what to do last. */

const DONE = { APPROVED: 'approved', REJECTED: 'rejected', TIMED_OUT: 'timed out' } as const;
export const ANSWER: Record<Action, string> = { approve: 'approval', reject: 'rejection' };

/** Why a decision failed; the buttons are back. */
export type ClosedCode =
  | 'not-reached'
  | 'silent'
  | 'failing'
  | 'busy'
  | 'denied'
  | 'invalid'
  | 'not-shown'
  | 'refused'
  | 'sealed'
  | 'could-not-check'
  | 'may-not-check';

/**
 * Stands for the request in a sentence; `named` replaces it with the title on delivery. It cannot occur in other
 * people's text, which is escaped.
 */
export const REQUEST = '<request>';

/**
 * The sentence with the request's title (unescaped here; '': not known) in bold, and a link to its message. Never starts
 * with the title: notifications show the start.
 */
export function named(sentence: string, title: string, link: string | undefined): string {
  return sentence.replaceAll(REQUEST, (_, at: number) => {
    if (title === '') return requestLink(at === 0 ? 'This request' : 'this request', link);
    return `${at === 0 ? 'Request ' : ''}${requestLink(title, link)}`;
  });
}

export function requestLink(title: string, link: string | undefined): string {
  const words = oneLine(title, TITLE_MAX);
  return bold(link === undefined ? words : `<${link}|${words}>`);
}

const TITLE_MAX = 150;

const SEALED = `Gatepost can no longer read the token of ${REQUEST}.`;
const ASK_AGAIN = 'Request the approval again.';

const CHECK_ACCESS = 'Ask a Gatepost administrator to check its access.';
const AGAIN = 'Press again in a minute.';

/** What happened, and what to do; the service's own words go in between. */
const CLOSED = {
  'not-reached': ['The service could not be reached. Nothing was sent.', AGAIN],
  silent: ['The service did not answer in time. Nothing was sent.', AGAIN],
  failing: ['The service answered with an error. Nothing was sent.', AGAIN],
  busy: ['The service was too busy to accept your decision.', 'Press again in a few minutes.'],
  denied: [
    "The service refused Gatepost's request, so your decision was not accepted.",
    CHECK_ACCESS,
  ],
  invalid: [
    'The service did not accept your decision.',
    'Press again, or ask a Gatepost administrator.',
  ],
  'not-shown': [
    'The service did not let Gatepost read this approval. Nothing was sent.',
    'Ask a Gatepost administrator.',
  ],
  refused: ['The service refused your decision and still needs one.', AGAIN],
  'could-not-check': ['Gatepost could not check whether you can decide. Nothing was sent.', AGAIN],
  'may-not-check': [
    'Gatepost was not allowed to check whether you can decide. Nothing was sent.',
    CHECK_ACCESS,
  ],
} satisfies Record<Exclude<ClosedCode, 'sealed'>, readonly [what: string, next: string]>;

/** `detail`: the service's own words. */
export function closedSentence(code: ClosedCode, detail?: string): string {
  if (code === 'sealed') return joinSentences(SEALED, ASK_AGAIN);
  const [what, next] = CLOSED[code];
  return joinSentences(`${REQUEST}: ${what}`, itSays(detail), next);
}

/** For a press somewhere other than the request's message. */
export const EARLIER = `You have decided on ${REQUEST} since, so this earlier press was not counted.`;

export const REOPENED = `${REQUEST} was reopened after this press, so it was not counted. Decide again.`;

export const CHANGED = `${REQUEST} has changed since you opened it, so your decision was not counted. Review it again, then decide.`;

type Decided = Pick<Outcome, 'status' | 'by' | 'credit'>;

/** For somebody who only asked. */
export function outcomeSentence({ status, by, credit }: Decided): string {
  if (status === 'TIMED_OUT') return `${REQUEST} timed out. It can no longer be decided.`;
  if (credit === 'none') return `${REQUEST} was ${DONE[status]} elsewhere.`;
  if (credit === 'sent') {
    return `${REQUEST} is ${DONE[status]}. The decision of ${people(by)} was sent. The service did not say whose decision it accepted.`;
  }
  return `${REQUEST} was ${DONE[status]} by ${people(by)}.`;
}

/** For those who decided, if the message cannot show it. */
export function unshownSentence(outcome: Decided, channel: string): string {
  return `${outcomeSentence(outcome)} Slack does not let Gatepost change its message in <#${channel}>.`;
}

/** For somebody who pressed Approve or Reject. */
export function decidedSentence(outcome: Decided, action: Action): string {
  const { status, credit, by } = outcome;
  const lost = ` Your ${ANSWER[action]} was not counted.`;
  if (status === 'TIMED_OUT') return `${REQUEST} timed out.${lost}`;
  if (credit === 'sent') return outcomeSentence(outcome);
  const whose = credit === 'none' ? 'elsewhere' : `by ${people(by)}`;
  return `${REQUEST} was already ${DONE[status]} ${whose}.${lost}`;
}

/** `isHelping`: the approval reduces the number missing, although particular people are still needed. */
export function progressSentence(progress: Progress, isHelping: boolean): string {
  const { have, needed, open } = progress;
  const mine = `Your approval of ${REQUEST}`;
  if (open.length === 0) return `${mine} counts: ${have} of ${needed}. ${moreNeeded(progress)}`;
  if (isHelping) return `${mine} counts. ${moreNeeded(progress)}`;
  return `${mine} is recorded. Still needed: ${placesText(progress)}, which you cannot cover.`;
}

/** For somebody who approved as `as` and pressed again as `user`. */
export function approvedAlreadySentence(
  progress: Progress,
  { as, user }: { readonly as: string; readonly user: string },
): string {
  const before =
    as === user ? '.' : ` as ${mention(as)}. A person counts once, whichever account they use.`;
  return `You already approved ${REQUEST}${before} ${moreNeeded(progress)}`;
}

/** For a substitute. */
export function placeNote(giver: string): string {
  return `You approved in the place of ${mention(giver)}.`;
}

/** For somebody who takes back an approval. `isDeciding`: the decision continues without it. */
export function takenBackSentence(progress: Progress, isDeciding = false): string {
  const next = isDeciding ? 'It is being decided without yours.' : moreNeeded(progress);
  return `You took back your approval of ${REQUEST}. ${next}`;
}

export const DECIDING = `${REQUEST} is being decided with your approval. Your approval is taken back only if that decision cannot be carried out.`;
/** For somebody who approves during a hold. */
export function heldSentence(until: number, counts: boolean): string {
  const mine = counts ? ' Your approval counts too.' : '';
  return `${REQUEST} is already approved and will be sent at ${secondsText(until)}.${mine}`;
}

/** For the author of a held approval. */
export function stoppedSentence(by: string): string {
  return `${mention(by)} rejected ${REQUEST} before your approval was sent.`;
}

/** For the author of a decision that now lacks another person's approval. */
export function undoneSentence(by: string, progress: Progress): string {
  return `${mention(by)} took back their approval of ${REQUEST} before it was sent. ${moreNeeded(progress)}`;
}

export const LOST_HOLD = `Your approval of ${REQUEST} was not sent: the store lost its last writes while it was held, so it may have been undone. Decide again.`;
export const TOO_LATE = `Your approval of ${REQUEST} was already sent. It can no longer be undone.`;
export const SENT_ALREADY = `${REQUEST}: an approval was sent, and it is not known whether the service accepted it. It can no longer be taken back.`;
export const NOTHING_TO_TAKE_BACK = `You have no approval of ${REQUEST} to take back.`;

function moreNeeded(progress: Progress): string {
  if (progress.isEnough)
    return 'The other approvals are enough: one of them has to press Approve again.';
  if (progress.open.length > 0) return `Still needed: ${placesText(progress)}.`;
  const left = progress.needed - progress.have;
  return `${left} more ${left === 1 ? 'approval is' : 'approvals are'} needed.`;
}

/**
 * Who is missing: open places, and how many others. `who`: a list of those who can fill a place of these needs, or of
 * all who can decide.
 */
export function placesText(
  progress: Pick<Progress, 'have' | 'needed' | 'open'>,
  who: (needs?: readonly string[]) => string = () => '',
): string {
  const places = progress.open
    .slice(0, PLACES_MAX)
    .map(({ count, of }) => `${count} of ${anyOf(of)}${who(of)}`);
  const others = openIn(progress.open.slice(PLACES_MAX));
  if (others > 0) places.push(`${others} from other groups`);
  const further = furtherIn(progress);
  const reviewers = further === 1 ? 'reviewer' : 'reviewers';
  if (further > 0) places.push(`${further} more ${reviewers}${who()}`);
  return places.join(', ');
}

/** Names of needs: “SRE or Security”. */
export function anyOf(names: readonly string[]): string {
  const shown = names.slice(0, NEED_NAMES_MAX).map(inertText);
  const more = names.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(' or ');
}

/** A message that is too long could not be posted. */
const PLACES_MAX = 3;
const NEED_NAMES_MAX = 2;

/** For somebody whose ballot counted until it was authorized again. */
export function droppedSentence(action: Action, why: string): string {
  return `Your ${ANSWER[action]} of ${REQUEST} no longer counts: ${why}. When you can decide it again, press again.`;
}

/** For the author of a decision that was delayed and then failed. */
export function overtakenSentence(action: Action, why: string): string {
  return `Your ${ANSWER[action]} of ${REQUEST} was not sent. While it was waiting, ${why}. When you can decide it again, press again.`;
}

/** For somebody who would have decided together with others. */
export function droppedNote(dropped: readonly string[]): string {
  const what = dropped.length === 1 ? 'approval' : 'approvals';
  const counts = dropped.length === 1 ? 'counts' : 'count';
  return `The ${what} of ${people(dropped)} no longer ${counts}: they can no longer decide this request.`;
}

/** For the author of a decision, when more approvals became necessary. */
export const QUORUM_RAISED =
  'While your approval was waiting, the number of approvals needed was changed in the configuration.';

/** For the author of a decision, when needs or group members changed. */
export const NEEDS_CHANGED =
  'While your approval was waiting, the configuration changed who has to approve, or somebody left one of the groups.';

/** For the author of a decision, when two ballots turned out to be one person's. */
export const ONE_PERSON =
  'While your approval was waiting, two of the approvals turned out to be from the same person. A person counts once, whichever account they use.';

/** For others whose ballots were part of a decision that failed. */
export function spentSentence(action: Action): string {
  return `Your ${ANSWER[action]} of ${REQUEST} no longer counts, because the decision it was part of could not be carried out. Press again when the buttons are back on the message.`;
}

/** The same, when that decision may have been accepted. */
export function unconfirmedSentence(action: Action): string {
  return `Your ${ANSWER[action]} of ${REQUEST} was part of a decision, and it is not known whether the service accepted that. If the buttons are back on the message, your ${ANSWER[action]} no longer counts: press again.`;
}

/** For somebody who pressed Check now without being in the channel. */
export function outsideSentence(channel: string): string {
  return `${REQUEST} was not checked, because you are not in <#${channel}>. Join the channel, then press Check now again.`;
}

export function waitingSentence(): string {
  return `${REQUEST} still needs a decision.`;
}

/** Of a decision that ended before anything was sent. */
export function notSent(action: Action): string {
  return `Your ${ANSWER[action]} was not sent.`;
}

/** `note`: another sentence; `word`: what the service said. */
export function unknownSentence(
  why: UnknownWhy,
  action: Action | null,
  { note, word }: { readonly note?: string | undefined; readonly word?: string | undefined } = {},
): string {
  const mine =
    action === null ? '' : ` It is not known whether your ${ANSWER[action]} was accepted.`;
  // Without the key, checking again is no use.
  const next = why === 'sealed' ? ` ${ASK_AGAIN}` : ' Press Check now to check again.';
  const more = note === undefined ? '' : ` ${note}`;
  const what = why === 'sealed' ? SEALED : `${REQUEST}: ${unknownStatus(why, word)}`;
  return `${what}${why === 'unsure' ? '' : mine}${more}${next}`;
}

/** The state of a request that is not known, for the middle of a line. */
export function unknownStatus(why: UnknownWhy, word: string | undefined): string {
  if (word === undefined) return UNKNOWN[why];
  if (why !== 'new-status') return joinSentences(UNKNOWN[why], itSays(word));
  return `The service returned the status ${code(word)}, which Gatepost does not know.`;
}

/** The start of the note that says why a decision with a lost response was not sent again. */
export const NOT_AGAIN = 'It was not sent again';

/** For somebody who presses when it is over. */
export function withdrawnSentence({ supersededBy }: Pick<Approval, 'supersededBy'>): string {
  return supersededBy === undefined ? WITHDRAWN : REPLACED;
}

export const WITHDRAWN = `${REQUEST} was withdrawn by the automation that asked. Your decision was not sent.`;
const REPLACED = `${REQUEST} was replaced by a newer request, to which its message links. Your decision was not sent.`;
export const WITHDRAWN_STATE = `${REQUEST} was withdrawn. No decision is needed.`;

/** For messages and sentences. */
const UNKNOWN = {
  gone: 'The service no longer shows this request.',
  'not-known-404': 'The service does not know this approval (404).',
  'not-known-409': 'The service does not show this approval (409).',
  'not-known-410': 'The service does not know this approval (410).',
  unsure: 'The decision may not have reached the service.',
  silent: 'The service refused a decision and has not reported the status since.',
  unreadable: "Gatepost could not read the service's response.",
  sealed: "Gatepost can no longer read this request's token. Request the approval again.",
  'new-status': 'The service returned a status that Gatepost does not know.',
} satisfies Record<UnknownWhy, string>;

/** For a press that did not reach the record. */
export const CLICK_TROUBLE = {
  missing: `${REQUEST} is no longer stored here, so nothing was sent. Request the approval again.`,
  mismatch: `This is a copy of ${REQUEST}, so nothing was sent. Decide on the original message.`,
  'not-opened': `Slack did not confirm that the form for ${REQUEST} opened. If you do not see it, press again: nothing is sent until the form is submitted.`,
  unavailable: `Your click on ${REQUEST} was not recorded: Gatepost could not store it. Press again in a minute.`,
  unknown: `It is not known whether your click on ${REQUEST} was recorded. Check the message in a minute. If nothing has changed, press again.`,
} as const;

export type ClickTrouble = keyof typeof CLICK_TROUBLE;

export function mismatchSentence(link: string | undefined): string {
  if (link === undefined) return CLICK_TROUBLE.mismatch;
  return `This is a copy of ${REQUEST}, so nothing was sent. Decide on <${link}|the original message>.`;
}

/** For a press on a copy of the message. */
export function copySentence(link: string | undefined): string {
  if (link === undefined)
    return `This is a copy of ${REQUEST}. Open the menu of the original message.`;
  return `This is a copy of ${REQUEST}. Open the menu of <${link}|the original message>.`;
}

/** Returns a person's name, in markup. */
export type NameOf = (user: string) => string;

/** Notifies the person, except in an update or a message that only one person sees. */
export function mention(user: string): string {
  return `<@${user}>`;
}

/** Whose decision, for use in a sentence. */
export function decisionOf({ action, by }: Pick<Decision, 'action' | 'by'>): string {
  return `${mention(by)}'s ${ANSWER[action]}`;
}

/** Label before the time until which a request can be decided. */
export const DEADLINE = 'Deadline:';

export function people(users: readonly string[], nameOf: NameOf = mention): string {
  const names = users.slice(0, PEOPLE_MAX).map(nameOf);
  const more = users.length - names.length;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const PEOPLE_MAX = 20;

/** Who can decide: the middle of a sentence that one person sees. */
export function reviewersText(approval: Approval, route: PresentRoute | undefined): string {
  if (route === undefined) return 'nobody can decide: its route is not configured';
  const asked = askedOf(approval, route);
  if (asked.channel) return 'anyone in this channel can decide';
  const isNarrowed = approval.narrowedTo !== undefined;
  const { users, groups } = isNarrowed ? asked : union(asked, route.quiet);
  const isThere = (user: string) => approval.absent?.gone?.[user] === undefined;
  const names = namesText({ users: users.filter(isThere), groups });
  if (names === '' && isEscalatedLater(approval, route)) return 'nobody can decide yet';
  if (names === '' && users.length > 0) return 'nobody can decide';
  if (names === '') return 'nobody can decide: no reviewers are configured';
  return `${names} can decide${isConditional(approval, route) ? ' if they review this route' : ''}`;
}

/** Empty: nobody. */
export function namesText({ users, groups }: NamedPeople): string {
  const names = [...users.map(mention), ...groups.map((id) => `<!subteam^${id}>`)];
  const shown = names.slice(0, MENTIONS_MAX).join(', ');
  return names.length > MENTIONS_MAX ? `${shown} and ${names.length - MENTIONS_MAX} more` : shown;
}

/** How many mentions a sentence has at most. */
const MENTIONS_MAX = 40;

/** What is wrong; `says` has the words for a service that does not answer, or answers with errors. */
export function troubleText(
  trouble: Trouble,
  says: { readonly silent: string; readonly failing: string },
): string {
  switch (trouble.why) {
    case 'silent':
      return `${says.silent}.`;
    case 'failing':
      return `${says.failing} (${trouble.status}).`;
    case 'busy':
      return 'The service is too busy to answer.';
    case 'denied':
      return `The service refuses Gatepost's requests (${trouble.status}).`;
    case 'refused': {
      const words = trouble.detail === undefined ? '.' : `: “${oneLine(trouble.detail, 300)}”`;
      return `The service does not let Gatepost read this approval${words}`;
    }
  }
}

/** For somebody whose check failed. */
export function troubleSentence(trouble: Trouble, goesOn: boolean): string {
  const what = troubleText(trouble, {
    silent: 'The service did not answer just now',
    failing: 'The service answered with an error just now',
  });
  const isLasting = trouble.why === 'denied' || trouble.why === 'refused';
  const advice = isLasting ? ' Ask a Gatepost administrator.' : '';
  const next = goesOn
    ? ' Gatepost keeps trying. Press Check now to check again.'
    : ' Press Check now to check again.';
  return `${REQUEST}: ${what}${advice}${next}`;
}
