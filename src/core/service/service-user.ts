import { layersOf, readScimMember } from './read-member.ts';
import { pointerTo } from './user-attributes.ts';

/** An account of the service, as shown by SCIM (Interface 2.5). */
export interface ServiceUser {
  readonly id: string;
  readonly externalId: string | null;
  /** The e-mail address. */
  readonly userName: string;
  /** null: the answer did not say. */
  readonly active: boolean | null;
  readonly displayName: string | null;
}

/** An account with all attributes that can be changed; null: empty, or not in the answer. */
export interface UserProfile extends ServiceUser {
  readonly formattedName: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly title: string | null;
  readonly department: string | null;
}

/** Parses an account; undefined without an id or userName. */
export function serviceUserOf(row: unknown): UserProfile | undefined {
  const id = idOf(row, 'id');
  const userName = textOf(row, 'userName');
  if (id === null || userName === null) return undefined;
  const formattedName = textOf(row, pointerTo('formattedName'));
  return {
    id,
    userName,
    externalId: idOf(row, pointerTo('externalId')),
    active: booleanOf(readScimMember(row, pointerTo('active'))),
    displayName: textOf(row, pointerTo('displayName')) ?? formattedName,
    formattedName,
    givenName: textOf(row, pointerTo('givenName')),
    familyName: textOf(row, pointerTo('familyName')),
    title: textOf(row, pointerTo('title')),
    department: textOf(row, pointerTo('department')),
  };
}

/** The account in the answer to a write, with or without `data`; null if there is none. */
export function userIn(body: unknown): UserProfile | null {
  const users = layersOf(body).map(serviceUserOf);
  return users.find((user) => user !== undefined) ?? null;
}

function textOf(row: unknown, name: string): string | null {
  const text = readScimMember(row, name);
  return typeof text === 'string' && text.trim() !== '' ? text : null;
}

/** Some servers write ids as numbers; one that JSON rounded is not usable. */
function idOf(row: unknown, name: string): string | null {
  const id = readScimMember(row, name);
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : textOf(row, name);
}

/** Some servers write booleans as strings, in any case. */
function booleanOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  return word === 'true' ? true : word === 'false' ? false : null;
}
