import { expect, test } from 'vitest';
import type { Connections } from '../../../src/core/http/exchange.ts';
import { keyFetcher } from '../../../src/core/identity-tokens/issuer-keys.ts';
import { system } from '../../../src/core/lib/system.ts';
import { fake } from '../../support/fake.ts';

test.each([
  'http://127.0.0.1:9200/keys',
  'https://localhost/keys',
  'http://[::1]/keys',
  'http://keys.example/keys',
  'file:///etc/passwd',
  'keys',
])('an issuer elsewhere cannot send Gatepost to %s', async (jwks_uri) => {
  const issuer = 'https://ci.example';
  const asked: string[] = [];
  const connections = fake<Connections>({
    send: async ({ origin, path }: { readonly origin: string; readonly path: string }) => {
      asked.push(`${origin}${path}`);
      const body = Buffer.from(JSON.stringify({ issuer, jwks_uri }));
      return { kind: 'answered', status: 200, headers: {}, body, code: 'complete' } as const;
    },
    close: async () => {},
  });
  const place = { issuer, jwksFile: null, ca: null };
  const fetcher = keyFetcher(place, { ...system, connect: () => connections });
  expect(await fetcher.fetch()).toMatchObject({ code: 'bad_address' });
  expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`]);
  await fetcher.close();
});
