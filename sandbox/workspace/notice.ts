import { isObject } from '../exchange.ts';
import type { Delivery } from './user-actions.ts';

/** Something Slack tells the app, before it is written for HTTP or for a socket. */
export interface Notice {
  readonly kind: 'interactive' | 'slash_commands' | 'events_api';
  readonly payload: Readonly<Record<string, unknown>>;
  /** In Socket Mode the acknowledgement may carry an answer. Over HTTP the body always may. */
  readonly takesAnswer?: boolean;
  readonly retry?: { readonly attempt: number; readonly reason: RetryReason };
}

export type RetryReason = 'http_timeout' | 'http_error' | 'connection_failed' | 'timeout';

/** An interaction with a message or a view. Submitted views and lists of options take an answer. */
export function interaction(payload: Notice['payload']): Notice {
  const takesAnswer = payload.type === 'view_submission' || payload.type === 'block_suggestion';
  return { kind: 'interactive', payload, takesAnswer };
}

/** How a notice fared. */
export interface Carried extends Delivery {
  /** Nobody acknowledged in time; false when nobody was reached at all. */
  readonly timedOut: boolean;
  /** The app asks not to be told again. */
  readonly noRetry: boolean;
}

/** Takes a notice to the app. */
export type Carry = (notice: Notice) => Promise<Carried>;

/** Where the manifest switches interactivity off. */
export const notInteractive: Carried = {
  sent: false,
  status: 0,
  body: '',
  ackMs: 0,
  acknowledged: false,
  shown: 'This app is not configured to handle interactive responses.',
  timedOut: false,
  noRetry: true,
};

/** What a notice is about: `/todo`, `event message`, `block_actions`. */
export function nameOf({ kind, payload }: Notice): string {
  if (kind === 'slash_commands') return String(payload.command);
  if (kind === 'interactive') return String(payload.type);
  return `event ${isObject(payload.event) ? payload.event.type : ''}`;
}
