import type { NamedPeople, Place, Reviewers, Route } from '../../core/config/config.ts';
import type { RouteCheck, RoutePieces } from '../../core/config/file.ts';
import { union } from '../../core/config/values.ts';
import type { Core } from '../../core/core.ts';
import type { MembershipRules } from '../../core/people/membership.ts';
import type { PersonIds } from '../../core/slack/slack-person.ts';
import type { Approval } from '../approval.ts';
import type { Asking } from './asking.ts';
import type { Bar, Stop } from './bar.ts';

/** What says who may decide a request: of an approval, or of one that is only asked for. */
export type RequestRules = Partial<Approval>;

/** More people who can decide from a time on; `needs`: which they can fill, undefined: any. */
export interface Addition extends NamedPeople {
  readonly at: number;
  readonly needs?: readonly string[] | undefined;
}

/** How many different people have to approve, and which places they fill together. */
export interface Threshold {
  /** A request can raise the route's quorum, not lower it. */
  readonly quorum: number;
  readonly places: readonly Place[];
  /** How many have to approve: at least as many as there are places. */
  readonly needed: number;
}

export interface AbsentPerson {
  /** Slack user ids. */
  readonly ids: readonly string[];
  readonly until: number;
  /** Decides in their place. */
  readonly substitute?: string;
}

/** Of the people whom a request asks. */
export interface WhoIsAway {
  readonly people?: readonly AbsentPerson[];
  /** The members of user groups in which somebody is away, by Slack user id. */
  readonly groups?: Readonly<Record<string, readonly string[]>>;
}

/** What every clause can build on. */
export interface Named extends Threshold {
  readonly route: Route | undefined;
  /** All of whose members can decide; undefined: only those named. */
  readonly channel: string | undefined;
  /** Who can decide, if the request narrows nothing. */
  readonly named: Reviewers;
  /** Who is asked; if the request is narrowed to them, nobody else can decide it. */
  readonly asked: Reviewers;
  readonly isNarrowed: boolean;
  /** While nobody's approval counts, and nobody is asked. */
  readonly bar: Bar | undefined;
  /** When clocks stand still. */
  readonly stops: readonly Stop[];
  /** Who can decide, and is not asked to. */
  readonly silent: NamedPeople;
  /** Those asked who are away, as far as known. */
  readonly away: readonly AbsentPerson[];
  /** The members of user groups in which somebody is away, who are asked instead of the group. */
  readonly membersOf: Readonly<Record<string, readonly string[]>>;
  /** Substitutes can decide for people who are away. */
  readonly hasSubstitutes: boolean;
  /** Who is added, until the request ends. */
  readonly steps: readonly Addition[];
  /** Those who already can. */
  readonly begun: readonly Addition[];
  /** Who can be added before their time, also if that is after the request's end. */
  readonly hastenable: readonly NamedPeople[];
  /** The electorate is the same from the last addition on, until the next one. */
  readonly since: number;
  readonly until: number;
}

/** Who may decide a request now. A clause adds its own part. */
export interface Electorate extends Named {}

export function absenceOf({ away }: Named, user: string): AbsentPerson | undefined {
  return away.find(({ ids }) => ids.includes(user));
}

/** More people will be able to decide later. */
export function growsLater({ steps, begun }: Pick<Named, 'steps' | 'begun'>): boolean {
  return steps.length > begun.length;
}

/** A request that is narrowed may name people who do not review its route: members of groups are known only at the click. */
export function isConditional({ isNarrowed, route, silent }: Named): boolean {
  const groups = [...(route?.reviewers.groups ?? []), ...silent.groups];
  return isNarrowed && groups.length > 0;
}

export function alsoNaming(before: Reviewers, more: readonly NamedPeople[]): Reviewers {
  return { ...before, ...union(before, ...more) };
}

/** Why a ballot is refused: a feature adds its own. */
export interface Refusals {
  readonly 'no-route': unknown;
  readonly 'reason-missing': unknown;
  readonly 'not-a-reviewer': unknown;
  /** The request names them, and not or no longer its route. */
  readonly 'reviewer-no-more': unknown;
  readonly 'group-missing': unknown;
  readonly 'no-user-groups': unknown;
  readonly bot: unknown;
  readonly deactivated: unknown;
  readonly guest: unknown;
  readonly stranger: unknown;
  readonly 'other-company': unknown;
}

/** A check of what a route says to a request that says nothing. */
export interface Check extends Omit<RouteCheck, 'holds'> {
  holds(electorate: Named): boolean;
}

/** undefined: also members of groups or a channel, who are known only at the click. */
export function namedIn({ users, groups, channel }: Reviewers): readonly string[] | undefined {
  return groups.length > 0 || channel ? undefined : [...new Set(users)];
}

/** One rule about who may decide. `Part` is what it adds to the electorate, `On` what it builds on. */
export interface Clause<Part, Rule = never, On = unknown> {
  /** Its keys of a route. */
  readonly pieces?: Partial<RoutePieces>;
  /** What it makes of a route, once time has brought everything, has to comply with this. */
  readonly check?: Check;
  /** For a request that says nothing about it. Called once for each route. */
  start(named: Named): Part & Partial<Named>;
  /** What a request, or time, changes; undefined: nothing. */
  shape?(
    electorate: Named & Part & On,
    request: RequestRules,
    asOf: number,
  ): Partial<Named & Part & On> | undefined;
  /** Why somebody cannot approve their own request, on a route that lets them; undefined: they can. */
  own?(
    core: Core,
    electorate: Named & Part & On,
    rules: MembershipRules,
    person: PersonIds,
    asking: Asking,
  ): Promise<keyof Refusals | undefined>;
  /** Adds the next people now, because too few are left; undefined: it has none. `steps`: how many have been added by now. */
  hasten?(
    electorate: Named & Part & On,
    approval: Approval,
    at: number,
  ): { readonly data: Approval; readonly steps: number } | undefined;
  /** What it means for a request, in order. */
  rules(electorate: Named & Part & On, request: RequestRules): readonly Rule[];
}
