import { domainToUnicode } from 'node:url';

/**
 * The form in which e-mail addresses are compared. Dots and plus signs count as they are. A host name and its ASCII
 * form (`xn--…`) are equal.
 */
export function foldEmail(address: string): string {
  const folded = address.normalize('NFC').trim().toLowerCase();
  const host = folded.lastIndexOf('@') + 1;
  if (host === 0 || !folded.includes('xn--', host)) return folded;
  return folded.slice(0, host) + (domainToUnicode(folded.slice(host)) || folded.slice(host));
}
