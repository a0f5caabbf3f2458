import type { Core } from '../../../src/core/core.ts';
import type { Timers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { Modals } from '../../../src/core/slack/modals.ts';
import type { Outbox } from '../../../src/core/slack/outbox.ts';
import type { Store } from '../../../src/core/store/store.ts';
import { LINKS } from '../../approvals/approvals.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { personOf } from '../../support/slack-person.ts';
import { unsureService } from './unsure-service.ts';
import type { Weather } from './weather.ts';

/** Slack, the service and the store, whose calls end as the weather is. */
export function unsureCore(weather: Weather): Core {
  return coreWith({
    timing: TRUE_TIME,
    timers: fake<Timers>({ deadline: () => NEVER }),
    links: LINKS,
    store: storeIn(weather),
    outbox: outboxIn(weather),
    modals: fake<Modals>({
      update: () =>
        weather.call(() => ({ id: 'V1', ...(weather.random() < 0.5 && { hash: 'h' }) })),
    }),
    lookup: fake<Lookup>({ person: (id) => weather.call(() => personOf(id)) }),
    reconciler: { hasRoom: false, run: async () => {} },
    queue: { taken() {}, join: () => 0, leave() {} },
    raise: () => weather.stored(() => undefined),
    config: {
      budgetPerMinute: 600,
      retention: { doneMs: 1_000, decidedMs: 1, auditMs: 1 },
      links: { task: null, testCase: null },
      catalogue: { projects: [], testProjects: [] },
      cases: { announce: true },
      move: { source: 'http', announce: true },
      routes: weather.routes,
    },
    service: unsureService(weather),
  });
}

function storeIn(weather: Weather): Store {
  const done = () => weather.stored(() => undefined);
  return fake<Store>({
    now: () => weather.now,
    servingSince: () => weather.wentBackAt,
    wentBackAt: () => weather.wentBackAt,
    pace: () => weather.stored(() => weather.pick([0, 0, 3_000])),
    pause: done,
    get: done,
    put: done,
    putIfAbsent: () => weather.stored(() => true),
    replace: () => weather.stored(() => true),
    find: done,
    read: done,
    list: () => weather.stored(() => ({ entries: [], next: null })),
    signal: () => weather.stored(() => weather.pick([{ kind: 'queued' }, { kind: 'missing' }])),
  });
}

function outboxIn(weather: Weather): Outbox {
  const message = ({ post }: { readonly post: string }) => `the message ${post}`;
  const ts = () => `${weather.now}.1`;
  return {
    openDirectMessage: (user) => weather.call(() => `D${user}`),
    post: ({ channel, metadata }) =>
      weather.act(`${message(metadata)} in ${channel}`, () => ({ channel, ts: ts() })),
    findByMetadata: ({ channel, matches }) =>
      weather.look(`${message(matches)} in ${channel}`, () => weather.pick([undefined, ts()])),
    update: () => weather.call(() => undefined),
    readMessage: () => weather.call(() => undefined),
  };
}

const NEVER = new AbortController().signal;
