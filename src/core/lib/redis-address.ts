interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** Where Redis is, and its deployment. */
export interface RedisAddress {
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** One; or the Sentinels; or some nodes of the Cluster, which know the others. */
  readonly hosts: readonly [RedisHost, ...RedisHost[]];
  readonly mode:
    | { readonly kind: 'standalone'; readonly database: number }
    | {
        readonly kind: 'sentinel';
        readonly database: number;
        /** The Sentinels' name for the primary. */
        readonly name: string;
        /** For the Sentinels themselves. */
        readonly password: string | undefined;
      }
    | { readonly kind: 'cluster' };
}

/** A malformed address. The message states the broken rule, without the address. */
export class RedisAddressError extends Error {
  override readonly name = 'RedisAddressError';
}

type Kind = RedisAddress['mode']['kind'];

const FORM =
  /^(?<scheme>rediss?|valkeys?)(?:\+(?<kind>sentinel|cluster))?:\/\/(?:(?<user>[^/?#]*)@)?(?<hosts>[^/?#@]+)(?<path>\/[^?#]*)?(?:\?(?<query>[^#]*))?$/;
const HOST = /^(?<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?<port>\d{1,5}))?$/;
const PORTS = { standalone: 6379, sentinel: 26379, cluster: 6379 } as const satisfies Record<
  Kind,
  number
>;

/**
 * Parses `redis://`, `redis+sentinel://` and `redis+cluster://`, also with `rediss` for TLS, and with `valkey` and
 * `valkeys`. Throws RedisAddressError.
 */
export function parseRedisAddress(text: string): RedisAddress {
  try {
    return parse(text);
  } catch (error) {
    throw hasRaw(text) ? new RedisAddressError(ENCODE) : error;
  }
}

/** A character that ends the host before something that looks like one; or a fragment, which is not allowed. */
function hasRaw(text: string): boolean {
  const [, ...rest] = text.split('://');
  const behind = rest.join('://');
  const end = behind.search(/[/?#]/);
  return behind.includes('#') || (end >= 0 && end < behind.lastIndexOf('@'));
}

const ENCODE =
  'must have special characters of a user name or password encoded: / as %2F, ? as %3F, # as %23, @ as %40, % as %25';

function parse(text: string): RedisAddress {
  const parts = FORM.exec(text)?.groups;
  if (parts === undefined) {
    throw new RedisAddressError(
      'must be an address that begins with redis:// or rediss:// (or redis+sentinel://, redis+cluster:// and so on)',
    );
  }
  const { user = '', hosts = '', path = '', query = '' } = parts;
  // as: the pattern allows only these
  const kind = (parts.kind ?? 'standalone') as Kind;
  return {
    tls: parts.scheme === 'rediss' || parts.scheme === 'valkeys',
    ...readUser(user),
    hosts: readHosts(kind, hosts),
    mode: readMode(kind, path.split('/').slice(1), query),
  };
}

function readUser(text: string): Pick<RedisAddress, 'username' | 'password'> {
  const colon = text.indexOf(':');
  const [username, password] =
    colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  return { username: decode(username), password: decode(password) };
}

function readHosts(kind: Kind, text: string): RedisAddress['hosts'] {
  const [first, ...others] = text.split(',').map((part) => readHost(part, PORTS[kind]));
  if (first === undefined || (kind === 'standalone' && others.length > 0)) {
    throw new RedisAddressError(
      'must name one host (several only with redis+sentinel:// or redis+cluster://)',
    );
  }
  return [first, ...others];
}

function readHost(text: string, usualPort: number): RedisHost {
  const { host, port } = HOST.exec(text)?.groups ?? {};
  if (host === undefined) {
    throw new RedisAddressError('must name its hosts as host:port, separated by commas');
  }
  const number = port === undefined ? usualPort : Number(port);
  if (number < 1 || number > 65_535) {
    throw new RedisAddressError('must hold ports from 1 to 65535');
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: number };
}

function readMode(kind: Kind, path: readonly string[], query: string): RedisAddress['mode'] {
  if (kind !== 'sentinel' && query !== '') {
    throw new RedisAddressError('must not hold a query');
  }
  if (kind === 'standalone') return { kind, database: readDatabase(path) };
  if (kind === 'cluster') {
    if (path.some((part) => part !== '' && part !== '0')) {
      throw new RedisAddressError('must not hold a database number: a Cluster has only one');
    }
    return { kind };
  }
  const [name = '', ...rest] = path;
  if (name === '') {
    throw new RedisAddressError("must end with the primary's name: redis+sentinel://host/name");
  }
  const database = readDatabase(rest);
  return { kind, database, name: decode(name) ?? '', password: readSentinelPassword(query) };
}

function readDatabase([number = '', ...rest]: readonly string[]): number {
  if (rest.length > 0 || !/^\d{0,5}$/.test(number)) {
    throw new RedisAddressError('must hold nothing behind the host but a database number');
  }
  return Number(number);
}

function readSentinelPassword(query: string): string | undefined {
  const [, password] = /^sentinelPassword=([^&]+)$/.exec(query) ?? [];
  if (query !== '' && password === undefined) {
    throw new RedisAddressError('must hold no query but sentinelPassword');
  }
  return decode(password ?? '');
}

/** undefined if empty. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined;
  } catch {
    throw new RedisAddressError('must hold a % only in front of two hexadecimal digits');
  }
}
