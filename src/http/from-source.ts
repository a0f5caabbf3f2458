import type { IncomingMessage } from 'node:http';
import type { Credentials } from './credentials.ts';
import { problem } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Reply } from './reply.ts';

const BODY_LIMIT = 64 * 1024;
/** Requests of one source that this process answers at a time: none may hold up the others. */
export const MOST_AT_ONCE = 256;

export interface SourceNeeds<Source> {
  readonly sourceOf: (credentials: Credentials) => Source | undefined;
  readonly now: () => number;
}

/** How many requests of each source are being answered, on whatever path. */
const underWay = new WeakMap<object, number>();

/**
 * Reads a request of at most 64 KiB, finds out whose it is, and answers it if its source has not too
 * many under way. A signature is over the body, even an empty one.
 */
export async function answerSource<Source extends object>(
  request: IncomingMessage,
  { sourceOf, now }: SourceNeeds<Source>,
  answer: (source: Source, body: Buffer) => Promise<Reply>,
): Promise<Reply> {
  const body = await readBody(request, BODY_LIMIT);
  if (body === 'too-large') return TOO_LARGE;
  const source = sourceOf({ headers: request.headers, body, now: now() });
  if (source === undefined) return UNAUTHORIZED;
  const others = underWay.get(source) ?? 0;
  if (others >= MOST_AT_ONCE) return TOO_MANY;
  underWay.set(source, others + 1);
  try {
    return await answer(source, body);
  } finally {
    underWay.set(source, (underWay.get(source) ?? 1) - 1);
  }
}

const TOO_LARGE = problem({ status: 413, title: 'Content too large' });
const UNAUTHORIZED = problem({
  status: 401,
  title: 'Unauthorized',
  detail: 'Send the secret of your source, or sign the request, in the way that is set for it',
  headers: { 'www-authenticate': 'Bearer' },
});
const TOO_MANY = problem({
  status: 429,
  title: 'Too many requests',
  detail: 'Too many requests of this source are being answered. Send this one again',
  retryAfterS: 1,
});

/** What the store cannot do now, where everything is safe to send again. */
export const UNAVAILABLE = problem({
  status: 503,
  title: 'Service unavailable',
  detail: 'The store cannot be reached. It is safe to send the same again',
  retryAfterS: 2,
});
