#!/usr/bin/env node
/** `slack-sandbox`: starts a workspace for an app, and prints what to put into the app's environment. */

import process from 'node:process';
import { runApp } from './child/run-app.ts';
import { readSettings, type Settings, USAGE, UsageError } from './settings.ts';
import type { SlackSandbox } from './slack-sandbox.ts';
import { startSlackSandbox } from './start-slack-sandbox.ts';
import { listUrls } from './workspace/request-urls.ts';
import type { Delivery } from './workspace/user-actions.ts';
import type { Call } from './workspace/workspace-handle.ts';

/** The same at every start, so that the app's environment can stay unchanged. */
const TOKENS = { botToken: 'xoxb-sandbox', appToken: 'xapp-1-sandbox' };

/** The longest time that a timer of Node can wait. */
const LONGEST_MS = 2_147_483_647;

const FAILED = 1;
const WRONG_USAGE = 2;

function written(sandbox: SlackSandbox, settings: Settings): string {
  const { botToken, appToken, signingSecret } = sandbox.credentials;
  const own =
    settings.requestUrl === null
      ? `SLACK_APP_TOKEN=${appToken}`
      : `SLACK_SIGNING_SECRET=${signingSecret}`;
  return `The workspace is at ${sandbox.url} and ${wayOf(settings)}. Ctrl-C ends it.

Put this into the app's environment:

SLACK_BOT_TOKEN=${botToken}
${own}

and give Bolt this address instead of Slack's:

new App({ …, clientOptions: { slackApiUrl: '${sandbox.slackApiUrl}' } })
`;
}

function wayOf({ requestUrl }: Settings): string {
  return requestUrl === null
    ? 'waits for the app to connect (Socket Mode)'
    : `delivers to ${listUrls(requestUrl).join(', ')}`;
}

const tell = (line: string): void => void process.stdout.write(`${line}\n`);

/** A call, and below it what was wrong or had no effect. */
function lineOf({ method, status, error, problems, notes }: Call): string {
  const details = [...problems, ...notes].map((each) => `\n    ${each}`);
  return `← ${method}: ${error ?? endOf(status)}${details.join('')}`;
}

/** How a delivery ended that has no error of its own. */
function endOf(status: number | null): string {
  if (!status) return 'no answer';
  return status < 300 ? 'ok' : `status ${status}`;
}

function endOfDelivery({ status, acknowledged, ackMs }: Delivery): string {
  if (acknowledged) return `taken in ${Math.round(ackMs)} ms`;
  return status === 200 ? 'taken too late' : endOf(status);
}

async function start(settings: Settings): Promise<SlackSandbox> {
  const { manifest, faults, signingSecret, command: _, ...options } = settings;
  const sandbox = await startSlackSandbox({
    ...options,
    credentials: { ...TOKENS, signingSecret },
    onCall: (call) => tell(lineOf(call)),
    onDelivery: (name, delivery) => tell(`→ ${name}: ${endOfDelivery(delivery)}`),
    ...(manifest !== undefined && { manifest }),
  });
  for (const fault of faults) sandbox.workspace.fault(fault);
  return sandbox;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Says when the app has connected by itself. */
async function tellConnected({ workspace, until }: SlackSandbox): Promise<void> {
  try {
    await until(() => workspace.sockets.open() > 0, { timeoutMs: LONGEST_MS });
    tell('The app is connected (Socket Mode).');
  } catch {
    // The sandbox was closed before.
  }
}

async function run(words: readonly string[]): Promise<void> {
  const settings = await readSettings(words);
  if (settings === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  const sandbox = await start(settings);
  if (settings.requestUrl === null) void tellConnected(sandbox);
  const stop = (): void => {
    sandbox.close().then(
      () => process.exit(0),
      () => process.exit(FAILED),
    );
  };
  if (settings.command !== undefined) {
    tell(`The workspace is at ${sandbox.url} and ${wayOf(settings)}.`);
    const { command, requestUrl } = settings;
    const code = await runApp(command, sandbox, requestUrl, process);
    process.exitCode = code;
    await sandbox.close().catch((error: unknown) => {
      // What is still open must not keep it from ending, or from handing on the app's exit code.
      process.stderr.write(`The sandbox did not close: ${error}\n`, () => process.exit(code));
    });
    return;
  }
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  process.stdout.write(written(sandbox, settings));
}

run(process.argv.slice(2)).catch((error: unknown) => {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\nslack-sandbox --help lists the options.\n`);
    process.exitCode = WRONG_USAGE;
    return;
  }
  const words = isTaken(error) ? 'the port is taken: choose another with --port' : String(error);
  process.stderr.write(`The sandbox could not start: ${words}\n`);
  process.exitCode = FAILED;
});
