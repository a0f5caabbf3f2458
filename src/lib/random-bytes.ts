import { randomFillSync } from 'node:crypto';

/** Asking the system costs about the same for so many bytes as for an id's dozen. */
const DRAWN_AT_ONCE = 4_096;

let drawn = Buffer.alloc(0);

/** Random bytes, unfit to guess. They are drawn in advance, and each is given out once. */
export function randomBytes(bytes: number): Buffer {
  // Memory of its own each time: what was given out before is never written over.
  if (bytes > drawn.length) {
    drawn = randomFillSync(Buffer.allocUnsafeSlow(Math.max(bytes, DRAWN_AT_ONCE)));
  }
  const given = drawn.subarray(0, bytes);
  drawn = drawn.subarray(bytes);
  return given;
}
