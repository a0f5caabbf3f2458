const SLACK_HOSTS = new Set(['hooks.slack.com', 'hooks.slack-gov.com']);

/** Whether Slack (or the server that stands in for it, named by its API address) owns the URL. */
export function isResponseUrl(url: string, apiUrl: string | null): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:' && SLACK_HOSTS.has(host)) return true;
  if (apiUrl === null) return false;
  const api = new URL(apiUrl);
  return host === api.host && protocol === api.protocol;
}
