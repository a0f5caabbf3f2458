import { connect, type Socket } from 'node:net';
import process from 'node:process';

/**
 * A program that opens connections to an address and leaves them. A third sends nothing, a third begins a request that
 * never ends, and a third closes its own end at once. Reports to its parent when all are open, and when the last one
 * was closed: how many were closed, and how many got a response.
 */

const [, , url = '', count = '0'] = process.argv;
const { hostname, port } = new URL(url);
/** More would not fit into the server's queue of new connections. */
const AT_ONCE = 200;

const KINDS = [
  () => undefined,
  (socket: Socket) => socket.write('POST /slack/events HTTP/1.1\r\nHost: gatepost\r\nX-Slow: '),
  (socket: Socket) => socket.end(),
] as const;

const sockets: Promise<boolean>[] = [];
for (let at = 0; at < Number(count); ) {
  const opening: Promise<void>[] = [];
  for (let more = 0; more < AT_ONCE && at < Number(count); more += 1, at += 1) {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    opening.push(new Promise((resolve) => socket.once('connect', resolve)));
    const kind = KINDS[at % KINDS.length];
    socket.once('connect', () => kind?.(socket));
    sockets.push(toldWhy(socket));
  }
  await Promise.all(opening);
}
process.send?.({ opened: sockets.length });
const ends = await Promise.all(sockets);
process.send?.({ closed: ends.length, told: ends.filter(Boolean).length });
process.disconnect();

/** Resolves when the other side has closed it. */
function toldWhy(socket: Socket): Promise<boolean> {
  let answer = '';
  socket.on('data', (piece) => {
    answer += piece;
  });
  socket.once('end', () => socket.end());
  // Reset while data was being sent: also counts as closed.
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('close', () => resolve(answer.startsWith('HTTP/1.1 408 ')));
  });
}
