import type { Clock } from '../lib/clock.ts';
import type { FailureFacts } from '../lib/failure.ts';
import { retryAfterMs } from '../lib/retry-after.ts';
import type { Timers } from '../lib/timers.ts';
import { webhookHeaders, webhookKey } from '../lib/webhook-key.ts';
import {
  type Connect,
  type Connections,
  classOfStatus,
  createConnections,
  type Exchanged,
  type ExchangeLimits,
  headerOf,
} from './exchange.ts';

/** A callback to a source, as a Standard Webhook. */
export interface CallbackMessage {
  /** The same for each try, so that the receiver can recognize repeats. Without a full stop. */
  readonly id: string;
  readonly body: string;
}

export type CallbackEnd =
  | { readonly kind: 'taken' }
  | { readonly kind: 'not-taken'; readonly failure: FailureFacts };

/** Sends callbacks, only to configured addresses. */
export interface Callbacks {
  /** Whether the source has a callback address. */
  isWanted(source: string): boolean;
  /**
   * Sends it once within `CALLBACK_MS`, without following redirects: any 2xx accepts it. busy: too many callbacks to
   * this source are in flight. Never rejects.
   */
  send(source: string, message: CallbackMessage): Promise<CallbackEnd> | 'busy' | 'unwanted';
  close(): Promise<void>;
}

/** How long a receiver has to answer. Only the next try waits for it. */
export const CALLBACK_MS = 15_000;
/** Per source, so that a hanging receiver does not affect the others. */
const MOST = 64;
const LIMITS = { most: MOST, connectTimeoutMs: 5_000, idleMs: 4_000 } as const;
const BODY_BYTES = 64 * 1_024;
const RETRY_AFTER_MS = 3_600_000;

/** A source's callback address. */
interface SourceCallback {
  readonly url: string;
  /** `whsec_…`; each of them signs. */
  readonly secrets: readonly string[];
}

interface Target {
  readonly url: URL;
  readonly keys: readonly Buffer[];
  readonly connections: Connections;
  underWay: number;
}

export function createCallbacks({
  sources,
  clock,
  timers,
  connect = createConnections,
  onEnded,
}: {
  readonly sources: readonly { readonly id: string; readonly callback?: SourceCallback }[];
  readonly clock: Clock;
  readonly timers: Timers;
  /** Default: the network. */
  readonly connect?: Connect;
  /** Called with the result of each try. */
  readonly onEnded: (kind: CallbackEnd['kind']) => void;
}): Callbacks {
  const targets = new Map(
    sources.flatMap(({ id, callback }) =>
      callback === undefined ? [] : [[id, targetOf(callback, connect)] as const],
    ),
  );

  const ended = new AbortController();

  async function sendTo(target: Target, { id, body }: CallbackMessage): Promise<CallbackEnd> {
    const { url, keys, connections } = target;
    const request = {
      method: 'POST',
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'gatepost',
        // During rotation, the receiver accepts either secret.
        ...webhookHeaders(keys, { id, now: clock.now(), body }),
      },
      body,
    } as const;
    const limits = {
      deadline: { ms: CALLBACK_MS, timers },
      maxBodyBytes: BODY_BYTES,
      signal: ended.signal,
    };
    const end = await connections.send(request, limits);
    if (end.kind === 'failed') {
      const { code, sent } = end;
      return { kind: 'not-taken', failure: { class: sent ? 'ambiguous' : 'not-sent', code } };
    }
    const { status, headers } = end;
    if (status >= 200 && status < 300) return { kind: 'taken' };
    const waitMs = retryAfterMs(headerOf(headers, 'retry-after'), clock.now(), RETRY_AFTER_MS);
    const failure = {
      class: classOfStatus(status, request.method),
      code: `http_${status}`,
      status,
    };
    const wait = waitMs === undefined ? {} : { retryAfterMs: waitMs };
    return { kind: 'not-taken', failure: { ...failure, ...wait } };
  }

  return {
    isWanted: (source) => targets.has(source),
    send(source, message) {
      const target = targets.get(source);
      if (target === undefined) return 'unwanted';
      if (target.underWay >= MOST) return 'busy';
      target.underWay += 1;
      return sendTo(target, message)
        .then((end) => {
          onEnded(end.kind);
          return end;
        })
        .finally(() => {
          target.underWay -= 1;
        });
    },
    async close() {
      // Aborted callbacks are sent again by another process.
      ended.abort();
      await Promise.all([...targets.values()].map(({ connections }) => connections.close()));
    },
  };
}

/** Whether a callback address answers, asked in a way that cannot be mistaken for an event. */
export async function answeredAt(
  address: string,
  limits: Pick<ExchangeLimits, 'deadline' | 'signal'>,
  connect: Connect,
): Promise<Exchanged> {
  const connections = connect(LIMITS);
  const url = new URL(address);
  const request = {
    method: 'OPTIONS',
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    headers: { 'user-agent': 'gatepost' },
    body: null,
  } as const;
  const end = await connections.send(request, { ...limits, maxBodyBytes: BODY_BYTES });
  await connections.close();
  return end;
}

function targetOf({ url, secrets }: SourceCallback, connect: Connect): Target {
  const keys = secrets.flatMap((secret) => webhookKey(secret) ?? []);
  return { url: new URL(url), keys, connections: connect(LIMITS), underWay: 0 };
}
