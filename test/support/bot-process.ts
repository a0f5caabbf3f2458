import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { botAddress, botEnvironment } from './bot-config.ts';
import { PROGRAM } from './program.ts';

/** The built program, in a process of its own that can be killed. */
export interface BotProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Every line of its standard output and standard error so far. */
  readonly output: readonly string[];
  /** Its exit code; null: a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Closes the reader of its log. */
  closeLog(): void;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts the program in a sandbox, waits until it is ready, and connects the sandbox to it. `program`: another build of
 * it.
 */
export async function startBotProcess(
  sandbox: Sandbox,
  more: Readonly<Record<string, string | undefined>>,
  program = PROGRAM,
): Promise<BotProcess> {
  const env = { PATH: process.env.PATH, ...botEnvironment(sandbox, more) };
  const child = spawn(process.execPath, [program, 'start'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(() => child.exitCode);
  const output: string[] = [];
  const url = await readyUrl(child, output);
  sandbox.connectBot(botAddress(url));
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    url,
    pid: child.pid ?? 0,
    output,
    ended,
    closeLog: () => void child.stdout.destroy(),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
}

/** Reads the line that says that it is ready. */
async function readyUrl(child: ChildProcess, output: string[]): Promise<string> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the output is piped');
  createInterface({ input: stderr }).on('line', (line) => output.push(line));
  const lines = createInterface({ input: stdout });
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the bot ended:\n${output.join('\n')}`)));
    lines.on('line', (line) => {
      output.push(line);
      if (line.includes('"msg":"ready"')) resolve(String(JSON.parse(line).url));
    });
  });
}

/** Whether a running process can be kept from writing here; under CI on Linux it must be possible. */
export async function canFillDisk(): Promise<boolean> {
  const found = await promisify(execFile)('prlimit', ['--version']).then(
    () => true,
    () => false,
  );
  if (!found && process.platform === 'linux' && process.env.CI === 'true')
    throw new Error('there is no prlimit program');
  if (!found) console.warn('\n*** No prlimit program: tests of a full disk are SKIPPED. ***\n');
  return found;
}

/** Limits how far a process can write into a file (EFBIG, as on a full disk); `unlimited` removes the limit. */
export function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}
