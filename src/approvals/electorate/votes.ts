import type { Action, Approval, Ballot, Credit, Voter } from '../approval.ts';

/** Whose votes ballots are: one person is one vote. */

/** The ballots for an action, one for each person: the later one counts. */
export function votesFor(action: Action, ballots: readonly Ballot[]): readonly Ballot[] {
  const cast = ballots.filter((ballot) => ballot.action === action);
  const isLast = (ballot: Ballot, at: number) =>
    !cast.slice(at + 1).some((later) => isSamePerson(later, ballot));
  return cast.filter(isLast);
}

/** The same, as Slack user ids. */
export function votersFor(action: Action, ballots: readonly Ballot[]): string[] {
  return votesFor(action, ballots).map(({ user }) => user);
}

/**
 * One person is one vote, whichever accounts they use in Slack or the service; so are an absent person and their
 * substitute.
 */
export function isSamePerson(one: Ballot, other: Ballot): boolean {
  const others = peopleIn(other);
  return peopleIn(one).some((each) => others.some((person) => isOne(each, person)));
}

/** Who cast it, and for whom. */
export function peopleIn(ballot: Ballot): readonly Voter[] {
  return ballot.for === undefined ? [ballot] : [ballot, ballot.for];
}

/** Whoever decides in somebody's place is named together with that person. */
export function giversIn(ballots: readonly Ballot[]): Pick<Credit, 'for'> {
  return byGiver(ballots.map(({ user, for: giver }) => [user, giver?.user]));
}

/** The same, by who decided. */
export function byGiver(
  pairs: readonly (readonly [user: string, giver: string | undefined])[],
): Pick<Credit, 'for'> {
  const given = pairs.flatMap(([user, giver]) => (giver === undefined ? [] : [[user, giver]]));
  return given.length === 0 ? {} : { for: Object.fromEntries(given) };
}

/** Both are the same person, as far as is known. */
export function isOne(one: Voter, other: Voter): boolean {
  const isOneAccount = one.account !== undefined && one.account === other.account;
  const isSentAsOne = one.serviceUser !== undefined && one.serviceUser === other.serviceUser;
  return isOneAccount || isSentAsOne || share(slackIdsOf(one), slackIdsOf(other));
}

export function slackIdsOf({ user, alsoKnownAs = [] }: Voter): readonly string[] {
  return [user, ...alsoKnownAs];
}

/** A person's approval that counts, from any of their Slack accounts. */
export function approvalOf({ ballots }: Approval, user: string): Ballot | undefined {
  return ballots.find((each) => each.action === 'approve' && slackIdsOf(each).includes(user));
}

/** All approvals by that person, including accounts that turned out to be theirs. */
export function approvalsOf(approval: Approval, user: string): readonly Ballot[] {
  const own = approvalOf(approval, user);
  return approval.ballots.filter(
    (each) => own !== undefined && each.action === 'approve' && isOne(each, own),
  );
}

export function share(some: readonly string[], others: readonly string[]): boolean {
  return some.some((each) => others.includes(each));
}

/** The requester's own approval, if the decision uses it. */
export function selfApprovalIn({ ballots, decision }: Approval): Ballot | undefined {
  if (decision?.action !== 'approve') return undefined;
  const { approvers = votersFor('approve', ballots) } = decision;
  return votesFor('approve', ballots).find(
    ({ user, self }) => self === true && approvers.includes(user),
  );
}
