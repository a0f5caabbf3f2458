/**
 * `gatepost setup`, from top to bottom: the app (`app-link.ts`), its tokens (`try-tokens.ts`), the invitation
 * (`take-place.ts`) and the first request (`first-approval.ts`). What each step gives is in the file with the settings
 * (`settings-file.ts`) before the next one begins, so that a setup that ends anywhere goes on there.
 */

import { resolve } from 'node:path';
import { readConfig } from '../../app/configuration.ts';
import { readProxies } from '../../core/config/proxies.ts';
import { formatProblems } from '../../core/config/read-config.ts';
import { intakeSecrets } from '../../core/config/values.ts';
import { readVariables, withSecretFiles } from '../../core/config/variables.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { envFiles } from '../env-file.ts';
import { EVENTS_PATH } from '../manifest.ts';
import { EXIT, type ExitCode, Interruption } from '../terminal.ts';
import { appLink, LINK_MAX, MANIFEST_FILE, opener, openLink } from './app-link.ts';
import { firstApproval } from './first-approval.ts';
import { makeSecrets } from './make-secrets.ts';
import { createPrompts, type Prompts } from './prompts.ts';
import { openSettings, type SettingsFile } from './settings-file.ts';
import { change, isForPerson, type Run, type SetupNeeds, SetupStop } from './setup-run.ts';
import { takePlace } from './take-place.ts';
import {
  type Bot,
  type Tried,
  troubleSentence,
  tryAppToken,
  tryBotToken,
  trySigningSecret,
} from './try-tokens.ts';
import { nameOf, readPerson } from './workspace.ts';

export async function runSetup(needs: SetupNeeds): Promise<ExitCode> {
  const { terminal, print = false } = needs;
  const { stderr } = terminal;
  try {
    using settings = openSettings(terminal.env, { file: needs.file, isDry: print });
    const { env } = settings;
    const { values, problems } = readVariables(env, 'doctor', ['SLACK_API_URL', 'HOST', 'PORT']);
    const { proxies, problems: ofProxies } = readProxies(env);
    const all = [...withSecretFiles(env).problems, ...problems, ...ofProxies];
    if (all.length > 0) {
      stderr.write(formatProblems(all));
      return EXIT.usage;
    }
    const { SLACK_API_URL: api } = values;
    using prompts = createPrompts(terminal);
    const access = { apiUrl: api === undefined ? null : `${api}/`, proxies, system: needs.system };
    const isHttp = needs.http !== null || isOverHttp(settings);
    const run: Run = { ...needs, settings, prompts, access, isHttp };
    return await steps(run).catch((error: unknown) => {
      if (!(error instanceof RemoteFailure)) throw error;
      const trouble = troubleSentence(error, 'SLACK_BOT_TOKEN', access);
      throw new SetupStop(`${trouble} Then run gatepost setup again.`);
    });
  } catch (error) {
    if (error instanceof Interruption) return interruptedCode(needs);
    if (!isForPerson(error)) throw error;
    stderr.write(`${error.message}\n`);
    return EXIT.notDone;
  }
}

function interruptedCode({ terminal, print }: SetupNeeds): ExitCode {
  const next = print
    ? 'The settings were not written to a file.'
    : 'Run gatepost setup again to go on from here.';
  terminal.stderr.write(`\nStopped. ${next}\n`);
  return EXIT.interrupted;
}

function isOverHttp(settings: SettingsFile): boolean {
  const mode = settings.get('SLACK_MODE');
  if (mode !== undefined) return mode === 'http';
  return settings.get('SLACK_SIGNING_SECRET') !== undefined;
}

async function steps(run: Run): Promise<ExitCode> {
  const { settings, prompts, print, terminal } = run;
  if (settings.get('SLACK_BOT_TOKEN') === undefined) await showLink(run);
  const bot = await takeBotToken(run);
  await takeOtherSecret(run, bot);
  // c. The key and the secret.
  makeSecrets(run);
  // d. The channel. With gatepost.yaml it is in a route.
  if (settings.get('GATEPOST_CONFIG') === undefined) await takePlace(run, bot);
  // Before the first request: whoever stops while it waits for a decision has them.
  if (print) terminal.stdout.write(settings.text);
  const read = readConfig(settings.env, { command: 'start' });
  if (!read.ok) {
    prompts.say(formatProblems(read.problems).trimEnd());
    return EXIT.usage;
  }
  const isDone = await askFirst(run, bot);
  if (isDone) sayWhatIsNext(run);
  return isDone ? EXIT.done : EXIT.notDone;
}

/** a. The app. */
async function showLink({
  prompts,
  settings,
  access,
  http,
  features,
  terminal,
  isHttp,
  print,
}: Run) {
  if (isHttp && http === null) {
    throw new SetupStop("Give the bot's public address with --http, or remove SLACK_MODE=http.");
  }
  const { link, manifest } = await appLink(access.apiUrl, http, features ?? undefined);
  const isLong = link.length > LINK_MAX;
  const words = [http === null ? '--socket' : `--url ${http}`];
  if (features) words.push(`--features ${features.join(',')}`);
  const pasted = print
    ? `what gatepost manifest ${words.join(' ')} prints`
    : settings.writeBeside(MANIFEST_FILE, manifest);
  prompts.say(
    '1. Create the Slack app: open this link, choose your workspace, press Create and Install.\n',
  );
  if (isLong) {
    prompts.say(`The link would have ${link.length} characters, which is too long to open.`);
    prompts.say(`Choose From a manifest at ${link.split('?')[0]}, and paste ${pasted}.\n`);
    return;
  }
  prompts.say(`${link}\n`);
  const program = opener(terminal.env);
  if (program === undefined || !(await prompts.confirm('Open it in your browser?', true))) return;
  if (!(await openLink(program, link))) prompts.say('It could not be opened here: copy the link.');
}

