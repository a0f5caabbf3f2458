import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { Config } from '../../../src/core/config/config.ts';
import type { Core } from '../../../src/core/core.ts';
import type { Callers } from '../../../src/core/identity-tokens/callers.ts';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { StoreError } from '../../../src/core/store/store.ts';
import { catalogueRoute } from '../../../src/operations/catalogue/catalogue-route.ts';
import { createLiveCatalogue } from '../../../src/operations/catalogue/live-catalogue.ts';
import {
  keepReport,
  type Report,
  readReport,
  readReports,
  withReports,
} from '../../../src/operations/catalogue/reported.ts';
import { openEmbeddedWorld } from '../../core/store/embedded-world.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';

const T = (hour: number) => `2030-01-01T${String(hour).padStart(2, '0')}:00:00Z`;

function report(hour: number, change: Partial<Report> & { readonly name?: string } = {}): Report {
  const { name = `Platform ${hour}`, ...rest } = change;
  const place = { id: 'p1', name, space: null, slug: null, statuses: [], types: [] };
  const is = { kind: 'project', place } as const;
  return { v: 1, source: 'inventory', readAt: T(hour), at: hour, is, ...rest };
}

const source = (id: string, projects: readonly string[]): Config['sources'][number] => ({
  ...{ id, auth: { kind: 'bearer' }, secrets: [], routes: [], channels: [] },
  ...{ kinds: ['catalogue'], projects },
});

it('an older report never replaces a newer one, on whichever replica', async () => {
  await using world = await openEmbeddedWorld();
  const [one, other = one] = world.stores;
  expect(await keepReport(one, report(10))).toBe('kept');
  expect(await keepReport(other, report(9))).toBe('older');
  expect((await readReport(other, 'project', 'p1'))?.readAt).toBe(T(10));
  expect(await keepReport(other, report(10, { name: 'Renamed' }))).toBe('kept');
});

it('of many simultaneous reports the newest is kept', async () => {
  await using world = await openEmbeddedWorld();
  const [one, other = one] = world.stores;
  const hours = [3, 9, 1, 7, 5, 8, 2];
  await Promise.all(hours.map((hour) => keepReport(hour % 2 ? one : other, report(hour))));
  expect((await readReport(one, 'project', 'p1'))?.readAt).toBe(T(9));
});

it('a project that another source describes from now on begins anew', async () => {
  await using world = await openEmbeddedWorld();
  const [store] = world.stores;
  await keepReport(store, report(10));
  expect(await readReports(store, [source('other', ['p1'])])).toEqual([]);
  expect(await keepReport(store, report(9, { source: 'other' }))).toBe('kept');
  expect(await readReports(store, [source('other', ['p1'])])).toMatchObject([{ source: 'other' }]);
});

it('a project and a test project with the same id are both kept', async () => {
  await using world = await openEmbeddedWorld();
  const [store] = world.stores;
  const place = { id: 'p1', name: 'Checkout', space: 'eng', suites: [] };
  await keepReport(store, report(9));
  expect(await keepReport(store, report(10, { is: { kind: 'testProject', place } }))).toBe('kept');
  const reports = await readReports(store, [source('inventory', ['p1'])]);
  const { projects, testProjects } = withReports({ projects: [], testProjects: [] }, reports);
  expect([...projects, ...testProjects].map(({ name }) => name)).toEqual([
    'Platform 9',
    'Checkout',
  ]);
  expect(await keepReport(store, report(9))).toBe('kept');
});

it('gatepost.yaml takes precedence, and reports come after it by name', () => {
  const named = (id: string, name: string) => {
    const place = { id, name, space: null, slug: null, statuses: [], types: [] };
    return report(1, { is: { kind: 'project', place } });
  };
  const own = report(1, { name: 'Ours' }).is.place as Config['catalogue']['projects'][number];
  const reports = [named('p3', 'Web'), named('p1', 'Theirs'), named('p2', 'Api')];
  const { projects, testProjects } = withReports({ projects: [own], testProjects: [] }, reports);
  expect(projects.map(({ id, name, reported }) => [id, name, reported?.source])).toEqual([
    ['p1', 'Ours', undefined],
    ['p2', 'Api', 'inventory'],
    ['p3', 'Web', 'inventory'],
  ]);
  expect(testProjects).toEqual([]);
});

it('another replica has a report after its next reading, and keeps it while the store is away', async () => {
  await using world = await openEmbeddedWorld();
  const [one, other = one] = world.stores;
  let names: readonly string[] = [];
  const due: (() => void)[] = [];
  let isAway = false;
  const live = createLiveCatalogue({
    store: {
      ...other,
      get: async (key) => {
        if (isAway) throw new StoreError('unavailable', 'away');
        return other.get(key);
      },
    },
    sources: [source('inventory', ['p1', 'p2'])],
    timers: {
      after(_, run) {
        due.push(run);
        return () => {};
      },
      sleep: async () => {},
      deadline: () => new AbortController().signal,
    },
    everyMs: 15_000,
    extend(more) {
      names = more({ projects: [], testProjects: [] }).projects.map(({ name }) => name);
    },
  });
  await live.start();
  expect(names).toEqual([]);
  await keepReport(one, report(1));
  const tick = async () => {
    due.shift()?.();
    await live.refresh();
  };
  await tick();
  expect(names).toEqual(['Platform 1']);
  isAway = true;
  await live.refresh();
  expect(names).toEqual(['Platform 1']);
  live.stop();
});

it('the audit log has what people read from then on, not a repetition, an older report or a late one', async () => {
  await using world = await openEmbeddedWorld();
  const [store] = world.stores;
  const { handle } = catalogueRoute(
    coreWith({
      ...{
        store,
        clock: systemClock,
        callers: fake<Callers>({ find: async () => undefined }),
        refreshCatalogue: async () => {},
      },
      metrics: fake<Core['metrics']>({ count: () => {} }),
      service: {},
      config: {
        sources: [{ ...source('inventory', ['p1']), secrets: ['secret'] }],
        catalogue: { projects: [], testProjects: [] },
        service: {},
      },
    }),
  );
  const post = async (hour: number, name: string) => {
    const readAt = new Date(store.now() - (24 - hour) * 3_600_000).toISOString();
    const request = new IncomingMessage(new Socket());
    request.headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
    request.push(JSON.stringify({ readAt, project: { id: 'p1', name } }));
    request.push(null);
    return (await handle(request, {})).status;
  };
  expect(await post(10, 'Platform')).toBe(202);
  expect(await post(11, 'Platform')).toBe(202);
  expect(await post(9, 'Before')).toBe(200);
  expect(await post(12, 'After')).toBe(202);
  expect(await post(11, 'Platform')).toBe(200);
  const actions: string[] = [];
  for await (const { action } of store.readAudit({})) actions.push(action);
  expect(actions).toEqual(['catalogue.reported', 'catalogue.reported']);
});
