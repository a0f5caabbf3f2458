/**
 * Approvals: a token arrives, people decide, the decision is sent to the service. This file is the record; `plan.ts` says
 * what is due next. Four folders, each of which knows only those after it: `ways-in/` lets requests and presses in,
 * `tell/` says what is owed to whom, `decision/` is the course of a decision, `electorate/` says who can decide.
 */

import type { Attempt } from '../core/engine/attempt.ts';
import type { Proof } from '../core/identity-tokens/proof.ts';
import type { FailureClass, FailureFacts } from '../core/lib/failure.ts';
import type { Login } from '../core/lib/logins.ts';
import type { Membership } from '../core/people/membership.ts';
import type { Post } from '../core/posts/post.ts';
import type { FinalStatus } from '../core/service/approval-status.ts';
import type { Place } from '../core/store/store.ts';
import type { Acts } from './acted-at.ts';
import type { ApprovalAlert } from './alert.ts';

/**
 * One pending gate of an automation: everything Gatepost knows about it. `stored-approval.ts` defines its compact
 * stored form. A feature adds its own members where it is defined, with `declare module`.
 *
 * Optional members are left out when empty. Times are milliseconds on the store's clock unless their name says
 * otherwise.
 */
export interface Approval {
  /** The one-time token, sealed; absent for an own gate. */
  readonly token?: string;
  /** The source's name for an own gate, for which Gatepost is the authority (`authority.ts`). */
  readonly key?: string;
  readonly source: string;
  readonly route: string;
  readonly channel: string;
  readonly createdAt: number;
  readonly title?: string;
  /** The automation's text; takes precedence over `prompt`. */
  readonly message?: string;
  /** The service's text (Interface 4.3), once it was read. */
  readonly prompt?: string;
  /** Exactly what is approved: a diff, a plan, a command. */
  readonly change?: string;
  /** The full text that `change` is the beginning of, and how many of its lines were sent. */
  readonly cutFrom?: { readonly lines: number; readonly sha256: string; readonly shown: number };
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly link?: string;
  readonly requester?: Requester;
  /** Who else asked for it, with the same key or token. */
  readonly alsoAskedBy?: readonly Requester[];
  /** What the identity token proves with which it was asked for first; absent: its source has a secret. */
  readonly proof?: Omit<Proof, 'person' | 'tokenId'>;
  /** The source's display name; absent: its id. */
  readonly sourceName?: string;
  /** The number of approvals needed, if the request asks for more than the route. */
  readonly quorum?: number;
  /** Which of the people asked are away, as far as known; absent: not read yet. */
  readonly absent?: Absent;
  /** Always present for an own gate. */
  readonly expiresAt?: number;
  /** When the people who can approve were counted; how many there are if too few, or which needs they cannot fill. */
  readonly counted?: {
    readonly at: number;
    readonly able?: number;
    readonly lacking?: readonly string[];
    /** User groups that are too large to look at each member. */
    readonly large?: readonly string[];
    /** Slack did not say who is in all groups, or who can decide: they are counted again. */
    readonly isUnread?: true;
    /** How often they were counted in vain before this; absent: never. */
    readonly tries?: number;
    /** Nobody but its requester could approve it. */
    readonly isOnlyRequester?: true;
  };

  /** `message`, `overflow-1`…, `outcome-thread`, `outcome-channel`, `outcome-requester`, reminders. */
  readonly posts: readonly Post[];
  /** The state the message shows, as far as known; absent: it could show anything. */
  readonly shown?: string;
  /** The message states the outcome, and late results do not change it. stays: Slack refused the folded message. */
  readonly stated?: 'folds' | 'stays';
  readonly update?: Update;
  readonly watch: Watch;

