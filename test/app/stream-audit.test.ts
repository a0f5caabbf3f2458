import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { type AuditOutput, fileOutput, streamOutput } from '../../src/app/audit-output.ts';
import { type AuditStream, startAuditStream } from '../../src/app/stream-audit.ts';
import { systemTimers, type Timers } from '../../src/core/lib/timers.ts';
import { linkAfter, NO_LINK } from '../../src/core/store/audit-chain.ts';
import { type Store, StoreError } from '../../src/core/store/store.ts';
import { openMemoryWorld } from '../core/store/memory-world.ts';
import { keptAudit } from '../core/store/store-world.ts';
import { withResolvers } from '../support/with-resolvers.ts';

const entry = (n: number) => ({ action: 'approvals.a', record: null, actor: 'U1', facts: { n } });

/** Longer than a turn of a replica that died. */
const LONG_MS = 31_000;

/** A replica that writes when the test says so. */
function replica(
  store: Store,
  output: AuditOutput,
  run = 'a',
  after: Timers['after'] = () => () => undefined,
): AuditStream & { told: string[] } {
  const told: string[] = [];
  const note = (_facts: object, message: string) => void told.push(message);
  const stream = startAuditStream({
    ...{ store, output, run },
    logger: { info: note, warn: note, error: note },
    raise: async ({ about }) => void told.push(about),
    timers: { ...systemTimers, after },
    everyMs: 1_000,
  });
  return { ...stream, told };
}

/** Keeps what is written, and fails while it has an error. */
function keeping() {
  const kept = { text: '', error: undefined as Error | undefined };
  const output: AuditOutput = {
    async write(lines) {
      if (kept.error !== undefined) throw kept.error;
      kept.text += lines;
    },
    last: async () => undefined,
    close: async () => {},
  };
  return { kept, output, lines: () => linesIn(kept.text) };
}

// biome-ignore lint/suspicious/noExplicitAny: lines as somebody else reads them
const linesIn = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const numbersIn = (text: string) => linesIn(text).map(({ seq, marker }) => seq ?? marker);

test('each stored entry is a line with its number and link, in order and once', async () => {
  await using world = await openMemoryWorld();
  const [store] = world.stores;
  const { output, lines } = keeping();
  const { pump } = replica(store, output);
  for (let n = 1; n <= 3; n += 1) await store.writeAudit(entry(n));
  await pump();
  await pump();
  await store.writeAudit(entry(4));
  await pump();
  expect(lines()).toMatchObject(
    [1, 2, 3, 4].map((n) => ({ audit: true, shard: 0, seq: n, actor: 'U1', facts: { n } })),
  );
  const kept = await keptAudit(store);
  expect(lines().map(({ link }) => link)).toEqual(kept.map(({ link }) => link));
  let before = NO_LINK;
  for (const { time: at, seq, action, record, actor, facts, mac, link } of lines()) {
    const text = [action, record ?? '', actor, JSON.stringify(facts), mac] as const;
    expect(linkAfter('sha256', before, { at, seq }, text)).toBe(link);
    before = link;
  }
});

test('one replica writes; another goes on after a stop at once, and after a crash when its turn ends', async () => {
  await using world = await openMemoryWorld();
  const [store, other] = world.stores;
  const [one, two] = [keeping(), keeping()];
  const [a, b] = [replica(store, one.output, 'a'), replica(other, two.output, 'b')];
  await store.writeAudit(entry(1));
  await a.pump();
  await store.writeAudit(entry(2));
  await b.pump();
  expect(two.lines()).toEqual([]);
  await a.stop();
  expect(numbersIn(one.kept.text)).toEqual([1, 2]);
  await store.writeAudit(entry(3));
  await b.pump();
  expect(numbersIn(two.kept.text)).toEqual([3]);
  // `b` dies.
  const c = replica(store, one.output, 'c');
  await store.writeAudit(entry(4));
  await c.pump();
  expect(numbersIn(one.kept.text)).toEqual([1, 2]);
  await world.pass(LONG_MS);
  await c.pump();
  expect(numbersIn(one.kept.text)).toEqual([1, 2, 4]);
});

test('what was written before a crash and not noted is written again, and nothing is left out', async () => {
  await using world = await openMemoryWorld();
  const [store, other] = world.stores;
  const { output, kept } = keeping();
  let isDead = false;
  const dying: Store = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === 'replace' && isDead) {
        return async () => {
          throw new StoreError('unknown', 'it died here');
        };
      }
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const first = replica(dying, output, 'a');
  await store.writeAudit(entry(1));
  await first.pump();
  isDead = true;
  await store.writeAudit(entry(2));
  await first.pump();
  expect(first.told).toEqual(['the audit log could not be read for AUDIT_LOG']);
  await store.writeAudit(entry(3));
  await world.pass(LONG_MS);
  await replica(other, output, 'b').pump();
  expect(numbersIn(kept.text)).toEqual([1, 2, 2, 3]);
});

