import type { Audience, Telling } from '../posts/telling.ts';
import type { SendPhase } from '../reconcile/sending.ts';
import type { Draft, Target } from './draft.ts';
import type { MoveRefusal } from './refusal.ts';

export const MOVE_KIND = 'move';

/**
 * A move that a person has reviewed and wants: everything Gatepost knows of it, as the store keeps it.
 *
 * All times are milliseconds on the store's clock.
 */
export interface Move extends Telling {
  readonly v: 1;
  /** What was reviewed; exactly this is sent. */
  readonly draft: ReviewedDraft;
  /** Under which the draft is kept for forms, for a day. */
  readonly draftId: string;
  readonly phase: Phase;
  /** The end of the last sending, as far as is known. */
  readonly outcome?: Outcome;
  /** A sending was lost and may have moved the item; from `quietAt` on it cannot come any more. */
  readonly doubt?: { readonly quietAt: number };
  /** How often the person had it sent again: what they press belongs to what they saw then. */
  readonly run?: number;
  /** Administrators were told of the key that the service does not accept. */
  readonly alerted?: true;
  /** It is noted where the item is, and the mapping is kept for next time. */
  readonly remembered?: true;
}

export type ReviewedDraft = Draft & { readonly target: Target };

/** look: what became of it, or what has changed, is looked up. over: nothing is left to try. */
export type Phase =
  | Exclude<SendPhase, { name: 'send' }>
  | (Extract<SendPhase, { name: 'send' }> & {
      /** When the item was found as it was reviewed, or could not be read. */
      readonly seenAt?: number;
    })
  | {
      readonly name: 'look';
      /** No answer came; or the service said 409; or 422, after a sending that was lost. */
      readonly why: 'lost' | 'changed' | 'invalid';
      readonly detail?: string;
      readonly looks: number;
      readonly notBefore: number;
    }
  | { readonly name: 'over' };

export type Outcome =
  /** The service says so (Interface 4.1); null where its answer does not. */
  | ({ readonly code: 'moved' } & MovedFacts)
  /** Its answer was lost; it is in the destination now. */
  | { readonly code: 'found-moved'; readonly key: string | null }
  /** Its answer was lost; the item is as it was. */
  | { readonly code: 'not-moved' }
  /** Its answer was lost; nobody can tell. */
  | { readonly code: 'unknown' }
  /** 409, or 422 after a sending that was lost: moved by that one, or changed by somebody. */
  | { readonly code: 'moved-or-changed' }
  | { readonly code: 'changed'; readonly changes?: Changes }
  | { readonly code: 'not-allowed'; readonly refusal: MoveRefusal }
  | {
      readonly code: RefusedCode;
      /** The service's own words. */
      readonly detail?: string;
    };

export type RefusedCode =
  | 'invalid'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'refused'
  | 'not-reached'
  | 'busy'
  | 'could-not-check'
  | 'account-not-read'
  | 'no-key';

export interface MovedFacts {
  readonly key: string | null;
  readonly spaceSlug: string | null;
  readonly projectSlug: string | null;
  readonly movedCount: number | null;
  readonly droppedFieldCount: number | null;
}

/** What differs from what was reviewed. */
export interface Changes {
  readonly added: number;
  readonly removed: number;
  /** Items whose status is another. */
  readonly statuses: number;
  /** It is in another project now. */
  readonly project: boolean;
  /** The service's own time of the last change, if that is another; to the letter. */
  readonly updatedAt: string | null;
}

/** What a person may have sent once more, to the letter: nothing tells that it was done. */
const REPEATABLE: ReadonlySet<Outcome['code']> = new Set([
  'unknown',
  'not-moved',
  'not-reached',
  'busy',
  'could-not-check',
  'account-not-read',
]);

export function isRepeatable({ phase, outcome }: Move): boolean {
  return phase.name === 'over' && outcome !== undefined && REPEATABLE.has(outcome.code);
}

/** What has to be reviewed anew before it can be moved. */
const REVIEWABLE: ReadonlySet<Outcome['code']> = new Set([
  'changed',
  'moved-or-changed',
  'invalid',
]);

export function isReviewable({ phase, outcome }: Move): boolean {
  return phase.name === 'over' && outcome !== undefined && REVIEWABLE.has(outcome.code);
}

export function encodeMove(move: Move): string {
  return JSON.stringify(move);
}

export function decodeMove(text: string): Move {
  // as: written by `encodeMove` alone; a later form has another `v` and is migrated here
  const move = JSON.parse(text) as Move;
  if (move.v !== 1) throw new Error('a move is kept in a form that is not known');
  return move;
}

/** Who is told of it. */
export function audienceOf({ draft: { by, channel } }: Move): Audience {
  return { by, channel };
}

/** Whether it is in the destination, as far as is known. */
export function isMoved({ outcome }: Move): boolean {
  return outcome?.code === 'moved' || outcome?.code === 'found-moved';
}
