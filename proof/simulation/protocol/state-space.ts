import type { State } from './model.ts';

/** How a state was reached. */
interface Step {
  readonly name: string;
  /** The previous state and its number. */
  readonly from: number;
  readonly state: State;
}

type Session = NonNullable<State['workers'][number]>;
type Leased = { readonly lease: number | null };
type Rest = Omit<State, 'record' | 'earlier' | 'workers' | 'calls'>;

/** Parts of a state, each stored by its number. */
const PARTS = 7;
/** States per block of memory. */
const PIECE = 1 << 18;

/**
 * All states that were reached, in order. Each is stored as the numbers of its parts, of which there are few: some 40
 * bytes. States count as one if they differ only in which worker is which, in the number of a lease, or in the order in
 * which calls began. No others do: nothing is a hash.
 */
export class StateSpace {
  readonly #records = new LeasedParts<State['record']>();
  readonly #sessions = new LeasedParts<Session>();
  readonly #calls = new Parts<State['calls']>();
  readonly #rests = new Parts<Rest>();
  readonly #leases = new Parts<readonly (number | null)[]>();
  readonly #names = new Parts<{ readonly name: string }>();
  /** By number of a list of calls: that of the same list with the workers swapped. */
  readonly #swapped: number[] = [];
  readonly #states: Uint32Array[] = [];
  /** The previous state, and twice its name's number; plus one: the two workers were swapped. */
  readonly #ways: Uint32Array[] = [];
  /** Open addressing: the number of a state plus one, or 0. */
  #table = new Uint32Array(1 << 16);
  readonly #wanted = new Uint32Array(PARTS);
  size = 0;

  /** Adds a state if it is new. */
  add(state: State, step: Step | null): void {
    const isSwapped = this.#write(state, step);
    let place = this.#placeOf(this.#wanted, 0);
    for (; this.#table[place] !== 0; place = (place + 1) & (this.#table.length - 1)) {
      if (this.#isWanted((this.#table[place] ?? 0) - 1)) return;
    }
    this.#table[place] = this.size + 1;
    const [piece, at] = [Math.floor(this.size / PIECE), this.size % PIECE];
    if (at === 0) {
      this.#states.push(new Uint32Array(PARTS * PIECE));
      this.#ways.push(new Uint32Array(2 * PIECE));
    }
    this.#states[piece]?.set(this.#wanted, PARTS * at);
    const name = step === null ? 0 : this.#names.numberOf({ name: step.name });
    this.#ways[piece]?.set([step?.from ?? 0, 2 * name + Number(isSwapped)], 2 * at);
    this.size += 1;
    if (this.size * 2 > this.#table.length) this.#grow();
  }

  at(number: number): State {
    const part = (which: number) => this.#part(number, which);
    const leases = this.#leases.at(part(6));
    const earlier = part(1) === 0 ? null : this.#records.at(part(1) - 1, leases[1] ?? null);
    const worker = (which: number) =>
      part(2 + which) === 0
        ? null
        : this.#sessions.at(part(2 + which) - 1, leases[2 + which] ?? null);
    return {
      ...this.#rests.at(part(5)),
      record: this.#records.at(part(0), leases[0] ?? null),
      earlier,
      workers: [worker(0), worker(1)],
      calls: this.#calls.at(part(4)),
    };
  }

  /** The names of the steps that lead to a state, and optionally one more. */
  storyOf(number: number, last?: string): string[] {
    const steps: { name: string; isSwapped: boolean }[] = [];
    for (let at = number; at > 0; ) {
      const ways = this.#ways[Math.floor(at / PIECE)];
      const way = ways?.[2 * (at % PIECE) + 1] ?? 0;
      const { name } = this.#names.at(way >> 1);
      steps.unshift({ name, isSwapped: way % 2 === 1 });
      at = ways?.[2 * (at % PIECE)] ?? 0;
    }
    if (last !== undefined) steps.push({ name: last, isSwapped: false });
    // Swapped workers keep their original names.
    let isOther = false;
    return steps.map(({ name, isSwapped }) => {
      const shown = isOther
        ? name.replace(/worker ([01])/, (_, each) => `worker ${1 - each}`)
        : name;
      isOther = isOther !== isSwapped;
      return shown;
    });
  }

  /** Writes the numbers of its parts; true: the two workers were swapped for that. */
  #write(state: State, step: Step | null): boolean {
    const { record, earlier, calls, workers } = state;
    const [one = null, other = null] = workers;
    const wanted = this.#wanted;
    wanted[0] = this.#records.numberOf(record);
    wanted[1] = earlier === null ? 0 : this.#records.numberOf(earlier) + 1;
    const [first, second] = [one, other].map((each) =>
      each === null ? 0 : this.#sessions.numberOf(each) + 1,
    ) as [number, number]; // as: two go in
    const asIs = this.#callsNumber(calls);
    const turned = this.#swappedCalls(asIs);
    // Of two equal workers the holder of the lease comes first.
    const isOther = other?.lease === record.lease && one?.lease !== record.lease;
    const isAlike = first === second && asIs === turned;
    const isSwapped = isAlike ? isOther : first === second ? asIs > turned : first > second;
    const [left, right] = isSwapped ? [other, one] : [one, other];
    wanted[2] = Math.min(first, second);
    wanted[3] = Math.max(first, second);
    wanted[4] = isSwapped ? turned : asIs;
    wanted[5] =
      step !== null && hasSameRest(step.state, state)
        ? this.#part(step.from, 5)
        : this.#rests.numberOf(restOf(state));
    wanted[6] = this.#leases.numberOf(renamed([record, earlier, left, right]));
    return isSwapped;
  }

  #callsNumber(calls: State['calls']): number {
    return this.#calls.numberOf(calls, () =>
      calls.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
    );
  }

  #swappedCalls(number: number): number {
    const known = this.#swapped[number];
    if (known !== undefined) return known;
    const calls = this.#calls.at(number);
    const swapped = calls.map((call) =>
      call.worker === null ? call : { ...call, worker: 1 - call.worker },
    );
    const other = this.#callsNumber(swapped);
    this.#swapped[number] = other;
    return other;
  }

  #part(number: number, which: number): number {
    return this.#states[Math.floor(number / PIECE)]?.[PARTS * (number % PIECE) + which] ?? 0;
  }

  #isWanted(number: number): boolean {
    for (let which = 0; which < PARTS; which += 1) {
      if (this.#part(number, which) !== this.#wanted[which]) return false;
    }
    return true;
  }

  #placeOf(parts: Uint32Array, from: number): number {
    let mixed = 0;
    for (let which = 0; which < PARTS; which += 1) {
      mixed = Math.imul(mixed ^ (parts[from + which] ?? 0), 0x9e3779b1);
      mixed ^= mixed >>> 15;
    }
    return (mixed >>> 0) & (this.#table.length - 1);
  }

  #grow(): void {
    this.#table = new Uint32Array(this.#table.length * 2);
    for (let number = 0; number < this.size; number += 1) {
      const piece = this.#states[Math.floor(number / PIECE)];
      if (piece === undefined) continue;
      let place = this.#placeOf(piece, PARTS * (number % PIECE));
      while (this.#table[place] !== 0) place = (place + 1) & (this.#table.length - 1);
      this.#table[place] = number + 1;
    }
  }
}

