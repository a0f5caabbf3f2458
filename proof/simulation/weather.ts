import type { Chance } from './chance.ts';

/** What can happen to one message, each with its probability: the rest goes well. */
export interface Odds {
  /** The connection is refused: certainly not sent. */
  readonly refused: number;
  /** It never arrives. */
  readonly lost: number;
  /** It is executed, and the answer never arrives. */
  readonly answerLost: number;
  /** It arrives after seconds. */
  readonly late: number;
  /** It is executed, and the answer arrives after seconds. */
  readonly answerLate: number;
  /** It arrives twice. Only for Slack's deliveries. */
  readonly doubled: number;
  /** 429, not executed. */
  readonly limited: number;
  /** 500 of the server itself, not executed. */
  readonly failed: number;
  /** 502 of something in between, although it is executed. */
  readonly failedAfter: number;
  /** Executed, and the answer is not JSON. */
  readonly garbage: number;
}

/**
 * In addition to the weather, something in front of the server may answer in its place. forbidden: 403. gone: one of
 * 404, 409 and 410, as for a used token. held: the process stands still, and it is sent once that goes on. answerInTime: its
 * answer takes most of a second. answerSlow: it takes seconds, and arrives. overdue: it arrives once nobody waits for
 * its answer any more.
 */
export type Fate =
  | keyof Odds
  | ('well' | 'forbidden' | 'gone' | 'held' | 'answerInTime' | 'answerSlow' | 'overdue');

/** The connections. */
export type Link = 'store' | 'service' | 'slack' | 'deliveries' | 'intake' | 'callbacks';

const CALM: Odds = {
  refused: 0,
  lost: 0,
  answerLost: 0,
  late: 0,
  answerLate: 0,
  doubled: 0,
  limited: 0,
  failed: 0,
  failedAfter: 0,
  garbage: 0,
};

const ROUGH: Readonly<Record<Link, Odds>> = {
  store: {
    ...CALM,
    refused: 0.004,
    lost: 0.002,
    answerLost: 0.003,
    late: 0.004,
    answerLate: 0.004,
  },
  service: {
    ...CALM,
    refused: 0.02,
    lost: 0.02,
    answerLost: 0.05,
    late: 0.02,
    answerLate: 0.03,
    limited: 0.02,
    failed: 0.02,
    failedAfter: 0.03,
    garbage: 0.02,
  },
  slack: {
    ...CALM,
    refused: 0.01,
    lost: 0.01,
    answerLost: 0.03,
    late: 0.01,
    answerLate: 0.02,
    limited: 0.01,
    failed: 0.01,
    failedAfter: 0.01,
    garbage: 0.01,
  },
  deliveries: {
    ...CALM,
    lost: 0.02,
    answerLost: 0.02,
    late: 0.02,
    answerLate: 0.01,
    doubled: 0.08,
  },
  intake: { ...CALM, refused: 0.02, lost: 0.03, answerLost: 0.05, late: 0.02, doubled: 0.03 },
  callbacks: {
    ...CALM,
    refused: 0.02,
    lost: 0.02,
    answerLost: 0.04,
    late: 0.02,
    answerLate: 0.03,
    failed: 0.02,
    failedAfter: 0.02,
  },
};

/** What can happen there at all. */
const FATES = {
  store: fatesOn('store'),
  service: fatesOn('service'),
  slack: fatesOn('slack'),
  deliveries: fatesOn('deliveries'),
  intake: fatesOn('intake'),
  callbacks: fatesOn('callbacks'),
} satisfies Record<Link, unknown>;

function fatesOn(link: Link): readonly (readonly [Fate, number])[] {
  // as: its keys
  const all = Object.entries(ROUGH[link]) as [Fate, number][];
  return all.filter(([, share]) => share > 0);
}

/** By how much a storm multiplies the odds. */
const STORM = 6;

/**
 * The state of the connections: rough all the time, and stormy now and then, one connection at a time. In a world
 * without faults, and once the faults are over, everything goes well.
 */
export class Weather {
  readonly #chance: Chance;
  #isRough: boolean;
  readonly #storms = new Set<Link>();
  faults = 0;

  constructor(chance: Chance, isRough: boolean) {
    this.#chance = chance;
    this.#isRough = isRough;
  }

  storm(link: Link, on: boolean): void {
    if (on) this.#storms.add(link);
    else this.#storms.delete(link);
  }

  clear(): void {
    this.#isRough = false;
    this.#storms.clear();
  }

  /** Whether anything can still go wrong. */
  get isRough(): boolean {
    return this.#isRough;
  }

  fate(link: Link): Fate {
    if (!this.#isRough) return 'well';
    let drawn = this.#chance.fraction() / (this.#storms.has(link) ? STORM : 1);
    for (const [fate, share] of FATES[link]) {
      drawn -= share;
      if (drawn >= 0) continue;
      this.faults += 1;
      return fate;
    }
    return 'well';
  }
}
