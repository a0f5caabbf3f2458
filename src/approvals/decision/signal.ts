import type { ActedAt } from '../acted-at.ts';
import type { Action, Reachable } from '../approval.ts';
import type { BarSignals } from '../electorate/bar.ts';
import type { AskedAgain } from '../electorate/requester.ts';

/** Signals in an approval's inbox, by kind. Only Gatepost writes and reads them. */
interface Signals {
  readonly ballot: {
    readonly action: Action;
    readonly asker: Reachable;
    /** Sealed. */
    readonly reason?: string;
    /** The message that was clicked; absent: pressed elsewhere. */
    readonly message?: string;
    /** Digest of what was shown and, after a dot, its round, if pressed elsewhere. */
    readonly digest?: string;
    readonly acted?: ActedAt;
    /** Of the message that was clicked. */
    readonly round?: string;
  };
  /**
   * Read the status now; `asker` waits for the answer. `again`: the source asks for the same in somebody's name; earlier
   * versions only read the status.
   */
  readonly check: {
    readonly asker?: Reachable;
    readonly message?: string;
    readonly again?: AskedAgain;
  };
  /** A person takes back their approval. `message`: the request's, if pressed there. */
  readonly 'take-back': {
    readonly asker: Reachable;
    readonly message?: string;
    readonly acted?: ActedAt;
    readonly round?: string;
  };
  /** A person reviewed what its requester approved. */
  readonly reviewed: { readonly asker: Reachable; readonly message?: string };
  /** Somebody whom it may ask left or came back. */
  readonly absences: unknown;
  /** What suspended the approvals on the list works again for another one. */
  readonly resume: { readonly list: string };
  /** The source withdraws the request or, with `asker`, its requester. */
  readonly withdraw: { readonly asker?: Reachable };
}

/** Those of features. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface FeatureSignals {}

type SignalsOf<All> = {
  readonly [Kind in keyof All]: { readonly kind: Kind } & All[Kind];
}[keyof All];

export type FeatureSignal<Kind extends keyof FeatureSignals = keyof FeatureSignals> = SignalsOf<
  Pick<FeatureSignals, Kind>
>;

/** What bars approvals may have changed. */
export interface BarSignal {
  readonly kind: keyof BarSignals;
  readonly changedAt: number;
}

export type ApprovalSignal = SignalsOf<Signals> | FeatureSignal | BarSignal;

export function encodeSignal(signal: ApprovalSignal): string {
  return JSON.stringify(signal);
}
