import * as z from 'zod';
import {
  connectThrough,
  type Exchanged,
  headerOf,
  isEventStream,
} from '../src/core/http/exchange.ts';
import { cleanLine } from '../src/core/lib/clean-line.ts';
import { connectionFix, type Proxies } from '../src/core/lib/proxies.ts';
import { retryAfterMs } from '../src/core/lib/retry-after.ts';
import type { System } from '../src/core/lib/system.ts';
import { webhookHeaders, webhookKey } from '../src/core/lib/webhook-key.ts';
import type { ApprovalBody, Work } from './contract/approval-body.ts';
import {
  type ApprovalDetails,
  type ApprovalSummary,
  approvalDetails,
  approvalSummary,
  askedSummary,
} from './contract/approval-details.ts';
import { GateError, refusalIn } from './contract/gate-error.ts';
import type { Credentials } from './gate-address.ts';
import { TokenError, tokenAt } from './id-token.ts';

/**
 * A client of the intake (docs/intake.md), for commands that use a running Gatepost. Every call is safe to repeat: a
 * key, or a token, identifies one request.
 */
export interface GateClient {
  ask(request: ApprovalBody, signal: AbortSignal): Promise<GateSummary>;
  /** Answers when it is final or BLOCKED, or after `waitS` seconds, at most 50. */
  read(id: string, waitS: number, signal: AbortSignal): Promise<GateDetails>;
  /** The same, at once, of the request that was asked for with this key. */
  find(key: string, signal: AbortSignal): Promise<GateDetails>;
  /** Makes Gatepost retry now what it would retry later, such as a message that Slack refused. */
  check(id: string, signal: AbortSignal): Promise<GateSummary>;
  withdraw(id: string, signal: AbortSignal): Promise<GateSummary>;
  /** Reports what became of what was approved. */
  report(id: string, work: Work): Promise<GateSummary>;
  /**
   * Sends a message of the Model Context Protocol, and answers with the message that is the whole answer, or an empty
   * text: there is none, or `onEvents` had it.
   */
  relay(
    message: string,
    options: {
      readonly headers: Readonly<Record<string, string>>;
      readonly ms: number;
      readonly signal: AbortSignal;
      readonly onEvents: (part: Buffer) => void;
    },
  ): Promise<string>;
  /** The time at Gatepost, as far as its answers have shown it. */
  now(): number;
  close(): Promise<void>;
}

type GateSummary = ApprovalSummary;
export type GateDetails = ApprovalDetails;

interface ClientNeeds extends System {
  readonly url: URL;
  readonly credentials: Credentials;
  /** Names the source, if an identity token matches several. */
  readonly source?: string | undefined;
  readonly proxies: Proxies;
}

type Answered = Extract<Exchanged, { kind: 'answered' }>;

const CALL_MS = 15_000;
const CONNECT_MS = 5_000;
const BODY_BYTES = 1_024 * 1_024;

