import { readMember } from './read-member.ts';
import { readText } from './read-text.ts';

/** An account of the service, as SCIM shows it (Interface 2.5). */
export interface ServiceUser {
  readonly id: string;
  readonly externalId: string | null;
  /** The e-mail address. */
  readonly userName: string;
  /** null: the answer did not say. */
  readonly active: boolean | null;
  readonly displayName: string | null;
}

/** Reads one row of a SCIM list; undefined when it has no id or no userName. */
export function serviceUserOf(row: unknown): ServiceUser | undefined {
  const id = readText(row, 'id');
  const userName = readText(row, 'userName');
  if (id === null || userName === null) return undefined;
  return {
    id,
    userName,
    externalId: readText(row, 'externalId'),
    active: booleanOf(readMember(row, 'active')),
    displayName: readText(row, 'displayName') ?? readText(row, '/name/formatted'),
  };
}

/** Some servers write booleans as strings, in any case. */
function booleanOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return word === 'true' ? true : word === 'false' ? false : null;
}
