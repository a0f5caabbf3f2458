import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runProgram } from '../e2e/crash/run-program.ts';
import { DEPLOYS, startWorld, type World } from '../support/world.ts';

/** The recipes for tools that call one address, as the calls that these tools make by their documentation. */

const ROOT = new URL('../../integrations/gates/', import.meta.url);
const read = (name: string) => readFile(new URL(name, ROOT), 'utf8');

const PATH_SECRET = 'a-secret-that-is-long-enough-for-a-path';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    config(config) {
      const [source] = config.sources;
      if (source === undefined) throw new Error('there is a default');
      const auth = { kind: 'path' } as const;
      const inPath = { ...source, id: 'rollouts', auth, secrets: [PATH_SECRET] };
      return { ...config, sources: [source, inPath] };
    },
  });
});
afterAll(() => world[Symbol.asyncDispose]());

async function press(title: string, label: string): Promise<void> {
  const { workspace } = world.sandbox;
  const find = () => workspace.messages(DEPLOYS).find(({ text }) => text.includes(title));
  const { ts } = await world.sandbox.until(find, { what: title });
  await world.click('U0ANA', ts, label);
}

test('each has at most ten lines, and is listed beside them', async () => {
  const page = await read('README.md');
  const recipes = (await readdir(ROOT)).filter((name) => name !== 'README.md');
  for (const name of recipes) {
    expect([name, (await read(name)).trimEnd().split('\n').length <= 10]).toEqual([name, true]);
    expect(page).toContain(`](${name})`);
  }
});

interface Container {
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

/** The first container or step with a command. */
function containerIn(document: unknown): Container | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  // as: the kinds of Kubernetes agree on this
  if ('command' in document) return document as Container;
  return Object.values(document)
    .map(containerIn)
    .find((each) => each !== undefined);
}

/** What each tool fills in. */
const SHELLS = {
  'curl.sh': '',
  'kubernetes-job.yaml': '4.2',
  'argo-cd-presync.yaml': '4.2',
  'argo-rollouts-metric.yaml': '{{args.hash}}',
  'tekton-task.yaml': '$(params.version)',
} as const;

type Shell = keyof typeof SHELLS;

interface Given {
  readonly url?: string;
  readonly namespace?: string;
}

/** Runs a recipe, filled in for this attempt. */
async function run(name: Shell, attempt: string, { url, namespace = 'prod' }: Given = {}) {
  const text = await read(name);
  let command = text;
  let ATTEMPT = attempt;
  const placeholder = SHELLS[name];
  if (placeholder !== '') {
    expect(text).toContain(placeholder);
    const filled = parse(text, (_, value) =>
      typeof value === 'string' ? value.replaceAll(placeholder, () => attempt) : value,
    );
    const container = containerIn(filled);
    command = container?.command[2] ?? '';
    // Kubernetes and Tekton replace it.
    expect(command).not.toContain('$(');
    ATTEMPT = container?.env.find((each) => each.name === 'ATTEMPT')?.value ?? '';
    const valueFrom = { fieldRef: { fieldPath: 'metadata.namespace' } };
    expect(container?.env).toContainEqual({ name: 'NAMESPACE', valueFrom });
  }
  const GATEPOST_INTAKE_SECRET = world.sandbox.credentials.intakeSecret;
  const GATEPOST_URL = url ?? world.app.url;
  const env = { GATEPOST_URL, GATEPOST_INTAKE_SECRET, ATTEMPT, NAMESPACE: namespace };
  return runProgram(['-c', command], env, '/bin/sh');
}

