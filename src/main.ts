#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import process from 'node:process';
import { isatty } from 'node:tty';
import type { createLogger as CreateLogger } from './app/logger.ts';
import { ASK_SIGNALS, ignoredSignals, isAsk, isRun, namedSignals } from './cli/ask/signals.ts';
import type { Settings } from './cli/env-file.ts';
import type { StartBot } from './cli/setup/first-approval.ts';
import { ASK_EXIT, EXIT, Interruption, type Terminal, unwrittenCode } from './cli/terminal.ts';
import type { Config } from './core/config/config.ts';
import { system } from './core/lib/system.ts';

/**
 * The command line. The only file that uses `process`. It loads little before it can receive signals, and before an
 * error that loading meets has the right exit code.
 */

const BAD_CONFIGURATION = 2;
const FAILED = 1;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const FOLDER_GONE = 'The current folder does not exist any more. Change to another one.';

const output = watchOutput();
const words = process.argv.slice(2);
// `ask` reads no file, and waits for nothing before it can receive signals.
const settings: Settings = isAsk(words) ? { env: process.env } : await ownSettings();
// start and doctor name the file themselves.
if (
  settings.file !== undefined &&
  ['audit', 'people', 'keys', 'close', 'open', 'who'].includes(words[0] ?? '')
) {
  process.stderr.write(`Settings that the environment lacks are read from ${settings.file}.\n`);
}
const terminal = ownTerminal(output.lost);
if (isAsk(words)) {
  endAsUndecided();
  terminal.watchSignals();
  // Throws if the folder is gone: what is approved cannot be there.
  process.cwd();
}
const { runCommandLine } = await import('./cli/program.ts');
await runCommandLine(words, {
  terminal,
  system,
  version: ownVersion(),
  async start() {
    output.unwatch();
    await start();
  },
  demo,
  startBot,
  onEnd(code, { isDecision } = { isDecision: false }) {
    process.exitCode = code;
    if (isDecision) output.unwatch();
    // Slack leaves a closed Socket Mode connection open for seconds. What is printed is written before.
    if (words[0] !== 'setup') return;
    process.stdout.write('', (error) => void (error || setImmediate(() => process.exit())));
  },
});

/**
 * If the output could not be written completely, the exit code is not success. `lost` fires then. After `unwatch` the
 * exit code stays.
 */
