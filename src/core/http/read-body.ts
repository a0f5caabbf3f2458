import type { IncomingMessage } from 'node:http';
import { problem } from './problem.ts';
import type { Reply } from './reply.ts';

/** Bytes of bodies that this process holds at a time before it knows them whole. */
export const BUFFERED_MAX = 32 * 1024 * 1024;
/** What the smallest piece of a body takes besides its bytes. */
const PIECE_BYTES = 128;

/** A body that is being received. */
interface Receiving {
  bytes: number;
  giveUp(): void;
}

/** The one that began first stands first. */
const receiving = new Set<Receiving>();
let buffered = 0;

/** How much is held of bodies that are being received. */
export function bufferedBytes(): number {
  return buffered;
}

/**
 * Reads a body of at most `limit` bytes, or gives the answer to send instead, as early as it is known;
 * the rest is then unread: 413, what `refuse` says of the headers alone, or 503 for those that have
 * been on their way longest when more is sent at once than fits. Rejects when the client goes away.
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
    const chunks: Buffer[] = [];
    let size = 0;
    /** False: it was answered before it was whole. */
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

/** Whoever sends what it has a right to is done long before it is the oldest. */
function makeRoom(): void {
  for (const body of receiving) {
    if (buffered <= BUFFERED_MAX) return;
    body.giveUp();
  }
}

/** `bytes` where it is known how many there are. */
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
