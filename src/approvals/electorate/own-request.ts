import type { Core } from '../../core/core.ts';
import { foldEmail } from '../../core/lib/fold-email.ts';
import type { Actor } from '../../core/people/directory.ts';
import { idsOf, personIfAny, type SlackPerson } from '../../core/slack/slack-person.ts';
import type { Approval, Requester } from '../approval.ts';
import { type Asking, accountReading, beginAsking } from './asking.ts';
import type { Clause, Named } from './clause.ts';
import { areKnown, isResolved, requestersOf, withLinked } from './requester.ts';
import { share } from './votes.ts';

/** A requester cannot decide their own request, unless the route lets them. */

export interface OwnRequest {
  readonly requesters: readonly Requester[];
  /** loud: once everybody else was told. */
  readonly selfApproval: boolean | 'loud';
}

declare module './clause.ts' {
  interface Electorate extends OwnRequest {}
}

export type OwnRequestRefusal =
  | 'requester'
  | 'requester-unknown'
  | 'requester-not-known'
  | 'requester-not-verified';

type OwnRequestRule =
  | { readonly code: 'own-request'; readonly selfApproval: OwnRequest['selfApproval'] }
  | { readonly code: 'requester-unknown'; readonly selfApproval: false | 'loud' };

export const ownRequest: Clause<OwnRequest, OwnRequestRule> = {
  start({ route }) {
    const { selfApproval = false } = route ?? {};
    return { requesters: [], selfApproval: selfApproval === true };
  },

  shape(_, request) {
    const requesters = requestersOf(request);
    return requesters.length === 0 ? undefined : { requesters };
  },

  rules(electorate) {
    const { selfApproval } = electorate;
    return isOwnRequestUnknown(electorate) && selfApproval !== true
      ? [{ code: 'requester-unknown', selfApproval }]
      : [{ code: 'own-request', selfApproval }];
  },
};

type Askers = Pick<OwnRequest, 'requesters'>;

/** The Slack user ids of all who asked, as far as they were found. */
export function askersOf({ requesters }: Askers): readonly string[] {
  return [...new Set(requesters.flatMap(({ user }) => user ?? []))];
}

/** It is not known who asked, so they could decide it themselves. */
export function isOwnRequestUnknown({
  route,
  requesters,
  selfApproval,
}: OwnRequest & Named): boolean {
  return route !== undefined && selfApproval !== true && !areKnown(requesters);
}

/** Whether a person asked for what they want to decide. */
type Asked = 'yes' | 'no' | 'unknown';

export const ASKED = { yes: 'requester', unknown: 'requester-unknown' } as const satisfies Record<
  Exclude<Asked, 'no'>,
  OwnRequestRefusal
>;

/**
 * As far as Slack and, with `actor`, the service know: compares all ids and addresses of all their accounts. `askers`:
 * the requesters, read from Slack. Unknown: the requester is known only by an address, and the person has no verified
 * one; an unverified address may be anybody's. Names do not count.
 */
export function isRequester(
  { requesters }: Askers,
  person: SlackPerson,
  known: { readonly actor?: Actor; readonly askers?: readonly SlackPerson[] } = {},
): Asked {
  const all = requesters.map((requester) => isSame(requester, person, known));
  return all.find((each) => each === 'yes') ?? all.find((each) => each === 'unknown') ?? 'no';
}

function isSame(
  requester: Requester,
  person: SlackPerson,
  { actor, askers = [] }: { readonly actor?: Actor; readonly askers?: readonly SlackPerson[] },
): Asked {
  const { user, email } = requester;
  const asker = askers.find((each) => user !== undefined && idsOf(each).includes(user));
  const theirs: readonly string[] = asker === undefined ? [] : idsOf(asker);
  const ids = [...idsOf(person), ...(actor?.alsoKnownAs ?? [])];
  if (ids.some((id) => id === user || theirs.includes(id))) return 'yes';
  const { id, userName, externalId } = actor?.account ?? {};
  const askedBy = foldedAll(email, asker?.email);
  if (share(foldedAll(person.email, userName, externalId, id), askedBy)) return 'yes';
  const confirmed = person.isEmailConfirmed === true ? person.email : null;
  const hasAddress = (actor === undefined ? confirmed : actor.address) !== null;
  return isResolved(requester) || email === undefined || hasAddress ? 'no' : 'unknown';
}

function foldedAll(...addresses: readonly (string | null | undefined)[]): readonly string[] {
  return addresses.flatMap((each) => (each ? [foldEmail(each)] : []));
}

/**
 * The same, with the look-ups it needs. Reads the requesters from Slack only if the person may be known to it by another
 * id, or their account by another address. Throws RemoteFailure.
 */
export async function hasAsked(
  { lookup, workspace }: Core,
  { requesters }: Askers,
  person: SlackPerson,
  actor: Actor,
  asking: Asking,
): Promise<Asked> {
  const { account } = actor;
  const mayBeOther =
    person.globalId !== null ||
    person.teamId !== workspace.team ||
    (account !== null && !share(foldedAll(account.userName), foldedAll(person.email)));
  if (!mayBeOther) return isRequester({ requesters }, person, { actor });
  const ids = askersOf({ requesters });
  const found = await Promise.all(ids.map((user) => personIfAny(lookup, user, asking)));
  const askers = found.filter((each) => each !== undefined);
  return isRequester({ requesters }, person, { actor, askers });
}

/**
 * Whether somebody whose approval was counted asked for the request. Throws RemoteFailure or StoreError when that
 * cannot be found out.
 */
export async function askedThemselves(
  core: Core,
  approval: Approval,
  user: string,
): Promise<Asked> {
  const asking = beginAsking(core);
  const requesters = requestersOf(withLinked(approval, core.config));
  const person = await core.lookup.person(user, asking);
  const actor = await core.directory.serviceUserFor(person, accountReading(asking));
  return hasAsked(core, { requesters }, person, actor, asking);
}
