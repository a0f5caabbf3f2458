import type { NamedPeople } from '../../core/config/config.ts';
import type { Approval } from '../approval.ts';
import type { RouteTerms } from '../policy.ts';
import { askedOf, decidersOf, type PresentRoute } from '../reviewers.ts';
import { furtherIn, groupsIn, needsOf, progressOf, slackIdsOf, votersFor } from '../votes.ts';
import type { MessageState } from './message-state.ts';
import { mention, placesText } from './sentences.ts';

/** Who can still decide, mentioned so that they are notified: not who asked, and not who approved. */
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
  if (named.channel) return '*Waiting for anyone in this channel*';
  const all = mentions(approval, route, named, approvedBy);
  const isQuiet = route.quiet.users.length + route.quiet.groups.length > 0;
  if (all.length === 0) {
    if (isQuiet) return '*Waiting for a decision*';
    const isNobody = named.users.length === 0;
    return `*Waiting* · nobody ${isNobody ? 'can decide: no reviewers are configured' : 'else can decide'}`;
  }
  const isConditional = approval.narrowedTo !== undefined && decidersOf(route).groups.length > 0;
  const end = isConditional ? ', if they review this route' : '';
  const missing = needed - approvedBy.length;
  // A group has any number of members, and quiet reviewers may do as well.
  const isAll = named.groups.length === 0 && all.length <= missing && !(isQuiet && all.length > 1);
  if (missing === 1 && all.length > 1) return `*Waiting for* ${listed(all, ' or ')}${end}`;
  if (missing <= 1 || isAll) return `*Waiting for* ${listed(all, ' and ')}${end}`;
  return `*Waiting for ${missing} of* ${listed(all, ', ')}${end}`;
}

/** Mentions of those whom a reminder is for, or of `only` these; undefined: a whole channel, or nobody else. */
export function remindedOf(
  approval: Approval,
  route: PresentRoute | undefined,
  only?: NamedPeople,
): string | undefined {
  if (route === undefined) return undefined;
  const progress = progressOf(approval, route);
  const open = progress.open.flatMap((each) => each.of);
  const isOfNeeds = open.length > 0 && furtherIn(progress) <= 0;
  const named = only ?? (isOfNeeds ? ofNeeds(approval, route, open) : askedOf(approval, route));
  const voters = votersFor('approve', approval.ballots);
  const all = mentions(approval, route, named, voters).slice(0, MENTIONS_MAX);
  return all.length === 0 ? undefined : all.join(', ');
}

/** Who may fill these needs, as far as the configuration tells. */
function ofNeeds(approval: Approval, route: PresentRoute, names: readonly string[]): NamedPeople {
  const needs = needsOf(approval, route).filter(({ name }) => names.includes(name));
  const users = [...new Set(needs.flatMap(({ of }) => of.users))];
  const asked = askedOf(approval, route);
  const isKnown = asked.groups.length === 0 && !asked.channel;
  const isReviewer = (user: string) => !isKnown || asked.users.includes(user);
  return { users: users.filter(isReviewer), groups: groupsIn(needs) };
}

function mentions(
  { ballots, requester }: Approval,
  { selfApproval, quiet }: PresentRoute,
  { users, groups }: NamedPeople,
  approvedBy: readonly string[],
): readonly string[] {
  const asker = selfApproval ? undefined : requester?.user;
  const cast = ballots.filter(({ user }) => approvedBy.includes(user));
  const done = [asker, ...approvedBy, ...cast.flatMap(slackIdsOf), ...quiet.users];
  return [
    ...users.filter((user) => !done.includes(user)).map(mention),
    ...groups
      .filter((group) => !quiet.groups.includes(group))
      .map((group) => `<!subteam^${group}>`),
  ];
}

function listed(all: readonly string[], last: string, most = MENTIONS_MAX): string {
  const shown = all.slice(0, most);
  const more = all.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more} more`;
  return [...(shown.length > 1 ? [shown.slice(0, -1).join(', ')] : []), shown.at(-1)].join(last);
}

const MENTIONS_MAX = 40;
