import { createPrivateKey, createPublicKey, hkdfSync, sign } from 'node:crypto';
import type { EncryptionKey } from '../config/config.ts';

/**
 * Signs what leaves the house, so that somebody without any of Gatepost's keys can check it. The Ed25519 pair is derived
 * from an encryption key, which cannot be computed from it.
 */
export interface ReportKey {
  /** Of the key in GATEPOST_KEYS. */
  readonly id: string;
  /** The public key, PEM (SubjectPublicKeyInfo). */
  readonly pem: string;
  /** Signs a SHA-256 digest: 64 bytes. */
  sign(digest: Buffer): Buffer;
}

/** What precedes the 32 bytes of an Ed25519 private key in PKCS #8 (RFC 8410, section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export function reportKey({ id, key }: EncryptionKey): ReportKey {
  const seed = Buffer.from(hkdfSync('sha256', key, '', 'gatepost report', 32));
  const own = createPrivateKey({
    key: Buffer.concat([PKCS8, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const pem = createPublicKey(own).export({ format: 'pem', type: 'spki' });
  return { id, pem: String(pem), sign: (digest) => sign(null, digest, own) };
}
