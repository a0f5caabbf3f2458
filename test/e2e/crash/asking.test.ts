import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { PROGRAM } from '../../support/program.ts';
import { DEPLOYS } from '../../support/world.ts';
import { ANA, type Stage, startStage } from '../stage.ts';
import { story } from '../story.ts';
import { runProgram } from './run-program.ts';

/** The built command and the bot, from the request to what became of it. */

/** A script to run, which notes that it ran, and the command that asks for it. */
async function startPipeline(script: string) {
  const stage = await startStage();
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-pipeline-'));
  const [file, log] = [join(folder, 'deploy.sh'), join(folder, 'log')];
  await writeFile(file, `echo ran >>'${log}'; echo ready; ${script}`);
  const env = {
    PATH: process.env.PATH,
    GATEPOST_URL: stage.app.url,
    GATEPOST_INTAKE_SECRET: stage.sandbox.credentials.intakeSecret,
  };
  const ask = (title: string, ...words: string[]) =>
    runProgram([PROGRAM, 'ask', '--title', title, '--key', title, ...words], env);
  return {
    stage,
    ask,
    run: (title: string) => ask(title, '--bind', file, '--run', '--', 'sh', file),
    runs: async () => (await readFile(log, 'utf8').catch(() => '')).split('\n').length - 1,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

async function messageTitled({ sandbox }: Stage, title: string): Promise<string> {
  const find = () =>
    sandbox.workspace
      .messages(DEPLOYS)
      .find(({ text }) => text.split(' ·')[0] === `Decision needed: ${title}`);
  return (await sandbox.until(find, { what: title })).ts;
}

story(
  'result result-claim',
  'an approved command runs once, and the message shows how it ended',
  async () => {
    await using pipeline = await startPipeline('exit 3');
    const { stage, run, runs } = pipeline;
    await using first = run('Deploy');
    const ts = await messageTitled(stage, 'Deploy');
    expect(stage.read(ts)).toMatch(/SHA-256 of .*deploy\.sh/);
    await stage.click(ANA, ts, 'Approve');
    expect(await first.ended).toBe(3);
    expect(await stage.until(ts, /\*Failed\*/)).toContain('Exit code 3');
    await using second = run('Deploy');
    expect(await second.ended).toBe(125);
    expect(second.output.join('\n')).toMatch(/Nothing was run: .* already used \(failed, /);
    expect(await runs()).toBe(1);
  },
);

story(
  'result-claim nothing-twice',
  'a command killed while running does not run again with the same approval',
  async () => {
    await using pipeline = await startPipeline('sleep 600');
    const { stage, run, runs } = pipeline;
    const first = run('Deploy');
    const ts = await messageTitled(stage, 'Deploy');
    await stage.click(ANA, ts, 'Approve');
    await first.line(/^ready$/);
    await first[Symbol.asyncDispose]();
    await using second = run('Deploy');
    expect(await second.ended).toBe(125);
    expect(second.output.join('\n')).toMatch(/Nothing was run: .* already used \(running, /);
    expect(await runs()).toBe(1);
    await stage.until(ts, /\*Running\*/);
  },
);

story(
  'supersedes waiting',
  'an ask that waits for a request ends when a newer one replaces it',
  async () => {
    await using pipeline = await startPipeline('true');
    const { stage, ask } = pipeline;
    const words = ['--wait', '--supersedes', 'checkout/main'];
    await using older = ask('Deploy 4.1', ...words);
    await messageTitled(stage, 'Deploy 4.1');
    await using newer = ask('Deploy 4.2', ...words);
    expect(await older.ended).toBe(4);
    expect(older.output).toContain('Withdrawn: replaced by a newer request.');
    await stage.click(ANA, await messageTitled(stage, 'Deploy 4.2'), 'Approve');
    expect(await newer.ended).toBe(0);
  },
);
