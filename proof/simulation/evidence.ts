/**
 * What an observer outside the product saw of a run: the imitated service, the imitated Slack, the
 * automations, the people, and the audit log as it was read at the end. Plain data, and nothing of `src/`, so
 * that what judges the product cannot share its mistakes. `check` in `checker.ts` judges it.
 *
 * All moments are milliseconds on the observer's one clock, whatever the clocks of the bots did; only the audit
 * log has the store's own time, which is never compared with them.
 */
export interface Evidence {
  readonly approvals: readonly ApprovalSeen[];
  readonly messages: readonly MessageSeen[];
  readonly told: readonly Told[];
  readonly presses: readonly Press[];
  /** Presses by which people take their approval back. */
  readonly takeBacks?: readonly TakeBack[];
  /** Presses by which people mark what its requester approved as reviewed. */
  readonly reviews?: readonly TakeBack[];
  readonly commands: readonly Command[];
  readonly operations: readonly OperationSeen[];
  /** In the order in which they arrived; null: nobody is called back. */
  readonly callbacks: readonly CallbackSeen[] | null;
  /** In the order in which they happened. */
  readonly rights: readonly RightsChange[];
  /** The same of the groups that needs name. */
  readonly memberships?: readonly MembershipChange[];
  /** Who was away, and who stood in for them. */
  readonly absences?: readonly AbsenceSeen[];
  /** In the order in which it was written; null: it was not read, and nothing is compared with it. */
  readonly audit: readonly AuditSeen[] | null;
  readonly lapses: readonly Lapse[];
  readonly interruptions: readonly Interruption[];
  /** While others said of people what is not so: a refusal was right then, too. */
  readonly doubts?: readonly { readonly from: number; readonly to: number }[];
  /** What people read of what waits for them. */
  readonly lists?: readonly ListSeen[];
  /** Each Home tab that Slack took. */
  readonly homes?: readonly HomeSeen[];
  readonly limits: Limits;
}

/** One approval gate: as the service holds it, or of Gatepost's own. */
export interface ApprovalSeen {
  /** What the observer calls it in a story: never its token. */
  readonly name: string;
  /** Who has the last word on it. */
  readonly authority: 'service' | 'gatepost';
  /** As it was sent: no two approvals of a run share it. */
  readonly title: string;
  /** As they were sent, where they were. */
  readonly message?: string;
  readonly key?: string;
  readonly channel: string;
  readonly madeAt: number;
  readonly deadlineAt: number | null;
  /** Distinct people who have to approve. */
  readonly quorum: number;
  /** Places that different people of them have to fill, of the route and of the request. */
  readonly needs?: readonly NeedSeen[];
  /** Slack ids of all who may decide it while they have the right to decide at all: nobody who asked, under any id. */
  readonly reviewers: readonly string[];
  /** Those of them who can decide only after a while, or once too few others are left: each with whom else it names. */
  readonly escalates?: readonly { readonly afterMs: number; readonly users: readonly string[] }[];
  /** Whom its message asks from the beginning, where it names people; absent: groups, or whoever is in the channel. */
  readonly asked?: readonly string[];
  /** Whoever is away can have somebody decide in their place. */
  readonly substitutes?: boolean;
  /** So long an approval is held that is enough. */
  readonly holdMs?: number;
  /** Whoever asked may approve it, with a reason, once the others are told. */
  readonly isLoud?: boolean;
  /** Slack ids of whoever asked, or has to be taken for them. */
  readonly askers?: readonly string[];
  /** Those of them whom it is right to refuse, too: nobody may know yet that they did not ask. */
  readonly mayBeRefused?: readonly string[];
  /** On whose Home tab it may be; absent: on nobody's. */
  readonly home?: HomeOf;
  /** Every call of the intake with its token or key, in order. */
  readonly intake: readonly IntakeSeen[];
  /** Each time that its automation took it back, and the intake accepted that or gave no answer. */
  readonly withdrawals: readonly Withdrawal[];
  /** Whether its automation is called back; default true, where anybody is. */
  readonly isCalledBack?: boolean;
  /** Why people decided so, as they wrote it, where the route wants to know. */
  readonly reasons?: readonly {
    readonly person: string;
    readonly action: Action;
    readonly text: string;
  }[];
  /** When Slack refused a post of it, for good until somebody lets Gatepost in. */
  readonly refusals?: readonly Refusal[];
  /** What took effect at the service; of an own gate nothing, for its record is the authority. */
  readonly effects: readonly Effect[];
  /** Reads and decisions that arrived at the service. */
  readonly calls: readonly ServiceCall[];
  /** Names of the posts, besides `message`, that have to be there once it is decided: `outcome-thread`, … */
  readonly announced: readonly string[];
}