function watchOutput(): { readonly lost: AbortSignal; unwatch(): void } {
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

/** Node itself would end with 1, which means rejected, or is the command's own code. */
function endAsUndecided(): void {
  process.on('uncaughtException', (error) => {
    const { inspect } = process.getBuiltinModule('node:util');
    process.stderr.write(`${isFolderGone(error) ? FOLDER_GONE : inspect(error)}\n`);
    process.exit(isRun(words) ? ASK_EXIT.notRun : ASK_EXIT.undecided);
  });
}

function isFolderGone(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}

/** Ends the program if there is a file with settings that cannot be read. */
async function ownSettings(): Promise<Settings> {
  const { EnvFileError, withEnvFile } = await import('./cli/env-file.ts');
  try {
    return withEnvFile(words, process.env);
  } catch (error) {
    if (!(error instanceof EnvFileError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(BAD_CONFIGURATION);
  }
}

/** From the package.json next to `src` and `dist`. */
function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return String(JSON.parse(text).version);
}

/** This process's usage, for the metrics. */
function ownUsage() {
  const startedAt = system.clock.now() / 1000 - process.uptime();
  const usage = () => {
    const { user, system: kernel } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    const cpuSeconds = (user + kernel) / 1e6;
    return { cpuSeconds, residentBytes: rss, heapBytes: heapUsed, startedAt };
  };
  return { node: process.version, usage };
}

async function start(): Promise<void> {
  // Stacks of code loaded from here on show files in `src`. Reading the source maps takes a tenth of a second.
  process.setSourceMapsEnabled(true);
  const { formatProblems } = await import('./core/config/read-config.ts');
  const { readConfig } = await import('./app/configuration.ts');
  const { createLogger, prettyOutput } = await import('./app/logger.ts');
  const { startFailure } = await import('./app/start-failure.ts');
  const read = readConfig(settings.env, { command: 'start' });
  if (!read.ok) {
    process.stderr.write(formatProblems(read.problems));
    process.exitCode = BAD_CONFIGURATION;
    return;
  }
  const { config } = read;
  const { logFormat, logLevel } = config;
  const log = logFormat === 'pretty' ? await prettyOutput(process.stdout) : process.stdout;
  const logger = createLogger(logLevel, log);
  goOnWithoutOutput();
  if (settings.file !== undefined) {
    logger.info(
      { file: settings.file },
      'settings that the environment lacks are read from a file',
    );
  }
  for (const warning of read.warnings) logger.warn({}, warning);
  sayWhatNobodyCaught(logger);
  let stop = async () => {};
  let isAsked = false;
  let reload = async () => {
    isAsked = true;
  };
  let last = Promise.resolve();
  // One after the other; those that arrive before it is ready wait for that.
  process.on('SIGHUP', () => {
    last = last
      .then(() => reload())
      .catch((error: unknown) => {
        logger.error({ err: error }, 'could not reload the rules: the old ones stay in use');
      });
  });
  // Registered first: the first process of a container is not ended by a signal without a handler. Before it is ready,
  // stopping is like a crash.
  const end = stopOnSignal(() => stop(), logger);
  try {
    // Loaded here, so that other commands start fast.
    const { startApp } = await import('./app/app.ts');
    const own = { stdout: process.stdout, version: ownVersion(), usage: ownUsage() };
    const app = await startApp({ config, logger, ...own });
    stop = () => app.stop();
    const { withEnvFile } = await import('./cli/env-file.ts');
    reload = async () =>
      app.reload(readConfig(withEnvFile(words, process.env).env, { command: 'start' }));
    if (isAsked) await reload();
    void app.failed.then((error) => {
      reportFailure(error, 'cannot go on');
      end(FAILED);
    });
  } catch (error) {
    process.exitCode = reportFailure(error, 'could not start');
    return;
  }
  await warnOfFailedChecks(config, logger);

  /**
   * Prints one sentence for the person who started it, and logs the error, or only its facts if it is not a bug.
   * Returns the exit code.
   */
  function reportFailure(error: unknown, message: string): number {
    const failure = startFailure(error, config);
    logger.fatal(failure?.facts ?? { err: error }, message);
    const sentence = failure?.sentence ?? `Gatepost ${message}: the log says why.`;
    process.stderr.write(`${sentence}\n`);
    return failure?.isConfiguration ? BAD_CONFIGURATION : FAILED;
  }
}

/** Found by its path: nothing in `src` imports the sandbox. */
async function demo(given: readonly string[]): Promise<void> {
  const file = new URL('demo.js', import.meta.url);
  if (!existsSync(file)) {
    process.stderr.write('This build has no demo. In a clone, start it with npm run demo.\n');
    process.exitCode = FAILED;
    return;
  }
  output.unwatch();
  const { runDemo }: Demo = await import(file.href);
  await runDemo(given, 'gatepost demo');
}

interface Demo {
  runDemo(words: readonly string[], command: string): Promise<void>;
}

/** For the first request of the setup, which shows it in the terminal itself. */
async function startBot(config: Config): ReturnType<StartBot> {
  const { createLogger } = await import('./app/logger.ts');
  const { startFailure } = await import('./app/start-failure.ts');
  const { startApp } = await import('./app/app.ts');
  const sentenceOf = (error: unknown) => {
    const failure = startFailure(error, config);
    if (failure === undefined) throw error;
    return failure.sentence;
  };
  try {
    const logger = createLogger('silent', process.stderr);
    const bot = await startApp({ config, logger, version: ownVersion() });
    const { url, failed } = bot;
    return { ok: true, bot: { url, failed: failed.then(sentenceOf), stop: () => bot.stop() } };
  } catch (error) {
    return { ok: false, failure: sentenceOf(error) };
  }
}

/** It is ready anyway: what is wrong now may be fixed later. */
async function warnOfFailedChecks(config: Config, logger: AppLogger): Promise<void> {
  try {
    const { runChecks } = await import('./cli/doctor/checks.ts');
    for (const { id, ok, detail, fix } of await runChecks(config, system, { onlyQuick: true })) {
      if (ok) continue;
      logger.warn({ check: id, detail, fix }, 'a check failed: run gatepost doctor for details');
    }
  } catch (error) {
    logger.warn({ err: error }, 'could not run the startup checks');
  }
}

/** `lost`: fires when nothing more can be written. */
function ownTerminal(lost: AbortSignal): Terminal & { watchSignals(): void } {
  const { stdout, stderr } = process;
  const { env, file: envFile } = settings;
  let signals: ReturnType<typeof watchSignals> | undefined;
  let signal: AbortSignal | undefined;
  const watched = () => {
    signals ??= watchSignals();
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
function watchSignals() {
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

/** Stops once; a second signal exits at once. Returns a function that stops without a signal. */
function stopOnSignal(stop: () => Promise<void>, logger: AppLogger): (exitCode: number) => void {
  let isStopping = false;
  const end = (exitCode: number) => {
    if (isStopping) process.exit(FAILED);
    isStopping = true;
    stop().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        logger.error({ err: error }, 'could not stop cleanly');
        process.exit(FAILED);
      },
    );
  };
  const onSignal = (signal: NodeJS.Signals) => {
    logger.info({ signal }, 'stopping');
    end(0);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return end;
}

/** The reader of the log may go away; the bot continues, and the rest of its log is lost. */
function goOnWithoutOutput(): void {
  process.stdout.once('error', () => {
    process.stderr.write('The log can no longer be written. Gatepost keeps running.\n');
    process.stdout.on('error', () => {});
  });
  process.stderr.on('error', () => {});
}

/**
 * The Socket Mode library leaves rejected promises behind, which do not affect stored data. After an uncaught exception
 * nothing is certain.
 */
function sayWhatNobodyCaught(logger: AppLogger): void {
  process.on('unhandledRejection', (reason) => {
    logger.error({ err: reason }, 'unhandled promise rejection');
  });
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    process.exit(FAILED);
  });
}

type AppLogger = ReturnType<typeof CreateLogger>;
