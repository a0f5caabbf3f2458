import { hash } from 'node:crypto';
import type { Lease } from './store.ts';

/** The lease as the next save leaves it; see `Store.save`. */
export function renewed({ id, token }: Lease): Lease {
  return { id, token: renewedToken(token) };
}

/** Of a token only what stands before a line feed is the store's; what is behind it stays. */
export function renewedToken(token: string): string {
  const end = token.indexOf('\n');
  const secret = end === -1 ? token : token.slice(0, end);
  return `${hash('sha256', secret, 'base64url').slice(0, 16)}${token.slice(secret.length)}`;
}
