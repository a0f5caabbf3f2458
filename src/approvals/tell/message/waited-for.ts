import type { NamedPeople, RouteEscalation } from '../../../core/config/config.ts';
import { union } from '../../../core/config/values.ts';
import { dateText } from '../../../core/slack/text.ts';
import type { AbsentPerson, Approval } from '../../approval.ts';
import type { RouteTerms } from '../../electorate/policy.ts';
import { requesterIds } from '../../electorate/requester.ts';
import {
  askedOf,
  isConditional,
  isEscalatedLater,
  type PresentRoute,
} from '../../electorate/reviewers.ts';
import { selfApprovalOf } from '../../electorate/self-approval.ts';
import {
  furtherIn,
  groupsIn,
  needsOf,
  openIn,
  peopleIn,
  progressOf,
  slackIdsOf,
  votersFor,
} from '../../electorate/votes.ts';
import type { MessageState } from './message-state.ts';
import { mention, placesText } from './sentences.ts';

/** Mentions, which notify, of those who can still decide: not the requester, and not those who approved. */
export function waitedFor(
  approval: Approval,
  { approvedBy, needed, open = [] }: Extract<MessageState, { name: 'waiting' }>,
  { route }: RouteTerms,
): string {
  if (route === undefined) return '*Waiting* · nobody can decide: the route is not configured';
  if (open.length > 0) {
    const most = Math.ceil(MENTIONS_MAX / (open.length + 1));
    const who = (needs?: readonly string[]) => {
      const wanted = needs ? ofNeeds(approval, route, needs) : askedOf(approval, route);
      const all = mentions(approval, route, wanted, approvedBy);
      return all.length === 0 ? '' : ` (${listed(all, ', ', most)})`;
    };
    return `*Waiting for* ${placesText({ have: approvedBy.length, needed, open }, who)}`;
  }
  const named = askedOf(approval, route);
  if (named.channel) {
    const also = mentions(approval, route, union(...(route.escalatedTo ?? [])), approvedBy);
    const anyone = 'anyone in this channel';
    if (also.length === 0) return `*Waiting for ${anyone}*`;
    return `*Waiting for* ${listed([anyone, ...also], ' or ')}`;
  }
  const all = mentions(approval, route, named, approvedBy);
  if (all.length === 0) {
    const isAnybodyLeft =
      isAskerLeft(approval, route, named, approvedBy) || isQuietWanted(approval, route, approvedBy);
    if (isAnybodyLeft) return '*Waiting for a decision*';
    const isAnybody = named.users.some((user) => !isGone(approval, user));
    const who = isAnybody ? 'nobody else' : 'nobody';
    if (isEscalatedLater(approval, route)) return `*Waiting* · ${who} can decide yet`;
    const isNoneNamed = named.users.length === 0;
    return `*Waiting* · ${who} can decide${isNoneNamed ? ': no reviewers are configured' : ''}`;
  }
  const end = isConditional(approval, route) ? ', if they review this route' : '';
  const missing = needed - approvedBy.length;
  // A group may have any number of members, and quiet reviewers may decide too.
  const mayBeOthers = all.length > 1 && isQuietWanted(approval, route, approvedBy);
  const isAll = named.groups.length === 0 && all.length <= missing && !mayBeOthers;
  if (missing === 1 && all.length > 1) return `*Waiting for* ${listed(all, ' or ')}${end}`;
  if (missing <= 1 || isAll) return `*Waiting for* ${listed(all, ' and ')}${end}`;
  return `*Waiting for ${missing} of* ${listed(all, ', ')}${end}`;
}

/** Mentions for a reminder, or of the people it is escalated to; undefined: a whole channel, or nobody. */
export function remindedOf(
  approval: Approval,
  route: PresentRoute | undefined,
  to?: RouteEscalation['to'],
): string | undefined {
  if (route === undefined) return undefined;
  const progress = progressOf(approval, route);
  const open = progress.open.flatMap((each) => each.of);
  const isAnybodyWanted = open.length === 0 || furtherIn(progress) > 0;
  if (to !== undefined && !isAnybodyWanted && !canFillAny(to, open)) return undefined;
  const asked = askedOf(approval, route);
  // A whole channel is not mentioned.
  const isOfNeeds = open.length > 0 && (asked.channel || !isAnybodyWanted);
  const named = to ?? (isOfNeeds ? ofNeeds(approval, route, open) : asked);
  const voters = votersFor('approve', approval.ballots);
  const all = mentions(approval, route, named, voters).slice(0, MENTIONS_MAX);
  return all.length === 0 ? undefined : all.join(', ');
}

function canFillAny({ needs }: RouteEscalation['to'], open: readonly string[]): boolean {
  return needs === undefined || needs.some((name) => open.includes(name));
}

/** People in these needs, as far as the configuration tells. */
function ofNeeds(approval: Approval, route: PresentRoute, names: readonly string[]): NamedPeople {
  const needs = needsOf(approval, route).filter(({ name }) => names.includes(name));
  const users = [...new Set(needs.flatMap(({ of }) => of.users))];
  const asked = askedOf(approval, route);
  const isKnown = asked.groups.length === 0 && !asked.channel;
  const isReviewer = (user: string) => !isKnown || asked.users.includes(user);
  return { users: users.filter(isReviewer), groups: groupsIn(needs) };
}