test('a replica whose turn is over writes nothing more', async () => {
  await using world = await openMemoryWorld();
  const [store, other] = world.stores;
  const [one, two] = [keeping(), keeping()];
  let pause = async () => {};
  // It is paused between reading the entries and writing their lines.
  const slow: Store = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === 'auditChain') {
        return async (shard: number) => {
          const chain = await target.auditChain(shard);
          await pause();
          return chain;
        };
      }
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  const a = replica(slow, one.output, 'a');
  await store.writeAudit(entry(1));
  await a.pump();
  await store.writeAudit(entry(2));
  pause = async () => {
    await world.pass(LONG_MS);
    await replica(other, two.output, 'b').pump();
  };
  await a.pump();
  expect(numbersIn(one.kept.text)).toEqual([1]);
  expect(numbersIn(two.kept.text)).toEqual([2]);
});

test('a full disk is one alert; entries are stored meanwhile, and written once there is room', async () => {
  await using world = await openMemoryWorld();
  const [store] = world.stores;
  const { output, kept } = keeping();
  const { pump, told } = replica(store, output);
  await store.writeAudit(entry(1));
  await pump();
  kept.error = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  for (let n = 2; n <= 3; n += 1) {
    await store.writeAudit(entry(n));
    await pump();
  }
  expect(told).toEqual(['AUDIT_LOG could not be written', 'audit.stream']);
  kept.error = undefined;
  await pump();
  expect(numbersIn(kept.text)).toEqual([1, 2, 3]);
  expect(told.slice(2)).toEqual(['AUDIT_LOG is written again']);
});

test('a write that does not end is one alert, and the lines go on once it does', async () => {
  await using world = await openMemoryWorld();
  const [store] = world.stores;
  const { output, kept } = keeping();
  const hangs = withResolvers();
  const begun = withResolvers();
  const hanging: AuditOutput = {
    ...output,
    async write(lines) {
      begun.resolve();
      await hangs.promise;
      await output.write(lines);
    },
  };
  const due = new Set<() => void>();
  const { pump, told } = replica(store, hanging, 'a', (_ms, callback) => {
    due.add(callback);
    return () => void due.delete(callback);
  });
  // The next look for new entries.
  due.clear();
  await store.writeAudit(entry(1));
  const pumping = pump();
  await begun.promise;
  for (const callback of due) callback();
  expect(told).toEqual(['AUDIT_LOG could not be written', 'audit.stream']);
  hangs.resolve();
  await pumping;
  expect(due.size).toBe(0);
  expect(numbersIn(kept.text)).toEqual([1]);
  expect(told.slice(2)).toEqual(['AUDIT_LOG is written again']);
});

test('a position of a later version is a failure, and stays', async () => {
  await using world = await openMemoryWorld();
  const [store] = world.stores;
  const { output, kept } = keeping();
  await store.putIfAbsent('audit.stream.0', '{"version":9}', 60_000);
  await store.writeAudit(entry(1));
  const { pump, stop, told } = replica(store, output);
  await pump();
  await stop();
  expect(told).toEqual(['AUDIT_LOG could not be written', 'audit.stream']);
  expect(kept.text).toBe('');
  expect(await store.get('audit.stream.0')).toBe('{"version":9}');
});

test('a replica whose disk is full leaves the lines to another one', async () => {
  await using world = await openMemoryWorld();
  const [store, other] = world.stores;
  const [one, two] = [keeping(), keeping()];
  one.kept.error = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  await store.writeAudit(entry(1));
  await replica(store, one.output, 'a').pump();
  await replica(other, two.output, 'b').pump();
  expect(numbersIn(two.kept.text)).toEqual([1]);
});

test('a store that lost entries which were written is marked, and everything it has is written again', async () => {
  await using world = await openMemoryWorld();
  const [store] = world.stores;
  const { output, kept, lines } = keeping();
  const { pump, told } = replica(store, output);
  for (let n = 1; n <= 3; n += 1) await store.writeAudit(entry(n));
  await pump();
  const all = await keptAudit(store);
  const { link = '' } = all[1] ?? {};
  const { anchor } = await store.auditChain(0);
  await world.rewriteAudit((rows) => rows.slice(0, 2), { head: { seq: 2, link }, anchor });
  await store.writeAudit(entry(33));
  await pump();
  await pump();
  expect(numbersIn(kept.text)).toEqual([1, 2, 3, 'went-back', 1, 2, 3]);
  expect(lines()[3]).toMatchObject({ shard: 0, lost: { seq: 3, link: all[2]?.link } });
  expect(told).toEqual(['the store went back: AUDIT_LOG has entries that it lost']);
});

