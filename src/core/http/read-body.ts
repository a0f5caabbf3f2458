import type { IncomingMessage } from 'node:http';
import { problem } from './problem.ts';
import type { Reply } from './reply.ts';

/** The largest total of incomplete bodies in this process, in bytes. */
export const BUFFERED_MAX = 32 * 1024 * 1024;
/** The overhead of the smallest chunk of a body. */
const PIECE_BYTES = 128;

/** A body being received. */
interface Receiving {
  bytes: number;
  giveUp(): void;
}

/** In the order in which they started. */
const receiving = new Set<Receiving>();
let buffered = 0;

/** The total size of incomplete bodies. */
export function bufferedBytes(): number {
  return buffered;
}

/**
 * Reads a body of at most `limit` bytes, or returns an error response as early as possible, with the rest unread: 413,
 * what `refuse` decides from the headers, or 503 for the oldest ones when all bodies together do not fit. Rejects when
 * the client disconnects.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
  refuse: () => Reply | undefined = () => undefined,
): Promise<Buffer | Reply> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > limit) return tooLarge('The body', limit, length);
  return refuse() ?? receive(request, limit);
}

function receive(request: IncomingMessage, limit: number): Promise<Buffer | Reply> {
  return new Promise((resolve, reject) => {
    // It left before this began: no event would say so any more.
    if (request.destroyed) return reject(new Error('the client has disconnected'));
    const chunks: Buffer[] = [];
    let size = 0;
    /** False: it was answered before it was complete. */
    const end = () => {
      if (!receiving.delete(body)) return false;
      buffered -= body.bytes;
      request.off('data', onData);
      return true;
    };
    const stop = (reply: Reply) => {
      end();
      request.pause();
      chunks.length = 0;
      resolve(reply);
    };
    const body: Receiving = { bytes: 0, giveUp: () => stop(BUSY) };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      body.bytes += chunk.length + PIECE_BYTES;
      buffered += chunk.length + PIECE_BYTES;
      if (size > limit) stop(tooLarge('The body', limit));
      else makeRoom();
    };
    receiving.add(body);
    request.on('data', onData);
    request.once('end', () => {
      if (!end()) return;
      const [first] = chunks;
      resolve(first?.length === size ? first : Buffer.concat(chunks, size));
    });
    request.once('error', (error) => {
      end();
      reject(error);
    });
  });
}

/** A legitimate body is complete long before it is the oldest. */
function makeRoom(): void {
  for (const body of receiving) {
    if (buffered <= BUFFERED_MAX) return;
    body.giveUp();
  }
}

/** `bytes`: the body's size, if known. */
export function tooLarge(what: string, limit: number, bytes?: number): Reply {
  const most = limit.toLocaleString('en');
  const detail =
    bytes === undefined
      ? `${what} has more than the ${most} bytes that are possible`
      : `${what} has ${bytes.toLocaleString('en')} bytes; ${most} are possible`;
  return problem({ status: 413, title: 'Content too large', detail });
}
const BUSY = problem({
  status: 503,
  title: 'Service unavailable',
  detail: 'Too much is being received at once. Send this again',
  retryAfterS: 1,
});
