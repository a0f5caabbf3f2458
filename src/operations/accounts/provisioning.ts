import { foldEmail } from '../../core/lib/fold-email.ts';
import type { NewUser } from '../../core/service/create-user.ts';
import type { UserMatch } from '../../core/service/find-user.ts';
import type { UserFinder } from '../../core/service/service-client.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import type { CallLimits } from '../../core/service/transport.ts';
import { type AccountNamed, accountName, accountNamed } from './account.ts';
import type { Quote } from './trouble.ts';

/** What creating an account would do (Interface 3.3, 4.5 create rules), according to the list. */
export type Provisioning =
  /**
   * `isPartial`: not all accounts were listed. `mayLink`: one of those may be linked instead, because the service lists
   * only synchronized accounts but matches any by address, unless an external id is sent.
   */
  | { readonly kind: 'new'; readonly isPartial: boolean; readonly mayLink: boolean }
  /** The account exists; it is active, or the service does not say. */
  | { readonly kind: 'link'; readonly account: UserProfile }
  /** The account exists, and is deactivated. */
  | { readonly kind: 'reactivate'; readonly account: UserProfile }
  /**
   * The address is taken, and no account has the external id: the service would refuse that (rule 3), or create a
   * second account.
   */
  | { readonly kind: 'collision'; readonly account: UserProfile }
  /** Several accounts have the external id, or the address: it is not clear which would be linked. */
  | { readonly kind: 'several'; readonly attribute: 'externalId' | 'userName' };

/** The preview a person saw; creating goes ahead only if it still applies. */
export interface Foreseen {
  readonly kind: 'new' | 'link' | 'reactivate';
  /** The existing account's. */
  readonly id: string | null;
}

/** null: nothing should be sent. */
export function foreseenIn(provisioning: Provisioning): Foreseen | null {
  switch (provisioning.kind) {
    case 'new':
      return { kind: 'new', id: null };
    case 'link':
    case 'reactivate':
      return { kind: provisioning.kind, id: provisioning.account.id };
    default:
      return null;
  }
}

/**
 * Checks before an account is created, in the service's matching order: by the external id if there is one, then by the
 * address. Only `new`, `link` and `reactivate` may be sent. Throws RemoteFailure.
 */
export async function foreseeProvisioning(
  users: UserFinder,
  { userName, externalId }: NewUser,
  limits: CallLimits = {},
): Promise<Provisioning> {
  const byId =
    externalId === undefined ? undefined : await users.find('externalId', externalId, limits);
  if (byId?.kind === 'several') return { kind: 'several', attribute: 'externalId' };
  if (byId?.kind === 'found') return matched(byId.user);
  const byAddress = await users.find('userName', userName.trim(), limits);
  switch (byAddress.kind) {
    case 'several':
      return { kind: 'several', attribute: 'userName' };
    case 'found':
      return byId === undefined
        ? matched(byAddress.user)
        : { kind: 'collision', account: byAddress.user };
    case 'none': {
      const isPartial = leavesOut(byId) || leavesOut(byAddress);
      return { kind: 'new', isPartial, mayLink: isPartial || externalId === undefined };
    }
  }
}

function matched(account: UserProfile): Provisioning {
  return { kind: account.active === false ? 'reactivate' : 'link', account };
}

function leavesOut(match: UserMatch | undefined): boolean {
  return match?.kind === 'none' && match.isPartial === true;
}

const same: Quote = (text) => text;

/** A preview of creating an account. `userName`: as requested. `quote`: how the medium quotes other people's text. */
export function provisioningSentence(
  provisioning: Provisioning,
  userName: string,
  quote: Quote = same,
): string {
  switch (provisioning.kind) {
    case 'new':
      return provisioning.mayLink
        ? `This creates an account for ${quote(userName)}. If the service has one that it does not list, that account is linked instead, and re-activated if it is deactivated.`
        : `This creates an account for ${quote(userName)}.`;
    case 'link':
      return `This links to ${named(provisioning.account, quote)}, which already exists.${otherAddress(provisioning.account, userName)}`;
    case 'reactivate':
      return `This re-activates ${named(provisioning.account, quote)}, which is deactivated.${otherAddress(provisioning.account, userName)}`;
    case 'collision':
      return collisionSentence(accountNamed(provisioning.account), quote);
    case 'several':
      return provisioning.attribute === 'externalId'
        ? 'Several accounts have this external id. Nothing was linked. Clean them up in the service first.'
        : 'Several accounts have this address. Nothing was linked. Clean them up in the service first.';
  }
}

/** Why nothing is sent if another account has the address. */
export function collisionSentence({ externalId, name }: AccountNamed, quote: Quote = same): string {
  const [what, done] =
    externalId === null ? [NO_EXTERNAL_ID, 'set'] : [OTHER_EXTERNAL_ID, 'changed'];
  return `${what} Nothing was linked. It is ${quote(name)}. To link to it, leave out the external id; it can be ${done} afterwards.`;
}

/** Interface 4.5, create rule 3: it was perhaps not synchronized. */
const NO_EXTERNAL_ID = 'An account has this address, and the service shows no external id for it.';
const OTHER_EXTERNAL_ID = 'An account with another external id has this address.';

function named(account: UserProfile, quote: Quote): string {
  return quote(accountName(account));
}

/** It was found by its external id. */
function otherAddress(account: UserProfile, userName: string): string {
  const isSame = foldEmail(account.userName) === foldEmail(userName);
  return isSame ? '' : ' It was found by its external id and keeps its own address.';
}
