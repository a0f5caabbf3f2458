/**
 * Approvals: a token comes in (`intake.ts`), people decide (`slack.ts`), the service is told. This file is
 * the record; `plan.ts` says what is due next, `steps/` do it, `message/` shows it, `policy.ts` says who can
 * decide.
 */

import type { Need } from '../core/config/config.ts';
import type { Attempt } from '../core/engine/attempt.ts';
import type { FailureClass, FailureFacts } from '../core/lib/failure.ts';
import type { Post } from '../core/posts/post.ts';
import type { FinalStatus } from '../core/service/approval-status.ts';
import type { Place } from '../core/store/store.ts';
import type { ApprovalAlert } from './alert.ts';

/**
 * One pending gate of an automation: everything Gatepost knows of it. `stored-approval.ts` keeps it small.
 *
 * Optional members are left out while they say nothing. All times are milliseconds on the store's clock unless their name says otherwise.
 */
export interface Approval {
  /** The one-time token, sealed; absent: it is an own gate. */
  readonly token?: string;
  /** What its source calls an own gate, of which Gatepost is the authority (`authority.ts`). */
  readonly key?: string;
  readonly source: string;
  readonly route: string;
  readonly channel: string;
  readonly createdAt: number;
  readonly title?: string;
  /** What the automation wrote; takes precedence over `prompt`. */
  readonly message?: string;
  /** What the service says (Interface 4.3), once it was asked. */
  readonly prompt?: string;
  /** What exactly is approved: a diff, a plan, a command. */
  readonly change?: string;
  /** Where `change` is the beginning of something longer: that, and how many lines of it were sent. */
  readonly cutFrom?: { readonly lines: number; readonly sha256: string; readonly shown: number };
  readonly fields?: readonly (readonly [name: string, value: string])[];
  readonly link?: string;
  readonly requester?: Requester;
  /** What people call the source; absent: its id. */
  readonly sourceName?: string;
  /** Who of the route's reviewers may decide; absent: all of them. */
  readonly narrowedTo?: { readonly users: readonly string[]; readonly groups: readonly string[] };
  /** How many approvals are needed, where that is more than the route asks for. */
  readonly quorum?: number;
  /** Places to fill besides those of the route. */
  readonly needs?: readonly Need[];
  /** Who of those whom it asks is away, as far as was found; absent: nobody has looked yet. */
  readonly absent?: Absent;
  /** When it was escalated early, because too few people were left to ask: by the `after` of each such step. */
  readonly escalatedAt?: Readonly<Record<string, number>>;
  /** Of an own gate always. */
  readonly expiresAt?: number;
  /** When it was counted who can approve; with how many that is where they are too few, or which needs they cannot fill. */
  readonly counted?: {
    readonly at: number;
    readonly able?: number;
    readonly lacking?: readonly string[];
  };

  /** `message`, `overflow-1`…, `outcome-thread`, `outcome-channel`, `outcome-requester`, reminders. */
  readonly posts: readonly Post[];
  /** The state that the message shows, as far as is known; absent: it may show anything. */
  readonly shown?: string;
  /** The message states the outcome, whatever comes late. stays: Slack did not take the folded one. */
  readonly stated?: 'folds' | 'stays';
  readonly update?: Update;
  readonly watch: Watch;

  /** Clicks whose people are not authorized yet, oldest first. */
  readonly queue: readonly Click[];
  /** Accepted and not spent; at most one of each person. */
  readonly ballots: readonly Ballot[];
  readonly decision?: Decision;
  /** Decisions that were sent and whose effect is not known. */
  readonly unconfirmed?: readonly Unconfirmed[];
  readonly outcome?: Outcome;
  /** What its source reports of the work that was approved. */
  readonly result?: WorkResult;
  /** Slack was asked whether the message names who decided, since the store may have forgotten it. */
  readonly recalled?: true;
  /** Its source withdrew it: no decision is needed. */
  readonly withdrawnAt?: number;
  readonly supersedes?: Superseding;
  /** The newer request that replaced it, and where its message is. */
  readonly supersededBy?: SupersededBy;
  /** It was withdrawn before its message was read, which may state an outcome that the store forgot. */
  readonly unrecalled?: true;
  /** Undelivered replies. */
  readonly replies: readonly Reply[];
  /** Alerts that administrators have not been given yet. */
  readonly alerts?: readonly ApprovalAlert[];
  /** What its source has not been called back about yet, oldest first. */
  readonly callbacks?: readonly Callback[];
  /** Lists whose approvals are to be resumed, because Slack takes here what they wait for. */
  readonly resumes?: readonly string[];
  /** When they are to be resumed; absent: at once. */
  readonly resumeAt?: number;
  /** What became of presses and of calls for them; absent: nothing yet. */
  readonly history?: History;
}

