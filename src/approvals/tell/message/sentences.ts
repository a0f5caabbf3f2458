import { type NamedPeople, union } from '../../../core/config/values.ts';
import {
  bold,
  code,
  dateText,
  inertText,
  itSays,
  joinSentences,
  oneLine,
} from '../../../core/slack/text.ts';
import type { Action, Decision, UnknownWhy } from '../../approval.ts';
import { isGone } from '../../electorate/asked.ts';
import { growsLater, isConditional } from '../../electorate/clause.ts';
import type { Electorate } from '../../electorate/electorate.ts';
import { furtherIn, openIn, type Tally } from '../../electorate/tally.ts';
import type { Trouble } from '../../failure.ts';

/** What sentences and messages share, in mrkdwn. */

export const ANSWER: Record<Action, string> = { approve: 'approval', reject: 'rejection' };

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

/**
 * Who is missing: open places, and how many others. `who`: a list of those who can fill a place of these needs, or of
 * all who can decide.
 */
export function placesText(
  progress: Pick<Tally, 'have' | 'needed' | 'open'>,
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

/** The state of a request that is not known, for the middle of a line. */
export function unknownStatus(why: UnknownWhy, word: string | undefined): string {
  if (word === undefined) return UNKNOWN[why];
  if (why !== 'new-status') return joinSentences(UNKNOWN[why], itSays(word));
  return `The service returned the status ${code(word)}, which Gatepost does not know.`;
}

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
  missing: `${REQUEST} is no longer stored here, so your press was not counted. Request the approval again.`,
  mismatch: `This is a copy of ${REQUEST}, so your press was not counted. Decide on the original message.`,
  'not-yours': `You cannot withdraw ${REQUEST}: only the person who asked for it can. If that was you, use the account that asked.`,
  unchecked: `Gatepost could not check whether you asked for ${REQUEST}, so it was not withdrawn. Press again in a minute.`,
  'not-opened': `Slack did not confirm that the form for ${REQUEST} opened. If you do not see it, press again: nothing counts until the form is submitted.`,
  unavailable: `Your click on ${REQUEST} was not recorded: Gatepost could not store it. Press again in a minute.`,
  unknown: `It is not known whether your click on ${REQUEST} was recorded. Check the message in a minute. If nothing has changed, press again.`,
} as const;

export type ClickTrouble = keyof typeof CLICK_TROUBLE;

export function mismatchSentence(link: string | undefined): string {
  if (link === undefined) return CLICK_TROUBLE.mismatch;
  return `This is a copy of ${REQUEST}, so your press was not counted. Decide on <${link}|the original message>.`;
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
export function reviewersText(electorate: Electorate): string {
  const { route, asked, silent, isNarrowed } = electorate;
  if (route === undefined) return 'nobody can decide: its route is not configured';
  if (asked.channel) return 'anyone in this channel can decide';
  const { users, groups } = isNarrowed ? asked : union(asked, silent);
  const names = namesText({ users: users.filter((user) => !isGone(electorate, user)), groups });
  if (names === '' && growsLater(electorate)) return 'nobody can decide yet';
  if (names === '' && users.length > 0) return 'nobody can decide';
  if (names === '') return 'nobody can decide: no reviewers are configured';
  return `${names} can decide${isConditional(electorate) ? ' if they review this route' : ''}`;
}

/** A time in a sentence. */
export function timeOf(at: number): string {
  return dateText(at, new Date(at).toISOString());
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