  /**
   * Opaque; the first has none. An Undo, or a store that may have lost one, opens the request again: presses on what was
   * shown before do not count.
   */
  readonly round?: string;
  /** When the store went back, which opened a round as well. */
  readonly rewoundAt?: number;
  /** When each person last pressed, by Slack user id. */
  readonly acts?: Acts;
  /** Clicks that are not authorized yet, oldest first. */
  readonly queue: readonly Click[];
  /** Accepted and not spent; at most one for each person. */
  readonly ballots: readonly Ballot[];
  readonly decision?: Decision;
  /** Decisions that were sent and whose effect is unknown. */
  readonly unconfirmed?: readonly Unconfirmed[];
  readonly outcome?: Outcome;
  /** The message was read for who decided, because the store may have lost that. */
  readonly recalled?: true;
  /** When its source withdrew it: no decision is needed. */
  readonly withdrawnAt?: number;
  /** Its message may state an outcome that the store lost: it is read before anything else is done, even a withdrawal. */
  readonly unrecalled?: true;
  /** Undelivered replies. */
  readonly replies: readonly Reply[];
  /** Replies without words: only while a change is made, never stored. `worded` in `tell/reply.ts` words them. */
  readonly owed?: readonly Owed[];
  /** Alerts that were not sent to administrators yet. */
  readonly alerts?: readonly ApprovalAlert[];
  /** Callbacks the source has not received yet, oldest first. */
  readonly callbacks?: readonly Callback[];
  /** The store's lists whose approvals are to be resumed, because what suspended them works here again. */
  readonly resumes?: readonly string[];
  /** When to resume them; absent: now. */
  readonly resumeAt?: number;
  /** What happened to presses and their calls; absent: nothing yet. */
  readonly history?: History;
}

export interface Absent {
  readonly at: number;
  /** Whom it asked then, by Slack id; absent: version 0.2 read it, or it asked nobody by name. */
  readonly asked?: readonly string[];
  /** Who of those asked, or in groups that are, cannot decide any more. */
  readonly gone?: Gone;
  /** Slack did not say it of everybody. */
  readonly isUnread?: true;
  /** When somebody left or came back since then. */
  readonly changedAt?: number;
  /** When to ask the store again, which did not answer. */
  readonly againAt?: number;
}

/** Who cannot decide, by Slack user id. */
export type Gone = Readonly<Record<string, GoneWhy>>;

export type GoneWhy = Exclude<Membership, 'member'>;

/** Who asked, as far as it is known: `electorate/requester.ts`. */
export interface Requester {
  readonly name?: string;
  readonly email?: string;
  readonly login?: Login;
  /** The Slack user id that the request names. */
  readonly named?: string;
  /** Slack user id: named, linked by the configuration, or found by e-mail address. */
  readonly user?: string;
  /**
   * An identity token names them. started: they started the run. rerun: they started it first, and it does not say who
   * ran it again. Absent: the request itself names them.
   */
  readonly proved?: 'started' | 'rerun';
  /** Whether Slack shows a full member, or the configuration lists the robot; absent: not read. */
  readonly known?: boolean;
  /** Failed look-ups, up to a limit, until `known` is there; absent in records of versions before 0.3: not read. */
  readonly lookups?: number;
  readonly notBefore?: number;
}

/** Trouble with showing the current state. */
export interface Update {
  readonly attempt?: Attempt;
  readonly tries?: number;
  readonly notBefore?: number;
  /** The state that Slack refused for minutes, and when Gatepost gave up on it. */
  readonly gaveUpOn?: string;
  readonly gaveUpAt?: number;
  /** It is tried again anyway: Slack may accept it now, or somebody asked. */
  readonly resumed?: true;
  /** When to render again, because a late update may have overwritten the message. */
  readonly againAt?: number;
}

/** What is known about the gate at the service. */
export interface Watch {
  readonly state: 'pending' | 'unknown';
  /** Why the state is unknown. */
  readonly why?: UnknownWhy;
  /** The service's own words: an unknown status, or why it does not show the approval. */
  readonly word?: string;
  readonly nextAt: number;
  /** A slot in the polling budget is reserved for the next read. */
  readonly slot?: true;
  /** Failed reads in a row. */
  readonly tries?: number;
  /** When the service last answered, with a status or with "not known"; absent: never. */
  readonly checkedAt?: number;
  /** The last reads failed. */
  readonly stale?: boolean;
  /** Too old to be polled; it is read only on request. */
  readonly ended?: boolean;
  /** Why the reads fail. */
  readonly failure?: FailureFacts;
  /** Who pressed Check now and is waiting for an answer. */
  readonly askers?: readonly Asker[];
  readonly lastCheck?: Check;
}

