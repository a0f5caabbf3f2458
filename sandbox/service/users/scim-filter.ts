import { parseJson } from '../../exchange.ts';
import type { ServiceUser } from './account.ts';
import { withoutCore } from './read-changes.ts';

/** One comparison (RFC 7644 3.4.2.2): names and operators in any case, a value as JSON writes it. */
const form = /^\s*([\w.:]+)\s+(eq|ne|co|sw|ew)\s+("(?:[^"\\]|\\.)*"|true|false)\s*$/i;

/** What of an account is compared; `exact`: with regard to case (RFC 7643 3.1, 4.1). */
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

/** undefined when the filter is not understood. */
export function scimFilter(text: string): ((user: ServiceUser) => boolean) | undefined {
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
