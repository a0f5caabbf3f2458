import { readdir, readFile } from 'node:fs/promises';
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

test('each has at most eight lines, and is listed beside them', async () => {
  const page = await read('README.md');
  const recipes = (await readdir(ROOT)).filter((name) => name !== 'README.md');
  for (const name of recipes) {
    expect([name, (await read(name)).trimEnd().split('\n').length <= 8]).toEqual([name, true]);
    expect(page).toContain(`](${name})`);
  }
});

/** The command of the first container or step with one. */
function commandIn(document: unknown): string {
  if (typeof document !== 'object' || document === null) return '';
  if ('command' in document && Array.isArray(document.command)) return document.command[2];
  return (
    Object.values(document)
      .map(commandIn)
      .find((each) => each !== '') ?? ''
  );
}

/** What each tool fills in, and the title of the request. */
const SHELLS = {
  'curl.sh': { gate: 'Deploy {attempt}', filled: {} },
  'kubernetes-job.yaml': { gate: 'migrate', filled: { 'attempt=4.2': 'attempt={attempt}' } },
  'argo-cd-presync.yaml': { gate: 'sync', filled: { 'attempt=4.2': 'attempt={attempt}' } },
  'argo-rollouts-metric.yaml': { gate: 'rollout', filled: { '{{args.hash}}': '{attempt}' } },
  'tekton-task.yaml': { gate: 'deploy', filled: { '$(params.version)': '{attempt}' } },
} as const;

describe.each(Object.entries(SHELLS))('%s', (name, { gate, filled }) => {
  test.each([
    ['Approve', 0],
    ['Reject', 22],
  ])('%s ends with %i', async (label, code) => {
    const attempt = `${name.split('.')[0]}-${label}`;
    const text = await read(name);
    let command = name.endsWith('.sh') ? text : commandIn(parse(text));
    expect(command).toContain('curl');
    for (const [from, to] of Object.entries(filled)) {
      expect(command).toContain(from);
      command = command.replace(from, to.replace('{attempt}', attempt));
    }
    // A title of its own, so that its message is found.
    if (!name.endsWith('.sh'))
      command = command.replace('wait=50', `title=${gate}-${attempt}&wait=50`);
    const program = runProgram(
      ['-c', command],
      {
        GATEPOST_URL: world.app.url,
        GATEPOST_INTAKE_SECRET: world.sandbox.credentials.intakeSecret,
        ATTEMPT: attempt,
      },
      '/bin/sh',
    );
    await press(name.endsWith('.sh') ? `Deploy ${attempt}` : `${gate}-${attempt}`, label);
    expect(await program.ended).toBe(code);
  });
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

test('kargo.yaml: every status that is documented ends it as it should', async () => {
  const { config } = parse(await read('kargo.yaml'));
  expect(config.successExpression).toBe('response.status == 200');
  const [, list = ''] = /^response\.status not in \[(.*)\]$/.exec(config.failureExpression) ?? [];
  const goesOn = list.split(',').map(Number);
  expect(goesOn).toEqual([200, 429, 500, 502, 503, 504]);
  const url = config.url
    .replace('https://gatepost.example.com', world.app.url)
    .replace(/\$\{\{ ctx\.promotion \}\}/, 'stage.01h')
    .replace(/\$\{\{ ctx\.stage \}\}/, 'prod');
  const call = async (authorization = `Bearer ${world.sandbox.credentials.intakeSecret}`) =>
    (await fetch(url, { method: config.method, headers: { authorization } })).status;
  expect(goesOn).toContain(await call());
  expect(goesOn).not.toContain(await call('Bearer wrong'));
  await press('Promote to prod', 'Reject');
  await expect.poll(() => call(), { timeout: 60_000 }).toBe(409);
  expect(goesOn).not.toContain(409);
});
