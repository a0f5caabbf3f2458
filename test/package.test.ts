import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** The result of `npm pack`, installed in an empty folder. */

const run = promisify(execFile);

test('the package has what it needs, and runs in a clean folder', {
  timeout: 600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-package-'));
  try {
    // It is built already; building again would disturb other tests.
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const [packed] = JSON.parse((await run('npm', pack)).stdout);
    const { name, version, bin } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(packed).toMatchObject({ name, version });
    const files: string[] = packed.files.map(({ path }: { path: string }) => path);
    const needed = ['README.md', 'LICENSE', 'CHANGELOG.md', 'manifest.yml', 'gatepost.schema.json'];
    expect(files).toEqual(
      expect.arrayContaining([
        ...needed,
        'dist/main.js',
        'dist/demo.js',
        'dist/LICENSES',
        'integrations/curl/ask.sh',
      ]),
    );
    expect(files.filter((path) => /^(?:src|test|sandbox|proof|scripts)\/|^\./.test(path))).toEqual(
      [],
    );

    // With the versions of the lock file, which the install before the tests left in npm's cache:
    // a registry that stalls is waited for five minutes, three times.
    const unpacked = join(folder, 'package');
    await run('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
    for (const path of files.filter((each) => each.startsWith('integrations/'))) {
      expect(await readFile(join(unpacked, path), 'utf8'), path).not.toContain('\r');
    }
    await copyFile('package-lock.json', join(unpacked, 'package-lock.json'));
    const install = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit'];
    await run('npm', install, { cwd: unpacked });

    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    const gatepost = (...words: readonly string[]) =>
      run(join(unpacked, bin.gatepost), words, { cwd: folder, env });
    expect((await gatepost('--version')).stdout.trim()).toBe(version);
    const manifest = await gatepost('manifest', '--url', 'https://bot.example.com');
    expect(manifest.stdout).toContain('https://bot.example.com/slack/events');

    // Ctrl-C ends it.
    const demo = execFile(join(unpacked, bin.gatepost), ['demo', '--port', '0'], {
      cwd: folder,
      env,
    });
    const said = await new Promise<string>((resolve, reject) => {
      demo.stdout?.once('data', resolve);
      demo.once('exit', (code) => reject(new Error(`the demo ended with ${code}`)));
    });
    const ended = new Promise((resolve) => demo.once('exit', resolve));
    const [url = ''] = /http:\S+/.exec(said) ?? [];
    const [page, script] = await Promise.all(
      ['/', '/page/client.js'].map(async (path) => (await fetch(new URL(path, url))).text()),
    );
    expect(page).toContain('<!doctype html>');
    expect(script?.length).toBeGreaterThan(10_000);
    demo.kill('SIGINT');
    expect(await ended).toBe(0);
  } finally {
    await rm(folder, { recursive: true });
  }
});
