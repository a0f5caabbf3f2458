import type { Reply } from './reply.ts';

export interface Problem {
  readonly status: number;
  /** The same for every occurrence. */
  readonly title: string;
  /** A sentence of ours: never a value that was sent. */
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  /** For 429 and 503. Whole seconds, at least 1. */
  readonly retryAfterS?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FieldError {
  /** A JSON Pointer (RFC 6901) into the body. */
  readonly pointer: string;
  readonly detail: string;
}

/** Problem details (RFC 9457). */
export function problem({ retryAfterS, headers, ...details }: Problem): Reply {
  const wait = retryAfterS === undefined ? undefined : String(Math.max(1, Math.ceil(retryAfterS)));
  return {
    status: details.status,
    headers: {
      'content-type': 'application/problem+json',
      ...(wait !== undefined && { 'retry-after': wait }),
      ...headers,
    },
    body: JSON.stringify({ type: 'about:blank', ...details }),
  };
}
