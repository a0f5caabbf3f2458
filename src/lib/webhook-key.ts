const PREFIX = 'whsec_';

/** The key in a secret of Standard Webhooks, `whsec_` and base64; undefined when it is not of that form. */
export function webhookKey(secret: string): Buffer | undefined {
  if (!secret.startsWith(PREFIX)) return undefined;
  const encoded = secret.slice(PREFIX.length);
  const key = Buffer.from(encoded, 'base64');
  // Node skips what is no base64: only what encodes back is one.
  return key.length > 0 && key.toString('base64') === encoded ? key : undefined;
}
