import type { Core } from '../../core/core.ts';
import type { Approval } from '../approval.ts';
import { routeTerms } from '../electorate/route-for.ts';

/** The terms that its messages need. */
export function messageTerms(core: Core, approval: Approval) {
  const { config, links } = core;
  const { callback } = config.sources.find(({ id }) => id === approval.source) ?? {};
  const usual = [config.service?.baseUrl, callback?.url];
  const usualHosts = usual.flatMap((url) => (url === undefined ? [] : [hostOf(url)]));
  return { ...routeTerms(core, approval), links, usualHosts };
}

function hostOf(url: string): string {
  const host = HOSTS.get(url) ?? new URL(url).host;
  HOSTS.set(url, host);
  return host;
}

/** By addresses of the configuration. */
const HOSTS = new Map<string, string>();
