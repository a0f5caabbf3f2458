import { createHash } from 'node:crypto';
import type { Random } from '../../src/core/lib/random.ts';

/**
 * All randomness of a world, from its seed. Each part of the world draws from its own branch, so that another draw in
 * one of them does not change the others.
 */
export class Chance {
  readonly #seed: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    this.#seed = seed;
    const hash = createHash('sha256').update(seed).digest();
    this.#a = hash.readInt32LE(0);
    this.#b = hash.readInt32LE(4);
    this.#c = hash.readInt32LE(8);
  }

  branch(name: string): Chance {
    return new Chance(`${this.#seed}/${name}`);
  }

  /** 32 random bits (sfc32). */
  bits(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** From 0 up to 1. */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** True with this probability. */
  often(share: number): boolean {
    return this.fraction() < share;
  }

  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** Usually near `usual`, sometimes much more, at most `most`: as waits for machines and people are. */
  wait(least: number, usual: number, most: number): number {
    const drawn = least - Math.log(1 - this.fraction()) * usual;
    return Math.min(most, Math.round(drawn * 1_000) / 1_000);
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  pick<Item>(items: readonly Item[]): Item | undefined;
  pick<Item>(items: readonly Item[]): Item | undefined {
    return items[Math.floor(this.fraction() * items.length)];
  }

  /** In the form that the product takes. */
  random(): Random {
    return {
      fraction: () => this.fraction(),
      bytes: (count) => this.bytes(count),
      uuid: () => uuidOf(this.bytes(16)),
    };
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.alloc(Math.ceil(count / 4) * 4);
    for (let at = 0; at < count; at += 4) bytes.writeUInt32LE(this.bits(), at);
    return bytes.subarray(0, count);
  }
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...parts, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
