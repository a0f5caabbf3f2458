#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { ownTerminal, readyToAsk, watchOutput } from '../ask/own-process.ts';
import { isAsk } from '../ask/signals.ts';
import type { createLogger as CreateLogger } from './app/logger.ts';
import type { Settings } from './cli/env-file.ts';
import type { StartBot } from './cli/setup/first-approval.ts';
import type { Config } from './core/config/config.ts';
import { system } from './core/lib/system.ts';

/**
 * The command line. Only this file and `own-process.ts` of the package `ask` use `process`. It loads little before it can
 * receive signals, and before an error that loading meets has the right exit code.
 */

const BAD_CONFIGURATION = 2;
const FAILED = 1;

const output = watchOutput();
const words = process.argv.slice(2);
const isVersion = words.length === 1 && words[0] === '--version';
// `ask` reads no file, and waits for nothing before it can receive signals.
const settings: Settings = isAsk(words) || isVersion ? { env: process.env } : await ownSettings();
// start and doctor name the file themselves.
if (
  settings.file !== undefined &&
  ['audit', 'people', 'keys', 'close', 'open', 'who'].includes(words[0] ?? '')
) {
  process.stderr.write(`Settings that the environment lacks are read from ${settings.file}.\n`);
}
const terminal = ownTerminal(words, settings, output.lost);
if (isAsk(words)) readyToAsk(words, terminal);
// Loads nothing else.
if (isVersion) process.stdout.write(`${ownVersion()}\n`);
else await run();

async function run(): Promise<void> {
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
    // Variables need a restart, also those of a file.
    reload = async () => app.reload(readConfig(settings.env, { command: 'start' }));
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
