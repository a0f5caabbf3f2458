import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** The key of a Standard Webhooks secret, `whsec_` and base64; undefined for another form. */
export function webhookKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const encoded = secret.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  // Node ignores invalid characters: valid base64 encodes back to itself.
  return key.length > 0 && key.toString('base64') === encoded ? key : undefined;
}

/** The headers of a Standard Webhook, signed with each key. `now`: milliseconds since the epoch. */
export function webhookHeaders(
  keys: readonly Buffer[],
  { id, now, body }: { readonly id: string; readonly now: number; readonly body: string },
) {
  const timestamp = String(Math.floor(now / 1_000));
  const signatures = keys.map((key) => {
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${mac}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  } as const;
}
