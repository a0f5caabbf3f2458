import { expect, it } from 'vitest';
import type { Task } from '../../../src/core/service/task.ts';
import {
  type KnownItem,
  keepSnapshot,
  noteMove,
  readKnown,
} from '../../../src/operations/tasks/snapshot.ts';
import { openEmbeddedWorld } from '../../core/store/embedded-world.ts';
import { found, ITEM, moveIn, wishOf } from './moves.ts';

const T = (hour: number) => `2030-01-01T${String(hour).padStart(2, '0')}:00:00Z`;
const at = (updatedAt: string, change: Partial<Task> = {}) => found({ updatedAt, ...change });

/** A store, and sources that report to it; `gone`: those that are configured no longer. */
async function open(gone: readonly string[] = []) {
  const world = await openEmbeddedWorld();
  const [store] = world.stores;
  const isSource = (id: string) => !gone.includes(id);
  const moved = moveIn(
    { name: 'done' },
    {
      wish: wishOf({ item: at(T(10)) }),
      outcome: {
        code: 'moved',
        key: 'WEB-3',
        spaceSlug: null,
        projectSlug: null,
        movedCount: 3,
        droppedFieldCount: 0,
      },
    },
  );
  return {
    store,
    report: (item: Task, source = 'one') =>
      keepSnapshot(store, { kind: 'reported', source, item, at: 1 }, isSource),
    move: (change: object = {}) => noteMove(store, { ...moved, ...change }, 2),
    timeOf: async (name = '1') => timeOf(await readKnown(store, name)),
    known: (name: string) => readKnown(store, name),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

function timeOf(known: KnownItem | undefined): string | undefined {
  return known?.kind === 'reported' ? known.item.updatedAt : known?.kind;
}

it('an older report never replaces a newer one, however the times are written', async () => {
  await using items = await open();
  const newer = '2030-01-01T10:00:00.1234567+01:00';
  expect(await items.report(at(newer))).toBe('kept');
  expect(await items.report(at('2030-01-01T09:00:00.1234566Z'))).toBe('older');
  expect(await items.timeOf()).toBe(newer);
  const same = '20300101T090000,12345670Z';
  expect(await items.report(at(same, { status: 'another' }))).toBe('kept');
  expect(await items.timeOf()).toBe(same);
});

it('of many simultaneous reports the newest is kept', async () => {
  await using items = await open();
  const hours = [3, 9, 1, 7, 5, 8, 2];
  await Promise.all(hours.map((hour) => items.report(at(T(hour)))));
  expect(await items.timeOf('ops-1')).toBe(T(9));
});

it('an item belongs to the first of several sources that report it at the same time', async () => {
  await using items = await open();
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    const sources = ['one', 'two', 'three'];
    const kept = await Promise.all(sources.map((source) => items.report(found({ id }), source)));
    expect([...kept].sort()).toEqual(['foreign', 'foreign', 'kept']);
    expect(await items.known(id)).toMatchObject({ source: sources[kept.indexOf('kept')] });
  }
});

it('reports of another source are refused, whether older or newer', async () => {
  await using items = await open();
  await items.report(at(T(10)));
  expect(await items.report(at(T(9), { projectId: 'web' }), 'two')).toBe('foreign');
  expect(await items.report(at(T(11), { projectId: 'web' }), 'two')).toBe('foreign');
  expect(await items.known('1')).toMatchObject({ source: 'one', item: { projectId: 'ops' } });
  // Nor is its key led elsewhere.
  expect(await items.report(found({ id: 'x' }), 'two')).toBe('foreign');
  expect(await items.known('OPS-1')).toMatchObject({ item: { id: '1' } });
  expect(await items.known('x')).toBeUndefined();
  // Nor does another item take its place by being called as its key is.
  const named = found({ id: 'ops-1', key: null });
  expect(await items.report(named, 'two')).toBe('foreign');
  expect(await items.known('OPS-1')).toMatchObject({ item: { id: '1' } });
});

it('an item whose key is the id of another item is refused, unless its own source reported that', async () => {
  await using items = await open();
  expect(await items.report(found({ id: 'OPS-1', key: null }), 'two')).toBe('kept');
  expect(await items.report(at(T(10)))).toBe('foreign');
  expect(await items.known('1')).toBeUndefined();
  expect(await items.report(at(T(10)), 'two')).toBe('kept');
});

it('an item whose id equals its key is kept', async () => {
  await using items = await open();
  const named = found({ id: 'OPS-1' });
  expect(await items.report(named)).toBe('kept');
  expect(await items.report(named)).toBe('kept');
});

it('another source can report an item whose source is no longer configured', async () => {
  await using items = await open(['one']);
  await items.report(at(T(10)));
  expect(await items.report(at(T(9)), 'two')).toBe('older');
  expect(await items.report(at(T(11)), 'two')).toBe('kept');
});

it('a move replaces earlier reports, and the item is found by both keys', async () => {
  await using items = await open();
  const below = found({ id: '2', key: 'OPS-2', subItems: [] });
  await items.report(at(T(10)));
  await items.report(below);
  await items.move();
  for (const name of ['1', 'ops-1', 'WEB-3']) {
    expect(await items.known(name)).toMatchObject({
      kind: 'moved',
      source: 'one',
      was: { id: '1', key: 'OPS-1' },
      key: 'WEB-3',
      projectId: 'web',
      by: 'U0ANA',
      at: 2,
    });
  }
  expect(await items.known('OPS-2')).toMatchObject({ kind: 'moved', key: null, projectId: 'web' });
  // Said late, or again.
  expect(await items.report(at(T(10)))).toBe('older');
  expect(await items.report(below)).toBe('older');
  expect(await items.report(at(T(12)), 'two')).toBe('foreign');
  const there = { key: 'WEB-3', projectId: 'web' };
  expect(await items.report(at(T(12), there))).toBe('kept');
  for (const name of ['1', 'OPS-1', 'WEB-3']) expect(await items.timeOf(name)).toBe(T(12));
});

it('a move does not overwrite a later report, even if it is recorded twice', async () => {
  await using items = await open();
  await items.report(at(T(10)));
  const there = { key: 'WEB-3', projectId: 'web' };
  // Not every service counts a move as a change.
  await items.report(at(T(10), there));
  await items.move();
  expect(await items.timeOf('OPS-1')).toBe(T(10));
  await items.report(at(T(11), there));
  await items.move();
  await items.move();
  expect(await items.timeOf('WEB-3')).toBe(T(11));
});

it('a moved item that was never reported is known, and belongs to no source', async () => {
  await using items = await open();
  await items.move({ outcome: { code: 'found-moved', key: null } });
  expect(await items.known('OPS-1')).toMatchObject({ kind: 'moved', source: null, key: null });
  expect(await items.report(at(T(11)), 'two')).toBe('kept');
  expect(ITEM.subItems).not.toEqual([]);
  expect(await items.known('2')).toBeUndefined();
});