/** So many of these people have to approve. */
export interface NeedSeen {
  readonly name: string;
  readonly of: { readonly users: readonly string[]; readonly groups: readonly string[] };
  readonly count: number;
}

/** Slack ids. Home goes by what Slack knows of people: a reviewer whom the service does not know finds it there, too. */
export interface HomeOf {
  /** Of whoever asked. */
  readonly asked: readonly string[];
  /** Of its reviewers but for those whom Slack shows to have asked, unless they may decide it themselves. */
  readonly waitsFor: readonly string[];
  /** Of its reviewers and whoever asked: they may know how it ended. */
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

export interface Withdrawal {
  readonly at: number;
  /** When the automation read that it is taken; null: nobody told it. */
  readonly answeredAt: number | null;
}

export interface Refusal {
  readonly at: number;
  /** `message`, `outcome-thread`, … */
  readonly post: string;
  /** The bot got the answer. */
  readonly isHeard: boolean;
}

export interface Effect {
  readonly at: number;
  readonly status: Status;
  /** `interface`: the respond call. `elsewhere`: somebody in the service itself. `deadline`: time ran out. */
  readonly how: 'interface' | 'elsewhere' | 'deadline';
  /** The service's id of whoever decided, as the call named it. */
  readonly serviceUser: string | null;
}

export interface ServiceCall {
  readonly operation: 'read' | 'respond';
  readonly at: number;
  /** Where that is known: when it left the bot. */
  readonly sentAt?: number;
  /** HTTP status that was sent; null: the connection was dropped, or nothing was sent yet. */
  readonly status: number | null;
  /** The body could be read: false for one that was spoiled. */
  readonly readable: boolean;
  /** Where that is known: whether the bot got the answer, as it was. */
  readonly heard?: boolean;
  readonly action: Action | null;
  readonly serviceUser: string | null;
}

/** A message in a channel or a direct message, with everything it ever said. */
export interface MessageSeen {
  readonly channel: string;
  readonly ts: string;
  /** At least one, oldest first. */
  readonly versions: readonly Version[];
  readonly deletedAt: number | null;
}

export interface Version {
  readonly at: number;
  /** Where that is known: when it left the bot. */
  readonly sentAt?: number;
  readonly text: string;
  /** Slack's JSON. */
  readonly blocks: readonly unknown[];
  /** `event_payload` of its metadata: `record` and `post` say what it belongs to. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** A sentence for one person: ephemeral, by a `response_url`, or a direct message. */
export interface Told {
  readonly at: number;
  readonly person: string;
  readonly channel: string;
  readonly text: string;
  /** Whether the bot got Slack's answer; without it, it may say the same once more. */
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
  /** When Slack got its 200 in time; null: never. */
  readonly acknowledgedAt: number | null;
  /** What Slack itself showed the person, when it was not acknowledged. */
  readonly shown: string | null;
  /** It was delivered twice: what one delivery could not record, the other may have. */
  readonly doubled?: boolean;
}

/** A press by which somebody takes their approval back. */
export type TakeBack = Pick<Press, 'person' | 'approval' | 'at' | 'acknowledgedAt' | 'shown'>;

/** What arrived at whoever wants to be called back, each time it did. */
export interface CallbackSeen {
  readonly at: number;
  /** Of the message: `webhook-id`. */
  readonly id: string;
  /** Signed with the secret, over what arrived, not long ago. */
  readonly isGenuine: boolean;
  /** Answered with a 2xx. */
  readonly isTaken: boolean;
  readonly type: string;
  /** The moment of what it tells of, as it says. */
  readonly saidAt: number;
  /** Of the request: its record. */
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
  /** What the person read or was shown, a modal's title included; null: nothing. */
  readonly answer: string | null;
}

/** All pages of what waits for a person's decision, as far as they turned them. */
export interface ListSeen {
  readonly person: string;
  /** When they asked for the first page. */
  readonly from: number;
  /** When they read the last one. */
  readonly until: number;
  readonly titles: readonly string[];
  /** There was no other page, and none said that something could not be checked. */
  readonly isWhole: boolean;
}

/** A Home tab as it was published. */
export interface HomeSeen {
  readonly person: string;
  readonly isAdministrator: boolean;
  /** When the process that published it began this one. */
  readonly from: number;
  /** When Slack took it. */
  readonly at: number;
  /** Those that have a heading. */
  readonly sections: readonly HomeSection[];
  readonly rows: readonly HomeRow[];
}

export type HomeSection = 'waiting' | 'asked' | 'decided' | 'all';

/** A request on a Home tab. */
export interface HomeRow {
  readonly section: HomeSection;
  readonly title: string;
  /** As its buttons name it; null: it has none. */
  readonly record: string | null;
  /**
   * When the store gave it to the process that published the row, since that began this Home tab and before it sent it:
   * what the row says was so at one of these moments, however long the process stood still after them. null: it is not
   * known which record it is.
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
  /** Facts of the entries that the log has of it, once it was sent. */
  readonly logged?: Readonly<Record<string, string>>;
  readonly person: string;
  readonly at: number;
  readonly acknowledgedAt: number | null;
  /** It was delivered twice: what one delivery could not record, the other may have. */
  readonly doubled?: boolean;
  /** When the service did it, each time. */
  readonly effects: readonly number[];
  /** Every result that was reported of it. `progress` is none, and needs another one after it. */
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
  /** Slack shows a reviewer, whether the service knows them or not. Default: `can`. */
  readonly inSlack?: boolean;
  /** The service's id of the person, as decisions name it: of two who share one, both are one person. null: it knows nobody. */
  readonly serviceUser: string | null;
}

/** From this moment on somebody is in a user group or not, as far as it counts for decisions. */
export interface MembershipChange {
  readonly at: number;
  readonly person: string;
  readonly group: string;
  readonly isIn: boolean;
}

/**
 * Somebody is away, or somebody stands in for them: from when they typed it until that may be over, and surely from
 * when they read that it is so until somebody does something that could end it.
 */
export interface AbsenceSeen {
  readonly person: string;
  /** null: that they are away. */
  readonly substitute: string | null;
  readonly from: number;
  readonly to: number;
  /** null: nobody read it. */
  readonly surelyFrom: number | null;
  readonly surelyTo: number;
}

export interface AuditSeen {
  readonly action: string;
  readonly record: string | null;
  readonly actor: string;
  readonly facts: Readonly<Record<string, string | number | boolean | null>>;
}

/** The store went back: what it had at `at` is what it had at `from`. */
export interface Lapse {
  readonly from: number;
  readonly at: number;
  /** Acknowledged clicks and tokens were safe all the same (`REDIS_CONFIRM=replicas=1` and the like). */
  readonly keptAcknowledged: boolean;
}

/** A process was killed or stood still, or the store was away. What was under way then may be said again. */
export interface Interruption {
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

/** Limits of time that the product promises, at the scale of the run, in milliseconds. */
export interface Limits {
  /** So long after a decision whose answer was lost began, nobody sends another one. */
  readonly quietMs: number;
  /** After such an interruption or a loss, work goes on within it: what is said twice so close to one may be. */
  readonly resumeMs: number;
  /** How long ago somebody could decide at least, when their decision is sent. */
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
  /** In words that a story can begin with. */
  readonly what: string;
}
