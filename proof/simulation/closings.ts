import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { ClosingSeen, Command } from './evidence.ts';
import type { Observer } from './observer.ts';
import type { People } from './people.ts';
import type { Scheduler } from './scheduler.ts';
import { DESK, type RouteOfWorld } from './settings.ts';

interface ClosingNeeds {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly observer: Observer;
  readonly chronicle: Chronicle;
  readonly now: () => number;
  readonly people: Pick<People, 'seeAgain'>;
  readonly routes: readonly RouteOfWorld[];
  /** Not to be closed now. */
  readonly isKept: (route: string) => boolean;
  /** Somebody reads that a route is closed: now a process may die. */
  readonly onClosed: () => void;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** How often it is typed until it is answered, how often it is opened early, and how soon. */
interface How {
  readonly times: number;
  readonly early: number;
  readonly leastMs: number;
  readonly mostMs: number;
  /** For how long; absent: mostly one. */
  readonly minutes?: number;
  /** They have read that it is open again. */
  readonly onOpened?: () => void;
}

/** A command, and when a closing that it begins or ends would end. */
interface Unanswered {
  readonly route: string;
  readonly at: number;
  readonly endsAt: number;
}

const USUAL: How = { times: 1, early: 0.6, leastMs: 3_000, mostMs: 40_000 };
/** Until a decision is sent again. */
export const FOR_A_DECISION: How = { ...USUAL, times: 4, leastMs: 25_000 };
const BRIEFLY: How = { ...USUAL, early: 1, leastMs: 1_000, mostMs: 6_000 };
const TO_ITS_END: How = { ...USUAL, times: 4, early: 0, minutes: 2 };

const MINUTE_MS = 60_000;
/** How long a command that nobody answered may be in flight. */
const LATE_MS = 60_000;
/** People read whole seconds, and replicas round. */
const AROUND_MS = 1_500;
/** Before the same is typed again. */
const AGAIN_MS = 2_000;
const LOOKS = 80;
const LOOK_MS = 250;
const CLOSED = /is closed until <!date\^(\d+)\^.* Closed from <!date\^(\d+)\^/;
const OPENED = /^Route `[^`]+` is (?:open\.|not closed)/;

/** An administrator who closes one route after the other, and opens some of them early. */
export class Closings {
  readonly #needs: ClosingNeeds;
  /** Commands whose result nobody knows yet. */
  underWay = 0;
  #isOver = false;
  #count = 0;
  /** Commands without an answer: they may still arrive, and then a closing ends at that time at the earliest. */
  readonly #unanswered = new Set<Unanswered>();

  constructor(needs: ClosingNeeds) {
    this.#needs = needs;
    this.#closeIn(needs.chance.whole(2_000, 15_000));
  }

  /** Nothing is closed any more. */
  end(): void {
    this.#isOver = true;
  }

  #closeIn(ms: number): void {
    const { scheduler, chance, routes, isKept } = this.#needs;
    scheduler.after(ms, () => {
      if (this.#isOver) return;
      const route = chance.pick(routes.filter(({ name }) => !isKept(name)));
      const again = () => this.#closeIn(chance.whole(1_000, 15_000));
      if (route === undefined) again();
      else this.closes(route.name, again);
    });
  }

  closes(route: string, onEnd: () => void = () => {}, how: How = USUAL): void {
    const { chronicle } = this.#needs;
    this.underWay += 1;
    this.#close(route, how)
      .catch((error: unknown) => chronicle.note(DESK, `gives up: ${String(error)}`))
      .finally(() => {
        this.underWay -= 1;
        onEnd();
      });
  }

  /** It is opened soon. `then`: once they have read that. */
  closesBriefly(route: string, then: () => void): void {
    this.closes(route, undefined, { ...BRIEFLY, onOpened: then });
  }

  /** It is not opened early. */
  staysClosed(route: string): void {
    this.closes(route, undefined, TO_ITS_END);
  }

  async #close(name: string, how: How): Promise<void> {
    const { chance, observer, now, scheduler, onClosed } = this.#needs;
    const minutes = how.minutes ?? (chance.often(0.8) ? 1 : 2);
    this.#count += 1;
    const at = now();
    const endsAt = at + minutes * MINUTE_MS - AROUND_MS;
    const span: Mutable<ClosingSeen> = {
      route: name,
      from: at,
      to: at + minutes * MINUTE_MS + LATE_MS,
      surelyFrom: null,
      surelyTo: Math.min(endsAt, ...this.#mayYetEnd(name, at)),
    };
    const typed = { route: name, at, endsAt };
    this.#unanswered.add(typed);
    this.#doubt(name, at);
    observer.closings.push(span);
    const text = `/approvals close ${name} in ${minutes} min: Freeze ${this.#count}`;
    const answer = await this.#type(text, at);
    const [, until, from] = CLOSED.exec(answer ?? '') ?? [];
    // If nothing was changed, a second delivery of the command may still close it.
    if (until === undefined) {
      if (how.times === 1) return;
      await scheduler.sleep(AGAIN_MS);
      return this.#close(name, { ...how, times: how.times - 1 });
    }
    this.#unanswered.delete(typed);
    span.until = Number(until) * 1_000;
    span.to = Number(until) * 1_000 + AROUND_MS;
    span.surelyFrom = Number(from) * 1_000;
    span.surelyTo = Math.min(span.surelyTo, Number(until) * 1_000 - AROUND_MS);
    onClosed();
    if (!chance.often(how.early)) return;
    await scheduler.sleep(chance.whole(how.leastMs, how.mostMs));
    await this.#open(name, span, how);
  }

  async #open(name: string, span: Mutable<ClosingSeen>, { onOpened }: How): Promise<void> {
    const { now, observer, people, chance, scheduler } = this.#needs;
    const at = now();
    this.#doubt(name, at);
    const typed = { route: name, at, endsAt: at };
    this.#unanswered.add(typed);
    const answer = await this.#type(`/approvals open ${name}`, at);
    if (answer === undefined || !OPENED.test(answer)) return;
    this.#unanswered.delete(typed);
    span.to = Math.min(span.to, now());
    onOpened?.();
    // Some press again.
    for (const gate of observer.gates) {
      if (gate.route !== name || gate.place === null || gate.effects.length > 0) continue;
      if (chance.often(0.5)) scheduler.after(chance.whole(500, 6_000), () => people.seeAgain(gate));
    }
  }

  #mayYetEnd(name: string, at: number): number[] {
    return [...this.#unanswered]
      .filter((each) => each.route === name && at <= each.at + LATE_MS)
      .map(({ endsAt }) => endsAt);
  }

  /** Another time takes the place of an earlier one, also of a later end. */
  #doubt(name: string, at: number): void {
    const { closings } = this.#needs.observer;
    for (const span of closings)
      if (span.route === name) span.surelyTo = Math.min(span.surelyTo, at);
  }

  /** What they read then; undefined: nothing. */
  async #type(text: string, at: number): Promise<string | undefined> {
    const { sandbox, observer, scheduler, chronicle } = this.#needs;
    const typed: Mutable<Command> = { person: DESK, text, at, acknowledged: false, answer: null };
    observer.typed(typed);
    const channel = `D${DESK.slice(1)}`;
    const delivery = await sandbox.workspace.command({ user: DESK, channel, text });
    typed.acknowledged = delivery.acknowledged;
    typed.answer ??= delivery.shown ?? (delivery.body === '' ? null : delivery.body);
    chronicle.noteForAll(DESK, `types ${text}, and sees ${delivery.shown ?? 'it taken'}`);
    for (let look = 0; delivery.acknowledged && look < LOOKS; look += 1) {
      const answer = observer.answerTo(DESK, at);
      if (answer !== undefined) {
        chronicle.noteForAll(DESK, `reads “${answer}”`);
        return answer;
      }
      await scheduler.sleep(LOOK_MS);
    }
    return undefined;
  }
}
