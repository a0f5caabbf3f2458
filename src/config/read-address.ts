import { Unfit } from './environment.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** An https address without a slash at its end; http is taken on this machine alone. Throws Unfit. */
export function readAddress(value: string): string {
  if (!URL.canParse(value)) throw new Unfit('must be an address such as https://host/path');
  const url = new URL(value);
  const isLocal = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) {
    throw new Unfit('must begin with https:// (http:// is taken on loopback only)');
  }
  if (url.username !== '' || url.password !== '') throw new Unfit('must not hold credentials');
  if (/[?#]/.test(value)) throw new Unfit('must not hold a query or a fragment');
  return url.href.replace(/\/+$/, '');
}
