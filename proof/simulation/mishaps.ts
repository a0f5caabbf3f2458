import type { WireRequest } from '../../src/core/http/exchange.ts';
import type { Chance } from './chance.ts';
import type { Gate, Observer } from './observer.ts';
import type { Replica } from './replica.ts';
import type { Scheduler } from './scheduler.ts';
import type { Fate, Weather } from './weather.ts';

interface MishapNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly weather: Weather;
  readonly observer: Pick<Observer, 'gateOf' | 'gateAt'>;
  readonly withdraw: (gate: Gate) => void;
  readonly undo: (gate: Gate, person: string) => void;
  /** Whether the rules of its route may change. */
  readonly isOfChanging: (gate: Gate) => boolean;
  /** They may change now: a decision on it waits. */
  readonly waits: (gate: Gate) => void;
  /** Whether its route can be closed now, and it waits that long after it. */
  readonly canClose: (gate: Gate, forMs: number) => boolean;
  readonly close: (gate: Gate) => void;
  /** The store goes back to the present moment, that long after it. */
  readonly forget: (afterMs: number) => void;
  /** It goes back to the present moment once that is called; undefined: not now. */
  readonly lag: () => (() => void) | undefined;
  readonly standStill: (gate: Gate, replica: Replica, ms: number) => void;
  /** It need not stand still any longer. */
  readonly goOn: (replica: Replica) => void;
  /** Whether the service does not answer reads of it yet. */
  readonly isSilent: (gate: Gate) => boolean;
  /** Whether the store may go back. */
  readonly forgets: boolean;
  readonly isOfScene: (gate: Gate) => boolean;
  /** Somebody leaves who pressed Approve there, but not the person named to the service. */
  readonly loseVoter: (gate: Gate, serviceUser: string | null) => void;
}

/**
 * The fates of the requests about one approval, one after the other: at least `least` of them, at most all. They apply
 * to decisions, unless it says reads. `deafMs`: for that long after the first of them no read is answered.
 */
interface Trouble {
  readonly name: string;
  readonly fates: readonly [Fate, ...Fate[]];
  readonly least: number;
  readonly isOfReads?: true;
  readonly deafMs?: number;
}

/**
 * busy: the service refuses decisions at first. slow: it takes seconds for them, and so does Slack for the message's
 * updates then. unread: it takes seconds for reads. lost: its answers are lost. still: it is busy, and the calling
 * process stops. stunned: the calling process stops, and receives the answer after another process has read the status.
 * forbidden, refused: something in front of it refuses decisions. hidden: the same for reads. silent, garbled: a
 * decision is refused or its answer is unreadable, and reads get no answer afterwards. lost-and-*: the first decision
 * never arrives, and the next is refused, for certain or not; some automations withdraw then. failed-and-cut: the first
 * gets an error, and no connection is accepted afterwards. never: none arrives.
 */
const BUSY: Trouble = { name: 'busy', fates: ['limited', 'limited'], least: 1 };
const SLOW: Trouble = { name: 'slow', fates: ['answerLate', 'answerLate'], least: 1 };
const STILL: Trouble = { name: 'still', fates: ['limited', 'limited'], least: 1 };
const STUNNED: Trouble = { name: 'stunned', fates: ['well'], least: 1 };
const GARBLED: Trouble = { name: 'garbled', fates: ['garbage'], least: 1, deafMs: 16_000 };
const CUT: Trouble = {
  name: 'failed-and-cut',
  fates: ['failed', ...repeated('refused', 8)],
  least: 9,
};
const UNREAD: Trouble = {
  name: 'unread',
  fates: repeated('answerLate', 5),
  least: 1,
  isOfReads: true,
};
/**
 * Only in scenes: whoever sends it first stands still before they read that the service is busy, and reads that after
 * another process has sent it again, which stands still, too, and does not read that the service failed.
 */
