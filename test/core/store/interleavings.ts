import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Held, Lane, Store } from '../../../src/core/store/store.ts';
import { cases } from '../../support/cases.ts';
import { type ModelRecord, StoreModel } from './model.ts';
import {
  createFree,
  HOUR_MS,
  keep,
  type OpenWorld,
  type StoreWorld,
  save,
  saved,
} from './store-world.ts';

const lane = fc.constantFrom<Lane>('people', 'background');
const worker = fc.constantFrom(0, 1);
const pick = fc.nat(9);
const LISTS = ['x', 'y'] as const;
const lists = fc.subarray([...LISTS]);

const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), lane, lists }),
  fc.record({ do: fc.constant('claim' as const), worker, lane, limit: fc.nat(3) }),
  fc.record({
    do: fc.constant('signal' as const),
    worker,
    pick,
    id: fc.constantFrom('a', 'b', 'c'),
    hold: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('save' as const),
    worker,
    pick,
    lane,
    isSame: fc.boolean(),
    handled: fc.subarray(['a', 'b', 'c']),
    lists: fc.option(lists, { nil: undefined }),
    next: fc.constantFrom('keep' as const, 'release' as const, 'finish' as const),
  }),
  fc.record({ do: fc.constant('defer' as const), worker, pick }),
  fc.record({ do: fc.constant('pass' as const) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** In every interleaving of several workers' steps no signal is lost and no record has two holders. */
export function interleavingsContract(openWorld: OpenWorld): void {
  test('any sequence of steps by two workers has the same results as a plain model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        await using world = await openWorld();
        const run = new Run(world);
        for (const one of steps) await run.take(one);
        await run.compareAll();
      }),
      { numRuns: cases(15, 200) },
    );
  });

  test('two workers that crash at times handle every signal of every sender', async () => {
    await using world = await openWorld();
    const records = await Promise.all(Array.from({ length: 6 }, () => createFree(world.stores[0])));
    const sent = records.flatMap((id) =>
      Array.from({ length: 12 }, (_, i) => ({ id, news: `s${i}` })),
    );
    const sending = Promise.all(
      sent.map(({ id, news }, i) =>
        world.stores[i % 2 ? 0 : 1].signal(id, { id: news, body: '' }, { hold: false }),
      ),
    );
    let crashes = 0;
    const everythingHandled = async () => {
      const states = await Promise.all(records.map((id) => handledBy(world.stores[0], id)));
      return states.every((handled) => handled.length >= 12);
    };
    const work = async (store: Store) => {
      while (!(await everythingHandled())) {
        for (const held of (await store.claim('people', 2)).held) {
          crashes += 1;
          if (crashes % 5 !== 0) await handleAll(store, held);
        }
        if (crashes % 3 === 0) await world.pass(HOUR_MS);
      }
    };
    await Promise.all([sending, work(world.stores[0]), work(world.stores[1])]);
    for (const id of records) {
      const handled = await handledBy(world.stores[0], id);
      expect(handled.toSorted()).toEqual(Array.from({ length: 12 }, (_, i) => `s${i}`).toSorted());
    }
  });
}

async function handledBy(store: Store, id: string): Promise<readonly string[]> {
  const data = (await store.read(id))?.data ?? '[]';
  return data.startsWith('[') ? JSON.parse(data) : [];
}

/** Appends each signal of the inbox to the record's data, one save each, until none is left. */
async function handleAll(store: Store, held: Held): Promise<void> {
  let notes: readonly string[] = held.record.data.startsWith('[')
    ? JSON.parse(held.record.data)
    : [];
  let inbox = held.inbox;
  for (;;) {
    const [signal] = inbox;
    if (signal !== undefined) notes = [...notes, signal.id];
    const next = signal ? keep : ({ kind: 'release', lane: 'people', dueAt: 0 } as const);
    const handled = signal ? [signal.id] : [];
    const result = await save(store, held.lease, { data: JSON.stringify(notes), handled, next });
    if (result.kind === 'lost' || result.released) return;
    inbox = result.inbox;
  }
}

/** Takes each step in the store and in the model, and compares the answers. */
class Run {
  readonly #world: StoreWorld;
  readonly #model = new StoreModel();
  readonly #ids: string[] = [];
  /** All leases a worker ever got: old ones are tried as well. */
  readonly #held: readonly [Held[], Held[]] = [[], []];
  #writes = 0;

  constructor(world: StoreWorld) {
    this.#world = world;
  }

