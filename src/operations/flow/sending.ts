import { type Attempt, attemptAt, isOf, type Planned } from '../../core/engine/attempt.ts';
import type { FailureFacts } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';

/**
 * How something that a person wants is sent to the service, once: pure, whatever record it belongs to.
 *
 * authorize: whether the person is allowed to. send: it is sent next. sending: it is on its way, or was when
 * its process died.
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

/** What was tried so far, by why it has to be tried again. */
interface Sends {
  readonly notSent: number;
  readonly limited: number;
}

/** Where everything begins that has to be allowed and sent. */
export function firstPhase(notBefore: number): SendPhase {
  return { name: 'authorize', tries: 0, notBefore, sends: { notSent: 0, limited: 0 } };
}

/** How long an authorization is valid. */
const AUTHORIZED_MS = 60_000;

/** The next thing to do, or the time when it is; `lost`: its process is gone. */
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

/** Whether the person may has not been found out since it was asked for. */
export function isUnauthorized(
  phase: SendPhase | { readonly name: 'read-back' | 'done' },
): boolean {
  return phase.name === 'authorize' && phase.sends.notSent + phase.sends.limited === 0;
}

/** It is about to be sent. A note that took too long is made anew, of the same step. */
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

/** It could not be found out whether the person may; null: it has been tried often enough. */
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

/** What comes of a sending that failed: it is sent again, because certainly nothing was done with it, or it ends. */
type AfterFailure =
  | { readonly kind: 'again'; readonly phase: SendPhase }
  | { readonly kind: 'done'; readonly code: 'not-reached' | 'busy' | 'refused' }
  /** Nobody knows whether it arrived. */
  | { readonly kind: 'lost' };

/** `limitedMax`: so often a 429 is waited for. */
export function sendFailed(
  { sends }: Sending,
  failure: FailureFacts,
  { retryMs, defaultRetryAfterMs }: Timing,
  now: number,
  limitedMax = LIMITED_MAX,
): AfterFailure {
  // Whether the person may is asked again: waits add up to minutes.
  const again = (tried: Sends, waitMs: number): AfterFailure => {
    const phase = { name: 'authorize', tries: 0, notBefore: now + waitMs, sends: tried } as const;
    return { kind: 'again', phase };
  };
  if (failure.class === 'not-sent') {
    const notSent = sends.notSent + 1;
    const waitMs = retryMs[notSent - 1];
    if (waitMs === undefined) return { kind: 'done', code: 'not-reached' };
    return again({ ...sends, notSent }, waitMs);
  }
  if (failure.status === 429) {
    const limited = sends.limited + 1;
    if (limited > limitedMax) return { kind: 'done', code: 'busy' };
    return again({ ...sends, limited }, failure.retryAfterMs ?? defaultRetryAfterMs);
  }
  return failure.class === 'refused' ? { kind: 'done', code: 'refused' } : { kind: 'lost' };
}

/** The service refused it twice more for being busy. */
const LIMITED_MAX = 2;
