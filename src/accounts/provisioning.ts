import type { NewUser } from '../service/create-user.ts';
import type { UserMatch } from '../service/find-user.ts';
import type { UsersClient } from '../service/service-client.ts';
import type { UserProfile } from '../service/service-user.ts';
import type { CallLimits } from '../service/transport.ts';

/** What creating an account would do (Interface 3.3, 4.5 create rules), as far as the list tells. */
export type Provisioning =
  /** `isPartial`: the service has accounts that it did not show. */
  | { readonly kind: 'new'; readonly isPartial: boolean }
  /** The account is there; it is active, or the service does not say. */
  | { readonly kind: 'link'; readonly account: UserProfile }
  /** The account is there, and deactivated. */
  | { readonly kind: 'reactivate'; readonly account: UserProfile }
  /** The address is taken, and no account has the external id: the service refuses that (rule 3), or makes a second one. */
  | { readonly kind: 'collision'; readonly account: UserProfile }
  /** Several accounts have the external id, or the address: nobody can tell which would be linked. */
  | { readonly kind: 'several'; readonly attribute: 'externalId' | 'userName' };

/**
 * Looks before an account is created, in the order in which the service matches: by the external id
 * where there is one, then by the address. Nothing but `new`, `link` and `reactivate` should be sent.
 * Throws RemoteFailure.
 */
export async function foreseeProvisioning(
  users: Pick<UsersClient, 'find'>,
  { userName, externalId }: Pick<NewUser, 'userName' | 'externalId'>,
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
    case 'none':
      return { kind: 'new', isPartial: isPartial(byId) || isPartial(byAddress) };
  }
}

function matched(account: UserProfile): Provisioning {
  return { kind: account.active === false ? 'reactivate' : 'link', account };
}

function isPartial(match: UserMatch | undefined): boolean {
  return match?.kind === 'none' && match.isPartial === true;
}
