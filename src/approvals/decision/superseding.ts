import type { Part } from './part.ts';

/** A newer request withdraws older ones: the record, and where they find each other. `supersede.ts` does it. */

declare module '../approval.ts' {
  interface Approval {
    readonly supersedes?: Superseding;
    /** The newer request that superseded it, and where its message is. */
    readonly supersededBy?: SupersededBy;
  }
}

/** A request that withdraws older undecided ones of the same name. */
export interface Superseding {
  /** Hash of the source's name for them. */
  readonly name: string;
  /** Sorts by age, newest last. */
  readonly order: string;
  /** The older ones have been sent the signal. */
  readonly isDone?: true;
  /** How far down the list they have been sent it. */
  readonly after?: string;
  /** When to try again after the store did not answer. */
  readonly againAt?: number;
}

/** `ts`: its message. */
export interface SupersededBy {
  readonly id: string;
  readonly channel: string;
  readonly ts: string;
}

declare module './statement.ts' {
  interface StatementFacts {
    /** For somebody who decided a request that a newer one replaced. */
    readonly replaced: unknown;
  }
}

declare module './signal.ts' {
  interface PartSignals {
    /** Another request of the source with the same name is newer, unless its `order` is lower. */
    readonly supersede: { readonly order: string; readonly by: SupersededBy };
  }
}

declare module './part.ts' {
  interface WithdrawnFacts {
    readonly supersededBy?: SupersededBy;
  }
}

export const superseding: Part = {
  left: ({ supersededBy }) => supersededBy && { supersededBy },

  withdrawn: ({ supersededBy }) => supersededBy && { code: 'replaced' },

  callsOff: 'supersede',

  lists: ({ supersedes }) => (supersedes === undefined ? [] : [supersedingList(supersedes.name)]),
};

/** Open requests of one source, of which the newest supersedes the others. */
export function supersedingList(name: string): string {
  return `supersedes:${name}`;
}
