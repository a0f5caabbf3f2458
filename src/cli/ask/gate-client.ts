import { z } from 'zod';
import type { ApprovalRequest } from '../../approvals/intake-contract.ts';
import { approvalDetails, approvalSummary } from '../../approvals/intake-contract.ts';
import { createConnections, type Exchanged, headerOf } from '../../http/exchange.ts';
import { cleanLine } from '../../lib/clean-line.ts';
import { clip } from '../../lib/clip.ts';
import { retryAfterMs } from '../../lib/retry-after.ts';
import type { System } from '../../lib/system.ts';
import { webhookHeaders, webhookKey } from '../../lib/webhook-key.ts';

/**
 * A client of the intake (docs/intake.md), for commands that ask a running Gatepost. Every call is safe to make
 * again: a key, or a token, stands for one request.
 */
export interface GateClient {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<GateSummary>;
  /** Answers when it is final or BLOCKED, or after `waitS` seconds, at most 50. */
  read(id: string, waitS: number, signal: AbortSignal): Promise<GateDetails>;
  withdraw(id: string, signal: AbortSignal): Promise<GateSummary>;
  close(): Promise<void>;
}

// What is read leaves room for members that come later.
const gateSummary = z.looseObject(approvalSummary.shape);
const gateDetails = z.looseObject(approvalDetails.shape);

type GateSummary = z.infer<typeof gateSummary>;
export type GateDetails = z.infer<typeof gateDetails>;

/**
 * unreached: no answer, or that Gatepost cannot answer now: try again. unknown: it knows no such request.
 * refused: asking the same again is of no use. aborted: the signal said so.
 */
export class GateError extends Error {
  override readonly name = 'GateError';
  readonly code: 'unreached' | 'unknown' | 'refused' | 'aborted';
  /** How long to wait at least, where Gatepost said so. */
  readonly retryAfterMs: number;
  constructor(code: GateError['code'], message: string, retryAfterMs = 0) {
    super(message);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

interface ClientNeeds extends System {
  readonly url: URL;
  /** One that begins with `whsec_` signs each request; any other is shown as a Bearer token. */
  readonly secret: string;
}

const CALL_MS = 15_000;
const CONNECT_MS = 5_000;
const BODY_BYTES = 1_024 * 1_024;

export function createGateClient(needs: ClientNeeds): GateClient {
  const { url, clock, timers } = needs;
  const connections = createConnections({
    most: null,
    connectTimeoutMs: CONNECT_MS,
    idleMs: 4_000,
  });
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '');

  async function call<Schema extends z.ZodType>(
    schema: Schema,
    { method, path, body, ms = CALL_MS, signal }: Call,
  ): Promise<z.output<Schema>> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const request = {
      method,
      origin: url.origin,
      path: `${prefix}${path}`,
      headers: {
        accept: 'application/json',
        ...credentials(needs, text),
        'user-agent': 'gatepost',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : text,
    };
    const limits = { deadline: { ms, timers }, maxBodyBytes: BODY_BYTES, signal };
    const end = await connections.send(request, limits);
    if (end.kind === 'failed') throw unreached(end, url);
    const { status, headers } = end;
    if (status === 408 || status === 429 || status >= 500) {
      const waitMs = retryAfterMs(headerOf(headers, 'retry-after'), clock.now()) ?? 0;
      throw new GateError('unreached', `Gatepost cannot answer now (${status}).`, waitMs);
    }
    const value = jsonIn(end.body);
    if (status === 404 && method === 'GET')
      throw new GateError('unknown', problemIn(value, status));
    if (status < 200 || status >= 300) throw new GateError('refused', problemIn(value, status));
    const read = schema.safeParse(value);
    if (read.success) return read.data;
    throw new GateError(
      'refused',
      `${url.origin} did not answer like Gatepost. Check GATEPOST_URL.`,
    );
  }

  return {
    ask: (body, signal) =>
      call(gateSummary, { method: 'POST', path: '/v1/approvals', body, signal }),
    read: (id, waitS, signal) =>
      call(gateDetails, {
        method: 'GET',
        path: `${pathOf(id)}?wait=${waitS}`,
        ms: CALL_MS + waitS * 1_000,
        signal,
      }),
    withdraw: (id, signal) =>
      call(gateSummary, { method: 'POST', path: `${pathOf(id)}/withdraw`, signal }),
    close: () => connections.close(),
  };
}

/** What shows whose request it is. A source is known in one way alone: nothing else is tried. */
function credentials({ secret, clock, random }: ClientNeeds, body: string) {
  const key = webhookKey(secret);
  if (key === undefined) return { authorization: `Bearer ${secret}` };
  return webhookHeaders([key], { id: random.uuid(), now: clock.now(), body });
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly ms?: number;
  readonly signal: AbortSignal;
}

function pathOf(id: string): string {
  return `/v1/approvals/${encodeURIComponent(id)}`;
}

function unreached({ code }: Extract<Exchanged, { kind: 'failed' }>, { origin }: URL): GateError {
  if (code === 'aborted') return new GateError('aborted', 'It was interrupted.');
  return new GateError('unreached', `Gatepost cannot be reached at ${origin} (${code}).`);
}

function jsonIn(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
}

const problem = z.looseObject({
  title: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(z.looseObject({ pointer: z.string(), detail: z.string() })).optional(),
});

/** The answer's own words, as a sentence. */
function problemIn(value: unknown, status: number): string {
  const { title, detail, errors = [] } = problem.safeParse(value).data ?? {};
  const faults = errors.map((each) => `${each.pointer || 'the request'} ${each.detail}`).join('; ');
  const words = faults || detail || title || 'no reason was given';
  return `Gatepost refused the request (${status}): ${clip(cleanLine(words), 500)[0]}`;
}
