import type { Chance } from './chance.ts';
import { claimsOf } from './claims.ts';
import type { Door } from './door.ts';
import type { Version } from './evidence.ts';
import type { Gate } from './observer.ts';
import type { People } from './people.ts';
import { neededOf } from './places.ts';
import type { Scheduler } from './scheduler.ts';
import type { SecondThoughts } from './second-thoughts.ts';

interface HeldBackNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly door: Pick<Door, 'holdBack'>;
  readonly people: Pick<People, 'approveAgain'>;
  readonly secondThoughts: Pick<SecondThoughts, 'undo'>;
}

/**
 * Approvals that a process holds back, because it stands still between Slack's request and the store. Meanwhile the
 * same people, or others, approve at another process, and one of them undoes it before the first process goes on.
 */
export class HeldBack {
  readonly #needs: HeldBackNeeds;
  /** Whose approval was held back. */
  readonly #held = new Map<Gate, string>();

  constructor(needs: HeldBackNeeds) {
    this.#needs = needs;
  }

  posted(gate: Gate): void {
    const { chance, scheduler, door, people } = this.#needs;
    const person = chance.pick(gate.pressers);
    if (gate.holdMs === undefined || person === undefined || !chance.often(0.08)) return;
    this.#held.set(gate, person);
    const atMs = chance.wait(400, 3_000, 20_000);
    const approve = (who: string, ms: number) =>
      scheduler.after(ms, () => people.approveAgain(gate, who));
    scheduler.after(atMs, () => door.holdBack(person, chance.whole(14_000, 25_000)));
    approve(person, atMs);
    // Slack shows them an error after three seconds.
    const isAgain = chance.often(0.5);
    if (isAgain) approve(person, atMs + chance.whole(3_500, 5_000));
    const others = gate.pressers.filter((each) => each !== person);
    for (const other of others.slice(0, neededOf(gate) - (isAgain ? 1 : 0)))
      approve(other, atMs + chance.whole(300, 5_000));
  }

  /** Its message says so from now on. */
  held(gate: Gate, version: Version): void {
    const { chance, scheduler, secondThoughts } = this.#needs;
    const by = claimsOf(version).held?.by ?? [];
    const own = this.#held.get(gate) ?? '';
    const person = by.includes(own) ? own : chance.pick(by);
    if (person === undefined || !this.#held.delete(gate)) return;
    const atMs = chance.whole(300, 2_000);
    // The first press may be held back, too.
    for (const ms of [atMs, atMs + 3_500])
      scheduler.after(ms, () => secondThoughts.undo(gate, person));
  }
}
