import type { Core } from '../../core/core.ts';
import { type MembershipRules, membershipOf } from '../../core/people/membership.ts';
import type { Post } from '../../core/posts/post.ts';
import { idsOf, type PersonIds, personIfAny } from '../../core/slack/slack-person.ts';
import { type Approval, isOwnGate, postNamed } from '../approval.ts';
import type { Asking } from './asking.ts';
import type { Clause, Named } from './clause.ts';
import type { OwnRequest } from './own-request.ts';
import { selfApprovalIn } from './votes.ts';

/**
 * Self-approval: with `selfApproval: loud` a requester can approve their own gate. Before it is recorded, a reply in
 * the thread, also shown in the channel, mentions the other reviewers. One of them then marks it as reviewed.
 */

declare module '../approval.ts' {
  interface Waits {
    /** The other reviewers have not been told yet that the requester approves it. */
    readonly telling: unknown;
  }
}

declare module './clause.ts' {
  interface Refusals {
    /** Nobody else could be told. */
    readonly 'nobody-to-tell': unknown;
  }
}

/** Only for own gates, where nothing is approved before everybody was told. */
export const selfApproval: Clause<unknown, never, OwnRequest> = {
  start: () => ({}),

  shape({ route }, request) {
    const isLoud = route?.selfApproval === 'loud' && isOwnGate(request);
    return isLoud ? { selfApproval: 'loud' } : undefined;
  },

  own: async (core, electorate, rules, person, asking) =>
    (await isAnybodyToTell(core, electorate, rules, person, asking)) ? undefined : 'nobody-to-tell',

  rules: () => [],
};

const SELF_APPROVAL = 'self-approval-';

export function isSelfApproval(name: string): boolean {
  return name.startsWith(SELF_APPROVAL);
}

/** The reply that has to be posted before the decision; undefined: none. */
export function selfApprovalPost(approval: Approval): Post | undefined {
  const ballot = selfApprovalIn(approval);
  return ballot && postNamed(approval, `${SELF_APPROVAL}${ballot.at}`, approval.channel);
}

/** Nothing goes ahead before that reply is posted. */
export function isUntold(approval: Approval): boolean {
  const post = selfApprovalPost(approval);
  return post !== undefined && post.ts === undefined;
}

/** How many reviewers are read to find one who can be told. */
const TOLD_MAX = 20;

/** Whether a full member other than the requester can be mentioned: a reviewer of the route, whatever the request narrows. */
async function isAnybodyToTell(
  { lookup }: Core,
  { named }: Named,
  rules: MembershipRules,
  person: PersonIds,
  asking: Asking,
): Promise<boolean> {
  const { users, groups, channel } = named;
  // The channel is told as a whole.
  if (channel) return true;
  const members = await Promise.all(groups.map((group) => lookup.groupMembers(group, asking)));
  const own: readonly string[] = idsOf(person);
  const all = new Set([...users, ...members.flatMap((group) => group.users)]);
  const others = [...all].filter((user) => !own.includes(user)).slice(0, TOLD_MAX);
  const found = await Promise.all(
    others.map(async (user) => {
      const other = await personIfAny(lookup, user, asking);
      return other !== undefined && membershipOf(other, rules) === 'member';
    }),
  );
  return found.includes(true);
}
