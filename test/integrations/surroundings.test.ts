import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../e2e/crash/run-program.ts';
import { type FakeGate, startFakeGate } from '../support/fake-gate.ts';

/** What is around the scripts: files of the user, settings that nothing has filled in, missing programs, redirects. */

const ASK = new URL('../../integrations/curl/ask.sh', import.meta.url).pathname;
const HOOK = new URL('../../integrations/agents/ask-before.sh', import.meta.url).pathname;

let gate: FakeGate;
let folder: string;
beforeAll(async () => {
  gate = await startFakeGate();
  folder = await mkdtemp(join(tmpdir(), 'gatepost-around-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await gate[Symbol.asyncDispose]();
});

async function ask(env: Readonly<Record<string, string>>, words: readonly string[] = [ASK]) {
  const settings = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret', TITLE: 'Deploy' };
  await using program = runProgram(words, { ...settings, ...env }, '/bin/sh');
  return { code: await program.ended, said: program.output.join('\n') };
}

describe('files of the user are not read', () => {
  test.each([
    ['.curlrc', 'include\nverbose\nurl = "http://127.0.0.1:9/"\n'],
    ['.curlrc', 'proxy = "http://127.0.0.1:9"\n'],
    ['.jq', 'def test($re): true; def test($re; $flags): true;'],
    ['.jq', 'this is no filter ('],
  ])('%s: %j', async (name, text) => {
    const HOME = await mkdtemp(join(folder, 'home-'));
    await writeFile(join(HOME, name), text);
    const more = { HOME, CURL_HOME: HOME, XDG_CONFIG_HOME: HOME };
    const { code, said } = await ask(more);
    expect({ code, said: said.split('\n').at(-1) }).toEqual({
      code: 0,
      said: expect.stringMatching(/^Approved by Ana \(U0ANA\)/),
    });
    expect(said).not.toContain('secret');
    const check = await ask({ ...more, ASK_BEFORE: 'deploy' }, [HOOK, '--check', 'ls']);
    expect(check).toMatchObject({ code: 1 });
  });
});

const QUOTES = 'is in quotes. Leave them out.';
const PLACEHOLDER = 'is a placeholder. Nothing has replaced it with the value.';
const CREDENTIALS = [
  ['"secret"', QUOTES],
  ["'secret'", QUOTES],
  ['secret"', QUOTES],
  ['\u201csecret\u201d', QUOTES],
  ['Bearer secret', 'begins with Bearer. Leave that out.'],
  ['bearer  secret', 'begins with Bearer. Leave that out.'],
  ['Authorization: Bearer secret', 'begins with Bearer. Leave that out.'],
  ['\x24{GATEPOST_INTAKE_SECRET}', PLACEHOLDER],
  ['$GATEPOST_INTAKE_SECRET', PLACEHOLDER],
  ['\x24{{ secrets.GATEPOST_INTAKE_SECRET }}', PLACEHOLDER],
  ['{{ secret }}', PLACEHOLDER],
  ['<secret>', PLACEHOLDER],
  ['%SECRET%', PLACEHOLDER],
  ['\u2026', PLACEHOLDER],
  ['a secret', 'must contain only ASCII characters and no white space.'],
  ['\ufeffsecret', 'must contain only ASCII characters and no white space.'],
  [' , ', 'must be set.'],
] as const;

test.each(CREDENTIALS)('the secret %s is refused before anything is sent', async (secret, said) => {
  const earlier = gate.calls.length;
  const found = await ask({ GATEPOST_INTAKE_SECRET: secret });
  expect(found).toEqual({ code: 2, said: `GATEPOST_INTAKE_SECRET ${said}` });
  expect(gate.calls).toHaveLength(earlier);
});

test.each(['secret, other', ' secret ', 'secret\r\n', 'a"b\\c$d', 'c2VjcmV0==', '$2b$10$x'])(
  'the secret %j is taken',
  async (secret) => {
    expect(await ask({ GATEPOST_INTAKE_SECRET: secret })).toMatchObject({ code: 0 });
  },
);

test.each([
  ['"https://gatepost.example.com"', QUOTES],
  ['https://\x24{HOST}', PLACEHOLDER],
  ['gatepost.example.com', 'must be an address that begins with https:// or http://.'],
  ['ftp://gatepost.example.com', 'must be an address that begins with https:// or http://.'],
  ['https://gatepost.example.com?x=1', 'must be an address that begins with https:// or http://.'],
])('the address %s is refused', async (GATEPOST_URL, said) => {
  expect(await ask({ GATEPOST_URL })).toEqual({ code: 2, said: `GATEPOST_URL ${said}` });
});

test.each(['curl', 'jq'])('%s is named if it is missing', async (missing) => {
  const bin = await mkdtemp(join(folder, 'bin-'));
  const names = ['sh', 'cat', 'date', 'dirname', 'mktemp', 'od', 'rm', 'sleep', 'tr', 'curl', 'jq'];
  for (const name of names.filter((each) => each !== missing)) {
    await symlink(await pathOf(name), join(bin, name));
  }
  const said = `${missing} is needed, and is not installed.`;
  expect(await ask({ PATH: bin })).toEqual({ code: 2, said });
  expect(await ask({ PATH: bin }, [HOOK, '--check', 'ls'])).toEqual({ code: 2, said });
  const hook = await ask({ PATH: bin }, [HOOK]);
  expect(hook).toMatchObject({ code: 2, said: expect.stringContaining(said) });
});

async function pathOf(name: string): Promise<string> {
  await using program = runProgram(['-c', `command -v ${name}`], {}, '/bin/sh');
  await program.ended;
  return program.output[0] ?? '';
}

test('a redirect is not followed, and its target is named without what may be secret', async () => {
  const server = createServer((_, response) => {
    const location = 'https://ana:password@sso.example.com/login?state=abc#part';
    response.writeHead(302, { location }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  const found = await ask({ GATEPOST_URL: `http://127.0.0.1:${port}` });
  expect(found.code).toBe(2);
  expect(found.said.split('\n').at(-1)).toBe(
    'GATEPOST_URL redirects to https://sso.example.com/login (302). Set it to where Gatepost itself answers.',
  );
  server.closeAllConnections();
  server.close();
});
