import type { Connections, Exchanged, ExchangeLimits } from '../http/exchange.ts';
import { type FailureFacts, RemoteFailure } from '../lib/failure.ts';
import { answerFacts, httpFacts, RATE_LIMIT, wait } from './slack-failure.ts';

/**
 * Slack's Web API (https://docs.slack.dev/apis/web-api): each call is one POST of a form, sent once; its answer is JSON
 * with `ok`. What a 429 asks for is an error that says when to come back.
 */
export interface SlackClient {
  /** Gives the answer where it is `ok`. Members that are undefined or null are not sent. Throws RemoteFailure. */
  apiCall(method: string, parameters?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

interface WebApiNeeds {
  readonly botToken: string;
  readonly apiUrl: string;
  readonly connections: Connections;
  readonly limits: ExchangeLimits;
  /** What Slack remarks on a call that it took. */
  readonly warn: (said: string) => void;
  /** Told the header `date` of each answer. */
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
      // Which scopes the token has is said in a header alone.
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

/** Nothing waits in line here: what was not sent in time had no connection in time. */
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

/** What is no JSON comes from something in between, when Slack may have done it. */
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

/** As Slack's own client reads them: `warnings` are codes, `messages` begin with how bad they are. */
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
