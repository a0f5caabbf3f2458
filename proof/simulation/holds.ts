import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import { claimsOf } from './claims.ts';
import type { Version } from './evidence.ts';
import type { Gate, Observer } from './observer.ts';
import type { People } from './people.ts';
import type { Scheduler } from './scheduler.ts';
import type { SecondThoughts } from './second-thoughts.ts';

interface HoldNeeds {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly observer: Observer;
  readonly chronicle: Chronicle;
  readonly now: () => number;
  readonly people: Pick<People, 'objects' | 'approveAgain'>;
  readonly secondThoughts: Pick<SecondThoughts, 'undo'>;
  /** Somebody approves it in the service. */
  readonly approveElsewhere: (gate: Gate) => void;
}

/**
 * People who see that an approval is held, and undo it or object, some of them at its end; and people who review a
 * self-approval, including its requester.
 */
export class Holds {
  readonly #needs: HoldNeeds;
  readonly #elsewhere: Chance;
  /** Presses whose result Slack has not shown yet. */
  underWay = 0;

  constructor(needs: HoldNeeds) {
    this.#needs = needs;
    this.#elsewhere = needs.chance.branch('elsewhere');
  }

  /** Its message says so from now on. */
  held(gate: Gate, version: Version): void {
    const { chance, scheduler, people, secondThoughts } = this.#needs;
    const { held } = claimsOf(version);
    const { holdMs = 0 } = gate;
    const soon = () =>
      chance.often(0.3) ? holdMs - chance.whole(0, 900) : chance.whole(0, holdMs + 500);
    const by = held?.by ?? [];
    if (chance.often(0.3)) {
      // Often somebody other than the one who pressed last.
      const person = chance.often(0.8) ? chance.pick(by) : chance.pick(gate.pressers);
      if (person !== undefined) {
        scheduler.after(soon(), () => secondThoughts.undo(gate, person));
        if (chance.often(0.6))
          scheduler.after(holdMs + chance.whole(500, 8_000), () =>
            people.approveAgain(gate, person),
          );
      }
    }
    if (chance.often(0.2)) scheduler.after(soon(), () => people.objects(gate, by));
    this.#approveElsewhere(gate);
    const other = chance.often(0.2) ? chance.pick(gate.pressers) : undefined;
    if (other !== undefined) scheduler.after(soon(), () => people.approveAgain(gate, other));
  }

  /** Sometimes somebody approves it in the service, before what is held can be sent. */
  #approveElsewhere(gate: Gate): void {
    const { scheduler, approveElsewhere } = this.#needs;
    const { holdMs = 0 } = gate;
    if (gate.authority === 'service' && this.#elsewhere.often(0.25))
      scheduler.after(this.#elsewhere.whole(0, holdMs), () => approveElsewhere(gate));
  }

  /** Its message asks for a review of the self-approval. */
  asksForReview(gate: Gate): void {
    const { chance, scheduler } = this.#needs;
    const all = [
      ...(chance.often(0.4) ? (gate.askers ?? []).slice(0, 1) : []),
      ...(chance.often(0.2) ? ['U0GUS'] : []),
      ...[0.7, 0.4].flatMap((share) => (chance.often(share) ? [chance.pick(gate.pressers)] : [])),
    ];
    for (const person of all) {
      if (person === undefined) continue;
      // Some when it is folded.
      scheduler.after(chance.wait(300, 8_000, 60_000), () => this.review(gate, person));
    }
  }

  review(gate: Gate, person: string): void {
    const { sandbox, chance, observer, chronicle, now } = this.#needs;
    const { place } = gate;
    if (place === null) return;
    const at = now();
    this.underWay += 1;
    sandbox.workspace
      .click({
        ...{ user: person, ...place, actionId: 'approvals.reviewed' },
        ...(chance.often(0.15) && { twice: chance.often(0.5) ? 'pressed' : 'delivered' }),
      })
      .then((delivery) => {
        chronicle.note(person, `has reviewed ${gate.name}`, gate.name);
        for (const { acknowledged, ackMs, shown } of [delivery, delivery.second].flatMap(
          (each) => each ?? [],
        )) {
          const acknowledgedAt = acknowledged ? at + ackMs : null;
          observer.reviews.push({ person, approval: gate.name, at, acknowledgedAt, shown });
        }
      })
      .catch((error: unknown) => {
        chronicle.note(person, `finds nothing to review at ${gate.name}: ${error}`, gate.name);
      })
      .finally(() => {
        this.underWay -= 1;
      });
  }
}
