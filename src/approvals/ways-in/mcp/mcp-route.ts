/**
 * Agents ask here (Model Context Protocol over HTTP): the route (this file), what it offers (`mcp-server.ts`), the tools
 * (`tools.ts`) and to which call an approval goes (`one-call.ts`). Each message is answered by itself, on any replica: no
 * session is kept. Nothing of it is loaded before the first message.
 */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestedBy } from '../../../../ask/contract/approval-body.ts';
import {
  REQUESTED_BY_HEADER,
  readRequestedBy,
  readRequestedByHeader,
} from '../../../../ask/contract/requested-by.ts';
import type { Source } from '../../../core/config/config.ts';
import { MOST_AT_ONCE, sourceDoor, TOO_MANY } from '../../../core/http/from-source.ts';
import { problem } from '../../../core/http/problem.ts';
import type { Reply } from '../../../core/http/reply.ts';
import type { Route as HttpRoute } from '../../../core/http/router.ts';
import { REQUEST_LIMIT } from '../intake.ts';
import { type IntakeCore, intakeCalls } from '../intake-calls.ts';
import { proofOf, type Sender } from '../sender.ts';
import { mcpServer } from './mcp-server.ts';
import { ownGate } from './own-gate.ts';
import { toolsFor } from './tools.ts';

/** Messages of all sources that are answered at a time: most of them only wait. */
const MOST_STREAMS = 4 * MOST_AT_ONCE;
/** Proxies cut connections on which nothing arrives. */
const KEEP_ALIVE_MS = 10_000;

export function mcpRoute(core: IntakeCore): HttpRoute {
  const door = sourceDoor(core);
  const serve = server(core);
  const streams = createStreams();
  return {
    method: 'POST',
    path: '/mcp',
    async handle(request) {
      if (!isOwnOrigin(request.headers)) return FOREIGN;
      let message: Message | undefined;
      const checked = await door(
        request,
        async (sender, body) => {
          if (isBatch(body)) return BATCH;
          const asker = readAsker(request.headers);
          const refused = mayNot(sender.source) ?? asker.refused ?? streams.refused(sender.source);
          if (refused !== undefined) return refused;
          message = { request, body, sender, requestedBy: asker.requestedBy };
          return ACCEPTED;
        },
        { limit: REQUEST_LIMIT },
      );
      // Waiting messages do not count as requests being answered.
      return message === undefined ? checked : streams.answer(message, serve);
    },
  };
}

interface Message {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly sender: Sender;
  readonly requestedBy: RequestedBy | undefined;
}

/** Answers a message; the signal fires when its client has left. */
type Serve = (message: Message, signal: AbortSignal) => Promise<Response>;

function server(core: IntakeCore): Serve {
  const { store, logger, waiting } = core;
  const calls = intakeCalls(core);
  const onError = (error: unknown) => {
    const reference = core.newReference();
    logger.error({ err: error, reference }, 'a tool call of an agent failed');
    return `Gatepost could not do this. Its log says why (${reference}).`;
  };
  return async ({ request, body, sender, requestedBy }, signal) => {
    const sdk = await import('@modelcontextprotocol/server');
    const { source } = sender;
    const proof = proofOf(sender);
    const tools = toolsFor({
      gate: ownGate(calls, sender),
      store,
      system: core,
      requestedBy,
      scope: [source.id, proof?.scope, proof?.subject, proof?.person],
      isStopping: () => waiting.isStopped,
      onError,
    });
    const handler = sdk.createMcpHandler(
      ({ era }) => mcpServer(sdk, core.version, tools, era === 'modern'),
      {
        legacy: 'stateless',
        // Even without news, the connection is kept alive.
        responseMode: 'sse',
        keepAliveMs: KEEP_ALIVE_MS,
        // What the server offers never changes.
        maxSubscriptions: 0,
        onerror(error) {
          logger.warn(
            { err: error, source: source.id },
            'a message of an agent was not understood',
          );
        },
      },
    );
    const headers = textHeaders(request.headers);
    return handler.fetch(
      new Request(ADDRESS, { method: 'POST', headers, body: new Uint8Array(body), signal }),
    );
  };
}

