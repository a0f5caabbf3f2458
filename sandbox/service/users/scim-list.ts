import type { Answer } from '../../exchange.ts';
import type { Variant } from '../variant.ts';
import type { ServiceUser } from './account.ts';
import { scimFilter } from './scim-filter.ts';
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

/** undefined when the filter is not understood. */
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
