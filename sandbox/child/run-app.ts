import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { SlackSandbox } from '../slack-sandbox.ts';
import type { RequestUrls } from '../workspace/request-urls.ts';

/** The process that starts the app: its environment, its signals, its terminal. */
type Parent = Pick<NodeJS.Process, 'env' | 'on' | 'stdin' | 'stderr'>;

/** Exit code of a command that does not exist, as in a shell. */
const NOT_FOUND = 127;

const preload = fileURLToPath(new URL('preload.cjs', import.meta.url));

/**
 * Starts the app as a child, with its calls of Slack sent to the sandbox, and passes on the signals of this process.
 * Returns its exit code, or as a shell 128 and the number of the signal that ended it.
 */
export async function runApp(
  [command = '', ...words]: readonly string[],
  sandbox: SlackSandbox,
  requestUrl: RequestUrls | null,
  parent: Parent,
): Promise<number> {
  const child = spawn(command, words, {
    stdio: 'inherit',
    env: { ...parent.env, ...appEnvironment(sandbox, requestUrl, parent.env) },
  });
  passOnSignals(child, parent);
  try {
    // The app's exit, not the end of its output: a grandchild can hold that open.
    const [code, signal] = await once(child, 'exit');
    // Without a code it was a signal.
    return code ?? 128 + constants.signals[signal as NodeJS.Signals];
  } catch (error) {
    parent.stderr.write(`${command} could not start: ${error}\n`);
    return NOT_FOUND;
  }
}

/** Variables that Bolt's templates and Slack's command line know, and those of the preload. */
function appEnvironment(
  { url, slackApiUrl, credentials }: SlackSandbox,
  requestUrl: RequestUrls | null,
  { NODE_OPTIONS = '' }: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const { botToken, appToken, signingSecret } = credentials;
  const { port = '' } = requestUrl === null ? {} : new URL(requestUrl.events);
  return {
    SLACK_BOT_TOKEN: botToken,
    SLACK_APP_TOKEN: appToken,
    SLACK_CLI_XOXB: botToken,
    SLACK_CLI_XAPP: appToken,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_API_URL: slackApiUrl,
    SLACK_SANDBOX_URL: url,
    NODE_OPTIONS: `${NODE_OPTIONS} --require ${JSON.stringify(preload)}`.trim(),
    // Where the sandbox delivers events.
    ...(port !== '' && { PORT: port }),
  };
}

function passOnSignals(child: ChildProcess, parent: Parent): void {
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) {
    parent.on(signal, () => child.kill(signal));
  }
  // Ctrl-C and Ctrl-\: a terminal sends them to the child, too.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    parent.on(signal, () => parent.stdin.isTTY || child.kill(signal));
  }
}
