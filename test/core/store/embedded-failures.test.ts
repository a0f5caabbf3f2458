import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../../src/core/store/embedded/create-embedded-store.ts';
import { FolderInUseError } from '../../../src/core/store/embedded/folder-guard.ts';
import { canFillDisk, limitFiles } from '../../support/bot-process.ts';
import { createFree } from './store-world.ts';

/** Writes forever and prints the id of each record that was acknowledged. */
const WRITER = new URL('./embedded-writer.ts', import.meta.url).pathname;

describe('the embedded store when its process is killed', () => {
  let folder: string;
  let writer: ChildProcess;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'embedded-'));
    writer = spawn('node', ['--import', 'tsx', WRITER, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  });
  afterEach(async () => {
    await kill(writer);
    await rm(folder, { recursive: true, force: true });
  });

  test('what was acknowledged is there, and the folder is free again', async () => {
    const acknowledged = await linesUntil(writer, 300);
    await expect(open()).rejects.toMatchObject({ code: 'folder_in_use', pid: writer.pid });
    await kill(writer);
    await using store = await open();
    for (const id of acknowledged) {
      expect(await store.read(id)).toMatchObject({ data: '{"saved":true}' });
    }
    await createFree(store);
  });

  test('a second process without guard can read and write next to the running one', async () => {
    const early = await linesUntil(writer, 50);
    await using visitor = await open({ guard: false });
    expect(await visitor.read(early[0] ?? '')).toMatchObject({ data: '{"saved":true}' });
    const own = await createFree(visitor, { uniqueKey: 'visitor' });
    const late = await linesUntil(writer, 300);
    for (const id of [own, ...late]) expect(await visitor.read(id)).toBeDefined();
  });

  test.skipIf(process.platform !== 'linux')(
    'a killed process that became a zombie does not block the folder',
    async () => {
      const own = await mkdtemp(join(tmpdir(), 'embedded-'));
      const command = 'node --import tsx "$0" "$1" & exec sleep 600';
      const careless = spawn('sh', ['-c', command, WRITER, own], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        await linesUntil(careless, 1);
        const inUse: unknown = await open({ folder: own }).catch((error: unknown) => error);
        if (!(inUse instanceof FolderInUseError)) throw inUse;
        process.kill(inUse.pid, 'SIGKILL');
        const store = await vi.waitFor(() => open({ folder: own }), { timeout: 60_000 });
        await store[Symbol.asyncDispose]();
      } finally {
        await kill(careless);
        await rm(own, { recursive: true, force: true });
      }
    },
  );

  test('closing waits for what is being written', async () => {
    await kill(writer);
    const store = await open();
    const writing = Array.from({ length: 50 }, () => createFree(store));
    await store[Symbol.asyncDispose]();
    const ids = await Promise.all(writing);
    await using again = await open();
    for (const id of ids) expect(await again.read(id)).toBeDefined();
  });

  const open = (options = {}) => createEmbeddedStore({ ...system, folder, ...options });
});

test.skipIf(!(await canFillDisk()))(
  'on a full disk each write fails by itself, and later ones succeed once there is room',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
    const unheld: unknown[] = [];
    const onUnheld = (reason: unknown) => void unheld.push(reason);
    process.on('unhandledRejection', onUnheld);
    const store = await createEmbeddedStore({ ...system, folder });
    try {
      const early = await createFree(store);
      limitFiles(process.pid, 0);
      const failing = await Promise.allSettled([
        ...Array.from({ length: 20 }, () => createFree(store)),
        store.put('k', 'v', 1_000),
        store.ping(),
      ]);
      for (const each of failing) {
        expect(each).toMatchObject({ status: 'rejected', reason: { code: 'unknown' } });
      }
      await expect(store.ping()).rejects.toThrow(
        'ping: could not write (File too large): its disk is full, or at its limit',
      );
      limitFiles(process.pid, 'unlimited');
      await store.ping();
      const late = await createFree(store);
      for (const id of [early, late]) expect(await store.read(id)).toBeDefined();
      limitFiles(process.pid, 0);
      await store[Symbol.asyncDispose]();
    } finally {
      limitFiles(process.pid, 'unlimited');
      await store[Symbol.asyncDispose]();
      process.off('unhandledRejection', onUnheld);
      await rm(folder, { recursive: true, force: true });
    }
    expect(unheld).toEqual([]);
  },
);

