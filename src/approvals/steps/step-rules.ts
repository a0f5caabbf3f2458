import type { RaiseAlert } from '../../core/alerts/raise-alert.ts';
import type { Route } from '../../core/config/config.ts';
import type { Applied, MarkedAttempt } from '../../core/engine/flow.ts';
import type { CallbackEnd, Callbacks } from '../../core/http/callbacks.ts';
import type { MonotonicClock } from '../../core/lib/clock.ts';
import type { Timers } from '../../core/lib/timers.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { PostingQueue } from '../../core/posts/posting-queue.ts';
import type { ServiceClient } from '../../core/service/service-client.ts';
import type { SlackLinks } from '../../core/slack/links.ts';
import type { Outbox } from '../../core/slack/outbox.ts';
import type { Replies } from '../../core/slack/replies.ts';
import type { RateLimiter } from '../../core/store/store.ts';
import type { ApprovalAlert } from '../alert.ts';
import type { Approval, CallbackEvent, SealedText } from '../approval.ts';
import type { AuthorizeDependencies, Terms } from '../policy.ts';
import type { ServiceAnswers } from '../service-answers.ts';

/**
 * All that is said of one kind of step, but for when it is due, which `plan.ts` asks in order. A step
 * is one thing to do next: at most one external call.
 */
export interface StepRules<Step, Result> {
  /**
   * Notes that the step is about to be tried, to be saved before it is. Left out, or undefined: it
   * changes nothing elsewhere, and needs no note.
   */
  markAttempt?(
    approval: Approval,
    step: Step,
    timing: Timing,
    now: number,
  ): MarkedAttempt<Approval> | undefined;
  /** Makes the one external call. What fails elsewhere is a result; only our own mistakes throw. */
  execute(
    dependencies: StepDependencies,
    id: string,
    approval: Approval,
    step: Step,
  ): Promise<Result>;
  /** Applies the result: pure, and the same for a result that comes late or twice. */
  apply(
    approval: Approval,
    step: Step,
    result: Result,
    terms: Terms,
    now: number,
  ): Applied<Approval>;
  /**
   * What administrators have to know of a step that ended so, and made `after` of `before`. Left out:
   * what Slack refuses.
   */
  alerts?(before: Approval, step: Step, result: Result, after: Approval): readonly ApprovalAlert[];
  /** Whether the result shows that the service authorizes Gatepost. Left out: it does not ask the service. */
  isAuthorized?(result: Result): boolean;
}

/** Tell the source of something: the one step whose call goes on when it has ended. */
export interface CallBack {
  readonly kind: 'call-back';
  readonly event: CallbackEvent;
  readonly at: number;
  readonly plannedAt: number;
}

/** What steps need of the rest of Gatepost. */
export interface StepDependencies extends AuthorizeDependencies {
  readonly service: ServiceClient['approvals'];
  readonly outbox: Outbox;
  readonly links: SlackLinks;
  readonly replies: Replies;
  readonly store: RateLimiter;
  readonly queue: PostingQueue;
  /** The clock that lookups of people go by. */
  readonly ages: MonotonicClock;
  readonly timers: Timers;
  /** Opens what was sealed. Throws RemoteFailure. */
  readonly open: (sealed: string, what: SealedText) => string;
  readonly routeNamed: (name: string) => Route | undefined;
  readonly budgetPerMinute: number;
  readonly raise: RaiseAlert;
  /** Lets approvals that are suspended on a list try again. Throws StoreError. */
  readonly resume: (list: string) => Promise<void>;
  readonly serviceAnswers: ServiceAnswers;
  readonly callbacks: Callbacks;
  /** Puts the result of a step that goes on without the lease into its record's inbox, once it is there. */
  readonly deliverResult: (id: string, step: CallBack, result: Promise<CallbackEnd>) => void;
}

export function earliest(times: readonly (number | undefined)[]): number | null {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}
