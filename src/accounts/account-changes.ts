import type { UserProfile } from '../service/service-user.ts';
import type { UserAttributes } from '../service/user-attributes.ts';
import { ATTRIBUTES } from './attributes.ts';

/** What of `wanted` the account does not have yet. An attribute that it does not show differs. */
export function accountChanges(
  account: UserProfile,
  wanted: Partial<UserAttributes>,
): Partial<UserAttributes> {
  // as: ATTRIBUTES has these names and no others
  const names = Object.keys(ATTRIBUTES) as (keyof UserAttributes)[];
  const differing = names.filter(
    (name) =>
      wanted[name] !== undefined && wanted[name] !== (account[name] ?? absent(wanted[name])),
  );
  return Object.fromEntries(differing.map((name) => [name, wanted[name]]));
}

/** An empty text is what an account without it has. */
function absent(wanted: string | boolean | undefined): '' | null {
  return wanted === '' ? '' : null;
}
