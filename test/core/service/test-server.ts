import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import net from 'node:net';

export interface SeenRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly socket: Socket;
}

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  /** Requests that arrived whole, oldest first. */
  readonly seen: SeenRequest[];
  /** Connections that were ever opened. */
  readonly connections: Socket[];
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** A real HTTP server on a free port; `answer` is called once the request's body was read, unless it is a HEAD. */
export async function startTestServer(answer: Answer): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'HEAD') return void response.end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers, socket } = request;
    const arrived = { method, url, headers, socket, body: Buffer.concat(chunks).toString() };
    seen.push(arrived);
    answer(arrived, response);
  });
  return { ...(await listening(server)), seen };
}

/** A server that speaks for itself: what it writes need not be HTTP. */
export async function startRawServer(
  onConnection: (socket: Socket) => void,
): Promise<Omit<TestServer, 'seen'>> {
  return listening(net.createServer({ allowHalfOpen: true }, onConnection));
}

async function listening(server: net.Server): Promise<Omit<TestServer, 'seen'>> {
  const connections: Socket[] = [];
  server.on('connection', (socket) => {
    connections.push(socket);
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has a port
  return {
    url: `http://127.0.0.1:${port}`,
    connections,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** What a call threw; fails when it did not throw. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call did not fail');
}
