import { type Connect, createConnections } from '../http/exchange.ts';
import type { Clock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { type OnCall, seenCall } from '../lib/seen-call.ts';
import type { Timers } from '../lib/timers.ts';
import { TRUE_TIME } from '../lib/timing.ts';
import { jsonOfExchange } from './json-of-exchange.ts';

export const DEFAULT_DEADLINE_MS = TRUE_TIME.stepMs;
const DEFAULT_CONNECT_TIMEOUT_MS = 1000;
const DEFAULT_MAX_BODY_BYTES = 64 * 1024;
/** Further calls queue, up to their deadlines. */
const MAX_CONNECTIONS = 64;
/** Shorter than common servers keep connections: one that is closed during a request leaves its result unclear. */
const IDLE_MS = 4_000;

export interface CallLimits {
  /** From the call to the end of its answer. Default 5 s. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface ServiceRequest {
  /** Its name in failures: `get approval`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address, with encoded segments. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The limit of an answer. Default 64 KiB. */
  readonly maxBodyBytes?: number;
  /** What must not appear in failures, in addition to the transport's own secrets. */
  readonly secrets?: readonly string[];
}

export interface Transport {
  /** Sends once, without redirects or retries. Returns the JSON value of a 2xx; otherwise throws RemoteFailure. */
  send(request: ServiceRequest, limits: CallLimits): Promise<unknown>;
  /** Waits for calls in flight. */
  close(): Promise<void>;
}

export function createTransport(options: {
  /** May contain a path. */
  readonly baseUrl: string;
  /** Credentials, which must not appear in failures. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly connectTimeoutMs?: number;
  readonly onCall?: OnCall | undefined;
  /** Default: the network. */
  readonly connect?: Connect;
}): Transport {
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '');
  const { connect = createConnections } = options;
  const connections = connect({
    most: MAX_CONNECTIONS,
    connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    idleMs: IDLE_MS,
  });

  const { onCall } = options;
  const seen = { monotonic: () => options.clock.monotonic(), onCall };
  const send = async (
    request: ServiceRequest,
    limits: CallLimits,
    onStatus: (status: number) => void,
  ): Promise<unknown> => {
    const wire = {
      method: request.method,
      origin: base.origin,
      path: prefix + request.path,
      headers: headersOf(request),
      body: request.body === undefined ? null : JSON.stringify(request.body),
    };
    const exchanged = await connections.send(wire, {
      deadline: { ms: limits.deadlineMs ?? DEFAULT_DEADLINE_MS, timers: options.timers },
      maxBodyBytes: request.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
      signal: limits.signal,
    });
    if (exchanged.kind === 'answered') onStatus(exchanged.status);
    return jsonOfExchange(exchanged, {
      operation: request.operation,
      method: request.method,
      secrets: [...options.secrets, ...(request.secrets ?? [])],
      now: options.clock.now(),
    });
  };
  return {
    send: (request, limits) =>
      seenCall(request.operation, (onStatus) => send(request, limits, onStatus), seen),
    close: () => connections.close(),
  };
}

function headersOf(request: ServiceRequest): Record<string, string> {
  return {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'gatepost',
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...request.headers,
  };
}

/**
 * A text as one path segment. Throws RemoteFailure (`refused`, with the given code) for a text that would change the
 * path; nothing is sent then.
 */
export function pathSegment(operation: string, text: string, code: string): string {
  const isSegment = text !== '' && text !== '.' && text !== '..' && !/\p{Cs}/u.test(text);
  if (!isSegment) throw new RemoteFailure(operation, { class: 'refused', code });
  return encodeURIComponent(text);
}
