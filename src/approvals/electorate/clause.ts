import type { NamedPeople, Reviewers, Route } from '../../core/config/config.ts';
import type { Approval } from '../approval.ts';

/** What says who may decide a request: of an approval, or of one that is only asked for. */
export type RequestRules = Partial<Approval>;

/** More people who can decide from a time on; `needs`: which they can fill, undefined: any. */
export interface Addition extends NamedPeople {
  readonly at: number;
  readonly needs?: readonly string[] | undefined;
}

/** What every clause can build on. */
export interface Named {
  readonly route: Route | undefined;
  /** All of whose members can decide; undefined: only those named. */
  readonly channel: string | undefined;
  /** Who can decide, if the request narrows nothing. */
  readonly named: Reviewers;
  /** Who is asked; nobody else can decide a request that is narrowed to them. */
  readonly asked: Reviewers;
  /** Who can decide, and is not asked to. */
  readonly silent: NamedPeople;
  /** Who is added, until the request ends. */
  readonly steps: readonly Addition[];
  /** Those who already can. */
  readonly begun: readonly Addition[];
  /** The electorate is the same from the last addition on, until the next one. */
  readonly since: number;
  readonly until: number;
}

/** More people will be able to decide later. */
export function growsLater({ steps, begun }: Pick<Named, 'steps' | 'begun'>): boolean {
  return steps.length > begun.length;
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
  /** Adds the next people now, because too few are left; undefined: it has none. `steps`: how many were added early. */
  hasten?(
    electorate: Named & Part & On,
    approval: Approval,
    at: number,
  ): { readonly data: Approval; readonly steps: number } | undefined;
  /** What it means for a request, in order. */
  rules(electorate: Named & Part & On, request: RequestRules): readonly Rule[];
}
