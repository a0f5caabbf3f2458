import { renewedToken } from '../../../src/core/store/renewed.ts';
import type {
  Change,
  Held,
  Listed,
  Saved,
  Signal,
  Signalled,
  StoredRecord,
} from '../../../src/core/store/store.ts';
import { LEASE_MS } from '../../../src/core/store/store.ts';
import type { Timeline } from './timeline.ts';

/** A store with one record. Its operations are instant; the calls to it take time. */
export class RecordBox {
  readonly #timeline: Timeline;
  readonly #id = '0-only';
  data: string;
  lane: 'people' | 'background' = 'people';
  dueAt: number | null;
  place: { channel: string; message: string | null } | null;
  lists: readonly string[];
  readonly audit: { action: string; facts: object }[] = [];
  /** The largest saved data. */
  largest = 0;
  #token: string | null = null;
  #leases = 0;
  #inbox: Signal[] = [];

  constructor(timeline: Timeline, data: string, lists: readonly string[], channel: string) {
    this.#timeline = timeline;
    this.data = data;
    this.lists = lists;
    this.dueAt = timeline.now;
    this.place = { channel, message: null };
  }

  get isHeld(): boolean {
    return this.#token !== null;
  }

  signal(
    { id, body }: { id: string; body: string },
    { place, hold }: { place?: { channel: string; message: string }; hold: boolean },
  ): Signalled {
    const here = this.place?.message ?? null;
    if (place !== undefined && here !== null && here !== place.message) return { kind: 'mismatch' };
    const { now } = this.#timeline;
    if (!this.#inbox.some((each) => each.id === id)) this.#inbox.push({ id, at: now, body });
    if (this.#token !== null && (this.dueAt ?? 0) > now) return { kind: 'queued' };
    this.lane = 'people';
    this.dueAt = now;
    return hold ? { kind: 'leased', held: this.lease() } : { kind: 'queued' };
  }

  lease(): Held {
    const { now } = this.#timeline;
    this.#leases += 1;
    this.#token = `lease-${this.#leases}`;
    this.dueAt = now + LEASE_MS;
    const lease = { id: this.#id, token: this.#token };
    return { lease, record: this.#record(), inbox: [...this.#inbox], claims: 1, now };
  }

  /** The record, if it is on one of these lists. */
  list(names: readonly string[]): Listed {
    const isListed = names.some((name) => this.lists.includes(name));
    return { entries: isListed ? [{ record: this.#record(), cursor: '' }] : [], next: null };
  }

  #record(): StoredRecord {
    const { data, lane, dueAt, place, lists } = this;
    return { id: this.#id, kind: 'approval', data, lane, dueAt, place, uniqueKey: null, lists };
  }

  save(token: string, change: Change): Saved {
    const renewed = renewedToken(token);
    if (this.#token !== token && this.#token !== renewed) return { kind: 'lost' };
    const { now } = this.#timeline;
    if (change.data !== null) {
      this.data = change.data;
      this.place = change.place;
      this.largest = Math.max(this.largest, change.data.length);
    }
    this.lists = change.lists ?? this.lists;
    this.audit.push(...change.audit);
    this.#inbox = this.#inbox.filter(({ id }) => !change.handled.includes(id));
    const inbox = [...this.#inbox];
    const { next } = change;
    if (next.kind === 'keep' || inbox.length > 0) {
      this.#token = renewed;
      this.dueAt = now + LEASE_MS;
      return { kind: 'saved', released: false, inbox, now };
    }
    this.#token = null;
    this.lane = next.kind === 'release' ? next.lane : 'background';
    this.dueAt = next.kind === 'release' ? next.dueAt : null;
    if (next.kind === 'finish') this.lists = [];
    return { kind: 'saved', released: true, inbox, now };
  }
}
