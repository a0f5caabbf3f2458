import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { freePort } from '../support/free-port.ts';

export interface DoorAnswer {
  readonly status: number;
  readonly body?: unknown;
  /** The connection breaks before the last byte. */
  readonly isCut?: true;
}

/** Returns the answer to send instead of the server's; undefined lets the request through. */
export type DoorRule<Call> = (call: Call) => DoorAnswer | undefined;

/** A proxy in front of a server: it passes requests on, answers in the server's place, or is closed. */
export interface Door<Call> extends AsyncDisposable {
  readonly url: string;
  /** To each of them in turn. */
  leadTo(...urls: readonly string[]): void;
  answer(rule: DoorRule<Call> | null): void;
  /** Nobody listens at the address any more. */
  shut(): Promise<void>;
  /** Closes once the next such call has been answered; resolves then. */
  shutAfter(call: Call): Promise<void>;
  open(): Promise<void>;
  /** Breaks every connection, as a proxy does whose time is over. */
  cut(): void;
}

/** `callOf` names what a request asks for. `limitMs`: after that it cuts an answer off, whatever still arrives. */
export async function openDoor<Call>(
  callOf: (request: { readonly method: string; readonly path: string }) => Call,
  { limitMs }: { readonly limitMs?: number } = {},
): Promise<Door<Call>> {
  let targets: readonly string[] = [];
  let passed = 0;
  let rule: DoorRule<Call> | null = null;
  let last: { readonly call: Call; readonly isShut: () => void } | undefined;
  let server: Server | undefined;
  // Reserved while the door is shut.
  const port = await freePort();

  const shut = async () => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    const closed = once(closing, 'close');
    closing.close();
    closing.closeAllConnections();
    await closed;
  };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const call = callOf({ method: request.method ?? '', path: request.url ?? '' });
    if (last !== undefined && call === last.call) {
      const { isShut } = last;
      response.once('finish', () => void shut().then(isShut));
      last = undefined;
    }
    if (limitMs !== undefined) {
      const limit = setTimeout(() => response.destroy(), limitMs);
      response.once('close', () => clearTimeout(limit));
    }
    const target = targets[passed % targets.length] ?? '';
    passed += 1;
    pass(request, response, target, rule?.(call)).catch(() => response.destroy());
  };
  const open = async () => {
    server = createServer(answer).listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await open();
  return {
    url: `http://127.0.0.1:${port}`,
    leadTo(...urls) {
      targets = urls;
    },
    answer(given) {
      rule = given;
    },
    shut,
    shutAfter: (call) =>
      new Promise((isShut) => {
        last = { call, isShut };
      }),
    open,
    cut: () => server?.closeAllConnections(),
    [Symbol.asyncDispose]: shut,
  };
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  instead: DoorAnswer | undefined,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  if (instead !== undefined) {
    const { status, body = {}, isCut = false } = instead;
    const text = JSON.stringify(body);
    const length = Buffer.byteLength(text) + Number(isCut);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
    if (isCut) response.write(text, () => response.destroy());
    else response.end(text);
    return;
  }
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  const given = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  const left = new AbortController();
  response.once('close', () => left.abort());
  const answer = await fetch(`${target}${request.url}`, {
    method: request.method ?? 'GET',
    headers: Object.fromEntries(given),
    ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    redirect: 'manual',
    signal: left.signal,
  });
  const shown = ['content-type', 'retry-after'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  response.writeHead(answer.status, Object.fromEntries(shown));
  for await (const part of answer.body ?? []) response.write(part);
  response.end();
}