/** The answer of a server that is not Gatepost: an ingress, or a page to sign in. */
async function startStranger(status: number, text = '') {
  const server = createServer((_, response) => {
    response.writeHead(status, { location: 'https://sign-in.example.com' }).end(text);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // as: it listens at a port
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}

const STRANGERS = [
  [301, ''],
  [302, ''],
  [308, ''],
  [204, ''],
  [200, '<p>approved</p>'],
  [200, '{"status":"ok","title":"\\"status\\":\\"approved\\""}'],
] as const;

// as: the keys of the table
describe.each(Object.keys(SHELLS) as Shell[])('%s', (name) => {
  test.each([
    ['Approve', 0],
    ['Reject', 22],
  ])('%s ends with %i', async (label, code) => {
    const attempt = `${name.split('.')[0]}-${label}`;
    await using program = await run(name, attempt);
    await press(attempt, label);
    expect(await program.ended).toBe(code);
  });

  test('ends with 1 if it is not Gatepost that answers', async () => {
    for (const [status, text] of STRANGERS) {
      await using stranger = await startStranger(status, text);
      await using program = await run(name, '4.2', { url: stranger.url });
      expect([status, await program.ended]).toEqual([status, 1]);
      expect(program.output.join('\n')).toContain(`No approval: ${text}`);
    }
  });

  test('what the attempt contains is not a command', async () => {
    const attempt = `4.2"; echo "sees $GATEPOST_INTAKE_SECRET"; exit 0; "`;
    await using stranger = await startStranger(409);
    await using program = await run(name, attempt, { url: stranger.url });
    expect(await program.ended).toBe(22);
    expect(program.output.join('\n')).not.toContain('sees');
  });
});

// as: the keys of the table
const CLUSTERED = (Object.keys(SHELLS) as Shell[]).filter((name) => name !== 'curl.sh');

test.each(CLUSTERED)('%s asks anew in another namespace, and says in which', async (name) => {
  const attempt = `${name.split('.')[0]}-twice`;
  await using staging = await run(name, attempt, { namespace: 'staging' });
  await press(attempt, 'Approve');
  expect(await staging.ended).toBe(0);
  await using production = await run(name, attempt, { namespace: 'production' });
  const { workspace } = world.sandbox;
  const find = () =>
    workspace
      .messages(DEPLOYS)
      .find(({ text }) => /production/.test(text) && text.includes(attempt));
  const { ts } = await world.sandbox.until(find, { what: attempt });
  await world.click('U0ANA', ts, 'Reject');
  expect(await production.ended).toBe(22);
});

test('kubernetes-job.yaml: the wait that it shows is longer than the 30 seconds of kubectl', async () => {
  expect(await read('kubernetes-job.yaml')).toMatch(/kubectl wait .*--timeout=24h/);
});

test('flagger.yaml: calls with other counters are one request, and 200 alone promotes', async () => {
  const { webhooks } = parse(await read('flagger.yaml'));
  const [{ url, type }] = webhooks;
  expect(type).toBe('confirm-promotion');
  const address = url
    .replace('https://gatepost.example.com', world.app.url)
    .replace('SECRET', PATH_SECRET);
  const call = async (counters: object, checksum = 'abc') => {
    const payload = { name: 'shop', namespace: 'prod', phase: 'WaitingPromotion', checksum };
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...payload, metadata: {}, ...counters }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const calls = [await call({}), await call({ iterations: 1 }), await call({ canaryWeight: 50 })];
  expect(calls.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(new Set(calls.map(({ body }) => body.id)).size).toBe(1);
  await press('promote', 'Approve');
  await expect
    .poll(async () => (await call({ iterations: 9 })).status, { timeout: 60_000 })
    .toBe(200);
  expect((await call({}, 'def')).status).toBe(503);
});

/** As Kargo evaluates it: `x not in […]` is all of its language that JavaScript lacks. */
function isTrue(expression: string, response: { status: number; body: unknown }): boolean {
  const script = expression.replace(/(\S+) not in (\[.*?\])/, '!$2.includes($1)');
  return runInNewContext(script, { response });
}

test('kargo.yaml: every status that is documented ends it as it should', async () => {
  const { config } = parse(await read('kargo.yaml'));
  const url = config.url
    .replace('https://gatepost.example.com', world.app.url)
    .replaceAll(/\$\{\{ ctx\.promotion \}\}/g, 'prod.01h.abc')
    .replace(/\$\{\{ ctx\.project \}\}/, 'shop')
    .replace(/\$\{\{ ctx\.stage \}\}/, 'prod');
  const end = (response: { status: number; body: unknown }) => ({
    succeeds: isTrue(config.successExpression, response),
    fails: isTrue(config.failureExpression, response),
  });
  const call = async (authorization = `Bearer ${world.sandbox.credentials.intakeSecret}`) => {
    const answer = await fetch(url, { method: config.method, headers: { authorization } });
    return end({ status: answer.status, body: await answer.json() });
  };
  const goesOn = { succeeds: false, fails: false };
  const fails = { succeeds: false, fails: true };
  expect(await call()).toEqual(goesOn);
  expect(await call('Bearer wrong')).toEqual(fails);
  await press('Promote shop to prod: prod.01h.abc', 'Approve');
  await expect.poll(() => call(), { timeout: 60_000 }).toEqual({ succeeds: true, fails: false });
  for (const status of [429, 500, 502, 503, 504])
    expect(end({ status, body: {} }), `${status}`).toEqual(goesOn);
  for (const status of [409, 410]) expect(end({ status, body: {} }), `${status}`).toEqual(fails);
  // A body that is not JSON is empty: a page to sign in, behind the redirect.
  expect(end({ status: 200, body: {} })).toEqual(fails);
});
