import { answerOfWrite } from './json-of-exchange.ts';
import { type Refusal, userRefusalOf } from './refusal.ts';
import type { Scim } from './scim.ts';
import { type UserProfile, userIn } from './service-user.ts';
import { type CallLimits, pathSegment } from './transport.ts';
import { scimMembers, scimPath, type UserAttributes } from './user-attributes.ts';

const OPERATION = 'patch user';
const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** One change (Interface 4.5, PATCH rule 1): of one attribute with a path, or of several without. */
export type UserOperation =
  | {
      [Attribute in keyof UserAttributes]: {
        readonly op: 'add' | 'replace';
        readonly attribute: Attribute;
        readonly value: UserAttributes[Attribute];
      };
    }[keyof UserAttributes]
  | { readonly op: 'replace'; readonly values: Partial<UserAttributes> };

/** `gone`: the account, or SCIM. `taken`: another account has this external id. */
const REFUSALS = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'gone',
  409: 'conflict',
  410: 'gone',
  422: 'invalid',
} as const;

export type PatchUserOutcome =
  /** null: the answer does not show the account. */
  | { readonly kind: 'changed'; readonly user: UserProfile | null }
  | Refusal<(typeof REFUSALS)[keyof typeof REFUSALS] | 'taken'>;

/**
 * Changes an account (Interface 4.5). Sent once, never retried. Throws RemoteFailure for other failures; `ambiguous`
 * may have done it.
 */
export async function patchUser(
  scim: Scim,
  id: string,
  operations: readonly UserOperation[],
  limits: CallLimits = {},
): Promise<PatchUserOutcome> {
  const request = {
    operation: OPERATION,
    method: 'PATCH',
    path: `/${pathSegment(OPERATION, id, 'bad_id')}`,
    body: { schemas: [PATCH_SCHEMA], Operations: operations.map(scimOperation) },
  } as const;
  try {
    return { kind: 'changed', user: userIn(await answerOfWrite(scim(request, limits))) };
  } catch (error) {
    return userRefusalOf(error, REFUSALS);
  }
}

/** RFC 7644 3.5.2. */
function scimOperation(operation: UserOperation): object {
  const { op } = operation;
  if ('values' in operation) return { op, value: scimMembers(operation.values) };
  return { op, path: scimPath(operation.attribute), value: operation.value };
}
