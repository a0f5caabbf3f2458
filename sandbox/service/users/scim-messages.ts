import type { Answer } from '../../exchange.ts';
import type { Variant } from '../variant.ts';
import type { ServiceUser } from './account.ts';

const headers = { 'content-type': 'application/scim+json; charset=utf-8' };
export const coreSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** Why a request is refused (RFC 7644 3.12). */
export interface ScimFault {
  readonly status: number;
  readonly detail: string;
  readonly scimType?: string;
}

export function scimFault(status: number, detail: string, scimType?: string): ScimFault {
  return { status, detail, ...(scimType !== undefined && { scimType }) };
}

export function isFault(value: object): value is ScimFault {
  return 'detail' in value;
}

export function faultAnswer({ status, ...rest }: ScimFault, variant: Variant): Answer {
  const told = variant.scimErrorStatus === 'string' ? String(status) : status;
  return { status, headers, body: { schemas: [errorSchema], status: told, ...rest } };
}

/** An account, unless the status is one without a body. */
export function userAnswer(status: 200 | 201 | 204, user: ServiceUser, variant: Variant): Answer {
  return { status, headers, body: shownUser(user, variant) };
}

/** One page (RFC 7644 3.4.2). @param start index of the page's first row. */
export function listAnswer(
  { users, start, total }: { users: readonly ServiceUser[]; start: number; total: number },
  variant: Variant,
): Answer {
  const rows = users.map((user) => shownUser(user, variant));
  if (variant.scimList === 'array') return { status: 200, headers, body: rows };
  const body = {
    schemas: [listSchema],
    totalResults: total,
    startIndex: start + 1,
    itemsPerPage: rows.length,
    Resources: rows,
  };
  return { status: 200, headers, body };
}

/** RFC 7643 4.1, 4.3. */
function shownUser(user: ServiceUser, { scimActive }: Variant): object {
  const { id, userName, externalId, displayName, givenName, familyName, title, department } = user;
  const active = scimActive === 'string' ? String(user.active) : user.active;
  return {
    schemas: department === null ? [coreSchema] : [coreSchema, enterpriseSchema],
    id,
    ...present({ externalId }),
    userName,
    name: { formatted: displayName, ...present({ givenName, familyName }) },
    displayName,
    ...present({ title }),
    ...(scimActive !== 'missing' && { active }),
    ...(department !== null && { [enterpriseSchema]: { department } }),
    meta: { resourceType: 'User' },
  };
}

function present(members: Readonly<Record<string, string | null>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
