import type { Reviewers, Route } from '../../core/config/config.ts';
import type { Approval } from '../approval.ts';

/** What says who may decide a request: of an approval, or of one that is only asked for. */
export type RequestRules = Partial<
  Pick<
    Approval,
    | 'key'
    | 'channel'
    | 'createdAt'
    | 'requester'
    | 'alsoAskedBy'
    | 'narrowedTo'
    | 'quorum'
    | 'needs'
    | 'absent'
    | 'counted'
    | 'escalatedAt'
    | 'expiresAt'
    | 'withdrawnAt'
    | 'outcome'
  >
>;

/** What every clause can build on. */
export interface Named {
  readonly route: Route | undefined;
  /** All of whose members can decide; undefined: only those named. */
  readonly channel: string | undefined;
  /** Who can decide, if the request narrows nothing. */
  readonly named: Reviewers;
  /** Who is asked; nobody else can decide a request that is narrowed to them. */
  readonly asked: Reviewers;
}

/** One rule about who may decide. `Part` is what it adds to the electorate, `On` what it builds on. */
export interface Clause<Part, Rule = never, On = unknown> {
  /** For a request that says nothing about it. Called once for each route. */
  start(named: Named): Part & Partial<Named>;
  /** What a request, or time, changes; undefined: nothing. */
  shape?(
    electorate: Named & Part & On,
    request: RequestRules,
    asOf: number,
  ): Partial<Named & Part & On> | undefined;
  /** What it means for a request, in order. */
  rules(electorate: Named & Part & On, request: RequestRules): readonly Rule[];
}
