import type { UserAttributes } from '../service/user-attributes.ts';

export interface Attribute {
  /** What people read. */
  readonly name: string;
  /** As a flag of the command line, without its dashes. */
  readonly flag: string;
}

/** What can be changed of an account (Interface 4.5, PATCH rule 2), in the order people read it. */
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

/** All of them but `active`, which has verbs and buttons of its own. */
export type TextAttribute = Exclude<keyof UserAttributes, 'active'>;

export type TextAttributes = Partial<Pick<UserAttributes, TextAttribute>>;

// as: Object.keys gives the names that stand above
export const TEXT_ATTRIBUTES = Object.keys(ATTRIBUTES).filter(
  (name) => name !== 'active',
) as readonly TextAttribute[];
