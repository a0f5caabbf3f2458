import { expect, test } from 'vitest';
import { exempts, noProxyFault } from '../../../src/core/lib/no-proxy.ts';

test.each([
  ['', 'http://a.example', false],
  ['*', 'http://a.example', true],
  ['localhost,*', 'http://a.example', true],
  ['*, b.example', 'http://10.0.0.1', true],
  ['a.example', 'http://a.example', true],
  ['A.Example', 'http://a.example:81', true],
  ['a.example', 'http://b.a.example', true],
  ['a.example', 'http://a.example.', true],
  ['a.example.', 'http://a.example', true],
  ['.a.example.', 'http://b.a.example', true],
  ['.a.example', 'http://a.example', true],
  ['*.a.example', 'http://b.a.example', true],
  ['a.example', 'http://ba.example', false],
  ['a.example', 'http://a.example.org', false],
  ['a.example:80', 'http://a.example', true],
  ['a.example:443', 'https://a.example', true],
  ['a.example:81', 'http://a.example', false],
  ['b.example,a.example:81', 'http://a.example:81', true],
  [' b.example \t a.example ', 'http://a.example', true],
  ['b.example , , a.example', 'http://a.example', true],
  ['gate-*.example', 'http://gate-7.example', true],
  ['gate-*.example', 'http://www.example', false],
  ['127.*', 'http://127.0.0.1', true],
  ['127.*', 'http://10.127.0.1', false],
  ['127.0.0.1', 'http://127.0.0.1:3000', true],
  ['0.0.1', 'http://127.0.0.1', false],
  ['localhost', 'http://127.0.0.1:3000', false],
  ['10.0.0.0/8', 'http://10.200.1.1', true],
  ['10.0.0.0/8', 'http://11.0.0.1', false],
  ['10.0.0.0/8:80', 'http://10.0.0.1:81', false],
  ['192.168.1.128/25', 'http://192.168.1.127', false],
  ['0.0.0.0/0', 'http://[::1]', false],
  ['10.0.0.0/8', 'http://10.example', false],
  ['[::1]', 'http://[::1]:3000', true],
  ['::1', 'http://[::1]:3000', true],
  ['0:0:0:0:0:0:0:1', 'http://[::1]', true],
  ['[::1]:3000', 'http://[::1]:3000', true],
  ['[::1]:3001', 'http://[::1]:3000', false],
  ['fd00::/8', 'http://[fd12::7]', true],
  ['fd00::/8', 'http://[fe80::7]', false],
])('NO_PROXY=%j and %s: %j', (noProxy, address, isExempt) => {
  expect(exempts(noProxy, new URL(address))).toBe(isExempt);
  expect(noProxyFault(noProxy)).toBeUndefined();
});

test.each([
  ['10.0.0.0/33', 1],
  ['a.example,10.0.0/8', 2],
  ['10.0.0.0/8/8', 1],
  ['10.0.0.0/', 1],
  ['fd00::/129', 1],
  ['fe80::1%eth0', 1],
  ['http://a.example', 1],
  ['a.example, <local>', 2],
  ['a.example;b.example', 1],
  ['.', 1],
  ['a..example', 1],
  ['[::1', 1],
  ['a.example:http', 1],
  ['/a\\.example/', 1],
])('NO_PROXY=%j is not understood: entry %i', (noProxy, at) => {
  expect(noProxyFault(noProxy)).toContain(`number ${at}:`);
  expect(exempts(noProxy, new URL('http://c.example'))).toBe(false);
});
