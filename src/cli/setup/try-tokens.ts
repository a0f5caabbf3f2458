import * as z from 'zod';
import { connectThrough } from '../../core/http/exchange.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import type { Proxies } from '../../core/lib/proxies.ts';
import type { System } from '../../core/lib/system.ts';
import { TRUE_TIME } from '../../core/lib/timing.ts';
import type { SlackClient } from '../../core/slack/call-slack.ts';
import { callSlack } from '../../core/slack/call-slack.ts';
import { askIdentityOnce, type SlackIdentity } from '../../core/slack/identity.ts';
import { REQUIRED_SCOPES } from '../../core/slack/scopes.ts';
import { createWebClients } from '../../core/slack/web-clients.ts';
import { slackFound } from '../doctor/slack-checks.ts';

/** How Slack is reached. */
export interface SlackAccess {
  /** null: Slack's own. */
  readonly apiUrl: string | null;
  readonly proxies: Proxies;
  readonly system: System;
}

/** The app's bot, as its token shows it. */
export interface Bot extends SlackIdentity {
  readonly client: SlackClient;
  /** null: Slack did not say. */
  readonly appId: string | null;
}

/** `sentence`: what is wrong, and where the right one is. `isPassing`: not the token's fault, so try it again. */
export type Tried<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly sentence: string; readonly isPassing: boolean };

export function clientWith(token: string, { apiUrl, proxies, system }: SlackAccess): SlackClient {
  const options = { botToken: token, apiUrl, logger: { warn() {} } };
  return createWebClients(options, {
    ...system,
    timing: TRUE_TIME,
    connect: connectThrough(proxies),
  }).lookup;
}

const WHERE = "on the app's page under Your app credentials";

/** What a pasted text is, by its form. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^xoxb-/, 'the bot token (xoxb-…)'],
  [/^xapp-/, 'the app token (xapp-…)'],
  [/^xoxp-/, 'a user token (xoxp-…), which acts as a person'],
  [/^xox[er]/, 'a token to change or renew apps (xoxe-…)'],
  [/^[0-9a-f]{32}$/, 'a signing or client secret'],
];

function wrongForm(text: string, wanted: string): Tried<never> {
  const [, what] = FORMS.find(([form]) => form.test(text)) ?? [];
  const said = what === undefined ? 'That is no token of Slack.' : `That is ${what}.`;
  return refused(`${said} Needed here: ${wanted}, ${WHERE}.`);
}

const refused = (sentence: string): Tried<never> => ({ ok: false, sentence, isPassing: false });

/** Asks Slack whose token it is, and what it may do. */
export async function tryBotToken(token: string, access: SlackAccess): Promise<Tried<Bot>> {
  if (!/^xoxb-[\x21-\x7e]+$/.test(token)) {
    return wrongForm(token, 'the bot token, which begins xoxb-');
  }
  const client = clientWith(token, access);
  const told = await askIdentityOnce(client);
  if (told instanceof RemoteFailure) return failed(told, 'SLACK_BOT_TOKEN', access);
  const missing = Object.keys(REQUIRED_SCOPES).filter(
    (scope) => told.scopes?.includes(scope) === false,
  );
  if (missing.length > 0) {
    return refused(
      `The app lacks ${missing.length === 1 ? 'the scope' : 'the scopes'} ${missing.join(', ')}. Under App Manifest, paste what gatepost manifest prints, reinstall the app, then paste its bot token again.`,
    );
  }
  return { ok: true, value: { ...told, client, appId: await appIdOf(told, client) } };
}

const botInfo = z.looseObject({ bot: z.looseObject({ app_id: z.string() }) });

/** null: Slack does not say, and nothing depends on it alone. */
async function appIdOf(
  { appId, botId }: SlackIdentity,
  client: SlackClient,
): Promise<string | null> {
  if (appId !== null || botId === null) return appId;
  try {
    return (await callSlack(client, 'bots.info', { bot: botId }, botInfo)).bot.app_id;
  } catch (error) {
    if (error instanceof RemoteFailure) return null;
    throw error;
  }
}

/** Asks Slack for a connection with it, which is then not opened. */
export async function tryAppToken(
  token: string,
  bot: Bot,
  access: SlackAccess,
): Promise<Tried<string>> {
  if (!/^xapp-[\x21-\x7e]+$/.test(token)) {
    return wrongForm(token, 'the app token, which begins xapp-');
  }
  const [, app] = /^xapp-\d+-(A[A-Z0-9]+)-/.exec(token) ?? [];
  if (app !== undefined && bot.appId !== null && app !== bot.appId) {
    return refused(
      `That app token belongs to another app (${app}) than the bot token (${bot.appId}). Both are on the page of one app, under Your app credentials.`,
    );
  }
  try {
    const client = clientWith(token, access);
    await callSlack(client, 'apps.connections.open', {}, z.unknown());
    return { ok: true, value: token };
  } catch (error) {
    if (error instanceof RemoteFailure && error.code === 'missing_scope') {
      return refused(
        'The app token lacks the scope connections:write. Make another one under Basic Information, App-Level Tokens.',
      );
    }
    return failed(error, 'SLACK_APP_TOKEN', access);
  }
}

/** Only its form can be tried: Slack's first request shows whether it is right. */
export function trySigningSecret(text: string): Tried<string> {
  if (/^[0-9a-f]{32}$/.test(text)) return { ok: true, value: text };
  const [, what] = FORMS.find(([form]) => form.test(text)) ?? [];
  const said = what === undefined ? '' : `That is ${what}. `;
  return refused(
    `${said}Needed here: the signing secret, 32 digits and letters from a to f, on the app's page under Basic Information.`,
  );
}

function failed(
  error: unknown,
  variable: 'SLACK_APP_TOKEN' | 'SLACK_BOT_TOKEN',
  access: SlackAccess,
): Tried<never> {
  const isPassing =
    error instanceof RemoteFailure && !(error.class === 'refused' && error.status === 200);
  return { ok: false, sentence: troubleSentence(error, variable, access), isPassing };
}

/** What went wrong in Slack, and what to do. Rethrows other errors. */
export function troubleSentence(
  error: unknown,
  variable: 'SLACK_APP_TOKEN' | 'SLACK_BOT_TOKEN',
  { apiUrl, proxies }: SlackAccess,
): string {
  const slack = { apiUrl, botToken: '', appToken: '', signingSecret: '', mode: 'socket' } as const;
  const { detail, fix } = slackFound(error, variable, { slack, proxies });
  return [
    `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`,
    ...(fix === null ? [] : [fix]),
  ].join(' ');
}
