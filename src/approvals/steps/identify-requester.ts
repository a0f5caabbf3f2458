import { callResult, type Failed } from '../../core/engine/call-result.ts';
import type { Due } from '../../core/engine/first-due.ts';
import { patientWaitMs } from '../../core/engine/patience.ts';
import { isRefused } from '../../core/lib/failure.ts';
import { type Approval, messagePost } from '../approval.ts';
import type { Terms } from '../policy.ts';
import { mustRecall } from '../store-rewind.ts';
import type { StepRules } from './step-rules.ts';

/** Look up the requester in Slack by e-mail address. */
export interface IdentifyRequester {
  readonly kind: 'identify-requester';
  readonly email: string;
}

type Identified = { readonly kind: 'identified'; readonly user: string | null } | Failed;

/** Failed look-ups of an address; an address that nobody has uses them up at once. */
const LOOKUPS_MAX = 8;

/** One try, so that the message can name the requester. */
export function dueRequester(approval: Approval, now: number): Due<IdentifyRequester> {
  return dueLookup(approval, 1, now);
}

/** Announcing the outcome is worth more tries. */
export function dueRequesterToTell(
  approval: Approval,
  terms: Terms,
  now: number,
): Due<IdentifyRequester> {
  if (approval.outcome === undefined || messagePost(approval).ts === undefined) return null;
  if (mustRecall(approval, terms)) return null;
  const isWanted = terms.route?.outcomes.requester ?? true;
  return isWanted ? dueLookup(approval, LOOKUPS_MAX, now) : null;
}

/** `tries`: look-ups in all. */
function dueLookup({ requester }: Approval, tries: number, now: number): Due<IdentifyRequester> {
  if (requester?.email === undefined || requester.user !== undefined) return null;
  if ((requester.lookups ?? 0) >= tries) return null;
  if (requester.notBefore !== undefined && now < requester.notBefore) return requester.notBefore;
  return { kind: 'identify-requester', email: requester.email };
}

export const identifyRequester: StepRules<IdentifyRequester, Identified> = {
  execute({ lookup }, _id, _approval, { email }) {
    const found = lookup.userByEmail(email);
    return callResult(found.then((user) => ({ kind: 'identified', user: user ?? null }) as const));
  },

  /** A failed look-up uses up a try; an answer or a refusal ends them. */
  apply(approval, _step, result, { timing, random }, now) {
    const { requester } = approval;
    if (requester === undefined) return { data: approval };
    const { notBefore, ...asked } = requester;
    if (result.kind === 'identified' && result.user !== null) {
      return { data: { ...approval, requester: { ...asked, user: result.user } } };
    }
    const failure = result.kind === 'failed' ? result.failure : undefined;
    if (failure === undefined || isRefused(failure)) {
      return { data: { ...approval, requester: { ...asked, lookups: LOOKUPS_MAX } } };
    }
    const tries = asked.lookups ?? 0;
    // After the first try, for which the message waits, rate limits do not use up tries.
    const isLimited = failure.status === 429 && tries > 0;
    const lookups = tries + (isLimited ? 0 : 1);
    const patientMs = failure.retryAfterMs ?? patientWaitMs(tries, timing.retryMs[0], 60_000);
    // Jittered, so that look-ups do not all come back at once.
    const waitMs = failure.status === 429 ? patientMs * (1 + random()) : patientMs;
    return { data: { ...approval, requester: { ...asked, lookups, notBefore: now + waitMs } } };
  },
};