/** The last read caused by Check now. For a short time others get the same answer. */
export interface Check {
  readonly at: number;
  /** When it would have been polled anyway. */
  readonly nextAt: number;
  /** Nobody who pressed is in the channel: nothing was read. */
  readonly isRefused?: true;
}

/**
 * gone: the service no longer shows it. not-known: it never did. unsure: a decision may have been accepted. silent: it
 * refused a decision and has not answered since. unreadable, new-status: Gatepost does not understand its response.
 * sealed: no key opens the token any more.
 */
export type UnknownWhy =
  | 'gone'
  | NotKnown
  | 'unsure'
  | 'silent'
  | 'unreadable'
  | 'new-status'
  | 'sealed';

/** Includes the HTTP status of the response. */
export type NotKnown = `not-known-${404 | 409 | 410}`;

/** How to reach a person. */
export interface Reachable {
  readonly user: string;
  readonly channel: string;
  /** Sealed; valid for 30 minutes. */
  readonly responseUrl?: string;
  /** They pressed on the Home tab, which has no channel: answered by direct message. */
  readonly direct?: true;
}

/** Somebody who is waiting for a reply. */
export interface Asker extends Reachable {
  readonly at: number;
  /** They pressed Check now, which works for anyone who can see the channel, member or not. */
  readonly checks?: true;
}

export type Action = 'approve' | 'reject';

/** A press on Approve or Reject. */
export interface Click extends Asker {
  readonly id: string;
  readonly action: Action;
  /** A press on Reviewed, which is authorized like an approval. */
  readonly reviews?: true;
  /** Sealed: not yet checked for the token. */
  readonly reason?: string;
  readonly tries?: number;
  readonly notBefore?: number;
  /** Slack's checks passed; the service, which knows the rest, does not answer, or answers with errors. */
  readonly waitsForService?: true;
}

export interface Ballot extends KnownBy {
  readonly user: string;
  readonly action: Action;
  readonly at: number;
  /** Groups, or `channel`, that make the person a reviewer or fill a need; absent: they were named. */
  readonly through?: readonly string[];
  /** Whom they decided for: the ballot counts as that person's, and `through` is how that person was a reviewer. */
  readonly for?: Voter;
  /** Pressed on the Home tab. */
  readonly atHome?: true;
  /** They approve their own request: it counts only once all other reviewers were told. */
  readonly self?: true;
  readonly reason?: string;
}

/** Who cast a ballot, or has a part in it. */
export interface Voter extends KnownBy {
  readonly user: string;
}

/** What else identifies the person behind a ballot: they may have several Slack accounts. */
export interface KnownBy {
  /** Service user id, as sent; absent: unknown to the service. */
  readonly serviceUser?: string;
  /** The account's own id; absent: not known. */
  readonly account?: string;
  /** Other Slack user ids of the same person. */
  readonly alsoKnownAs?: readonly string[];
}

/** The action that is being sent to the service. */
export interface Decision {
  readonly action: Action;
  /** Whose ballot completed it. */
  readonly by: string;
  /** Whose approvals it uses; absent: everybody's. */
  readonly approvers?: readonly string[];
  readonly serviceUser?: string;
  readonly at: number;
  /** Who asked for their approval back, in case the decision fails. */
  readonly takers?: readonly Asker[];
  /** When its people were authorized again; absent: not since `at`. */
  readonly authorizedAt?: number;
  /** Digest of the route's rules by which its people were authorized; absent: from an earlier version. */
  readonly rules?: string;
  readonly asker: Asker;
  readonly phase: Phase;
}

/**
 * The phases of its course. check: the status is read before anything is sent. send: the service said PENDING. sending:
 * a POST is in flight, or was when its process died. settle: the POST ended without a clear response.
 */
interface Course {
  readonly check: {
    readonly tries: number;
    /** How many of the tries were answered, with a temporary error (429). */
    readonly failed?: number;
    readonly waitsFor?: WaitsFor;
    readonly notBefore: number;
  };
  /** `askedAt`: when the read that found PENDING began. */
  readonly send: { readonly askedAt: number };
  readonly sending: { readonly attempt: Attempt };
  readonly settle: {
    readonly failure: FailureFacts;
    readonly endedAt: number;
    /** When the failed call has certainly ended. */
    readonly mustEndBy: number;
    readonly looks: number;
    readonly notBefore: number;
  };
}

