import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import * as sdk from '@modelcontextprotocol/server';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  type ApprovalRequest,
  approvalRequest,
} from '../src/approvals/ways-in/approval-request.ts';
import type { IntakeCalls } from '../src/approvals/ways-in/intake-calls.ts';
import { mcpServer } from '../src/approvals/ways-in/mcp/mcp-server.ts';
import { ownGate } from '../src/approvals/ways-in/mcp/own-gate.ts';
import { toolsFor } from '../src/approvals/ways-in/mcp/tools.ts';
import type { Sender } from '../src/approvals/ways-in/sender.ts';
import { parseJsonBody } from '../src/core/http/json-body.ts';
import { system } from '../src/core/lib/system.ts';
import type { Store } from '../src/core/store/store.ts';
import { fake } from './support/fake.ts';

export type Request = ApprovalRequest | { readonly refused: readonly string[] };

/**
 * An intake that reads by the contract, keeps what it read, and withdraws each request at once, so that nobody waits.
 */
async function openIntake() {
  const read: Request[] = [];
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const send = (status: number, body: string) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    };
    if (request.headers.authorization !== 'Bearer secret') return send(401, problemOf(401));
    if (request.url === '/mcp') return answerAgent(request, response, read);
    if (request.method === 'GET') return send(200, WITHDRAWN);
    const type = request.headers['content-type'];
    const body = parseJsonBody(type, await buffer(request), approvalRequest);
    if (body.ok) read.push(body.value);
    else {
      const { errors = [] } = JSON.parse(body.reply.body);
      read.push({ refused: errors.map(({ detail }: { detail: string }) => detail) });
    }
    return body.ok ? send(202, ASKED) : send(body.reply.status, body.reply.body);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // as: it listens on a port
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, read, close: () => server.close() };
}

/** What agents ask for, through the tools. */
async function answerAgent(
  request: IncomingMessage,
  response: ServerResponse,
  read: Request[],
): Promise<void> {
  const reply = (status: number, body: string) => ({ status, headers: {}, body });
  const calls = fake<IntakeCalls>({
    async ask(_sender, asked) {
      read.push(asked);
      return reply(202, ASKED);
    },
    read: async () => ({ reply: reply(200, WITHDRAWN), isOver: true }),
  });
  const tools = toolsFor({
    gate: ownGate(calls, fake<Sender>({})),
    store: fake<Store>({ now: () => Date.now() }),
    system,
    requestedBy: undefined,
    scope: null,
    isStopping: () => false,
    onError: String,
  });
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, String(value)] as const,
  );
  const handler = sdk.createMcpHandler(() => mcpServer(sdk, '1', tools, false));
  const body = new Uint8Array(await buffer(request));
  const answer = await handler.fetch(
    new globalThis.Request('http://gatepost/mcp', {
      method: 'POST',
      headers: Object.fromEntries(headers),
      body,
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(await answer.text());
}

const SUMMARY = { id: '0-a', url: '/v1/approvals/0-a' };
const ASKED = JSON.stringify({ ...SUMMARY, status: 'PENDING' });
const WITHDRAWN = JSON.stringify({
  ...SUMMARY,
  status: 'WITHDRAWN',
  final: true,
  shortId: 'a',
  digest: '0'.repeat(64),
  createdAt: '2030-01-01T00:00:00.000Z',
  posting: { state: 'ended', reason: 'withdrawn' },
  approvals: 0,
  needs: [],
  ballots: [],
});
const problemOf = (status: number) => JSON.stringify({ type: 'about:blank', title: 'No', status });

/** An intake for a file of tests, and a folder for what is asked about. */
export function doorsStage() {
  let intake: Awaited<ReturnType<typeof openIntake>>;
  let folder: string;
  beforeAll(async () => {
    intake = await openIntake();
    folder = await mkdtemp(join(tmpdir(), 'gatepost-doors-'));
  });
  afterAll(async () => {
    intake.close();
    await rm(folder, { recursive: true });
  });
  beforeEach(() => void intake.read.splice(0));
  return {
    url: () => intake.url,
    gatepost: () => ({ GATEPOST_URL: intake.url, GATEPOST_INTAKE_SECRET: 'secret' }),
    /** What the intake read; if nothing reached it, the client itself refused it. */
    meant(said = ''): Request {
      const [request] = intake.read.splice(0);
      return request ?? { refused: [said] };
    },
    async fileWith(content: string | Uint8Array): Promise<string> {
      const path = join(folder, 'given.txt');
      await writeFile(path, content);
      return path;
    },
  };
}

/** A member of a request, or the rules that it breaks. */
export const of =
  (member: keyof ApprovalRequest) =>
  (request: Request): unknown =>
    'refused' in request ? request : request[member];
