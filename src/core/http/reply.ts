import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Timers } from '../lib/timers.ts';

/** An HTTP response. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Sent after the body, as it comes, until it ends or the client disconnects. */
  readonly stream?: AsyncIterable<Uint8Array>;
}

export function jsonReply(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = JSON.stringify(value);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

export function textReply(status: number, body: string): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/**
 * Sends a response. If part of the request is unread the connection is closed afterwards, but not at once: closing it
 * over unread bytes would reset it, and the client would not see the response.
 */
export function writeReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  timers: Timers,
): void {
  const { status, headers, body, stream } = reply;
  if (stream !== undefined) {
    response.writeHead(status, headers);
    response.write(body);
    // A client that leaves is no failure, and an error in the stream cuts the response: both end here.
    pipeline(Readable.from(stream), response, () => {});
    return;
  }
  const length = Buffer.byteLength(body);
  if (request.complete || hasNoBody(request)) {
    response.writeHead(status, { ...headers, 'content-length': length });
    response.end(body);
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': length, connection: 'close' });
  response.write(body);
  const cancel = timers.after(LINGER_MS, () => response.end());
  request.once('close', () => {
    cancel();
    response.end();
  });
  request.once('end', () => response.end());
  request.resume();
}

const LINGER_MS = 2_000;

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}
