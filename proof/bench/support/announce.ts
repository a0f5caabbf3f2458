import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

/** Prints where a program of this folder listens, as the product does, and lets SIGTERM end it. */
export function announce(server: Server): void {
  // A server that listens on a port has an address of this shape.
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${port}` })}\n`);
  process.on('SIGTERM', () => process.exit(0));
}
