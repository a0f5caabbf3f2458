import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkIssuers } from '../../src/cli/doctor/issuer-check.ts';
import { checkProxy } from '../../src/cli/doctor/proxy-check.ts';
import type { Config, Source, TokenRules } from '../../src/core/config/config.ts';
import { connectThrough } from '../../src/core/http/exchange.ts';
import { NO_PROXIES, type Proxies } from '../../src/core/lib/proxies.ts';
import { system } from '../../src/core/lib/system.ts';
import { fake } from '../support/fake.ts';
import { type Issuer, startIssuer } from '../support/issuer.ts';
import { CERTIFICATES, KEY, startTlsServer } from '../support/tls-server.ts';

let issuer: Issuer;
beforeEach(async () => {
  issuer = await startIssuer();
});
afterEach(() => issuer[Symbol.asyncDispose]());

interface Setting {
  readonly rules?: Partial<TokenRules>;
  readonly proxies?: Proxies;
  readonly aheadMs?: number;
}

function needsWith({ rules = {}, proxies = NO_PROXIES, aheadMs = 0 }: Setting = {}) {
  const auth = { kind: 'oidc', preset: null, issuer: issuer.url, audience: 'gatepost' } as const;
  const source: Source = {
    id: 'shop',
    auth: { ...auth, claims: { sub: ['x'] }, jwksFile: null, ca: null, ...rules },
    ...{ secrets: [], routes: [], channels: [], kinds: ['gate'] },
  };
  const clock = { ...system.clock, now: () => system.clock.now() + aheadMs };
  const config = fake<Config>({
    sources: [source],
    proxies,
    service: null,
    slack: fake<Config['slack']>({ apiUrl: null }),
  });
  return { config, system: { ...system, clock }, connect: connectThrough(proxies) };
}

const check = (setting?: Setting) => checkIssuers(needsWith(setting));

test('an issuer that shows its keys is fine', async () => {
  await issuer.rotate();
  const { host } = new URL(issuer.url);
  expect(await check()).toEqual({ ok: true, detail: `${host} has 2 keys`, fix: null });
});

test('without such a source nothing is checked', async () => {
  const config = fake<Config>({ sources: [] });
  expect(await checkIssuers({ ...needsWith(), config })).toMatchObject({ ok: true, fix: null });
});

describe('says what is wrong with', () => {
  test.each([
    ['hangs', /cannot be reached \(timeout\)/, /network and the proxy/],
    ['rubbish', /not JSON/, /oidc\.issuer/],
    ['redirects', /it redirects/, /oidc\.issuer/],
    ['fails', /http_500/, /oidc\.issuer/],
    ['other-name', /names itself with another address/, /letter for letter/],
    ['no-keys', /has no key/, /oidc\.issuer/],
  ] as const)('an issuer in the mood %s', async (mood, detail, fix) => {
    issuer.mood = mood;
    expect(await check()).toEqual({
      ok: false,
      detail: expect.stringMatching(detail),
      fix: expect.stringMatching(fix),
    });
  });

  test('an issuer that is not there', async () => {
    expect(await check({ rules: { issuer: 'http://127.0.0.1:9' } })).toMatchObject({
      ok: false,
      detail: expect.stringContaining('connection_refused'),
    });
  });

  test('a proxy that does not let it through, and names how it is reached', async () => {
    const proxies = { ...NO_PROXIES, http: { variable: 'HTTP_PROXY', url: 'http://127.0.0.1:9' } };
    const found = await check({ proxies });
    expect(found).toMatchObject({ ok: false, fix: expect.stringContaining('HTTP_PROXY') });
    const needs = fake<Parameters<typeof checkProxy>[0]>(needsWith({ proxies }));
    expect((await checkProxy(needs)).detail).toContain('the issuer 127.0.0.1');
  });

  test('a certificate that is not trusted', async () => {
    await using server = await startTlsServer('valid');
    expect(await check({ rules: { issuer: server.origin } })).toEqual({
      ok: false,
      detail: expect.stringContaining('certificate_not_trusted'),
      fix: 'Set oidc.ca to a file with the certificates of its authority.',
    });
  });

  test('a clock that is ahead', async () => {
    expect(await check({ aheadMs: 120_000 })).toEqual({
      ok: true,
      detail: expect.stringMatching(/^this machine is (119|120|121) s ahead of/),
      fix: expect.stringContaining('NTP'),
    });
  });

  test('a file that is not there', async () => {
    expect(await check({ rules: { jwksFile: '/not/there' } })).toMatchObject({
      ok: false,
      detail: expect.stringContaining('/not/there'),
    });
  });
});

test('an authority of its own is trusted for this issuer, and keys come from a file', async () => {
  const server = createServer({ key: KEY, cert: CERTIFICATES.valid }, (request, response) => {
    const { port } = server.address() as AddressInfo; // as: it listens on a port
    const own = `https://localhost:${port}`;
    const keys = issuer.published.map(({ shown }) => shown);
    const isKeys = request.url === '/keys';
    response.end(JSON.stringify(isKeys ? { keys } : { issuer: own, jwks_uri: `${own}/keys` }));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  const rules = { issuer: `https://localhost:${port}`, ca: CERTIFICATES.valid };
  expect(await check({ rules })).toMatchObject({ ok: true, fix: null });
  server.closeAllConnections();
  server.close();
  const path = join(tmpdir(), `gatepost-issuer-${process.pid}.json`);
  const keys = issuer.published.map(({ shown }) => shown);
  await writeFile(path, JSON.stringify({ keys }));
  expect(await check({ rules: { jwksFile: path } })).toMatchObject({ ok: true, fix: null });
  await rm(path);
});
