import type { IncomingMessage } from 'node:http';
import type { Credentials } from './credentials.ts';
import { problem } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Reply } from './reply.ts';

/** A request of a source that showed its secret, or what it is answered instead. */
export type FromSource<Source> =
  | { readonly ok: true; readonly source: Source; readonly body: Buffer }
  | { readonly ok: false; readonly reply: Reply };

const BODY_LIMIT = 64 * 1024;

/** Reads a request of at most 64 KiB and finds out whose it is. A signature is over the body, even an empty one. */
export async function readFromSource<Source>(
  request: IncomingMessage,
  sourceOf: (credentials: Credentials) => Source | undefined,
  now: number,
): Promise<FromSource<Source>> {
  const body = await readBody(request, BODY_LIMIT);
  if (body === 'too-large') return { ok: false, reply: TOO_LARGE };
  const source = sourceOf({ headers: request.headers, body, now });
  return source === undefined ? { ok: false, reply: UNAUTHORIZED } : { ok: true, source, body };
}

const TOO_LARGE = problem({ status: 413, title: 'Content too large' });
const UNAUTHORIZED = problem({
  status: 401,
  title: 'Unauthorized',
  detail: 'Send the secret of your source, or sign the request, in the way that is set for it',
  headers: { 'www-authenticate': 'Bearer' },
});

/** What the store cannot do now, where everything is safe to send again. */
export const UNAVAILABLE = problem({
  status: 503,
  title: 'Service unavailable',
  detail: 'The store cannot be reached. It is safe to send the same again',
  retryAfterS: 2,
});