/** A guard that stands before its course adds its own phase (`decision/guard.ts`). */
// biome-ignore lint/suspicious/noEmptyInterface: guards add to it
export interface GuardPhases {}

type PhasesOf<Phases> = {
  readonly [Name in keyof Phases]: { readonly name: Name; readonly sends: Sends } & Phases[Name];
}[keyof Phases];

export type CoursePhase = PhasesOf<Course>;

export type Phase = CoursePhase | PhasesOf<GuardPhases>;

const COURSE: ReadonlySet<string> = new Set<keyof Course>(['check', 'send', 'sending', 'settle']);

/** No guard stands before it any more. */
export function isOnCourse(phase: Phase): phase is CoursePhase {
  return COURSE.has(phase.name);
}

/** What a decision waits for, if not for the service. */
export type WaitsFor = keyof Waits;

export interface Waits {
  /** Slack, or part of the store, cannot say whether it counts. */
  readonly check: unknown;
  /** An earlier decision that was sent is unconfirmed. */
  readonly earlier: unknown;
}

/** Tries so far, by why each has to be repeated. */
interface Sends {
  readonly notSent: number;
  readonly limited: number;
  readonly ambiguous: number;
}

export interface Unconfirmed {
  readonly action: Action;
  readonly by: string;
  /** In whose place. */
  readonly for?: string;
  /** Until then the decision may still be in flight. */
  readonly quietAt: number;
}

/** Who decided. */
export interface Credit {
  /**
   * certain: the service confirmed these people's decision. sent: their decision was sent, but the service did not say
   * whose it accepted. none: decided elsewhere.
   */
  readonly credit: 'certain' | 'sent' | 'none';
  readonly by: readonly string[];
  /** For whom some of them decided: user ids by user id. */
  readonly for?: Readonly<Record<string, string>>;
  readonly self?: SelfApproval;
}

export interface Outcome extends Credit {
  readonly status: FinalStatus;
  /** The service's own time, verbatim; absent: it gave none. */
  readonly resolvedAt?: string;
  /** The reasons they gave. */
  readonly reasons?: readonly Reason[];
  readonly learnedAt: number;
  /** When the service last said PENDING before; absent: not known. */
  readonly openAt?: number;
}

/** A requester's approval of their own request, and which other reviewer has reviewed it since. */
export interface SelfApproval {
  readonly by: string;
  readonly reviewed?: { readonly by: string; readonly at: number };
  /** It became known only afterwards that they asked, and nobody was told first. */
  readonly isLate?: true;
}

/** Not escaped. */
export interface Reason {
  readonly user: string;
  readonly text: string;
}

/** A sentence for a person, kept until delivered. */
export interface Reply extends Asker {
  readonly id: string;
  readonly about: SentenceKind;
  readonly text: string;
  readonly via: 'url' | 'ephemeral' | 'direct';
  readonly tries?: number;
  readonly notBefore?: number;
}

/** A reply before it is worded. */
export interface Owed extends Asker {
  readonly about: SentenceKind;
  /** Its code and facts: a `Statement` of `decision/statement.ts`. */
  readonly statement: { readonly code: string };
  readonly via: Reply['via'];
}

/**
 * What a reply is about. refusal: the person cannot decide. progress: it counts, and more are needed. late: it was
 * already over. closed: the decision failed. spent: so did the decision of the others who approved. dropped: an
 * approval no longer counts. reopened: it was opened again after the press. state: the current state, on request. trouble: Gatepost could not find out. unshown: the
 * outcome, when the message cannot show it. taken-back: an approval, by its person.
 */
export type SentenceKind =
  | 'refusal'
  | 'progress'
  | 'late'
  | 'closed'
  | 'spent'
  | 'dropped'
  | 'reopened'
  | 'state'
  | 'trouble'
  | 'unshown'
  | 'taken-back';

/** A signed request that tells the source about an event. */
export interface Callback {
  readonly event: CallbackEvent;
  readonly at: number;
  readonly attempt?: Attempt;
  /** Failed deliveries. */
  readonly tries?: number;
  readonly notBefore?: number;
}

