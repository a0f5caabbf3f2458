import { execFile } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { oneBrowser } from '../sandbox/test/browser/one-browser.ts';
import { runProgram } from './e2e/crash/run-program.ts';

/** The result of `npm pack` for the sandbox, installed in an empty folder. */

const run = promisify(execFile);
const browser = oneBrowser();
const name = '@gatepost/slack-sandbox';

test('the sandbox is a package of its own, and the example in its README works', {
  timeout: 600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slack-sandbox-'));
  try {
    const pack = ['pack', '-w', 'sandbox', '--json', '--pack-destination', folder];
    const { stdout } = await run('npm', pack);
    // Its prepack scripts print first.
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
    const files: string[] = packed.files.map(({ path }: { path: string }) => path);
    const isOther = (path: string) => !/^(dist\/.*|README\.md|LICENSE|package\.json)$/.test(path);
    expect(files.filter(isOther)).toEqual([]);
    expect(await readFile('sandbox/LICENSE', 'utf8')).toBe(await readFile('LICENSE', 'utf8'));

    const installed = join(folder, 'node_modules', name);
    await run('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
    await mkdir(join(folder, 'node_modules', '@gatepost'), { recursive: true });
    await rename(join(folder, 'package'), installed);

    // Nothing of the demo's other parts.
    const dist = join(installed, 'dist');
    for (const file of (await readdir(dist)).filter((each) => each.endsWith('.js'))) {
      const text = (await readFile(join(dist, file), 'utf8')).replaceAll(name, '');
      expect(text).not.toMatch(/gatepost|scim|work item|test case|\bintake\b/i);
    }

    // The app in the README, unchanged.
    const readme = await readFile(join(installed, 'README.md'), 'utf8');
    const [, app = ''] = /```js\n\/\/ app\.js\n([\s\S]*?)```/.exec(readme) ?? [];
    const own = join(folder, 'app.cjs');
    await writeFile(own, app);
    await symlink(resolve('node_modules/@slack'), join(folder, 'node_modules/@slack'));
    const [, line = ''] = /npx @gatepost\/slack-sandbox (.* )-- node app\.js\n/.exec(readme) ?? [];
    const words = [...line.trim().split(' '), '--port', '0', '--', process.execPath, own];
    await using sandbox = runProgram([join(dist, 'cli.js'), ...words], {});
    await sandbox.line(/The workspace is at/);
    const [, url = ''] = /workspace is at (\S+)/.exec(sandbox.output.join('\n')) ?? [];
    await sandbox.line(/The app is connected/);

    const page = await browser.open(new URL('/', url).href);
    await page.getByRole('button', { name: 'deployments' }).click();
    const composer = page.getByRole('textbox', { name: 'Message #deployments' });
    await composer.fill('hello');
    await composer.press('Enter');
    const log = page.getByRole('log');
    await log.getByText('Hello, @Ana!').waitFor();
    await expect.poll(() => page.title()).toBe('#deployments as Ana · Your app sandbox');
    expect(await page.getByText('Behind the scenes').count()).toBe(0);
    // It would complain that the sandbox is gone.
    await page.close();
    expect(sandbox.output.filter((each) => each.includes('ERROR'))).toEqual([]);

    // In a user's own tests, with its types.
    await writeFile(
      join(folder, 'own.mts'),
      `import { startSlackSandbox } from '${name}';
await using sandbox = await startSlackSandbox({ requestUrl: null });
const said = sandbox.workspace.say({ user: 'U0ANA', channel: 'C0DEPLOYS', text: 'hello' });
console.log(said.text);
`,
    );
    const types = [
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2023,esnext.disposable',
    ];
    const roots = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
    const tsc = resolve('node_modules/.bin/tsc');
    await run(tsc, ['--strict', ...types, ...roots, 'own.mts'], { cwd: folder });
    expect((await run(process.execPath, ['own.mjs'], { cwd: folder })).stdout).toBe('hello\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});
