import {
  acceptedBallots,
  giverIn,
  giversTo,
  isSurelyAway,
  mayStandIn,
  surelyStandsIn,
} from '../absent.ts';
import { type Case, postOf } from '../case.ts';
import { claimsOf } from '../claims.ts';
import type { AuditSeen, MessageSeen, Press } from '../evidence.ts';
import { routeNamed } from '../settings.ts';
import { BALLOT, logged, type RuleMet, row, SOON_MS, told } from './row.ts';

/** Who is away, who stands in for them, and whom it is escalated to. */
export const ABSENCE_ROWS: readonly RuleMet[] = [
  row(
    'absence',
    'begins while a message asks them',
    (seen) => seen.messages.filter((each) => isAwayMeanwhile(seen, each)).length,
  ),

  row('substitute', 'decided', (seen) => logged(seen, BALLOT, (each) => giverIn(each) !== null)),
  row('substitute', 'of whoever asked', ofAsker),
  row(
    'substitute',
    'of two people',
    (seen) => seen.presses.filter((each) => hasTwo(seen, each)).length,
  ),
  row('substitute', 'is a guest', (seen) =>
    ofSubstitutes(seen, /Guests cannot decide |you are now a guest/),
  ),
  row('substitute', 'is a guest where guests can decide', (seen) => (isGuestFirst(seen) ? 1 : 0)),
  row('substitute', 'cannot decide anything', (seen) =>
    ofSubstitutes(seen, /account in the service|Slack account is deactivated|Several accounts/),
  ),
  row('substitute', 'declined', declined),
  row('substitute', 'of somebody who cannot', (seen) =>
    told(seen, /you stand in for can(?:not| no longer) decide/),
  ),
  row('substitute', 'of somebody who left since', (seen) =>
    told(seen, /no longer counts: the person you stand in for can no longer decide/),
  ),
  row('substitute', 'of somebody who is back', (seen) =>
    told(seen, /You no longer stand in for|is back, or you no longer stand in/),
  ),
  row('substitute', 'of somebody back since', (seen) =>
    told(seen, /no longer counts: the person you decided for is back/),
  ),
  row('substitute', 'of somebody who voted', (seen) =>
    told(seen, /the vote of the person you stand in for|you stand in for voted/),
  ),
  row('substitute', 'could fill a place of their own', couldFillOwn),

  row('escalation', 'after a while', (seen) => escalated(seen, false)),
  row('escalation', 'because too few are left', (seen) => escalated(seen, true)),
];

/** It asked somebody, and then says that they are away; no press and no escalation has made it look. */
function isAwayMeanwhile({ presses, approval }: Case, { versions }: MessageSeen): boolean {
  if (presses.length + (approval.escalates ?? []).length > 0) return false;
  const asks = versions.map((each) => claimsOf(each).asks);
  return asks.some((each, place) =>
    each?.noted.some((person) => asks[place - 1]?.people.includes(person)),
  );
}

/** Two reviewers of it had surely named the person who pressed. */
function hasTwo({ approval, run }: Case, { person, at }: Press): boolean {
  const { reviewers, substitutes } = approval;
  const givers = reviewers.filter((giver) => surelyStandsIn(run, person, giver, at));
  return substitutes === true && givers.length > 1;
}

/** How many people whom somebody named as substitute read such a sentence. */
function ofSubstitutes({ told: all, run }: Case, pattern: RegExp): number {
  const isNamed = (person: string) => giversTo(run, person).length > 0;
  return all.filter(({ text, person }) => pattern.test(text) && isNamed(person)).length;
}

/** Before anybody's ballot was accepted: of somebody whose ballot was, nobody asks again. */
function isGuestFirst(seen: Case): boolean {
  const castAt = acceptedBallots(seen)[0]?.at ?? Number.POSITIVE_INFINITY;
  const before = seen.told.filter(({ at }) => at < castAt);
  return (
    routeNamed(seen.approval.route ?? '')?.guests === true &&
    ofSubstitutes({ ...seen, told: before }, /^Guests cannot decide /) > 0
  );
}

/** How many people read that they do not review it, who were the substitute of a reviewer who is still away. */
function declined({ told: all, approval, run }: Case): number {
  return all.filter(
    ({ text, person, at }) =>
      /^You are not a reviewer of /.test(text) &&
      giversTo(run, person).some(
        (giver) =>
          approval.reviewers.includes(giver) &&
          isSurelyAway(run, giver, at) &&
          !mayStandIn(run, person, giver, at - SOON_MS, at),
      ),
  ).length;
}

/** Only somebody whom a need names approved it, in the place of somebody whom it does not. */
function couldFillOwn(seen: Case): number {
  const { needs = [] } = seen.approval;
  const cast = acceptedBallots(seen).filter(({ facts }) => facts.action === 'approve');
  const isSo = (each: AuditSeen) =>
    needs.some(
      ({ of: { users, groups } }) =>
        groups.length === 0 && users.includes(each.actor) && !users.includes(giverIn(each) ?? ''),
    );
  return cast.length > 0 && cast.every((each) => giverIn(each) !== null && isSo(each)) ? 1 : 0;
}

function escalated(seen: Case, isEarly: boolean): number {
  if (isEarly) return logged(seen, 'approvals.escalated', ({ facts }) => facts.why === 'away');
  return seen.messages.filter((each) => postOf(each)?.startsWith('escalation')).length;
}

/** How many who surely stood in for a requester read that they cannot decide. */
function ofAsker({ told: all, approval, run }: Case): number {
  const isOfAsker = (person: string, at: number) =>
    (approval.askers ?? []).some((each) => surelyStandsIn(run, person, each, at));
  return all.filter(
    ({ person, text, at }) =>
      /^The person you stand in for cannot decide /.test(text) && isOfAsker(person, at),
  ).length;
}
