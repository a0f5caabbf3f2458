import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';
import { cleanLine } from '../lib/clean-line.ts';
import { type FailureClass, RemoteFailure } from '../lib/failure.ts';
import { hasProxy, NO_PROXIES, type Proxies } from '../lib/proxies.ts';
import { redact } from '../lib/redact.ts';
import type { Timers } from '../lib/timers.ts';

/**
 * Requests to other systems: to the service and to Slack. Each is sent once, follows no redirect, and
 * ends with what is known: answered, not sent, or sent and nothing heard.
 */
export interface Connections {
  send(request: WireRequest, limits: ExchangeLimits): Promise<Exchanged>;
  /** Waits for requests under way. */
  close(): Promise<void>;
}

interface ConnectionOptions {
  /** To one host at a time; a request that finds all of them busy waits in line. null: no limit. */
  readonly most: number | null;
  /** Through a proxy the tunnel has as long, and TLS inside it again. */
  readonly connectTimeoutMs: number;
  /** How long one is kept that nothing is sent on, unless the other side says less. */
  readonly idleMs: number;
}

/** The network as an argument: `connectThrough`, or what takes its place. */
export type Connect = (options: ConnectionOptions) => Connections;

/** The network behind these proxies. */
export function connectThrough(proxies: Proxies): Connect {
  return (options) => createConnections(options, proxies);
}

/** Connections are made as they are needed, and kept for the next request to the same host. */
export function createConnections(
  options: ConnectionOptions,
  proxies: Proxies = NO_PROXIES,
): Connections {
  const { most, connectTimeoutMs, idleMs } = options;
  const settings = {
    connections: most,
    // Nothing is sent behind another request: a connection that breaks leaves one call in doubt.
    pipelining: 1,
    // Both are kept by undici itself.
    connect: { timeout: connectTimeoutMs },
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
  };
  const dispatcher = hasProxy(proxies)
    ? new EnvHttpProxyAgent({ ...settings, ...proxySettings(proxies, connectTimeoutMs) })
    : new Agent(settings);
  let closing: Promise<void> | undefined;
  return {
    async send(request, limits) {
      const exchanged = await exchange(dispatcher, request, limits);
      // undici takes a connection back one turn of the event loop after its answer: a request that
      // followed at once would open another one.
      await new Promise((resolve) => setImmediate(resolve));
      return exchanged;
    },
    close: () => {
      closing ??= dispatcher.close();
      return closing;
    },
  };
}

/** Everything goes through a tunnel, http too: so what a proxy says is never taken for an answer. */
function proxySettings(
  { http, https, noProxy }: Proxies,
  connectTimeoutMs: number,
  onSocket?: (socket: Duplex) => void,
): EnvHttpProxyAgent.Options {
  return {
    // Each is given, if empty: undici would read the environment.
    httpProxy: http?.url ?? '',
    httpsProxy: https?.url ?? '',
    noProxy,
    proxyTunnel: true,
    proxyTls: { timeout: connectTimeoutMs },
    requestTls: { timeout: connectTimeoutMs },
    clientFactory: (proxy, options) =>
      new TunnelPool(proxy, { ...options, headersTimeout: TUNNEL_MS }, onSocket),
  };
}

/** A proxy looks the host up and connects before it answers; the call's deadline may end it before. */
const TUNNEL_MS = 5_000;

/** A tunnel that could not be opened: whatever was to go through it was not sent. Its words hold no credentials. */
class TunnelError extends Error {
  override readonly name = 'TunnelError';
  readonly code: string;
  constructor(code: string, message = '') {
    super(message);
    this.code = code;
  }
}

/**
 * Opens tunnels. Where a proxy breaks the connection instead of answering, undici tries again at once, until the
 * request's deadline: an error with a code of ours it takes for the end.
 */
class TunnelPool extends Pool {
  readonly #onSocket: ((socket: Duplex) => void) | undefined;

  constructor(proxy: URL, options: Pool.Options, onSocket?: (socket: Duplex) => void) {
    super(proxy, options);
    this.#onSocket = onSocket;
  }