/** Absent people are not mentioned, unless too few are left and there is no escalation to come. */
function mentions(
  approval: Approval,
  route: PresentRoute,
  named: NamedPeople,
  approvedBy: readonly string[],
): readonly string[] {
  const present = presentOf(approval, route, named, approvedBy);
  if (!isShortOfPeople(approval, route) || isEscalatedLater(approval, route)) {
    return [...present.users.map(mention), ...present.groups.map(groupMention)];
  }
  const { users, groups } = union(askableOf(approval, route, named, approvedBy), present);
  return [
    ...users.map((user) => `${mention(user)}${awayNote(absenceOf(approval, user))}`),
    ...groups.map(groupMention),
  ];
}

function groupMention(group: string): string {
  return `<!subteam^${group}>`;
}

function awayNote(absence: AbsentPerson | undefined): string {
  if (absence === undefined) return '';
  const { until } = absence;
  return ` (away until ${dateText(until, new Date(until).toISOString())})`;
}

function absenceOf({ absent }: Approval, user: string): AbsentPerson | undefined {
  return absent?.people?.find(({ ids }) => ids.includes(user));
}

/**
 * The people who still have something to decide, without quiet ones; a group with absent members is replaced by its
 * members.
 */
function undecidedOf(
  approval: Approval,
  route: PresentRoute,
  { users, groups }: NamedPeople,
  approvedBy: readonly string[],
): NamedPeople {
  const { quiet } = route;
  const { groups: members = {} } = approval.absent ?? {};
  const silent = [...doneIn(approval, route, approvedBy), ...quiet.users];
  const asked = groups.filter((group) => !quiet.groups.includes(group));
  const all = new Set([...users, ...asked.flatMap((group) => members[group] ?? [])]);
  return {
    users: [...all].filter((user) => !silent.includes(user)),
    groups: asked.filter((group) => members[group] === undefined),
  };
}

/** The same, without people who cannot decide any more. */
function askableOf(
  approval: Approval,
  route: PresentRoute,
  named: NamedPeople,
  approvedBy: readonly string[],
): NamedPeople {
  const { users, groups } = undecidedOf(approval, route, named, approvedBy);
  return { users: users.filter((user) => !isGone(approval, user)), groups };
}

function isGone({ absent }: Approval, user: string): boolean {
  return absent?.gone?.[user] !== undefined;
}

/** The same, with absent people replaced by their substitutes, if any. */
function presentOf(
  approval: Approval,
  route: PresentRoute,
  named: NamedPeople,
  approvedBy: readonly string[],
): NamedPeople {
  const askable = askableOf(approval, route, named, approvedBy);
  const users = askable.users.flatMap((user) => {
    const absence = absenceOf(approval, user);
    if (absence === undefined) return [user];
    const { substitute } = absence;
    const isThere = substitute !== undefined && !isGone(approval, substitute);
    return isThere && route.substitutes ? [substitute] : [];
  });
  const silent = [...doneIn(approval, route, approvedBy), ...route.quiet.users];
  return { ...askable, users: [...new Set(users)].filter((user) => !silent.includes(user)) };
}

/** Because people are away or gone, fewer can be mentioned than still have to approve. */
export function isShortOfPeople(approval: Approval, route: PresentRoute): boolean {
  const { people, gone } = approval.absent ?? {};
  if (people === undefined && gone === undefined) return false;
  const voters = votersFor('approve', approval.ballots);
  const isShort = (named: NamedPeople, count: number) => {
    const left = countIn(presentOf(approval, route, named, voters));
    return left < count && left < countIn(undecidedOf(approval, route, named, voters));
  };
  const progress = progressOf(approval, route);
  const asked = askedOf(approval, route);
  // Each person fills only one place.
  const together = { of: progress.open.flatMap(({ of }) => of), count: openIn(progress.open) };
  return (
    [...progress.open, together].some(({ of, count }) =>
      isShort(ofNeeds(approval, route, of), count),
    ) ||
    (!asked.channel && furtherIn(progress) > 0 && isShort(asked, progress.needed - progress.have))
  );
}

/** A group may have any number of members. */
function countIn({ users, groups }: NamedPeople): number {
  return groups.length > 0 ? Number.POSITIVE_INFINITY : users.length;
}

/** People with nothing left to decide: the requester and those who approved, by all of their ids. */
function doneIn(
  approval: Approval,
  { selfApproval }: PresentRoute,
  approvedBy: readonly string[],
): readonly string[] {
  const cast = approval.ballots.filter(({ user }) => approvedBy.includes(user));
  const askers = selfApproval === true ? [] : requesterIds(approval);
  return [...askers, ...approvedBy, ...cast.flatMap(peopleIn).flatMap(slackIdsOf)];
}

/** The requester can approve their own request, but is not asked to. */
function isAskerLeft(
  approval: Approval,
  route: PresentRoute,
  { users }: NamedPeople,
  approvedBy: readonly string[],
): boolean {
  if (selfApprovalOf(approval, route) !== 'loud') return false;
  return requesterIds(approval).some((user) => users.includes(user) && !approvedBy.includes(user));
}

/** A quiet reviewer can still decide. */
function isQuietWanted(
  approval: Approval,
  route: PresentRoute,
  approvedBy: readonly string[],
): boolean {
  const { users, groups } = route.quiet;
  const asked = approval.narrowedTo && askedOf(approval, route);
  const done = doneIn(approval, route, approvedBy);
  const isWanted = (user: string) =>
    !done.includes(user) &&
    (asked === undefined || asked.groups.length > 0 || asked.users.includes(user));
  return groups.some((group) => asked?.groups.includes(group) ?? true) || users.some(isWanted);
}

function listed(all: readonly string[], last: string, most = MENTIONS_MAX): string {
  const shown = all.slice(0, most);
  const more = all.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  return [...(shown.length > 1 ? [shown.slice(0, -1).join(', ')] : []), shown.at(-1)].join(last);
}

const MENTIONS_MAX = 40;
