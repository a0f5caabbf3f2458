import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';

export interface Program extends AsyncDisposable {
  /** Lines of its standard output and standard error so far. */
  readonly output: readonly string[];
  /** Its exit code; null: a signal ended it. */
  readonly ended: Promise<number | null>;
  /** The first line that matches; rejects if the program ends without one. */
  line(pattern: RegExp): Promise<string>;
  /** Like Ctrl-C in a terminal: the signal goes to the whole group. */
  interrupt(): void;
  /** Like `kill` and a container's runtime: the signal goes only to this process. */
  kill(signal: NodeJS.Signals): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs Node, or another program of the project, in its own process group. */
export function runProgram(
  words: readonly string[],
  env: Environment,
  program = process.execPath,
  cwd?: string,
): Program {
  const child = spawn(program, words, {
    env: { PATH: process.env.PATH, ...env },
    ...(cwd !== undefined && { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output: string[] = [];
  const watchers = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line);
      for (const watch of watchers) watch(line);
    });
  }
  // `close`: after the last line was read.
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    output,
    ended,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (line: string) => void (pattern.test(line) && resolve(line));
        watchers.add(look);
        output.forEach(look);
        ended.then(() => reject(new Error(`it ended:\n${output.join('\n')}`)), reject);
      }),
    interrupt: () => signalGroup(child, 'SIGINT'),
    kill: (signal) => void child.kill(signal),
    async [Symbol.asyncDispose]() {
      signalGroup(child, 'SIGKILL');
      await ended;
    },
  };
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
}
