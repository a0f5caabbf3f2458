import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startApp } from '../src/app/app.ts';
import { readConfig } from '../src/app/configuration.ts';
import { createLogger } from '../src/app/logger.ts';
import type { App } from '../src/app/serve.ts';
import { runCommandLine } from '../src/cli/program.ts';
import { system } from '../src/core/lib/system.ts';
import type { Question } from './automation/automation.ts';
import type { Asked, BotAddress, Sandbox, SandboxOptions } from './sandbox.ts';
import { startSandbox } from './start-sandbox.ts';

/** `npm run demo`: the real bot in the sandbox. The only file here that knows the bot, or touches `process`. */

/** What an administrator would write for this sandbox, as JSON, which is also YAML. */
function configFor({ service, url }: Sandbox): string {
  const reviewers = { users: REVIEWERS };
  return JSON.stringify({
    sources: [
      {
        id: 'default',
        secret: 'GATEPOST_INTAKE_SECRET',
        routes: ['default', 'production', 'infrastructure'],
        kinds: ['approval', 'gate', 'task'],
      },
    ],
    routes: {
      default: { channel: CHANNEL, outcomes: { channel: OUTCOMES }, reviewers },
      production: {
        channel: CHANNEL,
        outcomes: { channel: OUTCOMES },
        reviewers,
        quorum: 2,
        reason: { approve: 'optional', reject: 'required' },
        remind: { after: '2m' },
      },
      infrastructure: {
        channel: INFRASTRUCTURE,
        outcomes: { channel: OUTCOMES },
        reviewers: { users: TEAM },
        need: [{ name: 'Security', of: { users: SECURITY } }],
        hold: '30s',
        several: true,
        substitutes: true,
      },
    },
    administrators: { users: ['U0DANA', 'U0ANA'] },
    move: { source: 'http', who: { users: TEAM } },
    cases: { who: { users: TEAM } },
    catalogue: {
      // As the service has them; work items and test cases are not part of a configuration.
      projects: service.tasks.projects().map(({ items: _, ...project }) => project),
      testProjects: service.testProjects().map(({ cases: _, ...project }) => project),
    },
    // The page shows them behind the scenes.
    links: { testCase: `${url}/?case={id}` },
    dialect: { task: { path: '/sandbox/v1/tasks' } },
  });
}

const CHANNEL = 'C0DEPLOYS';
const OUTCOMES = 'C0OUTCOMES';
/** Not in every workspace: only the demo creates it. */
const INFRASTRUCTURE = 'C0INFRA';
/** All of them have an active account in the service. */
const REVIEWERS = ['U0ANA', 'U0BEN'];
const TEAM = [...REVIEWERS, 'U0CLEO'];
const SECURITY = ['U0BEN', 'U0CLEO'];
/** Routes that the demo's automation can name. */
const ROUTES = [
  { id: 'default', title: 'default: one approval' },
  { id: 'production', title: 'production: two, with reasons' },
  { id: 'infrastructure', title: 'infrastructure: one of Security, held for 30 s' },
];

/** A pipeline waits for it when the page opens, so that the first thing to press is Approve. */
export const OPENING: Asked = {
  title: 'Deploy 4.1 to production',
  message: 'All checks are green. Shall it go out?',
  key: 'shop/4.1',
  'requested-by': 'U0CLEO',
};

/** Wait in another channel until the tour comes to them. */
const WAITING: readonly Question[] = [
  ['Rotate the signing key of checkout', 'The old one ends on Friday.'],
  ['Renew the certificate of shop.example', 'It ends in nine days.'],
  ['Add a replica to the orders database', 'Reads are at 80 percent of what it can do.'],
  ['Raise the rate limit to 200 a second', 'The sale begins tomorrow.'],
].map(([title = '', message = '']) => ({
  ...{ key: `infrastructure/${title}`, route: 'infrastructure', title, message },
  requestedBy: { slackUser: 'U0DANA' },
}));

export interface DemoOptions extends SandboxOptions {
  /** Default 0: any free port. */
  readonly botPort?: number;
  /** What a pipeline asks first, while other requests wait in another channel; default none of them. */
  readonly opening?: Asked;
}

