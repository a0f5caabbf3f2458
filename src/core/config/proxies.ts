import type { Proxies } from '../lib/proxies.ts';
import { type Env, lookUp } from './environment.ts';
import { isQuoted, noProxyList, proxyAddress, QUOTED } from './values.ts';

/** The variables that say how requests leave this machine. The lower-case name takes precedence, even if empty. */

const PARSERS = { HTTPS_PROXY: proxyAddress, HTTP_PROXY: proxyAddress, NO_PROXY: noProxyList };

type ProxyVariable = keyof typeof PARSERS;
type ProxyValues = { readonly [Name in ProxyVariable]?: string | undefined };

/** The name that counts. */
export function lowerCased<Name extends string>(env: Env, name: Name): Name | Lowercase<Name> {
  const small = name.toLowerCase() as Lowercase<Name>; // as: what toLowerCase returns
  return env[small] === undefined ? name : small;
}

export function proxiesIn(
  env: Env,
  { HTTP_PROXY, HTTPS_PROXY, NO_PROXY = '' }: ProxyValues,
): Proxies {
  const server = (name: ProxyVariable, url: string | undefined) =>
    url === undefined ? null : { variable: lowerCased(env, name), url };
  const http = server('HTTP_PROXY', HTTP_PROXY);
  return { http, https: server('HTTPS_PROXY', HTTPS_PROXY) ?? http, noProxy: NO_PROXY };
}

/** For commands that call a running Gatepost, or Slack alone. */
export function readProxies(env: Env): {
  readonly proxies: Proxies;
  readonly problems: readonly ProxyProblem[];
} {
  const problems: ProxyProblem[] = [];
  const read = (row: ProxyVariable) => {
    const name = lowerCased(env, row);
    const given = lookUp(env, name);
    if (given === undefined) return undefined;
    const parsed = PARSERS[row].safeParse(given);
    const message = isQuoted(given) ? QUOTED : parsed.error?.issues[0]?.message;
    if (message !== undefined) problems.push({ name, message });
    return message === undefined ? given : undefined;
  };
  const values = {
    HTTPS_PROXY: read('HTTPS_PROXY'),
    HTTP_PROXY: read('HTTP_PROXY'),
    NO_PROXY: read('NO_PROXY'),
  };
  return { proxies: proxiesIn(env, values), problems };
}

interface ProxyProblem {
  readonly name: ProxyVariable | Lowercase<ProxyVariable>;
  readonly message: string;
}
