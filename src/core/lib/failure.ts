import { present } from './present.ts';

/**
 * What is known after a call to another system failed.
 *
 * - `not-sent`: connection refused, unknown host, connect timeout. It has not happened.
 * - `refused`: the answer was a refusal (a 4xx, a 307, or Slack's `ok: false`).
 * - `ambiguous`: sent, without a clear answer (timeout, reset, 5xx, 408, a redirected write). It may have happened.
 * - `unreadable`: success, with a body that cannot be read. It has happened.
 */
export type FailureClass = 'not-sent' | 'refused' | 'ambiguous' | 'unreadable';

export interface FailureFacts {
  readonly class: FailureClass;
  /** A stable code for programs: Slack's error code, `http_404`, `timeout`, `connection_refused`. */
  readonly code: string;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** From `Retry-After`, capped. */
  readonly retryAfterMs?: number;
  /** The other system's error type, if it has one in addition to its code: SCIM's `scimType`. */
  readonly reason?: string;
  /** The other system's own words: short, without control characters or secrets, not escaped. */
  readonly detail?: string;
}

/** The other system refused; a 429 only delays. */
export function isRefused({ class: kind, status }: FailureFacts): boolean {
  return kind === 'refused' && status !== 429;
}

/** It may have happened. */
export function isUnclear({ class: kind }: FailureFacts): boolean {
  return kind === 'ambiguous' || kind === 'unreadable';
}

/** A failed call to another system. Its message contains no path, token or body. */
export class RemoteFailure extends Error implements FailureFacts {
  override readonly name = 'RemoteFailure';
  /** What was called, such as a Slack method. */
  readonly operation: string;
  readonly class: FailureClass;
  readonly code: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly reason?: string;
  readonly detail?: string;

  constructor(operation: string, facts: FailureFacts, options?: ErrorOptions) {
    super(`${operation}: ${facts.code} (${facts.class})`, options);
    this.operation = operation;
    this.class = facts.class;
    this.code = facts.code;
    if (facts.status !== undefined) this.status = facts.status;
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
    if (facts.reason !== undefined) this.reason = facts.reason;
    if (facts.detail !== undefined) this.detail = facts.detail;
  }

  /** Only the facts, as JSON. */
  get facts(): FailureFacts {
    const { class: kind, code, status, retryAfterMs, reason, detail } = this;
    return { class: kind, code, ...present({ status, retryAfterMs, reason, detail }) };
  }
}
