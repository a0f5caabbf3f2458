import * as z from 'zod';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { clip } from '../../core/lib/clip.ts';
import { foldTyped } from '../../core/lib/fold-typed.ts';
import { readEmail } from '../../core/lib/read-email.ts';
import type { UserMatch } from '../../core/service/find-user.ts';
import type { UserFinder } from '../../core/service/service-client.ts';
import type { ServiceUser, UserProfile } from '../../core/service/service-user.ts';
import type { CallLimits } from '../../core/service/transport.ts';
import type { UserAttributes } from '../../core/service/user-attributes.ts';

interface Attribute {
  /** For people. */
  readonly name: string;
  /** The flag of the command line, without dashes. */
  readonly flag: string;
}

/** The attributes that can be changed (Interface 4.5, PATCH rule 2), in display order. */
export const ATTRIBUTES = {
  active: { name: 'Active', flag: 'active' },
  displayName: { name: 'Display name', flag: 'display-name' },
  formattedName: { name: 'Formatted name', flag: 'formatted-name' },
  givenName: { name: 'First name', flag: 'given-name' },
  familyName: { name: 'Last name', flag: 'family-name' },
  title: { name: 'Job title', flag: 'title' },
  department: { name: 'Department', flag: 'department' },
  externalId: { name: 'External id', flag: 'external-id' },
} as const satisfies Record<keyof UserAttributes, Attribute>;

/** All but `active`, which has its own verbs and buttons. */
export type TextAttribute = Exclude<keyof UserAttributes, 'active'>;

export type TextAttributes = Partial<Pick<UserAttributes, TextAttribute>>;

// as: Object.keys returns the names above
export const TEXT_ATTRIBUTES = Object.keys(ATTRIBUTES).filter(
  (name) => name !== 'active',
) as readonly TextAttribute[];

/** An account in a sentence: `Ana Reyes (ana@example.com)`. One line, not escaped. */
export function accountName({ displayName, userName }: ServiceUser): string {
  const name = cleanLine(displayName ?? '');
  const address = cleanLine(userName);
  return name === '' || name === address ? address : `${name} (${address})`;
}

/** The part of `wanted` in which the account differs. An attribute that it does not show differs. */
export function accountChanges(
  account: UserProfile,
  wanted: Partial<UserAttributes>,
): Partial<UserAttributes> {
  // as: ATTRIBUTES has exactly these names
  const names = Object.keys(ATTRIBUTES) as (keyof UserAttributes)[];
  const differing = names.filter(
    (name) =>
      wanted[name] !== undefined && wanted[name] !== (account[name] ?? absent(wanted[name])),
  );
  return Object.fromEntries(differing.map((name) => [name, wanted[name]]));
}

/** An empty text equals a missing attribute. */
function absent(wanted: string | boolean | undefined): '' | null {
  return wanted === '' ? '' : null;
}

/**
 * The account with this userName or id (Interface 4.5: searched for in the list): as typed, else the address in the
 * text, else folded. Addresses are compared first. Throws RemoteFailure.
 */
export async function findAccount(
  users: UserFinder,
  nameOrId: string,
  limits: CallLimits = {},
): Promise<UserMatch<UserProfile>> {
  let match: UserMatch<UserProfile> = { kind: 'none' };
  const names = new Set([nameOrId.trim(), readEmail(nameOrId).address, foldTyped(nameOrId)]);
  for (const name of names) {
    if (name !== '' && match.kind === 'none') match = await findNamed(users, name, limits);
  }
  return match;
}

async function findNamed(
  users: UserFinder,
  name: string,
  limits: CallLimits,
): Promise<UserMatch<UserProfile>> {
  const first = name.includes('@') ? 'userName' : 'id';
  const match = await users.find(first, name, limits);
  if (match.kind !== 'none') return match;
  return users.find(first === 'id' ? 'userName' : 'id', name, limits);
}

/** An account as a person saw it, carried by buttons and forms. */
export const accountNamedSchema = z.strictObject({
  id: z.string(),
  userName: z.string(),
  externalId: z.string().nullable(),
  /** One line, not escaped. */
  name: z.string(),
});
export type AccountNamed = z.infer<typeof accountNamedSchema>;

export function accountNamed(user: UserProfile): AccountNamed {
  const { id, userName, externalId } = user;
  return { id, userName, externalId, name: clip(cleanLine(accountName(user)), 150)[0] };
}

export function writeAccount(account: AccountNamed): string {
  return JSON.stringify(account);
}

/** undefined if invalid: values come back from outside. */
export function readAccountNamed(text: string): AccountNamed | undefined {
  try {
    return accountNamedSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * The account with this id as it is now. Searches for the address first, because every service supports that filter.
 * Throws RemoteFailure.
 */
export async function matchAccount(
  users: UserFinder,
  { id, userName }: AccountNamed,
  limits: CallLimits = {},
): Promise<UserMatch<UserProfile>> {
  const namesake = await users.find('userName', userName, limits);
  if (namesake.kind === 'found' && namesake.user.id === id) return namesake;
  return users.find('id', id, limits);
}

/** undefined: the service does not show it. Throws RemoteFailure. */
export async function readAccount(
  users: UserFinder,
  account: AccountNamed,
  limits: CallLimits = {},
): Promise<UserProfile | undefined> {
  const match = await matchAccount(users, account, limits);
  return match.kind === 'found' ? match.user : undefined;
}
