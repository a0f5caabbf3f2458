import type { Wish } from '../automations.ts';
import type { Chance } from '../chance.ts';
import type { NeedSeen } from '../evidence.ts';
import type { TroubleOfScene } from '../mishaps.ts';
import type { Gate } from '../observer.ts';

/** Few people do what a rule is about, one after the other: by chance they seldom meet. */
export interface Scene {
  /** Rows of `rules-met.ts`: until the world has met each of them, the scene has priority. */
  readonly meets: readonly string[];
  readonly route: string;
  readonly wish?: Wish;
  /** They can decide, and stay for a while. */
  readonly people: readonly string[];
  /** How long it is played; default `SCENE_MS`. */
  readonly lastsMs?: number;
  /** It begins only when nothing else fails, and nothing else does while it is played. */
  readonly needsCalm?: true;
  /** It begins only under the usual rules. */
  readonly needsUsualRules?: true;
  /** Those of them who must not be away. */
  readonly present?: readonly string[];
  /** They set themselves away, without a substitute, before its automation asks. */
  readonly leave?: readonly string[];
  /** Its message is there, for the first time. */
  readonly posted?: (stage: Stage, gate: Gate) => void;
  /** Somebody read that about it. */
  readonly told?: (stage: Stage, person: string, text: string) => void;
  /** Its message says that its approval is held. */
  readonly held?: (stage: Stage, gate: Gate) => void;
  /** It asks for a review. */
  readonly reviewable?: (stage: Stage, gate: Gate) => void;
}

/** What people can do; times are from the moment of the call, in milliseconds. */
export interface Stage {
  readonly chance: Chance;
  readonly approve: (person: string, atMs: number) => void;
  readonly reject: (person: string, atMs: number) => void;
  /** Their press is on its way for that long. */
  readonly approveLate: (person: string, atMs: number, forMs: number) => void;
  readonly rejectLate: (person: string, atMs: number, forMs: number) => void;
  readonly undo: (person: string, atMs: number) => void;
  /** Below the answer to their press. */
  readonly takeBack: (person: string, atMs: number) => void;
  /** Just before it is sent. */
  readonly undoAtLast: (person: string) => void;
  /** What happens to its decisions: see `Mishaps`. `first`: with the first of it. */
  readonly trouble: (name: TroubleOfScene, first?: () => void) => void;
  /** For a while, no read of it is answered. */
  readonly unread: () => void;
  /** Slack does not show this group for that long. */
  readonly groupHidden: (group: string, forMs: number) => void;
  /** Somebody approves it in the service. */
  readonly decidedElsewhere: (atMs: number) => void;
  /** The process that changes its message next stands still before it sends that. */
  readonly heldUpdate: () => void;
  /** The process that waits for the end of its hold stands still, and goes on while another one waits. */
  readonly heldWait: () => void;
  /** Slack does not take the reply with which a self-approval begins, for a while. */
  readonly untold: () => void;
  /** Somebody deletes its message, and the next one is lost on its way at first. */
  readonly deleted: (atMs: number) => void;
  /** The process that looks next for those that it replaces stands still before that. */
  readonly heldLook: () => void;
  /** The service says its description after a while. */
  readonly describedLater: () => void;
  /** In a form for several; they read it there before its message has its description, and decide after that. */
  readonly approveInForm: (person: string, atMs: number) => void;
  /** Its automation asks for another one, which nobody decides. */
  readonly askAgain: (atMs: number) => void;
  /** Its automation. */
  readonly withdraw: (atMs: number) => void;
  /** It does so while the process that sends a decision stands still, before it reads a 429. */
  readonly withdrawnWhileStill: () => void;
  /** Once its message has said that it was approved, the store forgets what happened from `atMs` on. */
  readonly forgotten: (atMs: number) => void;
  /** The same, from when its decision was about to be sent. */
  readonly forgottenSinceSent: () => void;
  readonly review: (person: string, atMs: number) => void;
  readonly opensHome: (person: string, atMs: number) => void;
  /** Whoever surely stands in for them by then. */
  readonly approveFor: (giver: string, atMs: number) => void;
  /** They set themselves away; without a name they keep the substitute they have. `then`: once they read so. */
  readonly names: (giver: string, substitute: string, atMs: number, then?: () => void) => void;
  /** `then`: once they read that they are not away any more. */
  readonly comesBack: (person: string, atMs: number, then: () => void) => void;
  /** Their substitute, once they were told. `then`: once they read that it is done. */
  readonly declines: (substitute: string, giver: string, then: () => void) => void;
  readonly becomesGuest: (person: string, atMs: number) => void;
  readonly leavesService: (person: string, atMs: number) => void;
  /** Nobody reaches the store for that long. */
  readonly storeAway: (atMs: number, forMs: number) => void;
  /** The clocks of all processes are set forward by that much, for some seconds. */
  readonly clocksForward: (atMs: number, byMs: number) => void;
  /** From now on, no process is killed or stops by chance for that long. */
  readonly restOfFaults: (forMs: number) => void;
  /** The service does not show their account for that long. */
  readonly accountHidden: (person: string, atMs: number, forMs: number) => void;
  /** For all processes: see `Reloads`. */
  readonly rulesChange: (atMs: number) => void;
  /** Until the end of its hold, as its message says. */
  readonly leftMs: number;
  /** An administrator closes its route, if that happens in this world. */
  readonly closes: (atMs: number) => void;
  /** The same, and soon they open it again. `then`: once they have read that. */
  readonly closesBriefly: (atMs: number, then: () => void) => void;
  /** The same, and they do not open it again. */
  readonly staysClosed: (atMs: number) => void;
}

export const [ANA, BEN, CLEO, DANA] = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA'] as const;

/** Ben can fill it, but not as Dana's substitute. */
export const KEYS: NeedSeen = { name: 'Keys', of: { users: [BEN, CLEO], groups: [] }, count: 1 };
