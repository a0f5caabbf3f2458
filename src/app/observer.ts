import type { Logger } from 'pino';
import { STATUS_OF } from '../approvals/approval.ts';
import { COUNTED_STATES, DENIED, routeList, stateList } from '../approvals/lists.ts';
import { blockedIn } from '../approvals/suspension.ts';
import type { Config } from '../core/config/config.ts';
import { BUDGET } from '../core/engine/budget.ts';
import type { Metrics, Overview } from '../core/http/metrics.ts';
import type { MonotonicClock } from '../core/lib/clock.ts';
import type { OnCall } from '../core/lib/seen-call.ts';
import { REFUSALS } from '../core/slack/endpoint.ts';
import { type NewAuditEntry, STORE_CALLS, type Store, StoreError } from '../core/store/store.ts';
import { watchedStore } from '../core/store/watched-store.ts';
import { entryOf } from './features.ts';
import { ownLogger } from './logger.ts';
import { WIRED } from './wiring.ts';

interface ObserverNeeds {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: MonotonicClock;
}

interface Observer {
  /** The same store, with its calls and saved entries logged and counted. */
  observed(store: Store): Store;
  readonly calledService: OnCall;
  readonly calledSlack: OnCall;
}

/**
 * What Gatepost does, for log and metrics. Every event of a record is in the audit log, written by the save that makes
 * it happen: so what is logged was stored, and is logged once.
 */
export function createObserver({ config, logger, metrics, clock }: ObserverNeeds): Observer {
  countFromZero(metrics, config);
  const own = ownLogger(logger);
  /** An entry is stored even if logging it fails. */
  const tellOf = (record: string | null, entry: NewAuditEntry) => {
    try {
      const { count, line: lineOf } = entryOf(entry.action) ?? {};
      count?.(entry.facts, metrics, config);
      const line = lineOf?.(entry.facts, entry.actor);
      if (line === undefined) return;
      const id = entry.record ?? record;
      own.info({ ...(id !== null && { record: id }), ...line.facts }, line.message);
    } catch (error) {
      logger.error({ err: error }, 'could not log a stored event');
    }
  };
  const tell = (record: string | null, entries: readonly NewAuditEntry[] = []) => {
    for (const entry of entries) tellOf(record, entry);
  };
  return {
    observed(store) {
      metrics.onScrape(() => overviewOf(store, config));
      return observed(store, tell, metrics, clock);
    },
    calledService(call) {
      metrics.call('service', call);
      logger.debug(call, 'called the service');
    },
    calledSlack(call) {
      metrics.call('slack', call);
      logger.debug(call, 'called Slack');
    },
  };
}

type Tell = (record: string | null, entries: readonly NewAuditEntry[] | undefined) => void;

function observed(
  store: Store,
  tell: Tell,
  metrics: Metrics,
  { monotonic }: MonotonicClock,
): Store {
  const timed = watchedStore(store, (name) => {
    if (!COUNTED.has(name)) return () => {};
    const startedAt = monotonic();
    const ended = (code: string | null) => metrics.store(name, code, monotonic() - startedAt);
    return (call) =>
      void call.then(
        () => ended(null),
        (error: unknown) => ended(error instanceof StoreError ? error.code : 'failed'),
      );
  });
  return {
    ...timed,
    async create(record, options) {
      const created = await timed.create(record, options);
      if (created.kind === 'created') tell(created.id, record.audit);
      return created;
    },
    async save(lease, change) {
      const saved = await timed.save(lease, change);
      if (saved.kind === 'saved') tell(lease.id, change.audit);
      else metrics.leaseLost();
      return saved;
    },
    async writeAudit(entry, options) {
      const id = await timed.writeAudit(entry, options);
      tell(null, [entry]);
      return id;
    },
    async pace(name, rate) {
      const waitMs = await timed.pace(name, rate);
      if (name === BUDGET) metrics.slot(waitMs);
      return waitMs;
    },
  };
}

const COUNTED: ReadonlySet<string> = new Set(STORE_CALLS);

/** A series that starts with its first event has no rate for it, so the important ones are created at 0. */
function countFromZero(metrics: Metrics, { routes }: Config): void {
  for (const cause of WIRED.flatMap(({ alerts }) => alerts ?? [])) metrics.alert(cause, 0);
  for (const refusal of REFUSALS) metrics.refusedSlack(refusal, 0);
  for (const result of ['taken', 'not-taken'] as const) metrics.callback(result, 0);
  metrics.ballot('accepted', 0);
  for (const { name: route } of routes) {
    metrics.decided(route, null);
    metrics.outcome({ status: 'TIMED_OUT', credit: 'none', route }, 0);
    for (const status of Object.values(STATUS_OF))
      for (const credit of ['certain', 'sent', 'none'])
        metrics.outcome({ status, credit, route }, 0);
  }
}

/** The store's counts, shared by all replicas. One round trip per shard, at each scrape. */
async function overviewOf(
  store: Store,
  { routes: configured, sources }: Config,
): Promise<Overview> {
  const routes = configured.map(({ name }) => name);
  const own = configured.map(({ channel }) => channel);
  const channels = [...new Set([...own, ...sources.flatMap((source) => source.channels)])];
  const blocked = channels.map(blockedIn);
  const states = routes.flatMap((route) => COUNTED_STATES.map((state) => stateList(state, route)));
  // A store that stops counting at a limit counts the large ones last.
  const names = [...states, DENIED, ...blocked, ...routes.map(routeList)];
  const { now, lists, firstDueAt } = await store.overview(names);
  const found = new Map(names.map((name, i) => [name, lists[i] ?? { count: 0, firstAt: null }]));
  const countOf = (name: string) => found.get(name)?.count ?? 0;
  const since = (at: number | null) => (at === null ? 0 : Math.max(0, now - at));
  return {
    open: routes.map((route) => {
      const counted = COUNTED_STATES.map((state) => ({
        state,
        count: countOf(stateList(state, route)),
      }));
      const apart = counted.reduce((sum, { count }) => sum + count, 0);
      return {
        route,
        states: {
          pending: Math.max(0, countOf(routeList(route)) - apart),
          ...Object.fromEntries(counted.map(({ state, count }) => [state, count])),
        },
        oldestMs: since(found.get(routeList(route))?.firstAt ?? null),
      };
    }),
    suspended: [
      { why: 'unauthorized', count: countOf(DENIED) },
      { why: 'blocked', count: blocked.reduce((sum, list) => sum + countOf(list), 0) },
    ],
    overdue: (['people', 'background'] as const).map((lane) => ({
      lane,
      ms: since(firstDueAt[lane]),
    })),
  };
}
