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
  readonly standStill: (replica: Replica, ms: number) => void;
  /** Somebody leaves who pressed Approve there. */
  readonly loseVoter: (gate: Gate) => void;
}

/**
 * busy: the service refuses decisions at first. slow: it takes seconds for them, and so does Slack for what the message
 * says meanwhile. unread: it takes seconds for reads. lost: its answers are. still: it is busy, and whoever asked it
 * stands still.
 */
const TROUBLES = ['busy', 'slow', 'unread', 'lost', 'still'] as const;

/** How often, for gates that one person decides or several. */
const TROUBLED = { one: 0.06, several: 0.2 } as const;

/** What awaits one approval once somebody has pressed. */
interface Mishap {
  readonly gate: Gate;
  readonly trouble: (typeof TROUBLES)[number];
  /** So many of its requests meet it. */
  left: number;
  /** So long after the first of them its automation takes it back; null: it does not. */
  withdrawnInMs: number | null;
  /** Until then its message is changed late. */
  slowUntil: number;
  /** Whoever takes its record next does not hear that they have it. */
  isTakenInVain: boolean;
  /** When it meets the first, somebody leaves who pressed Approve. */
  losesVoter: boolean;
}

/** So long a late answer is on its way, at most. */
const SLOW_MS = 10_000;
/** Longer than a lease: somebody else goes on. */
const STILL_MS = { least: 12_500, most: 18_000 };

/**
 * What befalls single approvals at the worst moment, beside the weather, which is the same for all: a decision that
 * does not come through at once, an automation that takes its gate back just then, and a voter who leaves.
 */
export class Mishaps {
  readonly #needs: MishapNeeds;
  readonly #all = new Map<Gate, Mishap>();

  constructor(needs: MishapNeeds) {
    this.#needs = needs;
  }

  /** A press on it reaches Gatepost. */
  pressed(gate: Gate): void {
    const { chance, weather } = this.#needs;
    if (this.#all.has(gate)) return;
    const own = chance.branch(gate.name);
    const isWithdrawn = own.often(0.08);
    const isTroubled =
      weather.isRough &&
      own.often(isWithdrawn ? 0.75 : TROUBLED[gate.quorum > 1 ? 'several' : 'one']);
    const trouble = own.pick(TROUBLES);
    const mishap = {
      gate,
      trouble,
      left: isTroubled ? own.whole(1, trouble === 'unread' ? 5 : 2) : 0,
      withdrawnInMs: isWithdrawn ? own.whole(0, 3_000) : null,
      slowUntil: 0,
      isTakenInVain: false,
      losesVoter: gate.quorum > 1 && own.often(0.7),
    };
    this.#all.set(gate, mishap);
    if (!isTroubled) this.#withdraw(mishap);
  }

  /** Its automation takes it back soon, if it does. */
  #withdraw(mishap: Mishap): void {
    const { scheduler, withdraw } = this.#needs;
    const { gate, withdrawnInMs } = mishap;
    if (withdrawnInMs === null) return;
    mishap.withdrawnInMs = null;
    scheduler.after(withdrawnInMs, () => withdraw(gate));
  }

  /** What happens to a request of the bot, in place of what would. */
  fateOf(request: WireRequest, replica: Replica, usual: Fate): Fate {
    const { weather } = this.#needs;
    const own = weather.isRough ? this.#fateOf(request, replica) : undefined;
    if (own === undefined) return usual;
    weather.faults += 1;
    return own;
  }

  /** Whether nobody hears that these records are theirs now. */
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
      const mishap = this.#of(observer.gateAt({ token: decodeURIComponent(token) }));
      const isMet =
        mishap && mishap.left > 0 && (mishap.trouble === 'unread') === (method === 'GET');
      if (!isMet) return undefined;
      mishap.left -= 1;
      this.#withdraw(mishap);
      if (mishap.losesVoter) this.#needs.loseVoter(mishap.gate);
      mishap.losesVoter = false;
      if (mishap.trouble === 'slow') mishap.slowUntil = scheduler.now + SLOW_MS;
      if (mishap.trouble === 'still') {
        mishap.isTakenInVain = true;
        this.#needs.standStill(replica, chance.whole(STILL_MS.least, STILL_MS.most));
      }
      return FATES[mishap.trouble];
    }
    if (!path.endsWith('/chat.update')) return undefined;
    const args = new URLSearchParams(body ?? '');
    const place = { channel: args.get('channel') ?? '', ts: args.get('ts') ?? '' };
    const mishap = this.#of(observer.gateAt(place));
    if (mishap === undefined || scheduler.now > mishap.slowUntil) return undefined;
    // This one alone, so that the next may come before it.
    mishap.slowUntil = 0;
    return 'late';
  }

  #of(gate: Gate | undefined): Mishap | undefined {
    return gate && this.#all.get(gate);
  }
}

const FATES: Readonly<Record<Mishap['trouble'], Fate>> = {
  busy: 'limited',
  slow: 'answerLate',
  unread: 'answerLate',
  lost: 'answerLost',
  still: 'limited',
};
