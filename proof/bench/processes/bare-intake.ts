import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import process from 'node:process';
import { Redis } from 'ioredis';
import { announce } from '../support/announce.ts';

/** The least that accepts a token: reads the body, compares the secret, writes once to Redis. */
const redis = new Redis(process.env.REDIS_URL ?? '');
const expected = `Bearer ${process.env.GATEPOST_INTAKE_SECRET}`;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    if (request.headers.authorization !== expected) {
      response.writeHead(401).end();
      return;
    }
    const id = randomUUID();
    await redis.set(`approval:${id}`, Buffer.concat(chunks));
    const body = JSON.stringify({ id, status: 'PENDING', url: `/v1/approvals/${id}` });
    response.writeHead(202, { 'content-type': 'application/json' }).end(body);
  });
});
server.listen(0, '127.0.0.1', () => announce(server));
