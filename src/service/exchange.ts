import { setMaxListeners } from 'node:events';
import { type Dispatcher, errors } from 'undici';
import type { Timers } from '../lib/timers.ts';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Sent as it is. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface ExchangeLimits {
  /** From the call until the last byte of the answer. */
  readonly deadlineMs: number;
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal | undefined;
  /** What the deadline goes by. */
  readonly timers: Timers;
}

/** What came of one HTTP request. `body` is null when it could not be had whole. */
export type Exchanged =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly body: Buffer | null;
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
      dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, handler);
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
  readonly #cancelDeadline: () => void;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #head: { status: number; retryAfter: string | undefined } | undefined;

  constructor(limits: ExchangeLimits, resolve: (exchanged: Exchanged) => void) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#cancelDeadline = limits.timers.after(limits.deadlineMs, () => this.#giveUp('timeout'));
    if (limits.signal) {
      // Many calls may share a signal, and each takes its listener away again: no leak to warn of.
      setMaxListeners(0, limits.signal);
      limits.signal.addEventListener('abort', this.#onAbort);
    }
    if (limits.deadlineMs <= 0) this.#giveUp('timeout');
    if (limits.signal?.aborted) this.#giveUp('aborted');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const again = this.#controller !== undefined;
    if (this.settled || again) controller.abort(new Error('not sent'));
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    const retryAfter = headers['retry-after'];
    this.#head = { status, retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter };
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#limits.maxBodyBytes) this.#giveUp('body_too_large');
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle('complete', '', Buffer.concat(this.#chunks));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(connectionCode(error), error.message, null);
  }

  readonly #onAbort = (): void => this.#giveUp('aborted');

  #giveUp(code: string): void {
    this.#settle(code, '', null);
    this.#controller?.abort(new Error(code));
  }

  #settle(code: string, message: string, body: Buffer | null): void {
    if (this.settled) return;
    this.settled = true;
    this.#cancelDeadline();
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    const sent = this.#controller !== undefined;
    if (this.#head) this.#resolve({ kind: 'answered', ...this.#head, body });
    else this.#resolve({ kind: 'failed', sent, code, message });
  }
}

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'connect_timeout',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  UND_ERR_CLOSED: 'closed',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'bad_response',
};
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$)/;

/** One of our words for what a connection's error says: `connection_refused`, `tls_failed`… */
function connectionCode(error: Error): string {
  if (error instanceof errors.HTTPParserError) return 'bad_response';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (TLS.test(code)) return 'tls_failed';
  return CODES[code] ?? 'connection_failed';
}
