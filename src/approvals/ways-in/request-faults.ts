import type { Route } from '../../core/config/config.ts';
import { canBeCovered } from '../../core/config/places.ts';
import type { RuleSettings } from '../../core/config/rules.ts';
import type { FieldError } from '../../core/http/problem.ts';
import { isOwnGate, type Requester } from '../approval.ts';
import { namedIn, type RequestRules } from '../electorate/clause.ts';
import { type Electorate, EVER, electorateOf } from '../electorate/electorate.ts';
import { linkedUser } from '../electorate/requester.ts';
import { memberOf } from './add-requester.ts';
import type { ApprovalRequest } from './approval-request.ts';
import { GATE_MS } from './ask-approval.ts';
import { faultsIn, rulesIn, tooFewBy } from './contract-parts.ts';

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
  const few = tooFew(route, request, asker, rules);
  return [...faultsIn(request, route), ...(few === undefined ? [] : [few])];
}

function tooFew(
  route: Route,
  request: ApprovalRequest,
  named: Requester = {},
  rules: RuleSettings,
): FieldError | undefined {
  const { key, quorum = 1 } = request;
  const asked = { quorum, ...(key !== undefined && { key }) };
  const electorateWith = (rules: RequestRules) =>
    // People it is escalated to later can still decide it.
    electorateOf({ ...asked, ...rules }, { route, asOf: EVER });
  const areEnough = (electorate: Electorate, without?: string) => {
    const people = decidersIn(electorate);
    return (
      (people === undefined ||
        people.filter((each) => each !== without).length >= electorate.quorum) &&
      canBeCovered(electorate.places, people, without)
    );
  };
  const electorate = electorateWith(rulesIn(request));
  const people = decidersIn(electorate);
  // On a route without reviewers nobody can decide anything, and its messages say so.
  if (people?.length === 0) return undefined;
  const asker = electorate.selfApproval ? undefined : (named.user ?? linkedUser(rules, named));
  if (areEnough(electorate, asker)) return undefined;
  if (people !== undefined && quorum > people.length) return TOO_FEW.quorum;
  if (areEnough(electorate)) {
    const pointer = named.proved === undefined ? `/requestedBy/${memberOf(named)}` : '';
    return { ...TOO_FEW.others, pointer };
  }
  return tooFewBy(request, (others) => areEnough(electorateWith(others)));
}

function decidersIn({ isNarrowed, asked, named }: Electorate): readonly string[] | undefined {
  return namedIn(isNarrowed ? asked : named);
}

const TOO_FEW = {
  quorum: { pointer: '/quorum', detail: 'is greater than the number of reviewers' },
  others: {
    pointer: '/requestedBy',
    detail: 'is a reviewer and cannot approve their own request, and there are too few others',
  },
} as const satisfies Record<string, FieldError>;
