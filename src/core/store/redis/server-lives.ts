import type { Redis } from 'ioredis';
import type { Random } from '../../lib/random.ts';
import { runIdOf } from './confirmation.ts';

/** One run of a server, from its start to its end. */
export interface Life {
  readonly id: string;
  /** False: the server does not say, and each connection may lead to another one. */
  readonly isTold: boolean;
}

/** Which run of which server keys are written to, and since when; see `Store` for the consequences. */
export class ServerLives {
  readonly #random: Random;
  readonly #ofStream = new WeakMap<Redis['stream'], Life>();
  /** By the tag that all keys of one server share, as of the last write. */
  readonly #ofTag = new Map<string, Life>();
  #servingSince = 0;
  #wentBackAt = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  get servingSince(): number {
    return this.#servingSince;
  }

  get wentBackAt(): number {
    return this.#wentBackAt;
  }

  /** The start of service, if no change was noticed before. */
  begin(now: number): void {
    if (this.#servingSince === 0) this.#servingSince = now;
  }

  /** undefined: it has to be asked. */
  of({ stream }: Redis): Life | undefined {
    return this.#ofStream.get(stream);
  }

  async learn(node: Redis): Promise<Life> {
    const { stream } = node;
    const id = await runIdOf(node).catch(() => undefined);
    const told = { id: id ?? this.#random.uuid(), isTold: id !== undefined };
    // Simultaneous callers get the same answer.
    this.#ofStream.set(stream, this.#ofStream.get(stream) ?? told);
    // It may have reconnected in the meantime.
    return this.of(node) ?? this.learn(node);
  }

  /** Called before anything is written. */
  note(tag: string, life: Life): void {
    this.#ofTag.set(tag, life);
  }

  /**
   * Called on a write. The first write counts as a change of server if nothing was noted before. Returns true when a
   * different server, or a new run of it, is noticed for the first time.
   */
  notice(tag: string, life: Life, now: () => number): boolean {
    const before = this.#ofTag.get(tag);
    if (before?.id === life.id) return false;
    const isKnown = [...this.#ofTag.values()].some(({ id }) => id === life.id);
    this.#ofTag.set(tag, life);
    this.#servingSince = now();
    // One that does not say is probably the same.
    if (life.isTold) this.#wentBackAt = this.#servingSince;
    return before !== undefined && life.isTold && !isKnown;
  }
}
