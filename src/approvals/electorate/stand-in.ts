import type { NamedPeople, Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { SlackPerson } from '../../core/slack/slack-person.ts';
import type { Action, Approval } from '../approval.ts';
import type { Asking } from './asking.ts';
import type { Authorization, Known, Press } from './authorization.ts';
import type { Electorate, WhoIsAway } from './clause.ts';

/** A way to decide in the place of others: one shape, a file each, in one table (`electorate.ts`). */
export interface StandIn {
  /** Who of the people asked is away, and who decides for them; null: the store did not answer. */
  whoIsAway(core: Core, approval: Approval, asked: NamedPeople): Promise<WhoIsAway | null>;
  /** What more a press can be than `own`, by the person's own permission. Throws StoreError. */
  instead(
    core: Core,
    electorate: Electorate,
    press: Press,
    own: Authorization,
    judge: Judge,
  ): Promise<Authorization>;
  /** A ballot in the place of `giver` is authorized again. Throws StoreError. */
  again(
    core: Core,
    electorate: Electorate,
    press: Press,
    giver: string,
    judge: Judge,
  ): Promise<Authorization>;
  /** Whether somebody reviews a request in the place of `givers`, by recent look-ups and whatever their account. */
  reviews(
    core: Core,
    electorate: Electorate,
    person: SlackPerson,
    givers: readonly SlackPerson[],
    signal: AbortSignal,
    judge: Judge,
  ): Promise<Known>;
  /** For whom somebody decides. Throws StoreError. */
  givers(core: Core, person: SlackPerson, signal: AbortSignal): Promise<readonly SlackPerson[]>;
  /** Whether the route allows it. */
  isOn(route: Route): boolean;
}

/** What `eligible.ts` finds out of each of the people, which is above the table. */
export interface Judge {
  eligible(
    core: Core,
    electorate: Electorate,
    user: string,
    asking: Asking,
    action?: Action,
    isSubstitute?: boolean,
  ): Promise<Authorization>;
  isReviewer(
    core: Core,
    electorate: Electorate,
    person: SlackPerson,
    signal: AbortSignal,
  ): Promise<Known>;
}
