/**
 * Who asked. A request names its requester; asking again with the same key or token adds another one. None of them can
 * decide, unless the route lets them. Known is a full member of the bot's or an allowed workspace, whom the request
 * names by Slack id, by an address that exactly one member has, or by a linked login; or a listed robot.
 */

import type { RuleSettings } from '../../core/config/rules.ts';
import type { Applied } from '../../core/engine/flow.ts';
import { foldEmail } from '../../core/lib/fold-email.ts';
import { EMAIL, linkedTo, loginKey, loginText } from '../../core/people/logins.ts';
import { type Approval, isOwnGate, type Requester } from '../approval.ts';

/** More would make it a way to exclude everybody. */
export const REQUESTERS_MAX = 10;

/** In place of Slack's code: nobody but whoever asked could decide. */
export const ONLY_REQUESTER = 'only-requester';

/** In the audit log: whether it is known who asked. */
export const KNOWN_FACT = 'requester.known';

export function requestersOf({ requester, alsoAskedBy = [] }: Askers): readonly Requester[] {
  return requester === undefined ? alsoAskedBy : [requester, ...alsoAskedBy];
}

type Askers = Pick<Approval, 'requester' | 'alsoAskedBy'>;

/** The Slack user ids of all who asked, as far as they were found. */
export function requesterIds(approval: Askers): readonly string[] {
  return requestersOf(approval).flatMap(({ user }) => user ?? []);
}

/** Whether everybody who asked is known, and somebody is. */
export function isRequesterKnown(approval: Askers): boolean {
  const all = requestersOf(approval);
  return all.length > 0 && all.every(isKnown);
}

/** Earlier versions did not read who has the Slack id. */
function isKnown({ known, lookups, user }: Requester): boolean {
  return known ?? (lookups === undefined && user !== undefined);
}

/** The requester of a new request: to be looked up if there is anything to look up. */
export function unread(named: Requester): Requester {
  const isToRead = [named.user, named.email, named.login].some((each) => each !== undefined);
  return isToRead ? { ...named, lookups: 0 } : { ...named, known: false };
}

/** Whether the request has this requester already, letter for letter. */
export function hasRequester(approval: Askers, asked: Requester): boolean {
  return requestersOf(approval).some(
    ({ name, email, login, user }) =>
      name === asked.name &&
      email === asked.email &&
      login?.at === asked.login?.at &&
      login?.login === asked.login?.login &&
      (asked.user === undefined || asked.user === user),
  );
}

/**
 * Receives another requester. A decision that is not sent yet is authorized again. An own gate that is decided, or is
 * being decided, keeps its requesters: see `add-requester.ts`.
 */
export function receiveRequester(approval: Approval, asked: Requester): Applied<Approval> {
  const isFull = requestersOf(approval).length >= REQUESTERS_MAX;
  if (isFull || hasRequester(approval, asked) || isDecidedHere(approval)) return { data: approval };
  const { shown, counted, decision, ...rest } = approval;
  const added =
    rest.requester === undefined
      ? { requester: unread(asked) }
      : { alsoAskedBy: [...(rest.alsoAskedBy ?? []), unread(asked)] };
  const again = decision && { decision: { ...decision, authorizedAt: 0 } };
  const entry = {
    action: 'approvals.asked-again',
    record: null,
    actor: approval.source,
    facts: {},
  };
  return { data: { ...rest, ...added, ...again }, audit: [entry] };
}

function isDecidedHere(approval: Approval): boolean {
  const { outcome, decision } = approval;
  const isSent = decision?.phase.name === 'sending' || decision?.phase.name === 'settle';
  return isOwnGate(approval) && (outcome !== undefined || isSent);
}

/** Whom the configuration says that a requester is. */
export function linkedUser(
  { identityLogins }: Pick<RuleSettings, 'identityLogins'>,
  { login, email }: Requester,
): string | undefined {
  const linked =
    login ?? (email === undefined ? undefined : { login: foldEmail(email), at: EMAIL });
  return linked && linkedTo(identityLogins, linked);
}

/** The request with everybody whom the configuration links by now. */
export function withLinked(
  approval: Approval,
  settings: Pick<RuleSettings, 'identityLogins'>,
): Approval {
  const { requester, alsoAskedBy } = approval;
  const link = (asked: Requester): Requester => {
    const user = asked.user ?? linkedUser(settings, asked);
    return user === undefined || user === asked.user ? asked : { ...asked, user };
  };
  return {
    ...approval,
    ...(requester !== undefined && { requester: link(requester) }),
    ...(alsoAskedBy !== undefined && { alsoAskedBy: alsoAskedBy.map(link) }),
  };
}

export function isListedRobot(
  { identityRobots }: Pick<RuleSettings, 'identityRobots'>,
  { login }: Requester,
): boolean {
  return login !== undefined && identityRobots.includes(loginKey(login));
}

/** What people read of a requester whom Slack does not name; '': nothing. Not escaped. */
export function requesterText({ name, email, login }: Requester): string {
  return name ?? email ?? (login === undefined ? '' : loginText(login));
}
