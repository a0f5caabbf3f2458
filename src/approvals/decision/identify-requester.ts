import { callResult, type Failed } from '../../core/engine/call-result.ts';
import type { Due } from '../../core/engine/first-due.ts';
import type { Applied } from '../../core/engine/flow.ts';
import { patientWaitMs } from '../../core/engine/patience.ts';
import { isRefused } from '../../core/lib/failure.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import {
  type Approval,
  type Ballot,
  isOnCourse,
  messagePost,
  type Requester,
} from '../approval.ts';
import { electorateOf } from '../electorate/electorate.ts';
import { type FoundRequester, findRequester } from '../electorate/find-requester.ts';
import { KNOWN_FACT, redrawn, requestersOf, withOwnApproval } from '../electorate/requester.ts';
import type { StepRules } from '../electorate/step-rules.ts';
import type { Terms } from '../electorate/terms.ts';
import { peopleIn, share, slackIdsOf } from '../electorate/votes.ts';
import { recheckBallots } from './reauthorize.ts';
import { mustRecall } from './store-rewind.ts';

/** Look up in Slack who asked: the requester with this index. */
export interface IdentifyRequester {
  readonly kind: 'identify-requester';
  readonly index: number;
}

type Identified = { readonly kind: 'identified'; readonly found: FoundRequester } | Failed;

/** Failed look-ups; an address that nobody has uses them up at once. */
const LOOKUPS_MAX = 8;

/** One try before the message is posted, so that it can name the requester. */
export function dueRequester(approval: Approval, now: number): Due<IdentifyRequester> {
  return firstToIdentify(approval, now, ({ lookups }) => lookups === 0);
}

/** The same for one who was added to a posted request: presses wait for it. */
export function dueAddedRequester(approval: Approval, now: number): Due<IdentifyRequester> {
  return messagePost(approval).ts === undefined || isBeingSent(approval)
    ? null
    : dueRequester(approval, now);
}

/** Whether they approved it counts once it is decided. */
function isBeingSent({ decision }: Approval): boolean {
  return decision?.phase.name === 'sending' || decision?.phase.name === 'settle';
}

/** More tries once it is posted. */
export function dueRequesterLater(
  approval: Approval,
  terms: Terms,
  now: number,
): Due<IdentifyRequester> {
  if (messagePost(approval).ts === undefined || mustRecall(approval, terms)) return null;
  if (isBeingSent(approval)) return null;
  // Earlier versions looked up addresses alone, and some of them only to announce the outcome.
  const isWanted = approval.outcome !== undefined && (terms.route?.outcomes.requester ?? true);
  return firstToIdentify(
    approval,
    now,
    ({ lookups, email, user }) =>
      lookups !== undefined || (isWanted && email !== undefined && user === undefined),
  );
}

function firstToIdentify(
  approval: Approval,
  now: number,
  isWanted: (requester: Requester) => boolean,
): Due<IdentifyRequester> {
  const waits: number[] = [];
  for (const [index, requester] of requestersOf(approval).entries()) {
    const { known, notBefore = now } = requester;
    if (known !== undefined || !isWanted(requester)) continue;
    if (notBefore <= now) return { kind: 'identify-requester', index };
    waits.push(notBefore);
  }
  return waits.length === 0 ? null : Math.min(...waits);
}

export const identifyRequester: StepRules<IdentifyRequester, Identified> = {
  execute(core, _id, approval, { index }) {
    const requester = requestersOf(approval)[index] ?? {};
    const found = findRequester(core, requester, core.timing.stepMs);
    return callResult(found.then((each) => ({ kind: 'identified', found: each }) as const));
  },

  /** A failed look-up uses up a try; an answer or a refusal ends them. */
  apply(approval, { index }, result, terms, now) {
    const before = requestersOf(approval)[index];
    if (before === undefined || before.known !== undefined) return { data: approval };
    const { notBefore, lookups: tries = 0, ...asked } = before;
    if (result.kind === 'identified') {
      const { known, user } = result.found;
      const requester = { ...asked, ...(user !== undefined && { user }), known };
      const { counted, ...uncounted } = replaced(approval, index, requester);
      // The count of who can approve left out whom it knew.
      const isNew = counted === undefined || user !== asked.user;
      const found = isNew ? uncounted : { ...uncounted, counted };
      return applyFound(found, result.found, terms, now);
    }
    const { failure } = result;
    // After the first try, for which the message waits, rate limits do not use up tries.
    const lookups = tries + (failure.status === 429 && tries > 0 ? 0 : 1);
    if (isRefused(failure) || lookups >= LOOKUPS_MAX) {
      return applyFound(replaced(approval, index, { ...asked, known: false }), NOBODY, terms, now);
    }
    const patientMs = failure.retryAfterMs ?? patientWaitMs(tries, terms.timing.retryMs[0], 60_000);
    // Jittered, so that look-ups do not all come back at once.
    const waitMs = failure.status === 429 ? patientMs * (1 + terms.random()) : patientMs;
    return {
      data: replaced(approval, index, { ...asked, lookups, notBefore: now + waitMs }),
    };
  },
};

const NOBODY: FoundRequester = { known: false, ids: [] };

/** The requesters keep their order. */
function replaced(approval: Approval, index: number, requester: Requester): Approval {
  const all = requestersOf(approval).map((each, at) => (at === index ? requester : each));
  if (approval.requester === undefined) return { ...approval, alsoAskedBy: all };
  const [first = requester, ...others] = all;
  return { ...approval, requester: first, ...(others.length > 0 && { alsoAskedBy: others }) };
}

/** The message names them. What they decided before it was known that they asked does not count. */
function applyFound(
  before: Approval,
  { known, user, ids }: FoundRequester,
  terms: Terms,
  now: number,
): Applied<Approval> {
  const approval = redrawn(before);
  const entry: NewAuditEntry = {
    action: 'approvals.requester',
    record: null,
    actor: approval.source,
    facts: { [KNOWN_FACT]: known, ...(user !== undefined && { user }) },
  };
  const { selfApproval: rule } = electorateOf(approval, terms);
  // In whose place somebody decided counts as well.
  const isTheirs = (ballot: Ballot) => share(peopleIn(ballot).flatMap(slackIdsOf), ids);
  const own = approval.ballots.filter((ballot) => ballot.self !== true && isTheirs(ballot));
  const [first] = own;
  if (rule === true || first === undefined) return { data: approval, audit: [entry] };
  const { outcome, decision } = approval;
  if (outcome !== undefined) {
    const isUsed = outcome.status === 'APPROVED' && outcome.by.includes(first.user);
    // Without the service's word, it is not certain whose approval it accepted.
    if (!isUsed || outcome.credit !== 'certain') return { data: approval, audit: [entry] };
    const { data, audit = [] } = withOwnApproval(approval, first.user);
    return { data, audit: [entry, ...audit] };
  }
  // Otherwise the decision is authorized again before it is sent, or its outcome says so.
  if (decision !== undefined && isOnCourse(decision.phase)) {
    const again = { ...decision, authorizedAt: 0 };
    return { data: { ...approval, decision: again }, audit: [entry] };
  }
  // As after the press: on a route with loud self-approval they can give a reason.
  const code = rule === 'loud' ? 'reason-missing' : 'requester';
  const refused = own.map((ballot) => [ballot.user, { kind: 'not-allowed', code }] as const);
  const { data, audit } = recheckBallots(approval, Object.fromEntries(refused), terms, now);
  return { data, audit: [entry, ...audit] };
}
