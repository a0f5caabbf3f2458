import { BlockList, isIP } from 'node:net';

/** The hosts of NO_PROXY, separated by commas or white space. */

/** Whether one of them is the address's host. */
export function exempts(noProxy: string, { hostname, protocol, port }: URL): boolean {
  const host = plain(hostname);
  const ownPort = Number(port) || (protocol === 'https:' ? 443 : 80);
  return entriesOf(noProxy).some((entry) => {
    const read = readEntry(entry);
    return read !== undefined && (read.port ?? ownPort) === ownPort && read.matches(host);
  });
}

/** What is wrong, without the value; undefined: all of it is understood. */
export function noProxyFault(noProxy: string): string | undefined {
  const at = entriesOf(noProxy).findIndex((entry) => readEntry(entry) === undefined);
  return at < 0
    ? undefined
    : `has an entry that is not understood, number ${at + 1}: write example.com, host:port, 10.0.0.1, 10.0.0.0/8, [::1]:80 or *`;
}

function entriesOf(noProxy: string): readonly string[] {
  return noProxy.split(/[,\s]+/).filter((entry) => entry !== '');
}

interface Entry {
  /** undefined: each one. */
  readonly port?: number;
  readonly matches: (host: string) => boolean;
}

/** undefined: it is not understood. */
function readEntry(entry: string): Entry | undefined {
  // An IPv6 address has a port only behind its brackets.
  const isBare = isIP(entry.replace(/\/.*/, '')) === 6;
  const [, host = '', port] = isBare ? [entry, entry] : (HOST_AND_PORT.exec(entry) ?? []);
  const matches = matcherOf(plain(host));
  return matches && { ...(port !== undefined && { port: Number(port) }), matches };
}

const HOST_AND_PORT = /^(\[[^\]]+\]|[^[\]:]+)(?::(\d{1,5}))?$/;

/** A name includes its subdomains, with or without a leading dot; in it `*` is any text. */
function matcherOf(host: string): Entry['matches'] | undefined {
  const [address = '', bits, ...more] = host.split('/');
  const family = isIP(address);
  if (family !== 0) return more.length === 0 ? rangeOf(address, family, bits) : undefined;
  const name = host.replace(/^(?:\*?\.)+/, '');
  if (!/^[\w*-]+(?:\.[\w*-]+)*$/.test(name)) return undefined;
  const text = name.replaceAll('.', '\\.').replace(/\*+/g, '.*');
  const [whole, end] = [new RegExp(`^${text}$`), new RegExp(`\\.${text}$`)];
  return (given) => whole.test(given) || (isIP(given) === 0 && end.test(given));
}

function rangeOf(
  address: string,
  family: number,
  bits: string | undefined,
): Entry['matches'] | undefined {
  const most = family === 6 ? 128 : 32;
  const size = bits === undefined ? most : Number(bits);
  // An address of one network interface names no host elsewhere.
  const isRange = bits === undefined || /^\d{1,3}$/.test(bits);
  if (!isRange || size > most || address.includes('%')) return undefined;
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  const range = new BlockList();
  range.addSubnet(address, size, kind);
  return (given) => isIP(given) === family && range.check(given, kind);
}

/** Without brackets, and without the dot that ends a whole name. */
function plain(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}
