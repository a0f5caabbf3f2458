import { webhookKey } from '../lib/webhook-key.ts';
import type { Source, SourceAuth } from './config.ts';
import { Unfit } from './environment.ts';

/** Anything that fits into a header. Throws Unfit. */
export function readSecret(value: string): string {
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new Unfit('must hold no white space and no characters outside ASCII');
  }
  return value;
}

/** What a source proves itself by: one secret, or two while rotating. Throws Unfit. */
export function readIntakeSecrets(secrets: readonly string[], auth: SourceAuth['kind']): string[] {
  if (secrets.length === 0 || secrets.length > 2) {
    throw new Unfit('must be one secret, or two separated by a comma');
  }
  const read = auth === 'standard-webhooks' ? readSigningSecret : readSecret;
  return [...new Set(secrets.map(read))];
}

function readSigningSecret(value: string): string {
  if (webhookKey(value) !== undefined) return value;
  throw new Unfit('must be whsec_ and base64, as echo "whsec_$(openssl rand -base64 32)" prints');
}

const SHORT_SECRET = 16;
/** Standard Webhooks 1.0 asks for as many. */
const SHORT_KEY_BYTES = 24;

/** What is to be said of a source's secrets that can be guessed; undefined: nothing. */
export function shortness({ auth, secrets }: Source): string | undefined {
  if (auth.kind === 'standard-webhooks') {
    const isShort = secrets.some((each) => (webhookKey(each)?.length ?? 0) < SHORT_KEY_BYTES);
    return isShort ? `holds less than ${SHORT_KEY_BYTES} bytes: it can be guessed` : undefined;
  }
  const isShort = secrets.some(({ length }) => length < SHORT_SECRET);
  return isShort ? `is shorter than ${SHORT_SECRET} characters: it can be guessed` : undefined;
}
