import type { NamedPeople } from '../../../core/config/config.ts';
import { union } from '../../../core/config/values.ts';
import type { Approval } from '../../approval.ts';
import {
  areAbsentAsked,
  areOthersLeft,
  areSilentLeft,
  askedNow,
  type Cast,
  isGone,
} from '../../electorate/asked.ts';
import {
  type AbsentPerson,
  type Addition,
  absenceOf,
  growsLater,
  isConditional,
} from '../../electorate/clause.ts';
import { type Electorate, electorateOf } from '../../electorate/electorate.ts';
import { furtherIn, peopleFor, tally } from '../../electorate/tally.ts';
import type { RouteTerms } from '../../electorate/terms.ts';
import type { MessageState } from './message-state.ts';
import { mention, placesText, timeOf } from './sentences.ts';

/** Mentions, which notify, of those who can still decide: not the requester, and not those who approved. */
export function waitedFor(
  approval: Approval,
  { approvedBy, needed, open = [] }: Extract<MessageState, { name: 'waiting' }>,
  terms: RouteTerms,
): string {
  if (terms.route === undefined)
    return '*Waiting* · nobody can decide: the route is not configured';
  const electorate = electorateOf(approval, terms);
  const { asked, begun } = electorate;
  const cast = { ballots: approval.ballots, approvedBy };
  const mentions = (named: NamedPeople) => mentionsOf(electorate, named, cast);
  if (open.length > 0) {
    const lists = open.length + 1;
    const [most, dates] = [Math.ceil(MENTIONS_MAX / lists), Math.floor(DATES_MAX / lists)];
    const who = (needs?: readonly string[]) => {
      const of = needs ? peopleFor(electorate, needs) : asked;
      const all = mentionsOf(electorate, of, cast, dates);
      return all.length === 0 ? '' : ` (${listed(all, ', ', most)})`;
    };
    return `*Waiting for* ${placesText({ have: approvedBy.length, needed, open }, who)}`;
  }
  if (asked.channel) {
    const also = mentions(union(...begun));
    const anyone = 'anyone in this channel';
    if (also.length === 0) return `*Waiting for ${anyone}*`;
    return `*Waiting for* ${listed([anyone, ...also], ' or ')}`;
  }
  const all = mentions(asked);
  if (all.length === 0) {
    if (areOthersLeft(electorate, cast)) return '*Waiting for a decision*';
    const isAnybody = asked.users.some((user) => !isGone(electorate, user));
    const who = isAnybody ? 'nobody else' : 'nobody';
    if (growsLater(electorate)) return `*Waiting* · ${who} can decide yet`;
    const isNoneNamed = asked.users.length === 0;
    return `*Waiting* · ${who} can decide${isNoneNamed ? ': no reviewers are configured' : ''}`;
  }
  const end = isConditional(electorate) ? ', if they review this route' : '';
  const missing = needed - approvedBy.length;
  // A group may have any number of members, and silent ones may decide too.
  const mayBeOthers = all.length > 1 && areSilentLeft(electorate, cast);
  const isAll = asked.groups.length === 0 && all.length <= missing && !mayBeOthers;
  if (missing === 1 && all.length > 1) return `*Waiting for* ${listed(all, ' or ')}${end}`;
  if (missing <= 1 || isAll) return `*Waiting for* ${listed(all, ' and ')}${end}`;
  return `*Waiting for ${missing} of* ${listed(all, ', ')}${end}`;
}

/** Mentions for a reminder, or of the people who were added; undefined: a whole channel, or nobody. */
export function remindedOf(
  { ballots }: Approval,
  electorate: Electorate,
  to?: Addition,
): string | undefined {
  const { route, asked } = electorate;
  if (route === undefined) return undefined;
  const progress = tally(electorate, ballots);
  const open = progress.open.flatMap((each) => each.of);
  const isAnybodyWanted = open.length === 0 || furtherIn(progress) > 0;
  if (to !== undefined && !isAnybodyWanted && !canFillAny(to, open)) return undefined;
  // A whole channel is not mentioned.
  const isOfNeeds = open.length > 0 && (asked.channel || !isAnybodyWanted);
  const named = to ?? (isOfNeeds ? peopleFor(electorate, open) : asked);
  const approvedBy = progress.votes.map(({ user }) => user);
  const all = mentionsOf(electorate, named, { ballots, approvedBy }).slice(0, MENTIONS_MAX);
  return all.length === 0 ? undefined : all.join(', ');
}

function canFillAny({ needs }: Addition, open: readonly string[]): boolean {
  return needs === undefined || needs.some((name) => open.includes(name));
}

/** `dates`: how many of them at most have the date until which they are away. */
function mentionsOf(
  electorate: Electorate,
  named: NamedPeople,
  cast: Cast,
  dates = DATES_MAX,
): readonly string[] {
  const { users, groups } = askedNow(electorate, named, cast);
  const noteOf = areAbsentAsked(electorate, cast.ballots)
    ? (user: string, place: number) => awayNote(absenceOf(electorate, user), place < dates)
    : () => '';
  return [
    ...users.map((user, place) => `${mention(user)}${noteOf(user, place)}`),
    ...groups.map((group) => `<!subteam^${group}>`),
  ];
}

function awayNote(absence: AbsentPerson | undefined, isDated: boolean): string {
  if (absence === undefined) return '';
  const { until } = absence;
  return isDated ? ` (away until ${timeOf(until)})` : ' (away)';
}

function listed(all: readonly string[], last: string, most = MENTIONS_MAX): string {
  const shown = all.slice(0, most);
  const more = all.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  return [...(shown.length > 1 ? [shown.slice(0, -1).join(', ')] : []), shown.at(-1)].join(last);
}

const MENTIONS_MAX = 40;
/** Each takes a hundred characters of the 3,000 of a section. */
const DATES_MAX = 12;
