import type { Failed } from '../../core/engine/call-result.ts';
import type { FailureFacts } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import type { SendPhase } from './sending.ts';

/**
 * The progress of an operation: authorized, read if that helps, sent once, read back after a lost answer, and done. A
 * record is one of these, or has several.
 */
export interface Progress<T extends OperationTypes> {
  /** Slack user id of the person who asked. */
  readonly by: string;
  /** Where they asked. */
  readonly channel: string;
  /** Exactly this is sent. */
  readonly wish: T['wish'];
  readonly phase: Phase<T['why']>;
  /** The outcome of the last run, as far as known. */
  readonly outcome?: OutcomeOf<T>;
  readonly unconfirmed?: Unconfirmed;
  /** The person cancelled it: nothing more is sent. */
  readonly cancelled?: true;
}

/** The types of one kind of operation. */
export interface OperationTypes {
  readonly wish: unknown;
  /** The service's answer. */
  readonly answer: { readonly kind: string };
  /** What a read returns; never: it cannot be read. */
  readonly reading: unknown;
  /** Why it is read back, other than a lost answer; never: no other reason. */
  readonly why: string;
  /** Outcomes of its own, in addition to the common ones. */
  readonly outcome: { readonly code: string };
  /** Why a person is not allowed to. */
  readonly refusal: string;
}

/** A call was lost, and may have been carried out. */
export interface Unconfirmed {
  /** When it can no longer be carried out. */
  readonly quietAt: number;
  /** How many were lost since a person last asked for it. */
  readonly lost: number;
  /** The last call has certainly ended. */
  readonly hasEnded: boolean;
}

export type SendNext = Extract<SendPhase, { name: 'send' }> & {
  /** When it was found unchanged, or could not be read. */
  readonly readAt?: number;
  /** Failed reads. */
  readonly reads?: number;
};

export interface ReadBack<Why extends string> {
  readonly name: 'read-back';
  readonly why: Why | 'lost';
  /** The service's own words. */
  readonly detail?: string;
  /** The HTTP status of an unclear answer. */
  readonly status?: number;
  readonly reads: number;
  readonly notBefore: number;
}

/** read-back: the effect is being read. done: nothing is left to try. */
type Phase<Why extends string> =
  | Exclude<SendPhase, { name: 'send' }>
  | SendNext
  | ReadBack<Why>
  | { readonly name: 'done' };

export type OutcomeOf<T extends OperationTypes> = T['outcome'] | CommonOutcome<T['refusal']>;

type CommonOutcome<Refusal extends string> =
  | { readonly code: 'not-allowed'; readonly refusal: Refusal }
  /** Slack, the service or the store did not say whether the person is authorized. */
  | { readonly code: 'could-not-check' | 'account-not-read' | 'store-not-read' }
  | { readonly code: 'no-key' }
  /** The store lost its record before it was sent. */
  | { readonly code: 'forgotten' }
  /** There was no clear answer, and the effect cannot be read. */
  | ({ readonly code: 'unknown' } & Unclear)
  | {
      readonly code: 'not-reached' | 'busy' | 'refused' | 'redirected';
      /** The service's own words. */
      readonly detail?: string;
    };

/** What came instead of an answer, if anything. */
export interface Unclear {
  /** The HTTP status of an unclear answer. */
  readonly status?: number;
  /** The service's own words. */
  readonly detail?: string;
}

/** The rules of a kind of operation: the pure part of its table. */
export interface Rules<T extends OperationTypes> {
  readonly kind: string;
  /** Its name in the audit log: `<audit>.send`. */
  readonly audit: string;
  /** Ids for the audit log, never texts. */
  factsOf(wish: T['wish'], action: 'asked' | 'send' | 'outcome' | 'again'): AuditFacts;
  /** What the audit log records of an outcome, in addition to its code. */
  outcomeFacts(outcome: OutcomeOf<T>): AuditFacts;
  /** Whether an answer confirms that it was done: that counts however late it arrives. */
  confirms(answer: T['answer']): boolean;
  /**
   * Repeating the call does it at most once. Otherwise a confirmation of one call says nothing about another in flight.
   */
  readonly isDoneOnce: boolean;
  /** The outcome of an answer. */
  verdict(progress: Progress<T>, answer: T['answer']): Verdict<T>;
  isSuccess(outcome: OutcomeOf<T>): boolean;
  /** Codes that settle the effect of an earlier lost call. */
  readonly settling: ReadonlySet<string>;
  /** Codes after which a person can have the same call repeated: nothing says that it was done. */
  readonly repeatable: ReadonlySet<string>;
  /** How long an authorization is valid; undefined: the default. */
  authorizedForMs?(wish: T['wish']): number | undefined;
  /** The outcome when the person cancels it before sending; absent: it cannot be cancelled. */
  readonly cancelled?: OutcomeOf<T>;
  /** How many times a 429 is waited for; absent: the default. */
  readonly limitedMax?: number;
  /** Absent: nothing can be read, and a lost call stays unknown. */
  readonly reading?: ReadingRules<T>;
}

interface ReadingRules<T extends OperationTypes> {
  /** Whether it is also read before sending. */
  isFirst(wish: T['wish']): boolean;
  /** The meaning of a reading, before sending or when reading back. */
  verdict(progress: Progress<T>, phase: ReadPhase<T>, result: ReadResult<T>): Verdict<T>;
}

export type ReadPhase<T extends OperationTypes> = SendNext | ReadBack<T['why']>;

/** A reading, or why it failed. */
export interface ReadResult<T extends OperationTypes> {
  readonly found: { readonly reading: T['reading'] } | { readonly failure: FailureFacts };
  /** The reading may be as old as this. */
  readonly readAt: number;
  readonly timing: Timing;
  readonly now: number;
}

export type Verdict<T extends OperationTypes> =
  | { readonly kind: 'done'; readonly outcome: OutcomeOf<T> }
  | { readonly kind: 'read-back'; readonly why: T['why']; readonly detail?: string }
  | { readonly kind: 'read-again'; readonly notBefore: number }
  /** Unchanged since the person saw it, or not known: it may be sent. */
  | { readonly kind: 'ready' }
  /** Repeat it automatically, because that does no harm. */
  | { readonly kind: 'send-again'; readonly notBefore: number };

/** Whether the person is allowed to, and nothing else prevents it. */
export type Authorization<T extends OperationTypes> =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'not-allowed'; readonly code: T['refusal'] }
  /** Something other than the person's permission prevents it. */
  | { readonly kind: 'barred'; readonly outcome: OutcomeOf<T> }
  /** Another operation goes first. */
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** `of`: absent if it was Slack that failed. */
  | (Failed & { readonly of?: 'service' | 'store' });

export type Sent<T extends OperationTypes> =
  | { readonly kind: 'answered'; readonly answer: T['answer'] }
  | { readonly kind: 'no-key' }
  | Failed;

export type Read<T extends OperationTypes> =
  | { readonly kind: 'read'; readonly reading: T['reading'] }
  | { readonly kind: 'no-key' }
  | Failed;

export type AuditFacts = NewAuditEntry['facts'];

export type ProgressStep =
  /** Authorize the person. */
  | { readonly kind: 'authorize' }
  | { readonly kind: 'read'; readonly plannedAt: number }
  | { readonly kind: 'send'; readonly plannedAt: number }
  /** The process that sent it is gone, and nothing can be read. */
  | { readonly kind: 'give-up'; readonly plannedAt: number };
