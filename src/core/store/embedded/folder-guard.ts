import { readFileSync } from 'node:fs';
import { kill, pid as ownPid } from 'node:process';
import { FORM } from '../store.ts';
import type { FolderTables, Owner } from './tables.ts';

/** Another process runs on the folder. */
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
 * Notes this process as the folder's owner, and the form of its data; throws FolderInUseError when another process owns
 * it. LMDB allows one writer at a time, so of two processes that check at once only one succeeds. A killed process
 * leaves its note, but is recognized by its process id and start time. Processes that do not see each other's ids
 * (containers that share a volume) are not detected.
 */
export function takeFolder(tables: FolderTables, pid: number): Owner {
  const me = ownerNote(pid);
  return tables.root.transactionSync(() => {
    const owner = tables.owner.get('owner');
    if (owner !== undefined && isAlive(owner)) throw new FolderInUseError(owner.pid);
    tables.owner.putSync('owner', me);
    tables.form.putSync('form', FORM);
    return me;
  });
}

/** What a process notes of itself; default: this one. `isAlive` recognizes it. */
export function ownerNote(pid = ownPid): Owner {
  return { pid, startedAt: startOf(pid) };
}

export async function leaveFolder(tables: FolderTables, me: Owner): Promise<void> {
  await tables.root.transaction(() => {
    const owner = tables.owner.get('owner');
    if (owner?.pid === me.pid && owner.startedAt === me.startedAt) tables.owner.removeSync('owner');
  });
}

/** Whether the process that left this note is still running. */
export function isAlive(owner: Owner): boolean {
  try {
    kill(owner.pid, 0);
  } catch (error) {
    // The process of another user cannot be signalled, but exists.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return owner.startedAt === null || startOf(owner.pid) === owner.startedAt;
}

/** When a process was started, in the system's own unit: process ids are reused. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the name in parentheses may contain spaces; after it come the state and, 20th, the start time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; its parent just has not waited for it.
    return fields[0] === 'Z' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
