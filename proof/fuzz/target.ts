import type { Chance } from '../simulation/chance.ts';

/** Code that accepts input from others, with inputs for it. */
export interface Target {
  readonly name: string;
  /** How often it is chosen, relative to the others. */
  readonly weight: number;
  /** Creates what its inputs share, for each segment of a run; null: it is not available on this machine. */
  readonly open: (chance: Chance) => Promise<OpenTarget | null>;
}

export interface OpenTarget {
  /** Tries one input. Throws a Finding, or anything else if it crashes. */
  run(chance: Chance): Promise<void>;
  /** Throws a Finding about all inputs together. */
  close(): Promise<void>;
}

export type FindingKind = 'crash' | 'hang' | 'leak';

/** A violation. The text may contain the input: a fuzzer has no secrets. */
export class Finding extends Error {
  override readonly name = 'Finding';
  readonly kind: FindingKind;
  constructor(kind: FindingKind, words: string, options?: ErrorOptions) {
    super(words, options);
    this.kind = kind;
  }
}
