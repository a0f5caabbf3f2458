import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** What a proxy does with one CONNECT, or with what goes through its tunnel. */
export type ProxyWay =
  | { readonly kind: 'open' }
  | { readonly kind: 'refuse'; readonly status: number }
  /** It never answers. */
  | { readonly kind: 'hang' }
  /** It opens the tunnel only then. */
  | { readonly kind: 'late'; readonly until: Promise<unknown> }
  /** It breaks the connection instead of answering. */
  | { readonly kind: 'cut' }
  /** It opens the tunnel, and breaks it before a byte comes through. */
  | { readonly kind: 'cutOpened' }
  /** It breaks the tunnel at a request that matches `what`, before or after passing it on. */
  | { readonly kind: 'cutBefore' | 'cutAfter'; readonly what?: RegExp };

export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The requested `host:port`s, in order, including refused ones. */
  readonly asked: readonly string[];
  /** `Proxy-Authorization` of each. */
  readonly credentials: readonly (string | undefined)[];
  /** Requests that should have been forwarded without a tunnel. */
  readonly forwarded: readonly string[];
  /** How many tunnels it broke at a request. */
  readonly broken: number;
  /** Open tunnels. */
  readonly standing: number;
  way: ProxyWay;
  /** Breaks every open tunnel. */
  cut(): void;
  /** Ends as if killed; nothing listens at its port until `restart`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** The environment of a program that can reach only this proxy. */
export function onlyThrough({ url, port }: ConnectProxy): Record<string, string> {
  const preload = new URL('only-way-out.mjs', import.meta.url);
  return { HTTP_PROXY: url, ONLY_WAY_OUT: String(port), NODE_OPTIONS: `--import ${preload}` };
}

/** A proxy that only opens tunnels. */
export async function startConnectProxy(): Promise<ConnectProxy> {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const forwarded: string[] = [];
  const standing = new Set<Socket>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    forwarded.push(String(request.url));
    response.writeHead(502).end('<h1>502</h1>');
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.on('connect', async ({ url = '', headers }, client: Socket, head: Buffer) => {
    asked.push(url);
    credentials.push(headers['proxy-authorization']);
    const { way } = proxy;
    if (way.kind === 'hang') return;
    if (way.kind === 'late') await way.until;
    if (way.kind === 'cut') return void client.destroy();
    if (way.kind === 'refuse') {
      return void client.end(`HTTP/1.1 ${way.status} No\r\ncontent-length: 0\r\n\r\n`);
    }
    const goal = new URL(`http://${url}`);
    const beyond = connect(Number(goal.port) || 80, goal.hostname.replace(/^\[|\]$/g, ''), () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      if (way.kind === 'cutOpened') return client.destroy();
      beyond.write(head);
      standing.add(client);
      client.on('data', (chunk) => passOn(proxy, client, beyond, chunk));
      beyond.pipe(client);
    });
    beyond.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => {
      standing.delete(client);
      beyond.end();
    });
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const kill = async () => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  await listen(0);
  // as: a server that listens on a port has an address of this form
  const { port } = server.address() as AddressInfo;
  const proxy: Mutable<ConnectProxy> = {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    credentials,
    forwarded,
    get standing() {
      return standing.size;
    },
    broken: 0,
    way: { kind: 'open' },
    cut() {
      for (const socket of standing) socket.destroy();
    },
    kill,
    restart: () => listen(port),
    [Symbol.asyncDispose]: kill,
  };
  return proxy;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

function passOn(proxy: Mutable<ConnectProxy>, client: Socket, beyond: Socket, chunk: Buffer): void {
  const { way } = proxy;
  const isCut = 'what' in way || way.kind === 'cutBefore' || way.kind === 'cutAfter';
  if (!isCut || way.what?.test(String(chunk)) === false) return void beyond.write(chunk);
  proxy.broken += 1;
  if (way.kind === 'cutBefore') return void client.destroy();
  // The request is passed on, and nothing comes back.
  beyond
    .unpipe(client)
    .resume()
    .end(chunk, () => client.destroy());
}
