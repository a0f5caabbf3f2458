import type { Denial } from '../../core/people/denials.ts';
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

/** An administrator's request about an account. */
export interface ChangeTypes {
  readonly wish: ChangeWish;
  readonly answer: CreateUserOutcome | PatchUserOutcome | DeleteUserOutcome;
  readonly reading: AccountsReading;
  /**
   * answered: the service did it, but its answer does not show the account. gone: there is no account to delete.
   * conflict: it was refused (409).
   */
  readonly why: 'answered' | 'gone' | 'conflict';
  readonly outcome: OwnOutcome;
  readonly refusal: Denial;
}

interface ChangeWish {
  readonly change: Change;
  /** Where the person goes back to, from `writeBrowse`; absent: there is no list. */
  readonly browse?: string;
  /** When it was typed on the command line. */
  readonly typedAt?: number;
}

export type Change =
  | { readonly kind: 'create'; readonly user: NewUser; readonly foreseen: Foreseen }
  | {
      readonly kind: 'edit';
      readonly account: AccountNamed;
      /** Only changed values. */
      readonly values: Partial<UserAttributes>;
      /** Digests of the values the person saw, from `digestOf`. */
      readonly base: Readonly<Partial<Record<TextAttribute, string>>>;
    }
  | {
      readonly kind: 'deactivate';
      readonly account: AccountNamed;
      /** Set at the same time. */
      readonly values?: TextAttributes;
    }
  /** delete: the service also just deactivates it, and removes nothing (Interface 4.5). */
  | { readonly kind: 'activate' | 'delete'; readonly account: AccountNamed };

/**
 * The accounts as read: what creating would do, or the account; null: the service shows none. `isPartial`: it did not,
 * or may not have, shown all accounts.
 */
export type AccountsReading =
  | { readonly kind: 'foreseen'; readonly provisioning: Provisioning }
  | {
      readonly kind: 'account';
      readonly account: UserProfile | null;
      readonly isPartial?: boolean;
    };

export type AttributeName = keyof UserAttributes;

export type AccountChange = OperationRecord<ChangeTypes>;
export type ChangeState = OperationState<ChangeTypes>;
export type Outcome = OutcomeOf<ChangeTypes>;

type OwnOutcome =
  | Done
  /** The account already has these values: nothing was sent. */
  | { readonly code: 'already' }
  /** Somebody else has changed these since the person saw them: nothing was sent, or it was refused. */
  | { readonly code: 'changed-meanwhile'; readonly names: readonly AttributeName[] }
  /** Creating would now do something else: nothing was sent. */
  | { readonly code: 'otherwise' }
  | { readonly code: 'several' | 'own-account' | 'own-unknown' | 'last-administrator' }
  /** Another account has the address, but is not shown with the external id: nothing was sent. */
  | { readonly code: 'collision'; readonly account: AccountNamed }
  /** The answer was lost, and a read showed that it was not done. */
  | { readonly code: 'not-done' }
  /** The person cancelled it: nothing was sent. */
  | { readonly code: 'cancelled' }
  | {
      readonly code: TroubleCode;
      /** The service's own words. */
      readonly detail?: string;
    };

export interface Done {
  readonly code: (typeof DONE)[number];
  /** As shown by the service; null: it does not. */
  readonly account: AccountNamed | null;
  /** The answer was lost, and a read showed that it was done. */
  readonly found?: true;
  /** Attributes that differ from what was sent. */
  readonly unlike: readonly AttributeName[];
}

export const DONE = [
  'created',
  /** Without an external id the service may have linked an account that it did not list. */
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

/** Outcomes after which its form can be changed and submitted again. */
const REVISABLE: ReadonlySet<Outcome['code']> = new Set<Outcome['code']>([
  'changed-meanwhile',
  'otherwise',
  'several',
  'collision',
  'taken',
  'invalid',
]);

export function isRevisable({ phase, outcome, wish: { change } }: AccountChange): boolean {
  const hasForm = change.kind === 'create' || change.kind === 'edit';
  return hasForm && phase.name === 'done' && outcome !== undefined && REVISABLE.has(outcome.code);
}
