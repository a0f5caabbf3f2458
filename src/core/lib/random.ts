import { randomFillSync, randomUUID } from 'node:crypto';

/** Randomness, passed in. */
export interface Random {
  /** From 0 to 1; may be guessable. */
  fraction(): number;
  /** Not guessable. */
  bytes(count: number): Buffer;
  /** Not guessable. */
  uuid(): string;
}

/** A system call for this many bytes costs about the same as for the few of an id. */
const DRAWN_AT_ONCE = 4_096;

let drawn = Buffer.alloc(0);

export const systemRandom: Random = {
  fraction: () => Math.random(),
  /** Drawn in advance; each byte is used once. */
  bytes(count) {
    // A new buffer each time: bytes already returned must not be overwritten.
    if (count > drawn.length) {
      drawn = randomFillSync(Buffer.allocUnsafeSlow(Math.max(count, DRAWN_AT_ONCE)));
    }
    const given = drawn.subarray(0, count);
    drawn = drawn.subarray(count);
    return given;
  },
  uuid: () => randomUUID(),
};
