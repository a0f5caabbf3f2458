import type { Route } from '../../../src/core/config/config.ts';
import { type FailureFacts, isUnclear, RemoteFailure } from '../../../src/core/lib/failure.ts';
import { StoreError } from '../../../src/core/store/store.ts';
import { NOW, routeWith } from '../../approvals/approvals.ts';
import { seededRandom } from '../../e2e/crash/seeded-random.ts';

export interface Chances {
  readonly seed: number;
  /** How often a call to Slack or the service fails. */
  readonly failing: number;
  /** How often the store is unavailable. */
  readonly away: number;
}

/** At least one. */
export type Choices<Item> = readonly [Item, ...Item[]];

/** The time, and how calls end: by chance, the same for the same seed. */
export class Weather {
  now = NOW;
  /** When the store last lost writes. */
  wentBackAt = 0;
  /** As the rules say now. */
  readonly routes: Route[] = [routeWith()];
  #chances: Chances;
  readonly random: () => number;
  /** What happened, or may have, since the last look, loss or press. */
  readonly #done = new Set<string>();

  constructor(chances: Chances) {
    this.#chances = chances;
    this.random = seededRandom(chances.seed);
  }

  pick<Item>(items: Choices<Item>): Item {
    return items[Math.floor(this.random() * items.length)] ?? items[0];
  }

  /** An administrator changes the rules: the route is closed for a while, open, or gone. */
  changeRules(): void {
    const closed = [{ from: this.now, until: this.now + 20_000, why: 'Audit' }];
    const routes = this.pick<readonly Route[]>([[routeWith({ closed })], [routeWith()], []]);
    this.routes.splice(0, this.routes.length, ...routes);
  }

  /** From now on every call succeeds. */
  clear(): void {
    this.#chances = { ...this.#chances, failing: 0, away: 0 };
  }

  async call<Answer>(answer: () => Answer): Promise<Answer> {
    if (this.random() < this.#chances.failing) throw new RemoteFailure('call', this.pick(FAILURES));
    return answer();
  }

  /** A call with an effect: a mistake if it may have happened already, and nobody has looked since. */
  async act<Answer>(effect: string, answer: () => Answer): Promise<Answer> {
    if (this.#done.has(effect)) throw new Error(`${effect}: a second time, without a look`);
    this.#done.add(effect);
    try {
      return await this.call(answer);
    } catch (error) {
      if (error instanceof RemoteFailure && !isUnclear(error)) this.#done.delete(effect);
      throw error;
    }
  }

  /** Somebody looks whether it happened. */
  look<Answer>(effect: string, answer: () => Answer): Promise<Answer> {
    this.#done.delete(effect);
    return this.call(answer);
  }

  /** The record no longer knows what was done, or a person wants it again. */
  forget(): void {
    this.#done.clear();
  }

  async stored<Answer>(answer: () => Answer): Promise<Answer> {
    if (this.random() < this.#chances.away) throw new StoreError('unavailable', 'away');
    return answer();
  }
}

const FAILURES: Choices<FailureFacts> = [
  { class: 'ambiguous', code: 'timeout' },
  { class: 'ambiguous', code: 'http_503', status: 503 },
  { class: 'not-sent', code: 'connection_refused' },
  { class: 'unreadable', code: 'not_json', status: 200 },
  { class: 'refused', code: 'ratelimited', status: 429 },
  { class: 'refused', code: 'http_307', status: 307 },
  { class: 'refused', code: 'http_404', status: 404 },
  { class: 'refused', code: 'http_422', status: 422 },
  { class: 'refused', code: 'not_in_channel', status: 200 },
  { class: 'refused', code: 'user_not_found', status: 200 },
  { class: 'refused', code: 'message_not_found', status: 200 },
];
