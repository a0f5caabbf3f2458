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
import type { Change, Done, Outcome } from '../../operations/accounts/change.ts';
import { doneText, doneWord, failureText } from '../../operations/accounts/change-result.ts';
import { digestOf, wantedOf } from '../../operations/accounts/compare-accounts.ts';
import { type Provisioning, provisioningSentence } from '../../operations/accounts/provisioning.ts';

/** A planned change: the account before it, and what to tell the person. */
export interface PlannedChange {
  readonly change: Change;
  /** null: a new one. */
  readonly account: UserProfile | null;
  /** What it would do, in a sentence. */
  readonly would: string;
  /** The question to confirm it; null: needs no confirmation. */
  readonly question: string | null;
}

/** When creating can go ahead. */
type Foreseen = Provisioning & { readonly kind: 'new' | 'link' | 'reactivate' };

const CREATING = {
  new: 'Create an account for',
  link: 'Link to',
  reactivate: 'Re-activate',
} as const satisfies Record<Foreseen['kind'], string>;

/** Confirmed if it gives access to an account that exists, or may exist. */
export function planCreating(user: NewUser, foreseen: Foreseen): PlannedChange {
  const { kind } = foreseen;
  const account = kind === 'new' ? null : foreseen.account;
  const address = cleanLine(user.userName);
  const name = account === null ? address : accountName(account);
  const isNew = kind === 'new' && !foreseen.isPartial;
  return {
    change: { kind: 'create', user, foreseen: { kind, id: account?.id ?? null } },
    account,
    would: provisioningSentence(foreseen, address, cleanLine),
    question: isNew ? null : `${CREATING[kind]} ${name}?`,
  };
}

/** Goes ahead only if the values it changes are unchanged. */
export function planEdit(account: UserProfile, values: Partial<UserAttributes>): PlannedChange {
  const names = TEXT_ATTRIBUTES.filter((name) => values[name] !== undefined);
  const base = Object.fromEntries(names.map((name) => [name, digestOf(account[name])]));
  return {
    change: { kind: 'edit', account: accountNamed(account), values, base },
    account,
    would: `This changes ${accountName(account)}: ${changesText(account, values)}.`,
    question: null,
  };
}

const ENDS_ACCESS = 'Access ends at once. Documents and tasks are kept.';
const SWITCHING = {
  deactivate: (name) => [`This deactivates ${name}. ${ENDS_ACCESS}`, `Deactivate ${name}?`],
  activate: (name) => [`This re-activates ${name}. Access is restored.`, `Re-activate ${name}?`],
  delete: (name) => [
    `This deletes ${name}, which deactivates the account: nothing is removed. ${ENDS_ACCESS}`,
    `Delete ${name}?`,
  ],
} as const satisfies Record<Switch, (name: string) => readonly [would: string, question: string]>;

export type Switch = 'deactivate' | 'activate' | 'delete';

/** `values`: set together with a deactivation. */
export function planSwitch(
  account: UserProfile,
  kind: Switch,
  { active, ...values }: Partial<UserAttributes> = {},
): PlannedChange {
  const [would, question] = SWITCHING[kind](accountName(account));
  const named = accountNamed(account);
  return {
    change: kind === 'deactivate' ? { kind, account: named, values } : { kind, account: named },
    account,
    would,
    question,
  };
}

/** The result of a change. */
export interface End {
  /** Absent: not known here. */
  readonly outcome?: Outcome;
  /** An earlier call may have done it anyway. */
  readonly unconfirmed?: boolean;
}

/** As long as a bot takes it over (`TYPED_MS` of the operation). */
const UNKNOWN_HERE =
  'The result is not known. A running bot may still carry this out: check the account in two minutes.';

/** Why it was not done, or is not known. */
export function endText(change: Change, { outcome, unconfirmed = false }: NotDone): string {
  if (outcome === undefined) return UNKNOWN_HERE;
  return failureText(change, outcome, { unconfirmed });
}

interface NotDone extends End {
  readonly outcome?: Exclude<Outcome, Done>;
}

/** What was done, according to the service: `Changed: Ana Reyes (ana@example.com). Job title “Guide” → “Lead”.` */
export function doneLine({ change, account }: PlannedChange, done: Done): string {
  const address = change.kind === 'create' ? change.user.userName : change.account.userName;
  const name = done.account?.name ?? (account === null ? cleanLine(address) : accountName(account));
  const isEdit = change.kind === 'edit' && account !== null;
  const set = isEdit ? `${changesText(account, wantedOf(change))}.` : '';
  const said = doneText(done, set);
  return said === '' ? `${doneWord(done)}: ${name}.` : `${doneWord(done)}: ${name}. ${said}`;
}

/** `Job title “Guide” → “Lead”`, comma-separated. */
function changesText(account: UserProfile, values: Partial<UserAttributes>): string {
  // as: values has exactly these names
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