/** Starts a sandbox and the real bot in it. `port` is the page's. */
export async function startDemo(options: DemoOptions = {}): Promise<Demo> {
  /** Cleanup functions, run in reverse order. */
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-demo-'));
    ends.push(() => rm(folder, { recursive: true, force: true }));
    const sandbox = await startSandbox(options);
    ends.push(() => sandbox.close());
    const bot = await startLives(sandbox, folder, options);
    ends.push(() => bot.stop());
    return { sandbox, commands: bot.commands, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface Demo {
  readonly sandbox: Sandbox;
  /** Commands for a terminal; the page shows them too. */
  commands(): readonly Command[];
  /** Stops the bot, then the sandbox, and removes their files. */
  stop(): Promise<void>;
}

/** Starts the bot. A reset stops it and starts another one with an empty folder. */
async function startLives(
  sandbox: Sandbox,
  folder: string,
  { botPort = 0, opening }: DemoOptions,
): Promise<Pick<Demo, 'commands' | 'stop'>> {
  let lives = 0;
  let commands: readonly Command[] = [];
  const live = async (): Promise<App> => {
    lives += 1;
    const own = join(folder, String(lives));
    await mkdir(own);
    sandbox.workspace.createChannel(INFRASTRUCTURE, [...TEAM, 'U0DANA', 'U0GUS'], 'infrastructure');
    const app = await startBot(sandbox, own, botPort);
    // Waiting commands end with their bot.
    const ended = new AbortController();
    commands = commandsFor(app.url, sandbox);
    sandbox.connectBot({
      eventsUrl: `${app.url}/slack/events`,
      intakeUrl: `${app.url}/v1/approvals`,
      routes: ROUTES,
      commands,
      runAsk: (asked, onOutput) => runAsk(sandbox, app, ended.signal, asked, onOutput),
      ...(opening !== undefined && { opening }),
      guide: () => readFile(new URL('../docs/setup.md', import.meta.url), 'utf8'),
      startOver,
    });
    const stop = async () => {
      ended.abort();
      await app.stop();
    };
    for (const question of opening === undefined ? [] : WAITING) {
      const { id, status } = await sandbox.automation.ask(question);
      if (id !== '') continue;
      await stop();
      throw new Error(`the bot's intake answered with status ${status}`);
    }
    return { ...app, stop };
  };
  const startOver = async (emptyWorld: () => void): Promise<void> => {
    // A restart requested during this one runs after it.
    present = present.then(async (app) => {
      await app.stop();
      emptyWorld();
      return live();
    });
    await present;
  };
  let present = live();
  await present;
  return { commands: () => commands, stop: async () => (await present).stop() };
}

type Command = NonNullable<BotAddress['commands']>[number];

/** The first commands of docs/asking.md, for this bot. Each has a key of its own: the same key is the same request. */
function commandsFor(url: string, { credentials: { intakeSecret } }: Sandbox): Command[] {
  return [
    {
      title: 'Let a terminal reach this Gatepost',
      command: `export GATEPOST_URL=${url} GATEPOST_INTAKE_SECRET=${intakeSecret}`,
    },
    {
      title: 'Then ask for an approval',
      command: `curl --fail-with-body -sS "$GATEPOST_URL/v1/approvals" -H "Authorization: Bearer $GATEPOST_INTAKE_SECRET" -H "Content-Type: application/json" -d '{"key":"demo/'"$(date +%s)"'","title":"Deploy 4.2 to production"}'`,
    },
  ];
}

/** Runs the real command as a pipeline would: without a terminal in which it could redraw lines. */
async function runAsk(
  { credentials }: Sandbox,
  app: App,
  signal: AbortSignal,
  asked: Asked,
  onOutput: (text: string) => void,
): Promise<number> {
  const written = () => new PassThrough().on('data', (chunk) => onOutput(String(chunk)));
  let exitCode = FAILED;
  const options = Object.entries(asked).flatMap(([name, text]) => [`--${name}`, text]);
  await runCommandLine(['ask', '--wait', ...options], {
    terminal: {
      env: { GATEPOST_URL: app.url, GATEPOST_INTAKE_SECRET: credentials.intakeSecret },
      stdin: new PassThrough(),
      stdout: written(),
      stderr: written(),
      user: 'pipeline',
      host: 'demo',
      signal,
      interrupted: signal,
      takeSignals: () => {},
    },
    system,
    version: 'demo',
    start: async () => {},
    onEnd(code) {
      exitCode = code;
    },
  });
  return exitCode;
}

async function startBot(sandbox: Sandbox, folder: string, port: number): Promise<App> {
  const { credentials } = sandbox;
  const configPath = join(folder, 'gatepost.yaml');
  await writeFile(configPath, configFor(sandbox));
  const read = readConfig(
    {
      SLACK_BOT_TOKEN: credentials.botToken,
      SLACK_SIGNING_SECRET: credentials.signingSecret,
      SLACK_API_URL: sandbox.slackApiUrl,
      SERVICE_URL: sandbox.serviceUrl,
      SERVICE_API_KEY: credentials.apiKey,
      SCIM_TOKEN: credentials.scimToken,
      DATA_DIR: folder,
      GATEPOST_KEYS: `demo:${randomBytes(32).toString('base64')}`,
      GATEPOST_INTAKE_SECRET: credentials.intakeSecret,
      GATEPOST_CONFIG: configPath,
      HOST: '127.0.0.1',
      PORT: String(port),
    },
    { command: 'start' },
  );
  if (!read.ok) throw new Error('the demo has a configuration of its own that is not right');
  return startApp({ config: read.config, logger: createLogger('error', process.stdout) });
}

const FAILED = 1;
const WRONG_USAGE = 2;
const usage = (command: string) => `Usage: ${command} [--port <number>]

Try everything in a browser: no Slack account, no Redis.
  --port  of the page, 0 to 65535; default: 4100, or the next one that is free
`;

/** The same at every start unless it is taken, so that open pages and terminals find the demo again. */
const PAGE_PORT = 4100;
const BOT_PORT = 4200;

/** The command: prints where the page is, and stops at Ctrl-C. */
export async function runDemo(
  words: readonly string[],
  command = 'npm run demo --',
): Promise<void> {
  if (words.includes('--help')) {
    process.stdout.write(usage(command));
    return;
  }
  const port = portIn(words);
  if (port === undefined) {
    process.stderr.write(usage(command));
    process.exitCode = WRONG_USAGE;
    return;
  }
  const starting = startOn(port);
  let isStopping = false;
  const stop = () => {
    // A second Ctrl-C stops at once.
    if (isStopping) process.exit(FAILED);
    isStopping = true;
    starting
      .then((demo) => demo.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => fail(`The demo could not stop cleanly: ${error}`),
      );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    const { sandbox, commands } = await starting;
    const lines = commands().map(({ title, command }) => `\n${title}:\n${command}\n`);
    process.stdout.write(`Open ${sandbox.url} in a browser. Ctrl-C ends it.\n${lines.join('')}`);
  } catch (error) {
    fail(`The demo could not start: ${causeOf(error)}`);
  }
}

/** @param chosen the page's port; if a person chose it, no other is tried */
async function startOn(chosen: number | 'default'): Promise<Demo> {
  const port = chosen === 'default' ? await freePort(PAGE_PORT) : chosen;
  const botPort = await freePort(BOT_PORT);
  try {
    return await startDemo({ port, botPort, opening: OPENING });
  } catch (error) {
    const taken = takenPort(error);
    // Another demo took it a moment ago.
    if (taken !== undefined && taken !== chosen) return startOn(chosen);
    throw error;
  }
}

/** This port, or the next free one. */
async function freePort(port: number): Promise<number> {
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
  if (isFree) return port;
  // After the last port, any free one.
  return port === 65_535 ? 0 : freePort(port + 1);
}

/** Undefined if the arguments are invalid. */
function portIn(words: readonly string[]): number | 'default' | undefined {
  try {
    const { values } = parseArgs({ args: [...words], options: { port: { type: 'string' } } });
    const { port } = values;
    if (port === undefined) return 'default';
    return /^\d+$/.test(port) && Number(port) <= 65_535 ? Number(port) : undefined;
  } catch {
    return undefined;
  }
}

function causeOf(error: unknown): string {
  const isTaken = takenPort(error) !== undefined;
  return isTaken ? 'the port is taken. Choose another with --port.' : String(error);
}

function takenPort(error: unknown): unknown {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isTaken && 'port' in error ? error.port : undefined;
}

function fail(words: string): never {
  process.stderr.write(`${words}\n`);
  process.exit(FAILED);
}

const [, program = '', ...words] = process.argv;
// Tests import this file and start the demo themselves.
if (program !== '' && realpathSync(program) === fileURLToPath(import.meta.url)) {
  await runDemo(words);
}
