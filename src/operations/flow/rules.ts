import type { Failed } from '../../core/engine/call-result.ts';
import type { FailureFacts } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import type { SendPhase } from './sending.ts';

/**
 * How far something is that a person wants: authorized, read where that helps, sent once, read back where
 * its answer was lost, and done. A record is one of these, or has several.
 */
export interface Progress<T extends OperationTypes> {
  /** Slack user id of whoever wants it. */
  readonly by: string;
  /** Where it was asked for. */
  readonly channel: string;
  /** Exactly this is sent. */
  readonly wish: T['wish'];
  readonly phase: Phase<T['why']>;
  /** The end of the last sending, as far as is known. */
  readonly outcome?: OutcomeOf<T>;
  readonly unconfirmed?: Unconfirmed;
  /** Whoever asked took it back: nothing is sent any more. */
  readonly cancelled?: true;
}

/** The types of one kind of operation. */
export interface OperationTypes {
  readonly wish: unknown;
  /** What the service answers. */
  readonly answer: { readonly kind: string };
  /** What reading shows; never: it cannot be read. */
  readonly reading: unknown;
  /** Why it is read back, besides an answer that was lost; never: for nothing else. */
  readonly why: string;
  /** How it ends, besides what is common. */
  readonly outcome: { readonly code: string };
  /** Why somebody may not. */
  readonly refusal: string;
}

/** A sending was lost and may have been carried out. */
export interface Unconfirmed {
  /** From then on it cannot be carried out any more. */
  readonly quietAt: number;
  /** How many were lost since a person last asked for it. */
  readonly lost: number;
  /** The call of the last one is known to have ended. */
  readonly hasEnded: boolean;
}

export type SendNext = Extract<SendPhase, { name: 'send' }> & {
  /** When it was found as the person saw it, or could not be read. */
  readonly readAt?: number;
  /** How often reading has failed. */
  readonly reads?: number;
};

export interface ReadBack<Why extends string> {
  readonly name: 'read-back';
  readonly why: Why | 'lost';
  /** The service's own words. */
  readonly detail?: string;
  /** The HTTP status of an answer that does not tell whether it was done. */
  readonly status?: number;
  readonly reads: number;
  readonly notBefore: number;
}

/** read-back: what became of it is read. done: nothing is left to try. */
type Phase<Why extends string> =
  | Exclude<SendPhase, { name: 'send' }>
  | SendNext
  | ReadBack<Why>
  | { readonly name: 'done' };

export type OutcomeOf<T extends OperationTypes> = T['outcome'] | CommonOutcome<T['refusal']>;

type CommonOutcome<Refusal extends string> =
  | { readonly code: 'not-allowed'; readonly refusal: Refusal }
  /** Slack, or the service, did not tell whether the person is authorized. */
  | { readonly code: 'could-not-check' | 'account-not-read' }
  | { readonly code: 'no-key' }
  /** The store lost its record before it was sent. */
  | { readonly code: 'forgotten' }
  /** There was no answer, or none that tells; nobody can tell what became of it. */
  | ({ readonly code: 'unknown' } & Unclear)
  | {
      readonly code: 'not-reached' | 'busy' | 'refused';
      /** The service's own words. */
      readonly detail?: string;
    };

/** What came in the place of an answer, if anything. */
export interface Unclear {
  /** Of HTTP: there was an answer, and it does not tell whether it was done. */
  readonly status?: number;
  /** The service's own words. */
  readonly detail?: string;
}

/** What a kind of operation makes of what is heard: the pure part of its table. */
export interface Rules<T extends OperationTypes> {
  readonly kind: string;
  /** What the audit log calls it: `<audit>.send`. */
  readonly audit: string;
  /** Ids for the audit log, never words. */
  factsOf(wish: T['wish'], action: 'asked' | 'send' | 'outcome' | 'again'): AuditFacts;
  /** What the audit log knows of an outcome besides its code. */
  outcomeFacts(outcome: OutcomeOf<T>): AuditFacts;
  /** Whether an answer says that it was done: that is believed however late it comes. */
  confirms(answer: T['answer']): boolean;
  /**
   * However often it is sent, it is done at most once. Otherwise what confirms one sending says nothing
   * of another that is on its way.
   */
  readonly isDoneOnce: boolean;
  /** What an answer means. */
  verdict(progress: Progress<T>, answer: T['answer']): Verdict<T>;
  isSuccess(outcome: OutcomeOf<T>): boolean;
  /** The codes after which nobody need wonder any more what became of an earlier sending. */
  readonly settling: ReadonlySet<string>;
  /** The codes after which a person may have the same sent once more, to the letter: nothing tells that it was done. */
  readonly repeatable: ReadonlySet<string>;
  /** How long an authorization is valid; undefined: as usual. */
  authorizedForMs?(wish: T['wish']): number | undefined;
  /** How it ends when whoever asked takes it back before it is sent; without it nobody can. */
  readonly cancelled?: OutcomeOf<T>;
  /** So often a 429 is waited for; without it as usual. */
  readonly limitedMax?: number;
  /** Without it nothing can be read: what was lost stays unknown. */
  readonly reading?: ReadingRules<T>;
}

interface ReadingRules<T extends OperationTypes> {
  /** Whether it is read before it is sent, besides. */
  isFirst(wish: T['wish']): boolean;
  /** What it means, before it is sent or when it is read back. */
  verdict(progress: Progress<T>, phase: ReadPhase<T>, heard: Heard<T>): Verdict<T>;
}

export type ReadPhase<T extends OperationTypes> = SendNext | ReadBack<T['why']>;

/** What was read, or why it could not be. */
export interface Heard<T extends OperationTypes> {
  readonly found: { readonly reading: T['reading'] } | { readonly failure: FailureFacts };
  /** What was read may be as old as that. */
  readonly readAt: number;
  readonly timing: Timing;
  readonly now: number;
}

export type Verdict<T extends OperationTypes> =
  | { readonly kind: 'done'; readonly outcome: OutcomeOf<T> }
  | { readonly kind: 'read-back'; readonly why: T['why']; readonly detail?: string }
  | { readonly kind: 'read-again'; readonly notBefore: number }
  /** It is as the person saw it, or nobody can tell: it may be sent. */
  | { readonly kind: 'ready' }
  /** Once more by itself, because that can do no harm. */
  | { readonly kind: 'send-again'; readonly notBefore: number };

/** Whether the person may, and nothing else stands in the way. */
export type Authorization<T extends OperationTypes> =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'not-allowed'; readonly code: T['refusal'] }
  /** Something else than who asks ends it. */
  | { readonly kind: 'barred'; readonly outcome: OutcomeOf<T> }
  /** Another one goes first. */
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** `of`: absent when it was Slack that could not be asked. */
  | (Failed & { readonly of?: 'service' });

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
