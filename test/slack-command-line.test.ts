import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { DEV_FILE } from '../src/cli/setup/slack-run.ts';
import { VARIABLES } from '../src/core/config/variables.ts';

/** What Slack's command line finds in a clone; test/cli/process/slack-run.test.ts runs it. */

const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8');
const linesOf = async (name: string) => (await read(name)).split('\n').filter(Boolean);

test('the hooks run a file that exists, in any shell, and Slack’s command line keeps no connection', async () => {
  const { runtime, hooks, config } = JSON.parse(await read('.slack/hooks.json'));
  expect(runtime).toBe('node');
  expect(Object.keys(hooks)).toEqual(['get-manifest', 'start']);
  for (const [name, command] of Object.entries<string>(hooks)) {
    // No variable, quote, && or exec, which PowerShell does not have.
    expect(command).toMatch(/^node( [\w./-]+)+$/);
    expect(command.split(' ').at(-1)).toBe(name);
    expect(command.split(' ').filter((word) => word.includes('/'))).toEqual([
      'scripts/slack-hook.ts',
    ]);
  }
  expect(existsSync('scripts/slack-hook.ts')).toBe(true);
  expect(config['sdk-managed-connection-enabled']).toBe(true);
  // Without message boundaries, which it would negotiate here.
  expect(config['protocol-version']).toBeUndefined();
  const { manifest, app } = config.watch;
  for (const path of [...manifest.paths, ...app.paths]) expect(existsSync(path), path).toBe(true);
  expect(JSON.parse(await read('.slack/config.json'))).toEqual({ manifest: { source: 'local' } });
});

test('.env.sample has variables that exist, without values', async () => {
  const sample = parseEnv(await read('.env.sample'));
  const known = VARIABLES.map(({ name }) => name as string);
  expect(Object.keys(sample).filter((name) => !known.includes(name))).toEqual([]);
  expect([...new Set(Object.values(sample))]).toEqual(['']);
});

test('what slack run makes stays out of git, the image and the package', async () => {
  expect(await linesOf('.gitignore')).toEqual(
    expect.arrayContaining(['.env', `${DEV_FILE}*`, 'data/']),
  );
  expect(await linesOf('.slack/.gitignore')).toEqual(['apps.dev.json', 'cache/']);
  // Only what these lists name is taken.
  const docker = await linesOf('.dockerignore');
  expect(docker).toContain('*');
  const { files } = JSON.parse(await read('package.json'));
  const taken = [...docker.filter((line) => line.startsWith('!')), ...files];
  expect(taken.filter((name) => /^!?\./.test(name))).toEqual([]);
});

test('the built program knows nothing of it', async () => {
  const built = (await readdir('dist')).filter((name) => name.endsWith('.js'));
  expect(built.length).toBeGreaterThan(5);
  for (const name of built) {
    const text = await readFile(join('dist', name), 'utf8');
    expect(/SLACK_CLI_XOXB|gatepost-dev/.test(text), name).toBe(false);
  }
});
