import { hash } from 'node:crypto';
import type { Lease } from './store.ts';

/** The lease after the next save; see `Store.save`. */
export function renewed({ id, token }: Lease): Lease {
  return { id, token: renewedToken(token) };
}

/** Only the part of a token before a line feed is the store's; the rest stays. */
export function renewedToken(token: string): string {
  const end = token.indexOf('\n');
  const secret = end === -1 ? token : token.slice(0, end);
  return `${hash('sha256', secret, 'base64url').slice(0, 16)}${token.slice(secret.length)}`;
}
