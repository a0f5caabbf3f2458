import process, { argv, exit } from 'node:process';
import { ABORT } from 'lmdb';
import { systemClock } from '../../lib/clock.ts';
import { isAlive } from './folder-guard.ts';
import { countOf, type FolderTables, openTables } from './tables.ts';

/**
 * A program that reads the whole file of a folder, unless another process runs on it, and tries a write that leaves no
 * trace. Damage ends it with a signal, or with code 1 and the problem in its output, which contains no data.
 */

/** A large store is not read completely, because nobody can work in the meantime. */
const ENOUGH_MS = 3_000;
/** A visitor may write while a table is read. */
const TRIES = 3;

let isOpen = false;
try {
  const [, , folder = ''] = argv;
  const tables = openTables(folder);
  isOpen = true;
  const owner = tables.owner.get('owner');
  if (owner === undefined || !isAlive(owner)) {
    readAll(tables);
    tables.root.transactionSync(() => {
      tables.small.putSync('', { value: '', expiresAt: 0 });
      return ABORT;
    });
  }
  await tables.root.close();
} catch (error) {
  const [code] = /^MDB_\w+/.exec(error instanceof Error ? error.message : '') ?? [];
  // Failures to open are reported by the start itself: permissions, no space.
  if (code === undefined && !isOpen) throw error;
  process.stdout.write(code ?? 'a value cannot be read', () => exit(1));
}

/** Records last: nothing can be found without the other tables. */
function readAll({ root: _, due, records, ...others }: FolderTables): void {
  const endAt = systemClock.monotonic() + ENOUGH_MS;
  for (const table of [due.people, due.background, ...Object.values(others), records]) {
    for (let tries = 1; !isWhole(table, endAt); tries += 1) {
      if (tries === TRIES) throw new Error('entries are missing');
    }
  }
}

interface Table {
  getRange(): Iterable<{ readonly value: unknown }>;
  getStats(): object;
}

/** With damage a table may seem to end early. Also true when time is up. */
function isWhole(table: Table, endAt: number): boolean {
  let count = 0;
  for (const { value } of table.getRange()) {
    if (typeof value === 'object' && value !== null && 'data' in value) {
      JSON.parse(String(value.data));
    }
    count += 1;
    if (systemClock.monotonic() > endAt) return true;
  }
  return count === countOf(table);
}