  // undici calls it in this way alone.
  override async connect(options: Parameters<Pool['connect']>[0]): Promise<Dispatcher.ConnectData> {
    const opened = await super.connect(options).catch((error: Error) => {
      throw new TunnelError(`proxy_${connectionCode(error)}`, error.message);
    });
    const { statusCode, socket } = opened;
    if (statusCode !== 200) {
      socket.on('error', () => {}).destroy();
      throw new TunnelError(`proxy_http_${statusCode}`);
    }
    // The other side has nothing to say yet: undici would take it for a broken connection, and connect again.
    if (socket.readableLength > 0) {
      socket.on('error', () => {}).destroy();
      throw new TunnelError('proxy_bad_response');
    }
    this.#onSocket?.(socket);
    return opened;
  }
}

/**
 * How a WebSocket goes through the proxies. Its library leaves a connection open whose other side is gone, unless
 * it made the connection itself: `destroy` ends what was made here.
 */
export function socketDispatcher(
  proxies: Proxies,
  connectTimeoutMs: number,
): { readonly dispatcher: Dispatcher; destroy(): void } {
  const sockets = new Set<Duplex>();
  const keep = (socket: Duplex) => void sockets.add(socket);
  const direct = buildConnector({ timeout: connectTimeoutMs });
  const dispatcher = new EnvHttpProxyAgent({
    ...proxySettings(proxies, connectTimeoutMs, keep),
    connect: (options, callback) =>
      direct(options, (...made) => {
        if (made[1] !== null) keep(made[1]);
        callback(...made);
      }),
  });
  const destroy = () => {
    for (const socket of sockets) socket.destroy();
    void dispatcher.destroy();
  };
  return { dispatcher, destroy };
}

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** `https://host:port` */
  readonly origin: string;
  /** With its query. Sent as it is. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface ExchangeLimits {
  /** From the call until the last byte of the answer; null: the signal says when. */
  readonly deadline: { readonly ms: number; readonly timers: Timers } | null;
  readonly maxBodyBytes: number;
  /** One that fires with a `TimeoutError` is a deadline too. */
  readonly signal?: AbortSignal | undefined;
}

/** By names in small letters. */
type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What came of one HTTP request. */
export type Exchanged =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: AnswerHeaders;
      /** null: it could not be had whole. */
      readonly body: Buffer | null;
      /** Why not; otherwise `complete`. */
      readonly code: string;
    }
  | {
      readonly kind: 'failed';
      /** False: not one byte was written, nor will be. True: it may have arrived. */
      readonly sent: boolean;
      readonly code: string;
      readonly message: string;
    };

/** Sends one request, once, and always settles by the deadline. Never rejects. */
export function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  limits: ExchangeLimits,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const handler = new ExchangeHandler(limits, resolve);
    if (!handler.settled)
      dispatcher.dispatch(
        // A proxy agent adds to the headers.
        { ...request, headers: { ...request.headers }, headersTimeout: 0, bodyTimeout: 0 },
        handler,
      );
  });
}

/**
 * undici calls `onRequestStart` in the same turn as it writes, and for each connection it takes: so a
 * request that failed without it was not sent, and one that was given up before it can still be stopped.
 */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  settled = false;
  readonly #limits: ExchangeLimits;
  readonly #resolve: (exchanged: Exchanged) => void;
  readonly #cancelDeadline: (() => void) | undefined;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #head: { status: number; headers: AnswerHeaders } | undefined;

  constructor(limits: ExchangeLimits, resolve: (exchanged: Exchanged) => void) {
    this.#limits = limits;
    this.#resolve = resolve;
    const { deadline, signal } = limits;
    this.#cancelDeadline = deadline?.timers.after(deadline.ms, () => this.#giveUp('timeout'));
    if (signal) {
      // Many calls may share a signal, and each takes its listener away again: no leak to warn of.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', this.#onAbort);
    }
    if (deadline && deadline.ms <= 0) this.#giveUp('timeout');
    if (signal?.aborted) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const again = this.#controller !== undefined;
    if (this.settled || again) controller.abort(new Error('not sent'));
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
  ): void {
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBodyBytes) this.#giveUp('body_too_large');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const sent = Buffer.concat(this.#chunks);
    const body = decode(sent, this.#head?.headers ?? {}, this.#limits.maxBodyBytes);
    if (Buffer.isBuffer(body)) this.#settle('complete', '', body);
    else this.#settle(body, '', null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(connectionCode(error), error.message, null);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#limits.signal?.reason;
    const isDeadline = reason instanceof Error && reason.name === 'TimeoutError';
    this.#giveUp(isDeadline ? 'timeout' : 'aborted');
  };

  #giveUp(code: string): void {
    this.#settle(code, '', null);
    this.#controller?.abort(new Error(code));
  }

  #settle(code: string, message: string, body: Buffer | null): void {
    if (this.settled) return;
    this.settled = true;
    this.#cancelDeadline?.();
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    const sent = this.#controller !== undefined;
    if (this.#head) this.#resolve({ kind: 'answered', ...this.#head, body, code });
    else this.#resolve({ kind: 'failed', sent, code, message });
  }
}

