import type { HomeView } from '@slack/types';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  createHomeFlow,
  openHome,
  pressedAtHome,
} from '../../../../src/approvals/ways-in/list/home-flow.ts';
import { ALL_OF_IT } from '../../../../src/approvals/ways-in/list/home-view.ts';
import type { Core } from '../../../../src/core/core.ts';
import { RemoteFailure } from '../../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import { section } from '../../../../src/core/slack/blocks.ts';
import type { Lookup } from '../../../../src/core/slack/lookup.ts';
import {
  type Held,
  type NewRecord,
  type Signalled,
  type Store,
  type StoredRecord,
  StoreError,
} from '../../../../src/core/store/store.ts';
import { coreWith } from '../../../support/core-with.ts';
import { fake } from '../../../support/fake.ts';
import { textsOf } from '../../../support/world.ts';
import { NOW } from '../../approvals.ts';

type Flow = ReturnType<typeof createHomeFlow>;
type Home = Parameters<Flow['plan']>[0];

const homeWith = (change: Partial<Home> = {}): Home => ({
  v: 1,
  user: 'U0ANA',
  choice: ALL_OF_IT,
  ...change,
});

/** What was published, as texts, and a core whose Slack knows nobody. */
function withoutSlack(failure: ConstructorParameters<typeof RemoteFailure>[1]) {
  const published: string[] = [];
  const core = coreWith({
    timing: TRUE_TIME,
    timers: fake<Core['timers']>({ deadline: () => new AbortController().signal }),
    lookup: fake<Lookup>({
      recent: fake<Lookup['recent']>({
        person: async () => {
          throw new RemoteFailure('users.info', failure);
        },
      }),
    }),
    homeTab: {
      publish: async (_: string, view: HomeView) =>
        void published.push(textsOf(view.blocks).join(' ')),
    },
  });
  return { core, published };
}

