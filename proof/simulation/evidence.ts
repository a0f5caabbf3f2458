/**
 * What an observer outside the product saw of a run: the imitated service, the imitated Slack, the automations, the
 * people, and the audit log as it was read at the end. Plain data, and nothing of `src/`, so that the checker cannot
 * share the product's mistakes. `check` in `checker.ts` checks it. All times are milliseconds on the observer's one
 * clock, whatever the bots' clocks did; only the audit log has the store's own time, which is never compared with them.
 */
export interface Evidence {
  readonly approvals: readonly ApprovalSeen[];
  readonly messages: readonly MessageSeen[];
  readonly told: readonly Told[];
  readonly presses: readonly Press[];
  /** Presses that take an approval back. */
  readonly takeBacks?: readonly TakeBack[];
  /** Presses that mark a self-approval as reviewed. */
  readonly reviews?: readonly TakeBack[];
  readonly commands: readonly Command[];
  readonly operations: readonly OperationSeen[];
  /** In the order of arrival; null: there are no callbacks. */
  readonly callbacks: readonly CallbackSeen[] | null;
  /** In the order they happened. */
  readonly rights: readonly RightsChange[];
  /** The same for the groups that needs name. */
  readonly memberships?: readonly MembershipChange[];
  /** Who was away, and who substituted for them. */
  readonly absences?: readonly AbsenceSeen[];
  readonly closings?: readonly ClosingSeen[];
  /** In the order it was written; null: it was not read, and nothing is compared with it. */
  readonly audit: readonly AuditSeen[] | null;
  readonly lapses: readonly Lapse[];
  readonly interruptions: readonly Interruption[];
  readonly closures?: readonly Closure[];
  /** When the store returned no list, as absences are read, for whatever reason; absent: nobody noted it. */
  readonly unlisted?: readonly { readonly from: number; readonly to: number }[];
  /** When Slack's rate limit put off changes of messages for many seconds. */
  readonly putOff?: readonly { readonly from: number; readonly to: number }[];
  /** When the store saved something late or not at all, or its answer to a save or a claim came much later or never. */
  readonly delays?: readonly { readonly record: string; readonly at: number }[];
  /** Times of false statements by others about people: a refusal was right then, too. */
  readonly doubts?: readonly { readonly from: number; readonly to: number }[];
  /** When Slack did not show a group that needs name, to whoever asked for its members. */
  readonly hidden?: readonly { readonly group: string; readonly at: number }[];
  /** When all processes that ran had other rules at once: somebody does not review some routes any more, or again. */
  readonly reloads?: readonly number[];
  /** What people read in lists of what waits for them, or was decided. */
  readonly lists?: readonly ListSeen[];
  /** Each Home tab that Slack accepted. */
  readonly homes?: readonly HomeSeen[];
  readonly limits: Limits;
}

