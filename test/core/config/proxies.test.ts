import { expect, it } from 'vitest';
import { readProxies } from '../../../src/core/config/proxies.ts';

const A = 'http://a.example:3128';
const B = 'http://b.example:3128';

it.each([
  [{}, null, null],
  [{ HTTPS_PROXY: A }, null, ['HTTPS_PROXY', A]],
  [{ HTTP_PROXY: A }, ['HTTP_PROXY', A], ['HTTP_PROXY', A]],
  [{ HTTP_PROXY: A, https_proxy: B }, ['HTTP_PROXY', A], ['https_proxy', B]],
  [{ HTTP_PROXY: A, http_proxy: B }, ['http_proxy', B], ['http_proxy', B]],
  [{ HTTP_PROXY: A, http_proxy: '' }, null, null],
  [{ HTTP_PROXY: A, HTTPS_PROXY: B, https_proxy: '' }, ['HTTP_PROXY', A], ['HTTP_PROXY', A]],
])('%o selects the right proxies for http and https', (env, http, https) => {
  const { proxies, problems } = readProxies(env);
  expect(problems).toEqual([]);
  const [ofHttp, ofHttps] = [proxies.http, proxies.https].map(
    (server) => server && [server.variable, server.url],
  );
  expect([ofHttp, ofHttps]).toEqual([http, https]);
});

it.each([
  ['a.example:3128', 'must be an address such as http://host:port'],
  ['nothing of the kind', 'must be an address such as http://host:port'],
  ['socks5://a.example', 'must be an address such as http://host:port'],
  ['http://a.example:3128/path', 'must hold no path, query or fragment: only http://host:port'],
  ['http://a.example:3128?x=1', 'must hold no path, query or fragment: only http://host:port'],
  ['http://secret@a.example', 'must hold a user name and a password, or neither'],
  ['http://ana:secret%zz@a.example', 'must have its user name and password percent-encoded'],
])(
  'a wrong proxy is reported under the variable that is set, without its value: %s',
  (value, message) => {
    const problems = [{ name: 'https_proxy', message }];
    expect(readProxies({ https_proxy: value, HTTPS_PROXY: A }).problems).toEqual(problems);
  },
);
