import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { lookUp } from '../src/core/config/environment.ts';
import type { Connections } from '../src/core/http/exchange.ts';
import { isTokenLike } from '../src/core/identity-tokens/claims.ts';
import { fileTrouble } from '../src/core/lib/file-trouble.ts';
import type { Timers } from '../src/core/lib/timers.ts';

/** The identity token of a job, from where its CI system puts it. It is never printed. */

type Env = Readonly<Record<string, string | undefined>>;

/** A variable or a file with the token, or the token itself. */
export const ID_TOKEN = 'GATEPOST_ID_TOKEN';
/** What a token that is made for us is made for. */
const AUDIENCE = 'GATEPOST_AUDIENCE';
const USUAL_AUDIENCE = 'gatepost';

/** GitHub Actions: where a job with `permissions: { id-token: write }` gets a token, as often as it needs one. */
const GITHUB = {
  url: 'ACTIONS_ID_TOKEN_REQUEST_URL',
  token: 'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
} as const;

/** Where the token is. */
export type TokenPlace =
  | { readonly kind: 'given'; readonly token: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'github'; readonly url: URL; readonly bearer: string };

/** undefined: there is none. `problem`: a sentence about the settings. */
export function tokenPlace(
  env: Env,
): { readonly place: TokenPlace } | { readonly problem: string } | undefined {
  const named = lookUp(env, ID_TOKEN);
  if (named !== undefined) return namedPlace(named, env);
  const [address, bearer] = [lookUp(env, GITHUB.url), lookUp(env, GITHUB.token)];
  if (address === undefined || bearer === undefined || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.searchParams.set('audience', lookUp(env, AUDIENCE) ?? USUAL_AUDIENCE);
  return { place: { kind: 'github', url, bearer } };
}

function namedPlace(
  named: string,
  env: Env,
): { readonly place: TokenPlace } | { readonly problem: string } {
  if (isTokenLike(named)) return { place: { kind: 'given', token: named } };
  if (/[/\\]/.test(named)) return { place: { kind: 'file', path: named } };
  if (!/^[A-Za-z_]\w*$/.test(named)) {
    return { problem: `${ID_TOKEN} must name a variable or a file that holds the token.` };
  }
  const token = lookUp(env, named);
  if (token === undefined) return { problem: `${ID_TOKEN} names a variable that is not set.` };
  return isTokenLike(token)
    ? { place: { kind: 'given', token } }
    : { problem: `${ID_TOKEN} names a variable that does not hold an identity token.` };
}

/** Why a token could not be had. `isLasting`: trying again is no use. */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly isLasting: boolean;
  constructor(message: string, isLasting: boolean) {
    super(message);
    this.isLasting = isLasting;
  }
}

const GET_MS = 10_000;
const answered = z.looseObject({ value: z.string() });

/** A token that is good now: a file is read, and GitHub asked, each time. Throws TokenError. */
export async function tokenAt(
  place: TokenPlace,
  connections: Connections,
  timers: Timers,
  signal: AbortSignal,
): Promise<string> {
  switch (place.kind) {
    case 'given':
      return place.token;
    case 'file':
      return fromFile(place.path);
    case 'github':
      return fromGithub(place, connections, timers, signal);
  }
}

async function fromFile(path: string): Promise<string> {
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new TokenError(`${ID_TOKEN} names a file that ${fileTrouble(error)}.`, true);
  }
  if (isTokenLike(text)) return text;
  throw new TokenError(`${ID_TOKEN} names a file that does not hold an identity token.`, true);
}

async function fromGithub(
  { url, bearer }: Extract<TokenPlace, { kind: 'github' }>,
  connections: Connections,
  timers: Timers,
  signal: AbortSignal,
): Promise<string> {
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${bearer}`,
    'user-agent': 'gatepost',
  };
  const path = `${url.pathname}${url.search}`;
  const end = await connections.send(
    { method: 'GET', origin: url.origin, path, headers, body: null },
    { deadline: { ms: GET_MS, timers }, maxBodyBytes: 64 * 1_024, signal },
  );
  if (end.kind === 'failed' || end.body === null) {
    throw new TokenError(`GitHub gave no identity token (${end.code}).`, false);
  }
  const token = end.status === 200 ? valueIn(end.body.toString('utf8')) : undefined;
  if (token !== undefined) return token;
  const isLasting = end.status >= 400 && end.status < 500 && end.status !== 429;
  throw new TokenError(`GitHub gave no identity token (${end.status}).`, isLasting);
}

function valueIn(text: string): string | undefined {
  try {
    return answered.safeParse(JSON.parse(text)).data?.value;
  } catch {
    return undefined;
  }
}

/** The variables that hold a token of ours: a command that was approved does not get them. */
export function tokenVariables(env: Env): readonly string[] {
  const named = lookUp(env, ID_TOKEN);
  return named === undefined ? [] : [ID_TOKEN, named];
}