/** One approval gate: of the service, or of Gatepost's own. */
export interface ApprovalSeen {
  /** The observer's name of it in a story: never its token. */
  readonly name: string;
  /** Who decides its outcome. */
  readonly authority: 'service' | 'gatepost';
  /** As it was sent: unique in a run. */
  readonly title: string;
  /** As they were sent, if they were. */
  readonly message?: string;
  /** The service's own description, if no message was sent. */
  readonly prompt?: string;
  readonly key?: string;
  readonly channel: string;
  /** Absent: nobody closes it. */
  readonly route?: string;
  readonly madeAt: number;
  readonly deadlineAt: number | null;
  /** How many different people have to approve. */
  readonly quorum: number;
  /** What its request changes of the rules of its route. */
  readonly adds?: readonly ('quorum' | 'need' | 'reviewers')[];
  /** Older undecided requests of its automation with the same name are replaced by it. */
  readonly supersedes?: string;
  /** Places that different people of them have to fill, of the route and of the request. */
  readonly needs?: readonly NeedSeen[];
  /**
   * Slack ids of all who can decide it while they have the right to decide at all: never the requester, under any id.
   */
  readonly reviewers: readonly string[];
  /**
   * Reviewers who can decide only after a while, or once too few others are left: each escalation with the people it
   * names.
   */
  readonly escalates?: readonly { readonly afterMs: number; readonly users: readonly string[] }[];
  /**
   * The people its message asks from the beginning, if it names people; absent: groups, or everybody in the channel.
   */
  readonly asked?: readonly string[];
  /** People who are away can have a substitute decide. */
  readonly substitutes?: boolean;
  /** How long a sufficient approval is held. */
  readonly holdMs?: number;
  /** People are reminded that long after its message, and after their first reminder. */
  readonly remindMs?: number;
  /** The requester may approve it, with a reason, once the others are told. */
  readonly isLoud?: boolean;
  /** Who reviews its route, whatever the request says: they are told of a self-approval. */
  readonly ofRoute?: readonly string[];
  /** Slack ids of the requester, or that have to be treated as theirs. */
  readonly askers?: readonly string[];
  /** Those of them whose refusal is also right: it may not be known yet that they are not the requester. */
  readonly mayBeRefused?: readonly string[];
  /** The people on whose Home tab it may be; absent: nobody. */
  readonly home?: HomeOf;
  /** Every intake call with its token or key, in order. */
  readonly intake: readonly IntakeSeen[];
  /** What its automation reported of the work that was approved, in the order it was sent. */
  readonly reports?: readonly ReportSeen[];
  /** Each withdrawal that the intake accepted or did not answer. */
  readonly withdrawals: readonly Withdrawal[];
  /** Whether its automation gets callbacks; default true, if there are any. */
  readonly isCalledBack?: boolean;
  /** Asked with an identity token, which names the requester. */
  readonly isProved?: boolean;
  /** The reasons that people wrote, if the route asks for them. */
  readonly reasons?: readonly {
    readonly person: string;
    readonly action: Action;
    readonly text: string;
  }[];
  /** Slack's refusals of its posts, which last until somebody opens the channel again. */
  readonly refusals?: readonly Refusal[];
  /** What took effect at the service; nothing for an own gate, which its record decides. */
  readonly effects: readonly Effect[];
  /** Reads and decisions that arrived at the service. */
  readonly calls: readonly ServiceCall[];
  /** When the bot tried to call the service about it, if known, whether that arrived or not. */
  readonly tries?: readonly Pick<ServiceCall, 'operation' | 'at'>[];
  /** Names of the posts other than `message` that must exist once it is decided: `outcome-thread`, … */
  readonly announced: readonly string[];
}

/** `count` of these people have to approve. */
export interface NeedSeen {
  readonly name: string;
  readonly of: { readonly users: readonly string[]; readonly groups: readonly string[] };
  readonly count: number;
}

/**
 * Slack ids. The Home tab relies on Slack's facts about people: a reviewer whom the service does not know finds it
 * there, too.
 */
export interface HomeOf {
  /** The requester. */
  readonly asked: readonly string[];
  /** Its reviewers, except those whom Slack shows as the requester, unless they can decide it themselves. */
  readonly waitsFor: readonly string[];
  /** Its reviewers and the requester: they can know how it ended. */
  readonly concerns: readonly string[];
}

export type Status = 'APPROVED' | 'REJECTED' | 'TIMED_OUT';
export type Action = 'approve' | 'reject';

export interface IntakeSeen {
  readonly at: number;
  readonly answeredAt: number | null;
  /** HTTP status; null: no answer came. */
  readonly status: number | null;
  /** The record's id, from a 2xx. */
  readonly record: string | null;
}

export type WorkState = 'running' | 'succeeded' | 'failed';

/** One report of a result, each time it was sent. */
export interface ReportSeen {
  readonly at: number;
  readonly answeredAt: number | null;
  /** HTTP status; null: no answer came. */
  readonly status: number | null;
  /** Why it was refused. */
  readonly detail: string | null;
  readonly state: WorkState;
  /** The name of the run that claims the approval; null: it claims nothing. */
  readonly claim: string | null;
}

export interface Withdrawal {
  readonly at: number;
  /** When the automation read that it is withdrawn; null: it never did. */
  readonly answeredAt: number | null;
}

export interface Refusal {
  readonly at: number;
  /** `message`, `outcome-thread`, … */
  readonly post: string;
  /** The bot received the answer. */
  readonly isHeard: boolean;
}

export interface Effect {
  readonly at: number;
  readonly status: Status;
  /** `interface`: the respond call. `elsewhere`: somebody in the service itself. `deadline`: it timed out. */
  readonly how: 'interface' | 'elsewhere' | 'deadline';
  /** The service's id of the person who decided, as the call named it. */
  readonly serviceUser: string | null;
}

