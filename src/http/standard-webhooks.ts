import { createHmac, timingSafeEqual } from 'node:crypto';
import { webhookKey } from '../lib/webhook-key.ts';
import type { Matcher } from './credentials.ts';

/** How far the sender's clock may be from ours, either way. */
const TOLERANCE_MS = 5 * 60_000;

/**
 * Tells whether a request is signed with one of these secrets (`whsec_` and base64), as Standard
 * Webhooks 1.0 says: `webhook-signature` holds, among others between spaces, `v1,` and the base64 of
 * the HMAC-SHA256 of `webhook-id.webhook-timestamp.body`; the time is in seconds and not older or newer
 * than 5 minutes. An id with a full stop is refused, as it could be read as another id and time.
 */
export function signatureMatcher(secrets: readonly string[]): Matcher {
  const keys = secrets.map(webhookKey).filter((key) => key !== undefined);
  const couldMatch: Matcher['couldMatch'] = ({ headers, now }) =>
    /^[^.]+$/.test(one(headers['webhook-id'])) &&
    isTimely(one(headers['webhook-timestamp']), now) &&
    signaturesIn(one(headers['webhook-signature'])).length > 0;
  return {
    couldMatch,
    matches({ headers, body, now }) {
      if (!couldMatch({ headers, now })) return false;
      // Node hands header bytes over as latin1.
      const signed = `${one(headers['webhook-id'])}.${one(headers['webhook-timestamp'])}.`;
      const head = Buffer.from(signed, 'latin1');
      const given = signaturesIn(one(headers['webhook-signature']));
      const right = keys.map((key) => createHmac('sha256', key).update(head).update(body).digest());
      const pairs = right.flatMap((signature) => given.map((each) => [signature, each] as const));
      return pairs.filter(([signature, each]) => timingSafeEqual(signature, each)).length > 0;
    },
  };
}

function isTimely(timestamp: string, now: number): boolean {
  return /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - now) <= TOLERANCE_MS;
}

/** Those of the one version that is known, and of the length it has. */
function signaturesIn(header: string): Buffer[] {
  return header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .map((part) => Buffer.from(part.slice('v1,'.length), 'base64'))
    .filter(({ length }) => length === 32);
}

function one(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}