export interface Absent {
  readonly at: number;
  readonly people?: readonly AbsentPerson[];
  /** Of user groups in which somebody is away: their members, by their Slack user ids. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
  /** Somebody has left since then, or is back. */
  readonly changedAt?: number;
  /** The store did not tell: when it is asked again. */
  readonly againAt?: number;
}

export interface AbsentPerson {
  /** Slack user ids. */
  readonly ids: readonly string[];
  readonly until: number;
  /** Who decides in their place. */
  readonly substitute?: string;
}

interface Requester {
  readonly name?: string;
  readonly email?: string;
  /** Slack user id: given, or found by the address. */
  readonly user?: string;
  /** How often the address was looked up in vain, up to a limit; absent: not yet. */
  readonly lookups?: number;
  readonly notBefore?: number;
}

/** Trouble with showing the current state. */
export interface Update {
  readonly attempt?: Attempt;
  readonly tries?: number;
  readonly notBefore?: number;
  /** The state that Slack did not take for minutes, and since when it is not tried any more. */
  readonly gaveUpOn?: string;
  readonly gaveUpAt?: number;
  /** It is tried again all the same: Slack may take it now, or somebody asked. */
  readonly resumed?: true;
  /** When to render again, because an update that came late may have changed what is shown. */
  readonly againAt?: number;
}

/** What is known of the gate at the service. */
export interface Watch {
  readonly state: 'pending' | 'unknown';
  /** Why the state is unknown. */
  readonly why?: UnknownWhy;
  /** What the service said of it: a status that Gatepost does not know, or why it shows nothing. */
  readonly word?: string;
  readonly nextAt: number;
  /** The next read has its slot within the budget for polling. */
  readonly slot?: true;
  /** Failed reads in a row. */
  readonly tries?: number;
  /** When the service last told how it stands, or that it does not know it; absent: it never did. */
  readonly checkedAt?: number;
  /** The last reads failed. */
  readonly stale?: boolean;
  /** It is not read without being asked: it is too old. */
  readonly ended?: boolean;
  /** What the reads fail of. */
  readonly failure?: FailureFacts;
  /** Who pressed Check now and waits for an answer. */
  readonly askers?: readonly Asker[];
  readonly lastCheck?: Check;
}

/** The last read for somebody who pressed Check now. Soon after it others get the answer that is there. */
export interface Check {
  readonly at: number;
  /** When it would have been read anyway. */
  readonly nextAt: number;
  /** Nobody who pressed is in the channel: nothing was read. */
  readonly isRefused?: true;
}

/**
 * gone: the service does not show it any more. not-known: it never did. unsure: a decision may have been taken. silent: it refused a
 * decision and said nothing since. unreadable, new-status: its response is none that Gatepost can tell.
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

/** With the HTTP status of the response. */
export type NotKnown = `not-known-${404 | 409 | 410}`;

/** How to reach a person. */
export interface Reachable {
  readonly user: string;
  readonly channel: string;
  /** Sealed; good for 30 minutes. */
  readonly responseUrl?: string;
  /** They pressed on the Home tab, where no channel is: by a direct message. */
  readonly direct?: true;
}

/** Somebody who waits for a sentence. */
export interface Asker extends Reachable {
  readonly at: number;
  /** They pressed Check now: whoever looks into a channel can, in it or not. */
  readonly checks?: true;
}

export type Action = 'approve' | 'reject';

/** A press on Approve or Reject. */
export interface Click extends Asker {
  readonly id: string;
  readonly action: Action;
  /** It is a press on Reviewed instead, which is authorized like an approval. */
  readonly reviews?: true;
  /** Sealed: nobody has looked yet whether it holds the token. */
  readonly reason?: string;
  readonly tries?: number;
  readonly notBefore?: number;
  /** The person decides as far as Slack knows; the service, which knows the rest, does not answer, or with errors. */
  readonly waitsForService?: true;
}

export interface Ballot extends KnownBy {
  readonly user: string;
  readonly action: Action;
  readonly at: number;
  /** Groups, or `channel`, by which the person was a reviewer or fills a need; absent: they were named. */
  readonly through?: readonly string[];
  /** In whose place it was cast: it counts as theirs, and `through` says how they were a reviewer. */
  readonly for?: Giver;
  readonly reason?: string;
  /** They asked for it themself: it counts only once everybody else who can decide was told (`message/self-approval.ts`). */
  readonly self?: true;
}

/** Somebody who is away and in whose place another one decides. */
export interface Giver extends KnownBy {
  readonly user: string;
}

