import type { Denial } from '../../core/people/permission.ts';
import type { CreateUserOutcome, NewUser } from '../../core/service/create-user.ts';
import type { DeleteUserOutcome } from '../../core/service/delete-user.ts';
import type { PatchUserOutcome } from '../../core/service/patch-user.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import type { UserAttributes } from '../../core/service/user-attributes.ts';
import type { OperationRecord, OperationState } from '../flow/operation.ts';
import type { OutcomeOf } from '../flow/rules.ts';
import type { AccountNamed, TextAttribute, TextAttributes } from './account.ts';
import type { Foreseen, Provisioning } from './provisioning.ts';
import type { TroubleCode } from './trouble.ts';

/** Something that an administrator wants of an account. */
export interface ChangeTypes {
  readonly wish: ChangeWish;
  readonly answer: CreateUserOutcome | PatchUserOutcome | DeleteUserOutcome;
  readonly reading: AccountsReading;
  /**
   * answered: the service did it, and its answer does not show the account. gone: it says that there is
   * none to delete.
   */
  readonly why: 'answered' | 'gone';
  readonly outcome: OwnOutcome;
  readonly refusal: Denial;
}

interface ChangeWish {
  readonly change: Change;
  /** Where the person goes back to, as `writeBrowse` writes it; absent: there is no list. */
  readonly browse?: string;
  /** Asked for at the command line, at this time. */
  readonly typedAt?: number;
}

export type Change =
  | { readonly kind: 'create'; readonly user: NewUser; readonly foreseen: Foreseen }
  | {
      readonly kind: 'edit';
      readonly account: AccountNamed;
      /** Only what was changed. */
      readonly values: Partial<UserAttributes>;
      /** What stood there when the person changed it, as `digestOf` gives it. */
      readonly base: Readonly<Partial<Record<TextAttribute, string>>>;
    }
  | {
      readonly kind: 'deactivate';
      readonly account: AccountNamed;
      /** Set along with it. */
      readonly values?: TextAttributes;
    }
  /** delete: the service deactivates it, too, and removes nothing (Interface 4.5). */
  | { readonly kind: 'activate' | 'delete'; readonly account: AccountNamed };

/** How the accounts stand: what creating would do, or the account; null: the service shows none. */
export type AccountsReading =
  | { readonly kind: 'foreseen'; readonly provisioning: Provisioning }
  | { readonly kind: 'account'; readonly account: UserProfile | null };

export type AttributeName = keyof UserAttributes;

export type AccountChange = OperationRecord<ChangeTypes>;
export type ChangeState = OperationState<ChangeTypes>;
export type Outcome = OutcomeOf<ChangeTypes>;

type OwnOutcome =
  | Done
  /** The account is like that already: nothing was sent. */
  | { readonly code: 'already' }
  /** Somebody else changed these since the person saw them: nothing was sent. */
  | { readonly code: 'changed-meanwhile'; readonly names: readonly AttributeName[] }
  /** Creating would do something else now: nothing was sent. */
  | { readonly code: 'otherwise' }
  | { readonly code: 'several' | 'own-account' | 'last-administrator' }
  /** The answer was lost. It was looked up: it was not done. */
  | { readonly code: 'not-done' }
  /** Whoever asked took it back: nothing was sent. */
  | { readonly code: 'cancelled' }
  | {
      readonly code: TroubleCode;
      /** The service's own words. */
      readonly detail?: string;
    };

export interface Done {
  readonly code: (typeof DONE)[number];
  /** As the service shows it; null: it does not. */
  readonly account: AccountNamed | null;
  /** The answer was lost; it was looked up. */
  readonly found?: true;
  /** What the service shows otherwise than it was sent. */
  readonly unlike: readonly AttributeName[];
}

export const DONE = [
  'created',
  /** No external id was sent: the service may have linked to an account that it did not list. */
  'created-or-linked',
  'linked',
  'reactivated',
  'changed',
  'activated',
  'deactivated',
] as const;

export function isDone(outcome: Outcome): outcome is Done {
  return 'unlike' in outcome;
}

/** What can be changed in its form and asked for again. */
const REVISABLE: ReadonlySet<Outcome['code']> = new Set<Outcome['code']>([
  'changed-meanwhile',
  'otherwise',
  'several',
  'taken',
  'invalid',
]);

export function isRevisable({ phase, outcome, wish: { change } }: AccountChange): boolean {
  const hasForm = change.kind === 'create' || change.kind === 'edit';
  return hasForm && phase.name === 'done' && outcome !== undefined && REVISABLE.has(outcome.code);
}
