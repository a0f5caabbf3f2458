import type { Reviewers, Route } from '../config/config.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { foldEmail } from '../lib/fold-email.ts';
import type { Directory, Identity } from '../people/directory.ts';
import type { SlackPerson } from '../people/slack-person.ts';
import { type Standing, type StandingRules, standing } from '../people/standing.ts';
import { STEP_MS } from '../reconcile/flow.ts';
import type { Lookup } from '../slack/lookup.ts';
import type { Approval } from './approval.ts';
import type { RefusalCode } from './refusal.ts';
import type { Accepted, FailedStep, NotAllowed, StepResult } from './step.ts';

export interface ExamineNeeds {
  readonly lookup: Pick<Lookup, 'person' | 'isMember' | 'groupMembers'>;
  readonly directory: Directory;
  readonly workspace: Omit<StandingRules, 'guests'>;
}

/** An account found active is believed for so long at a decision. */
const ACCOUNT_AGE_MS = 60_000;

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
): Promise<StepResult> {
  if (route === undefined) return notAllowed('no-route');
  const signal = AbortSignal.timeout(STEP_MS);
  try {
    const person = await needs.lookup.person(user, { signal });
    const found = standing(person, { ...needs.workspace, guests: route.guests });
    if (found !== 'member') return notAllowed(STANDINGS[found]);
    const asked = route.selfApproval ? 'no' : isRequester(approval, person);
    if (asked === 'yes') return notAllowed('requester');
    if (asked === 'unknown') return notAllowed('requester-unknown');
    const { isReviewer, missingGroups } = await review(needs, route, approval, user, signal);
    const missing = missingGroups.length > 0 ? { missingGroups } : {};
    if (!isReviewer) {
      const code = missingGroups.length > 0 ? 'group-missing' : 'not-a-reviewer';
      return { ...notAllowed(code), ...missing };
    }
    return { ...(await identify(needs, route, person, signal)), ...missing };
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (NO_SUCH_PERSON.has(error.code)) return notAllowed('stranger');
    return { kind: 'failed', failure: error.facts };
  }
}

/** Who the person is in the service. */
async function identify(
  { directory }: ExamineNeeds,
  route: Route,
  { id, email, isEmailConfirmed }: SlackPerson,
  signal: AbortSignal,
): Promise<Accepted | NotAllowed | FailedStep> {
  try {
    const identity = await directory.serviceUserFor(
      { slackUserId: id, email, emailConfirmed: isEmailConfirmed },
      { maxAgeMs: ACCOUNT_AGE_MS },
      { signal, deadlineMs: STEP_MS },
    );
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
} satisfies Record<Exclude<Standing, 'member'>, RefusalCode>;

/** What Slack says of people it will not show us. */
const NO_SUCH_PERSON: ReadonlySet<string> = new Set(['user_not_found', 'user_not_visible']);

/** Unknown: only an address is known of the requester, and none of the person. A name tells nothing. */
function isRequester(
  { requester }: Approval,
  { id, email }: SlackPerson,
): 'yes' | 'no' | 'unknown' {
  if (requester?.user === id) return 'yes';
  if (requester?.email === undefined) return 'no';
  if (email === null) return requester.user === undefined ? 'unknown' : 'no';
  return foldEmail(requester.email) === foldEmail(email) ? 'yes' : 'no';
}

/** Of the route's reviewers, and of those the request narrows them to; and groups that are no more. */
async function review(
  { lookup }: ExamineNeeds,
  { reviewers }: Route,
  { channel, narrowedTo }: Approval,
  user: string,
  signal: AbortSignal,
): Promise<{ readonly isReviewer: boolean; readonly missingGroups: readonly string[] }> {
  const missing = new Set<string>();
  const isIn = async (group: string) => {
    const members = await lookup.groupMembers(group, { signal });
    if (members.missing !== null) missing.add(group);
    return members.users.includes(user);
  };
  const isNamed = async ({ users, groups }: Pick<Reviewers, 'users' | 'groups'>) =>
    users.includes(user) || (await Promise.all(groups.map(isIn))).includes(true);
  const isReviewer =
    (narrowedTo === undefined || (await isNamed(narrowedTo))) &&
    ((await isNamed(reviewers)) ||
      (reviewers.channel && (await lookup.isMember(channel, user, { signal }))));
  return { isReviewer, missingGroups: [...missing] };
}

function admitted(identity: Identity, rule: Route['identity']): Accepted | NotAllowed {
  switch (identity.kind) {
    case 'linked':
      return {
        kind: 'accepted',
        ...(identity.userId !== null && { serviceUser: identity.userId }),
      };
    case 'inactive':
      return notAllowed('inactive');
    case 'unknown-activity':
      return notAllowed('activity-unknown');
    case 'several':
      return notAllowed('several-accounts');
    case 'none':
      return rule === 'omit' ? { kind: 'accepted' } : notAllowed('not-linked');
    case 'no-directory':
      return rule === 'omit' ? { kind: 'accepted' } : notAllowed('no-directory');
  }
}

function notAllowed(code: RefusalCode): NotAllowed {
  return { kind: 'not-allowed', code };
}
