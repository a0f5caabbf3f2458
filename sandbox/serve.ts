import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Exchange, readExchange, send } from './exchange.ts';

export interface Serving {
  /** Without a trailing slash. */
  readonly url: string;
  /** Sets the handler; requests wait until it is set. */
  readonly answerWith: (answer: (exchange: Exchange) => Promise<void>) => void;
  /** Sets the handler of WebSocket upgrades. */
  readonly upgradeWith: (
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
  ) => void;
  /** Closes every connection that is not a WebSocket. */
  readonly close: () => Promise<void>;
}

/**
 * Listens, and passes on each request once it is read in full. A failure of the sandbox itself is a 500 and is written
 * to stderr.
 */
export async function serve(port: number, host: string): Promise<Serving> {
  const server = createServer();
  const url = await listen(server, port, host);
  let closed = false;
  return {
    url,
    answerWith: (answer) =>
      server.on('request', (request, response) => {
        readExchange(request, response)
          .then(answer)
          .catch((error: unknown) => {
            if (closed || request.destroyed) return;
            console.error('The sandbox failed at a request.', error);
            send(response, { status: 500, body: { ok: false, error: 'sandbox_failure' } });
          });
      }),
    upgradeWith: (upgrade) => server.on('upgrade', upgrade),
    close: async () => {
      closed = true;
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await ended;
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  // A server that listens on a host and port has an address with both.
  const { address, family, port: taken } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
}