/** What happened to presses and their calls: `history.ts`. */
export interface History {
  /** Oldest first, at most a few dozen. */
  readonly events: readonly HistoryEvent[];
  /** How many were dropped. */
  readonly left?: number;
}

/** `after`: milliseconds since the request was created; `by`: a Slack user id. Other versions may have other kinds. */
export type HistoryEvent = { readonly after: number } & (
  | CountedPress
  /** `why`: a RefusalCode; late: it was over; unchecked: the person could not be authorized. */
  | { readonly kind: 'not-counted'; readonly by: string; readonly why: string }
  | { readonly kind: 'taken-back'; readonly by: string }
  /** A ballot that counted until its person was authorized again, or its route was closed; `why`: a code. */
  | {
      readonly kind: 'dropped';
      readonly by: string;
      readonly action: Action;
      readonly why?: string;
    }
  /** A call to the service began; the next event says whether it was sent. */
  | { readonly kind: 'sending'; readonly by: string; readonly action: Action }
  /** How it ended: the status, or a failure's code and class. */
  | { readonly kind: 'answered'; readonly answer: string; readonly class?: FailureClass }
  /** The decision ended without an outcome; `unsure`: it may have been accepted. `failure`: of a read of the status. */
  | {
      readonly kind: 'closed';
      readonly by: string;
      readonly action: Action;
      readonly unsure?: true;
      readonly failure?: FailureFacts;
    }
  | { readonly kind: 'callback'; readonly event: CallbackEvent; readonly isTaken: boolean }
);

export interface CountedPress {
  readonly kind: 'counted';
  readonly by: string;
  readonly for?: string;
  readonly action: Action;
}

/** As in `callbackBody` of `tell/callback-body.ts`. */
export type CallbackEvent =
  | 'approval.posted'
  | 'approval.blocked'
  | 'approval.decided'
  | 'approval.timed_out'
  | 'approval.withdrawn';

/** Texts that are stored sealed. */
export type SealedText = 'token' | 'response-url' | 'reason';

/** The kind of its record. */
export const APPROVAL_KIND = 'approval';

/** The source and route that are configured by environment variables. */
export const DEFAULT = 'default';

export const NO_SENDS: Sends = { notSent: 0, limited: 0, ambiguous: 0 };

/** Gatepost is the authority: the service is not involved. */
export function isOwnGate({ key }: { readonly key?: string | undefined }): boolean {
  return key !== undefined;
}

/** The automation's message takes precedence over the service's, and the text above the same buttons never changes. */
export function needsPrompt({ message, prompt }: Approval): boolean {
  return message === undefined && prompt === undefined;
}

export function messagePost(approval: Approval): Post {
  const post = approval.posts.find((each) => each.name === 'message');
  if (post === undefined) throw new Error('an approval has no message post');
  return post;
}

export function placeOf(approval: Approval): Place {
  return { channel: approval.channel, message: messagePost(approval).ts ?? null };
}

/** The reply that holds the request as it was when decided. */
export const KEPT_REQUEST = 'outcome-request';

export function postNamed(approval: Approval, name: string, channel: string | undefined): Post {
  const known = approval.posts.find((post) => post.name === name);
  return known ?? { name, ...(channel !== undefined && { channel }) };
}

/** A copy with one post replaced or added. */
export function withPost(approval: Approval, post: Post): Approval {
  const known = approval.posts.some((each) => each.name === post.name);
  const posts = known
    ? approval.posts.map((each) => (each.name === post.name ? post : each))
    : [...approval.posts, post];
  return { ...approval, posts };
}

/** A copy with the decision in this phase. */
export function withPhase(approval: Approval, decision: Decision, phase: Phase): Approval {
  return { ...approval, decision: { ...decision, phase } };
}

/** The outcome of a respond with this action (Interface 3.2). */
export const STATUS_OF: Record<Action, FinalStatus> = { approve: 'APPROVED', reject: 'REJECTED' };

/** Neither decided nor withdrawn. */
export function isOpen({ outcome, withdrawnAt }: Approval): boolean {
  return outcome === undefined && withdrawnAt === undefined;
}
