import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runProgram } from './e2e/crash/run-program.ts';
import { DEPLOYS, startWorld } from './support/world.ts';

/** The result of `npm pack` for `ask`, installed in an empty folder, without a registry. */

const run = promisify(execFile);

test('ask is a package of its own, which needs no other, and its exit code is the decision', {
  timeout: 600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-ask-'));
  try {
    const pack = ['pack', '-w', 'ask', '--json', '--pack-destination', folder];
    const { stdout } = await run('npm', pack);
    // Its prepack scripts print first.
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
    const files: string[] = packed.files.map(({ path }: { path: string }) => path);
    const isOther = (path: string) =>
      !/^(dist\/[\w-]+\.js|dist\/LICENSES|dist\/integrations\/.*|README\.md|LICENSE|package\.json)$/.test(
        path,
      );
    expect(files.filter(isOther)).toEqual([]);
    expect(await readFile('ask/LICENSE', 'utf8')).toBe(await readFile('LICENSE', 'utf8'));

    const install = ['install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`];
    await run('npm', install, { cwd: folder });
    expect(await readdir(join(folder, 'node_modules', '@gatepost'))).toEqual(['ask']);
    const installed = (await readdir(join(folder, 'node_modules'))).filter(
      (name) => !/^\./.test(name),
    );
    expect(installed).toEqual(['@gatepost']);
    const root = join(folder, 'node_modules', '@gatepost', 'ask');
    for (const file of (await readdir(join(root, 'dist'))).filter((each) => each.endsWith('.js'))) {
      // Of packages that only the bot needs.
      const text = await readFile(join(root, 'dist', file), 'utf8');
      expect(text, file).not.toMatch(/lmdb|ioredis|slack\/bolt|prom-client|from ?['"]jose/);
    }

    // What pipelines name by its address in the repository is the same file.
    const copies = files.filter((path) => path.startsWith('dist/integrations/'));
    expect(copies).toEqual(
      expect.arrayContaining(
        ['agents/ask-before.sh', 'curl/ask.sh', 'github/action.yml'].map(
          (path) => `dist/integrations/${path}`,
        ),
      ),
    );
    for (const path of copies) {
      const own = await readFile(path.replace('dist/', ''), 'utf8');
      expect(await readFile(join(root, path), 'utf8'), path).toBe(own);
    }

    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    const program = join(folder, 'node_modules', '.bin', 'gatepost-ask');
    const env = { PATH: process.env.PATH, HOME: folder };
    expect((await run(program, ['--version'], { cwd: folder, env })).stdout.trim()).toBe(version);

    await using world = await startWorld();
    const { sandbox } = world;
    const settings = {
      ...env,
      GATEPOST_URL: world.app.url,
      GATEPOST_INTAKE_SECRET: sandbox.credentials.intakeSecret,
    };
    const messageWith = async (text: string) => {
      const find = () =>
        sandbox.workspace.messages(DEPLOYS).find((each) => each.text.includes(text));
      return (await sandbox.until(find, { what: text })).ts;
    };
    const ask = (...words: string[]) => runProgram([program, ...words], settings);

    await using approved = ask('--title', 'Deploy it', '--run', '--', 'sh', '-c', 'echo withdraw');
    await world.click('U0ANA', await messageWith('Deploy it'), 'Approve');
    expect(await approved.ended).toBe(0);
    expect(approved.output).toContain('withdraw');

    await using rejected = ask('--title', 'Delete it', '--wait');
    await world.click('U0ANA', await messageWith('Delete it'), 'Reject');
    expect(await rejected.ended).toBe(1);

    await using asked = ask('--title', 'Keep it', '--key', 'own', '--no-wait');
    expect(await asked.ended).toBe(0);
    await using withdrawn = ask('withdraw', '--key', 'own');
    expect(await withdrawn.ended).toBe(0);
    expect(withdrawn.output.join()).toContain('The request was withdrawn.');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('both packages have the same version', async () => {
  const [own, ask] = await Promise.all(
    ['package.json', 'ask/package.json'].map(async (path) =>
      JSON.parse(await readFile(path, 'utf8')),
    ),
  );
  expect(ask.version).toBe(own.version);
  const known = { ...own.dependencies, ...own.devDependencies };
  for (const [name, version] of Object.entries(ask.devDependencies)) {
    expect(known[name], name).toBe(version);
  }
});
