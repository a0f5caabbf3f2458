import * as z from 'zod';
import { jsonReply, type Reply } from './reply.ts';

const fieldError = z.strictObject({
  pointer: z.string().describe('A JSON Pointer (RFC 6901) into the body'),
  detail: z.string(),
});

export type FieldError = z.infer<typeof fieldError>;

/** A problem's body (RFC 9457). */
export const problemDetails = z.strictObject({
  type: z.string(),
  title: z.string().describe('The same for every error of this kind'),
  status: z.int(),
  /** Only our own words: never a value that was sent. */
  detail: z.string().optional().describe('A sentence about this one error'),
  errors: z.array(fieldError).optional().describe('One for each problem in the body'),
});

type ProblemDetails = z.infer<typeof problemDetails>;

interface Problem extends Omit<ProblemDetails, 'type'> {
  /** For 429 and 503. Whole seconds, at least 1. */
  readonly retryAfterS?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Problem details (RFC 9457). */
export function problem({ retryAfterS, headers, ...details }: Problem): Reply {
  const wait = retryAfterS === undefined ? undefined : String(Math.max(1, Math.ceil(retryAfterS)));
  const body: ProblemDetails = { type: 'about:blank', ...details };
  return jsonReply(details.status, body, {
    'content-type': 'application/problem+json',
    ...(wait !== undefined && { 'retry-after': wait }),
    ...headers,
  });
}
