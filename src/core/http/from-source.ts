import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Clock } from '../lib/clock.ts';
import { problem } from './problem.ts';
import { readBody } from './read-body.ts';
import type { Reply } from './reply.ts';
import { type AuthenticSource, type SourceFinder, sourceFinder } from './source-of.ts';

/** The default limit of a body, in bytes. */
export const BODY_LIMIT = 64 * 1024;
/** Requests of one source answered at a time by this process, so that no source blocks the others. */
export const MOST_AT_ONCE = 256;

/** The number of requests of each source being answered, on all paths. */
const underWay = new WeakMap<object, number>();

/** Requests of which it is being found out who sends them: their issuer may be slow to answer. */
let callersWaiting = 0;

/** What finds the source of a request that proves who sends it; undefined: it does not, so it may have a secret. */
type FindCaller<Caller> = (
  headers: IncomingHttpHeaders,
) => Promise<Caller | { readonly kind: 'refused'; readonly reply: Reply } | undefined>;

interface FoundCaller<Source> {
  readonly kind: string;
  readonly source: Source;
}

/**
 * Reads a request of at most `limit` bytes (default 64 KiB), finds its source, and answers it unless that source has
 * too many in progress. Signatures cover the body, even an empty one; if the headers alone match no source, the body is
 * not read. A signature's age is measured by this machine's clock, like the sender's: after a clock was set back, the
 * store's time may be hours ahead. Every answer is counted, including a failure's 500; a client that disconnects gets
 * none.
 */
export async function answerSource<
  Source extends { readonly id: string },
  Caller extends FoundCaller<Source> = never,
>(
  request: IncomingMessage,
  needs: {
    readonly sourceOf: SourceFinder<Source>;
    readonly callerOf?: FindCaller<Caller>;
    readonly clock: Clock;
    readonly onIntake: (result: string) => void;
    readonly limit?: number | undefined;
    readonly pathSecret?: string | undefined;
  },
  answer: (source: Source, body: Buffer, caller: Caller | undefined) => Promise<Reply>,
): Promise<Reply> {
  const { sourceOf, callerOf, clock, onIntake, limit = BODY_LIMIT, pathSecret } = needs;
  const { headers } = request;
  const counted = (reply: Reply) => {
    onIntake(String(reply.status));
    return reply;
  };
  const foundBy = async (find: FindCaller<Caller>, of: IncomingHttpHeaders) => {
    callersWaiting += 1;
    try {
      return await find(of);
    } catch (error) {
      onIntake('500');
      throw error;
    } finally {
      callersWaiting -= 1;
    }
  };
  const unauthorized =
    sourceOf.areSigned && isSignedOtherwise(headers) ? UNKNOWN_SIGNATURE : UNAUTHORIZED;
  const hasSecret = sourceOf.couldBe({ headers, pathSecret, now: clock.now() });
  if (!hasSecret && callersWaiting >= MOST_AT_ONCE) return counted(KEYS_BUSY);
  const found = hasSecret || callerOf === undefined ? undefined : await foundBy(callerOf, headers);
  const refused = found === undefined ? unauthorized : 'reply' in found ? found.reply : undefined;
  const body = await readBody(request, limit, () => (hasSecret ? undefined : refused));
  if (!Buffer.isBuffer(body)) return counted(body);
  const caller = found === undefined || 'reply' in found ? undefined : found;
  const source = caller?.source ?? sourceOf({ headers, body, pathSecret, now: clock.now() });
  if (source === undefined) return counted(unauthorized);
  const named = headers['gatepost-source'];
  if (named !== undefined && named !== source.id) return counted(OTHER_SOURCE);
  const others = underWay.get(source) ?? 0;
  if (others >= MOST_AT_ONCE) return counted(TOO_MANY);
  underWay.set(source, others + 1);
  try {
    return counted(await answer(source, body, caller));
  } catch (error) {
    onIntake('500');
    throw error;
  } finally {
    underWay.set(source, (underWay.get(source) ?? 1) - 1);
  }
}

interface DoorNeeds<Source, Caller> {
  readonly config: { readonly sources: readonly Source[] };
  readonly clock: Clock;
  readonly metrics: { count(what: 'intake', labels: { readonly result: string }): void };
  readonly callers: {
    find(headers: IncomingHttpHeaders, id?: string): ReturnType<FindCaller<Caller>>;
  };
}

/** `id`: the request that the path names; `pathSecret`: the only thing that then says who sends it. */
interface DoorOptions {
  readonly id?: string;
  readonly limit?: number;
  readonly pathSecret?: string | undefined;
}

/** `answerSource` for all sources of the configuration. */
export function sourceDoor<
  Source extends AuthenticSource & { readonly id: string },
  Caller extends FoundCaller<Source>,
>({ config, clock, metrics, callers }: DoorNeeds<Source, Caller>) {
  const sourceOf = sourceFinder(config.sources);
  const onIntake = (result: string) => metrics.count('intake', { result });
  return (
    request: IncomingMessage,
    answer: (
      sender: { readonly source: Source; readonly caller?: Caller | undefined },
      body: Buffer,
    ) => Promise<Reply>,
    { id, limit, pathSecret }: DoorOptions = {},
  ): Promise<Reply> => {
    const callerOf = (headers: IncomingHttpHeaders) => callers.find(headers, id);
    const found = pathSecret === undefined ? { callerOf } : { pathSecret };
    return answerSource(
      request,
      { sourceOf, ...found, clock, onIntake, limit },
      (source, body, caller) => answer({ source, caller }, body),
    );
  };
}

/** Some senders use the same signature under other names: `svix-signature`, `x-hub-signature-256`. */
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
  "Send your source's secret, sign the request, or send an identity token, as configured for this source",
);
const OTHER_SOURCE = unauthorizedFor(
  'Gatepost-Source names another source than the one of this secret',
);
const UNKNOWN_SIGNATURE = unauthorizedFor(
  'Looked for the headers webhook-id, webhook-timestamp and webhook-signature (Standard Webhooks); the request has a signature under another name',
);
const KEYS_BUSY = problem({
  status: 503,
  title: 'Service unavailable',
  detail: 'Too many identity tokens are being checked. It is safe to send the same request again',
  retryAfterS: 1,
});
export const TOO_MANY = problem({
  status: 429,
  title: 'Too many requests',
  detail: 'This source has too many requests in progress. Send this one again',
  retryAfterS: 1,
});

/** For a failure of the store; `shortage`: what it is out of. All requests here are safe to repeat. */
export function unavailable({ shortage }: { readonly shortage: string | undefined }): Reply {
  const why =
    shortage === undefined
      ? 'The store cannot be reached'
      : `The store accepts no writes: ${shortage}`;
  return problem({
    status: 503,
    title: 'Service unavailable',
    detail: `${why}. It is safe to send the same request again`,
    retryAfterS: 2,
  });
}
