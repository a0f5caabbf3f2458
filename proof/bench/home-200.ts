import {
  decidedForList,
  decidedList,
  requesterList,
  routeList,
} from '../../src/approvals/lists.ts';
import { benchProgram, PROGRAM } from './support/build.ts';
import { type Env, startChild } from './support/child.ts';
import { botEnvironment, REVIEWERS } from './support/environment.ts';
import { LISTENERS } from './support/listeners.ts';
import { median, percentile } from './support/percentile.ts';
import { makePlace, type StoreName } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf } from './support/rounds.ts';
import { configOf, openQuietStore, storeClicks } from './support/waiting-approvals.ts';
import { startWorld } from './support/world.ts';

const WAITING = 200;
const VISITS = 100;
const WARM_UP = 100;
const READS = 100;

/** The Home tab of a person with 200 waiting requests: from the event until it is published. */
export async function home200(): Promise<Row[]> {
  await using world = await startWorld();
  const ours = contender('Gatepost, redis', PROGRAM, 'redis');
  const samples = await rounds('Home tab, 200 waiting: event → views.publish', 3, [
    contender('bare Bolt, same listeners, empty', benchProgram('bare-bolt'), 'redis'),
    ours,
    contender('Gatepost, embedded', PROGRAM, 'embedded'),
  ]);
  return [rowOf('home-200', 'ms', samples, [ours.name, 'p50 ms'], [ours.name, 'calls p50 ms'])];

  function contender(name: string, program: string, store: StoreName): Contender {
    return {
      name,
      async round() {
        await using place = await makePlace(store);
        const env = { ...botEnvironment(world, place.env), LISTENERS };
        await storeClicks(env, WAITING);
        const readsMs = program === PROGRAM ? await listReadsMs(env) : 0;
        await using bot = await startChild(program, env);
        const visit = (count: number) =>
          world.visit({ eventsUrl: `${bot.url}/slack/events`, visitors: people(count) });
        const [first] = await visit(1);
        await visit(WARM_UP);
        const cpuBefore = await bot.cpuMs();
        const visits = await visit(VISITS);
        const cpuMs = (await bot.cpuMs()) - cpuBefore;
        const called = visits.map(({ calledMs }) => calledMs);
        const calls = visits.map(({ callsMs }) => callsMs + readsMs);
        return {
          'p50 ms': percentile(called, 0.5),
          'p99 ms': percentile(called, 0.99),
          'calls p50 ms': percentile(calls, 0.5),
          'list reads ms': readsMs,
          'above the calls p50 ms': percentile(
            visits.map(({ calledMs, callsMs }) => calledMs - callsMs - readsMs),
            0.5,
          ),
          'the first ever ms': first?.calledMs ?? Number.NaN,
          'cpu ms each': cpuMs / VISITS,
        };
      },
    };
  }
}

function people(count: number): string[] {
  return Array.from({ length: count }, (_, at) => REVIEWERS[at % REVIEWERS.length] ?? '');
}

/** The median time that the store alone takes to read one person's lists. */
async function listReadsMs(env: Env): Promise<number> {
  const config = configOf(env);
  const names = config.routes.map(({ name }) => name);
  const [user = ''] = REVIEWERS;
  const sections = [
    { lists: names.map(routeList), newestFirst: false },
    { lists: [requesterList(user)], newestFirst: false },
    { lists: [...names.map(decidedList), decidedForList(user)], newestFirst: true },
  ];
  await using store = await openQuietStore(config);
  const took: number[] = [];
  for (let read = 0; read < READS; read += 1) {
    const startedAt = performance.now();
    for (const { lists, newestFirst } of sections) {
      let after: string | undefined;
      do {
        const { next } = await store.list(lists, { after, limit: 50, newestFirst });
        after = next ?? undefined;
      } while (after !== undefined);
    }
    took.push(performance.now() - startedAt);
  }
  return median(took.slice(READS / 2));
}
