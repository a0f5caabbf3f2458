import { readFile } from 'node:fs/promises';
import type { JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import { type Connect, type Connections, headerOf } from '../http/exchange.ts';
import type { MonotonicClock } from '../lib/clock.ts';
import { isLoopback } from '../lib/loopback.ts';
import type { Timers } from '../lib/timers.ts';
import { jose } from './jose.ts';

/**
 * The keys with which an issuer signs: found by discovery (OpenID Connect), or in a file. The configuration names the
 * issuer, whose discovery names the address of its keys.
 */

/** Where the keys of an issuer are. */
export interface IssuerPlace {
  /** As in `iss`. */
  readonly issuer: string;
  /** A file with its keys (JWKS), instead of discovery. */
  readonly jwksFile: string | null;
  /** Certificates of its authority, in PEM; null: those that Node trusts. */
  readonly ca: string | null;
}

/** Why there are no keys: a code as in `exchange.ts`, or one of `OWN_TROUBLE`. `where`: the address or file. */
export interface KeyTrouble {
  readonly code: string;
  readonly where: string;
  /** The issuer's time, if it answered. */
  readonly date?: string | undefined;
}

/** Chooses a key by a token's header, as `jose` does. */
export interface FoundKeys {
  readonly choose: JWTVerifyGetKey;
  readonly count: number;
  readonly date?: string | undefined;
}

/** `retryAfterMs`: until the next try. */
export type KeysRead =
  | { readonly ok: true; readonly choose: JWTVerifyGetKey }
  | { readonly ok: false; readonly retryAfterMs: number };

export interface IssuerKeys {
  /** The keys, not older than `FRESH_MS` unless the issuer does not answer. Fetched once for all callers. */
  present(): Promise<KeysRead>;
  /**
   * For a key id that the present keys lack, in a token that arrived at `since` (monotonic): keys that were asked for
   * after that, or none, because an unknown key id makes them be asked for only once a minute.
   */
  newer(since: number): Promise<KeysRead>;
  close(): Promise<void>;
}

/** A key that its issuer took back is accepted for so long. */
const FRESH_MS = 10 * 60_000;
/** The same while the issuer does not answer. */
const STALE_MS = 60 * 60_000;
const UNKNOWN_AGAIN_MS = 60_000;
const FAILED_AGAIN_MS = 10_000;
/** For discovery and keys together; the client of a request waits for it. */
const FETCH_MS = 5_000;
const BODY_BYTES = 256 * 1_024;

interface Needs {
  readonly connect: Connect;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  /** Called when they could not be fetched twice in a row, and none are left. */
  readonly onTrouble: (trouble: KeyTrouble) => void;
}

export function issuerKeys(place: IssuerPlace, needs: Needs): IssuerKeys {
  const { clock } = needs;
  const fetcher = keyFetcher(place, needs);
  let known: { readonly askedAt: number; readonly choose: JWTVerifyGetKey } | undefined;
  let failed: { readonly at: number; readonly times: number } | undefined;
  let askedForUnknownAt: number | undefined;
  let underWay: Promise<void> | undefined;

  const unavailable = (since: number, waitMs: number): KeysRead => ({
    ok: false,
    retryAfterMs: Math.max(1_000, since + waitMs - clock.monotonic()),
  });
  const ageMs = () => (known === undefined ? Infinity : clock.monotonic() - known.askedAt);
  const rest = () => (failed === undefined ? 0 : failed.at + FAILED_AGAIN_MS - clock.monotonic());
  const usable = (): KeysRead =>
    known !== undefined && ageMs() < STALE_MS
      ? { ok: true, choose: known.choose }
      : unavailable(failed?.at ?? clock.monotonic(), FAILED_AGAIN_MS);

  async function fetchKeys(): Promise<void> {
    const askedAt = clock.monotonic();
    const found = await fetcher.fetch();
    if ('choose' in found) {
      known = { askedAt, choose: found.choose };
      failed = undefined;
      return;
    }
    failed = { at: clock.monotonic(), times: (failed?.times ?? 0) + 1 };
    if (failed.times > 1 && ageMs() >= STALE_MS) needs.onTrouble(found);
  }

  function fetchOnce(): Promise<void> {
    underWay ??= fetchKeys().finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    async present() {
      if (ageMs() < FRESH_MS) return usable();
      if (rest() <= 0) await fetchOnce();
      return usable();
    },
    async newer(since) {
      if (underWay !== undefined) await underWay;
      if (known !== undefined && known.askedAt >= since) return usable();
      const now = clock.monotonic();
      if (askedForUnknownAt !== undefined && now < askedForUnknownAt + UNKNOWN_AGAIN_MS)
        return unavailable(askedForUnknownAt, UNKNOWN_AGAIN_MS);
      if (rest() > 0) return unavailable(failed?.at ?? now, FAILED_AGAIN_MS);
      askedForUnknownAt = now;
      await fetchOnce();
      const isNewer = known !== undefined && known.askedAt >= since;
      return isNewer ? usable() : unavailable(now, FAILED_AGAIN_MS);
    },
    close: () => fetcher.close(),
  };
}

/** Loose: issuers say more. */
const discovery = z.looseObject({ issuer: z.string(), jwks_uri: z.string() });
const keySet = z.looseObject({ keys: z.array(z.unknown()).max(100) });
/** A public key, and nothing else of it. A secret key among them would be one that everybody knows. */
const publicKey = z.object({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  kid: z.string(),
  ...Object.fromEntries(
    ['alg', 'use', 'crv', 'x', 'y', 'n', 'e'].map((name) => [name, z.string().optional()]),
  ),
});

/** Codes of troubles that are not the connection's, with what is wrong. */
export const OWN_TROUBLE: Readonly<Record<string, string>> = {
  redirect: 'it redirects, which Gatepost does not follow',
  not_json: 'its answer is not JSON',
  other_issuer: 'it names itself with another address',
  no_keys: 'it has no key that can verify a signature',
  unreadable_file: 'the file cannot be read',
  bad_address: 'the address of its keys is not https',
};

export interface KeyFetcher {
  fetch(): Promise<FoundKeys | KeyTrouble>;
  close(): Promise<void>;
}

/** Fetches an issuer's keys once, within 5 s. Never rejects. */
export function keyFetcher(
  { issuer, jwksFile, ca }: IssuerPlace,
  { connect, timers }: Pick<Needs, 'connect' | 'timers'>,
): KeyFetcher {
  let connections: Connections | undefined;
  const ended = new AbortController();

  async function read(address: string, signal: AbortSignal): Promise<Answer | KeyTrouble> {
    const { origin, pathname, search } = new URL(address);
    connections ??= connect({ most: 2, connectTimeoutMs: 3_000, idleMs: 4_000, ca });
    const headers = { accept: 'application/json', 'user-agent': 'gatepost' };
    const path = `${pathname}${search}`;
    const end = await connections.send(
      { method: 'GET', origin, path, headers, body: null },
      { deadline: null, maxBodyBytes: BODY_BYTES, signal },
    );
    if (end.kind === 'failed' || end.body === null) return { code: end.code, where: address };
    const { status, headers: answered, body } = end;
    const date = headerOf(answered, 'date');
    if (status >= 300 && status < 400) return { code: 'redirect', where: address, date };
    if (status !== 200) return { code: `http_${status}`, where: address, date };
    return { text: body.toString('utf8'), where: address, date };
  }

  async function discovered(): Promise<Answer | KeyTrouble> {
    const signal = AbortSignal.any([timers.deadline(FETCH_MS), ended.signal]);
    const about = await read(
      `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
      signal,
    );
    if (!('text' in about)) return about;
    const { where, date } = about;
    const found = discovery.safeParse(jsonIn(about.text)).data;
    if (found === undefined) return { code: 'not_json', where, date };
    if (found.issuer !== issuer) return { code: 'other_issuer', where, date };
    return isSafe(found.jwks_uri, issuer)
      ? read(found.jwks_uri, signal)
      : { code: 'bad_address', where, date };
  }

  async function inFile(path: string): Promise<Answer | KeyTrouble> {
    try {
      return { text: await readFile(path, 'utf8'), where: path };
    } catch {
      return { code: 'unreadable_file', where: path };
    }
  }

  return {
    async fetch() {
      const answer = await (jwksFile === null ? discovered() : inFile(jwksFile));
      if (!('text' in answer)) return answer;
      const { text, where, date } = answer;
      const set = keySet.safeParse(jsonIn(text)).data;
      if (set === undefined) return { code: 'not_json', where, date };
      const keys = set.keys.flatMap((key) => publicKey.safeParse(key).data ?? []);
      if (keys.length === 0) return { code: 'no_keys', where, date };
      const { createLocalJWKSet } = await jose();
      return { choose: createLocalJWKSet({ keys }), count: keys.length, date };
    },
    async close() {
      ended.abort();
      await connections?.close();
    },
  };
}

interface Answer {
  readonly text: string;
  readonly where: string;
  readonly date?: string | undefined;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An issuer elsewhere leads to no service on this machine. */
function isSafe(address: string, issuer: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  const isHere = isLoopback(hostname);
  if (isHere && !isLoopback(new URL(issuer).hostname)) return false;
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}
