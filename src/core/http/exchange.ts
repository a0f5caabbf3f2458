import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';
import { cleanLine } from '../lib/clean-line.ts';
import { type FailureClass, RemoteFailure } from '../lib/failure.ts';
import { hasProxy, NEEDS_TLS, NO_PROXIES, type Proxies, proxyTo } from '../lib/proxies.ts';
import { redact } from '../lib/redact.ts';
import type { Timers } from '../lib/timers.ts';

/**
 * Requests to other systems, the service and Slack. Each is sent once, without following redirects, and ends with what
 * is known: answered, not sent, or sent without an answer.
 */
export interface Connections {
  send(request: WireRequest, limits: ExchangeLimits): Promise<Exchanged>;
  /** Waits for requests in flight. */
  close(): Promise<void>;
}

interface ConnectionOptions {
  /** Per host; further requests queue. null: unlimited. */
  readonly most: number | null;
  /** Through a proxy, this applies to the tunnel, and again to TLS inside it. */
  readonly connectTimeoutMs: number;
  /** How long an idle connection is kept, unless the server says less. */
  readonly idleMs: number;
  /** Certificates in PEM, instead of those that Node trusts. */
  readonly ca?: string | null;
}

/** The network, passed in: `connectThrough`, or a replacement. */
export type Connect = (options: ConnectionOptions) => Connections;

/** The network, through these proxies. */
export function connectThrough(proxies: Proxies): Connect {
  return (options) => createConnections(options, proxies);
}

