import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

/** A program in a terminal of its own, as util-linux's `script` makes it: what is typed and everything that is shown. */
export interface Pty extends AsyncDisposable {
  /** Everything shown so far, what the terminal echoes included. */
  readonly shown: string;
  readonly ended: Promise<number | null>;
  /** Resolves once the pattern is shown behind what the last call found; rejects if the program ends without it. */
  see(pattern: RegExp): Promise<void>;
  /** Types it as it is: `\r` is Return, `\x03` Ctrl-C. */
  type(text: string): void;
  /** The program itself, by its process id. */
  kill(signal: NodeJS.Signals): void;
}

export const hasPty = spawnSync('script', ['--version']).status === 0;

/** Runs the words in a shell's `exec`, so that its process is the program's. */
export function startPty(
  words: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Pty {
  const line = `echo "pid $$"; exec ${words.map((word) => `'${word}'`).join(' ')}`;
  const child = spawn(
    'script',
    ['--quiet', '--flush', '--return', '--command', line, '/dev/null'],
    {
      cwd,
      env: { PATH: process.env.PATH, SHELL: '/bin/sh', TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  let shown = '';
  let seen = 0;
  const watchers = new Set<() => void>();
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    for (const watch of watchers) watch();
  });
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    get shown() {
      return shown;
    },
    ended,
    see: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(shown.slice(seen));
          if (found === null) return;
          seen += found.index + found[0].length;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
        ended.then(() => {
          watchers.delete(look);
          reject(new Error(`It ended without ${pattern}:\n${shown}`));
        }, reject);
      }),
    type: (text) => void child.stdin.write(text),
    kill: (signal) => void process.kill(Number(/pid (\d+)/.exec(shown)?.[1]), signal),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}
