import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** What `npm pack` makes, installed where nothing of this repository is. */

const run = promisify(execFile);

test('the package has what it needs, and runs in a clean folder', {
  timeout: 600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-package-'));
  try {
    // Built already; it would be built while others use it.
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const [packed] = JSON.parse((await run('npm', pack)).stdout);
    const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(packed).toMatchObject({ name, version });
    const files: string[] = packed.files.map(({ path }: { path: string }) => path);
    const needed = ['README.md', 'LICENSE', 'CHANGELOG.md', 'manifest.yml', 'gatepost.schema.json'];
    expect(files).toEqual(
      expect.arrayContaining([...needed, 'dist/main.js', 'integrations/curl/ask.sh']),
    );
    expect(files.filter((path) => /^(src|test|sandbox|proof)\//.test(path))).toEqual([]);

    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      npm_config_audit: 'false',
      // Its own: a lock that a killed one left in the shared one is waited for without end.
      npm_config_cache: join(folder, 'cache'),
    };
    const gatepost = (...words: readonly string[]) =>
      run('npx', ['--yes', `./${packed.filename}`, ...words], { cwd: folder, env });
    expect((await gatepost('--version')).stdout.trim()).toBe(version);
    const manifest = await gatepost('manifest', '--url', 'https://bot.example.com');
    expect(manifest.stdout).toContain('https://bot.example.com/slack/events');
  } finally {
    await rm(folder, { recursive: true });
  }
});
