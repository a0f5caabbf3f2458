import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';

/** A request read in full, with the ways to answer it. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The client's address; empty if unknown. */
  readonly from: string;
  /** Only the first answer is sent; does nothing if the client is gone. */
  readonly respond: (answer: Answer) => void;
  /** Closes the connection without an answer. */
  readonly drop: (how: 'close' | 'reset') => void;
  /** Starts a streaming answer, which ends when either side ends it. */
  readonly stream: (headers: Readonly<Record<string, string>>) => Writable;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, anything else as JSON. */
  readonly body: unknown;
  /** For the log, not sent: what was accepted without effect. */
  readonly notes?: readonly string[];
}

const bodyLimit = 4 * 1024 * 1024;

/** Throws if the body is over 4 MiB. */
export async function readExchange(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Exchange> {
  const url = new URL(request.url ?? '/', 'http://sandbox.invalid');
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: flatHeaders(request),
    body: await readBody(request),
    from: request.socket.remoteAddress ?? '',
    respond: (answer) => send(response, answer),
    drop: (how) => {
      if (how === 'reset') request.socket.resetAndDestroy();
      else request.socket.destroy();
    },
    stream: (headers) => response.writeHead(200, headers),
  };
}

function flatHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
}

async function readBody(request: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > bodyLimit) throw new Error('The body is too large for the sandbox.');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The content type is JSON unless the answer names another; a 204 has none. Does nothing if the client is gone. */
export function send(response: ServerResponse, answer: Answer): void {
  if (response.destroyed || response.headersSent) return;
  if (answer.status === 204) {
    response.writeHead(204).end();
    return;
  }
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  response.writeHead(answer.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...answer.headers,
  });
  response.end(body);
}

/** undefined: not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
