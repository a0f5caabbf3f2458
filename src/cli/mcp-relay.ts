import { StringDecoder } from 'node:string_decoder';
import type { RequestedBy } from '../../ask/contract/approval-body.ts';
import { GateError } from '../../ask/contract/gate-error.ts';
import { REQUESTED_BY_HEADER, requestedByHeader } from '../../ask/contract/requested-by.ts';
import type { GateClient } from '../../ask/gate-client.ts';
import { isObject } from '../approvals/ways-in/contract-values.ts';
import type { System } from '../core/lib/system.ts';

interface RelayNeeds {
  readonly client: GateClient;
  readonly system: System;
  /** Who asks; undefined: nobody knows. */
  readonly requester: RequestedBy | undefined;
  /** Sends a message, as a line of JSON, to the client. */
  readonly answer: (line: string) => void;
  /** Ends everything that is under way. */
  readonly signal: AbortSignal;
}

export interface Relay {
  /** Sends a message of the client to Gatepost, and passes on what it answers. */
  take(message: string): void;
  /** Once nothing is under way. */
  ended(): Promise<void>;
}

/** Many clients give up after 60 s. */
const ANSWER_MS = 55_000;
/** How often a message is sent while it is not answered, and the waits in between. */
const TRIES = 5;
const RETRY_MS = 1_000;

/**
 * Messages of the Model Context Protocol on their way to `/mcp`, each in a request of its own. What was not answered is
 * sent again: the same call finds its request.
 */
export function createRelay({ client, system, requester, answer, signal }: RelayNeeds): Relay {
  const { clock, timers } = system;
  const underWay = new Set<Call>();
  const header = requester && requestedByHeader(requester);
  const asked = header === undefined ? {} : { [REQUESTED_BY_HEADER]: header };
  /** Of revisions before 2026-07-28, which agree on it once. */
  let version: string | undefined;

  function headersOf(message: Message): Readonly<Record<string, string>> {
    const { method = '', params = {} } = message;
    const own = versionIn(message);
    const at = own ?? version;
    const name = own === undefined ? undefined : nameIn(method, params);
    return {
      ...asked,
      ...(at !== undefined && isPlain(at) && { 'mcp-protocol-version': at }),
      ...(own !== undefined && isPlain(method) && { 'mcp-method': method }),
      ...(name !== undefined && { 'mcp-name': headerValue(name) }),
    };
  }

  /** Passes on one message from Gatepost; true: the answer to the request. */
  function pass(text: string, { id, method }: Message): boolean {
    const message = parse(text);
    if (message === undefined) return false;
    const isAnswer = 'result' in message || 'error' in message;
    if (isAnswer && method === 'initialize' && isObject(message.result)) {
      version = textIn(message.result, 'protocolVersion');
    }
    // An error about a message as such does not name its request.
    const isNamed = !isAnswer || message.id !== null || id === undefined;
    answer(isNamed ? text : JSON.stringify({ ...message, id }));
    return isAnswer;
  }

  async function deliver(text: string, message: Message, ended: AbortSignal): Promise<void> {
    const giveUpAt = clock.monotonic() + ANSWER_MS;
    let progress = 0;
    for (let tries = 1; ; tries += 1) {
      let isAnswered = false;
      const events = eventReader((event) => {
        const counted = progressIn(event);
        // It only ever increases, and a call that is sent again counts anew.
        if (counted !== undefined && counted <= progress) return;
        progress = counted ?? progress;
        isAnswered = pass(event, message) || isAnswered;
      });
      try {
        const ms = giveUpAt - clock.monotonic();
        const more = { headers: headersOf(message), onEvents: events, ms, signal: ended };
        const body = await client.relay(tries === 1 ? text : shortened(text, message, ms), more);
        // One answer in JSON, such as a refusal of the message as such.
        if (!isAnswered && body !== '') isAnswered = pass(body, message);
        if (isAnswered || message.id === undefined) return;
        throw new GateError('unreached', 'Gatepost did not answer.');
      } catch (error) {
        if (isAnswered || ended.aborted) return;
        if (!(error instanceof GateError)) throw error;
        const waitMs = Math.max(RETRY_MS * tries, error.retryAfterMs);
        const isOver = tries === TRIES || clock.monotonic() + waitMs >= giveUpAt;
        if (error.code !== 'unreached' || isOver) return fail(message, error);
        await timers.sleep(waitMs, ended).catch(() => {});
      }
    }
  }

  function fail(message: Message, error: GateError): void {
    const { id } = message;
    if (id === undefined) return;
    const next = error.code === 'unreached' ? UNREACHED : NOTHING;
    const text = `${error.message} ${next}`;
    const about = { jsonrpc: '2.0', id };
    if (message.method !== 'tools/call') {
      answer(JSON.stringify({ ...about, error: { code: INTERNAL, message: text } }));
      return;
    }
    const isModern = versionIn(message) !== undefined;
    const result = {
      ...(isModern && { resultType: 'complete' }),
      content: [{ type: 'text', text }],
      isError: true,
    };
    answer(JSON.stringify({ ...about, result }));
  }

  return {
    take(text) {
      const message = parse(text) ?? {};
      if (message.method === CANCELLED) {
        const id = requestIdIn(message);
        // Gatepost notices that the connection is closed.
        for (const call of underWay) if (id !== undefined && call.id === id) call.cancel();
        return;
      }
      const cancelled = new AbortController();
      const ends = AbortSignal.any([signal, cancelled.signal]);
      const done = deliver(text, message, ends).finally(() => underWay.delete(call));
      const call = { id: message.id, cancel: () => cancelled.abort(), done };
      underWay.add(call);
    },
    async ended() {
      await Promise.all([...underWay].map(({ done }) => done));
    },
  };
}

