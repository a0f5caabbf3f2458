import { type Answer, parseJson } from '../../exchange.ts';
import type { Variant } from '../variant.ts';
import type { ServiceUser } from './account.ts';
import { withoutCore } from './read-changes.ts';
import { faultAnswer, listAnswer, scimFault } from './scim-messages.ts';

/** The list of users (Interface 4.5), with the query of RFC 7644 3.4.2. */
export function listUsers(
  users: readonly ServiceUser[],
  query: URLSearchParams,
  variant: Variant,
): Answer {
  const listed =
    variant.scimLists === 'everybody' ? users : users.filter(({ origin }) => origin === 'scim');
  const filter = query.get('filter');
  const matched = filter === null ? listed : filtered(listed, filter, variant);
  if (!matched) {
    return faultAnswer(scimFault(400, 'This filter is not supported.', 'invalidFilter'), variant);
  }
  const [start, count] = pageOf(query, variant);
  const page = { users: matched.slice(start, start + count), start, total: matched.length };
  return listAnswer(page, variant);
}

/** undefined: the filter is not supported. */
function filtered(
  users: readonly ServiceUser[],
  filter: string,
  variant: Variant,
): readonly ServiceUser[] | undefined {
  if (variant.scimFilter === 'ignored') return users;
  const isAddress = /^\s*userName\s+eq\s/i.test(filter);
  const isKnown = variant.scimFilter === 'address' ? isAddress : variant.scimFilter !== 'refused';
  const matches = isKnown ? scimFilter(filter) : undefined;
  return matches && users.filter(matches);
}

/** The index of the page's first row, and its number of rows. */
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

/** One comparison (RFC 7644 3.4.2.2): names and operators ignore case, the value is JSON. */
const form = /^\s*([\w.:]+)\s+(eq|ne|co|sw|ew)\s+("(?:[^"\\]|\\.)*"|true|false)\s*$/i;

/** The attributes that can be compared; `exact`: case matters (RFC 7643 3.1, 4.1). */
const attributes: Readonly<
  Record<string, { readonly of: (user: ServiceUser) => unknown; readonly exact?: boolean }>
> = {
  id: { of: ({ id }) => id, exact: true },
  externalid: { of: ({ externalId }) => externalId, exact: true },
  username: { of: ({ userName }) => userName },
  displayname: { of: ({ displayName }) => displayName },
  'name.givenname': { of: ({ givenName }) => givenName },
  'name.familyname': { of: ({ familyName }) => familyName },
  active: { of: ({ active }) => active },
};

/** undefined: the filter is not supported. */
function scimFilter(text: string): ((user: ServiceUser) => boolean) | undefined {
  const [, name = '', operator = '', value = ''] = form.exec(text) ?? [];
  const path = withoutCore(name.toLowerCase());
  const attribute = Object.hasOwn(attributes, path) ? attributes[path] : undefined;
  const wanted = parseJson(value);
  if (!attribute || wanted === undefined) return undefined;
  const fold = (it: unknown): unknown =>
    typeof it === 'string' && !attribute.exact ? it.toLowerCase() : it;
  return (user) => compare(operator.toLowerCase(), fold(attribute.of(user)), fold(wanted));
}

function compare(operator: string, is: unknown, wanted: unknown): boolean {
  if (operator === 'eq') return is === wanted;
  if (operator === 'ne') return is !== wanted;
  if (typeof is !== 'string' || typeof wanted !== 'string') return false;
  if (operator === 'co') return is.includes(wanted);
  return operator === 'sw' ? is.startsWith(wanted) : is.endsWith(wanted);
}
