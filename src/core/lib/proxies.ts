import { exempts } from './no-proxy.ts';

/** How requests leave this machine: directly or through a proxy. */

/** A proxy, and the variable that names it. */
export interface ProxyServer {
  readonly variable: string;
  /** May contain credentials: never shown. */
  readonly url: string;
}

export interface Proxies {
  /** For http addresses; null: direct. */
  readonly http: ProxyServer | null;
  /** For https addresses; null: direct. */
  readonly https: ProxyServer | null;
  /** Hosts that are reached directly, in the format of NO_PROXY. */
  readonly noProxy: string;
}

export const NO_PROXIES: Proxies = { http: null, https: null, noProxy: '' };

export function hasProxy({ http, https }: Proxies): boolean {
  return http !== null || https !== null;
}

/** The proxy for an address; null: direct. */
export function proxyTo(address: string, proxies: Proxies): ProxyServer | null {
  return exempts(proxies.noProxy, new URL(address)) ? null : proxyFor(address, proxies);
}

function proxyFor(address: string, { http, https }: Proxies): ProxyServer | null {
  return address.startsWith('https:') ? https : http;
}

/** How an address is reached, in words. */
export function connectionText(address: string, proxies: Proxies): string {
  const proxy = proxyTo(address, proxies);
  if (proxy !== null) return `through the proxy of ${proxy.variable} (${placeOf(proxy)})`;
  return proxyFor(address, proxies) === null ? 'directly' : 'directly (NO_PROXY)';
}

/** The server answered that it expects TLS. */
export const NEEDS_TLS = 'needs_tls';
/** How plain HTTP ends at a port that expects TLS. */
const LIKE_TLS: ReadonlySet<string> = new Set([NEEDS_TLS, 'connection_lost', 'bad_response']);

/** How to fix a connection failure with this code; undefined: not known. `isProven`: the address has worked before. */
export function connectionFix(
  code: string,
  address: string,
  proxies: Proxies,
  { isProven = false } = {},
): string | undefined {
  if (!isProven && address.startsWith('http:') && LIKE_TLS.has(code)) {
    return 'Is this a TLS port? Then its address starts with https://.';
  }
  if (code === 'certificate_not_trusted') {
    return 'Check that the server sends its whole chain of certificates. For an authority of your own, set NODE_EXTRA_CA_CERTS to its file.';
  }
  const proxy = proxyTo(address, proxies);
  if (proxy === null) return undefined;
  const { variable } = proxy;
  const at = placeOf(proxy);
  if (LATE.has(code)) {
    return `Nothing came back through the proxy at ${at} in time. Check ${variable}, and that the proxy runs and reaches this address.`;
  }
  const [, why] = /^proxy_(.+)$/.exec(code) ?? [];
  if (why === undefined) return undefined;
  const [, status] = /^http_(\d+)$/.exec(why) ?? [];
  if (status === '407') {
    return `The proxy at ${at} does not accept the user name and password in ${variable}, or needs them. Correct ${variable}.`;
  }
  if (status?.startsWith('5')) {
    return `The proxy at ${at} (${variable}) could not reach this address (${status}). Check the address, and what the proxy can reach.`;
  }
  if (status !== undefined) {
    return `The proxy at ${at} (${variable}) refused the connection with ${status}. Have it allow CONNECT to this address, or add the host to NO_PROXY.`;
  }
  if (why === 'certificate_not_trusted') {
    return `The certificate of the proxy at ${at} (${variable}) is not from an authority that is trusted here. Set NODE_EXTRA_CA_CERTS to the file of that authority.`;
  }
  return `There is no way through the proxy at ${at} (${why}). Check ${variable}, and that the proxy runs.`;
}

/** Without an answer it is not known whether the proxy is to blame. */
const LATE: ReadonlySet<string> = new Set(['timeout', 'connect_timeout']);

/** Without credentials. */
function placeOf({ url }: ProxyServer): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
