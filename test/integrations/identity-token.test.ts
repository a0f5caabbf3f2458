import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hurried } from '../cli/hurried.ts';
import { runHere } from '../cli/run-here.ts';
import { runProgram } from '../e2e/crash/run-program.ts';
import { shells } from '../support/shells.ts';

/** Clients that authenticate with the identity token of their job, from where each CI system puts it. */

const ASK = new URL('../../integrations/curl/ask.sh', import.meta.url).pathname;
const ID = '0-0000000000000000';
const TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJl';
const KEY = 'gpk_the-key-to-this-one-request';
const TOKEN_FOR_TOKENS = 'only-for-github';

interface Call {
  readonly path: string;
  readonly bearer: string | undefined;
  readonly source: IncomingHttpHeaders[string];
}

let calls: Call[];
/** What Gatepost answers instead, once. */
let instead: (call: Call) => number | undefined;
let url: string;
let folder: string;

const details = {
  ...{ id: ID, status: 'APPROVED', url: `/v1/approvals/${ID}`, final: true },
  ...{ shortId: '7H2N-K4QM', digest: '0'.repeat(64), createdAt: '2026-11-20T09:31:07.412Z' },
  ...{ posting: { state: 'posted' }, approvals: 1, needs: [], ballots: [] },
  outcome: { status: 'APPROVED', resolvedAt: null, by: ['U0ANA'], certain: true },
};

/** Gatepost, and GitHub's address for tokens. */
const server = createServer((request, response) => {
  const { authorization = '' } = request.headers;
  const call = {
    path: `${request.method} ${request.url}`,
    bearer: authorization.replace(/^Bearer /i, ''),
    source: request.headers['gatepost-source'],
  };
  calls.push(call);
  const status = instead(call);
  const answer = (code: number, body: object) =>
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (status !== undefined) {
    const detail = 'The identity token has expired. Send a new one';
    return void answer(status, { type: 'about:blank', title: 'No', status, detail });
  }
  if (request.url?.startsWith('/token')) return void answer(200, { value: TOKEN });
  if (request.method === 'GET') return void answer(200, details);
  const { id, url: own } = details;
  return void answer(202, { id, status: 'PENDING', url: own, requestKey: KEY });
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // as: it listens on a port
  folder = await mkdtemp(join(tmpdir(), 'gatepost-token-'));
  await writeFile(join(folder, 'token'), `${TOKEN}\n`);
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  calls = [];
  instead = () => undefined;
});

type Env = Readonly<Record<string, string>>;