export interface ServiceCall {
  readonly operation: 'read' | 'respond';
  readonly at: number;
  /** When it left the bot, if known. */
  readonly sentAt?: number;
  /** HTTP status that was sent; null: the connection was dropped, or nothing was sent yet. */
  readonly status: number | null;
  /** The body was readable: false for one that was spoiled. */
  readonly readable: boolean;
  /** Whether the bot received the answer unchanged, if known. */
  readonly heard?: boolean;
  /** When the bot received an answer, if known; null: never. */
  readonly heardAt?: number | null;
  readonly action: Action | null;
  readonly serviceUser: string | null;
}

/** A message in a channel or a direct message, with all its versions. */
export interface MessageSeen {
  readonly channel: string;
  readonly ts: string;
  /** At least one, oldest first. */
  readonly versions: readonly Version[];
  readonly deletedAt: number | null;
  /** When the bot heard that it is deleted. */
  readonly missed?: { readonly at: number | null };
}

export interface Version {
  readonly at: number;
  /** When it left the bot, if known. */
  readonly sentAt?: number;
  readonly text: string;
  /** Slack's JSON. */
  readonly blocks: readonly unknown[];
  /** `event_payload` of its metadata: `record` and `post` say what it belongs to. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** A reply to one person: ephemeral, by a `response_url`, or a direct message. */
export interface Told {
  readonly at: number;
  readonly person: string;
  readonly channel: string;
  readonly text: string;
  /** Whether the bot received Slack's answer; without it, it may send the same again. */
  readonly answered: boolean;
}

/** A press on a button of an approval's message. */
export interface Press {
  readonly person: string;
  /** Name of the approval. */
  readonly approval: string;
  /** `check`: Check now. */
  readonly action: Action | 'check';
  readonly at: number;
  /** When Slack received its 200 in time; null: never. */
  readonly acknowledgedAt: number | null;
  /** When a process got it first, if one did. */
  readonly arrivedAt?: number;
  /** Slack's own error to the person, if it was not acknowledged. */
  readonly shown: string | null;
  /** It was delivered twice: if one delivery failed to record it, the other may have. */
  readonly doubled?: boolean;
  /** On the Home tab, or in a modal opened from it. */
  readonly isElsewhere?: boolean;
  /** In a form that decides several requests. */
  readonly isOfSeveral?: boolean;
  /** In a form that asks for a reason. */
  readonly isWithReason?: boolean;
  /** What the person had read of the request there, if it may have been out of date. */
  readonly read?: string;
}

/** A press that takes the person's approval back. */
export type TakeBack = Pick<Press, 'person' | 'approval' | 'at' | 'acknowledgedAt' | 'shown'>;

/** A callback that arrived at a receiver, each time. */
export interface CallbackSeen {
  readonly at: number;
  /** The message's id: `webhook-id`. */
  readonly id: string;
  /** Signed with the secret, over what arrived, not long ago. */
  readonly isGenuine: boolean;
  /** Answered with a 2xx. */
  readonly isTaken: boolean;
  readonly type: string;
  /** The time of the event, according to the callback. */
  readonly saidAt: number;
  /** The request's record. */
  readonly record: string;
  readonly key: string | null;
  readonly status: string;
  readonly by: readonly string[];
  readonly reason: string | null;
  readonly digest: string;
  readonly permalink: string | null;
}

/** A command or a form, which does not belong to one approval. */
export interface Command {
  readonly person: string;
  readonly text: string;
  readonly at: number;
  readonly acknowledged: boolean;
  /** What the person read or was shown, including a modal's title; null: nothing. */
  readonly answer: string | null;
}

/** All pages of what waits for a person's decision, or was decided, as far as they turned them. */
export interface ListSeen {
  readonly person: string;
  /** When they asked for the first page. */
  readonly from: number;
  /** When they read the last one. */
  readonly until: number;
  readonly titles: readonly string[];
  /** Of what was decided; absent: of what waits. */
  readonly isOfDecided?: boolean;
  /** There were no more pages, and none said that something could not be checked. */
  readonly isWhole: boolean;
}

/** A Home tab as it was published. */
export interface HomeSeen {
  readonly person: string;
  readonly isAdministrator: boolean;
  /** When the process that published it began to work on it. */
  readonly from: number;
  /** When Slack accepted it. */
  readonly at: number;
  /** Sections with a heading. */
  readonly sections: readonly HomeSection[];
  readonly rows: readonly HomeRow[];
}

export type HomeSection = 'waiting' | 'asked' | 'decided' | 'all';

/** A request on a Home tab. */
export interface HomeRow {
  readonly section: HomeSection;
  readonly title: string;
  /** The record its buttons name; null: it has none. */
  readonly record: string | null;
  /**
   * When the store returned the record to the publishing process, after the process had begun this Home tab and before
   * it sent it: the row was true at one of these moments, however long the process was stopped after them. null: it is
   * not known which record it is.
   */
  readonly reads: readonly number[] | null;
  /** It can be decided there. */
  readonly decides: boolean;
  /** Its token can be read there. */
  readonly showsToken: boolean;
  /** Slack's JSON. */
  readonly blocks: readonly unknown[];
}

/** A move, a test case or a change of an account that one person asked for. */
export interface OperationSeen {
  readonly name: string;
  readonly kind: 'move' | 'case' | 'account';
  /** The facts of its log entries, once it was sent. */
  readonly logged?: Readonly<Record<string, string>>;
  readonly person: string;
  readonly at: number;
  readonly acknowledgedAt: number | null;
  /** It was delivered twice: if one delivery failed to record it, the other may have. */
  readonly doubled?: boolean;
  /** When the service did it, each time. */
  readonly effects: readonly number[];
  /** Every reported result. `progress` is not one, and needs a result after it. */
  readonly told: readonly {
    readonly at: number;
    readonly says: 'done' | 'not-done' | 'unknown' | 'progress';
    readonly text: string;
    readonly answered: boolean;
  }[];
}

/** From this moment on a person can or cannot decide anything at all: active, a member, not a guest. */
export interface RightsChange {
  readonly at: number;
  readonly person: string;
  readonly can: boolean;
  /** Only for this approval. */
  readonly approval?: string;
  /** Cannot sign in to Slack any more: nobody can tell them anything. */
  readonly gone?: boolean;
  /** Slack shows them as a reviewer, whether the service knows them or not. Default: `can`. */
  readonly inSlack?: boolean;
  /**
   * The service's id of the person, as decisions name it: two with the same id are one person. null: it knows nobody.
   */
  readonly serviceUser: string | null;
}

/** From this moment on somebody is in a user group or not, as far as it counts for decisions. */
export interface MembershipChange {
  readonly at: number;
  readonly person: string;
  readonly group: string;
  readonly isIn: boolean;
  /** They have left, and an earlier list of the group may still count. */
  readonly mayBeOut?: true;
}

/**
 * An absence or a substitution: possible from when it was typed until it may have ended, and certain from when they
 * read it until somebody does something that could end it.
 */
export interface AbsenceSeen {
  readonly person: string;
  /** null: the absence itself. */
  readonly substitute: string | null;
  readonly from: number;
  readonly to: number;
  /** null: nobody read it. */
  readonly surelyFrom: number | null;
  readonly surelyTo: number;
}

export interface AuditSeen {
  /** By the store's clock, if known. */
  readonly at?: number;
  readonly action: string;
  readonly record: string | null;
  readonly actor: string;
  readonly facts: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * A route that an administrator closed: possible from when it was typed until it may have ended, and certain from the
 * answered time until something was typed that could open it.
 */
export interface ClosingSeen {
  readonly route: string;
  readonly from: number;
  readonly to: number;
  /** null: nobody read it. */
  readonly surelyFrom: number | null;
  readonly surelyTo: number;
  /** Its end, as it was answered: somebody may open it earlier. */
  readonly until?: number;
}

/** The store went back: at `at` it contained what it had contained at `from`. */
export interface Lapse {
  readonly from: number;
  readonly at: number;
  /** Acknowledged clicks and tokens were safe nevertheless (`REDIS_CONFIRM=replicas=1` and the like). */
  readonly keptAcknowledged: boolean;
}

/** A process was killed or stopped, or the store was away. Work in flight then may be repeated. */
export interface Interruption {
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

/** Meanwhile Slack accepts no message in the channel, and no update of one. */
export interface Closure {
  readonly from: number;
  readonly to: number;
  readonly channel: string;
}

/** Time limits that the product promises, at the scale of the run, in milliseconds. */
export interface Limits {
  /** How long after the start of a decision whose answer was lost nobody sends another one. */
  readonly quietMs: number;
  /** How soon work continues after such an interruption or a loss: repeats this close to one are allowed. */
  readonly resumeMs: number;
  /** How old an authorization may be when the decision is sent. */
  readonly rightMs: number;
}

/** The four ways to break a promise. */
export type Broken = 'lost' | 'double' | 'false' | 'unanswered';

export interface Violation {
  readonly kind: Broken;
  /** Name of the approval, operation or command. */
  readonly subject: string;
  readonly person: string | null;
  readonly at: number | null;
  /** As text that a story can begin with. */
  readonly what: string;
}
