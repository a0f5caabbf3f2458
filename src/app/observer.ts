import type { Logger } from 'pino';
import { STATUS_OF } from '../approvals/approval.ts';
import { blockedIn, COUNTED_STATES, DENIED, routeList, stateList } from '../approvals/lists.ts';
import type { Config } from '../core/config/config.ts';
import { BUDGET } from '../core/engine/budget.ts';
import type { Metrics, Overview } from '../core/http/metrics.ts';
import type { OnCall } from '../core/lib/seen-call.ts';
import { REFUSALS } from '../core/slack/http-receiver.ts';
import { type NewAuditEntry, STORE_CALLS, type Store, StoreError } from '../core/store/store.ts';
import type { StoreCall } from '../core/store/watched-store.ts';
import { entryOf } from './features.ts';
import { ownLogger } from './logger.ts';
import { WIRED } from './wiring.ts';

interface ObserverNeeds {
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface Observer {
  /** Counts a call of the store; logs and counts the entries that were saved. */
  readonly storeAnswered: (call: StoreCall, tookMs: number) => void;
  readonly storeFailed: (name: string, error: unknown, tookMs: number) => void;
  readonly calledService: OnCall;
  readonly calledSlack: OnCall;
}

/**
 * What Gatepost does, for log and metrics. Every event of a record is in the audit log, written by the save that makes
 * it happen: so what is logged was stored, and is logged once.
 */
export function createObserver({ config, logger, metrics }: ObserverNeeds): Observer {
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
    storeAnswered(call, tookMs) {
      if (COUNTED.has(call.name)) metrics.took('store', { operation: call.name }, tookMs);
      switch (call.name) {
        case 'create':
          if (call.answer.kind === 'created') tell(call.answer.id, call.args[0].audit);
          break;
        case 'save':
          if (call.answer.kind === 'saved') tell(call.args[0].id, call.args[1].audit);
          else metrics.count('leaseLost', null);
          break;
        case 'writeAudit':
          tell(null, [call.args[0]]);
          break;
        case 'pace':
          if (call.args[0] !== BUDGET) break;
          metrics.count('slot', null);
          metrics.set('slotSeconds', null, call.answer / 1000);
      }
    },
    storeFailed(operation, error, tookMs) {
      if (!COUNTED.has(operation)) return;
      metrics.took('store', { operation }, tookMs);
      const code = error instanceof StoreError ? error.code : 'failed';
      metrics.count('storeFailure', { operation, code });
    },
    calledService({ method, result, tookMs, ...more }) {
      metrics.took('service', { method, result }, tookMs);
      logger.debug({ method, result, tookMs, ...more }, 'called the service');
    },
    calledSlack({ method, result, tookMs, ...more }) {
      metrics.took('slack', { method, result }, tookMs);
      logger.debug({ method, result, tookMs, ...more }, 'called Slack');
    },
  };
}

const COUNTED: ReadonlySet<string> = new Set(STORE_CALLS);

/** A series that starts with its first event has no rate for it, so the important ones are created at 0. */
function countFromZero(metrics: Metrics, { routes }: Config): void {
  for (const cause of WIRED.flatMap(({ alerts }) => alerts ?? []))
    metrics.count('alert', { cause }, 0);
  for (const refusal of REFUSALS) metrics.count('slackRefused', { refusal }, 0);
  for (const result of ['taken', 'not-taken']) metrics.count('callback', { result }, 0);
  metrics.count('ballot', { result: 'accepted' }, 0);
  for (const { name: route } of routes) {
    metrics.took('decision', { route }, null);
    metrics.count('outcome', { status: 'TIMED_OUT', credit: 'none', route }, 0);
    for (const status of Object.values(STATUS_OF))
      for (const credit of ['certain', 'sent', 'none'])
        metrics.count('outcome', { status, credit, route }, 0);
  }
}

/** The store's counts, shared by all replicas. One round trip per shard. */
export async function overviewOf(
  store: Pick<Store, 'overview'>,
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
  const secondsSince = (at: number | null | undefined) => Math.max(0, now - (at ?? now)) / 1000;
  return {
    open: routes.flatMap((route) => {
      const apart = COUNTED_STATES.map((state) => ({
        state,
        count: countOf(stateList(state, route)),
      }));
      const pending = apart.reduce((left, { count }) => left - count, countOf(routeList(route)));
      return [{ state: 'pending', count: Math.max(0, pending) }, ...apart].map(
        ({ state, count }) => [{ route, state }, count] as const,
      );
    }),
    oldestSeconds: routes.map((route) => [
      { route },
      secondsSince(found.get(routeList(route))?.firstAt),
    ]),
    suspended: [
      [{ why: 'unauthorized' }, countOf(DENIED)],
      [{ why: 'blocked' }, blocked.reduce((sum, list) => sum + countOf(list), 0)],
    ],
    overdueSeconds: (['people', 'background'] as const).map((lane) => [
      { lane },
      secondsSince(firstDueAt[lane]),
    ]),
  };
}
