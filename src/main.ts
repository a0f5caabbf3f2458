import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Command, InvalidArgumentError } from 'commander';
import { formatProblems } from './config/format-problems.ts';
import { readConfig } from './config/read-config.ts';
import { createLogger } from './logger.ts';
import { peopleCommand, usageExitCode } from './people/command/people-command.ts';
import type { Terminal } from './people/command/terminal.ts';

/** The command line. The only file that touches `process`. */

const BAD_CONFIGURATION = 2;
const FAILED = 1;

const program = new Command('gatepost')
  .description('Brings approval gates of automations into Slack.')
  .showHelpAfterError()
  .exitOverride();

program
  .command('start', { isDefault: true })
  .description('run the bot; configured by environment variables')
  .action(start);
program
  .command('demo')
  .description('try everything in a browser: no Slack account, no Redis')
  .option('--port <number>', 'port of the page; default: a free one', readPort)
  .action(demo);

program.addCommand(
  peopleCommand(ownTerminal(), (code) => {
    process.exitCode = code;
  }),
);

try {
  await program.parseAsync(process.argv);
} catch (error) {
  process.exitCode = usageExitCode(error);
}

async function start(): Promise<void> {
  const read = readConfig(process.env, { command: 'start' });
  if (!read.ok) {
    process.stderr.write(formatProblems(read.problems));
    process.exitCode = BAD_CONFIGURATION;
    return;
  }
  const logger = createLogger(read.config.logLevel, process.stdout);
  goOnWithoutOutput();
  for (const warning of read.warnings) logger.warn({}, warning);
  sayWhatNobodyCaught(logger);
  try {
    // Other commands do without it, and are there at once.
    const { startApp } = await import('./app.ts');
    const app = await startApp({ config: read.config, logger });
    const end = stopOnSignal(() => app.stop(), logger);
    void app.failed.then((error) => {
      logger.fatal({ err: error }, 'cannot go on');
      end(FAILED);
    });
  } catch (error) {
    logger.fatal({ err: error }, 'could not start');
    process.exitCode = FAILED;
  }
}

async function demo({ port }: { port?: number }): Promise<void> {
  const sandboxModule = await import('./sandbox/start-sandbox.ts').catch(() => undefined);
  if (sandboxModule === undefined) {
    process.stderr.write(
      'The demo is not part of this installation. Run it from the source code.\n',
    );
    process.exitCode = FAILED;
    return;
  }
  const logger = createLogger('error', process.stdout);
  goOnWithoutOutput();
  /** What has begun, to be ended in the opposite order. */
  const ends: (() => Promise<void>)[] = [];
  const endAll = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  stopOnSignal(endAll, logger);
  try {
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-demo-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const sandbox = await sandboxModule.startSandbox({ ...(port !== undefined && { port }) });
    ends.push(() => sandbox.close());
    const { startDemo } = await import('./demo.ts');
    const app = await startDemo(sandbox, folder, logger);
    ends.push(() => app.stop());
    process.stdout.write(`Open ${sandbox.url} in a browser. Ctrl-C ends it.\n`);
  } catch (error) {
    await endAll();
    process.stderr.write(`The demo could not start: ${causeOf(error)}\n`);
    process.exitCode = FAILED;
  }
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a number from 0 to 65535.');
}

function causeOf(error: unknown): string {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isTaken ? 'the port is taken. Choose another with --port.' : String(error);
}

function ownTerminal(): Terminal {
  const { env, stdin, stdout, stderr } = process;
  const terminal = { env, stdin, stdout, stderr, user: userName(), host: hostname() };
  let signal: AbortSignal | undefined;
  return {
    ...terminal,
    get signal() {
      signal ??= interruption();
      return signal;
    },
  };
}

/** Ctrl-C, or nobody reads on. A second Ctrl-C ends at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(FAILED);
    controller.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  process.stdout.on('error', () => controller.abort());
  process.stderr.on('error', () => controller.abort());
  return controller.signal;
}

/** In a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** Stops once; a second signal ends at once. Gives what stops without a signal. */
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

/** Whoever reads the log may go away, and the bot goes on: what it says then is lost. */
function goOnWithoutOutput(): void {
  process.stdout.once('error', () => {
    process.stderr.write('The log can no longer be written. Gatepost goes on.\n');
    process.stdout.on('error', () => {});
  });
  process.stderr.on('error', () => {});
}

/**
 * The Socket Mode library leaves promises behind that fail: what is kept in the store does not
 * suffer from one. After an error in the middle of anything else nothing is certain.
 */
function sayWhatNobodyCaught(logger: AppLogger): void {
  process.on('unhandledRejection', (reason) => {
    logger.error({ err: reason }, 'a promise failed that nobody held');
  });
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'ended by an error that nobody caught');
    process.exit(FAILED);
  });
}

type AppLogger = ReturnType<typeof createLogger>;
