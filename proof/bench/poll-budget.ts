import { writeFile } from 'node:fs/promises';
import { nextPollAt } from '../../src/approvals/schedule.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import { drawCurves } from './support/draw-curves.ts';
import { percentile } from './support/percentile.ts';

/**
 * How late polling alone notices a decision made elsewhere, by the age of the approval: for a number of pending
 * approvals and a number of calls a minute. Simulated with the product's own schedule; the result is the same each
 * time. `npx tsx proof/bench/poll-budget.ts` prints a table and draws proof/bench/poll-budget.svg.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The default of `watch.maxAge`: approvals arrive evenly, and only the measured ones are decided. */
const WATCHED_MS = 7 * DAY;
const FIRST_POLL_MS = TRUE_TIME.polls[0].everyMs;
/** Measured decisions for each age: few enough that they do not influence each other. */
const DECISIONS = 1_000;
const AGES = [
  { name: 'under 2 min', from: 15 * SECOND, to: 2 * MINUTE },
  { name: '2 to 30 min', from: 2 * MINUTE, to: 30 * MINUTE },
  { name: '30 min to 6 h', from: 30 * MINUTE, to: 6 * HOUR },
  { name: '6 h to 1 day', from: 6 * HOUR, to: DAY },
  { name: '1 to 3 days', from: DAY, to: 3 * DAY },
] as const;

interface Noticed {
  readonly age: string;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Delays by age. All times are simulated milliseconds; the same seed gives the same result. */
function simulate(pending: number, budgetPerMinute: number, seed = 1): readonly Noticed[] {
  const random = mulberry(seed);
  const everyMs = WATCHED_MS / pending;
  const old = { now: DAY, createdAt: 0, expiresAt: undefined, jitter: 0.5 };
  const rounds = nextPollAt({ ...old, pending, budgetPerMinute }, TRUE_TIME) - DAY;
  // After the booked slots have settled, and long enough for decisions to be rare.
  const countFrom = 3 * rounds;
  const countTo = countFrom + Math.max(2, 20_000 / pending) * rounds;
  const createdAt = new Float64Array(pending);
  const version = new Int32Array(pending);
  const decidedAt = new Float64Array(pending).fill(Number.NaN);
  const decidedAge = new Int8Array(pending);
  const due = new DueTimes();
  const slots = new Slots(budgetPerMinute);
  for (let at = 0; at < pending; at += 1) {
    createdAt[at] = -WATCHED_MS + at * everyMs;
    due.add(random() * rounds, at, 0);
  }
  const decisions = decisionsBetween(countFrom, countTo, everyMs, random);
  const delays: number[][] = AGES.map(() => []);
  let [oldest, decided, noticed] = [0, 0, 0];
  const total = decisions.length;
  while (noticed < total) {
    const { at: now, id, version: of } = due.first();
    // What has happened until then: approvals end and arrive, and some are decided elsewhere.
    for (; (createdAt[oldest] ?? 0) + WATCHED_MS <= now; oldest = (oldest + 1) % pending) {
      const bornAt = (createdAt[oldest] ?? 0) + WATCHED_MS;
      if (!Number.isNaN(decidedAt[oldest] ?? 0)) noticed += 1;
      createdAt[oldest] = bornAt;
      decidedAt[oldest] = Number.NaN;
      version[oldest] = (version[oldest] ?? 0) + 1;
      due.add(bornAt + FIRST_POLL_MS, oldest, version[oldest] ?? 0);
    }
    for (; decided < total && (decisions[decided]?.at ?? 0) <= now; decided += 1) {
      const { at, age, born } = decisions[decided] ?? { at: 0, age: 0, born: 0 };
      const chosen = born % pending;
      if (Number.isNaN(decidedAt[chosen] ?? 0)) {
        decidedAt[chosen] = at;
        decidedAge[chosen] = age;
      } else noticed += 1;
    }
    due.removeFirst();
    if (version[id] !== of) continue;
    const polledAt = now + slots.take(now);
    const wasDecidedAt = decidedAt[id] ?? Number.NaN;
    if (!Number.isNaN(wasDecidedAt)) {
      delays[decidedAge[id] ?? 0]?.push(polledAt - wasDecidedAt);
      decidedAt[id] = Number.NaN;
      noticed += 1;
    }
    const facts = { now: polledAt, createdAt: createdAt[id] ?? 0, expiresAt: undefined };
    due.add(
      nextPollAt({ ...facts, pending, budgetPerMinute, jitter: random() }, TRUE_TIME),
      id,
      of,
    );
  }
  return AGES.map(({ name }, at) => ({
    age: name,
    p50Ms: percentile(delays[at] ?? [], 0.5),
    p99Ms: percentile(delays[at] ?? [], 0.99),
  }));
}

/** `born`: the number of the decided approval, counted from the first; they are created `everyMs` apart. */
function decisionsBetween(from: number, to: number, everyMs: number, random: () => number) {
  const all = AGES.flatMap((age, index) =>
    Array.from({ length: DECISIONS }, () => {
      const ageMs = age.from + random() * (age.to - age.from);
      const bornAt = from + random() * (to - from) - ageMs;
      const born = Math.round((bornAt + WATCHED_MS) / everyMs);
      return { at: born * everyMs - WATCHED_MS + ageMs, age: index, born };
    }),
  );
  return all.sort((a, b) => a.at - b.at);
}

/** The slots of the budget, as `Store.pace` hands them out. */
class Slots {
  readonly #intervalMs: number;
  readonly #burst: number;
  #usedUntil = 0;