/** Connections are opened on demand, and kept for the next request to the same host. */
export function createConnections(
  options: ConnectionOptions,
  proxies: Proxies = NO_PROXIES,
): Connections {
  const { most, connectTimeoutMs, idleMs, ca = null } = options;
  const trusted = ca === null ? {} : { ca };
  const settings = {
    connections: most,
    // No pipelining: a broken connection leaves only one call unclear.
    pipelining: 1,
    // undici itself enforces both.
    connect: { timeout: connectTimeoutMs, ...trusted },
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
  };
  const direct = new Agent(settings);
  const { dispatcher, close } = hasProxy(proxies)
    ? withProxies(proxies, direct, {
        ...settings,
        ...proxySettings(proxies, connectTimeoutMs, { trusted }),
      })
    : { dispatcher: direct, close: () => direct.close() };
  let closing: Promise<void> | undefined;
  return {
    async send(request, limits) {
      const exchanged = await exchange(dispatcher, request, limits);
      // undici frees a connection one turn of the event loop after its answer: an immediate next request would open
      // another one.
      await new Promise((resolve) => setImmediate(resolve));
      return exchanged;
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Hosts of NO_PROXY go directly: undici knows no ranges, and one `*` of several entries means nothing to it. */
function withProxies(proxies: Proxies, direct: Agent, options: EnvHttpProxyAgent.Options) {
  const tunnels = new EnvHttpProxyAgent(options);
  const dispatcher = tunnels.compose((dispatch) => (request, handler) => {
    const isDirect = proxyTo(String(request.origin), proxies) === null;
    return isDirect ? direct.dispatch(request, handler) : dispatch(request, handler);
  });
  const close = async () => {
    await Promise.all([direct.close(), tunnels.close()]);
  };
  return { dispatcher, tunnels, close };
}

/** Everything is tunnelled, http too, so a proxy's response is never mistaken for an answer. */
function proxySettings(
  { http, https }: Proxies,
  connectTimeoutMs: number,
  {
    trusted = {},
    onSocket,
  }: {
    readonly trusted?: { readonly ca?: string };
    readonly onSocket?: (socket: Duplex) => void;
  } = {},
): EnvHttpProxyAgent.Options {
  return {
    // Always set, even if empty: undici would read the environment.
    httpProxy: http?.url ?? '',
    httpsProxy: https?.url ?? '',
    noProxy: '',
    proxyTunnel: true,
    proxyTls: { timeout: connectTimeoutMs },
    requestTls: { timeout: connectTimeoutMs, ...trusted },
    clientFactory: (proxy, options) =>
      new TunnelPool(proxy, { ...options, headersTimeout: TUNNEL_MS }, onSocket),
  };
}

/** A proxy resolves the host and connects before it answers; the call's deadline may end it sooner. */
const TUNNEL_MS = 5_000;

/** The tunnel could not be opened, so the request was not sent. The message contains no credentials. */
class TunnelError extends Error {
  override readonly name = 'TunnelError';
  readonly code: string;
  constructor(code: string, message = '') {
    super(message);
    this.code = code;
  }
}

/**
 * Opens tunnels. If a proxy drops the connection without an answer, undici retries until the request's deadline, unless
 * the error has a code of our own.
 */
class TunnelPool extends Pool {
  readonly #onSocket: ((socket: Duplex) => void) | undefined;

  constructor(proxy: URL, options: Pool.Options, onSocket?: (socket: Duplex) => void) {
    super(proxy, options);
    this.#onSocket = onSocket;
  }

  // undici only calls it this way.
  override async connect(options: Parameters<Pool['connect']>[0]): Promise<Dispatcher.ConnectData> {
    const opened = await super.connect(options).catch((error: Error) => {
      throw new TunnelError(`proxy_${connectionCode(error)}`, error.message);
    });
    const { statusCode, socket } = opened;
    if (statusCode !== 200) {
      socket.on('error', () => {}).destroy();
      throw new TunnelError(`proxy_http_${statusCode}`);
    }
    // The server cannot have sent anything yet: undici would assume a broken connection, and connect again.
    if (socket.readableLength > 0) {
      socket.on('error', () => {}).destroy();
      throw new TunnelError('proxy_bad_response');
    }
    this.#onSocket?.(socket);
    return opened;
  }
}

/**
 * How a WebSocket passes through proxies. Its library does not close connections whose other side is gone, unless it
 * opened them itself: `destroy` closes those opened here.
 */
export function socketDispatcher(
  proxies: Proxies,
  connectTimeoutMs: number,
): { readonly dispatcher: Dispatcher; destroy(): void } {
  const sockets = new Set<Duplex>();
  const keep = (socket: Duplex) => void sockets.add(socket);
  const connector = buildConnector({ timeout: connectTimeoutMs });
  const connect: buildConnector.connector = (options, callback) =>
    connector(options, (...made) => {
      if (made[1] !== null) keep(made[1]);
      callback(...made);
    });
  const direct = new Agent({ connect });
  const options = { ...proxySettings(proxies, connectTimeoutMs, { onSocket: keep }), connect };
  const { dispatcher, tunnels } = withProxies(proxies, direct, options);
  const destroy = () => {
    for (const socket of sockets) socket.destroy();
    void direct.destroy();
    void tunnels.destroy();
  };
  return { dispatcher, destroy };
}

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** `https://host:port` */
  readonly origin: string;
  /** With query; sent unchanged. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface ExchangeLimits {
  /** From the call to the last byte of the answer; null: only the signal ends it. */
  readonly deadline: { readonly ms: number; readonly timers: Timers } | null;
  readonly maxBodyBytes: number;
  /** Firing with a `TimeoutError` counts as a deadline. */
  readonly signal?: AbortSignal | undefined;
  /** Gets each part of a stream of events as it arrives; that is then no body. */
  readonly onEvents?: ((part: Buffer) => void) | undefined;
}

/** Names are lower-case. */
type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The result of one HTTP request. */
export type Exchanged =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: AnswerHeaders;
      /** null: not received completely. */
      readonly body: Buffer | null;
      /** Why not; otherwise `complete`, or `needs_tls` if it says so. */
      readonly code: string;
    }
  | {
      readonly kind: 'failed';
      /** False: nothing was written, and nothing will be. True: it may have arrived. */
      readonly sent: boolean;
      readonly code: string;
      readonly message: string;
    };

/** Sends one request, once, and settles by the deadline. Never rejects. */
export function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  limits: ExchangeLimits,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const handler = new ExchangeHandler(limits, resolve);
    if (!handler.settled)
      dispatcher.dispatch(
        // A proxy agent adds headers to the object.
        { ...request, headers: { ...request.headers }, headersTimeout: 0, bodyTimeout: 0 },
        handler,
      );
  });
}

