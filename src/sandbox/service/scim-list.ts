import { type Answer, parseJson } from '../exchange.ts';
import type { ServiceUser } from './service-handle.ts';
import type { Variant } from './variant.ts';

const mediaType = 'application/scim+json; charset=utf-8';
const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** `userName eq "…"` (RFC 7644, 3.4.2.2): name, operator and value without regard to case. */
const filterForm = /^\s*userName\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i;

export function scimError(status: number, detail: string, scimType?: string): Answer {
  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType && { scimType }),
    detail,
  };
  return { status, headers: { 'content-type': mediaType }, body };
}

/** The list of users (Interface 4.5), with the query of RFC 7644. */
export function listUsers(
  users: readonly ServiceUser[],
  query: URLSearchParams,
  variant: Variant,
): Answer {
  const filter = query.get('filter');
  const matched = filter === null ? users : filtered(users, filter, variant);
  if (!matched) return scimError(400, 'This filter is not supported.', 'invalidFilter');
  const [start, count] = pageOf(query, variant);
  const rows = matched.slice(start, start + count).map((user) => shown(user, variant));
  const envelope = {
    schemas: [listSchema],
    totalResults: matched.length,
    startIndex: start + 1,
    itemsPerPage: rows.length,
    Resources: rows,
  };
  const body = variant.scimList === 'array' ? rows : envelope;
  return { status: 200, headers: { 'content-type': mediaType }, body };
}

/** undefined when the filter is not understood. */
function filtered(
  users: readonly ServiceUser[],
  filter: string,
  variant: Variant,
): readonly ServiceUser[] | undefined {
  if (variant.scimFilter === 'ignored') return users;
  const text = variant.scimFilter === 'refused' ? undefined : filterForm.exec(filter)?.[1];
  const wanted = text && parseJson(text);
  if (typeof wanted !== 'string') return undefined;
  return users.filter((user) => user.userName.toLowerCase() === wanted.toLowerCase());
}

/** Where the page begins (from 0) and how many rows it has. */
function pageOf(query: URLSearchParams, variant: Variant): readonly [number, number] {
  const number = (name: string, usual: number): number => {
    const value = Number(query.get(name) ?? usual);
    return Number.isInteger(value) ? value : usual;
  };
  const most = variant.scimPageSize;
  if (variant.scimPaging === 'ignored') return [0, most];
  const start = Math.max(1, number('startIndex', 1)) - 1;
  return [start, Math.min(most, Math.max(0, number('count', most)))];
}

function shown(user: ServiceUser, { scimActive }: Variant) {
  return {
    schemas: [userSchema],
    id: user.id,
    userName: user.userName,
    ...(user.externalId !== null && { externalId: user.externalId }),
    displayName: user.displayName,
    ...(scimActive !== 'missing' && {
      active: scimActive === 'string' ? String(user.active) : user.active,
    }),
    meta: { resourceType: 'User' },
  };
}
