import type { Reviewers, Route } from '../../core/config/config.ts';
import { canBeCovered } from '../../core/config/needs.ts';
import type { RuleSettings } from '../../core/config/rules.ts';
import type { FieldError } from '../../core/http/problem.ts';
import { isOwnGate, type Requester } from '../approval.ts';
import { EVER, electorateOf } from '../electorate/electorate.ts';
import { linkedUser } from '../electorate/requester.ts';
import { memberOf } from './add-requester.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { GATE_MS, namedIn, needIn } from './ask-approval.ts';

/** Why a deadline is not possible. */
export function expiryFaults({ key, expiresAt }: ApprovalRequest, now: number): FieldError[] {
  const leftMs = expiresAt === undefined ? GATE_MS.usual : Date.parse(expiresAt) - now;
  const isFar = isOwnGate({ key }) && leftMs > GATE_MS.most;
  if (leftMs <= 0) return [{ pointer: '/expiresAt', detail: 'is in the past' }];
  return isFar ? [{ pointer: '/expiresAt', detail: 'is more than 30 days away' }] : [];
}

/**
 * Requirements that the route can never meet, as far as the people it names show: such a request would wait until its
 * deadline. The requester does not count, unless the route lets them decide. `request`: with the people of its addresses
 * last among the users.
 */
export function reviewerFaults(
  route: Route,
  request: ApprovalRequest,
  asker: Requester | undefined,
  rules: RuleSettings,
): FieldError[] {
  const named = route.need.map(({ name }) => name);
  const doubles = (request.need ?? []).flatMap(({ name }, at) =>
    named.includes(name)
      ? [{ pointer: `/need/${at}/name`, detail: 'is already the name of a need of this route' }]
      : [],
  );
  // Before any escalation.
  const known = allNamedIn(electorateOf({}, { route, asOf: 0 }).named);
  const { users = [], emails = [] } = request.reviewers ?? {};
  const byId = users.length - emails.length;
  const strangers = users.flatMap((user, at) => {
    if (known?.includes(user) ?? true) return [];
    const place = at < byId ? `users/${at}` : `emails/${at - byId}`;
    return [{ pointer: `/reviewers/${place}`, detail: 'is not a reviewer of this route' }];
  });
  const few = tooFew(route, request, asker, rules);
  return [...doubles, ...strangers, ...(few === undefined ? [] : [few])];
}

/** undefined: the members of a group or channel are known only at the click. */
function allNamedIn({ users, groups, channel }: Reviewers): readonly string[] | undefined {
  return groups.length > 0 || channel ? undefined : [...new Set(users)];
}

function tooFew(
  route: Route,
  request: ApprovalRequest,
  named: Requester = {},
  rules: RuleSettings,
): FieldError | undefined {
  const { key, need = [], quorum = 1, reviewers } = request;
  const asked = {
    quorum,
    ...(key !== undefined && { key }),
    ...(reviewers !== undefined && { narrowedTo: namedIn(reviewers) }),
  };
  // People it is escalated to later can still decide it.
  const terms = { route, asOf: EVER };
  const electorate = electorateOf({ ...asked, needs: need.map(needIn) }, terms);
  const { places, selfApproval, isNarrowed } = electorate;
  const people = allNamedIn(isNarrowed ? electorate.asked : electorate.named);
  // On a route without reviewers nobody can decide anything, and its messages say so.
  if (people?.length === 0) return undefined;
  const asker = selfApproval ? undefined : (named.user ?? linkedUser(rules, named));
  const areEnough = (of: Route['need'], without?: string) =>
    (people === undefined ||
      people.filter((each) => each !== without).length >= electorate.quorum) &&
    canBeCovered(of, people, without);
  if (areEnough(places, asker)) return undefined;
  if (people !== undefined && quorum > people.length) return TOO_FEW.quorum;
  if (areEnough(places)) {
    const pointer = named.proved === undefined ? `/requestedBy/${memberOf(named)}` : '';
    return { ...TOO_FEW.others, pointer };
  }
  const own = electorateOf(asked, terms).places;
  return TOO_FEW[need.length > 0 && areEnough(own) ? 'need' : 'reviewers'];
}

const TOO_FEW = {
  quorum: { pointer: '/quorum', detail: 'is greater than the number of reviewers' },
  need: { pointer: '/need', detail: 'cannot be covered by different reviewers' },
  reviewers: { pointer: '/reviewers', detail: 'leave fewer people than the route needs' },
  others: {
    pointer: '/requestedBy',
    detail: 'is a reviewer and cannot approve their own request, and there are too few others',
  },
} as const satisfies Record<string, FieldError>;
