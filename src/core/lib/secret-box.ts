import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from './random.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID = /^[A-Za-z0-9_-]+$/;
const SEALED = /^v1\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

interface SecretBoxKey {
  /** Letters, digits, `-` and `_`. */
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

export interface SecretBox {
  /** `context`, one of a few, names the kind of text (`approval.token`), and is needed to open it. */
  seal(plain: string, context: string): string;
  /** Throws SecretBoxError. */
  open(sealed: string, context: string): string;
}

/** A sealed text could not be opened. Contains neither the text nor a key. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
  readonly code: 'malformed' | 'unknown_key' | 'tampered';
  constructor(code: SecretBoxError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Encrypts short texts at rest: AES-256-GCM with a random nonce, as `v1.<key id>.<base64url>` of nonce, tag and
 * ciphertext. Key id and context are authenticated. The first key encrypts, all decrypt.
 */
export function createSecretBox(keys: readonly SecretBoxKey[], random: Random): SecretBox {
  const [first] = keys;
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  if (!first || byId.size !== keys.length) throw new RangeError('keys need distinct ids');
  if (keys.some(({ id }) => !KEY_ID.test(id))) throw new RangeError('a key id is not fit');
  if (keys.some(({ key }) => key.length !== KEY_BYTES)) throw new RangeError('a key has 32 bytes');

  /** Small: one entry for each kind of text and key. */
  const known = new Map<string, Buffer>();
  const authenticated = (keyId: string, context: string) => {
    const text = `v1.${keyId}.${context}`;
    const bytes = known.get(text) ?? Buffer.from(text, 'utf8');
    known.set(text, bytes);
    return bytes;
  };
  return {
    seal(plain, context) {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, first.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(authenticated(first.id, context));
      const text = cipher.update(plain, 'utf8');
      const rest = cipher.final();
      const packed = Buffer.concat([nonce, cipher.getAuthTag(), text, rest]);
      return `v1.${first.id}.${packed.toString('base64url')}`;
    },
    open(sealed, context) {
      const { keyId, packed } = unpack(sealed);
      const key = byId.get(keyId);
      if (!key) throw new SecretBoxError('unknown_key', 'sealed with a key that is not known');
      return decrypt(key, packed, authenticated(keyId, context));
    },
  };
}

function unpack(sealed: string): { keyId: string; packed: Buffer } {
  const [, keyId = '', text = ''] = SEALED.exec(sealed) ?? [];
  const packed = Buffer.from(text, 'base64url');
  // The last character of base64url has several spellings; only the canonical one is accepted.
  const ours = packed.length >= NONCE_BYTES + TAG_BYTES && packed.toString('base64url') === text;
  if (!ours) throw new SecretBoxError('malformed', 'not a sealed text');
  return { keyId, packed };
}

function decrypt(key: Buffer, packed: Buffer, aad: Buffer): string {
  const nonce = packed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(aad);
  decipher.setAuthTag(packed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  try {
    const text = decipher.update(packed.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    throw new SecretBoxError('tampered', 'the sealed text, its key or its context is not the one');
  }
}