test.skipIf(!existsSync('/proc/self'))(
  'a folder that cannot be created is refused with the reason, and nested folders are created',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
    const open = (path: string) => createEmbeddedStore({ ...system, folder: path, guard: false });
    try {
      for (const path of ['/proc/gatepost', '/proc/gatepost/data']) {
        await expect(open(path)).rejects.toMatchObject({
          code: 'unavailable',
          message: 'it cannot be made (ENOENT)',
        });
      }
      await writeFile(join(folder, 'file'), '');
      await expect(open(join(folder, 'file'))).rejects.toThrow(/EEXIST/);
      await expect(open(join(folder, 'file', 'data'))).rejects.toThrow(/EEXIST/);
      const store = await open(join(folder, 'one', 'two'));
      await store[Symbol.asyncDispose]();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test.skipIf(!(await canFillDisk()))(
  'a folder on a full disk is not opened, with a reason',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
    try {
      const store = await createEmbeddedStore({ ...system, folder });
      await store[Symbol.asyncDispose]();
      limitFiles(process.pid, 0);
      await expect(createEmbeddedStore({ ...system, folder })).rejects.toMatchObject({
        code: 'unavailable',
        message: 'it cannot be written to: its disk is full, or at its limit',
      });
      limitFiles(process.pid, 'unlimited');
      await using again = await createEmbeddedStore({ ...system, folder });
      await createFree(again);
    } finally {
      limitFiles(process.pid, 'unlimited');
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test.skipIf(!canMount())('a disk that becomes full is named as the reason', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  const script = `
    mount -t tmpfs -o size=1m tmpfs "$1"
    exec node --import tsx "$0" "$1/data" 2>&1`;
  const args = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, WRITER, folder];
  try {
    const { status, stdout } = spawnSync('unshare', args, { encoding: 'utf8' });
    expect(stdout).toMatch(
      /StoreError: \w+: could not write \((?:No space left on device|Input\/output error)\): its disk is full, or at its limit$/m,
    );
    expect(status).toBe(1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.skipIf(!canMount())('a new folder on a full disk is refused with a reason', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
  const script = `
    mount -t tmpfs -o size=64k tmpfs "$1"
    dd if=/dev/zero of="$1/full" 2>&1
    exec node --import tsx "$0" "$1/data" 2>&1`;
  const args = ['--user', '--map-root-user', '--mount', 'sh', '-c', script, WRITER, folder];
  try {
    const { status, signal, stdout } = spawnSync('unshare', args, { encoding: 'utf8' });
    expect(stdout).toContain(
      'StoreError: ENOSPC: no space left on device, write: its disk is full, or at its limit',
    );
    expect({ status, signal }).toEqual({ status: 1, signal: null });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Whether this user may have a disk of their own. */
function canMount(): boolean {
  const args = ['--user', '--map-root-user', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()];
  return spawnSync('unshare', args).status === 0;
}

async function linesUntil(writer: ChildProcess, count: number): Promise<readonly string[]> {
  if (writer.stdout === null) throw new Error('the writer has no output');
  const lines: string[] = [];
  const reader = createInterface({ input: writer.stdout });
  for await (const line of reader) {
    lines.push(line);
    if (lines.length >= count) break;
  }
  return lines;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

describe('a folder that is moved away while its process runs', () => {
  test.each(['removed', 'replaced'] as const)('%s: every call fails', async (how) => {
    const folder = await mkdtemp(join(tmpdir(), 'embedded-'));
    const options = { folder, ...system };
    const store = await createEmbeddedStore(options);
    try {
      await createFree(store);
      await store.ping();
      await rename(folder, `${folder}-away`);
      await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
      await rename(`${folder}-away`, folder);
      // It is the same one again.
      await store.ping();
      await createFree(store);
      await rm(folder, { recursive: true });
      const other = how === 'replaced' ? await createEmbeddedStore(options) : undefined;
      const why = { code: 'unavailable', message: expect.stringContaining('removed or replaced') };
      await expect(store.ping()).rejects.toMatchObject(why);
      await expect(createFree(store)).rejects.toMatchObject(why);
      await expect(store.claim('people', 1)).rejects.toMatchObject(why);
      await other?.ping();
      await other?.[Symbol.asyncDispose]();
    } finally {
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
