import { readFileSync } from 'node:fs';
import { kill } from 'node:process';
import { FORM } from '../store.ts';
import type { FolderTables, Owner } from './tables.ts';

/** Another process runs on the folder of an embedded store. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
  readonly code = 'folder_in_use';
  readonly pid: number;
  constructor(pid: number) {
    super(`the data folder is in use by process ${pid}; stop that process or use another folder`);
    this.pid = pid;
  }
}

/**
 * Notes this process as the one that runs on the folder, and the form in which it keeps everything; throws
 * FolderInUseError when another process does.
 * LMDB lets one process write at a time, so that of two that look at once only one finds the folder
 * free. A killed process leaves its note, but is recognised by its id and start time. Processes
 * that do not see each other's ids (containers that share a volume) are not kept apart.
 */
export function takeFolder(tables: FolderTables, pid: number): Owner {
  const me: Owner = { pid, startedAt: startOf(pid) };
  return tables.root.transactionSync(() => {
    const owner = tables.owner.get('owner');
    if (owner !== undefined && isAlive(owner)) throw new FolderInUseError(owner.pid);
    tables.owner.putSync('owner', me);
    tables.form.putSync('form', FORM);
    return me;
  });
}

export async function leaveFolder(tables: FolderTables, me: Owner): Promise<void> {
  await tables.root.transaction(() => {
    const owner = tables.owner.get('owner');
    if (owner?.pid === me.pid && owner.startedAt === me.startedAt) tables.owner.removeSync('owner');
  });
}

/** Whether the process that left this note still runs. */
export function isAlive(owner: Owner): boolean {
  try {
    kill(owner.pid, 0);
  } catch (error) {
    // A process of somebody else may not be signalled, but is there.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return owner.startedAt === null || startOf(owner.pid) === owner.startedAt;
}

/** When a process was started, in the system's own counting, after which its id may mean another. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the name in parentheses may hold spaces; behind it come the state and, 20th, the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent has not looked yet.
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
