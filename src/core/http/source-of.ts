import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { webhookKey } from '../lib/webhook-key.ts';

/** A request's credentials. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes: signatures cover them. */
  readonly body: Buffer;
  /** The part of the path that is a secret, decoded. */
  readonly pathSecret?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What can be checked before the body is read. */
type Head = Omit<Credentials, 'body'>;

/** A sender, and how it authenticates. */
export interface AuthenticSource {
  readonly auth:
    | { readonly kind: 'bearer' }
    | { readonly kind: 'header'; readonly name: string }
    | { readonly kind: 'standard-webhooks' }
    | { readonly kind: 'path' }
    /** Has no secret: `core/identity-tokens` finds it. */
    | { readonly kind: 'oidc' };
  /** One, or two during rotation. */
  readonly secrets: readonly string[];
}

export interface SourceFinder<Source> {
  (credentials: Credentials): Source | undefined;
  /** False: the request matches no source, whatever its body. */
  readonly couldBe: (head: Head) => boolean;
  /** Whether a source signs its requests. */
  readonly areSigned: boolean;
}

/**
 * Finds a request's source. Each source can authenticate only in its own way: one that signs cannot use its secret as a
 * bearer token. undefined: no source, or credentials of several. Always checks all sources, so that timing reveals
 * nothing.
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

/** Matches requests to one source. */
interface Matcher {
  /** False: it does not match, whatever its body. */
  couldMatch(head: Head): boolean;
  matches(credentials: Credentials): boolean;
}

/** A secret in the path is that of a source with `path` alone, and nothing else is. */
function matcherOf(source: AuthenticSource): Matcher {
  const { couldMatch, matches } = headMatcherOf(source);
  const isPath = source.auth.kind === 'path';
  const fits = ({ pathSecret }: Head) => (pathSecret !== undefined) === isPath;
  return {
    couldMatch: (head) => couldMatch(head) && fits(head),
    matches: (credentials) => matches(credentials) && fits(credentials),
  };
}

function headMatcherOf({ auth, secrets }: AuthenticSource): Matcher {
  const isSecret = secretMatcher(secrets);
  switch (auth.kind) {
    case 'standard-webhooks':
      return signatureMatcher(secrets);
    case 'oidc':
      return byHead(() => false);
    case 'path':
      return byHead(({ pathSecret }) => isSecret(pathSecret));
    case 'bearer':
      return byHead(({ headers }) => isSecret(bearerOf(headers.authorization)));
    case 'header': {
      // Node's header names are lower-case.
      const name = auth.name.toLowerCase();
      return byHead(({ headers }) => isSecret(headers[name]));
    }
  }
}

function byHead(matches: (head: Head) => boolean): Matcher {
  return { couldMatch: matches, matches };
}

/** The Bearer token of a request. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/**
 * Returns whether a header's value is one of these secrets. Compares hashes, all of them and in constant time, so that
 * timing reveals nothing, not even a length.
 */
function secretMatcher(
  secrets: readonly string[],
): (given: string | readonly string[] | undefined) => boolean {
  const digests = secrets.map((secret) => digestOf(Buffer.from(secret, 'utf8')));
  return (given) => {
    if (typeof given !== 'string') return false;
    // Node decodes header bytes as latin1.
    const digest = digestOf(Buffer.from(given, 'latin1'));
    return digests.filter((known) => timingSafeEqual(known, digest)).length > 0;
  };
}

function digestOf(secret: Buffer): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** The largest difference between the sender's clock and ours. */
const TOLERANCE_MS = 5 * 60_000;

/**
 * Returns whether a request is signed with one of these secrets (`whsec_` and base64), according to Standard Webhooks
 * 1.0: `webhook-signature` has, among others separated by spaces, `v1,` and the base64 HMAC-SHA256 of
 * `webhook-id.webhook-timestamp.body`, with a time in seconds at most 5 minutes off. An id with a full stop is refused,
 * because it could be read as another id and time. The package `standardwebhooks` takes four to ten times as long, and a
 * test cannot set its clock; tests use it as the other side.
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
      // Node decodes header bytes as latin1.
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

/** Signatures of the known version and length. */
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
