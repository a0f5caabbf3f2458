import type { Report } from '../../operations/report.ts';
import type { SendPhase } from '../../operations/sending.ts';
import type { Denial } from '../../people/permission.ts';
import type { NewUser } from '../../service/create-user.ts';
import type { UserAttributes } from '../../service/user-attributes.ts';
import type { TextAttribute, TextAttributes } from '../account.ts';
import type { TroubleCode } from '../trouble.ts';
import type { AccountNamed } from './account-named.ts';

export const CHANGE_KIND = 'account-change';

/**
 * Something that an administrator wants of an account: everything Gatepost knows of it, as the store
 * keeps it. All times are milliseconds on the store's clock.
 */
export interface AccountChange extends Report {
  readonly v: 1;
  readonly wish: Wish;
  /** Where the person goes back to, as `writeBrowse` writes it. */
  readonly browse: string;
  readonly phase: Phase;
  readonly outcome?: Outcome;
  readonly doubt?: Doubt;
  /** How often the person had it tried again: what they press belongs to what they saw then. */
  readonly run?: number;
}

/** A sending was lost and may have been carried out. */
export interface Doubt {
  /** From then on it cannot come any more. */
  readonly quietAt: number;
  /** How many were lost since a person last asked for it. */
  readonly lost: number;
  /** The call of the last one is known to have ended. */
  readonly hasEnded: boolean;
}

export type Wish =
  | { readonly kind: 'create'; readonly user: NewUser; readonly foreseen: Foreseen }
  | {
      readonly kind: 'edit';
      readonly account: AccountNamed;
      /** Only what was changed. */
      readonly values: TextAttributes;
      /** What stood there when the person changed it, as `digestOf` gives it. */
      readonly base: Readonly<Partial<Record<TextAttribute, string>>>;
    }
  | { readonly kind: 'deactivate' | 'activate'; readonly account: AccountNamed };

/** What the person was told that creating would do; it is done only while that holds. */
export interface Foreseen {
  readonly kind: 'new' | 'link' | 'reactivate';
  /** Of the account that is there. */
  readonly id: string | null;
}

type SendNext = Extract<SendPhase, { name: 'send' }>;

/** look: what became of it is looked up. over: nothing is left to try. */
export type Phase =
  | Exclude<SendPhase, { name: 'send' }>
  | (SendNext & {
      /** When it was found that nothing protects the account. */
      readonly guardedAt?: number;
      /** When the accounts were found as the person saw them. */
      readonly seenAt?: number;
      readonly looks?: number;
    })
  | {
      readonly name: 'look';
      /** No answer came; or the service did it and its answer does not show the account. */
      readonly why: 'lost' | 'answered';
      readonly looks: number;
      readonly notBefore: number;
    }
  | { readonly name: 'over' };

export type AttributeName = keyof UserAttributes;

export type Outcome =
  | Done
  /** The account is like that already: nothing was sent. */
  | { readonly code: 'already' }
  /** Somebody else changed these since the person saw them: nothing was sent. */
  | { readonly code: 'changed-meanwhile'; readonly names: readonly AttributeName[] }
  /** Creating would do something else now: nothing was sent. */
  | { readonly code: 'otherwise' }
  | { readonly code: 'several' | 'own-account' | 'last-administrator' | 'could-not-check' }
  /** The answer was lost. It was looked up: it was not done; or nobody can tell. */
  | { readonly code: 'not-done' | 'unknown' }
  | { readonly code: 'not-allowed'; readonly refusal: Denial }
  | {
      readonly code: TroubleCode | 'no-token';
      /** The service's own words. */
      readonly detail?: string;
    };

export interface Done {
  readonly code: 'done';
  readonly how: 'created' | 'linked' | 'reactivated' | 'changed' | 'activated' | 'deactivated';
  /** As the service shows it; null: it does not. */
  readonly account: AccountNamed | null;
  /** The answer was lost; it was looked up. */
  readonly found?: true;
  /** What the service shows otherwise than it was sent. */
  readonly unlike: readonly AttributeName[];
}

/** What may be tried once more, from the beginning: it is looked at again before anything is sent. */
const REPEATABLE: ReadonlySet<Outcome['code']> = new Set<Outcome['code']>([
  'unknown',
  'not-done',
  'could-not-check',
  'unreachable',
  'throttled',
  'unclear',
  'unreadable',
  'conflict',
  // Whoever runs it may have mended it.
  'unauthorized',
  'forbidden',
  'absent',
  'refused',
]);

export function isRepeatable({ phase, outcome }: AccountChange): boolean {
  return phase.name === 'over' && outcome !== undefined && REPEATABLE.has(outcome.code);
}

/** What can be changed in its form and asked for again. */
const REVISABLE: ReadonlySet<Outcome['code']> = new Set<Outcome['code']>([
  'changed-meanwhile',
  'otherwise',
  'several',
  'taken',
  'invalid',
]);

export function isRevisable({ phase, outcome, wish }: AccountChange): boolean {
  const hasForm = wish.kind === 'create' || wish.kind === 'edit';
  return hasForm && phase.name === 'over' && outcome !== undefined && REVISABLE.has(outcome.code);
}

/** What is wanted of the account, once it is there. */
export function wantedOf(wish: Wish): Partial<UserAttributes> {
  switch (wish.kind) {
    case 'create': {
      const { userName, ...attributes } = wish.user;
      return { ...attributes, active: true };
    }
    case 'edit':
      return wish.values;
    case 'deactivate':
    case 'activate':
      return { active: wish.kind === 'activate' };
  }
}

export function encodeChange(change: AccountChange): string {
  return JSON.stringify(change);
}

export function decodeChange(text: string): AccountChange {
  // as: written by `encodeChange` alone; a later form has another `v` and is migrated here
  const change = JSON.parse(text) as AccountChange;
  if (change.v !== 1) throw new Error('a change of an account is kept in a form that is not known');
  return change;
}
