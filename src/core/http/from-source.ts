import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Clock } from '../lib/clock.ts';
import { problem } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Reply } from './reply.ts';
import type { SourceFinder } from './source-of.ts';

/** Of a body, in bytes, unless more is taken. */
export const BODY_LIMIT = 64 * 1024;
/** Requests of one source that this process answers at a time: none may hold up the others. */
export const MOST_AT_ONCE = 256;

/** How many requests of each source are being answered, on whatever path. */
const underWay = new WeakMap<object, number>();

/**
 * Reads a request of at most `limit` bytes (64 KiB without it), finds out whose it is, and answers it if its source has not too
 * many under way. A signature is over the body, even an empty one; what the headers alone show to be
 * nobody's is not read. Its age is by the machine's clock, as at whoever signed it: the store's time may
 * be ahead for hours after a clock was set back. Each answer is counted, also the 500 that a failure becomes;
 * a client that goes away has none.
 */
export async function answerSource<Source extends object>(
  request: IncomingMessage,
  needs: {
    readonly sourceOf: SourceFinder<Source>;
    readonly clock: Clock;
    readonly onIntake: (result: string) => void;
    readonly limit?: number | undefined;
  },
  answer: (source: Source, body: Buffer) => Promise<Reply>,
): Promise<Reply> {
  const { sourceOf, clock, onIntake, limit = BODY_LIMIT } = needs;
  const { headers } = request;
  const counted = (reply: Reply) => {
    onIntake(String(reply.status));
    return reply;
  };
  const unauthorized =
    sourceOf.areSigned && isSignedOtherwise(headers) ? UNKNOWN_SIGNATURE : UNAUTHORIZED;
  const refuse = () => (sourceOf.couldBe({ headers, now: clock.now() }) ? undefined : unauthorized);
  const body = await readBody(request, limit, refuse);
  if (!Buffer.isBuffer(body)) return counted(body);
  const source = sourceOf({ headers, body, now: clock.now() });
  if (source === undefined) return counted(unauthorized);
  const others = underWay.get(source) ?? 0;
  if (others >= MOST_AT_ONCE) return counted(TOO_MANY);
  underWay.set(source, others + 1);
  try {
    return counted(await answer(source, body));
  } catch (error) {
    onIntake('500');
    throw error;
  } finally {
    underWay.set(source, (underWay.get(source) ?? 1) - 1);
  }
}

/** Some senders sign alike, under names of their own: `svix-signature`, `x-hub-signature-256`. */
function isSignedOtherwise(headers: IncomingHttpHeaders): boolean {
  const names = Object.keys(headers).filter((name) => /(?:^|-)signature(?:-|$)/.test(name));
  return names.length > 0 && headers['webhook-signature'] === undefined;
}

const unauthorizedFor = (detail: string) =>
  problem({
    status: 401,
    title: 'Unauthorized',
    detail,
    headers: { 'www-authenticate': 'Bearer' },
  });
const UNAUTHORIZED = unauthorizedFor(
  "Send your source's secret, or sign the request, as configured for this source",
);
const UNKNOWN_SIGNATURE = unauthorizedFor(
  'Looked for the headers webhook-id, webhook-timestamp and webhook-signature (Standard Webhooks); the request has a signature under another name',
);
const TOO_MANY = problem({
  status: 429,
  title: 'Too many requests',
  detail: 'This source has too many requests in progress. Send this one again',
  retryAfterS: 1,
});

/** What the store cannot do now, where everything is safe to send again. */
export const UNAVAILABLE = problem({
  status: 503,
  title: 'Service unavailable',
  detail: 'The store cannot be reached. It is safe to send the same request again',
  retryAfterS: 2,
});
