import { type Attempt, attemptAt, isOf, type Planned } from '../../core/engine/attempt.ts';
import type { FailureFacts } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';

/**
 * How an operation is sent to the service, once: pure, and independent of its record.
 *
 * authorize: the person is being authorized. send: it is sent next. sending: the call is in flight, or was when its
 * process died.
 */
export type SendPhase =
  | {
      readonly name: 'authorize';
      readonly tries: number;
      readonly notBefore: number;
      readonly sends: Sends;
    }
  | {
      readonly name: 'send';
      readonly authorizedAt: number;
      readonly notBefore: number;
      readonly sends: Sends;
    }
  | Sending;

export interface Sending {
  readonly name: 'sending';
  readonly attempt: Attempt;
  readonly sends: Sends;
}

/** Tries so far, by why each has to be repeated. */
interface Sends {
  readonly notSent: number;
  readonly limited: number;
}

/** The first phase of everything that has to be authorized and sent. */
export function firstPhase(notBefore: number): SendPhase {
  return { name: 'authorize', tries: 0, notBefore, sends: { notSent: 0, limited: 0 } };
}

/** How long an authorization is valid. */
const AUTHORIZED_MS = 60_000;

/** The next step, or when it is due; `lost`: its process is gone. */
export function dueSend(
  phase: SendPhase,
  now: number,
  authorizedForMs = AUTHORIZED_MS,
): 'authorize' | 'send' | 'lost' | number {
  if (phase.name === 'sending') return 'lost';
  if (now < phase.notBefore) return phase.notBefore;
  const isOld = phase.name === 'send' && now > phase.authorizedAt + authorizedForMs;
  return phase.name === 'authorize' || isOld ? 'authorize' : 'send';
}

/** The person has not been authorized since it was asked for. */
export function isUnauthorized(
  phase: SendPhase | { readonly name: 'read-back' | 'done' },
): boolean {
  return phase.name === 'authorize' && phase.sends.notSent + phase.sends.limited === 0;
}

/** Notes that it is about to be sent. A repeated note belongs to the same step. */
export function sendBegun(
  phase: SendPhase | { readonly name: 'done' | 'read-back' },
  step: Planned,
  timing: Timing,
  now: number,
): Sending {
  const isNoted = phase.name === 'sending' && isOf(step, phase.attempt);
  if (phase.name !== 'send' && !isNoted) throw new Error('only what is allowed is sent');
  return { name: 'sending', attempt: attemptAt(step, timing, now), sends: phase.sends };
}

/** The person is authorized. */
export function allowed({ sends }: SendPhase, now: number): Extract<SendPhase, { name: 'send' }> {
  return { name: 'send', authorizedAt: now, notBefore: now, sends };
}

/** The authorization failed; null: it was tried often enough. */
export function authorizingFailed(
  phase: SendPhase,
  failure: FailureFacts,
  { retryMs }: Timing,
  now: number,
): SendPhase | null {
  const tries = phase.name === 'authorize' ? phase.tries : 0;
  const waitMs = retryMs[tries];
  if (waitMs === undefined) return null;
  const notBefore = now + (failure.retryAfterMs ?? waitMs);
  return { name: 'authorize', tries: tries + 1, notBefore, sends: phase.sends };
}

/** After a failed call: it is repeated, because it certainly had no effect, or it ends. */
type AfterFailure =
  | { readonly kind: 'again'; readonly phase: SendPhase }
  | { readonly kind: 'done'; readonly code: 'not-reached' | 'busy' | 'refused' | 'redirected' }
  /** It is not known whether the call arrived. */
  | { readonly kind: 'lost' };

/** `limitedMax`: how many times a 429 is waited for. */
export function sendFailed(
  { sends }: Sending,
  failure: FailureFacts,
  { retryMs, defaultRetryAfterMs }: Timing,
  now: number,
  limitedMax = LIMITED_MAX,
): AfterFailure {
  // The waits may add up to minutes, so the person is authorized again.
  const again = (tried: Sends, waitMs: number): AfterFailure => {
    const phase = { name: 'authorize', tries: 0, notBefore: now + waitMs, sends: tried } as const;
    return { kind: 'again', phase };
  };
  if (failure.class === 'not-sent') {
    const notSent = sends.notSent + 1;
    const waitMs = notSent < TRIES_MAX ? retryMs[notSent - 1] : undefined;
    if (waitMs === undefined) return { kind: 'done', code: 'not-reached' };
    return again({ ...sends, notSent }, waitMs);
  }
  if (failure.status === 429) {
    const limited = sends.limited + 1;
    if (limited > limitedMax) return { kind: 'done', code: 'busy' };
    return again({ ...sends, limited }, failure.retryAfterMs ?? defaultRetryAfterMs);
  }
  if (failure.class !== 'refused') return { kind: 'lost' };
  const { status = 0 } = failure;
  return { kind: 'done', code: status >= 300 && status < 400 ? 'redirected' : 'refused' };
}

/** How many times it is tried if the service cannot be reached. */
const TRIES_MAX = 3;
/** How many more tries after the service was busy. */
const LIMITED_MAX = 2;
