import { answerOfWrite } from './json-of-exchange.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import type { Scim } from './scim.ts';
import { type CallLimits, pathSegment } from './transport.ts';

const OPERATION = 'delete user';

/** `gone`: the account, or SCIM. */
const REFUSALS = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'gone',
  409: 'conflict',
  410: 'gone',
  422: 'invalid',
} as const;

export type DeleteUserOutcome =
  | { readonly kind: 'deactivated' }
  | Refusal<(typeof REFUSALS)[keyof typeof REFUSALS]>;

/**
 * Deactivates an account, like PATCH with `active` false; nothing is deleted (Interface 4.5). Sent once, never retried.
 * Throws RemoteFailure for other failures; `ambiguous` may have done it.
 */
export async function deleteUser(
  scim: Scim,
  id: string,
  limits: CallLimits = {},
): Promise<DeleteUserOutcome> {
  const path = `/${pathSegment(OPERATION, id, 'bad_id')}`;
  try {
    await answerOfWrite(scim({ operation: OPERATION, method: 'DELETE', path }, limits));
    return { kind: 'deactivated' };
  } catch (error) {
    return refusalOf(error, REFUSALS);
  }
}