/**
 * undici calls `onRequestStart` in the same turn as it writes, once for each connection it tries: a request that failed
 * without that call was not sent, and one cancelled before it can still be stopped.
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
      // Many calls may share a signal, and each removes its listener: no leak to warn about.
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
    const { onEvents } = this.#limits;
    if (onEvents !== undefined && isEventStream(this.#head?.headers)) {
      onEvents(chunk);
      return;
    }
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBodyBytes) this.#giveUp('body_too_large');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const sent = Buffer.concat(this.#chunks);
    const body = decode(sent, this.#head?.headers ?? {}, this.#limits.maxBodyBytes);
    const isPlain = this.#head?.status === 400 && EXPECTS_TLS.test(body.toString('latin1'));
    if (Buffer.isBuffer(body)) this.#settle(isPlain ? NEEDS_TLS : 'complete', '', body);
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

/** Server-sent events. */
export function isEventStream(headers: AnswerHeaders = {}): boolean {
  return (headerOf(headers, 'content-type') ?? '').startsWith('text/event-stream');
}

/** In the answers of nginx, Go, Apache and Tomcat to plain HTTP at a TLS port. */
const EXPECTS_TLS =
  /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server|speaking plain HTTP to an SSL|requires TLS/;

/** The body's encoding is unknown, or does not match. */
export const BAD_ENCODING = 'bad_encoding';

const DECODERS: ReadonlyMap<string, typeof gunzipSync> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);

/** We request no encoding, but a proxy may use one anyway. Returns a code if it cannot be decoded. */
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
  // undici's header timeout applies only to tunnels.
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
/** The certificate chain does not lead to a trusted authority. */
const NOT_TRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_|CERT_UNTRUSTED)/;
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$)/;

/** Our code for a connection error: `connection_refused`, `tls_failed`… */
function connectionCode(error: Error): string {
  if (error instanceof TunnelError) return error.code;
  if (error instanceof errors.HTTPParserError) return 'bad_response';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (NOT_TRUSTED.test(code)) return 'certificate_not_trusted';
  return CODES[code] ?? (TLS.test(code) ? 'tls_failed' : 'connection_failed');
}

/** A failure without an answer: not sent, or possibly received. */
export function unanswered(
  { sent, code, message }: Exchanged & { kind: 'failed' },
  operation: string,
  secrets: readonly string[],
): RemoteFailure {
  // undici's error may contain parts of the answer: only its message is kept.
  const words = redact(cleanLine(message), secrets);
  return new RemoteFailure(
    operation,
    { class: sent ? 'ambiguous' : 'not-sent', code },
    words === '' ? undefined : { cause: new Error(words) },
  );
}

/**
 * What a status other than 2xx means. A 408 or 5xx may come from a proxy while the server continues with the request. A
 * write that is answered 303, 302 or 301 may have been done, with its result elsewhere; only 307 and 308 ask for the
 * same request again.
 */
export function classOfStatus(status: number, method: WireRequest['method']): FailureClass {
  if (status < 300 || status > 499 || status === 408) return 'ambiguous';
  const isClear = status >= 400 || status === 307 || status === 308 || READS.has(method);
  return isClear ? 'refused' : 'ambiguous';
}

const READS: ReadonlySet<WireRequest['method']> = new Set(['GET', 'OPTIONS']);

/** The first value of a repeated header. */
export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
