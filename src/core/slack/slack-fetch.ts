import type { webApi } from '@slack/bolt';
import {
  type Connect,
  type Connections,
  createConnections,
  type Exchanged,
  type ExchangeLimits,
  unanswered,
} from '../http/exchange.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { RATE_LIMIT } from './call-slack.ts';
import { UNREADABLE } from './slack-failure.ts';

type Answer = Awaited<ReturnType<webApi.FetchFunction>>;

const OPERATION = 'slack';
/** Below the 60 s after which common load balancers silently drop an idle connection. */
const IDLE_MS = 45_000;
/** Longer than any call, which has its own deadline. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Far above any answer of Slack's. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * Connections to Slack, unlimited: a request that waits for a connection cannot be cancelled in time, and the number of
 * calls is limited elsewhere.
 */
export function slackConnections(connect: Connect = createConnections): Connections {
  return connect({ most: null, connectTimeoutMs: CONNECT_TIMEOUT_MS, idleMs: IDLE_MS });
}

/**
 * The part of `fetch` that Slack's libraries use; the signal or the deadline ends the call. Throws RemoteFailure
 * (`not-sent` or `ambiguous`) when there was no complete answer. `deadline`: null: only the signal.
 */
export function createSlackFetch(
  connections: Connections,
  deadline: ExchangeLimits['deadline'] = null,
): webApi.FetchFunction {
  return async (address, { method = 'GET', headers = {}, body, signal } = {}) => {
    if (body !== undefined && typeof body !== 'string') throw new TypeError('No uploads here');
    if (method !== 'GET' && method !== 'POST') throw new TypeError('Slack takes GET and POST');
    const url = new URL(address);
    const path = url.pathname + url.search;
    const request = { method, origin: url.origin, path, headers, body: body ?? null } as const;
    const limits = { deadline, maxBodyBytes: MAX_BODY_BYTES, signal };
    return answerFrom(url, await connections.send(request, limits));
  };
}

function answerFrom(url: URL, exchanged: Exchanged): Answer {
  if (exchanged.kind === 'failed') {
    // There is no queue: if nothing was sent in time, the connection was not ready in time.
    const isLate = !exchanged.sent && exchanged.code === 'timeout';
    throw unanswered(isLate ? { ...exchanged, code: 'connect_timeout' } : exchanged, OPERATION, []);
  }
  const { status, headers, body, code } = exchanged;
  // Other statuses say enough without a complete body.
  if (body === null && status === 200)
    throw new RemoteFailure(OPERATION, { class: 'ambiguous', code });
  const header = (name: string) => headers[name.toLowerCase()]?.toString() ?? null;
  // Slack's client takes a 429 that does not say how long for an unknown error.
  if (status === 429 && Number.isNaN(Number.parseInt(String(header('retry-after')), 10)))
    throw new RemoteFailure(OPERATION, RATE_LIMIT);
  const text = body?.toString('utf8') ?? '';
  if (hasLongName(text)) throw new RemoteFailure(OPERATION, UNREADABLE);
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    url: url.href,
    headers: {
      get: header,
      entries: () => Object.keys(headers).map((name) => [name, header(name) ?? '']),
    },
    text: async () => text,
    json: async () => JSON.parse(text),
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
  };
}

/** Shorter answers are harmless. */
const SEARCHED_FROM = 4_000;
/** Far above any name in an answer of Slack's. */
const LONGEST_NAME = 1_000;

/**
 * Whether an object in this JSON has a very long name. Slack's client matches each name with `.*token.*`, also without
 * a debug log, and that takes seconds for a name of ten thousand characters.
 */
function hasLongName(json: string): boolean {
  if (json.length < SEARCHED_FROM) return false;
  let begin = json.indexOf('"');
  while (begin !== -1) {
    let end = json.indexOf('"', begin + 1);
    while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
    if (end === -1) return false;
    if (end - begin > LONGEST_NAME && /^\s*:/.test(json.slice(end + 1, end + 50))) return true;
    begin = json.indexOf('"', end + 1);
  }
  return false;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

export const SLACK_API = 'https://slack.com/api/';

/**
 * Slack's time, to the second, from the header of any answer; null: it has none. Rejects when there is no answer.
 * `apiUrl` null: Slack's own.
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
