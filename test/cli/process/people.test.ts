import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { system } from '../../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../../src/core/store/embedded/create-embedded-store.ts';
import { runProgram } from '../../e2e/crash/run-program.ts';
import { PROGRAM } from '../../support/program.ts';

const ANA = '6f1c0d00-0000-4000-8000-000000000001';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

/** Runs a shell script; `gatepost` in it is the program. */
function run(script: string, more: Readonly<Record<string, string>> = {}) {
  const env = { SERVICE_URL: sandbox.serviceUrl, SCIM_TOKEN: sandbox.credentials.scimToken };
  const program = `"${process.execPath}" "${PROGRAM}"`;
  return runProgram(['-c', script.replace('gatepost', program)], { ...env, ...more }, '/bin/sh');
}

describe('the people command as a process', () => {
  test('prints the list and ends with 0', async () => {
    await using program = run('gatepost people list --json; echo "code $?"');
    expect(await program.ended).toBe(0);
    const text = program.output.filter((line) => /^[ [\]{}]/.test(line)).join('\n');
    expect(JSON.parse(text)).toHaveLength(8);
    expect(program.output).toContain('code 0');
  });

  test('ends at Ctrl-C', async () => {
    sandbox.service.fault({ kind: 'latency', operation: 'listUsers', ms: 60_000 });
    await using program = run('exec gatepost people list');
    const isAsked = () => expect(sandbox.service.requests('listUsers')).toHaveLength(1);
    await vi.waitFor(isAsked, { timeout: 60_000 });
    program.interrupt();
    expect(await program.ended).toBe(1);
    expect(program.output).toEqual(['Interrupted.']);
  });

  test.each(['', ' --json'])('list%s | head stops asking, without a word', async (json) => {
    for (let number = 0; number < 2_000; number += 1) {
      const displayName = `${number} ${'name '.repeat(20)}`;
      sandbox.service.setUser(`p${number}@example.com`, { displayName });
    }
    await using program = run(
      `{ gatepost people list${json}; echo "ended with $?" >&2; } | head -n 1`,
    );
    await program.ended;
    expect(program.output).toHaveLength(2);
    expect(program.output).toContain('ended with 141');
    // More than a pipe holds.
    expect(sandbox.service.requests('listUsers').length).toBeLessThan(20);
  });

  test('records the attempt of a command that was killed during it', async () => {
    const data = await mkdtemp(join(tmpdir(), 'gatepost-test-'));
    const open = () => createEmbeddedStore({ ...system, folder: data, guard: false });
    await (await open())[Symbol.asyncDispose]();
    let answer = () => {};
    const until = new Promise<void>((resolve) => {
      answer = resolve;
    });
    sandbox.service.fault({ kind: 'latency', operation: 'patchUser', until });
    {
      const words = `exec gatepost people deactivate ${ANA} --yes`;
      await using _program = run(words, { DATA_DIR: data });
      const isSent = () => expect(sandbox.service.requests('patchUser')).toHaveLength(1);
      await vi.waitFor(isSent, { timeout: 60_000 });
    }
    answer();
    await using store = await open();
    const entries = [];
    for await (const { action, facts } of store.readAudit({}))
      entries.push([action, facts.account]);
    expect(entries).toEqual([
      ['people.asked', ANA],
      ['people.send', ANA],
    ]);
    await rm(data, { recursive: true, force: true });
  });
});
