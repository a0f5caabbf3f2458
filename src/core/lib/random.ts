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

/** The most that one call gives. */
const CALL_MAX = 65_536;

let drawn = Buffer.alloc(0);

/** The global `crypto` is loaded when it is first used, which not every command does. */
export const systemRandom: Random = {
  fraction: () => Math.random(),
  /** Drawn in advance; each byte is used once. */
  bytes(count) {
    // A new buffer each time: bytes already returned must not be overwritten.
    if (count > drawn.length) {
      drawn = Buffer.allocUnsafeSlow(Math.max(count, DRAWN_AT_ONCE));
      for (let at = 0; at < drawn.length; at += CALL_MAX) {
        crypto.getRandomValues(drawn.subarray(at, at + CALL_MAX));
      }
    }
    const given = drawn.subarray(0, count);
    drawn = drawn.subarray(count);
    return given;
  },
  uuid: () => crypto.randomUUID(),
};
