/**
 * What is known after a call to another system failed.
 *
 * - `not-sent`: refused connection, unknown host, connect timeout. Nothing has happened there.
 * - `refused`: it answered that it will not (a 4xx, a 307, or Slack's `ok: false`).
 * - `ambiguous`: sent, and no answer that tells (timeout, reset, 5xx, 408, a write that is redirected). It may have happened.
 * - `unreadable`: it answered success with a body that cannot be read. It has happened.
 */
export type FailureClass = 'not-sent' | 'refused' | 'ambiguous' | 'unreadable';

export interface FailureFacts {
  readonly class: FailureClass;
  /** A stable word for programs: Slack's error code, `http_404`, `timeout`, `connection_refused`. */
  readonly code: string;
  /** HTTP status, when there was an answer. */
  readonly status?: number;
  /** From `Retry-After`, capped. */
  readonly retryAfterMs?: number;
  /** The other system's own word for programs, where it has one besides its code: SCIM's `scimType`. */
  readonly reason?: string;
  /** The other system's own words: short, without control characters, without secrets, not escaped. */
  readonly detail?: string;
}

/** The other system will not do it; a 429 only says when it will. */
export function isRefused({ class: kind, status }: FailureFacts): boolean {
  return kind === 'refused' && status !== 429;
}

/** It may have happened there. */
export function isUnclear({ class: kind }: FailureFacts): boolean {
  return kind === 'ambiguous' || kind === 'unreadable';
}

/** A call to another system that failed. Its message holds no path, no token and no body. */
export class RemoteFailure extends Error implements FailureFacts {
  override readonly name = 'RemoteFailure';
  /** What was called, such as a method of Slack's. */
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

  /** The facts alone, fit for JSON. */
  get facts(): FailureFacts {
    return {
      class: this.class,
      code: this.code,
      ...(this.status !== undefined && { status: this.status }),
      ...(this.retryAfterMs !== undefined && { retryAfterMs: this.retryAfterMs }),
      ...(this.reason !== undefined && { reason: this.reason }),
      ...(this.detail !== undefined && { detail: this.detail }),
    };
  }
}
