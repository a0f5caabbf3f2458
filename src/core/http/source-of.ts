import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { webhookKey } from '../lib/webhook-key.ts';

/** What a request brings to show where it comes from. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  /** As it arrived: signatures are over these bytes. */
  readonly body: Buffer;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What can be looked at before the body is read. */
type Head = Omit<Credentials, 'body'>;

/** Whoever may send, and the one way in which it proves to be who it is. */
interface AuthenticSource {
  readonly auth:
    | { readonly kind: 'bearer' }
    | { readonly kind: 'header'; readonly name: string }
    | { readonly kind: 'standard-webhooks' };
  /** One, or two while rotating. */
  readonly secrets: readonly string[];
}

export interface SourceFinder<Source> {
  (credentials: Credentials): Source | undefined;
  /** False: it is nobody's, whatever its body is. */
  readonly couldBe: (head: Head) => boolean;
  /** Whether a source signs its requests. */
  readonly areSigned: boolean;
}

/**
 * Finds the source that a request comes from. A source is known in its own way alone: one that signs
 * is not let in by its secret as a bearer. undefined: nobody's, or credentials of several sources.
 * All sources are looked at each time, so that the time tells nothing.
 */
export function sourceFinder<Source extends AuthenticSource>(
  sources: readonly Source[],
): SourceFinder<Source> {
  const known = sources.map((source) => ({ source, matcher: matcherOf(source) }));
  const find = (credentials: Credentials) => {
    const found = known.filter(({ matcher }) => matcher.matches(credentials));
    return found.length === 1 ? found[0]?.source : undefined;
  };
  const couldBe = (head: Head) =>
    known.filter(({ matcher }) => matcher.couldMatch(head)).length > 0;
  const areSigned = sources.some(({ auth }) => auth.kind === 'standard-webhooks');
  return Object.assign(find, { couldBe, areSigned });
}

/** Finds out for one source whether a request comes from it. */
interface Matcher {
  /** False: it does not, whatever its body is. */
  couldMatch(head: Head): boolean;
  matches(credentials: Credentials): boolean;
}

function matcherOf({ auth, secrets }: AuthenticSource): Matcher {
  if (auth.kind === 'standard-webhooks') return signatureMatcher(secrets);
  const isSecret = secretMatcher(secrets);
  if (auth.kind === 'bearer') {
    return byHead(({ headers }) => isSecret(bearerOf(headers.authorization)));
  }
  // Node writes the names of headers in small letters.
  const name = auth.name.toLowerCase();
  return byHead(({ headers }) => isSecret(headers[name]));
}

function byHead(matches: (head: Head) => boolean): Matcher {
  return { couldMatch: matches, matches };
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/**
 * Tells whether a header's value is one of these secrets. They are compared as hashes, all of them and
 * in constant time, so that the time tells nothing, not even a length.
 */
function secretMatcher(
  secrets: readonly string[],
): (given: string | readonly string[] | undefined) => boolean {
  const digests = secrets.map((secret) => digestOf(Buffer.from(secret, 'utf8')));
  return (given) => {
    if (typeof given !== 'string') return false;
    // Node hands header bytes over as latin1.
    const digest = digestOf(Buffer.from(given, 'latin1'));
    return digests.filter((known) => timingSafeEqual(known, digest)).length > 0;
  };
}

function digestOf(secret: Buffer): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** How far the sender's clock may be from ours, either way. */
const TOLERANCE_MS = 5 * 60_000;

/**
 * Tells whether a request is signed with one of these secrets (`whsec_` and base64), as Standard
 * Webhooks 1.0 says: `webhook-signature` holds, among others between spaces, `v1,` and the base64 of
 * the HMAC-SHA256 of `webhook-id.webhook-timestamp.body`; the time is in seconds and not older or newer
 * than 5 minutes. An id with a full stop is refused, as it could be read as another id and time.
 */
function signatureMatcher(secrets: readonly string[]): Matcher {
  const keys = secrets.map(webhookKey).filter((key) => key !== undefined);
  const couldMatch: Matcher['couldMatch'] = ({ headers, now }) =>
    /^[^.]+$/.test(one(headers['webhook-id'])) &&
    isTimely(one(headers['webhook-timestamp']), now) &&
    signaturesIn(one(headers['webhook-signature'])).length > 0;
  return {
    couldMatch,
    matches({ headers, body, now }) {
      if (!couldMatch({ headers, now })) return false;
      // Node hands header bytes over as latin1.
      const signed = `${one(headers['webhook-id'])}.${one(headers['webhook-timestamp'])}.`;
      const head = Buffer.from(signed, 'latin1');
      const given = signaturesIn(one(headers['webhook-signature']));
      const right = keys.map((key) => createHmac('sha256', key).update(head).update(body).digest());
      const pairs = right.flatMap((signature) => given.map((each) => [signature, each] as const));
      return pairs.filter(([signature, each]) => timingSafeEqual(signature, each)).length > 0;
    },
  };
}

function isTimely(timestamp: string, now: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - now) <= TOLERANCE_MS;
}

/** Those of the one version that is known, and of the length it has. */
function signaturesIn(header: string): Buffer[] {
  return header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'))
    .filter(({ length }) => length === 32);
}

function one(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}