/** A call that waits, sent again, has to be answered within what is left. */
function shortened(text: string, { params, ...message }: Message, leftMs: number): string {
  if (message.method !== 'tools/call' || textIn(params, 'name') !== WAITS) return text;
  const given = params !== undefined && 'arguments' in params ? params.arguments : undefined;
  if (!isObject(given)) return text;
  const wanted = 'seconds' in given ? Number(given.seconds) : Number.NaN;
  const left = Math.max(1, Math.floor(leftMs / 1_000) - SPARE_S);
  const seconds = wanted < left ? wanted : left;
  return JSON.stringify({ ...message, params: { ...params, arguments: { ...given, seconds } } });
}

const WAITS = 'wait_for_approval';
const SPARE_S = 5;
const CANCELLED = 'notifications/cancelled';
/** Of JSON-RPC 2.0. */
const INTERNAL = -32_603;
const NOTHING = 'Nothing is approved.';
const UNREACHED = 'This is no denial, and nothing is approved. To go on, make the same call again.';

interface Call {
  /** Of the client's request. */
  readonly id: unknown;
  readonly cancel: () => void;
  readonly done: Promise<void>;
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: object;
  readonly result?: unknown;
}

function parse(text: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textIn(value: unknown, name: string): string | undefined {
  const member = isObject(value) ? Object.entries(value).find(([each]) => each === name)?.[1] : '';
  return typeof member === 'string' && member !== '' ? member : undefined;
}

function requestIdIn({ params }: Message): unknown {
  return params !== undefined && 'requestId' in params ? params.requestId : undefined;
}

function progressIn(text: string): number | undefined {
  const { method, params = {} } = parse(text) ?? {};
  if (method !== 'notifications/progress' || !('progress' in params)) return undefined;
  return Number(params.progress);
}

/** Named by each message from revision 2026-07-28 on. */
function versionIn({ params }: Message): string | undefined {
  const meta = params !== undefined && '_meta' in params ? params._meta : undefined;
  return textIn(meta, 'io.modelcontextprotocol/protocolVersion');
}

/** What the header Mcp-Name repeats (SEP-2243, SEP-2663). */
function nameIn(method: string, params: object): string | undefined {
  const member = NAMED_BY.get(method);
  return member === undefined ? undefined : textIn(params, member);
}

const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** What no header can have as it is, in the form of SEP-2243. */
function headerValue(text: string): string {
  const isAsItIs = isPlain(text) && !text.startsWith('=?base64?');
  return isAsItIs ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function isPlain(text: string): boolean {
  return /^[!-~]+$/.test(text);
}

/** Reads a stream of server-sent events, and hands out the data of each. */
function eventReader(onEvent: (data: string) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let data: string[] = [];
  return (chunk) => {
    const [first = '', ...others] = decoder.write(chunk).split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const text = line.replace(/\r$/, '');
      if (text === '' && data.length > 0) {
        onEvent(data.join('\n'));
        data = [];
      } else if (text.startsWith('data:')) data.push(text.slice(5).replace(/^ /, ''));
    }
  };
}
