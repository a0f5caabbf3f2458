import { foldEmail } from '../../core/lib/fold-email.ts';
import type { NewUser } from '../../core/service/create-user.ts';
import type { UserMatch } from '../../core/service/find-user.ts';
import type { UserFinder } from '../../core/service/service-client.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import type { CallLimits } from '../../core/service/transport.ts';
import { accountName } from './account.ts';
import type { Quote } from './trouble.ts';

/** What creating an account would do (Interface 3.3, 4.5 create rules), as far as the list tells. */
export type Provisioning =
  /**
   * `isPartial`: the service has accounts that it did not show. `mayLink`: it may have one that would be
   * linked instead. It lists synchronized accounts only, and matches any by the address unless an external
   * id is sent.
   */
  | { readonly kind: 'new'; readonly isPartial: boolean; readonly mayLink: boolean }
  /** The account is there; it is active, or the service does not say. */
  | { readonly kind: 'link'; readonly account: UserProfile }
  /** The account is there, and deactivated. */
  | { readonly kind: 'reactivate'; readonly account: UserProfile }
  /** The address is taken, and no account has the external id: the service refuses that (rule 3), or makes a second one. */
  | { readonly kind: 'collision'; readonly account: UserProfile }
  /** Several accounts have the external id, or the address: nobody can tell which would be linked. */
  | { readonly kind: 'several'; readonly attribute: 'externalId' | 'userName' };

/** What a person was told that creating would do; it is done only while that holds. */
export interface Foreseen {
  readonly kind: 'new' | 'link' | 'reactivate';
  /** Of the account that is there. */
  readonly id: string | null;
}

/** null: nothing of the kind should be sent. */
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
 * Looks before an account is created, in the order in which the service matches: by the external id
 * where there is one, then by the address. Nothing but `new`, `link` and `reactivate` should be sent.
 * Throws RemoteFailure.
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

/**
 * What creating an account would do, before it is done. `userName`: as it was asked for. `quote`:
 * what the medium needs for other people's text.
 */
export function wouldSentence(
  provisioning: Provisioning,
  userName: string,
  quote: Quote = same,
): string {
  switch (provisioning.kind) {
    case 'new':
      return provisioning.mayLink
        ? `Would create an account for ${quote(userName)}. If the service has one that it does not list, that account would be linked instead, and re-activated if it is deactivated.`
        : `Would create an account for ${quote(userName)}.`;
    case 'link':
      return `Would link to ${named(provisioning.account, quote)}, which already exists.${otherAddress(provisioning.account, userName)}`;
    case 'reactivate':
      return `Would re-activate ${named(provisioning.account, quote)}, which is deactivated.${otherAddress(provisioning.account, userName)}`;
    case 'collision':
    case 'several':
      return barSentence(provisioning, quote);
  }
}

/** Why nothing is sent. */
function barSentence(
  provisioning: Provisioning & { readonly kind: 'collision' | 'several' },
  quote: Quote,
): string {
  if (provisioning.kind === 'collision') {
    const { account } = provisioning;
    const [what, done] =
      account.externalId === null ? [NOT_SYNCHRONIZED, 'set'] : [OTHER_EXTERNAL_ID, 'changed'];
    return `${what} Nothing was linked. It is ${named(account, quote)}. To link to it, leave out the external id; it can be ${done} afterwards.`;
  }
  return provisioning.attribute === 'externalId'
    ? 'Several accounts have this external id. Nothing was linked. Clean them up in the service first.'
    : 'Several accounts have this address. Nothing was linked. Clean them up in the service first.';
}

/** Interface 4.5, create rule 3. */
const NOT_SYNCHRONIZED = 'An account that is not synchronized has this address.';
const OTHER_EXTERNAL_ID = 'An account with another external id has this address.';

function named(account: UserProfile, quote: Quote): string {
  return quote(accountName(account));
}

/** It was found by its external id. */
function otherAddress(account: UserProfile, userName: string): string {
  const isSame = foldEmail(account.userName) === foldEmail(userName);
  return isSame ? '' : ' It was found by its external id and keeps its own address.';
}
