import * as http from 'node:http';
import * as https from 'node:https';
import type { webApi } from '@slack/bolt';

type Init = NonNullable<Parameters<webApi.FetchFunction>[1]>;
type Answer = Awaited<ReturnType<webApi.FetchFunction>>;

/** The connection never stood: nothing has reached the other side. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
  /** `ECONNREFUSED`, `ENOTFOUND`, `TimeoutError`, … */
  readonly code: string;
  constructor(cause: Error) {
    super('The connection could not be made', { cause });
    this.code = codeOf(cause);
  }
}

/**
 * As much of `fetch` as the Slack client uses, over `node:http`: it costs half of the built-in
 * fetch's time, keeps connections longer than its 4 s, and tells what was never sent.
 * Redirects are not followed. Throws NotSentError, otherwise whatever ended the exchange.
 */
export function createAgentFetch(): webApi.FetchFunction {
  // No limit on sockets: a request that waits for one cannot be ended in time, and what is in hand
  // is bounded elsewhere.
  const options = { keepAlive: true, timeout: IDLE_MS };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  return (address, init = {}) => {
    const url = new URL(address);
    return url.protocol === 'https:'
      ? exchange(https.request, agents['https:'], url, init)
      : exchange(http.request, agents['http:'], url, init);
  };
}

/** Below the 60 s after which common balancers drop an idle connection without a word. */
const IDLE_MS = 45_000;

function exchange(
  request: typeof http.request,
  agent: http.Agent,
  url: URL,
  init: Init,
): Promise<Answer> {
  const { body } = init;
  if (body !== undefined && typeof body !== 'string') throw new TypeError('No uploads here');
  return new Promise((resolve, reject) => {
    let stood = false;
    const outgoing = request(url, {
      agent,
      method: init.method ?? 'GET',
      headers: { ...init.headers, 'content-length': Buffer.byteLength(body ?? '') },
      ...(init.signal && { signal: init.signal }),
    });
    outgoing.on('socket', (socket) => {
      // Of an earlier request: `reusedSocket` does not say so of one that was waited for.
      if (!socket.connecting) stood = true;
      else
        socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
          stood = true;
        });
    });
    outgoing.on('response', (incoming) => {
      readText(incoming).then((text) => resolve(response(url, incoming, text)), reject);
    });
    outgoing.on('error', (error) => reject(stood ? reasonOf(error) : new NotSentError(error)));
    outgoing.end(body);
  });
}

async function readText(incoming: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function response(url: URL, incoming: http.IncomingMessage, text: string): Answer {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  const status = incoming.statusCode ?? 0;
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: incoming.statusMessage ?? '',
    url: url.href,
    headers,
    text: async () => text,
    json: async () => JSON.parse(text),
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
  };
}

/** An abort by `AbortSignal.timeout` carries the reason as its cause. */
function reasonOf(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}

function codeOf(error: Error): string {
  const reason = reasonOf(error);
  return 'code' in reason && typeof reason.code === 'string' ? reason.code : reason.name;
}
