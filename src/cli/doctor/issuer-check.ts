import { type KeyTrouble, keyFetcher } from '../../core/identity-tokens/issuer-keys.ts';
import { issuerName } from '../../core/identity-tokens/presets.ts';
import { troubleText } from '../../core/identity-tokens/trouble.ts';
import { connectionFix } from '../../core/lib/proxies.ts';
import { advice, type CheckNeeds, type Found, fine, together, wrong } from './found.ts';

/** Tokens have a minute of leeway. */
const SKEW_MS = 30_000;

/** Whether the keys of each issuer can be had, with which identity tokens are checked. */
export async function checkIssuers({
  config,
  system,
  connect,
}: Pick<CheckNeeds, 'config' | 'system' | 'connect'>): Promise<Found> {
  const all = config.sources.flatMap(({ auth }) => (auth.kind === 'oidc' ? [auth] : []));
  const places = new Map(
    all.map(({ issuer, jwksFile, ca }) => {
      const place = { issuer, jwksFile, ca };
      return [JSON.stringify(place), place] as const;
    }),
  );
  if (places.size === 0) return fine('no source takes identity tokens');
  const found = [...places.values()].map(async (place): Promise<Found> => {
    const fetcher = keyFetcher(place, { connect, timers: system.timers });
    const answer = await fetcher.fetch();
    await fetcher.close();
    const name = issuerName(place.issuer);
    if (!('choose' in answer)) {
      const detail = `the keys of ${name} cannot be had: ${troubleText(answer)}`;
      return wrong(detail, fixOf(answer, config.proxies));
    }
    const aheadMs = system.clock.now() - Date.parse(answer.date ?? '');
    if (Math.abs(aheadMs) > SKEW_MS) {
      const seconds = Math.round(Math.abs(aheadMs) / 1_000);
      return advice(
        `this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ${name}`,
        'Set the clock of this machine, and keep it synchronized (NTP): identity tokens are valid for minutes.',
      );
    }
    return fine(`${name} has ${answer.count === 1 ? 'one key' : `${answer.count} keys`}`);
  });
  return together(await Promise.all(found));
}

function fixOf({ code, where }: KeyTrouble, proxies: CheckNeeds['config']['proxies']): string {
  if (code === 'other_issuer') {
    return 'Set oidc.issuer to the issuer of your tokens (iss), letter for letter.';
  }
  if (code === 'unreadable_file') return 'Check oidc.jwksFile, and who may read it.';
  if (code === 'certificate_not_trusted') {
    return 'Set oidc.ca to a file with the certificates of its authority.';
  }
  const known = URL.canParse(where) ? connectionFix(code, where, proxies) : undefined;
  return (
    known ??
    'Check oidc.issuer, the network and the proxy. If Gatepost cannot ask it, save its keys in a file for oidc.jwksFile.'
  );
}
