import type { Chance } from '../simulation/chance.ts';

/** A place that takes what others send, with inputs for it. */
export interface Target {
  readonly name: string;
  /** How often it is drawn, beside the others. */
  readonly weight: number;
  /** Makes what its inputs share, anew for each segment of a run; null: it cannot be had on this machine. */
  readonly open: (chance: Chance) => Promise<OpenTarget | null>;
}

export interface OpenTarget {
  /** Tries one input. Throws a Finding, or whatever else is a crash. */
  run(chance: Chance): Promise<void>;
  /** Throws a Finding about all of them together. */
  close(): Promise<void>;
}

export type FindingKind = 'crash' | 'hang' | 'leak';

/** Something that must not be. The words may hold what was sent: a fuzzer has no secrets. */
export class Finding extends Error {
  override readonly name = 'Finding';
  readonly kind: FindingKind;
  constructor(kind: FindingKind, words: string, options?: ErrorOptions) {
    super(words, options);
    this.kind = kind;
  }
}