  async take(one: Step): Promise<void> {
    switch (one.do) {
      case 'create':
        this.#ids.push(
          await createFree(this.#world.stores[0], { lane: one.lane, lists: one.lists }),
        );
        this.#model.create(one.lane, one.lists);
        return;
      case 'claim':
        return this.#claim(one.worker, one.lane, one.limit);
      case 'signal':
        return this.#signal(one);
      case 'save':
        return this.#save(one);
      case 'defer':
        return this.#defer(one.worker, one.pick);
      case 'pass':
        await this.#world.pass(2 * HOUR_MS);
        return this.#model.passAllLeases();
    }
  }

  async compareAll(): Promise<void> {
    for (const [i, id] of this.#ids.entries()) {
      const record = this.#record(i);
      expect(await this.#world.stores[0].read(id)).toMatchObject({
        lane: record.lane,
        data: record.data === '' ? expect.any(String) : record.data,
      });
    }
    for (const name of LISTS) await this.#compareList(name);
    await this.#world.pass(2 * HOUR_MS);
    this.#model.passAllLeases();
    for (const each of ['people', 'background'] as const) await this.#claim(0, each, 100);
  }

  async #compareList(name: string): Promise<void> {
    const { entries } = await this.#world.stores[0].list([name], { limit: 100 });
    const wanted = this.#ids.filter((_, i) => this.#record(i).lists.includes(name));
    expect(entries.map(({ record }) => record.id).toSorted()).toEqual(wanted.toSorted());
  }

  async #claim(by: number, from: Lane, limit: number): Promise<void> {
    const due = this.#model.due(from);
    const { held, size } = await this.#store(by).claim(from, limit);
    expect(held).toHaveLength(Math.min(limit, due.length));
    const inLane = this.#model.records.filter((one) => one.lane === from && one.due !== 'never');
    expect(size).toBe(inLane.length);
    for (const one of held) {
      const i = this.#ids.indexOf(one.record.id);
      expect(due).toContain(i);
      this.#give(by, i, one);
    }
  }

  async #signal(one: Extract<Step, { do: 'signal' }>): Promise<void> {
    const i = one.pick % Math.max(1, this.#ids.length);
    const id = this.#ids[i];
    if (id === undefined) return;
    const signal = { id: one.id, body: '' };
    const result = await this.#store(one.worker).signal(id, signal, { hold: one.hold });
    expect(result.kind).toBe(this.#record(i).signal(one.id, one.hold));
    if (result.kind === 'leased') this.#give(one.worker, i, result.held);
  }

  async #save(one: Extract<Step, { do: 'save' }>): Promise<void> {
    const held = this.#pickHeld(one.worker, one.pick);
    if (held === undefined) return;
    const next = {
      keep,
      release: { kind: 'release', lane: one.lane, dueAt: 0 },
      finish: { kind: 'finish', keepMs: 10_000 * HOUR_MS },
    } as const;
    this.#writes += 1;
    const { handled, lists } = one;
    const change = {
      ...{ data: one.isSame ? null : `${this.#writes}`, handled, next: next[one.next] },
      ...(lists !== undefined && { lists }),
    };
    const result = await save(this.#store(one.worker), held.lease, change);
    const record = this.#record(this.#ids.indexOf(held.record.id));
    const released = record.save(held.lease.token, change);
    expect(result.kind).toBe(released === undefined ? 'lost' : 'saved');
    if (released === undefined) return;
    expect(saved(result).released).toBe(released);
    expect(saved(result).inbox.map(({ id }) => id)).toEqual(record.inbox);
  }

  async #defer(by: number, at: number): Promise<void> {
    const held = this.#pickHeld(by, at);
    if (held === undefined) return;
    const deferred = await this.#store(by).defer(held.lease, 0);
    const record = this.#record(this.#ids.indexOf(held.record.id));
    expect(deferred === 'deferred').toBe(record.defer(held.lease.token));
  }

  #give(by: number, i: number, held: Held): void {
    const record = this.#record(i);
    record.give(held.lease.token);
    expect(held.claims).toBe(record.claims);
    expect(held.inbox.map(({ id }) => id)).toEqual(record.inbox);
    if (record.data !== '') expect(held.record.data).toBe(record.data);
    this.#held[by === 0 ? 0 : 1].push(held);
  }

  #pickHeld(by: number, at: number): Held | undefined {
    const all = this.#held[by === 0 ? 0 : 1];
    return all.at(-1 - (at % Math.max(1, all.length)));
  }

  #store(by: number): Store {
    return this.#world.stores[by === 0 ? 0 : 1];
  }

  #record(i: number): ModelRecord {
    const record = this.#model.records[i];
    if (record === undefined) throw new Error('the model does not know the record');
    return record;
  }
}
