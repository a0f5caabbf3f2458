import type { Redis } from 'ioredis';
import type { Random } from '../../lib/random.ts';
import { runIdOf } from './confirmation.ts';

/** One run of one server, from its start to its end. */
export interface Life {
  readonly id: string;
  /** False: the server does not tell, and may be another one at each connection. */
  readonly isTold: boolean;
}

/** Which life of which server keys are written to, and since when; see `Store` for what that promises. */
export class ServerLives {
  readonly #random: Random;
  readonly #ofStream = new WeakMap<Redis['stream'], Life>();
  /** By what all keys that are in one place share, as of the last write. */
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

  /** From when on it serves, where nothing was noticed before. */
  begin(now: number): void {
    if (this.#servingSince === 0) this.#servingSince = now;
  }

  /** undefined: it has to be learned. */
  of({ stream }: Redis): Life | undefined {
    return this.#ofStream.get(stream);
  }

  async learn(node: Redis): Promise<Life> {
    const { stream } = node;
    const id = await runIdOf(node).catch(() => undefined);
    const told = { id: id ?? this.#random.uuid(), isTold: id !== undefined };
    // Whoever asked at the same time has the same answer.
    this.#ofStream.set(stream, this.#ofStream.get(stream) ?? told);
    // It may have connected anew meanwhile.
    return this.of(node) ?? this.learn(node);
  }

  /** Before anything is written. */
  note(tag: string, life: Life): void {
    this.#ofTag.set(tag, life);
  }

  /**
   * Something is written there now. Where nothing was noted before it is another server, too. True: another one, or
   * another life of it, than before, noticed for the first time.
   */
  notice(tag: string, life: Life, now: () => number): boolean {
    const before = this.#ofTag.get(tag);
    if (before?.id === life.id) return false;
    const isKnown = [...this.#ofTag.values()].some(({ id }) => id === life.id);
    this.#ofTag.set(tag, life);
    this.#servingSince = now();
    // One that does not tell is most likely the same.
    if (life.isTold) this.#wentBackAt = this.#servingSince;
    return before !== undefined && life.isTold && !isKnown;
  }
}
