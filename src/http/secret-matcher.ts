import { hash, timingSafeEqual } from 'node:crypto';

/**
 * Tells whether a header's value is one of these secrets. They are compared as hashes, all of them and
 * in constant time, so that the time tells nothing, not even a length.
 */
export function secretMatcher(
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
