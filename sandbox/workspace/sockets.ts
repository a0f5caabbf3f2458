import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { createEnvelopes } from './envelopes.ts';
import type { Carry } from './notice.ts';
import { bot } from './seed.ts';
import type { DisconnectReason, SocketsHandle } from './workspace-handle.ts';

interface Sockets {
  readonly handle: SocketsHandle;
  /** An address for one connection. */
  readonly newAddress: () => string;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Sends a notice over one of the connections. */
  readonly deliver: Carry;
}

interface SocketsNeeds {
  /** The sandbox's HTTP address. */
  readonly url: string;
  readonly randomId: () => string;
  readonly patienceMs: number;
  readonly changed: () => void;
  /** Aborted when every connection has to end. */
  readonly closed: AbortSignal;
}

/** The app's Socket Mode connections. */
export function createSockets({
  url,
  randomId,
  patienceMs,
  changed,
  closed,
}: SocketsNeeds): Sockets {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const envelopes = createEnvelopes(randomId, patienceMs);
  /** Those that get envelopes. */
  const live = new Set<WebSocket>();
  let turn = 0;

  const leave = (socket: WebSocket): void => {
    if (live.delete(socket)) changed();
  };
  const join = (socket: WebSocket): void => {
    socket.on('error', () => leave(socket));
    socket.on('close', () => leave(socket));
    socket.on('message', (data) => envelopes.take(socket, String(data)));
    if (live.size >= mostSockets) {
      dismiss(socket, 'too_many_websockets');
      return;
    }
    live.add(socket);
    keepAsking(socket);
    socket.send(JSON.stringify(hello(live.size)));
    changed();
  };
  closed.addEventListener('abort', () => {
    for (const socket of server.clients) socket.terminate();
  });
  return {
    handle: {
      open: () => live.size,
      disconnect: (reason, most = live.size) => {
        for (const socket of [...live].slice(0, most)) {
          leave(socket);
          dismiss(socket, reason);
        }
      },
      drop: () => {
        for (const socket of live) socket.terminate();
      },
      freeze: () => {
        for (const socket of live) socket.pause();
      },
      send: (text) => {
        for (const socket of live) socket.send(text);
      },
    },
    newAddress: () => {
      const ticket = randomId();
      tickets.add(ticket);
      return `${url.replace(/^http/, 'ws')}/slack/socket?ticket=${ticket}&app_id=${bot.appId}`;
    },
    upgrade: (request, socket, head) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', url);
      const isInvited = tickets.delete(searchParams.get('ticket') ?? '');
      if (!isInvited || pathname !== '/slack/socket' || closed.aborted) {
        socket.destroy();
        return;
      }
      stayOpen(socket);
      server.handleUpgrade(request, socket, head, join);
    },
    deliver: (notice) => {
      const open = [...live].filter((socket) => socket.readyState === socket.OPEN);
      turn += 1;
      return envelopes.deliver(open[turn % open.length], notice);
    },
  };
}

/** Slack's limit for one app. */
const mostSockets = 10;
/** How long a connection that is asked to disconnect has to finish. */
const farewellMs = 10_000;

function dismiss(socket: WebSocket, reason: DisconnectReason | 'too_many_websockets'): void {
  socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-1' } }));
  const isPlanned = reason === 'warning' || reason === 'refresh_requested';
  setTimeout(() => socket.terminate(), isPlanned ? farewellMs : 0).unref();
}

function hello(count: number): object {
  return {
    type: 'hello',
    num_connections: count,
    connection_info: { app_id: bot.appId },
    debug_info: { host: 'applink-1', build_number: 1, approximate_connection_time: 3600 },
  };
}

/** After the closing handshake Slack leaves the TCP connection open; the client can close it. */
function stayOpen(socket: Duplex): void {
  socket.end = () => socket;
  socket.once('end', () => socket.destroy());
}

/** Slack's servers send pings at this interval; the app's client closes a connection without them. */
const everyMs = 5_000;

/** Pings the connections, and terminates one that did not answer the last ping. */
function keepAsking(socket: WebSocket): void {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  const timer = setInterval(() => {
    if (!answered) socket.terminate();
    answered = false;
    socket.ping('Ping from Slack');
  }, everyMs).unref();
  socket.on('close', () => clearInterval(timer));
}