/** What else tells whose ballot it is: one person may have several accounts in Slack. */
export interface KnownBy {
  /** Service user id, as it is sent; absent: nobody the service knows. */
  readonly serviceUser?: string;
  /** The account's own id; absent: none is known. */
  readonly account?: string;
  /** Other Slack user ids of the same person. */
  readonly alsoKnownAs?: readonly string[];
}

/** The action that is being carried to the service. */
export interface Decision {
  readonly action: Action;
  /** Whose ballot made it. */
  readonly by: string;
  /** Whose approvals it uses; absent: of everybody who approves. */
  readonly approvers?: readonly string[];
  readonly serviceUser?: string;
  readonly at: number;
  /** Who wants their approval back, should it come to nothing. */
  readonly takers?: readonly Asker[];
  /** When its person was authorized again; absent: not since `at`. */
  readonly authorizedAt?: number;
  /** Digest of the route's rules by which its people were authorized; absent: of an earlier version. */
  readonly rules?: string;
  /** It waits so long before it is sent that somebody can think better of it, or did. */
  readonly held?: Held;
  readonly asker: Asker;
  readonly phase: Phase;
}

/** `until`: as people are told. isAgain: it waits once more, since nothing ran when that was over. */
export interface Held {
  readonly until: number;
  readonly isAgain?: true;
}

/**
 * hold: `leftMs` are still to be waited for, by clocks that nobody can set. check: the status is read before anything is sent. send: the service said PENDING. sending: a POST
 * is on its way, or was when its process died. settle: the POST ended without a clear response.
 */
export type Phase =
  | { readonly name: 'hold'; readonly leftMs: number; readonly sends: Sends }
  | {
      readonly name: 'check';
      readonly tries: number;
      /** How many of the tries had a response, one of a trouble that may pass (429). */
      readonly failed?: number;
      readonly waitsFor?: WaitsFor;
      readonly notBefore: number;
      readonly sends: Sends;
    }
  | {
      readonly name: 'send';
      readonly sends: Sends;
      /** When the read began that found PENDING. */
      readonly askedAt: number;
    }
  | { readonly name: 'sending'; readonly attempt: Attempt; readonly sends: Sends }
  | {
      readonly name: 'settle';
      readonly sends: Sends;
      readonly failure: FailureFacts;
      readonly endedAt: number;
      /** When the call that failed has ended for certain. */
      readonly mustEndBy: number;
      readonly looks: number;
      readonly notBefore: number;
    };

/**
 * What a decision waits for, if not for the service. check: Slack, or a part of the store, does not tell
 * whether it counts. earlier: it is not known what became of a decision that was sent before. telling: the other
 * reviewers are not told yet that whoever asked approves it.
 */
export type WaitsFor = 'check' | 'earlier' | 'telling';

/** What was tried so far, by why it has to be tried again. */
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
  /** Until then the decision may still be on its way. */
  readonly quietAt: number;
}

export interface Outcome {
  readonly status: FinalStatus;
  /** The service's own time, to the letter; absent: it gave none. */
  readonly resolvedAt?: string;
  /**
   * certain: the service confirmed these people's decision. sent: their decision was sent, the service
   * did not say whose it took. none: decided elsewhere.
   */
  readonly credit: 'certain' | 'sent' | 'none';
  readonly by: readonly string[];
  /** In whose place some of them decided: user ids by user id. */
  readonly for?: Readonly<Record<string, string>>;
  /** Why, as far as those people said. */
  readonly reasons?: readonly Reason[];
  readonly self?: SelfApproval;
  readonly learnedAt: number;
  /** When the service last said before that it was PENDING; absent: that is not known. */
  readonly openAt?: number;
}

/** Reported by the source after an approval (`POST /v1/approvals/{id}/result`); never a decision. */
export interface WorkResult {
  /** As they came, oldest first: the last one counts. */
  readonly reports: readonly [Report, ...Report[]];
  readonly text?: string;
  readonly link?: string;
  /** When work that is running should have ended. */
  readonly until?: number;
  /** Of the run that claimed the approval: a hash of its own name. */
  readonly claim?: string;
}

export type ResultState = 'running' | 'succeeded' | 'failed';

interface Report {
  readonly state: ResultState;
  readonly at: number;
}

/** A request that withdraws older ones of the same name that nobody decided. */
export interface Superseding {
  /** Hash of what its source calls them. */
  readonly name: string;
  /** Sorts the newest last. */
  readonly order: string;
  /** The older ones have been told. */
  readonly isDone?: true;
  /** Up to where on their list they have been told. */
  readonly after?: string;
  /** The store did not answer: when it is tried again. */
  readonly againAt?: number;
}

/** `ts`: of its message. */
export interface SupersededBy {
  readonly id: string;
  readonly channel: string;
  readonly ts: string;
}