const TWICE: Trouble = { name: 'twice', fates: ['limited', 'failed'], least: 2 };
/** Until it was sent again, at most; and then until another process has its record. */
const TWICE_MS = { first: 45_000, again: 20_000 };
/** Only in scenes: connections are refused for about 12 s. */
const UNREACHED: Trouble = { name: 'unreached', fates: repeated('refused', 5), least: 5 };
/** For how long no read is answered in a scene. */
const DEAF_MS = 7_000;
const FORBIDDEN: Trouble = { name: 'forbidden', fates: ['forbidden'], least: 1 };
/** Only in scenes: the answer comes in time, and the message says too late that the decision is being sent. */
const SHOWN_LATE: Trouble = { name: 'shown-late', fates: ['answerSlow'], least: 1 };
const TROUBLES: readonly [Trouble, ...Trouble[]] = [
  BUSY,
  // Twice as often: only half of the late updates arrive after the next one.
  SLOW,
  SLOW,
  UNREAD,
  { name: 'lost', fates: ['answerLost', 'answerLost'], least: 1 },
  STILL,
  STUNNED,
  FORBIDDEN,
  { name: 'refused', fates: ['gone', 'gone'], least: 1 },
  { name: 'hidden', fates: repeated('gone', 4), least: 1, isOfReads: true },
  { name: 'silent', fates: ['gone'], least: 1, deafMs: 16_000 },
  GARBLED,
  { name: 'lost-and-refused', fates: ['lost', 'gone'], least: 2 },
  { name: 'lost-and-forbidden', fates: ['lost', 'forbidden', 'lost', 'forbidden'], least: 4 },
  { name: 'lost-and-busy', fates: ['lost', 'limited', 'limited', 'limited'], least: 2 },
  CUT,
  { name: 'never', fates: repeated('lost', 6), least: 3 },
];

/**
 * What happens to the decisions of a scene. garbled: the answer to the first cannot be read, and for a while no read is
 * answered. forbidden: the first is refused. unreached: none arrives at first. unreachedBriefly: the same for 4 s.
 * slowReads: answers to reads take most of a second. shownLate: its message says that the first is being sent after it
 * has said how it ended. twice: its answers are read late, the first while the second is in doubt. unheard: the first
 * is carried out, its answer is lost, and for a while no read is answered.
 */
const OF_SCENES = {
  garbled: GARBLED,
  forbidden: FORBIDDEN,
  unreached: UNREACHED,
  unreachedBriefly: { name: 'unreached-briefly', fates: repeated('refused', 3), least: 3 },
  cut: CUT,
  slowReads: { name: 'slowReads', fates: repeated('answerInTime', 5), least: 5, isOfReads: true },
  shownLate: SHOWN_LATE,
  twice: TWICE,
  failing: { name: 'failing', fates: repeated('failed', 4), least: 4 },
  unheard: { name: 'unheard', fates: ['answerLost'], least: 1, deafMs: 16_000 },
} satisfies Readonly<Record<string, Trouble>>;
export type TroubleOfScene = keyof typeof OF_SCENES;

function repeated(fate: Fate, times: number): [Fate, ...Fate[]] {
  return [fate, ...Array.from({ length: times - 1 }, () => fate)];
}

/** How often, for gates that one person decides or several. */
const TROUBLED = { one: 0.12, several: 0.4 } as const;

/** What happens to one approval once somebody has pressed. */
interface Mishap {
  readonly gate: Gate;
  readonly trouble: Trouble;
  /** The fates of its next requests. */
  readonly fates: Fate[];
  /** Until then no read is answered. */
  deafUntil: number;
  /** How long after the first of them its automation withdraws it; null: it does not. */
  withdrawnInMs: number | null;
  /** Until then its message is updated late. */
  slowUntil: number;
  /** The next process that claims its record does not receive the answer. */
  isTakenInVain: boolean;
  /** Its automation withdraws it while a process notes that it is about to send the decision. */
  isWithdrawnAtNote: boolean;
  /** The store forgets how it ended, but not that the decision was about to be sent. */
  isEndForgotten: boolean;
  /** The service fails at its first approval, and its route is closed before that is sent again. */
  isClosedThen: boolean;
  /** Until then reads of it have no fault. */
  wellUntil: number;
  /** At its first fate somebody leaves who pressed Approve. */
  losesVoter: boolean;
  /** The process that sent it stands still until another one sends it again. */
  sender: Replica | undefined;
  /** What happens with the first of its fates. */
  first: (() => void) | undefined;
}

