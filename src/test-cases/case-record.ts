import type { DenialWithAccount } from '../people/permission.ts';
import type { Audience, Telling } from '../posts/telling.ts';
import type { SendPhase } from '../reconcile/sending.ts';
import type { CreatedTestCase, NewTestCase } from '../service/create-test-case.ts';

export const CASE_KIND = 'test-case';

/** How far a test case is that a person wants, alone or as one of several. */
export interface CaseProgress {
  /** Slack user id of whoever wants it. */
  readonly by: string;
  /** Exactly this is sent. */
  readonly wanted: NewTestCase;
  readonly phase: Phase;
  readonly outcome?: Outcome;
  /** A sending was lost and may have created it; from `quietAt` on it cannot come any more. */
  readonly doubt?: { readonly quietAt: number };
}

/** A test case that a person wants: everything Gatepost knows of it, as the store keeps it. */
export interface CaseRecord extends Telling, CaseProgress {
  readonly v: 1;
  /** Where it was asked for, and will be announced. */
  readonly channel: string;
  /** Whether the channel is told. */
  readonly announce: boolean;
  /** How often the form was shown anew in the same modal. */
  readonly round: number;
  /** How often the person had it sent again: what they press belongs to what they saw then. */
  readonly run?: number;
  /** Administrators were told of the key that the service does not accept. */
  readonly alerted?: true;
  /** The choices are kept for the channel's next case. */
  readonly remembered?: true;
}

/** over: nothing is left to try. */
export type Phase = SendPhase | { readonly name: 'over' };

export type Outcome =
  /** The service says so (Interface 4.2); null where its answer does not. */
  | ({ readonly code: 'created' } & Pick<CreatedTestCase, 'id' | 'status'>)
  /** Its answer was lost; nobody can tell. */
  | { readonly code: 'unknown' }
  | { readonly code: 'not-allowed'; readonly refusal: DenialWithAccount }
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

/** What a person may have sent once more, to the letter: nothing tells that it was done. */
const REPEATABLE: ReadonlySet<Outcome['code']> = new Set([
  'unknown',
  'not-reached',
  'busy',
  'could-not-check',
  'account-not-read',
  // An administrator may mend it.
  'unauthorized',
  'forbidden',
  'no-key',
]);
/** What can only be created as something else, or somewhere else. */
const CHANGEABLE: ReadonlySet<Outcome['code']> = new Set(['invalid', 'refused', 'not-found']);

export function isRepeatable({ phase, outcome }: CaseRecord): boolean {
  return phase.name === 'over' && outcome !== undefined && REPEATABLE.has(outcome.code);
}

export function isChangeable({ phase, outcome }: CaseRecord): boolean {
  return phase.name === 'over' && outcome !== undefined && CHANGEABLE.has(outcome.code);
}

export function isCreated({ outcome }: CaseRecord): boolean {
  return outcome?.code === 'created';
}

/** Who is told of it. */
export function audienceOf({ by, channel }: CaseRecord): Audience {
  return { by, channel };
}

export function encodeCase(record: CaseRecord): string {
  return JSON.stringify(record);
}

export function decodeCase(text: string): CaseRecord {
  // as: written by `encodeCase` alone; a later form has another `v` and is migrated here
  const record = JSON.parse(text) as CaseRecord;
  if (record.v !== 1) throw new Error('a test case is kept in a form that is not known');
  return record;
}
