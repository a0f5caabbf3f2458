import { hostname, userInfo } from 'node:os';
import process from 'node:process';
import { isatty } from 'node:tty';
import { ASK_EXIT, EXIT, Interruption, type Terminal, unwrittenCode } from '../src/cli/terminal.ts';
import { ASK_SIGNALS, ignoredSignals, isAsk, isRun, namedSignals } from './signals.ts';

/** What commands have of their process: its output, its signals, its environment. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const FOLDER_GONE = 'The current folder does not exist any more. Change to another one.';

/** `file`: the one that some of it comes from. */
interface Settings {
  readonly env: Terminal['env'];
  readonly file?: string;
}

/**
 * If the output could not be written completely, the exit code is not success. `lost` fires then. After `unwatch` the
 * exit code stays.
 */
export function watchOutput(): { readonly lost: AbortSignal; unwatch(): void } {
  const lost = new AbortController();
  let isWatched = true;
  let code: number | undefined;
  const lose = () => lost.abort(new Interruption('output'));
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    lose();
    if (code !== undefined || !isWatched) return;
    code = unwrittenCode(error);
    if (code === EXIT.unread) return;
    process.stderr.write(`The output cannot be written (${error.code}): it is not complete.\n`);
  });
  process.stderr.on('error', lose);
  process.on('exit', () => {
    if (isWatched && code !== undefined) process.exitCode ||= code;
  });
  return {
    lost: lost.signal,
    unwatch() {
      isWatched = false;
    },
  };
}

/** For `ask`, whose exit code is a decision. Throws if the folder is gone: what is approved cannot be there. */
export function readyToAsk(
  words: readonly string[],
  terminal: ReturnType<typeof ownTerminal>,
): void {
  endAsUndecided(words);
  terminal.watchSignals();
  process.cwd();
}

/** Node itself would end with 1, which means rejected, or is the command's own code. */
function endAsUndecided(words: readonly string[]): void {
  process.on('uncaughtException', (error) => {
    const { inspect } = process.getBuiltinModule('node:util');
    process.stderr.write(`${isFolderGone(error) ? FOLDER_GONE : inspect(error)}\n`);
    process.exit(isRun(words) ? ASK_EXIT.notRun : ASK_EXIT.undecided);
  });
}

function isFolderGone(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}

/** `words`: the command line, with the command's name. `lost`: fires when nothing more can be written. */
export function ownTerminal(
  words: readonly string[],
  { env, file: envFile }: Settings,
  lost: AbortSignal,
): Terminal & { watchSignals(): void } {
  const { stdout, stderr } = process;
  let signals: ReturnType<typeof watchSignals> | undefined;
  let signal: AbortSignal | undefined;
  const watched = () => {
    signals ??= watchSignals(words);
    return signals;
  };
  return {
    env,
    ...(envFile !== undefined && { envFile }),
    // Opened when it is read.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    user: userName(),
    host: hostname(),
    watchSignals: watched,
    takeSignals: (take) => watched().take(take),
    get interrupted() {
      return watched().interrupted;
    },
    get signal() {
      // Cached: commands read it for each row, and every new one would stay in memory.
      signal ??= AbortSignal.any([this.interrupted, lost]);
      return signal;
    },
  };
}

/** A second signal exits at once, unless the command handles it. A closed terminal may send two. */
function watchSignals(words: readonly string[]) {
  const controller = new AbortController();
  let take = (by: NodeJS.Signals) => {
    if (!controller.signal.aborted) controller.abort(new Interruption(by));
    else if (by !== 'SIGHUP') process.exit(isRun(words) ? ASK_EXIT.notRun : EXIT.interrupted);
  };
  const ignored = isAsk(words)
    ? ignoredSignals(namedSignals(words), { hasTerminal: hasTerminal() })
    : [];
  for (const name of isAsk(words) ? ASK_SIGNALS : SIGNALS) {
    process.on(name, (by) => {
      if (!ignored.includes(by)) take(by);
    });
  }
  return {
    interrupted: controller.signal,
    take: (next: typeof take) => {
      take = next;
    },
  };
}

function hasTerminal(): boolean {
  return [0, 1, 2].some((stream) => isatty(stream));
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
