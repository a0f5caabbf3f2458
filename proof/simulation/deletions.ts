import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Door } from './door.ts';
import type { Gate, Observer } from './observer.ts';
import type { People } from './people.ts';
import type { Scheduler } from './scheduler.ts';
import type { Weather } from './weather.ts';

interface DeletionNeeds {
  readonly sandbox: Pick<Sandbox, 'workspace'>;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly chronicle: Chronicle;
  readonly observer: Observer;
  readonly weather: Weather;
  readonly door: Pick<Door, 'holdUp'>;
  readonly people: Pick<People, 'pressTogether'>;
}

/** After two deletions messages are left alone: the one with the outcome comes after two that are gone. */
const MOST = 2;
/** How often a message is deleted: of gates that one person decides or several, and after an earlier deletion. */
const DELETED = { one: 0.01, several: 0.06, again: 0.7 } as const;

/** Somebody deletes messages of approvals, some of them while others press there. */
export class Deletions {
  readonly #needs: DeletionNeeds;
  /** How many messages of a gate were deleted. */
  readonly #deleted = new Map<Gate, number>();

  constructor(needs: DeletionNeeds) {
    this.#needs = needs;
  }

  /** A message was posted, for the first time or again. */
  posted(gate: Gate): void {
    const { chance, scheduler } = this.#needs;
    const usual = gate.quorum > 1 ? DELETED.several : DELETED.one;
    const deleted = this.#deleted.get(gate) ?? 0;
    if (deleted >= MOST || !chance.often(deleted > 0 ? DELETED.again : usual)) return;
    scheduler.after(chance.wait(300, 5_000, 40_000), () => this.#delete(gate));
  }

  #delete(gate: Gate): void {
    const { scheduler, chance, weather, door, people } = this.#needs;
    const { place } = gate;
    if (place === null || !weather.isRough) return;
    this.#deleted.set(gate, (this.#deleted.get(gate) ?? 0) + 1);
    // One of them presses in time, and Slack shows late that another one pressed.
    const [, late] = people.pressTogether(gate);
    if (late !== undefined) door.holdUp(late, chance.whole(50, 2_000));
    scheduler.after(1, () => {
      if (gate.place === place) this.now(gate);
    });
  }

  /** Somebody deletes its message, if it is there. */
  now(gate: Gate): void {
    const { sandbox, observer, chronicle } = this.#needs;
    const { place } = gate;
    if (place === null) return;
    sandbox.workspace.deleteMessage(place.channel, place.ts);
    observer.deleted(gate);
    chronicle.note('administrator', `deletes ${place.ts}`, gate.name);
  }
}