/** Gives each part a number, and returns the part for a number. */
class Parts<Part extends object> {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<Part, number>();
  readonly #parts: Part[] = [];

  /** @param canonical the part that represents all equivalent ones. */
  numberOf(part: Part, canonical: () => Part = () => part): number {
    const known = this.#known.get(part);
    if (known !== undefined) return known;
    const kept = canonical();
    const text = JSON.stringify(kept);
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.#parts.push(kept) - 1;
      this.#numbers.set(text, number);
      this.#known.set(kept, number);
    }
    this.#known.set(part, number);
    return number;
  }

  at(number: number): Part {
    const part = this.#parts[number];
    if (part === undefined) throw new Error(`there is no part ${number}`);
    return part;
  }
}

/** Parts with a lease, whose number is not part of them. */
class LeasedParts<Part extends Leased> {
  readonly #parts = new Parts<Part>();
  /** By number, and by lease. */
  readonly #leased: Map<number | null, Part>[] = [];

  numberOf(part: Part): number {
    return this.#parts.numberOf(part, () => ({ ...part, lease: null }));
  }

  at(number: number, lease: number | null): Part {
    const known = this.#leased[number]?.get(lease);
    if (known !== undefined) return known;
    const part = { ...this.#parts.at(number), lease };
    this.#leased[number] ??= new Map();
    this.#leased[number].set(lease, part);
    return part;
  }
}

function restOf({ record: _r, earlier: _e, workers: _w, calls: _c, ...rest }: State): Rest {
  return rest;
}

function hasSameRest(one: State, other: State): boolean {
  return (
    one.service === other.service &&
    one.message === other.message &&
    one.named === other.named &&
    one.hasRewound === other.hasRewound &&
    one.isShownLate === other.isShownLate &&
    one.pressed === other.pressed &&
    one.told === other.told &&
    one.forgotten === other.forgotten &&
    one.heard === other.heard &&
    one.left === other.left &&
    one.fault === other.fault
  );
}

/** Leases are only compared: the first one met is 0, the next one 1. */
function renamed(held: readonly (Leased | null)[]): readonly (number | null)[] {
  const met: number[] = [];
  const names = held.map((each) => {
    if (each === null || each.lease === null) return null;
    if (!met.includes(each.lease)) met.push(each.lease);
    return met.indexOf(each.lease);
  });
  return LEASES.get(names.join()) ?? keptLeases(names);
}

/** The same list for the same leases, so that it can be looked up by identity. */
const LEASES = new Map<string, readonly (number | null)[]>();

function keptLeases(names: readonly (number | null)[]): readonly (number | null)[] {
  LEASES.set(names.join(), names);
  return names;
}
