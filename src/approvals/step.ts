import type { Posted, Turn } from '../posts/make-post.ts';
import type { Failed } from '../reconcile/settled.ts';
import type { ApprovalStatus } from '../service/approval-status.ts';
import type { Alarm } from './alarm.ts';
import type { Click, Outcome } from './approval.ts';
import type { Face } from './face.ts';
import type { RefusalCode } from './refusal.ts';

/** One thing to do next: at most one external call. */
export type Step =
  /** Read the status (Interface 4.3). */
  | {
      readonly kind: 'look';
      readonly why: LookWhy;
      readonly deadlineMs: number;
      readonly plannedAt: number;
    }
  /** Find out whether the person who clicked may decide; several questions at once. */
  | {
      readonly kind: 'examine';
      readonly click: Click;
      /** Who approved before and would decide with them: their ballots are examined again. */
      readonly others?: readonly string[];
      /** Their decision is next if they may: the status is read beside, so that it costs no time. */
      readonly look?: { readonly deadlineMs: number; readonly plannedAt: number };
    }
  /** Find the requester in Slack by the address. */
  | { readonly kind: 'identify'; readonly email: string }
  /** Search Slack for a post whose answer was lost, or that may have been forgotten. */
  | {
      readonly kind: 'find';
      readonly part: string;
      readonly channel: string;
      readonly plannedAt: number;
    }
  /** Open the direct message that a part goes to. */
  | { readonly kind: 'open'; readonly part: string; readonly user: string }
  /** Take the part's turn among all posts to its channel. */
  | { readonly kind: 'turn'; readonly part: string; readonly channel: string }
  | {
      readonly kind: 'post';
      readonly part: string;
      readonly channel: string;
      readonly face: Face;
      readonly plannedAt: number;
    }
  /** Read from the message itself whom it names, before an outcome without names is stated. */
  | { readonly kind: 'recall' }
  | { readonly kind: 'update'; readonly face: Face; readonly plannedAt: number }
  /** Send the decision (Interface 4.4). */
  | { readonly kind: 'respond'; readonly plannedAt: number }
  | { readonly kind: 'tell'; readonly tell: string }
  /** Give an alarm to administrators. */
  | { readonly kind: 'alarm'; readonly alarm: Alarm }
  /** Let approvals on a list try again. */
  | { readonly kind: 'wake'; readonly list: string };

export type LookWhy = 'prompt' | 'watch' | 'decide' | 'settle';

/** Whom a message names for an outcome. */
export type Named = Pick<Outcome, 'status' | 'credit' | 'by'>;

/** A call that failed. */
export interface FailedStep extends Failed, Answered {
  /** Whose failure it is, where both are asked; absent: Slack's. */
  readonly of?: 'service';
  readonly beside?: Beside;
}

/** The end of a call to the service. */
interface Answered {
  /** Until now this process did not know whether the service lets it in. */
  readonly letInAgain?: true;
}

export type StepResult =
  | ({
      readonly kind: 'status';
      readonly answer: Omit<ApprovalStatus, 'prompt'> & { prompt?: string | null };
    } & Answered)
  /** A turn to poll or to post was taken; it comes in so many milliseconds. */
  | Turn
  | Accepted
  | NotAllowed
  | { readonly kind: 'identified'; readonly user: string | null }
  | Posted
  | { readonly kind: 'not-found' }
  | { readonly kind: 'opened'; readonly channel: string }
  | { readonly kind: 'recalled'; readonly named: Named | null }
  | ({
      readonly kind: 'responded';
      readonly end: { readonly kind: 'status'; readonly answer: ResponseAnswer } | Failed;
      /** Whether the message was shown as being decided meanwhile, if it came to that. */
      readonly deciding?: 'shown' | 'unclear';
    } & Answered)
  | { readonly kind: 'done' }
  | FailedStep;

/** Whether somebody may decide. `failed`: nobody knows. */
export type Examination = Accepted | NotAllowed | FailedStep;

/** What else was found out with an examination. */
export interface Beside {
  /** By user id. */
  readonly others: Readonly<Record<string, Examination>>;
  readonly look?: Extract<StepResult, { kind: 'status' | 'failed' }>;
}

export interface Accepted extends Examined {
  readonly kind: 'accepted';
  readonly serviceUser?: string;
  /** Groups, or `channel`, by which they are a reviewer; absent: they are named. */
  readonly through?: readonly string[];
  readonly reason?: string;
}

export interface NotAllowed extends Examined {
  readonly kind: 'not-allowed';
  readonly code: RefusalCode;
}

interface Examined {
  readonly beside?: Beside;
  /** Ids of groups that should name reviewers and cannot be read. */
  readonly missingGroups?: readonly string[];
}

export type ResponseAnswer = Pick<ApprovalStatus, 'status' | 'resolvedAt'>;