describe('the Home tab', () => {
  let flow: Flow;
  beforeEach(() => {
    flow = createHomeFlow(coreWith({ timing: TRUE_TIME }));
  });
  const publishAt = (plannedAt: number) => ({ kind: 'publish-home', plannedAt }) as const;
  const signalled = (home: Home, body: object, now = NOW) =>
    flow.receive(home, { id: 's', at: now, body: JSON.stringify(body) }, now).data;
  const forgotten = { kind: 'finish', keepMs: TRUE_TIME.homeMs.kept };

  test('is published once when it is opened', () => {
    const opened = signalled(homeWith(), { kind: 'open', choice: ALL_OF_IT });
    expect(flow.plan(opened, NOW)).toEqual({ kind: 'step', step: publishAt(NOW) });
    const { data } = flow.apply(opened, publishAt(NOW), { kind: 'done' }, NOW + 50);
    expect(flow.plan(data, NOW + 50)).toEqual(forgotten);
    expect(data).toEqual(homeWith());
  });

  test('is published one second after a press, and after a change of what was pressed', () => {
    for (const signal of [{ kind: 'pressed', choice: ALL_OF_IT }, { kind: 'changed' }]) {
      const data = signalled(homeWith(), signal);
      expect(flow.plan(data, NOW)).toEqual({ kind: 'wait', until: NOW + 1_000, lane: 'people' });
      expect(flow.plan(data, NOW + 1_000)).toMatchObject({ step: { kind: 'publish-home' } });
    }
  });

  test('is published once for a press and its result, if they come together', () => {
    const pressed = signalled(homeWith(), { kind: 'pressed', choice: ALL_OF_IT });
    const decided = signalled(pressed, { kind: 'changed' }, NOW + 300);
    expect(flow.plan(decided, NOW + 1_000)).toMatchObject({ until: NOW + 1_300 });
    const { data } = flow.apply(decided, publishAt(NOW + 1_300), { kind: 'done' }, NOW + 1_400);
    expect(flow.plan(data, NOW + 1_400)).toEqual(forgotten);
    expect(data).toEqual(homeWith());
  });

  test('that is opened while it is published is published again, and whoever opened it is told if that fails', () => {
    const opened = signalled(homeWith(), { kind: 'open', choice: ALL_OF_IT });
    const choice = { route: 'production', pages: {} };
    const again = signalled(opened, { kind: 'open', choice }, NOW + 10);
    const { data } = flow.apply(again, publishAt(NOW), { kind: 'done' }, NOW + 50);
    expect(data).toEqual(homeWith({ choice, wantedAt: NOW + 10, isAwaited: true }));
    expect(flow.plan(data, NOW + 50)).toEqual({ kind: 'step', step: publishAt(NOW + 50) });
  });

  test('is published five seconds after the first change, even if it was published in between', () => {
    const pressed = signalled(homeWith(), { kind: 'pressed', choice: ALL_OF_IT });
    const changed = signalled(pressed, { kind: 'changed' }, NOW + 1_050);
    const { data } = flow.apply(changed, publishAt(NOW + 1_000), { kind: 'done' }, NOW + 1_100);
    expect(flow.plan(data, NOW + 1_100)).toMatchObject({ kind: 'wait', until: NOW + 2_050 });
    const last = signalled(data, { kind: 'changed' }, NOW + 4_900);
    expect(flow.plan(last, NOW + 4_900)).toMatchObject({ kind: 'wait', until: NOW + 5_000 });
  });

  test('that cannot be published is tried again less and less often', () => {
    let home = signalled(homeWith(), { kind: 'open', choice: ALL_OF_IT });
    const failed = { kind: 'failed', failure: { class: 'ambiguous', code: 'timeout' } } as const;
    const waits = [0, 1, 2, 3, 4].map(() => {
      home = flow.apply(home, publishAt(NOW), failed, NOW).data;
      return (home.notBefore ?? 0) - NOW;
    });
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
    expect(flow.plan(flow.apply(home, publishAt(NOW), failed, NOW).data, NOW)).toEqual(forgotten);
  });

  test('says nothing if it fails and nobody waits for it, or by a mistake of the program', async () => {
    const step = publishAt(NOW);
    const { core, published } = withoutSlack({ class: 'ambiguous', code: 'timeout' });
    await createHomeFlow(core).execute(homeWith({ againAt: NOW }), step, '0-home');
    const mistake = () => Promise.reject(new TypeError('a mistake'));
    core.lookup.recent.person = mistake;
    const opened = homeWith({ wantedAt: NOW, isAwaited: true });
    await expect(createHomeFlow(core).execute(opened, step, '0-home')).rejects.toThrow('a mistake');
    expect(published).toEqual([]);
  });

  test('shows what the person can see, and what parts of the program add', async () => {
    const { core, published } = withoutSlack({ class: 'refused', code: 'user_not_found' });
    const store = fake<Store>({ now: () => NOW, list: async () => ({ entries: [], next: null }) });
    const config = fake<Core['config']>({
      ...{ routes: [], sources: [], administrators: { users: [], groups: [] } },
    });
    const away = { class: 'refused', code: 'user_not_found' } as const;
    const person = () => Promise.reject(new RemoteFailure('users.info', away));
    Object.assign(core, { store, config, workspace: {} });
    Object.assign(core.lookup, { person });
    const part = async (_: Core, user: string) => [section(`For ${user}`)];
    const opened = homeWith({ wantedAt: NOW, isAwaited: true });
    const step = publishAt(NOW);
    expect(await createHomeFlow(core, [part]).execute(opened, step, '0-home')).toEqual({
      kind: 'done',
    });
    expect(await createHomeFlow(core).execute(opened, step, '0-home')).toEqual({ kind: 'done' });
    expect(published).toEqual([
      expect.stringMatching(/^Refresh Updated at .* For U0ANA Waiting for you Nothing is waiting/),
      expect.not.stringContaining('For U0ANA'),
    ]);
  });

  test('is published five seconds after the first change, if they never stop', () => {
    let home = homeWith();
    const change = (afterMs: number) => {
      home = signalled(home, { kind: 'changed' }, NOW + afterMs);
      return flow.plan(home, NOW + afterMs);
    };
    for (let afterMs = 0; afterMs < 4_500; afterMs += 900) change(afterMs);
    expect(change(4_500)).toMatchObject({ kind: 'wait', until: NOW + 5_000 });
    expect(flow.plan(home, NOW + 5_000)).toMatchObject({ step: publishAt(NOW + 5_000) });
    home = flow.apply(home, publishAt(NOW + 5_000), { kind: 'done' }, NOW + 5_100).data;
    expect(change(5_400)).toMatchObject({ kind: 'wait', until: NOW + 6_400 });
  });

  test('that is opened just after a press is published at once, and again when the result is stored', () => {
    const pressed = signalled(homeWith(), { kind: 'pressed', choice: ALL_OF_IT });
    const opened = signalled(pressed, { kind: 'open', choice: ALL_OF_IT }, NOW + 100);
    expect(flow.plan(opened, NOW + 100)).toEqual({ kind: 'step', step: publishAt(NOW + 100) });
    const { data } = flow.apply(opened, publishAt(NOW + 100), { kind: 'done' }, NOW + 200);
    expect(flow.plan(data, NOW + 200)).toMatchObject({ kind: 'wait', until: NOW + 1_000 });
  });

  test('that cannot be published is not tried again before Slack allows it, whatever changes', () => {
    const opened = signalled(homeWith(), { kind: 'open', choice: ALL_OF_IT });
    const failure = { class: 'not-sent', code: 'rate_limited', retryAfterMs: 7_000 } as const;
    const failed = { kind: 'failed', failure } as const;
    const { data } = flow.apply(opened, publishAt(NOW), failed, NOW);
    const changed = signalled(data, { kind: 'changed' }, NOW + 100);
    expect(flow.plan(changed, NOW + 2_000)).toMatchObject({ until: NOW + 7_000 });
    const { data: shown } = flow.apply(
      changed,
      publishAt(NOW + 7_000),
      { kind: 'done' },
      NOW + 7_100,
    );
    expect(flow.plan(shown, NOW + 7_100)).toEqual(forgotten);
  });

  test('is stored with what versions need that refresh it by routes: they publish it once more', () => {
    const stored = (body: object) => JSON.parse(flow.encode(signalled(homeWith(), body)));
    const opened = { kind: 'open', choice: ALL_OF_IT };
    const pressed = { kind: 'pressed', choice: ALL_OF_IT };
    expect(stored(opened)).toMatchObject({ freshUntil: NOW, routes: [] });
    expect(stored(pressed)).toMatchObject({ freshUntil: NOW + 1_000, routes: [] });
    expect(stored({ kind: 'changed' })).toMatchObject({ freshUntil: NOW + 1_000, routes: [] });
    expect(JSON.parse(flow.encode(homeWith()))).toMatchObject({ freshUntil: 0, routes: [] });
  });

  test('of such a version is published if it waits for that, and is let go otherwise', () => {
    const before = { ...homeWith(), freshUntil: NOW + 600_000, publishedAt: NOW, routes: ['a'] };
    const read = (change: object) => flow.decode(JSON.stringify({ ...before, ...change }), null);
    expect(flow.plan(read({}), NOW)).toEqual(forgotten);
    const wanted = read({ wantedAt: NOW, isAwaited: true, slot: true });
    expect(flow.plan(wanted, NOW)).toEqual({ kind: 'step', step: publishAt(NOW) });
    const { data } = flow.apply(wanted, publishAt(NOW), { kind: 'done' }, NOW + 50);
    expect(flow.plan(data, NOW + 50)).toEqual(forgotten);
  });

  test('does not say that Gatepost keeps trying when it has given up', async () => {
    const step = { kind: 'publish-home', plannedAt: NOW } as const;
    const publishedAfter = async (status: number, tries?: number) => {
      const kind = status === 500 ? 'ambiguous' : 'refused';
      const { core, published } = withoutSlack({ class: kind, code: `http_${status}`, status });
      const home = homeWith({ wantedAt: NOW, isAwaited: true, ...(tries && { tries }) });
      const { execute, apply } = createHomeFlow(core);
      const result = await execute(home, step, '0-home');
      const isOver = apply(home, step, result, NOW).data.wantedAt === undefined;
      return { isOver, said: published.join('|') };
    };
    const trying = { isOver: false, said: expect.stringMatching(/keeps trying/) };
    const over = { isOver: true, said: expect.stringMatching(/Press Refresh in a minute/) };
    expect(await publishedAfter(500)).toEqual(trying);
    expect(await publishedAfter(500, 2)).toEqual({ isOver: false, said: '' });
    expect(await publishedAfter(500, 5)).toEqual(over);
    expect(await publishedAfter(403)).toEqual(over);
  });
});

