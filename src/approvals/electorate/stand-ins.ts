import type { NamedPeople, Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { SlackPerson } from '../../core/slack/slack-person.ts';
import type { Approval } from '../approval.ts';
import type { Authorization, Known, Press } from './authorization.ts';
import type { Electorate, WhoIsAway } from './clause.ts';
import { STAND_INS } from './electorate.ts';
import { eligible, isReviewer } from './eligible.ts';
import type { Judge } from './stand-in.ts';

/** What decides in the place of others, as `electorate.ts` lists it. */

const JUDGE: Judge = { eligible, isReviewer };

/** The same for everybody who is away; null: the store did not answer. */
export async function whoIsAway(
  core: Core,
  approval: Approval,
  asked: NamedPeople,
): Promise<WhoIsAway | null> {
  let found: WhoIsAway = {};
  for (const each of STAND_INS) {
    const away = await each.whoIsAway(core, approval, asked);
    if (away === null) return null;
    found = { ...found, ...away };
  }
  return found;
}

/** Authorizes a press: by the person's own permission or, if that is not enough, in the place of others. Throws StoreError. */
export async function authorizePress(
  core: Core,
  electorate: Electorate,
  press: Press,
): Promise<Authorization> {
  let found = await eligible(core, electorate, press.user, press.asking, press.action);
  for (const each of STAND_INS) found = await each.instead(core, electorate, press, found, JUDGE);
  return found;
}

/** Authorizes a voter again, by the permission their ballot was cast with. Throws StoreError. */
export async function authorizeAgain(
  core: Core,
  electorate: Electorate,
  press: Press,
): Promise<Authorization> {
  const { ballots, user, asking, action } = press;
  const ballot = ballots.find((each) => each.user === user);
  const giver = ballot?.for?.user;
  if (giver !== undefined) {
    for (const each of STAND_INS) return each.again(core, electorate, press, giver, JUDGE);
    return { kind: 'not-allowed', code: 'not-a-reviewer' };
  }
  const found = await eligible(core, electorate, user, asking, action);
  // It may only now be known that they are the requester, or that self-approval has to be loud.
  const isSilent = found.kind === 'accepted' && found.self === true && ballot?.reason === undefined;
  return isSilent ? { kind: 'not-allowed', code: 'reason-missing' } : found;
}

/** Whether somebody reviews a request, themselves or in the place of `givers`. */
export async function reviews(
  core: Core,
  electorate: Electorate,
  person: SlackPerson,
  givers: readonly SlackPerson[],
  signal: AbortSignal,
): Promise<Known> {
  let found = await isReviewer(core, electorate, person, signal);
  for (const each of STAND_INS) {
    if (found === 'no') found = await each.reviews(core, electorate, person, givers, signal, JUDGE);
  }
  return found;
}

/** For whom somebody decides. Throws StoreError. */
export async function giversOf(
  core: Core,
  person: SlackPerson,
  signal: AbortSignal,
): Promise<readonly SlackPerson[]> {
  const found = await Promise.all(STAND_INS.map(({ givers }) => givers(core, person, signal)));
  return found.flat();
}

/** Whether the route lets people decide in the place of others. */
export function mayStandIn(route: Route): boolean {
  return STAND_INS.some(({ isOn }) => isOn(route));
}
