import { domainToUnicode } from 'node:url';

/**
 * The form in which two e-mail addresses are compared. No tricks with dots or plus: those differ. A host is the
 * same in its letters and as name servers are asked for it (`xn--…`).
 */
export function foldEmail(address: string): string {
  const folded = address.normalize('NFC').trim().toLowerCase();
  const host = folded.lastIndexOf('@') + 1;
  if (host === 0 || !folded.includes('xn--', host)) return folded;
  return folded.slice(0, host) + (domainToUnicode(folded.slice(host)) || folded.slice(host));
}
