import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundle } from '../scripts/bundle.ts';

test('a stack trace from the bundle names the original file and line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-bundle-'));
  try {
    await writeFile(
      join(folder, 'fails.ts'),
      'interface Nothing {}\n\nexport const fails = (_: Nothing) => {\n  throw new Error("here");\n};\n',
    );
    await writeFile(
      join(folder, 'main.ts'),
      "process.setSourceMapsEnabled(true);\n(await import('./fails.ts')).fails({});\n",
    );
    await bundle([{ in: join(folder, 'main.ts'), out: 'main' }], join(folder, 'dist'));
    const run = promisify(execFile)(process.execPath, [join(folder, 'dist', 'main.js')]);
    await expect(run).rejects.toThrow(/\/fails\.ts:4:9\)/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
