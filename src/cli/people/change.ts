import { cleanLine } from '../../core/lib/clean-line.ts';
import type { NewUser } from '../../core/service/create-user.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import type { UserAttributes } from '../../core/service/user-attributes.ts';
import {
  ATTRIBUTES,
  accountName,
  accountNamed,
  TEXT_ATTRIBUTES,
} from '../../operations/accounts/account.ts';
import type { AttributeName, Change, Done, Outcome } from '../../operations/accounts/change.ts';
import { failureText, namesOf } from '../../operations/accounts/change-result.ts';
import { digestOf } from '../../operations/accounts/compare-accounts.ts';
import { type Provisioning, wouldSentence } from '../../operations/accounts/provisioning.ts';

/** What creating may be sent for. */
type Foreseen = Provisioning & { readonly kind: 'new' | 'link' | 'reactivate' };

/** A change, beside how the account stands before it. */
export type PlannedChange =
  | { readonly kind: 'create'; readonly user: NewUser; readonly foreseen: Foreseen }
  | {
      readonly kind: 'update' | 'deactivate' | 'activate';
      readonly account: UserProfile;
      readonly values: Partial<UserAttributes>;
    }
  | { readonly kind: 'delete'; readonly account: UserProfile };

/** What is asked for: made only as long as the accounts stand as they were seen. */
export function changeOf(planned: PlannedChange): Change {
  switch (planned.kind) {
    case 'create': {
      const { user, foreseen } = planned;
      const id = foreseen.kind === 'new' ? null : foreseen.account.id;
      return { kind: 'create', user, foreseen: { kind: foreseen.kind, id } };
    }
    case 'update': {
      const { account, values } = planned;
      const names = TEXT_ATTRIBUTES.filter((name) => values[name] !== undefined);
      const base = Object.fromEntries(names.map((name) => [name, digestOf(account[name])]));
      return { kind: 'edit', account: accountNamed(account), values, base };
    }
    case 'deactivate': {
      const { active, ...values } = planned.values;
      return { kind: 'deactivate', account: accountNamed(planned.account), values };
    }
    case 'activate':
    case 'delete':
      return { kind: planned.kind, account: accountNamed(planned.account) };
  }
}

/** What a change sets. */
export function setBy(planned: PlannedChange): Partial<UserAttributes> {
  switch (planned.kind) {
    case 'create': {
      const { userName, ...attributes } = planned.user;
      return attributes;
    }
    case 'delete':
      return { active: false };
    default:
      return planned.values;
  }
}

/** The account that is there already; null: it is to be a new one. */
export function accountBefore(planned: PlannedChange): UserProfile | null {
  if (planned.kind !== 'create') return planned.account;
  return planned.foreseen.kind === 'new' ? null : planned.foreseen.account;
}

const ENDS_ACCESS = 'Access ends immediately. Documents and tasks stay.';

/** What a change would do. */
export function wouldText(change: PlannedChange): string {
  switch (change.kind) {
    case 'create':
      return wouldSentence(change.foreseen, cleanLine(change.user.userName), cleanLine);
    case 'update':
      return `Would change ${accountName(change.account)}: ${changesText(change.account, change.values)}.`;
    case 'deactivate':
      return `Would deactivate ${accountName(change.account)}. ${ENDS_ACCESS}`;
    case 'activate':
      return `Would re-activate ${accountName(change.account)}. Access is restored.`;
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
} as const satisfies Record<Foreseen['kind'] | Exclude<PlannedChange['kind'], 'create'>, string>;

/** What somebody is asked before it is done. */
export function questionText(change: PlannedChange): string {
  if (change.kind !== 'create') {
    return `${QUESTIONS[change.kind]} ${accountName(change.account)}?`;
  }
  const { foreseen, user } = change;
  const whom = foreseen.kind === 'new' ? cleanLine(user.userName) : accountName(foreseen.account);
  return `${QUESTIONS[foreseen.kind]} ${whom}?`;
}

/** How a change ended. */
export interface End {
  /** Absent: nobody here can tell. */
  readonly outcome?: Outcome;
  /** Something that was sent before may have done it all the same. */
  readonly unconfirmed?: boolean;
}

/** As long as a bot takes it up (`TYPED_MS` of the operation). */
const UNKNOWN_HERE =
  'The result is not known. A running bot may still carry this out: check the account in two minutes.';

/** Why it was not done, or is not known. */
export function endText(planned: PlannedChange, { outcome, unconfirmed = false }: NotDone): string {
  if (outcome === undefined) return UNKNOWN_HERE;
  return failureText(changeOf(planned), outcome, { unconfirmed });
}

interface NotDone extends End {
  readonly outcome?: Exclude<Outcome, Done>;
}

/** What was done, as the service says. */
export function doneText(planned: PlannedChange, { code, account }: Done): string {
  const name = account?.name ?? nameOf(planned);
  switch (code) {
    case 'created':
      return `Created an account for ${nameOf(planned)}.`;
    case 'created-or-linked':
      return `Created an account for ${nameOf(planned)}, or linked to one that was not listed.`;
    case 'linked':
      return `Linked to ${name}, which already existed.`;
    case 'changed': {
      const before = accountBefore(planned);
      const changes = before === null ? '' : `: ${changesText(before, setBy(planned))}`;
      return `Changed ${nameOf(planned)}${changes}.`;
    }
    case 'deactivated':
      return `Deactivated ${nameOf(planned)}.`;
    case 'reactivated':
    case 'activated':
      return `Re-activated ${name}.`;
  }
}

/** As it was called before. */
function nameOf(planned: PlannedChange): string {
  const before = accountBefore(planned);
  if (before !== null) return accountName(before);
  return planned.kind === 'create' ? cleanLine(planned.user.userName) : '';
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
export function differingText(names: readonly AttributeName[]): string {
  return `The service confirmed the change but still shows other values: ${namesOf(names)}. Check the account.`;
}
