import { argv, exit, stdout } from 'node:process';
import { ABORT } from 'lmdb';
import { systemClock } from '../../lib/clock.ts';
import { isAlive } from './folder-guard.ts';
import { countOf, type FolderTables, openTables } from './tables.ts';

/**
 * A program: reads the whole file of the folder that it is given, unless another process runs on it, and
 * tries a write that leaves no trace. What is damaged ends it by a signal, or with code 1 and what is
 * wrong in its output, without a word of what the file holds.
 */

/** A large store is not read to its end: nobody can work as long as this takes. */
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
  // What cannot be opened is for whoever starts to say: permissions, no room.
  if (code === undefined && !isOpen) throw error;
  stdout.write(code ?? 'a value cannot be read', () => exit(1));
}

/** The records last: without the others nothing can be found. */
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

/** Damage may look as if the table ended early. True as well when it is late. */
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
