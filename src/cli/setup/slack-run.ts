/**
 * Settings for `slack run`, which Slack's command line starts in a clone (`.slack/hooks.json`): it hands over two tokens,
 * and there is no terminal to ask in. What `gatepost setup` would make is made here and kept in a file of its own.
 * Only `scripts/slack-hook.ts` imports this, so neither the package nor the image has it.
 */

import type { Logger } from 'pino';
import { type Env, lookUp } from '../../core/config/environment.ts';
import { readProxies } from '../../core/config/proxies.ts';
import { formatProblems } from '../../core/config/read-config.ts';
import { readVariables, type VariableName } from '../../core/config/variables.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import type { System } from '../../core/lib/system.ts';
import { checkInvitation } from './check-invitation.ts';
import { type Invitation, waitForInvitations } from './invitations.ts';
import { makeSecrets } from './make-secrets.ts';
import { openSettings, type SettingsFile } from './settings-file.ts';
import { SetupStop } from './setup-run.ts';
import {
  type Bot,
  type SlackAccess,
  type Tried,
  troubleSentence,
  tryAppToken,
  tryBotToken,
} from './try-tokens.ts';
import { nameOf, placesOf } from './workspace.ts';

/** In the working folder. */
export const DEV_FILE = '.gatepost-dev.env';

/** Apart from the records of a bot with another app that runs in the same folder. */
const DEV_DATA = './data/slack-run';

interface SlackRunNeeds {
  readonly system: System;
  readonly logger: Logger;
}

/**
 * The environment for `start`. Waits for the first invitation, unless who decides is configured. What it made is in the
 * file before the next step begins, so that a run that ends anywhere goes on there. Rejects with an error for the person.
 */
export async function settingsForSlackRun(given: Env, needs: SlackRunNeeds): Promise<Env> {
  const { system, logger } = needs;
  const handedOver = withTokens(given);
  const access = accessIn(handedOver.env, system);
  using settings = openSettings(handedOver.env, { file: DEV_FILE, isDry: false });
  try {
    const bot = accepted(await tryBotToken(handedOver.bot, access));
    accepted(await tryAppToken(handedOver.app, bot, access));
    const hasStore = isSet(settings, 'REDIS_URL') || isSet(settings, 'DATA_DIR');
    makeSecrets({ settings, system }, hasStore ? {} : { DATA_DIR: DEV_DATA });
    const isOpen = !PLACES.some((name) => isSet(settings, name));
    if (isOpen) await takeFirst(settings, bot, handedOver.app, { ...needs, access });
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    throw new SetupStop(troubleSentence(error, 'SLACK_BOT_TOKEN', access));
  }
  const facts = {
    file: settings.path,
    channel: settings.get('GATEPOST_CHANNEL'),
    reviewers: settings.get('GATEPOST_REVIEWERS'),
  };
  logger.warn(facts, 'settings for development are in use: delete the file to start over');
  return settings.env;
}

/** Who decides, and where. */
const PLACES: readonly VariableName[] = [
  'GATEPOST_CHANNEL',
  'GATEPOST_REVIEWERS',
  'GATEPOST_CONFIG',
];

function isSet(settings: SettingsFile, name: VariableName): boolean {
  return settings.get(name) !== undefined;
}

/** The tokens take precedence: `.env` may have those of another app. */
function withTokens(given: Env): {
  readonly env: Env;
  readonly bot: string;
  readonly app: string;
} {
  const [bot, app] = [lookUp(given, 'SLACK_CLI_XOXB'), lookUp(given, 'SLACK_CLI_XAPP')];
  if (bot === undefined || app === undefined) throw new SetupStop(NO_TOKENS);
  const { SLACK_BOT_TOKEN_FILE: _, SLACK_APP_TOKEN_FILE: __, ...others } = given;
  const own = { SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app, SLACK_MODE: 'socket' };
  return { env: { ...others, ...own }, bot, app };
}

const NO_TOKENS =
  "Slack's command line hands over two tokens (SLACK_CLI_XOXB, SLACK_CLI_XAPP), and one is missing. Start it with slack run, or use npm run setup.";

function accessIn(env: Env, system: System): SlackAccess {
  const { values, problems } = readVariables(env, 'doctor', ['SLACK_API_URL']);
  const { proxies, problems: ofProxies } = readProxies(env);
  const all = [...problems, ...ofProxies];
  if (all.length > 0) throw new SetupStop(formatProblems(all).trimEnd());
  const { SLACK_API_URL: api } = values;
  return { apiUrl: api === undefined ? null : `${api}/`, proxies, system };
}

function accepted<Value>(tried: Tried<Value>): Value {
  if (!tried.ok) throw new SetupStop(tried.sentence);
  return tried.value;
}

/** The inviter becomes the reviewer of that channel, and never an administrator. Later invitations change nothing. */
async function takeFirst(
  settings: SettingsFile,
  bot: Bot,
  appToken: string,
  { system, logger, access }: SlackRunNeeds & { readonly access: SlackAccess },
): Promise<void> {
  let last = Promise.resolve();
  // One after the other. Slack sends an event again if its work was not done: its handler may be killed.
  const keep = (invitation: Invitation) => {
    last = last.catch(() => {}).then(() => take(invitation));
    return last;
  };
  async function take(invitation: Invitation): Promise<void> {
    if (isSet(settings, 'GATEPOST_CHANNEL') || invitation.inviter === null) return;
    const { place, person, is, fault, barred } = await checkInvitation(invitation, bot);
    if (fault !== undefined || barred !== undefined || person === undefined) {
      const why = fault === undefined ? `${barred} ${REMOVE_IT}` : `${fault} ${ELSEWHERE}`;
      logger.warn({ why: `${is} ${why}` }, 'refused an invitation: still waiting for another one');
      return;
    }
    settings.set({ GATEPOST_CHANNEL: place.id, GATEPOST_REVIEWERS: person.id });
    logger.warn(
      { name: nameOf(person), user: person.id, channel: place.id, channelName: place.name },
      'the person who invited the bot first is now the reviewer of this channel',
    );
  }
  const known = await placesOf(bot);
  await using invitations = await waitForInvitations({
    ...access,
    ...{ system, bot, known, appToken, keep },
    onUnconnected: () => logger.warn({}, 'Slack opens no connection: is Socket Mode on?'),
    onShared: (connections) =>
      logger.warn({ connections }, 'another program with this app is connected to Slack: stop it'),
    signal: new AbortController().signal,
  });
  logger.info(
    { isIn: known.map(({ name }) => name) },
    'waiting for an invitation: type /invite in the channel where people decide',
  );
  while (!isSet(settings, 'GATEPOST_CHANNEL')) {
    const { channel, inviter } = await invitations.next();
    if (inviter !== null) continue;
    logger.warn(
      { channel },
      'it is not known who invited the bot: remove it from the channel and invite it again',
    );
  }
}

const ELSEWHERE = 'Invite the bot to another channel.';
const REMOVE_IT = 'Remove the bot from the channel and invite it yourself.';
