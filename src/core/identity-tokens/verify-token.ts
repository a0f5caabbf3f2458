import type { Claims } from './claims.ts';
import type { IssuerKeys, KeysRead } from './issuer-keys.ts';
import { jose } from './jose.ts';

/** Longer ones are not read. The largest of known systems has about 3 KiB. */
export const TOKEN_BYTES = 8 * 1_024;

/** Signatures with a key pair: never `none`, nor one with a shared secret, for which a public key could be taken. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** The largest difference between the issuer's clock and ours. */
const LEEWAY_S = 60;
/** A token that is good for longer is a secret like any other. */
const LIFE_MAX_S = 24 * 60 * 60;

/** Which check failed. */
export type TokenFault =
  | 'too-long'
  | 'malformed'
  | 'algorithm'
  | 'issuer'
  | 'key'
  | 'signature'
  | 'ended'
  | 'not-yet'
  | 'life'
  | 'audience'
  | 'claims'
  | 'subject';

export type VerifiedToken =
  | { readonly kind: 'verified'; readonly claims: Claims }
  | { readonly kind: 'refused'; readonly fault: TokenFault }
  /** The issuer's keys cannot be had now. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs: number };

/** What a token says before anything of it is checked. */
export interface UncheckedToken {
  readonly text: string;
  readonly issuer: string;
  readonly algorithm: string;
}

/** Reads whose token it claims to be. */
export function readToken(text: string): UncheckedToken | { readonly fault: TokenFault } {
  if (text.length > TOKEN_BYTES) return { fault: 'too-long' };
  const [head = '', body = ''] = text.split('.');
  const { alg, kid } = partIn(head);
  const { iss: issuer } = partIn(body);
  if (typeof issuer !== 'string' || typeof alg !== 'string') return { fault: 'malformed' };
  if (!ALGORITHMS.includes(alg)) return { fault: 'algorithm' };
  // Without it, keys would have to be tried one after another.
  return typeof kid === 'string' ? { text, issuer, algorithm: alg } : { fault: 'key' };
}

function partIn(part: string): Claims {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    // as: of an object, every member is unknown
    return typeof value === 'object' && value !== null ? (value as Claims) : {};
  } catch {
    return {};
  }
}

/**
 * Checks signature and times with the issuer's keys. @param since when the token arrived, by the clock of the keys.
 * @param now milliseconds since the epoch
 */
export async function verifyToken(
  token: UncheckedToken,
  keys: IssuerKeys,
  { since, now }: { readonly since: number; readonly now: number },
): Promise<VerifiedToken> {
  const first = await keys.present();
  const verified = await verifyWith(first, token, now);
  if (verified.kind !== 'refused' || verified.fault !== 'key') return verified;
  const newer = await keys.newer(since);
  return verifyWith(newer, token, now);
}

async function verifyWith(
  keys: KeysRead,
  { text, issuer, algorithm }: UncheckedToken,
  now: number,
): Promise<VerifiedToken> {
  if (!keys.ok) return { kind: 'unavailable', retryAfterMs: keys.retryAfterMs };
  const { errors, jwtVerify } = await jose();
  try {
    const { payload } = await jwtVerify(text, keys.choose, {
      algorithms: [algorithm],
      issuer,
      clockTolerance: LEEWAY_S,
      currentDate: new Date(now),
      requiredClaims: ['exp'],
    });
    const { exp = 0, iat = now / 1_000 } = payload;
    const lifeS = exp - Math.min(iat, now / 1_000);
    return lifeS > LIFE_MAX_S + LEEWAY_S ? refused('life') : { kind: 'verified', claims: payload };
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) {
      // A key that cannot verify anything, such as one that is too short.
      if (error instanceof TypeError || error instanceof DOMException) return refused('key');
      throw error;
    }
    return refused(faultOf(error, errors));
  }
}

function refused(fault: TokenFault): VerifiedToken {
  return { kind: 'refused', fault };
}

type JoseErrors = typeof import('jose')['errors'];

function faultOf(error: InstanceType<JoseErrors['JOSEError']>, errors: JoseErrors): TokenFault {
  if (error instanceof errors.JWTExpired) return 'ended';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf' && error.reason === 'check_failed') return 'not-yet';
    return error.claim === 'exp' ? 'life' : 'malformed';
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JWKSNoMatchingKey) return 'key';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'key';
  if (error instanceof errors.JOSENotSupported) return 'key';
  return 'malformed';
}
