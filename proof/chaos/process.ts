import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';

/** A program that can be killed or stopped. It ends with this process, however that ends. */
export interface Program {
  readonly pid: number;
  readonly isAlive: boolean;
  /** Its last lines, for analysing a failure. */
  readonly output: readonly string[];
  /** The first line that matches; rejects if the program ends without one. */
  line(pattern: RegExp): Promise<string>;
  /** Its exit code; null: a signal ended it. */
  readonly ended: Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it with this signal, and waits. Resolves with its exit code; null: the signal ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

const KEPT_LINES = 400;
const living = new Set<ChildProcess>();

const folders = new Set<string>();

process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** An empty folder, removed with this process, however that ends. */
export async function makeFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `gatepost-chaos-${name}-`));
  folders.add(folder);
  return folder;
}

/** Ends a child with this process. */
export function keep(child: ChildProcess): void {
  living.add(child);
  child.once('close', () => living.delete(child));
}

export function runProgram(
  command: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onLine: (line: string) => void = () => undefined,
): Program {
  const child = spawn(command, words, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C is for this process only, which ends the others.
    detached: true,
  });
  keep(child);
  const output: string[] = [];
  const watchers = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line);
      onLine(line);
      if (output.length > KEPT_LINES) output.shift();
      for (const watch of [...watchers]) watch(line);
    });
  }
  // `close`: after its last line was read. It rejects if there is no such program.
  const ended = once(child, 'close').then(() => child.exitCode);
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    get isAlive() {
      return isAlive();
    },
    output,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (line: string): void => {
          if (!pattern.test(line)) return;
          watchers.delete(look);
          resolve(line);
        };
        watchers.add(look);
        output.forEach(look);
        ended.then(
          () => reject(new Error(`${words[0]} ended:\n${output.slice(-20).join('\n')}`)),
          reject,
        );
      }),
    ended,
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      if (isAlive()) {
        child.kill('SIGCONT');
        child.kill(signal);
      }
      return ended;
    },
  };
}

/** Polls until the condition is true; rejects with `what` after `withinMs`. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  withinMs = 60_000,
): Promise<void> {
  const endAt = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > endAt) throw new Error(`${what}: not within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
