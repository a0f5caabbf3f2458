import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import { createServiceClient } from '../../../src/core/service/service-client.ts';
import { cases } from '../../support/cases.ts';
import { failureOf, startTestServer } from './test-server.ts';

it('a client shows no token in any failure, whatever the token and the answer', async () => {
  let reply: (token: string) => string = () => '';
  await using server = await startTestServer((request, response) => {
    const token = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
    response.writeHead(409, { 'x-token': encodeURIComponent(token) }).end(reply(token));
  });
  await using client = createServiceClient({
    baseUrl: server.url,
    scimToken: null,
    apiKey: 'key-81c0de',
    ...system,
  });
  const replies = [
    (token: string) => JSON.stringify({ error: `no ${token} here` }),
    (token: string) => JSON.stringify({ error: { message: JSON.stringify({ token }) } }),
    (token: string) => JSON.stringify({ detail: `/approvals/${encodeURIComponent(token)}` }),
    (token: string) => JSON.stringify({ title: 'x'.repeat(290) + token }),
    (token: string) => JSON.stringify({ errors: [{ message: token }] }),
    (token: string) => token,
  ];
  const tokens = fc.string({ minLength: 10, unit: fc.constantFrom(...'aZ09-_.~%/+="&<\\é') });
  await fc.assert(
    fc.asyncProperty(tokens, fc.constantFrom(...replies), async (token, kind) => {
      reply = kind;
      const failure = await failureOf(client.approvals.get(token));
      const shown = inspect(failure, { depth: 10, showHidden: true });
      expect(shown).toContain('http_409');
      expect(shown).not.toContain(token);
      expect(shown).not.toContain(encodeURIComponent(token));
    }),
    { numRuns: cases(20, 100) },
  );
});
