import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import process from 'node:process';

/**
 * Below the system's ports for outgoing connections: one of those could be taken, even by the connection that checks
 * whether the server is up.
 */
const FIRST = 20_000;
const SPAN = 1_500;
/** Each test worker has its own range, so that no two return the same port. */
const start = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % 8) * SPAN;
/** A port that was given away may not be in use yet. */
const given = new Set<number>();

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = start + randomInt(SPAN);
    if (given.has(port) || !(await isFree(port))) continue;
    // Half are given: the first of them are in use by now.
    if (given.size > SPAN / 2) given.clear();
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
