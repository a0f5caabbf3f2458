import { type Answer, isObject } from '../exchange.ts';
import type { Call } from './workspace-handle.ts';

export type CallArrival = Pick<Call, 'method' | 'args' | 'headers' | 'at'>;

/** What the journal keeps of a call. @param answer null until there is one. */
export function callOf(arrival: CallArrival, answer: Answer | null): Call {
  const body = isObject(answer?.body) ? answer.body : {};
  return {
    ...arrival,
    status: answer?.status ?? null,
    ok: body.ok === true,
    error: typeof body.error === 'string' ? body.error : null,
  };
}
