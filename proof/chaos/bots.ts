import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Program, runProgram } from './process.ts';

/** The replicas of the built program, behind one address as behind a load balancer. */
export interface Bots extends AsyncDisposable {
  /** The load balancer's address. */
  readonly url: string;
  readonly count: number;
  program(at: number): Program;
  /** Starts the replica again after it ended, and waits until it is ready. */
  start(at: number): Promise<void>;
  /** The address of each replica. */
  urls(): readonly string[];
  /** Their log lines at warn level and above: the last lines of each process. */
  warnings(): readonly string[];
}

type Env = Readonly<Record<string, string>>;

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const CLOCK = new URL('shifted-clock.mjs', import.meta.url).href;

/** @param logs folder for their log lines; null: none */
export async function startBots(count: number, env: Env, logs: string | null): Promise<Bots> {
  const lives: { program: Program; url: string }[] = [];
  const front = await startFront(() => lives.map(({ url }) => url));
  const warnings: string[] = [];
  const start = async (at: number): Promise<void> => {
    for (;;) {
      const program = runProgram(
        process.execPath,
        ['--import', CLOCK, PROGRAM, 'start'],
        env,
        logs === null
          ? undefined
          : (line) => appendFileSync(join(logs, `bot-${at}.log`), `${line}\n`),
      );
      const life = { program, url: '' };
      lives[at] = life;
      const ready = await program.line(/"msg":"ready"/).catch((error: unknown) => {
        warnings.push(`a bot did not start: ${String(error)}`);
        return undefined;
      });
      if (ready !== undefined) {
        life.url = String(JSON.parse(ready).url);
        return;
      }
      // Retries as a supervisor would: Redis may be away just now.
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  };
  await Promise.all(Array.from({ length: count }, (_, at) => start(at)));
  return {
    url: front.url,
    count,
    program(at) {
      const life = lives[at];
      if (life === undefined) throw new Error(`there is no bot ${at}`);
      return life.program;
    },
    start,
    urls: () => lives.map(({ url }) => url),
    warnings: () => [
      ...warnings,
      ...lives.flatMap(({ program }) =>
        program.output.filter((line) => /"level":[456]0/.test(line)),
      ),
    ],
    async [Symbol.asyncDispose]() {
      await Promise.all(lives.map(({ program }) => program.end('SIGKILL')));
      front.close();
    },
  };
}

/** Passes each connection to a replica that accepts it; a stopped process accepts it, too. */
async function startFront(targets: () => readonly string[]) {
  let turn = 0;
  const open = new Set<Socket>();
  const hand = (socket: Socket, left: readonly string[]): void => {
    const [first, ...rest] = left;
    if (first === undefined) {
      socket.destroy();
      return;
    }
    const { port, hostname } = new URL(first);
    const other = connect(Number(port), hostname);
    other.once('connect', () => {
      open.add(other);
      other.once('close', () => open.delete(other));
      other.on('error', () => socket.destroy());
      socket.on('error', () => other.destroy());
      other.on('close', () => socket.destroy());
      socket.on('close', () => other.destroy());
      socket.pipe(other).pipe(socket);
    });
    const next = (): void => hand(socket, rest);
    other.once('error', next);
    other.once('connect', () => other.off('error', next));
  };
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    turn += 1;
    const up = targets().filter((url) => url !== '');
    hand(socket, [
      ...up.slice(turn % Math.max(1, up.length)),
      ...up.slice(0, turn % Math.max(1, up.length)),
    ]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
