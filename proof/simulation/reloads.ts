import type { Config } from '../../src/core/config/config.ts';
import type { Store } from '../../src/core/store/store.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Gate, Observer } from './observer.ts';
import type { Replica } from './replica.ts';
import type { Scheduler } from './scheduler.ts';
import { CHANGING } from './settings.ts';

interface ReloadNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly chronicle: Chronicle;
  readonly observer: Pick<Observer, 'reloads' | 'presses'>;
  readonly now: () => number;
  readonly replicas: () => readonly Replica[];
  /** The usual rules, and those of a while: see `CHANGING`. */
  readonly usual: Config;
  readonly changed: Config;
  /** Whether rules change in this world. */
  readonly happens: boolean;
}

const STARTING_MS = 250;
/** How long a decision waits for the service. */
const WAITS_MS = 2_500;

/** The rules of all processes change at one moment, some while an approval is held, and change back later. */
export class Reloads {
  readonly #needs: ReloadNeeds;
  #isChanged = false;
  #isOver = false;
  /** Called when somebody does not review those routes any more, or again. */
  onChanged: (isChanged: boolean) => void = () => {};

  constructor(needs: ReloadNeeds) {
    this.#needs = needs;
    if (needs.happens) this.#changeIn(needs.chance.wait(4_000, 20_000, 60_000));
  }

  /** What a process starts with now. */
  get config(): Config {
    return this.#isChanged ? this.#needs.changed : this.#needs.usual;
  }

  /** A process began with what was there then. */
  started(replica: Replica): void {
    replica.reload(() => ({ ok: true, config: this.config, warnings: [] }));
  }

  held(gate: Gate): void {
    const { chance } = this.#needs;
    const { holdMs = 0 } = gate;
    if (this.concerns(gate) && chance.often(0.15)) this.#changeIn(chance.whole(0, holdMs));
  }

  /** Whether the rules of its route change in this world. */
  concerns({ route }: Pick<Gate, 'route'>): boolean {
    return this.#needs.happens && CHANGING.routes.some((each) => each === route);
  }

  /** Somebody who decides it is taken off its route while it waits. */
  waits(gate: Gate): void {
    const { chance, observer } = this.#needs;
    const hasPressed = observer.presses.some(
      ({ approval, person }) => approval === gate.name && person === CHANGING.person,
    );
    if (this.concerns(gate) && hasPressed) this.#changeIn(chance.whole(0, WAITS_MS));
  }

  get areChanged(): boolean {
    return this.#isChanged;
  }

  /** They change now, if they have not yet. */
  change(): void {
    this.#changeIn(0);
  }

  end(): void {
    this.#isOver = true;
    if (this.#isChanged) this.#change(false);
  }

  #changeIn(ms: number): void {
    const { chance } = this.#needs;
    this.#onceAllRun(ms, () => {
      if (this.#isOver || this.#isChanged) return;
      this.#change(true);
      this.#onceAllRun(chance.whole(5_000, 25_000), () => {
        if (this.#isOver) return;
        this.#change(false);
        this.#changeIn(chance.whole(15_000, 60_000));
      });
    });
  }

  /** A process that is starting already serves with the rules that it read, and takes the signal once it has started. */
  #onceAllRun(ms: number, run: () => void): void {
    const { scheduler, replicas } = this.#needs;
    scheduler.after(ms, () => {
      if (replicas().some((each) => each.isStarting)) this.#onceAllRun(STARTING_MS, run);
      else run();
    });
  }

  #change(isChanged: boolean): void {
    const { observer, chronicle, replicas, now } = this.#needs;
    this.#isChanged = isChanged;
    observer.reloads.push(now());
    const what = isChanged ? 'takes a reviewer off some routes' : 'puts a reviewer back';
    chronicle.noteForAll('operator', what);
    for (const replica of replicas()) this.started(replica);
    this.onChanged(isChanged);
  }
}

/** The note in the log that new rules are used is written at once: otherwise nobody knows from when on they are. */
export function notingRulesAtOnce(store: Store, near: Store): Store {
  const forName = (name: string) => (name.startsWith('gatepost.rules') ? near : store);
  const own: Pick<Store, 'writeAudit' | 'get' | 'put'> = {
    writeAudit: (entry) => forName(entry.action).writeAudit(entry),
    get: (key) => forName(key).get(key),
    put: (key, ...rest) => forName(key).put(key, ...rest),
  };
  return new Proxy(store, {
    get: (target, name) => Reflect.get(name in own ? own : target, name),
  });
}
