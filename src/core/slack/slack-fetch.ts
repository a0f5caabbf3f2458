import type { webApi } from '@slack/bolt';
import {
  type Connect,
  type Connections,
  createConnections,
  type Exchanged,
  unanswered,
} from '../http/exchange.ts';
import { RemoteFailure } from '../lib/failure.ts';

type Answer = Awaited<ReturnType<webApi.FetchFunction>>;

const OPERATION = 'slack';
/** Below the 60 s after which common balancers drop an idle connection without a word. */
const IDLE_MS = 45_000;
/** Longer than any call lasts: its own deadline ends it. */
const CONNECT_TIMEOUT_MS = 10_000;
/** No answer of Slack's comes near it. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * Connections to Slack, without a limit: a request that waits for one cannot be ended in time, and
 * what is in hand is bounded elsewhere.
 */
export function slackConnections(connect: Connect = createConnections): Connections {
  return connect({ most: null, connectTimeoutMs: CONNECT_TIMEOUT_MS, idleMs: IDLE_MS });
}

/**
 * As much of `fetch` as the library of Socket Mode uses; its signal ends the call. Throws RemoteFailure (`not-sent` or
 * `ambiguous`) where no whole answer came.
 */
export function createSlackFetch(connections: Connections): webApi.FetchFunction {
  return async (address, { method = 'GET', headers = {}, body, signal } = {}) => {
    if (body !== undefined && typeof body !== 'string') throw new TypeError('No uploads here');
    if (method !== 'GET' && method !== 'POST') throw new TypeError('Slack takes GET and POST');
    const url = new URL(address);
    const path = url.pathname + url.search;
    const request = { method, origin: url.origin, path, headers, body: body ?? null } as const;
    const limits = { deadline: null, maxBodyBytes: MAX_BODY_BYTES, signal };
    return answerFrom(url, await connections.send(request, limits));
  };
}

function answerFrom(url: URL, exchanged: Exchanged): Answer {
  if (exchanged.kind === 'failed') {
    // Nothing waits in line here: what was not sent in time had no connection in time.
    const isLate = !exchanged.sent && exchanged.code === 'timeout';
    throw unanswered(isLate ? { ...exchanged, code: 'connect_timeout' } : exchanged, OPERATION, []);
  }
  const { status, body, code } = exchanged;
  if (body === null) throw new RemoteFailure(OPERATION, { class: 'ambiguous', code });
  const headers = new Headers();
  for (const [name, value] of Object.entries(exchanged.headers)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  const text = body.toString('utf8');
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    url: url.href,
    headers,
    text: async () => text,
    json: async () => JSON.parse(text),
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
  };
}

export const SLACK_API = 'https://slack.com/api/';

/**
 * What time it is at Slack, to the second, by the header of any answer; null: it does not say. Rejects
 * when there is no answer. `apiUrl` null: Slack's own.
 */
export async function askServerTime(
  apiUrl: string | null,
  signal: AbortSignal,
  connect: Connect,
): Promise<number | null> {
  const fetch = createSlackFetch(slackConnections(connect));
  const answer = await fetch(`${apiUrl ?? SLACK_API}api.test`, { method: 'POST', signal });
  const at = Date.parse(answer.headers.get('date') ?? '');
  return Number.isNaN(at) ? null : at;
}
