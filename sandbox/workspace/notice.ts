import { isObject } from '../exchange.ts';
import type { Delivery } from './user-actions.ts';

/** Something Slack sends to the app, before it is encoded for HTTP or a socket. */
export interface Notice {
  readonly kind: 'interactive' | 'slash_commands' | 'events_api';
  readonly payload: Readonly<Record<string, unknown>>;
  /** In Socket Mode the acknowledgement can carry a response. Over HTTP the body always can. */
  readonly takesAnswer?: boolean;
  readonly retry?: { readonly attempt: number; readonly reason: RetryReason };
}

export type RetryReason = 'http_timeout' | 'http_error' | 'connection_failed' | 'timeout';

/** Interactions whose acknowledgement can carry a response. */
const answered: readonly unknown[] = ['view_submission', 'block_suggestion', 'interactive_message'];

/** An interaction with a message or a view. */
export function interaction(payload: Notice['payload']): Notice {
  return { kind: 'interactive', payload, takesAnswer: answered.includes(payload.type) };
}

/** The result of a delivery. */
export interface Carried extends Delivery {
  /** No acknowledgement in time; false if the app was not reached at all. */
  readonly timedOut: boolean;
  /** The app asks for no retries. */
  readonly noRetry: boolean;
}

/** Delivers a notice to the app. */
export type Carry = (notice: Notice) => Promise<Carried>;

/** The manifest switches interactivity off. */
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

/** The kind of a notice: `/todo`, `event message`, `block_actions`. */
export function nameOf({ kind, payload }: Notice): string {
  if (kind === 'slash_commands') return String(payload.command);
  if (kind === 'interactive') return String(payload.type);
  return `event ${isObject(payload.event) ? payload.event.type : ''}`;
}
