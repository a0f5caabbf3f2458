import type { Change, Lane } from '../../../src/core/store/store.ts';

/** The expected behaviour of a store, in the simplest form; its time only jumps past all leases at once. */
export class StoreModel {
  readonly records: ModelRecord[] = [];

  create(lane: Lane, lists: readonly string[]): number {
    return this.records.push(new ModelRecord(lane, lists)) - 1;
  }

  /** Records of the lane that are due. */
  due(lane: Lane): readonly number[] {
    return [...this.records.keys()].filter((i) => {
      const record = this.records[i];
      return record?.lane === lane && record.due === 'now';
    });
  }

  passAllLeases(): void {
    for (const record of this.records) record.endLease();
  }
}

export class ModelRecord {
  lane: Lane;
  due: 'now' | 'after the lease' | 'never' = 'now';
  holder: string | null = null;
  inbox: string[] = [];
  claims = 0;
  data = '';
  lists: readonly string[];

  constructor(lane: Lane, lists: readonly string[]) {
    this.lane = lane;
    this.lists = lists;
  }

  signal(id: string, hold: boolean): 'leased' | 'queued' {
    if (!this.inbox.includes(id)) this.inbox.push(id);
    if (this.due === 'after the lease') return 'queued';
    this.lane = 'people';
    this.due = 'now';
    return hold ? 'leased' : 'queued';
  }

  give(token: string): void {
    this.holder = token;
    this.claims += 1;
    this.due = 'after the lease';
  }

  endLease(): void {
    if (this.due === 'after the lease') this.due = 'now';
  }

  /** undefined: lost. Otherwise whether the lease has ended. */
  save(
    token: string,
    change: Pick<Change, 'data' | 'handled' | 'lists' | 'next'>,
  ): boolean | undefined {
    if (this.holder !== token) return undefined;
    this.data = change.data ?? this.data;
    this.lists = change.lists ?? this.lists;
    this.inbox = this.inbox.filter((id) => !change.handled.includes(id));
    this.claims = 0;
    if (this.inbox.length > 0) this.lane = 'people';
    if (change.next.kind === 'keep' || this.inbox.length > 0) {
      this.due = 'after the lease';
      return false;
    }
    this.holder = null;
    this.due = change.next.kind === 'release' ? 'now' : 'never';
    this.lane = change.next.kind === 'release' ? change.next.lane : 'background';
    if (change.next.kind === 'finish') this.lists = [];
    return true;
  }

  defer(token: string): boolean {
    if (this.holder !== token) return false;
    this.holder = null;
    this.due = 'now';
    return true;
  }
}