/** The SDK reads the headers and the body, and nothing of the address. */
const ADDRESS = 'http://gatepost/mcp';

function textHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
  return Object.fromEntries(
    names.map((name) => [name, String(headers[name] ?? '')]).filter(([, value]) => value !== ''),
  );
}

/** Limits the messages that are answered at a time, and ends each when its client leaves. */
function createStreams() {
  const open = new Map<Source, number>();
  let all = 0;

  function count(source: Source, by: 1 | -1): void {
    all += by;
    open.set(source, (open.get(source) ?? 0) + by);
  }

  return {
    refused: (source: Source): Reply | undefined =>
      all >= MOST_STREAMS || (open.get(source) ?? 0) >= MOST_AT_ONCE ? TOO_MANY : undefined,

    async answer(message: Message, serve: Serve): Promise<Reply> {
      const { socket } = message.request;
      const { source } = message.sender;
      const left = new AbortController();
      let isOpen = true;
      count(source, 1);
      const end = () => {
        if (isOpen) count(source, -1);
        isOpen = false;
        socket.off('close', leave);
      };
      const leave = () => {
        left.abort();
        end();
      };
      socket.once('close', leave);
      try {
        if (socket.destroyed) leave();
        const response = await serve(message, left.signal);
        const headers = Object.fromEntries(response.headers);
        const { status, body } = response;
        if (body === null || !headers['content-type']?.startsWith('text/event-stream')) {
          const text = await response.text();
          end();
          return { status, headers, body: text };
        }
        return { status, headers, body: '', stream: whole(body, end) };
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}

async function* whole(body: ReadableStream<Uint8Array>, end: () => void) {
  try {
    yield* body;
  } finally {
    end();
  }
}

/** Browsers say where a page is from: one of another host has no business here. */
function isOwnOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && host !== undefined && new URL(origin).host === host;
}

/** The SDK would run all of them at once, and they would count as one. */
function isBatch(body: Buffer): boolean {
  return UTF_8.decode(body).trimStart().startsWith('[');
}

const UTF_8 = new TextDecoder();

function mayNot({ agents, kinds }: Source): Reply | undefined {
  if (agents === false) return NO_AGENTS;
  return kinds.includes('gate') ? undefined : NO_GATES;
}

/** Percent-encoded beyond ASCII. */
function readAsker(headers: IncomingHttpHeaders): {
  readonly requestedBy?: RequestedBy | undefined;
  readonly refused?: Reply;
} {
  const given = headers[REQUESTED_BY_HEADER.toLowerCase()];
  if (given === undefined || given === '') return {};
  const text = readRequestedByHeader(String(given));
  if (text === '') return {};
  const read = text === undefined ? undefined : readRequestedBy(REQUESTED_BY_HEADER, text);
  if (read === undefined)
    return { refused: notRead(`${REQUESTED_BY_HEADER} must be percent-encoded`) };
  return 'problem' in read ? { refused: notRead(read.problem.replace(/\.$/, '')) } : read;
}

function notRead(detail: string): Reply {
  return problem({ status: 400, title: 'Invalid header', detail });
}

const BATCH = problem({
  status: 400,
  title: 'Invalid message',
  detail: 'The body is a batch of messages. Send one message at a time',
});

function forbidden(detail: string): Reply {
  return problem({ status: 403, title: 'Forbidden', detail });
}

const ACCEPTED: Reply = { status: 200, headers: {}, body: '' };
const FOREIGN = forbidden('Origin names another host than this one');
const NO_AGENTS = forbidden('This source is not for agents (sources[].agents)');
const NO_GATES = forbidden('This source cannot ask for agents: it needs the kind gate');
