import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runProgram } from './e2e/crash/run-program.ts';
import { startFakeGate } from './support/fake-gate.ts';
import { connectAgent } from './support/mcp-clients.ts';
import { PROGRAM } from './support/program.ts';
import { startWorld } from './support/world.ts';

/**
 * The beginning of the page on asking, run unchanged. The pipeline is run by
 * `test/integrations/recipes.test.ts`.
 */
const page = await readFile(new URL('../docs/asking.md', import.meta.url), 'utf8');

/** The only block below this heading, up to the next heading. */
function blockBelow(heading: string): string {
  const [section = ''] = page.split(`\n## ${heading}\n`)[1]?.split('\n## ') ?? [];
  const blocks = [...section.matchAll(/^```\w+\n(.*?)^```/gms)].map(([, text = '']) => text);
  expect(blocks, heading).toHaveLength(1);
  return blocks[0] ?? '';
}

/** The command, and something to deploy. */
let folder: string;
const inFolder = () => ({ PATH: `${folder}:${process.env.PATH}` });
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-ways-'));
  const command = `exec '${process.execPath}' '${process.cwd()}/${PROGRAM}' "$@"`;
  const scripts = { gatepost: command, 'deploy.sh': 'echo Deployed.' };
  for (const [name, text] of Object.entries(scripts))
    await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
});
afterAll(() => rm(folder, { recursive: true }));

test('docs/asking.md starts with three ways to ask, in at most ten lines each', () => {
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
  expect(headings.slice(0, 3)).toEqual(['In a pipeline', 'In a script', 'From an agent']);
  for (const heading of headings.slice(0, 3))
    expect(blockBelow(heading).trim().split('\n').length, heading).toBeLessThanOrEqual(10);
});

test.each([
  ['APPROVED', 0, ['Deployed.'], ['running', 'succeeded']],
  ['REJECTED', 125, [], []],
])('the script, %s, ends with %i', async (status, code, output, reports) => {
  await using gate = await startFakeGate(status);
  const env = { GATEPOST_URL: gate.url, GATEPOST_INTAKE_SECRET: 'secret' };
  const script = `cd '${folder}'; exec 2>/dev/null\n${blockBelow('In a script')}`;
  await using shell = runProgram(['-c', script], { ...env, ...inFolder() }, '/bin/sh');
  expect(await shell.ended).toBe(code);
  expect(shell.output).toEqual(output);
  expect(gate.requests[0]?.body.fields).toMatchObject({
    'SHA-256 of deploy.sh': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(gate.requests[0]?.reports.map(({ state }) => state)).toEqual(reports);
});

test('the agent configuration from the docs offers the tools', async () => {
  await using world = await startWorld();
  const secret = world.sandbox.credentials.intakeSecret;
  const shown = blockBelow('From an agent')
    .replace('https://gatepost.example.com', world.app.url)
    .replace('the-secret-of-your-source', secret);
  const { type, ...server } = JSON.parse(shown).mcpServers.gatepost;
  expect(type).toBe('http');
  await using agent = await connectAgent('current', {
    ...server,
    url: server.url.replace(/\/mcp$/, ''),
  });
  expect(await agent.tools()).toContain('request_approval');
});