export function createGateClient(needs: ClientNeeds): GateClient {
  const { url, clock, timers, source } = needs;
  const connections = connectThrough(needs.proxies)({
    most: null,
    connectTimeoutMs: CONNECT_MS,
    idleMs: 4_000,
  });
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '');
  /** Once Gatepost has answered, the address is right: a foreign answer is then a proxy's, and temporary. */
  let isFound = false;
  /** How far Gatepost's clock is ahead of this machine's. */
  let aheadMs = 0;
  /** Keys to single requests, by id: an identity token may end before its request does. */
  const requestKeys = new Map<string, string>();

  /** Each source authenticates in one way, so nothing else is tried. */
  async function authorization(
    id: string | undefined,
    body: string,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, string>>> {
    const { credentials, random } = needs;
    if (credentials.kind === 'secret') {
      const key = webhookKey(credentials.secret);
      if (key === undefined) return { authorization: `Bearer ${credentials.secret}` };
      return webhookHeaders([key], { id: random.uuid(), now: clock.now(), body });
    }
    const key = id === undefined ? undefined : requestKeys.get(id);
    try {
      const { place } = credentials;
      const bearer = key ?? (await tokenAt(place, connections, timers, signal));
      return { authorization: `Bearer ${bearer}` };
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      const isSent = false;
      if (signal.aborted) throw new GateError('aborted', 'It was interrupted.', { isSent });
      throw new GateError(error.isLasting ? 'refused' : 'unreached', error.message, { isSent });
    }
  }

  /** The answer, unless it is a refusal, or says that Gatepost cannot answer now. `value`: its body, as JSON. */
  async function send({
    method,
    path,
    id,
    text,
    headers,
    ms = CALL_MS,
    signal,
    onEvents,
  }: Sending): Promise<Answered & { readonly value: unknown }> {
    const request = {
      method,
      origin: url.origin,
      path: `${prefix}${path}`,
      headers: {
        accept: 'application/json',
        ...(await authorization(id, text ?? '', signal)),
        ...(source !== undefined && { 'gatepost-source': source }),
        'user-agent': 'gatepost',
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: text ?? null,
    };
    const limits = { deadline: { ms, timers }, maxBodyBytes: BODY_BYTES, signal, onEvents };
    const answer = wholeAnswer(await connections.send(request, limits), needs, isFound);
    const { status } = answer;
    const dated = Date.parse(headerOf(answer.headers, 'date') ?? '');
    if (Number.isFinite(dated)) aheadMs = dated - clock.now();
    if (status === 408 || status === 429 || status >= 500) {
      const waitMs = retryAfterMs(headerOf(answer.headers, 'retry-after'), clock.now()) ?? 0;
      throw new GateError('unreached', `Gatepost cannot answer now (${status}).`, {
        retryAfterMs: waitMs,
      });
    }
    const value = jsonIn(answer.body);
    const told = refusalIn(value, status);
    if (told !== undefined) {
      isFound = true;
      if (status === 401 && needs.credentials.kind === 'secret') {
        throw new GateError('refused', wrongSecret(url));
      }
      // Gatepost may have other keys by now: the next try brings a token again.
      if (status === 401 && id !== undefined && requestKeys.delete(id)) {
        throw new GateError('unreached', told);
      }
      throw new GateError(status === 404 && method === 'GET' ? 'unknown' : 'refused', told);
    }
    return { ...answer, value };
  }

  async function call<Schema extends z.ZodType>(
    schema: Schema,
    { body, ...rest }: Call,
  ): Promise<z.output<Schema>> {
    const text = body === undefined ? {} : { text: JSON.stringify(body) };
    const answer = await send({ ...rest, ...text });
    const { status, value } = answer;
    const read = schema.safeParse(value);
    if (status < 200 || status >= 300 || !read.success) {
      throw stranger(answer, `${prefix}${rest.path}`);
    }
    isFound = true;
    return read.data;
  }

  function stranger({ status, headers, code }: Answered, path: string): GateError {
    const said = `${url.origin} did not answer like Gatepost (${status}).`;
    if (isFound) return new GateError('unreached', said);
    const location = headerOf(headers, 'location') ?? '';
    const base = `${url.origin}${path}`;
    const isMoved = status >= 300 && status < 400 && URL.canParse(location, base);
    const fix = isMoved
      ? movedTo(new URL(location, base), path)
      : (connectionFix(code, url.origin, needs.proxies) ??
        (prefix === ''
          ? 'Check GATEPOST_URL.'
          : 'Check GATEPOST_URL: it has a path, which Gatepost has only behind a proxy that adds one.'));
    return new GateError('refused', `${said} ${fix}`);
  }

  return {
    async ask(body, signal) {
      const asked = await call(askedSummary, {
        method: 'POST',
        path: '/v1/approvals',
        body,
        signal,
      });
      const { requestKey, ...summary } = asked;
      if (requestKey !== undefined) requestKeys.set(summary.id, requestKey);
      return summary;
    },
    read: (id, waitS, signal) =>
      call(approvalDetails, {
        method: 'GET',
        path: `${pathOf(id)}?wait=${waitS}`,
        id,
        ms: CALL_MS + waitS * 1_000,
        signal,
      }),
    find: (key, signal) =>
      call(approvalDetails, {
        method: 'GET',
        path: `/v1/approvals?key=${encodeURIComponent(key)}`,
        signal,
      }),
    check: (id, signal) =>
      call(approvalSummary, { method: 'POST', path: `${pathOf(id)}/check`, id, signal }),
    withdraw: (id, signal) =>
      call(approvalSummary, { method: 'POST', path: `${pathOf(id)}/withdraw`, id, signal }),
    report: (id, work) =>
      call(approvalSummary, {
        method: 'POST',
        path: `${pathOf(id)}/result`,
        id,
        body: work,
        signal: new AbortController().signal,
      }),
    async relay(text, { headers, ms, signal, onEvents }) {
      const path = '/mcp';
      const accept = 'application/json, text/event-stream';
      const all = { accept, ...headers };
      const answer = await send({ method: 'POST', path, text, headers: all, ms, signal, onEvents });
      const { status, value, body } = answer;
      const isEmpty = status === 202 || isEventStream(answer.headers);
      if (!isEmpty && !message.safeParse(value).success) throw stranger(answer, `${prefix}${path}`);
      isFound = true;
      return isEmpty ? '' : String(body);
    },
    now: () => clock.now() + aheadMs,
    close: () => connections.close(),
  };
}

/** Without what could be secret. A sign-in page has another path. */
function movedTo({ origin, pathname }: URL, path: string): string {
  const [own = ''] = path.split('?');
  const at = origin === 'null' ? 'another kind of address' : cleanLine(`${origin}${pathname}`);
  const fix = pathname.endsWith(own)
    ? `Set GATEPOST_URL to ${cleanLine(`${origin}${pathname.slice(0, -own.length)}`)}.`
    : 'Set GATEPOST_URL to an address where Gatepost itself answers.';
  return `It redirects to ${at}, and a secret does not follow redirects. ${fix}`;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The request that it is about. */
  readonly id?: string;
  readonly body?: unknown;
  readonly ms?: number;
  readonly signal: AbortSignal;
}

interface Sending extends Omit<Call, 'body'> {
  /** In JSON. */
  readonly text?: string;
  /** Besides the usual ones, or instead of them. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly onEvents?: (part: Buffer) => void;
}

/** Of JSON-RPC 2.0. */
const message = z.looseObject({ jsonrpc: z.literal('2.0') });

function wrongSecret({ origin }: URL): string {
  return `GATEPOST_INTAKE_SECRET is not what ${origin} expects (401). Set it to the secret of your source. If that signs its requests (whsec_…), check this machine's clock too.`;
}

function pathOf(id: string): string {
  return `/v1/approvals/${encodeURIComponent(id)}`;
}

/** A truncated answer has no meaning: the connection broke, or the signal fired. */
function wholeAnswer(
  end: Exchanged,
  { url: { origin }, proxies }: ClientNeeds,
  isProven: boolean,
): Answered {
  const { kind, code } = end;
  const isSent = kind !== 'failed' || end.sent;
  if (code === 'aborted') throw new GateError('aborted', 'It was interrupted.', { isSent });
  if (kind === 'failed') {
    const said = `Gatepost cannot be reached at ${origin} (${code}).`;
    const fix = connectionFix(code, origin, proxies, { isProven });
    throw new GateError('unreached', fix === undefined ? said : `${said} ${fix}`, { isSent });
  }
  // An answer that is too large is not Gatepost's.
  if (end.body === null && code !== 'body_too_large') {
    throw new GateError('unreached', `The answer from ${origin} was cut off (${code}).`);
  }
  return end;
}

function jsonIn(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
}
