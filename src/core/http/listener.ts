/**
 * HTTP in both directions: the one port for all requests (this file), their source (`source-of.ts`), bodies, problems
 * and the OpenAPI document; and requests to others (`exchange.ts`).
 */

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Timers } from '../lib/timers.ts';
import type { Metrics } from './metrics.ts';
import { problem } from './problem.ts';
import { textReply, writeReply } from './reply.ts';
import { createRouter, type Route, type Router } from './router.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  /** For `/readyz`. Once the listener stops it is not ready, whatever this says. */
  readonly isReady: () => boolean;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly timers: Timers;
}

export interface HttpListener {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /**
   * Accepts no more requests, closes connections without a complete request, waits for those in flight, and aborts them
   * after `withinMs`.
   */
  stop(withinMs: number): Promise<void>;
}

/** Listens on one port for everything. Rejects when the port is in use. */
export async function createHttpListener(options: ListenerOptions): Promise<HttpListener> {
  let isStopping = false;
  const isReady = () => options.isReady() && !isStopping;
  const route = createRouter([...ownRoutes(options, isReady), ...options.routes]);
  const connections = new Map<Socket, Set<IncomingMessage>>();
  const server = serve(route, options, connections, () => isStopping);
  await listen(server, options);
  // as: true of a server that listens on a port
  const { port } = server.address() as AddressInfo;
  const host = options.host === '0.0.0.0' || options.host === '::' ? '127.0.0.1' : options.host;
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    stop(withinMs) {
      isStopping = true;
      const closed = close(server, options.timers, withinMs);
      for (const [socket, requests] of connections) closeUnlessBusy(socket, requests);
      return closed;
    },
  };
}

function ownRoutes({ metrics }: ListenerOptions, isReady: () => boolean): Route[] {
  return [
    { method: 'GET', path: '/healthz', handle: async () => textReply(200, 'ok') },
    {
      method: 'GET',
      path: '/readyz',
      handle: async () => (isReady() ? textReply(200, 'ready') : textReply(503, 'not ready')),
    },
    {
      method: 'GET',
      path: '/metrics',
      handle: async () => ({
        status: 200,
        headers: { 'content-type': metrics.contentType },
        body: await metrics.text(),
      }),
    },
  ];
}

/**
 * Enforced by Node. Connections are kept longer than common load balancers keep them, so that none is closed during a
 * request.
 */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
};

/** @param connections collects open connections, each with its requests being answered. */
function serve(
  route: Router,
  { logger, timers }: ListenerOptions,
  connections: Map<Socket, Set<IncomingMessage>>,
  isStopping: () => boolean,
): Server {
  const server = createServer(LIMITS, (request, response) => {
    const { socket } = request;
    const requests = connections.get(socket) ?? new Set();
    requests.add(request);
    response.on('close', () => {
      requests.delete(request);
      if (isStopping()) closeUnlessBusy(socket, requests);
    });
    route(request)
      .catch((error: unknown) => {
        if (!response.destroyed) logger.error({ err: error }, 'A request could not be answered');
        return problem({ status: 500, title: 'Internal error' });
      })
      .then((reply) => {
        if (!response.destroyed) writeReply(request, response, reply, timers);
      })
      .catch((error: unknown) => {
        logger.error({ err: error }, 'An answer could not be sent');
        response.destroy();
      });
  });
  server.on('connection', (socket) => {
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
  });
  return server;
}

/** Nobody waits for the answer to an incomplete request. */
function closeUnlessBusy(socket: Socket, requests: ReadonlySet<IncomingMessage>): void {
  if (![...requests].some(({ complete }) => complete)) socket.destroySoon();
}

function listen(server: Server, { host, port }: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function close(server: Server, timers: Timers, withinMs: number): Promise<void> {
  const cancel = timers.after(withinMs, () => server.closeAllConnections());
  await new Promise((resolve) => server.close(resolve));
  cancel();
}
