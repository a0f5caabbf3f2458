import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { decode } from '@jridgewell/sourcemap-codec';
import { expect, test } from 'vitest';
import { bundle } from '../scripts/bundle.ts';

test('a stack trace from the bundle names the original file and line', async () => {
  await using program = await bundled();
  const run = promisify(execFile)(process.execPath, [program.path]);
  await expect(run).rejects.toThrow(/\/fails\.ts:4:\d+\)/);
});

test('a source map has one place for each line, because Node keeps it in memory', async () => {
  await using program = await bundled();
  const { mappings } = JSON.parse(await readFile(`${program.path}.map`, 'utf8'));
  const lines = decode(mappings).flatMap((places) => places.map(([, , line]) => line));
  expect(lines).toEqual([0, 1]);
});

/** A program that fails in another file. */
async function bundled() {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-bundle-'));
  await writeFile(
    join(folder, 'fails.ts'),
    'interface Nothing {}\n\nexport const fails = (_: Nothing) => {\n  throw new Error("here");\n};\n',
  );
  await writeFile(
    join(folder, 'main.ts'),
    "process.setSourceMapsEnabled(true);\n(await import('./fails.ts')).fails({});\n",
  );
  await bundle([{ in: join(folder, 'main.ts'), out: 'main' }], join(folder, 'dist'));
  return {
    path: join(folder, 'dist', 'main.js'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
