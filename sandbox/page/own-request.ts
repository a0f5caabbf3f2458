import type { Exchange } from '../exchange.ts';

/**
 * True for a request of the page itself. The demo runs on somebody's own machine: no other site in
 * their browser (cross-site request, DNS rebinding) and nobody in their network may use it.
 */
export function isOwnRequest({ headers, request }: Exchange): boolean {
  const { host = '', origin } = headers;
  if (!isLoopback(request.socket.remoteAddress ?? '') || !isLoopbackHost(host)) return false;
  const site = headers['sec-fetch-site'];
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  return isOwnSite && (origin === undefined || origin === `http://${host}`);
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** Names that a stranger's DNS cannot point at this machine. */
function isLoopbackHost(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
}
