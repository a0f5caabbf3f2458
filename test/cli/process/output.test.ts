import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../../src/core/store/embedded/create-embedded-store.ts';
import { everyCommand } from '../every-command.ts';
import { outputOf } from '../output-of.ts';

const ENOSPC = 'The output cannot be written (ENOSPC): it is not complete.';
const onFullDevice = test.runIf(existsSync('/dev/full'));

describe('output that cannot be written', async () => {
  const helps = (await everyCommand()).map((words) => [...words, '--help'].join(' '));
  test.each([...helps, '--version', 'help mcp', 'keys new --id k1', 'manifest --socket'])(
    '%s is quiet when its reader stops, and does not end with 0',
    async (words) => {
      expect(await outputOf(words, '| true')).toEqual(['ended with 141']);
    },
  );

  test('a command that failed before keeps its exit code', async () => {
    expect(await outputOf('doctor', '| true')).toEqual(['ended with 2']);
  });

  onFullDevice.each(['ask --help', 'keys new', 'manifest --socket'])(
    '%s says that a disk is full',
    async (words) => {
      expect(await outputOf(words, '> /dev/full')).toEqual([ENOSPC, 'ended with 1']);
    },
  );
});

describe('an audit log that cannot be written', () => {
  let data: string;
  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'gatepost-output-'));
    await using store = await createEmbeddedStore({ ...system, folder: data });
    const entry = { action: 'a', record: null, actor: 'U1', facts: {} };
    for (let n = 0; n < 20; n += 1) await store.writeAudit(entry);
  });
  afterAll(() => rm(data, { recursive: true, force: true }));

  test.each(['export', 'list', 'list --json'])(
    '%s ends quietly when its reader stops',
    async (words) => {
      expect(await outputOf(`audit ${words}`, '| true', { DATA_DIR: data })).toEqual([
        'ended with 141',
      ]);
    },
  );

  onFullDevice.each(['list', 'list --json', 'export', 'verify --head'])(
    '%s says that a disk is full',
    async (words) => {
      expect(await outputOf(`audit ${words}`, '> /dev/full', { DATA_DIR: data })).toEqual([
        ENOSPC,
        'ended with 1',
      ]);
    },
  );
});
