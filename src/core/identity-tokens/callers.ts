/**
 * Requests that prove who sends them (`auth: oidc`): a signed identity token of the CI system, or the key to one request
 * that was asked for with such a token. `callers.ts` finds the source, `verify-token.ts` checks a token with the keys of
 * its issuer (`issuer-keys.ts`), `claims.ts` what a source demands of it, `presets.ts` what each system's token proves.
 * Without a source of this kind nothing of it is loaded or fetched.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { NewAlert } from '../alerts/raise-alert.ts';
import type { EncryptionKey, Source } from '../config/config.ts';
import type { Connect } from '../http/exchange.ts';
import { problem } from '../http/problem.ts';
import type { Reply } from '../http/reply.ts';
import { bearerOf } from '../http/source-of.ts';
import type { Clock } from '../lib/clock.ts';
import type { Timers } from '../lib/timers.ts';
import { isTokenLike, unmetClaims } from './claims.ts';
import { type IssuerKeys, type IssuerPlace, issuerKeys, type KeyTrouble } from './issuer-keys.ts';
import { type Proof, proofOf } from './proof.ts';
import { REQUEST_KEY, requestKeys } from './request-key.ts';
import { keysAlert } from './trouble.ts';
import {
  readToken,
  TOKEN_BYTES,
  type TokenFault,
  type UncheckedToken,
  type VerifiedToken,
  verifyToken,
} from './verify-token.ts';

/** Who sends a request. */
export type Caller =
  | { readonly kind: 'source'; readonly source: Source; readonly proof: Proof }
  /** With the key to the request that its path names. */
  | { readonly kind: 'request-key'; readonly source: Source }
  | { readonly kind: 'refused'; readonly reply: Reply };

export interface Callers {
  /**
   * Whose identity token or request key the headers have. `id`: the request that the path names. undefined: they have
   * neither.
   */
  find(headers: IncomingHttpHeaders, id?: string): Promise<Caller | undefined>;
  /** The key to a request of a source of this kind; undefined: of another one. */
  requestKey(source: Source, id: string): string | undefined;
  close(): Promise<void>;
}

export interface CallersNeeds {
  readonly sources: readonly Source[];
  /** Of `GATEPOST_KEYS`. */
  readonly keys: readonly EncryptionKey[];
  readonly connect: Connect;
  readonly clock: Clock;
  readonly timers: Timers;
  /** `accepted`, `request-key`, `unavailable`, or which check failed. */
  readonly onToken: (result: string) => void;
  /** Never throws. */
  readonly onTrouble: (alert: NewAlert) => void;
}

/** Names the source, if a token matches several. */
export const SOURCE_HEADER = 'gatepost-source';

type Fault = TokenFault | 'several' | 'other-source' | 'request-key';

export function createCallers(needs: CallersNeeds): Callers {
  const { clock, onToken } = needs;
  const sources = needs.sources.filter(takesTokens);
  const places = new Map<string, { readonly place: IssuerPlace; readonly keys: IssuerKeys }>();
  for (const { auth } of sources) {
    const { issuer, jwksFile, ca } = auth;
    const place = { issuer, jwksFile, ca };
    const onTrouble = (trouble: KeyTrouble) => needs.onTrouble(keysAlert(issuer, trouble));
    const name = nameOf(place);
    if (!places.has(name))
      places.set(name, { place, keys: issuerKeys(place, { ...needs, onTrouble }) });
  }
  const opener = requestKeys(needs.keys);

  function refuse(fault: Fault, claims: readonly string[] = []): Caller {
    onToken(fault);
    return { kind: 'refused', reply: unauthorized(sentenceOf(fault, claims)) };
  }

  async function byToken(text: string, named: string | undefined): Promise<Caller> {
    const since = clock.monotonic();
    const token = readToken(text);
    if ('fault' in token) return refuse(token.fault);
    const ofIssuer = sources.filter(({ auth }) => auth.issuer === token.issuer);
    if (ofIssuer.length === 0) return refuse('issuer');
    const own = named === undefined ? ofIssuer : ofIssuer.filter(({ id }) => id === named);
    if (own.length === 0) return refuse('other-source');
    const verified = await verifyAll(token, own, since);
    const matches = own.map((source) => matchOf(source, verified.get(nameOf(source.auth))));
    const found = matches.flatMap((match) => (match.kind === 'source' ? [match] : []));
    const [first, ...others] = found;
    if (others.length > 0) return refuse('several');
    if (first !== undefined) {
      onToken('accepted');
      return first;
    }
    const waits = matches.flatMap((match) =>
      match.kind === 'unavailable' ? [match.retryAfterMs] : [],
    );
    if (waits.length > 0) {
      onToken('unavailable');
      return { kind: 'refused', reply: unavailable(Math.min(...waits)) };
    }
    const faults = matches.flatMap((match) => (match.kind === 'refused' ? [match] : []));
    // What the token that came furthest lacks helps most.
    const last = faults.toSorted((a, b) => FAULTS.indexOf(b.fault) - FAULTS.indexOf(a.fault))[0];
    return refuse(last?.fault ?? 'malformed', own.length === 1 ? last?.claims : undefined);
  }

  /** Once for each place of keys. */
  async function verifyAll(
    token: UncheckedToken,
    own: readonly TokenSource[],
    since: number,
  ): Promise<ReadonlyMap<string, VerifiedToken>> {
    const names = [...new Set(own.map(({ auth }) => nameOf(auth)))];
    const times = { since, now: clock.now() };
    const all = names.map(async (name) => {
      const keys = places.get(name)?.keys;
      if (keys === undefined) throw new Error('an issuer has no keys');
      return [name, await verifyToken(token, keys, times)] as const;
    });
    return new Map(await Promise.all(all));
  }

  return {
    async find(headers, id) {
      const given = bearerOf(headers.authorization);
      if (sources.length === 0 || given === undefined) return undefined;
      const header = headers[SOURCE_HEADER];
      const named = typeof header === 'string' ? header : undefined;
      if (given.startsWith(REQUEST_KEY)) {
        const source =
          id === undefined ? undefined : sources.find((each) => opener.opens(given, each.id, id));
        if (source === undefined) return refuse('request-key');
        if (named !== undefined && source.id !== named) return refuse('other-source');
        onToken('request-key');
        return { kind: 'request-key', source };
      }
      return isTokenLike(given) ? byToken(given, named) : undefined;
    },
    requestKey: (source, id) => (takesTokens(source) ? opener.of(source.id, id) : undefined),
    async close() {
      await Promise.all([...places.values()].map(({ keys }) => keys.close()));
    },
  };
}

