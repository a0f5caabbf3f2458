import type { IdentityRule, Route } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { type Directory, unseen } from '../people/directory.ts';
import { accountDenial, type Identity } from '../people/identity.ts';
import {
  type Membership,
  type MembershipRules,
  membershipOf,
  type SlackPerson,
} from '../people/membership.ts';
import { STEP_MS } from '../reconcile/flow.ts';
import type { Lookup, PeopleLookup } from '../slack/lookup.ts';
import type { Approval } from './approval.ts';
import type { RefusalCode } from './refusal.ts';
import { isRequester, NO_SUCH_PERSON, type ReviewNeeds, review } from './reviewer.ts';
import type { Accepted, Examination, NotAllowed } from './step.ts';

export interface ExamineNeeds extends ReviewNeeds {
  readonly lookup: PeopleLookup & Pick<Lookup, 'lastSeen'>;
  readonly directory: Pick<Directory, 'serviceUserFor' | 'readAhead'>;
  readonly workspace: Omit<MembershipRules, 'guests'>;
}

/** One time of asking: nothing that was asked for before counts, and what was asked since is shared. */
export interface Asking {
  readonly since: number;
  readonly signal: AbortSignal;
}

/** `ages`: the clock that the lookups go by. */
export function beginAsking(ages: Pick<Clock, 'monotonic'>): Asking {
  return { since: ages.monotonic(), signal: AbortSignal.timeout(STEP_MS) };
}

/**
 * Finds out whether a person may decide: named as a reviewer, not the requester, a full member of an
 * allowed workspace, active in the service. Denied unless all of that is known. A failed lookup is
 * `failed`: it neither lets in nor turns away.
 */
export async function examine(
  needs: ExamineNeeds,
  route: Route | undefined,
  approval: Approval,
  user: string,
  asking: Asking,
): Promise<Examination> {
  if (route === undefined) return notAllowed('no-route');
  try {
    askAhead(needs, route, approval, user, asking);
    const person = await needs.lookup.person(user, asking);
    const stands = membershipOf(person, { ...needs.workspace, guests: route.guests });
    if (stands !== 'member') return notAllowed(STANDINGS[stands]);
    const asked = route.selfApproval ? 'no' : isRequester(approval, person);
    if (asked === 'yes') return notAllowed('requester');
    if (asked === 'unknown') return notAllowed('requester-unknown');
    const { found, through, missingGroups } = await review(needs, route, approval, person, asking);
    const missing = missingGroups.length > 0 ? { missingGroups } : {};
    if (found !== 'reviewer') {
      const code = found === 'dropped' ? 'reviewer-no-more' : 'not-a-reviewer';
      return { ...notAllowed(missingGroups.length > 0 ? 'group-missing' : code), ...missing };
    }
    const identified = await identify(needs, route, person, asking);
    const how = identified.kind === 'accepted' && through.length > 0 ? { through } : {};
    return { ...identified, ...how, ...missing };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (NO_SUCH_PERSON.has(error.code)) return notAllowed('stranger');
    return { kind: 'failed', failure: error.facts };
  }
}

/**
 * Begins to ask for what is needed of the person as they were last seen, so that it takes no longer
 * than to ask who they are. Only what is asked for them as they are now counts; it shares these
 * questions, or asks again.
 */
function askAhead(
  needs: ExamineNeeds,
  route: Route,
  approval: Approval,
  user: string,
  asking: Asking,
): void {
  const { lookup, directory, workspace } = needs;
  const seen = lookup.lastSeen(user);
  if (
    seen !== undefined &&
    membershipOf(seen, { ...workspace, guests: route.guests }) !== 'member'
  ) {
    return;
  }
  review(needs, route, approval, seen ?? { id: user, globalId: null }, asking).catch(() => {});
  directory.readAhead(seen ?? unseen(user), { ...asking, deadlineMs: STEP_MS });
}

/** Who the person is in the service. */
async function identify(
  { directory }: ExamineNeeds,
  route: Route,
  person: SlackPerson,
  asking: Asking,
): Promise<Examination> {
  try {
    const identity = await directory.serviceUserFor(person, { ...asking, deadlineMs: STEP_MS });
    return admitted(identity, route.identity);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    return { kind: 'failed', failure: error.facts, of: 'service' };
  }
}

const STANDINGS = {
  bot: 'bot',
  deactivated: 'deactivated',
  'other-team': 'other-company',
  stranger: 'stranger',
  guest: 'guest',
  'email-unconfirmed': 'address-not-confirmed',
} satisfies Record<Exclude<Membership, 'member'>, RefusalCode>;

function admitted(identity: Identity, rule: IdentityRule): Accepted | NotAllowed {
  const bar = accountDenial(identity, rule);
  if (bar !== null) return notAllowed(bar);
  const userId = identity.kind === 'linked' ? identity.userId : null;
  return { kind: 'accepted', ...(userId !== null && { serviceUser: userId }) };
}

function notAllowed(code: RefusalCode): NotAllowed {
  return { kind: 'not-allowed', code };
}
