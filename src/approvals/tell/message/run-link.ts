import { escapeMrkdwn } from '../../../core/slack/text.ts';

/** A link to the automation's run that shows where it leads. */

/** The limit for a link in markup, and for all links in a title. */
export const LINK_MAX = 600;

export function runLink(link: string, usualHosts: readonly string[] | undefined): string {
  return `<${addressOf(link)}|${escapeMrkdwn(runLabel(link, usualHosts))}>`;
}

/** Names the host, unless it is one of the usual ones. */
export function runLabel(link: string, usualHosts: readonly string[] = []): string {
  const { host } = new URL(link);
  return usualHosts.includes(host) ? 'Open run' : `Open run on ${hostText(host)}`;
}

/** The end of a host shows whose it is. */
function hostText(host: string): string {
  return host.length > HOST_MAX ? `…${host.slice(1 - HOST_MAX)}` : host;
}

const HOST_MAX = 50;

/** For a link in markup. */
export function addressOf(link: string): string {
  return escapeMrkdwn(link).replaceAll('|', '%7C');
}

/** Characters other than plain ASCII may end a link early, or imitate another address. */
export function canBeLinked(link: string): boolean {
  return /^[!-~]+$/.test(link) && addressOf(link).length <= LINK_MAX && URL.canParse(link);
}
