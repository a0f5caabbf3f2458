import { lookUp } from '../../core/config/variables.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where a running Gatepost is, and what a source shows there. `problem`: a sentence for who set it. */
export function gateAddress(env: Env): {
  readonly url: URL;
  readonly secret: string;
  readonly problem?: string;
} {
  const address = lookUp(env, 'GATEPOST_URL') ?? '';
  // While it is rotated both are good.
  const [secret = ''] = (lookUp(env, 'GATEPOST_INTAKE_SECRET') ?? '').split(',');
  const url = URL.canParse(address) ? new URL(address) : NOWHERE;
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb || url === NOWHERE) {
    return { url, secret, problem: 'GATEPOST_URL must be the address of a running Gatepost.' };
  }
  if (secret.trim() === '') {
    const problem = 'GATEPOST_INTAKE_SECRET must be set: the secret of your source.';
    return { url, secret, problem };
  }
  return { url, secret: secret.trim() };
}

const NOWHERE = new URL('http://nowhere.invalid');