/** b. The tokens. */
async function takeBotToken(run: Run): Promise<Bot> {
  run.prompts.say(
    '2. Copy what Slack then shows under Your app credentials. It stays hidden here.\n',
  );
  const bot = await takeSecret(run, 'SLACK_BOT_TOKEN', 'Bot token (xoxb-…):', (token) =>
    tryBotToken(token, run.access),
  );
  run.prompts.say(
    `   The bot is ${bot.botUserId}${bot.workspaceUrl ? ` in ${bot.workspaceUrl}` : ''}`,
  );
  return bot;
}

async function takeOtherSecret(run: Run, bot: Bot): Promise<void> {
  if (run.isHttp) {
    const question = 'Signing secret (Basic Information):';
    await takeSecret(run, 'SLACK_SIGNING_SECRET', question, async (text) => trySigningSecret(text));
    await change(run, { SLACK_MODE: 'http' });
    return;
  }
  const question = 'App token (xapp-…):';
  await takeSecret(run, 'SLACK_APP_TOKEN', question, (token) =>
    tryAppToken(token, bot, run.access),
  );
  await change(run, { SLACK_MODE: 'socket' });
}

/** Tries the one that is set; asks until one is right, and writes it. Says of each wrong one what it is. */
async function takeSecret<Value>(
  run: Run,
  name: 'SLACK_BOT_TOKEN' | 'SLACK_APP_TOKEN' | 'SLACK_SIGNING_SECRET',
  question: string,
  attempt: (text: string) => Promise<Tried<Value>>,
): Promise<Value> {
  const { prompts, settings } = run;
  let text = settings.get(name);
  const isSet = text !== undefined;
  for (;;) {
    text ??= await prompts.secret(question);
    const tried = text === '' ? undefined : await whileSeen(prompts, () => attempt(text ?? ''));
    if (tried?.ok) {
      if (settings.get(name) !== text) settings.set({ [name]: text });
      return tried.value;
    }
    if (tried !== undefined) prompts.say(tried.sentence);
    if (tried?.isPassing) {
      if (await prompts.confirm('Try again?', true)) continue;
      throw new SetupStop(
        'Nothing else was changed. Run gatepost setup again when Slack can be reached.',
      );
    }
    if (isSet && settings.isFixed(name)) {
      throw new SetupStop(
        `${name} is set in the environment: change it there, then run gatepost setup again.`,
      );
    }
    if (isSet && text === settings.get(name)) {
      const isNew = await prompts.confirm(`Replace ${name} in ${settings.path}?`, true);
      if (!isNew)
        throw new SetupStop(`${name} in ${settings.path} stays as it is, and does not work.`);
    }
    text = undefined;
  }
}

/** Rejects at once when somebody ends it. */
async function whileSeen<Value>({ signal }: Prompts, work: () => Promise<Value>): Promise<Value> {
  signal.throwIfAborted();
  const value = await work();
  signal.throwIfAborted();
  return value;
}

/** e. The first request. */
async function askFirst(run: Run, bot: Bot): Promise<boolean> {
  const { settings, prompts, isHttp, http, system, startBot } = run;
  const read = readConfig(settings.env, { command: 'start' });
  const [secret] =
    intakeSecrets('bearer').safeParse(settings.get('GATEPOST_INTAKE_SECRET') ?? '').data ?? [];
  if (!read.ok || secret === undefined) {
    prompts.say('Requests come from the sources in gatepost.yaml: none is asked from here.');
    return true;
  }
  // In Socket Mode nobody has to reach it, and its port may be taken.
  const listen = isHttp ? read.config.http : { host: '127.0.0.1', port: 0 };
  const config = { ...read.config, http: listen, logLevel: 'silent' as const };
  if (isHttp) {
    const address = http === null ? 'the bot' : `${http}${EVENTS_PATH}`;
    prompts.say(`Listening on port ${listen.port}. Slack must reach it as ${address}.`);
  }
  const first = await firstApproval({
    config,
    system,
    startBot,
    secret,
    signal: prompts.signal,
    onPosted: ({ permalink }) =>
      prompts.say(
        `4. The first request is in Slack: ${permalink}\n   Press Approve there. Waiting …`,
      ),
  });
  if (first.kind === 'failed') {
    prompts.say(first.sentence);
    return false;
  }
  const { outcome, status } = first.details;
  const people = await Promise.all((outcome?.by ?? []).map((id) => readPerson(bot, id)));
  const by = people.length === 0 ? '' : ` by ${people.map(nameOf).join(', ')}`;
  const state = status === 'APPROVED' ? 'Approved' : 'Rejected';
  prompts.say(`${first.isEarlier ? 'The first request is decided: ' : ''}${state}${by}.`);
  return true;
}

function sayWhatIsNext({ prompts, settings, print, isHttp, terminal }: Run): void {
  const port = settings.get('PORT') ?? '3000';
  const { path } = settings;
  const isRead = envFiles(terminal.env).some((file) => resolve(file) === path);
  const move = isRead ? '' : ' Move them to .env of the folder where Gatepost starts.';
  const where = print ? 'Put the lines above into .env.' : `The settings are in ${path}.${move}`;
  prompts.say(`
${where} Next:
  gatepost start                 ${isHttp ? 'receives from Slack, and' : 'connects to Slack, and'} reads them
  GATEPOST_URL=http://localhost:${port} GATEPOST_INTAKE_SECRET=… gatepost ask --title "Deploy 4.2" --run -- ./deploy.sh
  docs/asking.md                 pipelines, agents, curl`);
}
