import type { Connections, Exchanged, ExchangeLimits } from '../http/exchange.ts';
import { type FailureFacts, RemoteFailure } from '../lib/failure.ts';
import { answerFacts, httpFacts, RATE_LIMIT, wait } from './slack-failure.ts';

/**
 * Slack's Web API (https://docs.slack.dev/apis/web-api): each call is one POST of a form, sent once; the answer is JSON
 * with `ok`. A 429 becomes an error that says when to try again.
 */
export interface SlackClient {
  /** Returns an `ok` answer. Undefined and null members are not sent. Throws RemoteFailure. */
  apiCall(method: string, parameters?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

interface WebApiNeeds {
  readonly botToken: string;
  readonly apiUrl: string;
  readonly connections: Connections;
  readonly limits: ExchangeLimits;
  /** Called with Slack's warnings about a successful call. */
  readonly warn: (said: string) => void;
  /** Called with each answer's `date` header. */
  readonly onDate: (date: string) => void;
}

export function createWebApi(needs: WebApiNeeds): SlackClient {
  const { origin, pathname } = new URL(needs.apiUrl);
  const headers = {
    authorization: `Bearer ${needs.botToken}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
  return {
    async apiCall(method, parameters = {}) {
      const body = formOf(parameters);
      const request = { method: 'POST', origin, path: pathname + method, headers, body } as const;
      const exchanged = await needs.connections.send(request, needs.limits);
      if (exchanged.kind === 'failed') throw new RemoteFailure(method, unsentFacts(exchanged));
      const said = exchanged.headers;
      needs.onDate(String(said.date ?? ''));
      const answer = answerIn(exchanged);
      if ('facts' in answer) throw new RemoteFailure(method, answer.facts);
      const { ok, response_metadata: remarks } = answer.json;
      for (const words of warningsIn(remarks)) needs.warn(words);
      if (ok !== true) {
        throw new RemoteFailure(method, answerFacts(answer.json, secondsIn(said['retry-after'])));
      }
      // The token's scopes are only in a header.
      const scopes = method === 'auth.test' ? said['x-oauth-scopes'] : undefined;
      return scopes === undefined ? answer.json : { ...answer.json, scopes: String(scopes) };
    },
  };
}

function formOf(parameters: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null) form.append(name, String(value));
  }
  return form.toString();
}

type Answered = Extract<Exchanged, { kind: 'answered' }>;

/** There is no queue: if nothing was sent in time, the connection was not ready in time. */
function unsentFacts({ sent, code }: Extract<Exchanged, { kind: 'failed' }>): FailureFacts {
  if (sent) return { class: 'ambiguous', code };
  return { class: 'not-sent', code: code === 'timeout' ? 'connect_timeout' : code };
}

function answerIn({
  status,
  headers,
  body,
  code,
}: Answered):
  | { readonly json: Readonly<Record<string, unknown>> }
  | { readonly facts: FailureFacts } {
  if (status === 429)
    return { facts: { ...RATE_LIMIT, ...wait(secondsIn(headers['retry-after'])) } };
  if (status !== 200) return { facts: httpFacts(status) };
  if (body === null) return { facts: { class: 'ambiguous', code } };
  const json = objectIn(body.toString('utf8'));
  return json === undefined ? { facts: UNREADABLE } : { json };
}

/** An answer that is not JSON comes from something in between; Slack may have done the work. */
const UNREADABLE = { class: 'ambiguous', code: 'unreadable_answer', status: 200 } as const;

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function secondsIn(header: string | string[] | undefined): number | undefined {
  const seconds = Number.parseInt(String(header), 10);
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** Parsed like in Slack's own client: `warnings` are codes, `messages` start with their level. */
function warningsIn(remarks: unknown): readonly string[] {
  if (typeof remarks !== 'object' || remarks === null) return [];
  const { warnings, messages }: Record<string, unknown> = { ...remarks };
  const marked = textsIn(messages).filter((text) => text.startsWith(WARN));
  return [...textsIn(warnings), ...marked.map((text) => text.slice(WARN.length).trim())];
}

const WARN = '[WARN]';

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