/** The body has an encoding that is not known here, or is not what its encoding says. */
export const BAD_ENCODING = 'bad_encoding';

const DECODERS: ReadonlyMap<string, typeof gunzipSync> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** No request asks for an encoding, but a proxy may use one all the same. Gives a code where it cannot be undone. */
function decode(body: Buffer, headers: AnswerHeaders, maxBytes: number): Buffer | string {
  const named = headers['content-encoding'];
  if (named === undefined || body.length === 0) return body;
  const encodings = String(named)
    .toLowerCase()
    .split(',')
    .map((each) => each.trim());
  let decoded = body;
  for (const encoding of encodings.reverse()) {
    if (encoding === '' || encoding === 'identity') continue;
    const decoder = DECODERS.get(encoding);
    if (decoder === undefined) return BAD_ENCODING;
    try {
      decoded = decoder(decoded, { maxOutputLength: maxBytes });
    } catch (error) {
      const isTooLarge = error instanceof RangeError;
      return isTooLarge ? 'body_too_large' : BAD_ENCODING;
    }
  }
  return decoded;
}

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  // Only a tunnel has one of undici's own.
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  ETIMEDOUT: 'connect_timeout',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  UND_ERR_CLOSED: 'closed',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'bad_response',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_of_another_host',
};
/** No chain to an authority that is known here. */
const NOT_TRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_|CERT_UNTRUSTED)/;
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$)/;

/** One of our words for what a connection's error says: `connection_refused`, `tls_failed`… */
function connectionCode(error: Error): string {
  if (error instanceof TunnelError) return error.code;
  if (error instanceof errors.HTTPParserError) return 'bad_response';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (NOT_TRUSTED.test(code)) return 'certificate_not_trusted';
  return CODES[code] ?? (TLS.test(code) ? 'tls_failed' : 'connection_failed');
}

/** What is known when there was no answer: nothing was sent, or it may have arrived. */
export function unanswered(
  { sent, code, message }: Exchanged & { kind: 'failed' },
  operation: string,
  secrets: readonly string[],
): RemoteFailure {
  // undici's own error may carry pieces of the answer: only its words are kept.
  const words = redact(cleanLine(message), secrets);
  return new RemoteFailure(
    operation,
    { class: sent ? 'ambiguous' : 'not-sent', code },
    words === '' ? undefined : { cause: new Error(words) },
  );
}

/**
 * What a status that is no 2xx says. A 408 or 5xx may come from something in between while the other side
 * goes on with the request. A write that is answered 303, 302 or 301 may have been carried out, and the
 * result is elsewhere: of the redirects only 307 and 308 ask for the same request again.
 */
export function classOfStatus(status: number, method: WireRequest['method']): FailureClass {
  if (status < 300 || status > 499 || status === 408) return 'ambiguous';
  const isClear = status >= 400 || status === 307 || status === 308 || READS.has(method);
  return isClear ? 'refused' : 'ambiguous';
}

const READS: ReadonlySet<WireRequest['method']> = new Set(['GET', 'OPTIONS']);

/** The first of a header that is there more than once. */
export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