test('entries that retention removed before they were written are marked, once', async () => {
  await using world = await openMemoryWorld();
  const [store] = world.stores;
  const { output, kept, lines } = keeping();
  const { pump, told } = replica(store, output);
  for (let n = 1; n <= 3; n += 1) await store.writeAudit(entry(n));
  // Nothing is marked before the first line.
  const [first] = await keptAudit(store);
  await store.removeAudit(0, first ?? { at: 0, seq: 0 });
  await pump();
  kept.error = new Error('a full disk');
  for (let n = 4; n <= 6; n += 1) await store.writeAudit(entry(n));
  await pump();
  const fifth = (await keptAudit(store)).at(-2);
  await store.removeAudit(0, fifth ?? { at: 0, seq: 0 });
  kept.error = undefined;
  await pump();
  await pump();
  expect(numbersIn(kept.text)).toEqual([2, 3, 'removed', 6]);
  expect(lines()[2]).toMatchObject({ audit: true, shard: 0, removed: { from: 4, to: 5 } });
  expect(told).toContain('entries were removed before AUDIT_LOG had them');
});

describe('a file', () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });
  const place = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-stream-'));
    folders.push(folder);
    return join(folder, 'audit.log');
  };

  test('that is rotated away is opened anew, without a line less', async () => {
    await using world = await openMemoryWorld();
    const [store] = world.stores;
    const path = await place();
    const { pump, stop } = replica(store, fileOutput(path));
    await store.writeAudit(entry(1));
    await pump();
    await rename(path, `${path}.1`);
    await store.writeAudit(entry(2));
    await pump();
    await rm(path);
    await store.writeAudit(entry(3));
    await stop();
    expect(numbersIn(await readFile(`${path}.1`, 'utf8'))).toEqual([1]);
    expect(numbersIn(await readFile(path, 'utf8'))).toEqual([3]);
  });

  test('whose last line a crash cut gets a new line', async () => {
    await using world = await openMemoryWorld();
    const [store] = world.stores;
    const path = await place();
    await writeFile(path, '{"audit":true,"se');
    await store.writeAudit(entry(1));
    await replica(store, fileOutput(path)).stop();
    const [cut, ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(cut).toBe('{"audit":true,"se');
    expect(numbersIn(lines.join('\n'))).toEqual([1]);
  });

  test('with entries that a restored backup lacks is marked, once', async () => {
    await using world = await openMemoryWorld();
    const { memory, stores } = world;
    const [store] = stores;
    const path = await place();
    await store.writeAudit(entry(1));
    const first = replica(store, fileOutput(path), 'a');
    await first.pump();
    const backup = memory.snapshot();
    await store.writeAudit(entry(2));
    await first.stop();
    memory.restore(backup);
    await world.pass(LONG_MS);
    await store.writeAudit(entry(22));
    const second = replica(store, fileOutput(path), 'b');
    await second.stop();
    expect(second.told).toEqual(['the store went back: AUDIT_LOG has entries that it lost']);
    await world.pass(LONG_MS);
    const third = replica(store, fileOutput(path), 'c');
    await third.stop();
    expect(third.told).toEqual([]);
    expect(numbersIn(await readFile(path, 'utf8'))).toEqual([1, 2, 'went-back', 2]);
  });

  test('that cannot be opened is an alert, and is written once it can', async () => {
    await using world = await openMemoryWorld();
    const [store] = world.stores;
    const path = await place();
    const file = join(path, 'audit.log');
    await writeFile(path, 'not a folder');
    await store.writeAudit(entry(1));
    const { pump, told } = replica(store, fileOutput(file));
    await pump();
    expect(told).toEqual(['AUDIT_LOG could not be written', 'audit.stream']);
    await rm(path);
    await writeFile(path, '');
    await pump();
    expect(told).toHaveLength(2);
  });

  test('keeps what others append between lines', async () => {
    await using world = await openMemoryWorld();
    const [store] = world.stores;
    const path = await place();
    const { pump, stop } = replica(store, fileOutput(path));
    await store.writeAudit(entry(1));
    await pump();
    await appendFile(path, '{"other":1}\n');
    await store.writeAudit(entry(2));
    await stop();
    expect(numbersIn(await readFile(path, 'utf8'))).toEqual([1, undefined, 2]);
  });
});

test('standard output gets the lines, and one that is closed is a failure', async () => {
  const stream = new PassThrough();
  const output = streamOutput(stream);
  await output.write('{"audit":true}\n');
  expect(String(stream.read())).toBe('{"audit":true}\n');
  stream.on('error', () => {});
  stream.destroy();
  await expect(output.write('more\n')).rejects.toThrow();
});
