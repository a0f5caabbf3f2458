import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { renewed } from '../../../src/core/store/renewed.ts';
import { KNOWN_MS, LEASE_MS, PATIENT_CLAIMS, type Store } from '../../../src/core/store/store.ts';
import {
  collect,
  createFree,
  createHeld,
  finish,
  HOUR_MS,
  here,
  keep,
  leased,
  newApproval,
  type OpenWorld,
  onlyHeld,
  releaseAt,
  type StoreWorld,
  save,
  saved,
} from './store-world.ts';

/** What every store must do. */
export function storeContract(openWorld: OpenWorld): void {
  let world: StoreWorld;
  let store: Store;
  let other: Store;
  beforeEach(async () => {
    world = await openWorld();
    [store, other] = world.stores;
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const news = (id: string) => ({ id, body: `{"n":"${id}"}` });
  const ids = (signals: readonly { readonly id: string }[]) => signals.map(({ id }) => id);

  describe('creating', () => {
    test('a new record reads as it was written', async () => {
      const id = await createFree(store, {
        data: '{"title":"Größe 📦\\n"}',
        uniqueKey: 'a b\nc:ü',
      });
      expect(await other.read(id)).toEqual({
        id,
        kind: 'approval',
        data: '{"title":"Größe 📦\\n"}',
        lane: 'people',
        dueAt: expect.any(Number),
        place: here,
        uniqueKey: 'a b\nc:ü',
        lists: [],
      });
      expect(id).toMatch(/^\d+-[\w-]{16}$/);
    });

    test('a record without place and unique key has neither', async () => {
      const id = await createFree(store, { place: null });
      expect(await store.read(id)).toMatchObject({ place: null, uniqueKey: null });
    });

    test('a record whose message is not known keeps its channel', async () => {
      const place = { channel: 'C1', message: null };
      const id = await createFree(store, { place });
      expect(await store.read(id)).toMatchObject({ place });
    });

    test('is due after the time it asked for and not before', async () => {
      await createFree(store, { dueInMs: HOUR_MS });
      const before = await store.claim('people', 10);
      expect(before).toMatchObject({ held: [], size: 1 });
      expect(before.nextDueAt).toBeGreaterThan(before.now + HOUR_MS / 2);
      await world.pass(HOUR_MS);
      expect((await store.claim('people', 10)).held).toHaveLength(1);
    });

    test('with hold the record is leased to its creator', async () => {
      const held = await createHeld(store, { uniqueKey: 'u' });
      expect(held).toMatchObject({ claims: 1, inbox: [], record: { data: newApproval.data } });
      expect((await other.claim('people', 10)).held).toEqual([]);
      expect(saved(await save(store, held.lease, { data: '{"n":2}' })).released).toBe(false);
      expect(await other.read(held.record.id)).toMatchObject({ data: '{"n":2}' });
    });

    test('of several creates with one unique key at the same time, one succeeds', async () => {
      const create = (on: Store) =>
        on.create({ ...newApproval, uniqueKey: 'same' }, { hold: false });
      const all = await Promise.all([store, other, store, other].map(create));
      const created = all.filter((one) => one.kind === 'created');
      expect(created).toHaveLength(1);
      for (const one of all) {
        if (one.kind === 'exists') expect(one.record.id).toBe(created[0]?.id);
      }
      expect((await store.claim('people', 10)).size).toBe(1);
    });

    test('a record is found by its unique key only', async () => {
      const { record } = await createHeld(store, { uniqueKey: 'sought' });
      expect(await other.find('sought')).toMatchObject({ id: record.id, data: newApproval.data });
      expect(await store.find('another')).toBeUndefined();
      expect(await store.find(record.id)).toBeUndefined();
    });

    test('an unknown id is missing in every operation', async () => {
      const lease = { id: '0-AAAAAAAAAAAAAAAA', token: 'x' };
      for (const id of [
        lease.id,
        '99-AAAAAAAAAAAAAAAA',
        'nonsense',
        '',
        '0-*',
        `0-${'A'.repeat(5_000)}`,
      ]) {
        expect(await store.read(id)).toBeUndefined();
        expect(await store.signal(id, news('s'), { hold: true })).toEqual({ kind: 'missing' });
        expect(await save(store, { ...lease, id })).toEqual({ kind: 'lost' });
        expect(await store.defer({ ...lease, id }, 0)).toBe('lost');
      }
    });
  });

  describe('claiming', () => {
    test('gives the earliest due first and never more than asked for', async () => {
      const late = await createFree(store, { dueInMs: 3_000 });
      const early = await createFree(store, { dueInMs: 1_000 });
      const middle = await createFree(store, { dueInMs: 2_000 });
      await world.pass(HOUR_MS);
      const first = await store.claim('people', 2);
      expect(first.held.map(({ record }) => record.id)).toEqual([early, middle]);
      expect(first.size).toBe(3);
      expect((await store.claim('people', 0)).held).toEqual([]);
      expect(onlyHeld(await other.claim('people', 2)).record.id).toBe(late);
    });

    test('two callers never get the same record', async () => {
      await Promise.all(Array.from({ length: 40 }, () => createFree(store)));
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 ? store : other).claim('people', 10)),
      );
      const given = claims.flatMap(({ held }) => held.map(({ record }) => record.id));
      expect(new Set(given).size).toBe(given.length);
      const rest = await store.claim('people', 100);
      expect(given.length + rest.held.length).toBe(40);
    });

    test('keeps the lanes apart', async () => {
      const background = await createFree(store, { lane: 'background' });
      const people = await createFree(store);
      expect(onlyHeld(await store.claim('people', 10)).record.id).toBe(people);
      const held = onlyHeld(await store.claim('background', 10));
      expect(held.record).toMatchObject({ id: background, lane: 'background' });
    });

    test('says when the next record of the lane is due, and null when none ever is', async () => {
      expect(await store.claim('people', 10)).toMatchObject({ nextDueAt: null, size: 0 });
      const held = await createHeld(store);
      const claimed = await store.claim('people', 10);
      expect(claimed.nextDueAt).toBe(held.now + LEASE_MS);
    });

    test('counts claims since the last save, and waits longer and longer for a silent holder', async () => {
      const id = await createFree(store);
      for (let claims = 1; claims < PATIENT_CLAIMS; claims += 1) {
        expect(onlyHeld(await store.claim('people', 1)).claims).toBe(claims);
        await world.pass(LEASE_MS);
      }
      const tenth = onlyHeld(await store.claim('people', 1));
      expect(tenth.claims).toBe(PATIENT_CLAIMS);
      await world.pass(LEASE_MS * 2);
      expect((await store.claim('people', 1)).held).toEqual([]);
      await world.pass(60_000 - LEASE_MS * 2);
      const eleventh = onlyHeld(await store.claim('people', 1));
      expect(eleventh).toMatchObject({ claims: PATIENT_CLAIMS + 1, record: { id } });
      await save(store, eleventh.lease, { next: releaseAt(eleventh.now) });
      expect(onlyHeld(await store.claim('background', 1)).claims).toBe(1);
    });

    test('a signal to a record that was given up on waits until the lease ends', async () => {
      const id = await createFree(store);
      for (let claims = 1; claims <= PATIENT_CLAIMS; claims += 1) {
        onlyHeld(await store.claim('people', 1));
        if (claims < PATIENT_CLAIMS) await world.pass(LEASE_MS);
      }
      expect(await store.signal(id, news('s'), { hold: true })).toEqual({ kind: 'queued' });
      await world.pass(LEASE_MS);
      expect(ids(onlyHeld(await store.claim('people', 1)).inbox)).toEqual(['s']);
    });
  });

  describe('signalling', () => {
    test('with hold a free record is leased with its inbox', async () => {
      const id = await createFree(store, { lane: 'background', dueInMs: HOUR_MS });
      const held = leased(await store.signal(id, news('s1'), { hold: true, place: here }));
      expect(held.inbox).toEqual([{ ...news('s1'), at: expect.any(Number) }]);
      expect(held).toMatchObject({ claims: 1, record: { id, lane: 'people', place: here } });
      expect((await other.claim('background', 10)).held).toEqual([]);
      await world.pass(LEASE_MS);
      expect(onlyHeld(await other.claim('people', 10)).record.id).toBe(id);
    });

    test('without hold a free record becomes due now in the people lane', async () => {
      const id = await createFree(store, { lane: 'background', dueInMs: HOUR_MS });
      expect(await store.signal(id, news('s1'), { hold: false })).toEqual({ kind: 'queued' });
      const held = onlyHeld(await other.claim('people', 10));
      expect(ids(held.inbox)).toEqual(['s1']);
      expect((await other.claim('background', 10)).size).toBe(0);
    });

    test('a signal to a record with a holder is only added to the inbox', async () => {
      const held = await createHeld(store);
      const { id, data } = held.record;
      for (const hold of [true, false]) {
        expect(await other.signal(id, news(`s${hold}`), { hold })).toEqual({ kind: 'queued' });
      }
      expect(await other.read(id)).toMatchObject({ data });
      expect((await other.claim('people', 10)).held).toEqual([]);
      const { inbox } = saved(await save(store, held.lease));
      expect(ids(inbox)).toEqual(['strue', 'sfalse']);
    });

    test('a signal that is already waiting is not added again, and the order stays', async () => {
      const held = await createHeld(store);
      const { id } = held.record;
      const sent = Array.from({ length: 150 }, (_, i) => `s${(i * 7) % 150}`);
      for (const one of sent) await other.signal(id, news(one), { hold: false });
      await other.signal(id, { id: 's7', body: 'changed' }, { hold: true });
      const { inbox } = saved(await save(store, held.lease));
      expect(ids(inbox)).toEqual(sent);
      expect(inbox[1]?.body).toBe(news('s7').body);
    });

    test('500 signals at once to one record are each kept once', async () => {
      const held = await createHeld(store);
      const sent = Array.from({ length: 500 }, (_, i) => `s${i}`);
      const signals = sent.map((one) => other.signal(held.record.id, news(one), { hold: true }));
      expect(new Set((await Promise.all(signals)).map(({ kind }) => kind))).toEqual(
        new Set(['queued']),
      );
      const { inbox } = saved(await save(store, held.lease));
      expect(ids(inbox).toSorted()).toEqual(sent.toSorted());
      expect(saved(await save(store, held.lease, { handled: ids(inbox) })).inbox).toEqual([]);
    });

    test('a signal that was handled can be sent again', async () => {
      const id = await createFree(store);
      const held = leased(await store.signal(id, news('s'), { hold: true }));
      expect(saved(await save(store, held.lease, { handled: ['s'] })).inbox).toEqual([]);
      await other.signal(id, news('s'), { hold: true });
      expect(ids(saved(await save(store, held.lease)).inbox)).toEqual(['s']);
    });

    test('a signal with once: true is recognized for a while, handled or not', async () => {
      const id = await createFree(store);
      const once = { hold: true, once: true };
      const held = leased(await store.signal(id, news('s'), once));
      expect(await other.signal(id, news('s'), once)).toEqual({ kind: 'queued' });
      expect(ids(saved(await save(store, held.lease, { handled: ['s'] })).inbox)).toEqual([]);
      await save(store, held.lease, { next: releaseAt(held.now + HOUR_MS) });
      expect(await other.signal(id, news('s'), once)).toEqual({ kind: 'known' });
      expect((await other.claim('people', 1)).held).toEqual([]);
      await world.pass(10 * 60_000);
      expect(await other.signal(id, news('s'), once)).toEqual({ kind: 'known' });
      expect(ids(leased(await store.signal(id, news('t'), once)).inbox)).toEqual(['t']);
    });

    test('a signal with once: true is not recognized for another record, or much later', async () => {
      const [id, second] = [await createFree(store), await createFree(store)];
      const once = { hold: true, once: true };
      const held = leased(await store.signal(id, news('s'), once));
      await save(store, held.lease, { handled: ['s'], next: releaseAt(held.now) });
      leased(await other.signal(second, news('s'), once));
      await world.pass(KNOWN_MS + 1);
      expect(ids(leased(await other.signal(id, news('s'), once)).inbox)).toEqual(['s']);
    });

    test('a signal with once: true that waits is still delivered after its holder went silent', async () => {
      const id = await createFree(store);
      const silent = leased(await store.signal(id, news('s'), { hold: true, once: true }));
      await world.pass(LEASE_MS);
      const held = leased(await other.signal(id, news('s'), { hold: true, once: true }));
      expect(ids(held.inbox)).toEqual(['s']);
      expect(await save(store, silent.lease)).toEqual({ kind: 'lost' });
    });

    test('a signal from elsewhere is not remembered', async () => {
      const id = await createFree(store);
      const place = { channel: 'C2', message: '17.1' };
      const once = { hold: true, once: true };
      expect(await store.signal(id, news('s'), { ...once, place })).toEqual({ kind: 'mismatch' });
      expect(ids(leased(await store.signal(id, news('s'), once)).inbox)).toEqual(['s']);
    });

    test.each([
      ['another channel', { channel: 'C2', message: '17.1' }],
      ['another message', { channel: 'C1', message: '17.2' }],
    ])('from %s is a mismatch and leaves no trace', async (_, place) => {
      const id = await createFree(store);
      expect(await store.signal(id, news('s'), { hold: true, place })).toEqual({
        kind: 'mismatch',
      });
      expect(onlyHeld(await store.claim('people', 1))).toMatchObject({ inbox: [], claims: 1 });
    });

    test('to a record without a place a signal from any place is a mismatch', async () => {
      const id = await createFree(store, { place: null });
      expect(await store.signal(id, news('s'), { hold: true, place: here })).toEqual({
        kind: 'mismatch',
      });
      leased(await store.signal(id, news('s'), { hold: true }));
    });

    test('while the message is not known any message of the channel fits', async () => {
      const id = await createFree(store, { place: { channel: 'C1', message: null } });
      const elsewhere = { channel: 'C2', message: '17.1' };
      expect(await store.signal(id, news('a'), { hold: true, place: elsewhere })).toEqual({
        kind: 'mismatch',
      });
      const held = leased(await store.signal(id, news('b'), { hold: true, place: here }));
      await save(store, held.lease, { handled: ['b'], place: here, next: releaseAt(held.now) });
      const copy = { channel: 'C1', message: '17.9' };
      expect(await store.signal(id, news('c'), { hold: true, place: copy })).toEqual({
        kind: 'mismatch',
      });
    });

    test('to a record whose lease has ended takes the record over', async () => {
      const id = await createFree(store);
      const silent = onlyHeld(await store.claim('people', 1));
      await world.pass(LEASE_MS);
      const held = leased(await other.signal(id, news('s'), { hold: true }));
      expect(held.claims).toBe(2);
      expect(await save(store, silent.lease)).toEqual({ kind: 'lost' });
      expect(saved(await save(other, held.lease)).inbox).toHaveLength(1);
    });
  });

  describe('saving', () => {
    test('release gives the record back until it is due', async () => {
      const held = await createHeld(store);
      const dueAt = held.now + HOUR_MS;
      const place = { channel: 'C1', message: '18.0' };
      const change = { data: '{"n":1}', place, next: releaseAt(dueAt) };
      expect(await save(store, held.lease, change)).toMatchObject({ released: true, inbox: [] });
      expect(await other.read(held.record.id)).toMatchObject({
        data: '{"n":1}',
        lane: 'background',
        dueAt,
        place,
      });
      expect((await other.claim('background', 1)).nextDueAt).toBe(dueAt);
      expect((await other.claim('people', 1)).size).toBe(0);
      await world.pass(HOUR_MS);
      expect(onlyHeld(await other.claim('background', 1)).claims).toBe(1);
    });

    test('unchanged members are not written', async () => {
      const data = '{"title":"Größe 📦\\n"}';
      const held = await createHeld(store, { data, uniqueKey: 'u', lists: ['a'] });
      const { id } = held.record;
      const change = { data: null, place: null };
      const kept = { id, data, place: here, uniqueKey: 'u' };
      saved(await save(store, held.lease, { ...change, next: keep }));
      expect(await other.read(id)).toMatchObject({ ...kept, lists: ['a'] });
      saved(await save(store, held.lease, { ...change, lists: ['b'], next: keep }));
      expect(await other.read(id)).toMatchObject({ ...kept, lists: ['b'] });
      const dueAt = held.now + HOUR_MS;
      saved(await save(store, held.lease, { ...change, next: releaseAt(dueAt) }));
      const released = { ...kept, lists: ['b'], lane: 'background', dueAt };
      expect(await other.read(id)).toMatchObject(released);
      await world.pass(HOUR_MS);
      const again = onlyHeld(await other.claim('background', 1));
      expect(again).toMatchObject({ claims: 1, record: { data } });
      saved(await save(other, again.lease, { ...change, next: finish }));
      expect(await store.read(id)).toMatchObject({ ...kept, lists: [], dueAt: null });
    });

    test('a lease is lost once it is released', async () => {
      const held = await createHeld(store);
      await save(store, held.lease, { next: releaseAt(held.now + HOUR_MS) });
      expect(await save(store, held.lease, { data: 'late' })).toEqual({ kind: 'lost' });
      expect(await store.defer(held.lease, held.now)).toBe('lost');
      expect(await store.read(held.record.id)).toMatchObject({ data: '{}' });
    });

    test('each save renews the lease', async () => {
      const held = await createHeld(store);
      for (let i = 0; i < 3; i += 1) {
        await world.pass(LEASE_MS - 4_000);
        expect((await other.claim('people', 1)).held).toEqual([]);
        saved(await save(store, held.lease));
      }
    });

    test.each([
      ['release', releaseAt(0)],
      ['finish', finish],
    ])('%s with unread signals keeps the lease and hands them over', async (_, next) => {
      const held = await createHeld(store);
      const { id } = held.record;
      await other.signal(id, news('s1'), { hold: true });
      await other.signal(id, news('s2'), { hold: true });
      const first = saved(
        await save(store, held.lease, { data: '{"n":1}', next, handled: ['s1'] }),
      );
      expect(first).toMatchObject({ released: false, inbox: [news('s2')] });
      expect(await other.read(id)).toMatchObject({ data: '{"n":1}' });
      expect((await other.claim('people', 1)).held).toEqual([]);
      expect(saved(await save(store, held.lease, { next, handled: ['s2'] })).released).toBe(true);
    });

    test('unread signals move a background record to the people lane', async () => {
      const id = await createFree(store, { lane: 'background' });
      const held = onlyHeld(await store.claim('background', 1));
      await other.signal(id, news('s'), { hold: true });
      expect(saved(await save(store, held.lease)).inbox).toHaveLength(1);
      await world.pass(LEASE_MS);
      expect(await other.claim('background', 1)).toMatchObject({ held: [], size: 0 });
      expect(onlyHeld(await other.claim('people', 1)).record.id).toBe(id);
    });

    test('a late save is kept when nobody took the record over', async () => {
      const held = await createHeld(store);
      await world.pass(HOUR_MS);
      saved(await save(store, held.lease, { data: '{"late":true}' }));
      expect(await other.read(held.record.id)).toMatchObject({ data: '{"late":true}' });
      expect((await other.claim('people', 1)).held).toEqual([]);
    });

    test('a late save is kept when a signal came in but nobody took the record over', async () => {
      const held = await createHeld(store);
      await world.pass(HOUR_MS);
      await other.signal(held.record.id, news('s'), { hold: false });
      const late = saved(await save(store, held.lease, { next: releaseAt(held.now) }));
      expect(late).toMatchObject({ released: false, inbox: [news('s')] });
    });

    test('a late save is lost when somebody took the record over, and writes nothing', async () => {
      const held = await createHeld(store);
      await other.signal(held.record.id, news('s'), { hold: true });
      await world.pass(LEASE_MS);
      const taken = onlyHeld(await other.claim('people', 1));
      const entry = { action: 'test.late', record: null, actor: 'U1', facts: {} };
      const change = { data: 'late', handled: ['s'], audit: [entry], next: finish };
      expect(await save(store, held.lease, change)).toEqual({ kind: 'lost' });
      expect(await store.defer(held.lease, 0)).toBe('lost');
      expect(await store.read(held.record.id)).toMatchObject({ data: newApproval.data });
      expect(await collect(store.readAudit({}))).toEqual([]);
      expect(saved(await save(other, taken.lease)).inbox).toHaveLength(1);
    });

    test('renews the lease, whose token is valid before and after the last save only', async () => {
      const held = await createHeld(store);
      const first = renewed(held.lease);
      const second = renewed(first);
      saved(await save(store, held.lease, { data: '1' }));
      // As after a save without an answer.
      saved(await save(store, held.lease, { data: '2' }));
      saved(await save(store, first, { data: '3' }));
      const entry = { action: 'test.old', record: null, actor: 'U1', facts: {} };
      expect(await save(store, held.lease, { data: '4', audit: [entry] })).toEqual({
        kind: 'lost',
      });
      expect(await store.defer(held.lease, 0)).toBe('lost');
      // As in a store that lost a save of its holder.
      expect(await save(store, renewed(second), { data: '5' })).toEqual({ kind: 'lost' });
      expect(await store.defer(renewed(second), 0)).toBe('lost');
      expect(await store.read(held.record.id)).toMatchObject({ data: '3' });
      expect(await collect(store.readAudit({}))).toEqual([]);
      expect(await store.defer(first, 0)).toBe('deferred');
      const next = onlyHeld(await other.claim('people', 1));
      expect(await save(store, second)).toEqual({ kind: 'lost' });
      saved(await save(other, next.lease));
      expect(await other.defer(renewed(next.lease), 0)).toBe('deferred');
    });

    test('keep leaves a record in its lane', async () => {
      const id = await createFree(store, { lane: 'background' });
      const held = onlyHeld(await store.claim('background', 1));
      await save(store, held.lease, { next: keep });
      expect((await store.claim('people', 1)).size).toBe(0);
      await world.pass(LEASE_MS);
      expect(onlyHeld(await store.claim('background', 1)).record.id).toBe(id);
    });

    test('defer releases the record unchanged and keeps the count of claims', async () => {
      const id = await createFree(store, { lane: 'background' });
      const held = onlyHeld(await store.claim('background', 1));
      await other.signal(id, news('s'), { hold: true });
      const dueAt = held.now + HOUR_MS;
      expect(await store.defer(held.lease, dueAt)).toBe('deferred');
      expect(await store.read(id)).toMatchObject({ data: newApproval.data, dueAt });
      expect(await save(store, held.lease)).toEqual({ kind: 'lost' });
      await world.pass(HOUR_MS);
      const again = onlyHeld(await other.claim('background', 1));
      expect(again).toMatchObject({ claims: 2, inbox: [news('s')] });
    });
  });

  describe('finishing', () => {
    const finished = async (): Promise<string> => {
      const held = await createHeld(store, { uniqueKey: 'u' });
      const result = saved(await save(store, held.lease, { data: '{"done":true}', next: finish }));
      expect(result.released).toBe(true);
      return held.record.id;
    };
    const createAgain = () => store.create({ ...newApproval, uniqueKey: 'u' }, { hold: false });

    test('a finished record is never due and still holds its unique key', async () => {
      const id = await finished();
      for (const lane of ['people', 'background'] as const) {
        expect(await store.claim(lane, 1)).toMatchObject({ size: 0, nextDueAt: null });
      }
      expect(await store.read(id)).toMatchObject({ data: '{"done":true}', dueAt: null });
      expect(await createAgain()).toMatchObject({ kind: 'exists', record: { id, dueAt: null } });
    });

    test('a finished record is removed after its time, and its unique key is free again', async () => {
      const id = await finished();
      await world.pass(HOUR_MS);
      expect(await store.read(id)).toBeUndefined();
      expect(await store.signal(id, news('s'), { hold: true })).toEqual({ kind: 'missing' });
      expect(await createAgain()).toMatchObject({ kind: 'created' });
    });

    test('a signal to a finished record leases it, and its lifetime goes on', async () => {
      const id = await finished();
      const held = leased(await store.signal(id, news('s'), { hold: true, place: here }));
      expect(held.record.data).toBe('{"done":true}');
      await world.pass(LEASE_MS);
      const taken = onlyHeld(await other.claim('people', 1));
      expect(ids(taken.inbox)).toEqual(['s']);
      await world.pass(HOUR_MS);
      expect(await save(other, taken.lease)).toEqual({ kind: 'lost' });
      expect(await store.claim('people', 10)).toMatchObject({ held: [], size: 0 });
      expect(await createAgain()).toMatchObject({ kind: 'created' });
    });

    test('a signal without hold makes a finished record due', async () => {
      const id = await finished();
      expect(await store.signal(id, news('s'), { hold: false })).toEqual({ kind: 'queued' });
      expect(onlyHeld(await store.claim('people', 1)).record.id).toBe(id);
    });

    test.each(['people', 'background'] as const)(
      'a later release keeps the record and its unique key, in the lane %s',
      async (lane) => {
        const id = await finished();
        const held = leased(await store.signal(id, news('s'), { hold: true }));
        const next = { kind: 'release', lane, dueAt: held.now } as const;
        saved(await save(store, held.lease, { handled: ['s'], next }));
        await world.pass(HOUR_MS * 3);
        expect(await store.read(id)).toBeDefined();
        expect(await createAgain()).toMatchObject({ kind: 'exists', record: { id } });
        expect(onlyHeld(await store.claim(lane, 1)).record.id).toBe(id);
      },
    );

    test('a thousand signals wait in order, and go when they were handled', async () => {
      const held = await createHeld(store);
      const sent = Array.from({ length: 1_000 }, (_, at) => `s${at}`);
      await Promise.all(
        sent.map((id) => store.signal(held.record.id, news(id), { hold: true, once: true })),
      );
      // Again, as Slack retries what it considers lost.
      await store.signal(held.record.id, news('s500'), { hold: true, once: true });
      const first = saved(await save(store, held.lease));
      expect(ids(first.inbox)).toEqual(sent);
      const handled = sent.slice(0, 400);
      expect(ids(saved(await save(store, held.lease, { handled })).inbox)).toEqual(sent.slice(400));
      expect(saved(await save(store, held.lease, { handled: sent })).inbox).toEqual([]);
      await store.signal(held.record.id, news('t'), { hold: true });
      expect(ids(saved(await save(store, held.lease)).inbox)).toEqual(['t']);
    });

    test('the inbox of a finished record stays when the record is used again', async () => {
      const id = await finished();
      const held = leased(await store.signal(id, news('s1'), { hold: true }));
      saved(await save(store, held.lease, { handled: ['s1'], next: releaseAt(held.now) }));
      await store.signal(id, news('s2'), { hold: false });
      await world.pass(HOUR_MS * 3);
      expect(ids(onlyHeld(await store.claim('people', 1)).inbox)).toEqual(['s2']);
    });
  });

  describe('the audit log', () => {
    const entry = (action: string, record: string | null = null) => ({
      action,
      record,
      actor: 'U1',
      facts: { reason: 'ja, größer', count: 2, yes: true, none: null },
    });

    test('is written with the record, oldest first, in order', async () => {
      const held = await createHeld(store, { audit: [entry('a.created')] });
      const { id } = held.record;
      await save(store, held.lease, { audit: [entry('a.one', id), entry('a.two', id)] });
      // Entries of the same millisecond are only ordered within a record.
      const [, , last] = await collect(store.readAudit({}));
      const isLater = async () => (await store.claim('people', 0)).now > (last?.at ?? 0);
      await vi.waitUntil(isLater, { timeout: 60_000, interval: 1 });
      await createFree(store, { audit: [entry('b.created')] });
      const all = await collect(other.readAudit({}));
      expect(all.map(({ action }) => action)).toEqual(['a.created', 'a.one', 'a.two', 'b.created']);
      expect(all[1]).toEqual({
        ...entry('a.one', id),
        id: expect.any(String),
        at: expect.any(Number),
      });
      expect(new Set(ids(all)).size).toBe(4);
    });

    test('has the entry of a new record under the id of the record', async () => {
      const id = await createFree(store, { audit: [entry('a.created')] });
      expect(await collect(store.readAudit({ record: id }))).toHaveLength(1);
    });

    test('is read by record, from a time on and up to a limit', async () => {
      const held = await createHeld(store);
      const { id } = held.record;
      const many = Array.from({ length: 1_200 }, (_, i) => entry(`a.${i}`, i % 2 ? id : 'other'));
      const { now } = saved(await save(store, held.lease, { audit: many }));
      const limited = await collect(store.readAudit({ record: id, limit: 555 }));
      expect(limited).toHaveLength(555);
      expect(limited.at(-1)?.action).toBe('a.1109');
      expect(await collect(store.readAudit({ sinceAt: now }))).toHaveLength(1_200);
      expect(await collect(store.readAudit({ sinceAt: now + HOUR_MS }))).toEqual([]);
    });

    test('can have entries without another write, which leave no record', async () => {
      const id = await createFree(store, { audit: [entry('a.created')] });
      const refused = await store.writeAudit(entry('b.refused'));
      const about = await other.writeAudit(entry('a.about', id));
      const all = await collect(other.readAudit({}));
      expect(all.find(({ action }) => action === 'b.refused')).toEqual({
        ...entry('b.refused'),
        id: refused,
        at: expect.any(Number),
      });
      const ofRecord = await collect(store.readAudit({ record: id }));
      expect(ofRecord.map(({ action }) => action)).toEqual(['a.created', 'a.about']);
      expect(ids(ofRecord)).toContain(about);
      expect((await store.claim('background', 10)).size).toBe(0);
      expect((await store.claim('people', 10)).size).toBe(1);
    });

    test('has no entry for a create whose unique key exists', async () => {
      await createFree(store, { uniqueKey: 'u' });
      const again = { ...newApproval, uniqueKey: 'u', audit: [entry('a.created')] };
      expect(await store.create(again, { hold: false })).toMatchObject({ kind: 'exists' });
      expect(await collect(store.readAudit({}))).toEqual([]);
    });
  });

  describe('small keys', () => {
    test('are put, read and taken once', async () => {
      await store.put('k', 'v1', HOUR_MS);
      await other.put('k', 'v2 ü', HOUR_MS);
      expect(await store.get('k')).toBe('v2 ü');
      const takes = await Promise.all([store.take('k'), other.take('k'), store.take('k')]);
      expect(takes.filter((value) => value !== undefined)).toEqual(['v2 ü']);
      expect(await store.get('k')).toBeUndefined();
    });

    test('are put by only one of several callers at once', async () => {
      const tries = [store, other, store, other].map((on, i) =>
        on.putIfAbsent('k', `${i}`, HOUR_MS),
      );
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    });

    test('are replaced by only one of several callers, and only while the value is the expected one', async () => {
      expect(await store.replace('k', 'v', 'w', HOUR_MS)).toBe(false);
      await store.put('k', 'v ü', HOUR_MS);
      const tries = [store, other, store, other].map((on, i) =>
        on.replace('k', 'v ü', `${i}`, 3 * HOUR_MS),
      );
      const replaced = await Promise.all(tries);
      expect(replaced.filter(Boolean)).toHaveLength(1);
      expect(await store.get('k')).toBe(`${replaced.indexOf(true)}`);
      await world.pass(2 * HOUR_MS);
      expect(await store.get('k')).toBe(`${replaced.indexOf(true)}`);
      await world.pass(2 * HOUR_MS);
      expect(await other.replace('k', `${replaced.indexOf(true)}`, 'w', HOUR_MS)).toBe(false);
      expect(await store.get('k')).toBeUndefined();
    });

    test('go after their lifetime', async () => {
      await store.put('a', 'v', HOUR_MS);
      await store.put('b', 'v', HOUR_MS);
      await store.put('b', 'v', 3 * HOUR_MS);
      await world.pass(2 * HOUR_MS);
      expect(await store.get('a')).toBeUndefined();
      expect(await store.get('b')).toBe('v');
      expect(await store.take('a')).toBeUndefined();
      expect(await store.putIfAbsent('a', 'w', HOUR_MS)).toBe(true);
    });
  });

  test('a lifetime or a pause of zero ends at once', async () => {
    await store.put('a', 'v', 0);
    expect(await store.putIfAbsent('b', 'v', 0)).toBe(true);
    await store.put('c', 'v', HOUR_MS);
    expect(await store.replace('c', 'v', 'w', 0)).toBe(true);
    await store.pause('p', 0);
    await world.pass(10);
    for (const key of ['a', 'b', 'c']) expect(await store.get(key)).toBeUndefined();
    expect(await store.pace('p', { intervalMs: 60_000, burst: 1 })).toBe(0);
  });

  describe('pacing', () => {
    const rate = { intervalMs: 60_000, burst: 3 };

    test('gives a burst at once, then one turn per interval to all together', async () => {
      const slots = await Promise.all(
        [store, other, store, other, store].map((on) => on.pace('p', rate)),
      );
      const inMinutes = slots.map((waitMs) => Math.ceil(waitMs / 60_000)).sort();
      expect(inMinutes).toEqual([0, 0, 0, 1, 2]);
      await world.pass(2 * 60_000);
      expect(await store.pace('p', rate)).toBeGreaterThan(30_000);
      expect(await store.pace('another', rate)).toBe(0);
    });

    test('reserves no turn for a caller that only wants one now', async () => {
      const spare = { ...rate, burst: 1, onlyNow: true };
      expect(await store.pace('p', spare)).toBe(0);
      for (const on of [other, store, other]) {
        const waitMs = await on.pace('p', spare);
        expect(waitMs).toBeGreaterThan(30_000);
        expect(waitMs).toBeLessThanOrEqual(60_000);
      }
      expect(await store.pace('p', rate)).toBe(0);
      expect(await other.pace('p', rate)).toBe(0);
      expect(Math.ceil((await store.pace('p', spare)) / 60_000)).toBe(3);
      await world.pass(3 * 60_000);
      expect(await other.pace('p', spare)).toBe(0);
    });

    test('gives callers that queue a separate line, which does not delay others', async () => {
      const inLine = { ...rate, burst: 1, onlyNow: true, joinsLine: true };
      expect(await store.pace('p', inLine)).toBe(0);
      const turns = [];
      for (const on of [other, store, other]) turns.push(await on.pace('p', inLine));
      expect(turns.map((waitMs) => Math.ceil(waitMs / 60_000))).toEqual([1, 2, 3]);
      // The next slot is given as if nobody was queued.
      expect(await other.pace('p', rate)).toBe(0);
      expect(await store.pace('p', rate)).toBe(0);
      expect(Math.ceil((await store.pace('p', rate)) / 60_000)).toBe(1);
      // A turn that has come takes an available slot, and none that comes later.
      await world.pass(60_000);
      const turn = { ...rate, burst: 1, onlyNow: true };
      expect(await store.pace('p', turn)).toBeGreaterThan(60_000);
      await world.pass(3 * 60_000);
      expect(await store.pace('p', turn)).toBe(0);
      await world.pass(60_000);
      expect(await other.pace('p', inLine)).toBe(0);
    });

    test('is back at a whole burst after a rest', async () => {
      for (let i = 0; i < 3; i += 1) await store.pace('p', rate);
      await world.pass(3 * 60_000);
      for (let i = 0; i < 3; i += 1) expect(await store.pace('p', rate)).toBe(0);
      expect(await store.pace('p', rate)).toBeGreaterThan(0);
    });

    test('gives turns only after a pause, and a shorter pause does not end a longer one', async () => {
      await store.pause('p', HOUR_MS);
      await other.pause('p', 1_000);
      const waitMs = await other.pace('p', rate);
      expect(waitMs).toBeGreaterThan(HOUR_MS / 2);
      expect(waitMs).toBeLessThanOrEqual(HOUR_MS);
      await store.pause('p', 2 * HOUR_MS);
      await world.pass(HOUR_MS);
      expect(await store.pace('p', rate)).toBeGreaterThan(HOUR_MS / 2);
      await world.pass(HOUR_MS);
      expect(await store.pace('p', rate)).toBe(0);
    });
  });

  describe('the clock that is set back', () => {
    const setBack = async () => {
      await world.pass(-2 * 60_000);
      // If passing time makes stored times older instead, a replica's knowledge of the time is outdated.
      for (const each of world.stores) await each.claim('people', 0);
    };
    const claimed = (on: Store) =>
      vi.waitUntil(async () => (await on.claim('people', 1)).held[0], {
        timeout: 60_000,
        interval: 5,
      });

    test('holds nothing up that was due soon', async () => {
      const id = await createFree(store, { dueInMs: 300 });
      const before = store.now();
      await setBack();
      expect((await claimed(other)).record.id).toBe(id);
      expect((await other.claim('people', 1)).now).toBeGreaterThanOrEqual(before);
      expect(other.now()).toBeGreaterThanOrEqual(before);
    });

    test('makes no lease last longer', async () => {
      const held = await createHeld(store);
      await setBack();
      expect((await other.claim('people', 1)).held).toEqual([]);
      await world.pass(LEASE_MS * 1.2);
      expect(onlyHeld(await other.claim('people', 1)).record.id).toBe(held.record.id);
      expect(await save(store, held.lease)).toEqual({ kind: 'lost' });
    });

    test('makes no pause longer', async () => {
      const rate = { intervalMs: 1, burst: 1 };
      await store.pause('p', 60_000);
      await setBack();
      expect(await other.pace('p', rate)).toBeLessThanOrEqual(60_000);
      await world.pass(60_000 * 1.2);
      expect(await store.pace('p', rate)).toBe(0);
    });

    test('holds nothing up, however often it is set back', async () => {
      const { now } = await store.claim('people', 1);
      for (let times = 0; times < 5; times += 1) {
        await setBack();
        const id = await createFree(store, { dueInMs: 20 });
        expect((await claimed(other)).record.id).toBe(id);
      }
      expect((await store.claim('people', 1)).now).toBeGreaterThan(now);
    });
  });

  test('the store estimates its time without a call', async () => {
    await store.claim('people', 1);
    const before = store.now();
    const { now } = await store.claim('people', 1);
    expect(now).toBeGreaterThan(before - 1_000);
    expect(now).toBeLessThan(store.now() + 1_000);
  });

  test('the store reports since when its server has been running', async () => {
    const { now } = await createHeld(store);
    expect(store.servingSince()).toBeGreaterThan(now - HOUR_MS);
    expect(store.servingSince()).toBeLessThanOrEqual(now);
  });

  test('a store that is there answers a ping', async () => {
    await expect(store.ping()).resolves.toBeNull();
  });

  test('a store that was closed is unavailable', async () => {
    await other[Symbol.asyncDispose]();
    await expect(other.ping()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(createFree(other)).rejects.toMatchObject({ code: 'unavailable' });
    const entry = { action: 'a', record: null, actor: 'U1', facts: {} };
    await expect(other.writeAudit(entry)).rejects.toMatchObject({ code: 'unavailable' });
  });
}
