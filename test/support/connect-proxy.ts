import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** What a proxy does with one CONNECT, or with what goes through its tunnel. */
export type ProxyWay =
  | { readonly kind: 'open' }
  | { readonly kind: 'refuse'; readonly status: number }
  /** It never answers. */
  | { readonly kind: 'hang' }
  /** It breaks the connection instead of answering. */
  | { readonly kind: 'cut' }
  /** It opens the tunnel, and breaks it before one byte came through. */
  | { readonly kind: 'cutOpened' }
  /** It breaks the tunnel once a request came through, before or after that reached its goal. */
  | { readonly kind: 'cutBefore' | 'cutAfter' };

export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** What was asked for, `host:port`, in order; also where it was not given. */
  readonly asked: readonly string[];
  /** `Proxy-Authorization` of each. */
  readonly credentials: readonly (string | undefined)[];
  /** Requests that were to be passed on outside of a tunnel. */
  readonly forwarded: readonly string[];
  /** Tunnels that stand. */
  readonly standing: number;
  way: ProxyWay;
  /** Breaks every tunnel that stands. */
  cut(): void;
  /** Ends as by a kill; nothing listens at its port until `restart`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/**
 * A proxy that only opens tunnels. Without the name that `lead` gives, where `host:port` is, a tunnel leads there
 * itself: so what has a name that leads nowhere else can be reached through it alone.
 */
export async function startConnectProxy(
  lead: (host: string) => string = (host) => host,
): Promise<ConnectProxy> {
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
  server.on('connect', ({ url = '', headers }, client: Socket, head: Buffer) => {
    asked.push(url);
    credentials.push(headers['proxy-authorization']);
    const { way } = proxy;
    if (way.kind === 'hang') return;
    if (way.kind === 'cut') return void client.destroy();
    if (way.kind === 'refuse') {
      return void client.end(`HTTP/1.1 ${way.status} No\r\ncontent-length: 0\r\n\r\n`);
    }
    const goal = new URL(`http://${url}`);
    const host = lead(goal.hostname.replace(/^\[|\]$/g, ''));
    const beyond = connect(Number(goal.port) || 80, host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      if (way.kind === 'cutOpened') return client.destroy();
      beyond.write(head);
      standing.add(client);
      client.on('data', (chunk) => passOn(way, client, beyond, chunk));
      beyond.pipe(client);
    });
    beyond.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => {
      standing.delete(client);
      beyond.destroy();
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
  const proxy: ConnectProxy = {
    url: `http://127.0.0.1:${port}`,
    port,
    asked,
    credentials,
    forwarded,
    get standing() {
      return standing.size;
    },
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

function passOn({ kind }: ProxyWay, client: Socket, beyond: Socket, chunk: Buffer): void {
  if (kind === 'cutBefore') return void client.destroy();
  beyond.write(chunk);
  // It has left this process, and nothing comes back.
  if (kind === 'cutAfter') beyond.end(() => client.destroy());
}