const UNTROUBLED = {
  deafUntil: 0,
  withdrawnInMs: null,
  slowUntil: 0,
  isTakenInVain: false,
  isWithdrawnAtNote: false,
  isEndForgotten: false,
  isClosedThen: false,
  wellUntil: 0,
  losesVoter: false,
  sender: undefined,
  first: undefined,
} as const;

/** A stored approval whose decision is about to be sent. */
const NOTE = /"phase":\{"name":"sending"/;

/** A stored approval that is held, and for how long yet. */
const HELD = /"phase":\{"name":"hold","leftMs":(\d+)/;

/** How long a late answer is in flight, at most. */
const SLOW_MS = 10_000;
/** Longer than a lease: another process takes over. */
const STILL_MS = { least: 12_500, most: 18_000 };
/** So long that another process takes over and has said when the hold ends now; shorter than the hold from then on. */
const WAIT_MS = { least: 14_000, most: 15_500 };
/** How long after a save a process waits, if it is held. */
const WAITS_MS = 250;
const SECOND_MS = 1_000;
/** How long after its hold an approval is sent, at most, and more than its first save is late. */
const SENT_MS = 3_000;
/** Moments are whole milliseconds. */
const ROUNDED_MS = 5;
/** So long that a newer request is posted meanwhile, even if its automation has to send it twice. */
const LOOK_MS = { least: 22_000, most: 28_000 };
/** Where a stored request says which older ones it replaces. */
const OLDER = /"supersedes":\{"name":"([^"]+)"/;
/** Longer than others expect an update to arrive. */
const HELD_MS = { least: 46_000, most: 52_000 };
/** So often that its message says what it waits for. */
const UNTOLD_TIMES = 3;
const END_FORGOTTEN = 0.25;
const CLOSED_THEN = 0.8;
/** A decision is sent again 17 s after one whose answer was lost. */
const AGAIN_MS = 22_000;
/** How often decisions wait for the service where rules change. */
const CHANGED_THEN = 0.4;

/**
 * Faults of single approvals at the worst moment, in addition to the weather, which affects all: a decision that does
 * not get through at once, an automation that withdraws just then, and a voter who leaves.
 */
export class Mishaps {
  readonly #needs: MishapNeeds;
  readonly #all = new Map<Gate, Mishap>();
  readonly #posted = new Set<Gate>();
  readonly #busy = new Set<Gate>();
  /** Whose message is changed next by a process that stands still. */
  readonly #heldUpdates = new Set<Gate>();
  /** The process that looks next for those that it replaces stands still before that. */
  readonly #heldLooks = new Set<Gate>();
  /** Whose first process stands still while it waits for the end of its hold; null: not yet. */
  readonly #heldWaits = new Map<
    Gate,
    { readonly replica: Replica; readonly leftMs: number } | null
  >();
  /** Until when nothing that a process sends has a fault. */
  readonly #wellUntil = new Map<Replica, number>();
  /** Where a request looks for those that it replaces. */
  readonly #older = new Map<Gate, string>();
  /** Whose message is changed by others meanwhile, without another fault. */
  readonly #wellUpdated = new Set<Gate>();
  /** How often Slack still refuses the reply with which its self-approval begins. */
  readonly #untold = new Map<Gate, number>();
  /** Whose message does not arrive in Slack when it is posted next. */
  readonly #lostPosts = new Set<Gate>();
  /** The store goes back once its message says that it was approved; null: to when its decision is about to be sent. */
  readonly #forgotten = new Map<Gate, (() => void) | null>();
  /** Who undoes it while a process notes that it is about to send the decision. */
  readonly #undoneAtNote = new Map<Gate, string>();

  constructor(needs: MishapNeeds) {
    this.#needs = needs;
  }

  /** The service will be too busy for the decision on it. */
  willBeBusy(gate: Gate): void {
    this.#busy.add(gate);
  }

  /** The person will undo it at the last moment. */
  willBeUndone(gate: Gate, person: string): void {
    this.#undoneAtNote.set(gate, person);
  }

  /** The process that changes its message next stands still before it sends that. */
  willHoldUpdate(gate: Gate): void {
    this.#heldUpdates.add(gate);
  }

  /** Slack does not take the reply with which its self-approval begins, a few times. */
  willBeUntold(gate: Gate): void {
    this.#untold.set(gate, UNTOLD_TIMES);
  }

  /** When its message is posted next, that never arrives; until then it is noticed at once that it is deleted. */
  willLosePost(gate: Gate): void {
    this.#wellUpdated.add(gate);
    this.#lostPosts.add(gate);
  }

  /** The process that looks next for those that it replaces stands still before that. */
  willHoldLook(gate: Gate): void {
    this.#heldLooks.add(gate);
  }

  /** The process that waits for the end of its hold stands still, and goes on while another one waits. */
  willHoldWait(gate: Gate): void {
    this.#heldWaits.set(gate, null);
  }

  /** All of that happens to the decisions on it. `first`: with the first of it. */
  willHave(gate: Gate, name: TroubleOfScene, first?: () => void): void {
    const trouble = OF_SCENES[name];
    this.#all.set(gate, { ...UNTROUBLED, gate, trouble, fates: [...trouble.fates], first });
  }

  /** From now on, no read of it is answered for a while. */
  willBeUnread(gate: Gate): void {
    const deafUntil = this.#needs.scheduler.now + DEAF_MS;
    this.#all.set(gate, { ...UNTROUBLED, gate, trouble: UNREAD, fates: [], deafUntil });
  }

  /**
   * The process that sends a decision on it stands still before it reads that the service is busy, and its automation
   * withdraws it then.
   */
  willBeWithdrawnThen(gate: Gate): void {
    const mishap = { ...UNTROUBLED, gate, trouble: STILL, fates: [...STILL.fates] };
    this.#all.set(gate, { ...mishap, withdrawnInMs: 500 });
  }

  /** Once its message has said that it was approved, the store goes back to the present moment. */
  willBeForgotten(gate: Gate): void {
    const goBack = this.#needs.lag();
    if (goBack === undefined) return;
    this.#wellUpdated.add(gate);
    this.#forgotten.set(gate, goBack);
  }

  /** The same, to when its decision is about to be sent. */
  willBeForgottenSinceSent(gate: Gate): void {
    this.#forgotten.set(gate, null);
  }

  /** Its message says that it was approved. */
  ended(gate: Gate): void {
    const { chance, scheduler } = this.#needs;
    const goBack = this.#forgotten.get(gate);
    if (!goBack) return;
    this.#forgotten.delete(gate);
    scheduler.after(chance.whole(20, 400), goBack);
  }

  /** A press on it reaches Gatepost. */
  pressed(gate: Gate): void {
    const { chance, weather } = this.#needs;
    if (this.#all.has(gate)) return;
    const own = chance.branch(gate.name);
    const isBusy = this.#busy.has(gate);
    const isWithdrawnAtNote = weather.isRough && !isBusy && own.often(0.06);
    const isWithdrawn = !isBusy && !isWithdrawnAtNote && own.often(0.08);
    const usual = isWithdrawn ? 0.75 : TROUBLED[gate.quorum > 1 ? 'several' : 'one'];
    const isDrawn = !isWithdrawnAtNote && weather.isRough && (isBusy || own.often(usual));
    const drawn = isWithdrawn && own.often(0.4) ? STILL : own.pick(TROUBLES);
    const isUnread =
      weather.isRough &&
      this.#needs.isOfChanging(gate) &&
      chance.branch(`unread/${gate.name}`).often(CHANGED_THEN);
    const trouble = isBusy ? BUSY : isUnread ? UNREAD : drawn;
    const isTroubled = isDrawn || isUnread;
    const { fates, least } = trouble;
    const mishap = {
      ...UNTROUBLED,
      gate,
      trouble,
      fates: isTroubled ? fates.slice(0, own.whole(least, fates.length)) : [],
      isWithdrawnAtNote,
      isEndForgotten: this.#needs.forgets && chance.branch(`end/${gate.name}`).often(END_FORGOTTEN),
      isClosedThen: chance.branch(`closed/${gate.name}`).often(CLOSED_THEN),
      withdrawnInMs: isWithdrawn ? own.whole(0, own.often(0.4) ? 80 : 3_000) : null,
      losesVoter: gate.quorum > 1 && !isBusy && own.often(0.8),
    };
    this.#all.set(gate, mishap);
    // By then its message says how it ended.
    if (this.#needs.forgets && gate.authority === 'gatepost' && own.often(0.3))
      this.#needs.forget(own.whole(1_000, 4_000));
    if (!isTroubled) this.#withdraw(mishap);
  }

  #ofPost(body: string): Fate | undefined {
    const metadata = new URLSearchParams(body).get('metadata') ?? '{}';
    const { record, post = '' } = JSON.parse(metadata).event_payload ?? {};
    const gate = this.#needs.observer.gateOf(record);
    if (gate === undefined) return undefined;
    if (post.startsWith('self-approval-')) return this.#ofSelfApproval(gate);
    if (post.startsWith('message') && this.#lostPosts.delete(gate)) return 'lost';
    return this.#needs.forgets && post === 'message' ? this.#ofMessage(gate) : undefined;
  }

  #ofSelfApproval(gate: Gate): Fate | undefined {
    const left = this.#untold.get(gate) ?? 0;
    if (left <= 1) this.#untold.delete(gate);
    else this.#untold.set(gate, left - 1);
    return left > 0 ? 'refused' : undefined;
  }

  /**
   * Sometimes, when the message of an own gate is posted: the store forgets it, and its automation withdraws before it
   * is found.
   */
  #ofMessage(gate: Gate): Fate | undefined {
    const { chance, scheduler, withdraw, forget } = this.#needs;
    if (gate.authority !== 'gatepost' || this.#posted.has(gate)) return undefined;
    this.#posted.add(gate);
    if (this.#needs.isOfScene(gate)) return undefined;
    const own = chance.branch(`post/${gate.name}`);
    if (!own.often(0.5)) return undefined;
    forget(own.whole(20, 600));
    scheduler.after(own.whole(0, 9_000), () => withdraw(gate));
    return own.pick(['answerLost', 'late', 'lost', undefined]);
  }

  /**
   * People can decide it again after a decision with an unknown result: some automations do not wait for that, and the
   * next decision may have the same fate as the last.
   */
  reopened(gate: Gate): void {
    const { chance, weather } = this.#needs;
    if (weather.isRough && chance.often(0.2)) this.#withdrawSoon(gate, 3_000);
    if (chance.often(0.5)) this.#all.get(gate)?.fates.push('lost', 'forbidden');
  }

  #withdrawSoon(gate: Gate, withinMs: number): void {
    const { chance, withdraw, scheduler } = this.#needs;
    scheduler.after(chance.whole(0, withinMs), () => withdraw(gate));
  }

  #closesSoon(mishap: Mishap): boolean {
    const { scheduler, chance, canClose, close } = this.#needs;
    const { gate } = mishap;
    if (!canClose(gate, AGAIN_MS)) return false;
    mishap.wellUntil = scheduler.now + AGAIN_MS;
    scheduler.after(chance.branch(`closing/${gate.name}`).whole(0, 5_000), () => close(gate));
    return true;
  }

  /** Whoever sends it stands still; as another process does, the first goes on. */
  #standsStillTwice(mishap: Mishap, replica: Replica): void {
    const { scheduler, chance, standStill, goOn } = this.#needs;
    const { gate, sender } = mishap;
    mishap.sender = replica;
    standStill(gate, replica, sender === undefined ? TWICE_MS.first : TWICE_MS.again);
    if (sender !== undefined) scheduler.after(chance.whole(500, 4_000), () => goOn(sender));
  }

  /** Its automation withdraws it soon, if it does. */
  #withdraw(mishap: Mishap): void {
    const { scheduler, withdraw } = this.#needs;
    const { gate, withdrawnInMs } = mishap;
    if (withdrawnInMs === null) return;
    mishap.withdrawnInMs = null;
    scheduler.after(withdrawnInMs, () => withdraw(gate));
  }

  /** The fate of a request of the bot, instead of the usual one. */
  fateOf(request: WireRequest, replica: Replica, usual: Fate): Fate {
    const { weather } = this.#needs;
    if (this.isWell(replica)) return 'well';
    const own = weather.isRough ? this.#fateOf(request, replica) : undefined;
    if (own === undefined) return usual;
    weather.faults += 1;
    return own;
  }

  /** A process saves a record. Returns by how much that takes longer than usual. */
  saves(record: string, data: string | null, replica: Replica): number {
    const { weather, observer, withdraw, undo, chance } = this.#needs;
    if (!weather.isRough) return 0;
    const gate = observer.gateOf(record);
    const laterMs = gate === undefined ? 0 : this.#holdWait(gate, data, replica);
    if (laterMs > 0 || data === null) return laterMs;
    if (gate?.supersedes !== undefined) {
      const [, older = ''] = OLDER.exec(data) ?? [];
      this.#older.set(gate, `supersedes:${older}`);
    }
    if (!NOTE.test(data)) return 0;
    const mishap = this.#of(gate);
    const undoer = gate && this.#undoneAtNote.get(gate);
    if (gate !== undefined && undoer !== undefined) {
      this.#undoneAtNote.delete(gate);
      weather.faults += 1;
      undo(gate, undoer);
      return chance.whole(600, 900);
    }
    if (mishap?.isWithdrawnAtNote !== true) return 0;
    mishap.isWithdrawnAtNote = false;
    weather.faults += 1;
    withdraw(mishap.gate);
    return chance.whole(300, 900);
  }

  /**
   * Messages show whole seconds, and what one process waits at a time is less. So the first save of the one that takes
   * over is late, for the hold to end just after a second, and no other fault delays that end.
   */
  #holdWait(gate: Gate, data: string | null, replica: Replica): number {
    const { weather, scheduler, chance, standStill } = this.#needs;
    const wait = this.#heldWaits.get(gate);
    const [, leftMs] = HELD.exec(data ?? '') ?? [];
    if (wait === null && leftMs !== undefined) {
      this.#heldWaits.set(gate, { replica, leftMs: Number(leftMs) });
      weather.faults += 1;
      const forMs = chance.whole(WAIT_MS.least, WAIT_MS.most);
      scheduler.after(WAITS_MS, () => standStill(gate, replica, forMs));
    }
    if (!wait || wait.replica === replica) return 0;
    this.#heldWaits.delete(gate);
    this.#wellUntil.set(replica, scheduler.now + wait.leftMs + SENT_MS);
    return SECOND_MS - ((scheduler.now + wait.leftMs) % SECOND_MS) + ROUNDED_MS;
  }

  /** Nothing that the process sends has a fault now. */
  isWell(replica: Replica): boolean {
    return this.#needs.scheduler.now < (this.#wellUntil.get(replica) ?? 0);
  }

  /** A process asks for these lists. Returns whether it stands still before. */
  isHeldLook(lists: readonly string[], replica: Replica): boolean {
    const { weather, chance, standStill } = this.#needs;
    if (!weather.isRough) return false;
    const gate = [...this.#heldLooks].find((each) => lists.includes(this.#older.get(each) ?? ''));
    if (gate === undefined) return false;
    this.#heldLooks.delete(gate);
    weather.faults += 1;
    standStill(gate, replica, chance.whole(LOOK_MS.least, LOOK_MS.most));
    return true;
  }

  /** Whether the claim of these records is not answered. */
  isTakenInVain(records: readonly string[]): boolean {
    const { weather, observer } = this.#needs;
    const mishaps = records.flatMap((each) => this.#of(observer.gateOf(each)) ?? []);
    const due = mishaps.find(({ isTakenInVain }) => isTakenInVain);
    if (due === undefined || !weather.isRough) return false;
    weather.faults += 1;
    due.isTakenInVain = false;
    return true;
  }

  #fateOf({ method, path, body }: WireRequest, replica: Replica): Fate | undefined {
    const { observer, scheduler, chance } = this.#needs;
    const token = /\/automation\/approvals\/([^/?]+)$/.exec(path)?.[1];
    if (token !== undefined) {
      const gate = observer.gateAt({ token: decodeURIComponent(token) });
      if (gate !== undefined && method === 'GET' && this.#needs.isSilent(gate)) return 'failed';
      if (gate !== undefined && method !== 'GET' && this.#forgotten.get(gate) === null)
        this.willBeForgotten(gate);
      const mishap = this.#of(gate);
      if (mishap === undefined) return undefined;
      const { trouble } = mishap;
      const isRead = method === 'GET';
      if (!isRead && mishap.isEndForgotten) {
        mishap.isEndForgotten = false;
        this.#needs.forget(chance.whole(300, 2_000));
      }
      if (isRead && scheduler.now < mishap.deafUntil) return 'failed';
      if (isRead && scheduler.now < mishap.wellUntil) return 'well';
      if (!isRead && mishap.isClosedThen && JSON.parse(body ?? '{}').action === 'approve') {
        mishap.isClosedThen = false;
        if (this.#closesSoon(mishap)) return 'failed';
      }
      const fate = isRead === (trouble.isOfReads === true) ? mishap.fates.shift() : undefined;
      if (fate === undefined) return undefined;
      const isAgain = trouble.name.startsWith('lost-and') && fate !== 'lost';
      if (isAgain && chance.often(0.2)) this.#withdrawSoon(mishap.gate, 1_000);
      mishap.deafUntil = scheduler.now + (trouble.deafMs ?? 0);
      mishap.first?.();
      mishap.first = undefined;
      this.#withdraw(mishap);
      if (trouble === UNREAD && mishap.fates.length < UNREAD.fates.length - 1)
        this.#needs.waits(mishap.gate);
      if (mishap.losesVoter && !isRead) {
        this.#needs.loseVoter(mishap.gate, JSON.parse(body ?? '{}').userId ?? null);
        mishap.losesVoter = false;
      }
      if (trouble === SLOW || trouble === SHOWN_LATE) mishap.slowUntil = scheduler.now + SLOW_MS;
      if (trouble === STILL || trouble === STUNNED) {
        mishap.isTakenInVain = trouble === STILL;
        this.#needs.standStill(mishap.gate, replica, chance.whole(STILL_MS.least, STILL_MS.most));
      }
      if (trouble === TWICE) this.#standsStillTwice(mishap, replica);
      return fate;
    }
    if (path.endsWith('/chat.postMessage')) return this.#ofPost(body ?? '');
    if (!path.endsWith('/chat.update')) return undefined;
    const args = new URLSearchParams(body ?? '');
    const place = { channel: args.get('channel') ?? '', ts: args.get('ts') ?? '' };
    const gate = observer.gateAt(place);
    if (gate !== undefined && this.#heldUpdates.delete(gate)) {
      this.#wellUpdated.add(gate);
      this.#needs.standStill(gate, replica, chance.whole(HELD_MS.least, HELD_MS.most));
      return 'held';
    }
    if (gate !== undefined && this.#wellUpdated.has(gate)) return 'well';
    const mishap = this.#of(gate);
    if (mishap === undefined || scheduler.now > mishap.slowUntil) return undefined;
    // Only this one, so that the next may overtake it.
    mishap.slowUntil = 0;
    return mishap.trouble === SHOWN_LATE ? 'overdue' : 'late';
  }

  #of(gate: Gate | undefined): Mishap | undefined {
    return gate && this.#all.get(gate);
  }
}
