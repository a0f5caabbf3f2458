import { createHmac } from 'node:crypto';

/** Slack's signature of a request, version 0. @param seconds since 1970, as in the header. */
export function signatureOf(signingSecret: string, seconds: number, body: string): string {
  const mac = createHmac('sha256', signingSecret).update(`v0:${seconds}:${body}`);
  return `v0=${mac.digest('hex')}`;
}
