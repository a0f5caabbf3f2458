import { expect, test } from 'vitest';
import { systemRandom } from '../../../src/core/lib/random.ts';
import { Memory } from '../../../src/core/store/memory/memory-store.ts';
import { create, save, signal } from '../../../src/core/store/tables/leases.ts';
import type { Transaction } from '../../../src/core/store/tables/tables.ts';
import { keep, newApproval } from './store-world.ts';

/** A transaction, and how much its tables were given and have given so far, as JSON. */
function counted(): { transaction: Transaction; bytes: () => number } {
  const clock = { now: () => 0, monotonic: () => 0 };
  const transaction = new Memory({ clock, random: systemRandom }).begin();
  let bytes = 0;
  const count = <Value>(value: Value): Value => {
    bytes += JSON.stringify(value)?.length ?? 0;
    return value;
  };
  const countedTable = <Table extends object>(table: Table): Table =>
    new Proxy(table, {
      get(_, name) {
        const member: unknown = Reflect.get(table, name, table);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) => {
          const found: unknown = member.apply(table, count(given));
          // A range is read whole, which is more than its reader may take.
          return count(typeof found === 'object' && found !== null ? listed(found) : found);
        };
      },
    });
  const { due } = transaction.tables;
  const countedDue = {
    people: countedTable(due.people),
    background: countedTable(due.background),
  };
  const tables = new Proxy(transaction.tables, {
    get: (all, name) =>
      name === 'due' ? countedDue : countedTable(Reflect.get(all, name) as object), // as: a table
  });
  return {
    transaction: { ...transaction, tables, checkpoints: new Map<number, string>() },
    bytes: () => bytes,
  };
}

function listed(found: object): unknown {
  return Symbol.iterator in found ? [...(found as Iterable<unknown>)] : found;
}

/** The cost of that many signals to a leased record, and of handling them. */
function costOf(signals: number): number {
  const { transaction, bytes } = counted();
  const created = create(transaction, newApproval, { hold: true });
  if (created.kind !== 'created' || !created.held) throw new Error('the record is held');
  const { id, held } = created;
  const ids = Array.from({ length: signals }, (_, at) => `press-${at}`);
  for (const each of ids) {
    const news = { id: each, body: 'x'.repeat(300) };
    signal(transaction, id, news, { hold: true, once: true });
  }
  const change = { data: null, place: null, audit: [], next: keep };
  save(transaction, held.lease, { ...change, handled: [] });
  save(transaction, held.lease, { ...change, handled: ids });
  return bytes();
}

test('the cost of a signal does not grow with the number that wait', () => {
  const [few, many] = [costOf(250), costOf(2_000)];
  // Longer numbers are a little more.
  expect(many / 2_000 / (few / 250)).toBeLessThan(1.05);
});
