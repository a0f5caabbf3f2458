import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRedisAddress, RedisAddressError } from '../../../src/core/lib/redis-address.ts';

const plain = { tls: false, username: undefined, password: undefined };

test.each([
  [
    'redis://localhost',
    {
      ...plain,
      hosts: [{ host: 'localhost', port: 6379 }],
      mode: { kind: 'standalone', database: 0 },
    },
  ],
  [
    'rediss://ana:p%40ss%2F@[::1]:6380/2',
    {
      tls: true,
      username: 'ana',
      password: 'p@ss/',
      hosts: [{ host: '::1', port: 6380 }],
      mode: { kind: 'standalone', database: 2 },
    },
  ],
  [
    'redis://:a:b@c@host/',
    {
      ...plain,
      password: 'a:b@c',
      hosts: [{ host: 'host', port: 6379 }],
      mode: { kind: 'standalone', database: 0 },
    },
  ],
  [
    'redis+sentinel://:pw@s1:26380,s2/mymaster',
    {
      ...plain,
      password: 'pw',
      hosts: [
        { host: 's1', port: 26380 },
        { host: 's2', port: 26379 },
      ],
      mode: { kind: 'sentinel', database: 0, name: 'mymaster', password: undefined },
    },
  ],
  [
    'rediss+sentinel://s1/my%20master/3?sentinelPassword=s%26p',
    {
      ...plain,
      tls: true,
      hosts: [{ host: 's1', port: 26379 }],
      mode: { kind: 'sentinel', database: 3, name: 'my master', password: 's&p' },
    },
  ],
  [
    'redis+cluster://10.0.0.1:7000,10.0.0.2/0',
    {
      ...plain,
      hosts: [
        { host: '10.0.0.1', port: 7000 },
        { host: '10.0.0.2', port: 6379 },
      ],
      mode: { kind: 'cluster' },
    },
  ],
  [
    'valkey://localhost',
    {
      ...plain,
      hosts: [{ host: 'localhost', port: 6379 }],
      mode: { kind: 'standalone', database: 0 },
    },
  ],
  [
    'valkeys+cluster://:pw@c1',
    {
      ...plain,
      tls: true,
      password: 'pw',
      hosts: [{ host: 'c1', port: 6379 }],
      mode: { kind: 'cluster' },
    },
  ],
  [
    'redis+sentinel://s1/main?sentinelPassword=a@b/c',
    {
      ...plain,
      hosts: [{ host: 's1', port: 26379 }],
      mode: { kind: 'sentinel', database: 0, name: 'main', password: 'a@b/c' },
    },
  ],
])('%s is read', (text, address) => {
  expect(parseRedisAddress(text)).toEqual(address);
});

test.each([
  ['localhost:6379', 'must be an address that begins with redis://'],
  ['http://localhost', 'must be an address that begins with redis://'],
  ['redis://', 'must be an address that begins with redis://'],
  ...[
    ...['redis://:pa/ss@host', 'redis://:pa#ss@host', 'redis://ana:pa?ss@host:6380/1'],
    ...['rediss://:12/34@host', 'valkey://:a/b@c@host', 'redis+cluster://:a#b@h1,h2'],
    ...['redis+sentinel://s/main?sentinelPassword=a#b', 'redis://host/0#x'],
  ].map((text): [string, string] => [text, 'must have special characters of a user name or pass']),
  ['valkey2://localhost', 'must be an address that begins with redis://'],
  ['redis+proxy://localhost', 'must be an address that begins with redis://'],
  ['redis://a,b', 'must name one host'],
  ['redis+cluster://a,,b', 'must name its hosts as host:port'],
  ['redis://a:b:c', 'must name its hosts as host:port'],
  ['redis://a:70000', 'must hold ports from 1 to 65535'],
  ['redis://a:0', 'must hold ports from 1 to 65535'],
  ['redis://a/first', 'must hold nothing behind the host but a database number'],
  ['redis://a/0/1', 'must hold nothing behind the host but a database number'],
  ['redis://a?family=6', 'must not hold a query'],
  ['redis+cluster://a/1', 'must not hold a database number'],
  ['redis+cluster://a?sentinelPassword=x', 'must not hold a query'],
  ['redis+sentinel://a', "must end with the primary's name"],
  ['redis+sentinel://a/?sentinelPassword=x', "must end with the primary's name"],
  ['redis+sentinel://a/m/x', 'must hold nothing behind the host but a database number'],
  ['redis+sentinel://a/m?password=x', 'must hold no query but sentinelPassword'],
  ['redis://:100%@a', 'must hold a % only in front of two hexadecimal digits'],
])('%s is refused by the rule that it breaks', (text, rule) => {
  expect(() => parseRedisAddress(text)).toThrow(rule);
});

test('a refusal never repeats the address', () => {
  const part = fc.constantFrom(
    'redis',
    '+sentinel',
    '://',
    ':',
    '@',
    ',',
    '/',
    '?',
    '%',
    'Zq9',
    'a',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      try {
        parseRedisAddress(parts.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(RedisAddressError);
        expect(String(error)).not.toContain('Zq9');
      }
    }),
    { numRuns: 1_000 },
  );
});
