import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export const CALLBACK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface ReceivedCallback {
  readonly id: string;
  readonly at: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A server for callbacks: it accepts only those that the official library verifies. */
export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly ReceivedCallback[];
  /** How many had a wrong signature. */
  readonly refused: number;
  /** How many are waiting for an answer that does not come. */
  readonly hanging: number;
  /** Its answer from now on, a status; `hang`: none. */
  answer(how: (received: ReceivedCallback) => number | 'hang' | 'redirect'): void;
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedCallback[] = [];
  let refused = 0;
  let hanging = 0;
  let how: Parameters<WebhookReceiver['answer']>[0] = () => 204;
  const webhook = new Webhook(CALLBACK_SECRET);
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const { headers } = request;
      try {
        // as: the library reads these three as texts
        webhook.verify(body, headers as Record<string, string>);
      } catch {
        refused += 1;
        response.writeHead(401).end();
        return;
      }
      const { type, data } = JSON.parse(body);
      const one = { id: String(headers['webhook-id']), at: Date.now(), type, data, headers };
      received.push(one);
      const answer = how(one);
      if (answer === 'hang') {
        hanging += 1;
        response.once('close', () => {
          hanging -= 1;
        });
        return;
      }
      if (answer === 'redirect') response.writeHead(307, { location: '/elsewhere' }).end();
      else response.writeHead(answer).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  return {
    url: `http://127.0.0.1:${port}/hooks?team=deploys`,
    received,
    get refused() {
      return refused;
    },
    get hanging() {
      return hanging;
    },
    answer(given) {
      how = given;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
