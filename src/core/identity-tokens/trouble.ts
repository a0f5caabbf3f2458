import type { NewAlert } from '../alerts/raise-alert.ts';
import { escapeMrkdwn } from '../slack/text.ts';
import { type KeyTrouble, OWN_TROUBLE } from './issuer-keys.ts';
import { issuerName } from './presets.ts';

/** Why an issuer's keys cannot be had, to follow its name. */
export function troubleText({ code, where }: KeyTrouble): string {
  const own = OWN_TROUBLE[code];
  return own === undefined ? `${where} cannot be reached (${code})` : `${own} (${where})`;
}

/** Nobody can ask with a token of this issuer. */
export function keysAlert(issuer: string, trouble: KeyTrouble): NewAlert {
  const host = issuerName(issuer);
  return {
    about: `sources.keys.${host}`,
    text: `Gatepost cannot get the keys with which ${escapeMrkdwn(host)} signs identity tokens: ${escapeMrkdwn(troubleText(trouble))}. Until it can, its sources (\`auth: oidc\`) are answered with 503. Gatepost keeps trying. \`gatepost doctor\` says more.`,
  };
}
