import { randomFillSync, randomUUID } from 'node:crypto';

/** Chance as an argument. */
export interface Random {
  /** 0 up to 1, for what need not be unfit to guess. */
  fraction(): number;
  /** Unfit to guess. */
  bytes(count: number): Buffer;
  /** Unfit to guess. */
  uuid(): string;
}

/** Asking the system costs about the same for so many bytes as for an id's dozen. */
const DRAWN_AT_ONCE = 4_096;

let drawn = Buffer.alloc(0);

export const systemRandom: Random = {
  fraction: () => Math.random(),
  /** Drawn in advance, and each given out once. */
  bytes(count) {
    // Memory of its own each time: what was given out before is never written over.
    if (count > drawn.length) {
      drawn = randomFillSync(Buffer.allocUnsafeSlow(Math.max(count, DRAWN_AT_ONCE)));
    }
    const given = drawn.subarray(0, count);
    drawn = drawn.subarray(count);
    return given;
  },
  uuid: () => randomUUID(),
};
