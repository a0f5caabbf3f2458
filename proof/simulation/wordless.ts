import type { Chance } from './chance.ts';
import type { Gate } from './observer.ts';
import type { People } from './people.ts';
import type { Scheduler } from './scheduler.ts';

interface WordlessNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly people: Pick<People, 'opensHome' | 'pressAsRead' | 'decideSeveralOf'>;
  readonly check: (gate: Gate) => void;
}

/**
 * Gates whose description only the service has, and does not say at first. People have read the request without it, on
 * their Home tab or in a form for several, and decide at the moment at which its message has it: what they press is out
 * of date.
 */
export class Wordless {
  readonly #needs: WordlessNeeds;
  readonly #described = new Set<Gate>();
  /** Until when the service answers no read. */
  readonly #silentUntil = new Map<Gate, number>();
  readonly #readers = new Map<Gate, string>();

  constructor(needs: WordlessNeeds) {
    this.#needs = needs;
  }

  isSilent(gate: Gate): boolean {
    if (gate.prompt === undefined) return false;
    const { scheduler } = this.#needs;
    return scheduler.now < (this.#silentUntil.get(gate) ?? Number.POSITIVE_INFINITY);
  }

  isDescribed = (gate: Gate): boolean => gate.prompt === undefined || this.#described.has(gate);

  posted(gate: Gate): void {
    const { scheduler, chance, people } = this.#needs;
    if (gate.prompt === undefined || this.#silentUntil.has(gate)) return;
    this.willBeDescribed(gate);
    const [one, other] = [chance.pick(gate.pressers), chance.pick(gate.pressers)];
    if (one === undefined || other === undefined) return;
    this.#readers.set(gate, one);
    for (const ms of [500, 4_000]) scheduler.after(ms, () => people.opensHome(one));
    // After the others of its crowd.
    scheduler.after(4_000, () => people.decideSeveralOf(gate, other));
  }

  /** The service says its description after a while. */
  willBeDescribed(gate: Gate): void {
    const { scheduler, chance, check } = this.#needs;
    const silentMs = chance.whole(9_000, 14_000);
    this.#silentUntil.set(gate, scheduler.now + silentMs);
    scheduler.after(silentMs, () => check(gate));
  }

  /** Its message says now what the service says. */
  described(gate: Gate): void {
    this.#described.add(gate);
    const reader = this.#readers.get(gate);
    if (reader !== undefined) this.#needs.people.pressAsRead(gate, reader, 'approve');
  }
}