describe('a press on the Home tab', () => {
  const choice = { route: 'production', pages: {} };
  const core = (store: Partial<Store>) => {
    let ids = 0;
    return coreWith({
      timing: TRUE_TIME,
      store: fake<Store>({ now: () => NOW, ...store }),
      reconciler: { hasRoom: false, run: async () => {} },
      random: { uuid: () => `uuid-${++ids}`, fraction: () => 0 } as Core['random'],
    });
  };

  test('shows the same filters a second later if its record has expired', async () => {
    const created: NewRecord[] = [];
    const store = {
      create: async (record: NewRecord) => {
        created.push(record);
        return { kind: 'created', id: '0-home', now: NOW } as const;
      },
    };
    await pressedAtHome(core(store), 'U0ANA', choice);
    const again = { user: 'U0ANA', choice, againAt: NOW + 1_000 };
    expect(created.map(({ data }) => JSON.parse(data))).toMatchObject([again]);
    expect(created).toMatchObject([{ kind: 'home', lane: 'people' }]);
  });

  test('is carried out by this process if it has room', async () => {
    const ran: unknown[] = [];
    const held = fake<Held>({});
    const store = {
      create: async (_: NewRecord, { hold }: { readonly hold: boolean }) =>
        ({ kind: 'created', id: '0-home', now: NOW, ...(hold && { held }) }) as const,
    };
    const run = async (given: unknown) => void ran.push(given);
    const busy = core(store);
    Object.assign(busy, { reconciler: { hasRoom: false, run } });
    await pressedAtHome(busy, 'U0ANA', choice);
    const idle = core(store);
    Object.assign(idle, { reconciler: { hasRoom: true, run } });
    await pressedAtHome(idle, 'U0ANA', choice);
    expect(ran).toEqual([held]);
  });

  test('is not lost if the record ends at the same time', async () => {
    const record = fake<StoredRecord>({ kind: 'home', id: '0-home' });
    let creations = 0;
    const ending = (isGone: boolean) => ({
      create: async () => {
        creations += 1;
        if (isGone && creations === 2) return { kind: 'created', id: '1-home', now: NOW } as const;
        return { kind: 'exists', record } as const;
      },
      signal: async (): Promise<Signalled> => ({ kind: 'missing' }),
    });
    await pressedAtHome(core(ending(true)), 'U0ANA', choice);
    expect(creations).toBe(2);
    creations = 0;
    await pressedAtHome(core(ending(false)), 'U0ANA', choice);
    expect(creations).toBe(2);
  });

  test('does not fail while the store is away; a Home tab that is opened then says so', async () => {
    const published: string[] = [];
    const failing = (error: Error) => {
      const one = core({ create: () => Promise.reject(error) });
      const publish = async (_: string, { blocks }: HomeView) =>
        void published.push(...textsOf(blocks));
      return Object.assign(one, { homeTab: { publish } });
    };
    const away = failing(new StoreError('unavailable', 'away'));
    await pressedAtHome(away, 'U0ANA', choice);
    expect(published).toEqual([]);
    await openHome(away, 'U0ANA', choice);
    const notice = 'Gatepost could not load your requests. Press Refresh in a minute.';
    expect(published).toEqual([notice, 'Refresh']);
    const broken = failing(new TypeError('a mistake'));
    await expect(pressedAtHome(broken, 'U0ANA', choice)).rejects.toThrow('a mistake');
    await expect(openHome(broken, 'U0ANA', choice)).rejects.toThrow('a mistake');
  });

  test('is a new signal, not a repeat of one that is being published', async () => {
    const ids: string[] = [];
    const bodies: unknown[] = [];
    const record = fake<NonNullable<Awaited<ReturnType<Store['find']>>>>({
      kind: 'home',
      id: '0-home',
    });
    const store = {
      create: async () => ({ kind: 'exists', record }) as const,
      signal: async (_: string, { id, body }: { id: string; body: string }): Promise<Signalled> => {
        ids.push(id);
        bodies.push(JSON.parse(body));
        return { kind: 'queued' };
      },
    };
    const one = core(store);
    await pressedAtHome(one, 'U0ANA', choice);
    await openHome(one, 'U0ANA', choice);
    expect(new Set(ids).size).toBe(2);
    expect(bodies).toEqual([
      { kind: 'pressed', choice },
      { kind: 'open', choice },
    ]);
  });
});
