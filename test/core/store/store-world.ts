import type {
  AuditChain,
  Claimed,
  Held,
  KeptAuditEntry,
  Lease,
  NewRecord,
  Saved,
  Signalled,
  Store,
} from '../../../src/core/store/store.ts';

/** A store as two replicas see it, with its time controlled by the test. */
export interface StoreWorld extends AsyncDisposable {
  /** Two connections to the same records; twice the same store if only one process is possible. */
  readonly stores: readonly [Store, Store];
  /** Makes everything in the store older by this much. Below zero: sets the clock back. */
  pass(ms: number): Promise<void>;
  /** Everything that happens after this has a later time. */
  later(): Promise<void>;
}

export interface AuditWorld extends StoreWorld {
  /**
   * Rewrites the audit log behind the store's back, as somebody who has its server or its disk, and
   * where it begins and ends, if that is given.
   */
  rewriteAudit(rewrite: RewriteAudit, ends?: Pick<AuditChain, 'head' | 'anchor'>): Promise<void>;
}

type RewriteAudit = (kept: readonly KeptAuditEntry[]) => readonly KeptAuditEntry[];

export type OpenWorld = () => Promise<StoreWorld>;

export const HOUR_MS = 3_600_000;

export const newApproval = {
  kind: 'approval',
  data: '{"state":"waiting"}',
  lane: 'people',
  dueInMs: 0,
  place: { channel: 'C1', message: '17.1' },
} satisfies NewRecord;

export const here = { channel: 'C1', message: '17.1' };

export const keep = { kind: 'keep' } as const;
export const finish = { kind: 'finish', keepMs: HOUR_MS } as const;
export const releaseAt = (dueAt: number) =>
  ({ kind: 'release', lane: 'background', dueAt }) as const;

/** Creates a record that nobody holds, and returns its id. */
export async function createFree(store: Store, change: Partial<NewRecord> = {}): Promise<string> {
  const created = await store.create({ ...newApproval, ...change }, { hold: false });
  if (created.kind !== 'created') throw new Error(`expected a new record, got ${created.kind}`);
  return created.id;
}

export async function createHeld(store: Store, change: Partial<NewRecord> = {}): Promise<Held> {
  const created = await store.create({ ...newApproval, ...change }, { hold: true });
  if (created.kind !== 'created' || !created.held) throw new Error('expected a held record');
  return created.held;
}

/** The only record of a claim. */
export function onlyHeld({ held }: Pick<Claimed, 'held'>): Held {
  const [only, ...others] = held;
  if (only === undefined || others.length > 0) {
    throw new Error(`expected one record, got ${held.length}`);
  }
  return only;
}

export function leased(signalled: Signalled): Held {
  if (signalled.kind !== 'leased') throw new Error(`expected leased, got ${signalled.kind}`);
  return signalled.held;
}

export function saved(result: Saved): Extract<Saved, { kind: 'saved' }> {
  if (result.kind !== 'saved') throw new Error('expected saved, got lost');
  return result;
}

type Change = Parameters<Store['save']>[1];

/** Saves with defaults for what a test does not set. */
export function save(store: Store, lease: Lease, change: Partial<Change> = {}): Promise<Saved> {
  return store.save(lease, {
    data: '{}',
    handled: [],
    place: here,
    audit: [],
    next: keep,
    ...change,
  });
}

export async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The only chain of a store with one shard. */
export async function keptAudit(
  store: Pick<Store, 'auditChain'>,
): Promise<readonly KeptAuditEntry[]> {
  return collect((await store.auditChain(0)).entries());
}
