import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline';

/** A program in its own process. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** Where it listens. */
  readonly url: string;
  /** From its start to its "ready" line. */
  readonly readyMs: number;
  /** Sends a message and resolves with the answer, for a program that answers each message once. */
  ask(message: object): Promise<unknown>;
  residentMb(): Promise<number>;
  /** Its processor time so far, user and system. */
  cpuMs(): Promise<number>;
}

export type Env = Readonly<Record<string, string>>;

/** How long a program may take to shut down. */
const GRACE_MS = 5_000;

/**
 * Starts a program and waits for its line `{"msg":"ready","url":…}`. `nodeArguments`: such as `--cpu-prof` for
 * profiles; default: those of BENCH_NODE_ARGS.
 */
export async function startChild(
  path: string,
  env: Env,
  nodeArguments: readonly string[] = process.env.BENCH_NODE_ARGS?.split(' ') ?? [],
): Promise<Child> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...nodeArguments, path, 'start'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const url = await readyUrl(path, child);
  const readyMs = performance.now() - startedAt;
  const pid = child.pid ?? 0;
  return {
    pid,
    url,
    readyMs,
    async ask(message) {
      child.send(message);
      const [answer] = await once(child, 'message');
      return answer;
    },
    async residentMb() {
      const status = await readFile(`/proc/${pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    cpuMs: () => cpuMsOf(pid),
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** Processor time of a process so far, user and system. */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // Fields 14 and 15 of proc(5), in hundredths of a second, counted after the name.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function readyUrl(path: string, child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the output is piped');
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${path} ended with ${code}`)));
    lines.on('line', (line) => {
      if (line.includes('"msg":"ready"')) resolve(String(JSON.parse(line).url));
      // Of the product's lines, only errors and worse.
      else if (!/"level":[1-4]0/.test(line)) process.stderr.write(`${path}: ${line}\n`);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  child.kill('SIGTERM');
  await once(child, 'exit');
  clearTimeout(timer);
}