/** Whoever asked for it approved it loudly, and which other reviewer has looked at that since. */
export interface SelfApproval {
  readonly by: string;
  readonly reviewed?: { readonly by: string; readonly at: number };
}

/** Not escaped. */
export interface Reason {
  readonly user: string;
  readonly text: string;
}

/** A sentence for a person, kept until it is delivered. */
export interface Reply extends Asker {
  readonly id: string;
  readonly about: SentenceKind;
  readonly text: string;
  readonly via: 'url' | 'ephemeral' | 'direct';
  readonly tries?: number;
  readonly notBefore?: number;
}

/**
 * What a sentence is about. refusal: who pressed cannot decide. progress: it counts, and more are needed.
 * late: it was already over. closed: the decision could not be carried through. spent: nor that of the
 * others who approved. dropped: an approval counts no more. state: how it stands, for who asked. trouble:
 * Gatepost could not find out. unshown: the outcome, where the message cannot show it. taken-back: an approval,
 * by its person.
 */
export type SentenceKind =
  | 'refusal'
  | 'progress'
  | 'late'
  | 'closed'
  | 'spent'
  | 'dropped'
  | 'state'
  | 'trouble'
  | 'unshown'
  | 'taken-back';

/** Something that the source is told of by a signed request. */
export interface Callback {
  readonly event: CallbackEvent;
  readonly at: number;
  readonly attempt?: Attempt;
  /** How often it was not taken. */
  readonly tries?: number;
  readonly notBefore?: number;
}

/** What became of presses and of calls for them: `history.ts`. */
export interface History {
  /** Oldest first, a few dozen at most. */
  readonly events: readonly HistoryEvent[];
  /** How many more there were. */
  readonly left?: number;
}

/** `after`: milliseconds since the request was created; `by`: a Slack user id. Another version may know other kinds. */
export type HistoryEvent = { readonly after: number } & (
  | {
      readonly kind: 'counted';
      readonly by: string;
      readonly action: Action;
      readonly for?: string;
    }
  /** `why`: a RefusalCode; late: it was over; unchecked: nobody could tell whether the person can decide. */
  | { readonly kind: 'not-counted'; readonly by: string; readonly why: string }
  | { readonly kind: 'taken-back'; readonly by: string }
  /** A ballot that counted until its person was checked again. */
  | { readonly kind: 'dropped'; readonly by: string; readonly action: Action }
  /** A call to the service was begun: whether it was sent is known with its end. */
  | { readonly kind: 'sending'; readonly by: string; readonly action: Action }
  /** How it ended: the status, or a failure's code with its class. */
  | { readonly kind: 'answered'; readonly answer: string; readonly class?: FailureClass }
  /** The decision ended without an outcome; `unsure`: it may have been taken. `failure`: of a read of the status. */
  | {
      readonly kind: 'closed';
      readonly by: string;
      readonly action: Action;
      readonly unsure?: true;
      readonly failure?: FailureFacts;
    }
  | { readonly kind: 'callback'; readonly event: CallbackEvent; readonly isTaken: boolean }
);

/** As `callbackBody` in `intake-contract.ts` has them. */
export type CallbackEvent =
  | 'approval.posted'
  | 'approval.blocked'
  | 'approval.decided'
  | 'approval.timed_out'
  | 'approval.withdrawn';

/** Texts that are kept sealed. */
export type SealedText = 'token' | 'response-url' | 'reason';

/** What the store calls an approval. */
export const APPROVAL_KIND = 'approval';

/** What the environment calls its source and its route. */
export const DEFAULT = 'default';

export const NO_SENDS: Sends = { notSent: 0, limited: 0, ambiguous: 0 };

/** Gatepost is its authority: nothing is asked of the service. */
export function isOwnGate({ key }: { readonly key?: string | undefined }): boolean {
  return key !== undefined;
}

/** Nobody is shown other words under the same buttons, and the automation's own take precedence over the service's. */
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

/** The post as it is known, or as it begins. */
/** The reply that holds the request as it was decided. */
export const KEPT_REQUEST = 'outcome-request';

export function postNamed(approval: Approval, name: string, channel: string | undefined): Post {
  const known = approval.posts.find((post) => post.name === name);
  return known ?? { name, ...(channel !== undefined && { channel }) };
}

/** A copy in which one post has changed; a post that is new is added. */
export function withPost(approval: Approval, post: Post): Approval {
  const known = approval.posts.some((each) => each.name === post.name);
  const posts = known
    ? approval.posts.map((each) => (each.name === post.name ? post : each))
    : [...approval.posts, post];
  return { ...approval, posts };
}

/** The outcome that a respond with this action leads to (Interface 3.2). */
export const STATUS_OF: Record<Action, FinalStatus> = { approve: 'APPROVED', reject: 'REJECTED' };
