/**
 * Who asked. A request names its requester; asking again with the same key or token adds another one. None of them can
 * decide, unless the route lets them. Known is a full member of the bot's or an allowed workspace, whom the request
 * names by Slack id, by an address that exactly one member has, or by a linked login; or a listed robot.
 */

import type { RuleSettings } from '../../core/config/rules.ts';
import type { Applied } from '../../core/engine/flow.ts';
import { EMAIL, type Login, linkedTo, loginKey, loginText } from '../../core/lib/logins.ts';
import { type Approval, isOwnGate, type Requester } from '../approval.ts';

/** More would make it a way to exclude everybody. */
export const REQUESTERS_MAX = 10;

/** In the audit log: whether it is known who asked. */
export const KNOWN_FACT = 'requester.known';

export function requestersOf({ requester, alsoAskedBy = [] }: Askers): readonly Requester[] {
  return requester === undefined ? alsoAskedBy : [requester, ...alsoAskedBy];
}

type Askers = Partial<Pick<Approval, 'requester' | 'alsoAskedBy'>>;

/** The Slack user ids of all who asked, as far as they were found. */
export function requesterIds(approval: Askers): readonly string[] {
  return [...new Set(requestersOf(approval).flatMap(({ user }) => user ?? []))];
}

export function isRequesterKnown(approval: Askers): boolean {
  return areKnown(requestersOf(approval));
}

/** Whether everybody who asked is known, and somebody is. */
export function areKnown(all: readonly Requester[]): boolean {
  return all.length > 0 && all.every(isKnown);
}

/** Earlier versions did not read who has the Slack id. */
function isKnown(requester: Requester): boolean {
  return requester.known ?? (isOfEarlierVersion(requester) && requester.user !== undefined);
}

function isOfEarlierVersion({ known, lookups }: Requester): boolean {
  return known === undefined && lookups === undefined;
}

/** It is still to be looked up. */
export function isToLookUp({ known, lookups }: Requester): boolean {
  return known === undefined && lookups !== undefined;
}

/** The Slack id that the request itself names: it says nothing about whose the address beside it is. */
function namedIn(requester: Requester): string | undefined {
  const { named, user, email } = requester;
  return named ?? (isOfEarlierVersion(requester) && email === undefined ? user : undefined);
}

/** Slack or the configuration told who it is: nobody else can be. */
export function isResolved(requester: Requester): boolean {
  return requester.user !== undefined && namedIn(requester) === undefined;
}

/** The requester of a new request: to be looked up if there is anything to look up. */
export function unread(asked: Requester): Requester {
  const isToRead = [asked.user, asked.email, asked.login].some((each) => each !== undefined);
  return isToRead ? { ...asked, lookups: 0 } : { ...asked, known: false };
}

/** The requester whom the request names like this, letter for letter. */
export function sameRequester(approval: Askers, asked: Requester): Requester | undefined {
  return requestersOf(approval).find(
    (each) =>
      each.name === asked.name &&
      each.email === asked.email &&
      each.login?.at === asked.login?.at &&
      each.login?.login === asked.login?.login &&
      namedIn(each) === asked.named &&
      (asked.proved === undefined || each.proved === asked.proved),
  );
}

/** An own gate takes no requesters any more. */
export function isDecided(approval: Approval): boolean {
  return isOwnGate(approval) && approval.outcome !== undefined;
}

/** An own gate that somebody approved who also asked for it: it opens nothing. */
export function isOwnApproval(approval: Approval): boolean {
  return isDecided(approval) && approval.outcome?.self?.isLate === true;
}

/** The source asks for the same again. `approvedBy`: who approved it and asked for it, according to Slack. */
export interface AskedAgain {
  readonly requester: Requester;
  readonly approvedBy?: string;
}

/**
 * Receives another requester. A decision that is not sent yet is authorized again. A decided own gate keeps its
 * requesters, but its message says if they approved it: see `add-requester.ts`.
 */
export function receiveRequester(
  approval: Approval,
  { requester, approvedBy }: AskedAgain,
): Applied<Approval> {
  if (isDecided(approval)) {
    return approvedBy === undefined ? { data: approval } : withOwnApproval(approval, approvedBy);
  }
  const isFull = requestersOf(approval).length >= REQUESTERS_MAX;
  if (isFull || sameRequester(approval, requester) !== undefined) return { data: approval };
  const { decision, counted, ...rest } = redrawn(approval);
  const added = unread(requester);
  const alsoAskedBy = [...(rest.alsoAskedBy ?? []), added];
  const again = decision && { decision: { ...decision, authorizedAt: 0 } };
  const entry = {
    action: 'approvals.asked-again',
    record: null,
    actor: approval.source,
    facts: added.known === undefined ? {} : { [KNOWN_FACT]: added.known },
  };
  // The count of who can approve may include them.
  const before = added.user === undefined && counted !== undefined ? { counted } : {};
  return { data: { ...rest, ...before, alsoAskedBy, ...again }, audit: [entry] };
}

/** It became known only now that whoever approved it asked for it: message, audit log and administrators say so. */
export function withOwnApproval(approval: Approval, user: string): Applied<Approval> {
  const { outcome, route } = approval;
  if (outcome === undefined || outcome.self?.isLate === true) return { data: approval };
  const entry = { action: 'approvals.self-approval', record: null, actor: user, facts: { route } };
  const self = { by: user, isLate: true as const };
  const alert = { cause: 'requester-approved', subject: user } as const;
  return {
    data: {
      ...redrawn(approval),
      outcome: { ...outcome, self },
      alerts: [...(approval.alerts ?? []), alert],
    },
    audit: [entry],
  };
}

/** Its message is drawn again; one that was recalled has reasons that the store has not. */
export function redrawn(approval: Approval): Approval {
  const { shown, ...rest } = approval;
  return approval.recalled === true ? approval : rest;
}

/** Whom the configuration says that a requester is. */
export function linkedUser(
  { identityLogins }: Pick<RuleSettings, 'identityLogins'>,
  asked: Requester,
): string | undefined {
  const linked = loginsOf(asked).map((login) => linkedTo(identityLogins, login));
  return linked.find((user) => user !== undefined);
}

function loginsOf({ login, email }: Requester): readonly Login[] {
  const address = email === undefined ? [] : [{ login: email, at: EMAIL }];
  return login === undefined ? address : [login, ...address];
}

/** The request with everybody whom the configuration links by now, in addition to whom it found before. */
export function withLinked(
  approval: Approval,
  settings: Pick<RuleSettings, 'identityLogins'>,
): Approval {
  const all = requestersOf(approval);
  const linked = all.flatMap((asked) => {
    const user = linkedUser(settings, asked);
    return user === undefined || user === asked.user ? [] : [{ ...asked, user }];
  });
  if (linked.length === 0) return approval;
  const { requester: first } = approval;
  const others = first === undefined ? all : all.slice(1);
  return { ...approval, alsoAskedBy: [...others, ...linked] };
}

export function isListedRobot(
  { identityRobots }: Pick<RuleSettings, 'identityRobots'>,
  asked: Requester,
): boolean {
  return loginsOf(asked).some((login) => identityRobots.includes(loginKey(login)));
}

/** What people read of a requester whom Slack does not name; '': nothing. Not escaped. */
export function requesterText({ name, email, login }: Requester): string {
  return name ?? email ?? (login === undefined ? '' : loginText(login));
}
