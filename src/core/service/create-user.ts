import { answerOfWrite } from './json-of-exchange.ts';
import { type Refusal, userRefusalOf } from './refusal.ts';
import type { Scim } from './scim.ts';
import { type UserProfile, userIn } from './service-user.ts';
import type { CallLimits } from './transport.ts';
import {
  CORE_SCHEMA,
  ENTERPRISE_SCHEMA,
  scimMembers,
  type UserAttributes,
} from './user-attributes.ts';

/** The service has defaults for missing members, except `active`: true is sent. */
export interface NewUser extends Partial<UserAttributes> {
  /** The e-mail address. */
  readonly userName: string;
}

/** `absent`: the service has no SCIM. */
const REFUSALS = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'absent',
  409: 'taken',
  410: 'absent',
  422: 'invalid',
} as const;

export type CreateUserOutcome =
  /** Created, linked or reactivated (Interface 4.5); null: the answer does not show the account. */
  | { readonly kind: 'provisioned'; readonly user: UserProfile | null }
  /** `taken`: an account with this address exists that did not come from SCIM, and nothing was linked. */
  | Refusal<(typeof REFUSALS)[keyof typeof REFUSALS]>;

/**
 * Creates an account, or links and reactivates the one that the service matches (Interface 3.3, 4.5). Sent once, never
 * retried. Throws RemoteFailure for other failures; `ambiguous` may have done it.
 */
export async function createUser(
  scim: Scim,
  { userName, ...attributes }: NewUser,
  limits: CallLimits = {},
): Promise<CreateUserOutcome> {
  const isEnterprise = attributes.department !== undefined;
  const body = {
    schemas: isEnterprise ? [CORE_SCHEMA, ENTERPRISE_SCHEMA] : [CORE_SCHEMA],
    userName,
    ...scimMembers({ active: true, ...attributes }),
  };
  const request = { operation: 'create user', method: 'POST', path: '', body } as const;
  try {
    return { kind: 'provisioned', user: userIn(await answerOfWrite(scim(request, limits))) };
  } catch (error) {
    return userRefusalOf(error, REFUSALS);
  }
}
