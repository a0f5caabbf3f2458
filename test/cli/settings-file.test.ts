import { lstatSync, statSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSettings, SettingsFileError } from '../../src/cli/setup/settings-file.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-settings-'));
  file = join(folder, '.env');
});
afterEach(() => rm(folder, { recursive: true }));

const open = () => openSettings({}, { file, isDry: false });
const modeOf = (path: string) => statSync(path).mode & 0o777;

function setHost() {
  using settings = open();
  settings.set({ HOST: 'here' });
}

test('a new file, and the folder of the data, are for this user only', async () => {
  const data = join(folder, 'a', 'data');
  const home = process.cwd();
  process.chdir(folder);
  try {
    using settings = openSettings({ DATA_DIR: data }, { isDry: false });
    settings.set({ HOST: 'here' });
    expect(settings.path).toBe(join(data, '.env'));
  } finally {
    process.chdir(home);
  }
  expect([data, join(folder, 'a')].map(modeOf)).toEqual([0o700, 0o700]);
  expect(modeOf(join(data, '.env'))).toBe(0o600);
  expect(await readdir(data)).toEqual(['.env']);
});

test('a file that is there keeps its mode', async () => {
  await writeFile(file, 'PORT=1\n');
  await chmod(file, 0o640);
  setHost();
  expect(modeOf(file)).toBe(0o640);
  expect(await readFile(file, 'utf8')).toMatch(/^PORT=1\n[\s\S]*HOST=here\n$/);
});

test.runIf(process.getuid?.() === 0)('root leaves it to its owner and group', async () => {
  await writeFile(file, '');
  await chown(file, 1234, 5678);
  setHost();
  expect(statSync(file)).toMatchObject({ uid: 1234, gid: 5678 });
});

test('a link stays a link, also to a file that is not there yet', async () => {
  await mkdir(join(folder, 'secrets'));
  await symlink('secrets/two', join(folder, 'one'));
  await symlink('one', file);
  for (const host of ['here', 'there']) {
    using settings = open();
    settings.set({ HOST: host });
    expect(await readFile(join(folder, 'secrets', 'two'), 'utf8')).toContain(`HOST=${host}`);
  }
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(await readdir(join(folder, 'secrets'))).toEqual(['two']);
});

test('links that lead in a circle are refused', async () => {
  await symlink('.env', file);
  expect(open).toThrow(/its links lead in a circle/);
});

test('a link in place of the new file is not followed', async () => {
  const other = join(folder, 'other');
  await writeFile(other, 'mine');
  await symlink('other', `${file}.new`);
  setHost();
  expect(await readFile(other, 'utf8')).toBe('mine');
  expect((await readdir(folder)).sort()).toEqual(['.env', 'other']);
});

describe('one setup at a time', () => {
  // No process has this id: Linux counts to 2^22.
  const dead = JSON.stringify({ pid: 5_000_000, startedAt: '1' });

  test('a second one is refused, and leaves the first its lock', () => {
    using _ = open();
    expect(open).toThrow(/Another gatepost setup writes .*\(process \d+\)/);
    expect(open).toThrow(SettingsFileError);
  });

  test('takes over from one that was killed, also while it took over', async () => {
    const left: string[] = [];
    for (const name of ['.env.setup', '.env.setup.next', '.env.setup.next.next']) {
      left.push(name);
      for (const each of left) await writeFile(join(folder, each), dead);
      setHost();
      expect(await readdir(folder)).toEqual(['.env']);
    }
  });

  test('of two that see a killed one, only one takes over', async () => {
    await writeFile(`${file}.setup`, dead);
    // The other one is at its last step.
    const other = JSON.stringify({ pid: process.pid, startedAt: null });
    await writeFile(`${file}.setup.next`, other);
    expect(open).toThrow(/Another gatepost setup writes/);
    expect(await readFile(`${file}.setup`, 'utf8')).toBe(dead);
    expect(await readFile(`${file}.setup.next`, 'utf8')).toBe(other);
  });

  test('a lock that is half written is not taken over', async () => {
    await writeFile(`${file}.setup`, '');
    expect(open).toThrow(/If none runs, delete .*\.env\.setup\./);
  });

  test('a file that is only read is not locked', () => {
    using _ = open();
    using settings = openSettings({}, { file, isDry: true });
    expect(settings.get('HOST')).toBeUndefined();
  });
});
