import type { WebSocket } from 'ws';

/** Slack's servers ask after a connection so often; the app's client ends one that falls silent. */
const everyMs = 5_000;

/** Asks after connections, and breaks one that did not answer since it was asked last. */
export function keepAsking(socket: WebSocket): void {
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
