import { ATTRIBUTES, accountChanges, accountName } from '../../accounts/account.ts';
import {
  COLLISION,
  didSentence,
  type Provisioning,
  wouldSentence,
} from '../../accounts/provisioning.ts';
import { type Trouble, troubleSentence } from '../../accounts/trouble.ts';
import { cleanLine } from '../../lib/clean-line.ts';
import type { NewUser } from '../../service/create-user.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { UserAttributes } from '../../service/user-attributes.ts';

/** What creating may be sent for. */
export type Foreseen = Provisioning & { readonly kind: 'new' | 'link' | 'reactivate' };

/** One change of the service's accounts. */
export type Change =
  | { readonly kind: 'create'; readonly user: NewUser; readonly foreseen: Foreseen }
  | {
      readonly kind: 'update' | 'deactivate' | 'activate';
      readonly account: UserProfile;
      readonly values: Partial<UserAttributes>;
    }
  | { readonly kind: 'delete'; readonly account: UserProfile };

export type Result =
  | {
      readonly kind: 'done';
      /** As the service shows it afterwards; null: it does not. */
      readonly account: UserProfile | null;
    }
  | { readonly kind: 'refused'; readonly trouble: Trouble }
  /** Sent, and nothing tells whether it took effect. */
  | { readonly kind: 'unknown' };

/** What a change sets. */
export function wantedOf(change: Change): Partial<UserAttributes> {
  switch (change.kind) {
    case 'create': {
      const { userName: _, ...attributes } = change.user;
      return attributes;
    }
    case 'delete':
      return { active: false };
    default:
      return change.values;
  }
}

/** The same, with what goes without saying: whoever is created has access, unless it says otherwise. */
export function expectedOf(change: Change): Partial<UserAttributes> {
  return { ...(change.kind === 'create' && { active: true }), ...wantedOf(change) };
}

/** The account that is there already; null: it is to be a new one. */
export function accountBefore(change: Change): UserProfile | null {
  if (change.kind !== 'create') return change.account;
  return change.foreseen.kind === 'new' ? null : change.foreseen.account;
}

/** What the service shows otherwise than it was sent, although it said that it was done. */
export function differences(change: Change, result: Result): (keyof UserAttributes)[] {
  if (result.kind !== 'done' || result.account === null) return [];
  const account: UserProfile = result.account;
  // as: accountChanges gives names of attributes
  const names = Object.keys(
    accountChanges(account, expectedOf(change)),
  ) as (keyof UserAttributes)[];
  // What it does not show does not count.
  return names.filter((name) => account[name] !== null);
}

const ENDS_ACCESS = 'Access ends at once; documents and tasks stay.';

/** What a change would do. */
export function wouldText(change: Change): string {
  switch (change.kind) {
    case 'create':
      return wouldSentence(change.foreseen, cleanLine(change.user.userName), cleanLine);
    case 'update':
      return `Would change ${accountName(change.account)}: ${changesText(change.account, change.values)}.`;
    case 'deactivate':
      return `Would deactivate ${accountName(change.account)}. ${ENDS_ACCESS}`;
    case 'activate':
      return `Would re-activate ${accountName(change.account)}. Access begins again.`;
    case 'delete':
      return `Would delete ${accountName(change.account)}, which deactivates the account: nothing is removed. ${ENDS_ACCESS}`;
  }
}

const QUESTIONS = {
  new: 'Create an account for',
  link: 'Link to',
  reactivate: 'Re-activate',
  update: 'Change',
  deactivate: 'Deactivate',
  activate: 'Re-activate',
  delete: 'Delete',
} as const satisfies Record<Foreseen['kind'] | Exclude<Change['kind'], 'create'>, string>;

/** What somebody is asked before it is done. */
export function questionText(change: Change): string {
  if (change.kind !== 'create') {
    return `${QUESTIONS[change.kind]} ${accountName(change.account)}?`;
  }
  const { foreseen, user } = change;
  const whom = foreseen.kind === 'new' ? cleanLine(user.userName) : accountName(foreseen.account);
  return `${QUESTIONS[foreseen.kind]} ${whom}?`;
}

/** What came of a change. */
export function resultText(change: Change, result: Result): string {
  switch (result.kind) {
    case 'done':
      return doneText(change);
    case 'refused': {
      const isCollision = change.kind === 'create' && result.trouble.code === 'taken';
      if (!isCollision) return `${troubleSentence(result.trouble)} Nothing was changed.`;
      const { detail } = result.trouble;
      return detail === null ? COLLISION : `${COLLISION} The service says: “${detail}”`;
    }
    case 'unknown':
      return 'It is not known whether the service did it. Look at the account before you repeat this.';
  }
}

function doneText(change: Change): string {
  switch (change.kind) {
    case 'create':
      return didSentence(change.foreseen, cleanLine(change.user.userName), cleanLine);
    case 'update':
      return `Changed ${accountName(change.account)}: ${changesText(change.account, change.values)}.`;
    case 'deactivate':
    case 'delete':
      return `Deactivated ${accountName(change.account)}.`;
    case 'activate':
      return `Re-activated ${accountName(change.account)}.`;
  }
}

/** `Job title “Guide” → “Lead”`, one after the other. */
function changesText(account: UserProfile, values: Partial<UserAttributes>): string {
  // as: values has the names of attributes and no others
  const names = Object.keys(values) as (keyof UserAttributes)[];
  const texts = names.map(
    (name) => `${ATTRIBUTES[name].name} ${quoted(account[name])} → ${quoted(values[name])}`,
  );
  return texts.join(', ');
}

function quoted(value: string | boolean | null | undefined): string {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return value === null || value === undefined || value === '' ? 'none' : `“${cleanLine(value)}”`;
}

/** What the service shows otherwise although it said that it was done. */
export function differingText(names: readonly (keyof UserAttributes)[]): string {
  const shown = names.map((name) => ATTRIBUTES[name].name);
  return `The service said so, and still shows something else: ${shown.join(', ')}. Look at the account.`;
}
