import pino from 'pino';
import { expect, test } from 'vitest';
import { noteStart } from '../../src/app/note-start.ts';
import { system } from '../../src/core/lib/system.ts';
import { Memory } from '../../src/core/store/memory/memory-store.ts';
import { LEASE_MS } from '../../src/core/store/store.ts';
import { configWith } from '../core/config/environment-of-tests.ts';

test.each([
  [['0.3.0', '0.2.0'], ['0.3.0']],
  [['0.10.0', '0.9.1', '0.10.0'], ['0.10.0']],
  [['0.2.0', '0.2.0', '0.3.0-rc.1', '0.3.0'], []],
  [['1.0.0', '0.9.0', '0.9.0'], ['1.0.0']],
])('builds %j that start on one store in turn: warned of %j', async (versions, warned) => {
  const store = new Memory({ ...system, leaseMs: LEASE_MS }).openStore();
  const config = configWith(
    'sources: [{ id: d, secret: S, routes: [p] }]\nroutes: { p: { channel: C0P } }',
    { S: 'the-secret-of-the-source' },
  );
  const lines: { readonly msg: string; readonly writtenBy?: string }[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  for (const [run, version] of versions.entries()) {
    await noteStart({ config, store, logger, version, run: `r${run}` });
  }
  expect(lines.map(({ writtenBy }) => writtenBy)).toEqual(warned);
  expect(lines.map(({ msg }) => msg)).toEqual(
    warned.map(() => 'a newer build of Gatepost wrote this store'),
  );
});
