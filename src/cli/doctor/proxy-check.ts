import { issuerName } from '../../core/identity-tokens/presets.ts';
import { connectionText, hasProxy } from '../../core/lib/proxies.ts';
import { SLACK_API } from '../../core/slack/slack-fetch.ts';
import { type CheckNeeds, type Found, fine } from './found.ts';

/** How the addresses of the other checks are reached. */
export async function checkProxy({ config }: CheckNeeds): Promise<Found> {
  const { proxies, service, slack, sources } = config;
  if (!hasProxy(proxies)) return fine('none is set: everything is reached directly');
  const callbacks = sources.flatMap(({ id, callback }) =>
    callback === undefined ? [] : [[`callbacks of ${id}`, callback.url] as const],
  );
  const places = [
    ['Slack', slack.apiUrl ?? SLACK_API] as const,
    ...(service === null ? [] : [['the service', service.baseUrl] as const]),
    ...callbacks,
    ...sources.flatMap(({ auth }) =>
      auth.kind === 'oidc' && auth.jwksFile === null
        ? [[`the issuer ${issuerName(auth.issuer)}`, auth.issuer] as const]
        : [],
    ),
  ];
  return fine(places.map(([name, url]) => `${name} ${connectionText(url, proxies)}`).join('; '));
}
