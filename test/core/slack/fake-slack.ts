import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call as it arrived at the stand-in for Slack. */
export interface SeenCall {
  /** `chat.postMessage`, or the whole path outside the API. */
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Form members; those that hold JSON are parsed. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface FakeSlack extends AsyncDisposable {
  readonly url: string;
  readonly apiUrl: string;
  readonly calls: SeenCall[];
  /** Connections that were ever made. */
  readonly connections: () => number;
}

/** Answers a call: a value is sent as JSON; a function writes the response itself, or never does. */
export type Answer = (call: SeenCall) => object | undefined | ((response: ServerResponse) => void);

export async function startFakeSlack(answer: Answer = () => ({ ok: true })): Promise<FakeSlack> {
  const calls: SeenCall[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    if (request.method === 'HEAD') return void response.end();
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const path = request.url ?? '';
    const method = path.startsWith('/api/') ? path.slice('/api/'.length) : path;
    const call = { method, headers: request.headers, body: read(text) };
    calls.push(call);
    const given = answer(call);
    if (typeof given === 'function') given(response);
    else {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(given));
    }
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = addressOf(server);
  return {
    url,
    apiUrl: `${url}/api/`,
    calls,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function addressOf(server: Server): string {
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** Ends the exchange with a status and a text. */
export function status(code: number, body = '', headers: Record<string, string> = {}) {
  return (response: ServerResponse) => response.writeHead(code, headers).end(body);
}

function read(text: string): Record<string, unknown> {
  if (text.startsWith('{')) return JSON.parse(text);
  const members = [...new URLSearchParams(text)];
  return Object.fromEntries(
    members.map(([name, value]) => [name, /^[[{]/.test(value) ? JSON.parse(value) : value]),
  );
}
