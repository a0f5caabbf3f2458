import type { EncryptionKey } from './config.ts';
import { Unfit } from './environment.ts';

/** Reads `id:base64(32 bytes)`, comma-separated. Throws Unfit. */
export function readKeys(value: string): EncryptionKey[] {
  const keys = value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(readKey);
  if (keys.length === 0) throw new Unfit('must hold at least one key');
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    throw new Unfit('must not use one key id twice');
  }
  return keys;
}

function readKey(part: string, index: number): EncryptionKey {
  const [, id, encoded] = /^([^:]*):(.*)$/.exec(part) ?? [];
  if (id === undefined || encoded === undefined || !/^[\w-]{1,32}$/.test(id)) {
    throw new Unfit(
      `key ${index + 1} must be id:base64, the id 1 to 32 letters, digits, "_" or "-"`,
    );
  }
  const key = Buffer.from(encoded, 'base64');
  // Node skips what is no base64: only what encodes back is one.
  const isBase64 = key.toString('base64') === encoded;
  if (!isBase64 || key.length !== 32) {
    throw new Unfit(
      `key ${index + 1} must be 32 bytes in base64, as "openssl rand -base64 32" prints`,
    );
  }
  return { id, key };
}
