import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { heapGrowth } from '../../../proof/fuzz/heap-growth.ts';

const PROGRAM = fileURLToPath(new URL('../../../proof/fuzz/run.ts', import.meta.url));
/** A part of `npm run fuzz`, the same each time. */
const INPUTS = 1_000;

test('a short run of fuzzed inputs finds no crash, hang or leak', async () => {
  const args = ['--import', 'tsx', PROGRAM, '--inputs', String(INPUTS), '--seed', 'slice'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect({ ...last, stderr }).toMatchObject({ crashes: 0, hangs: 0, leaks: 0 });
  const { lua, ...others } = last.byTarget;
  for (const count of Object.values(others)) expect(count).toBeGreaterThan(20);
  // Without a redis-server there are fewer.
  expect(lua === 0 || last.inputs === INPUTS).toBe(true);
});

const MIB = 1024 * 1024;
const segments = (bytes: (at: number) => number) =>
  Array.from({ length: 40 }, (_, at) => bytes(at));

test('a heap that keeps growing is reported as a leak, and a stable one is not', () => {
  expect(heapGrowth(segments((at) => (50 + at * 2) * MIB))).toMatch(/KiB$/);
  expect(heapGrowth(segments((at) => (at < 20 ? 50 : 90) * MIB))).toBeNull();
  expect(heapGrowth(segments((at) => (60 + (at % 7) * 5) * MIB))).toBeNull();
  expect(heapGrowth([MIB, 900 * MIB])).toBeNull();
});