  constructor(perMinute: number) {
    this.#intervalMs = MINUTE / perMinute;
    this.#burst = Math.max(1, Math.floor(perMinute / 4));
  }

  take(now: number): number {
    const usedUntil = Math.max(this.#usedUntil, now);
    const slotAt = Math.max(now, usedUntil - (this.#burst - 1) * this.#intervalMs);
    this.#usedUntil = usedUntil + this.#intervalMs;
    return slotAt - now;
  }
}

/** A heap, earliest first. */
class DueTimes {
  readonly #heap: { at: number; id: number; version: number }[] = [];

  first() {
    const [first] = this.#heap;
    if (first === undefined) throw new Error('something is always due at some time');
    return first;
  }

  add(at: number, id: number, version: number): void {
    const heap = this.#heap;
    const added = { at, id, version };
    let place = heap.push(added) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = heap[above];
      if (other === undefined || other.at <= at) break;
      heap[place] = other;
      place = above;
    }
    heap[place] = added;
  }

  removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const isRight = (heap[left + 1]?.at ?? Infinity) < (heap[left]?.at ?? Infinity);
      const below = isRight ? left + 1 : left;
      const other = heap[below];
      if (other === undefined || other.at >= last.at) break;
      heap[place] = other;
      place = below;
    }
    heap[place] = last;
  }
}

/** Mulberry32. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function duration(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`;
  return `${(ms / HOUR).toFixed(ms < 10 * HOUR ? 1 : 0)} h`;
}

const curves: { name: string; noticed: readonly Noticed[] }[] = [];
console.log(`| pending | a minute | ${AGES.map(({ name }) => name).join(' | ')} |`);
console.log(`|---|---|${AGES.map(() => '---|').join('')}`);
for (const pending of [1_000, 10_000, 100_000, 1_000_000]) {
  for (const budget of [240, 2_400]) {
    const noticed = simulate(pending, budget);
    const cells = noticed.map(({ p50Ms, p99Ms }) => `${duration(p50Ms)} / ${duration(p99Ms)}`);
    const name = pending.toLocaleString('en');
    console.log(`| ${name} | ${budget.toLocaleString('en')} | ${cells.join(' | ')} |`);
    if (pending >= 100_000)
      curves.push({ name: `${name}, ${budget.toLocaleString('en')} a minute`, noticed });
  }
}
await writeFile(
  'proof/bench/poll-budget.svg',
  drawCurves(
    'Until a decision made elsewhere is noticed, by the age of the approval',
    AGES.map(({ name }) => name),
    curves.map(({ name, noticed }) => ({
      name,
      values: noticed.map(({ p50Ms }) => p50Ms / MINUTE),
    })),
  ),
);