const github = (): Env => ({
  ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/token?api-version=2.0`,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: TOKEN_FOR_TOKENS,
});

const PLACES: readonly (readonly [string, () => Env])[] = [
  ['the variable itself', () => ({ GATEPOST_ID_TOKEN: TOKEN })],
  ['another variable', () => ({ GATEPOST_ID_TOKEN: 'CI_TOKEN', CI_TOKEN: TOKEN })],
  ['a file', () => ({ GATEPOST_ID_TOKEN: join(folder, 'token') })],
  ['GitHub', github],
];

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

type Client = (env: Env) => Promise<Ended>;

const gatepost: Client = async (env) => {
  const words = ['ask', '--title', 'Deploy', '--wait', '--source', 'shop', '--json'];
  const { code, out, err } = await runHere(words, {
    env: { GATEPOST_URL: url, ...env },
    system: hurried(),
  });
  return { code, said: out + err };
};

const CLIENTS: readonly (readonly [string, Client])[] = [
  ['gatepost ask', gatepost],
  ...shells.map(({ name, program, words }) => {
    const client: Client = async (env) => {
      const RESULT_FILE = join(folder, `${name.replaceAll(/\W/g, '')}.json`);
      const given = { GATEPOST_URL: url, TITLE: 'Deploy', SOURCE: 'shop', RESULT_FILE, ...env };
      const path = { PATH: process.env.PATH ?? '' };
      await using run = runProgram([...words, ASK], { ...path, ...given }, program);
      const code = await run.ended;
      const result = await readFile(RESULT_FILE, 'utf8').catch(() => '');
      await rm(RESULT_FILE, { force: true });
      return { code, said: `${run.output.join('\n')}${result}` };
    };
    return [`ask.sh in ${name}`, client] as const;
  }),
];

describe.each(CLIENTS)('%s', (_, client) => {
  test.each(PLACES)(
    'sends the token from %s, then the key to its request, and prints neither',
    async (where, env) => {
      const { code, said } = await client(env());
      expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('Approved by') });
      for (const secret of [TOKEN, KEY, TOKEN_FOR_TOKENS]) expect(said).not.toContain(secret);
      const [asked, ...others] = calls.filter(({ path }) => path.includes('/v1/'));
      expect(asked).toMatchObject({ path: 'POST /v1/approvals', bearer: TOKEN, source: 'shop' });
      expect(new Set(others.map(({ bearer }) => bearer))).toEqual(new Set([KEY]));
      const fetched = calls.filter(({ path }) => path.includes('/token'));
      expect(fetched).toEqual(
        where === 'GitHub'
          ? [
              expect.objectContaining({
                path: 'GET /token?api-version=2.0&audience=gatepost',
                bearer: TOKEN_FOR_TOKENS,
              }),
            ]
          : [],
      );
    },
  );

  test('brings a token again where the key is refused', async () => {
    let isRefused = false;
    instead = ({ path, bearer }) => {
      if (!path.startsWith('GET') || bearer !== KEY || isRefused) return undefined;
      isRefused = true;
      return 401;
    };
    const { code } = await client({ GATEPOST_ID_TOKEN: TOKEN });
    expect([code, isRefused]).toEqual([0, true]);
    expect(calls.at(-1)).toMatchObject({ bearer: TOKEN });
  });

  test('says why a token is refused, and asks for another audience if that is set', async () => {
    instead = ({ path }) => (path.startsWith('POST') ? 401 : undefined);
    const { code, said } = await client({ ...github(), GATEPOST_AUDIENCE: 'gate&post' });
    expect({ code, said }).toEqual({ code: 2, said: expect.stringContaining('has expired') });
    expect(calls[0]?.path).toContain('audience=gate%26post');
  });

  test('GitHub that is away is asked again, and one that refuses is not', async () => {
    let times = 0;
    instead = ({ path }) => {
      if (!path.includes('/token')) return undefined;
      times += 1;
      return times === 1 ? 503 : undefined;
    };
    expect((await client(github())).code).toBe(0);
    instead = ({ path }) => (path.includes('/token') ? 403 : undefined);
    const { code, said } = await client(github());
    expect({ code, said }).toEqual({
      code: 2,
      said: expect.stringContaining('GitHub gave no identity token (403).'),
    });
  });

  test.each([
    [{ GATEPOST_ID_TOKEN: 'CI_TOKEN' }, 'GATEPOST_ID_TOKEN names a variable that is not set.'],
    [{ GATEPOST_ID_TOKEN: 'CI_TOKEN', CI_TOKEN: 'x' }, 'does not hold an identity token.'],
    [{ GATEPOST_ID_TOKEN: 'no name' }, 'GATEPOST_ID_TOKEN must name a variable or a file'],
    [{ GATEPOST_ID_TOKEN: '/not/there' }, 'GATEPOST_ID_TOKEN names a file that'],
    [{}, 'GATEPOST_INTAKE_SECRET must be set'],
  ])('with %j asks nobody', async (env, said) => {
    const ended = await client(env as Env);
    expect(ended).toEqual({ code: 2, said: expect.stringContaining(said) });
    expect(calls).toEqual([]);
  });

  test('a secret takes precedence', async () => {
    await client({ ...github(), GATEPOST_INTAKE_SECRET: 'secret' });
    expect(calls[0]).toMatchObject({ path: 'POST /v1/approvals', bearer: 'secret' });
  });
});

test('a command that was approved does not get the token, unless that is said', async () => {
  const check = ['sh', '-c', 'test "[$GATEPOST_ID_TOKEN$CI_TOKEN$OTHER]" = "[other]"'];
  const run = (...more: string[]) =>
    runHere(['ask', '--title', 'Deploy', ...more, '--run', '--', ...check], {
      env: {
        ...{ PATH: process.env.PATH, GATEPOST_URL: url, OTHER: 'other' },
        ...{ GATEPOST_ID_TOKEN: 'CI_TOKEN', CI_TOKEN: TOKEN },
      },
    });
  expect((await run()).code).toBe(0);
  expect((await run('--keep-secret')).code).toBe(1);
});