type TokenSource = Source & { readonly auth: Extract<Source['auth'], { readonly kind: 'oidc' }> };

export function takesTokens(source: Source): source is TokenSource {
  return source.auth.kind === 'oidc';
}

/** Equal for sources that have the same keys. */
function nameOf({ issuer, jwksFile, ca }: IssuerPlace): string {
  return JSON.stringify([issuer, jwksFile, ca]);
}

type Match =
  | Extract<Caller, { kind: 'source' }>
  | Extract<VerifiedToken, { kind: 'unavailable' }>
  | { readonly kind: 'refused'; readonly fault: TokenFault; readonly claims?: readonly string[] };

function matchOf(source: TokenSource, verified: VerifiedToken | undefined): Match {
  if (verified?.kind !== 'verified') return verified ?? { kind: 'refused', fault: 'issuer' };
  const { claims } = verified;
  const { auth } = source;
  const audiences: readonly unknown[] = [claims.aud].flat();
  if (!audiences.includes(auth.audience)) return { kind: 'refused', fault: 'audience' };
  const unmet = unmetClaims(claims, auth.claims);
  if (unmet.length > 0) return { kind: 'refused', fault: 'claims', claims: unmet };
  const proof = proofOf(claims, auth);
  return proof === undefined
    ? { kind: 'refused', fault: 'subject' }
    : { kind: 'source', source, proof };
}

/** In the order of the checks. */
const SENTENCES = {
  'too-long': `The identity token has more than the ${TOKEN_BYTES.toLocaleString('en')} bytes that are possible`,
  malformed: 'The identity token cannot be read',
  algorithm: 'The identity token is not signed with a key pair, or in a way that is not supported',
  issuer: 'No source takes identity tokens of this issuer',
  key: 'The identity token is signed with a key that its issuer does not publish',
  signature: 'The signature of the identity token is wrong',
  life: 'The identity token has no expiry time, or is valid for more than 24 hours',
  'not-yet': 'The identity token is not valid yet. Check the clocks of its issuer and of Gatepost',
  ended: 'The identity token has expired. Send a new one',
  audience: 'The identity token is for another audience than that of the source',
  claims: 'The identity token does not have the claims that a source demands',
  subject: 'The identity token does not say whose it is',
  'other-source': 'The source that Gatepost-Source names does not take this identity token',
  several: 'The identity token matches several sources. Name one in the header Gatepost-Source',
  'request-key': 'This request key is not the key to this request',
} as const satisfies Record<Fault, string>;

// as: the keys of the table
const FAULTS = Object.keys(SENTENCES) as readonly Fault[];

function sentenceOf(fault: Fault, claims: readonly string[]): string {
  return fault === 'claims' && claims.length > 0
    ? `${SENTENCES.claims}: ${claims.join(', ')}`
    : SENTENCES[fault];
}

function unauthorized(detail: string): Reply {
  const headers = { 'www-authenticate': 'Bearer error="invalid_token"' };
  return problem({ status: 401, title: 'Unauthorized', detail, headers });
}

function unavailable(retryAfterMs: number): Reply {
  return problem({
    status: 503,
    title: 'Service unavailable',
    detail:
      "Gatepost could not get the keys of the identity token's issuer, or asks for them again later. It is safe to send the same request again",
    retryAfterS: retryAfterMs / 1_000,
  });
}
