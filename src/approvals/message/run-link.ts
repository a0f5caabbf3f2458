import { escapeMrkdwn } from '../../core/slack/text.ts';

/** A link to the run of whoever asked, which says where it leads. */

/** As it stands in markup; and of all that a title names. */
export const LINK_MAX = 600;

export function runLink(link: string, usualHosts: readonly string[] | undefined): string {
  return `<${addressOf(link)}|${escapeMrkdwn(runLabel(link, usualHosts))}>`;
}

/** It says where the run is, unless it is where one expects it. */
export function runLabel(link: string, usualHosts: readonly string[] = []): string {
  const { host } = new URL(link);
  return usualHosts.includes(host) ? 'Open run' : `Open run on ${hostText(host)}`;
}

/** Its end says whose it is. */
function hostText(host: string): string {
  return host.length > HOST_MAX ? `…${host.slice(1 - HOST_MAX)}` : host;
}

const HOST_MAX = 50;

/** For a link in markup. */
export function addressOf(link: string): string {
  return escapeMrkdwn(link).replaceAll('|', '%7C');
}

/** What is not plain ASCII may end a link early, or look like another address. */
export function canBeLinked(link: string): boolean {
  return /^[!-~]+$/.test(link) && addressOf(link).length <= LINK_MAX && URL.canParse(link);
}
