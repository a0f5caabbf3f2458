import * as z from 'zod';
import { OF_TOKEN } from '../../approvals/alert.ts';
import { APPROVAL_KIND, type Approval } from '../../approvals/approval.ts';
import { approvalMessage } from '../../approvals/tell/message/message.ts';
import type { Config, Route } from '../../core/config/config.ts';
import { connectThrough } from '../../core/http/exchange.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { connectionFix } from '../../core/lib/proxies.ts';
import type { System } from '../../core/lib/system.ts';
import { TRUE_TIME } from '../../core/lib/timing.ts';
import type { SlackClient } from '../../core/slack/call-slack.ts';
import { callSlack } from '../../core/slack/call-slack.ts';
import { askIdentityOnce, askWorkspaces } from '../../core/slack/identity.ts';
import type { SlackMessage } from '../../core/slack/outbox.ts';
import { missingScopes } from '../../core/slack/scopes.ts';
import { SLACK_API } from '../../core/slack/slack-fetch.ts';
import { type SlackStartError, TOKEN_FIXES } from '../../core/slack/slack-start-error.ts';
import { createWebClients } from '../../core/slack/web-clients.ts';
import { advice, type CheckNeeds, type Found, fine, wrong } from './found.ts';

export async function checkSlack({ client, config, system }: CheckNeeds): Promise<Found> {
  const told = await askIdentityOnce(client);
  if (told instanceof RemoteFailure) return slackFound(told, 'SLACK_BOT_TOKEN', config);
  if (config.slack.mode === 'socket') {
    // Checked with the app's own token; this opens no connection.
    const app = createAppClient(config, system);
    try {
      await callSlack(app, 'apps.connections.open', {}, z.looseObject({}));
    } catch (error) {
      return slackFound(error, 'SLACK_APP_TOKEN', config);
    }
  }
  if (!told.isOfOrganisation)
    return fine(`the bot is ${told.botUserId} in workspace ${told.teamId}`);
  const organisation = told.enterpriseId ?? told.teamId;
  const where = await workspacesText(client);
  return fine(`the bot is ${told.botUserId}, installed for organisation ${organisation}${where}`);
}

const WORKSPACES_SHOWN = 10;

/** If it fails, the other Slack checks say why. */
async function workspacesText(client: SlackClient): Promise<string> {
  try {
    const all = await askWorkspaces(client);
    const shown = all
      .slice(0, WORKSPACES_SHOWN)
      .map(({ id, name }) => (name ? `${name} (${id})` : id));
    const more = all.length - shown.length;
    return `, in ${shown.join(', ') || 'no workspace yet'}${more > 0 ? ` and ${more} more` : ''}`;
  } catch (error) {
    if (error instanceof RemoteFailure)
      return `; Slack does not list its workspaces (${error.code})`;
    throw error;
  }
}

function createAppClient({ slack, proxies }: Config, system: System): SlackClient {
  const silent = { warn() {} };
  const options = { ...slack, botToken: slack.appToken, logger: silent };
  return createWebClients(options, {
    ...system,
    timing: TRUE_TIME,
    connect: connectThrough(proxies),
  }).lookup;
}

const REFUSED = 'Slack does not accept';
export const TOKEN_REFUSED = `${REFUSED} SLACK_BOT_TOKEN`;

/** The result for a failed Web API call. Rethrows other errors. */
export function slackFound(
  error: unknown,
  variable: SlackStartError['variable'],
  { slack, proxies }: Pick<Config, 'slack' | 'proxies'>,
): Found {
  if (!(error instanceof RemoteFailure)) throw error;
  const { code } = error;
  if (error.status === 429) {
    return advice(
      'not checked: Slack is rate-limiting these calls',
      'Run gatepost doctor again in a minute.',
    );
  }
  // Only one call uses an app token.
  const isOfToken = OF_TOKEN.has(code) || code === 'not_allowed_token_type';
  if (isOfToken || (error.class === 'refused' && variable === 'SLACK_APP_TOKEN')) {
    return wrong(`${REFUSED} ${variable} (${code})`, TOKEN_FIXES[variable]);
  }
  if (code === 'missing_scope') {
    return wrong(
      `a scope is missing (${error.detail ?? code})`,
      'Add the scopes from manifest.yml, then reinstall the app.',
    );
  }
  if (isMissingMethod(error)) {
    return wrong(
      `Slack has no method ${error.operation} at this address (${code})`,
      'Check that SLACK_API_URL leads to Slack. If it does, update Gatepost.',
    );
  }
  if (error.class === 'refused' && error.status === 200) {
    return wrong(`Slack refused the call (${code})`, "Look up the code in Slack's reference.");
  }
  if (error.status !== undefined) {
    return wrong(
      `Slack answered ${error.operation} with ${code}`,
      'Run gatepost doctor again in a minute. If it stays so, check the proxy and SLACK_API_URL.',
    );
  }
  return wrong(
    `Slack cannot be reached (${code})`,
    connectionFix(code, slack.apiUrl ?? SLACK_API, proxies) ??
      'Check the network and SLACK_API_URL.',
  );
}

/** The address may lead to only part of Slack, and a workspace may lack a method. */
function isMissingMethod({ code, status }: RemoteFailure): boolean {
  return status === 404 || code === 'unknown_method';
}

export async function checkScopes({ client, config }: CheckNeeds): Promise<Found> {
  const told = await askIdentityOnce(client);
  if (told instanceof RemoteFailure) return slackFound(told, 'SLACK_BOT_TOKEN', config);
  const { scopes } = told;
  if (scopes === null) {
    return advice(
      'Slack does not say which scopes the bot has',
      "Compare the app's scopes with manifest.yml.",
    );
  }
  const missing = missingScopes(scopes);
  if (missing.length === 0) return fine('all scopes in manifest.yml are granted');
  const what = missing.map(([scope, why]) => `${scope} (${why})`).join(', ');
  return wrong(`missing: ${what}`, 'Add them under OAuth & Permissions, then reinstall the app.');
}

/** Has Slack validate an approval's message before one is posted, because not all limits are documented. */
export async function checkBlocks({ client, config }: CheckNeeds): Promise<Found> {
  const [route] = config.routes;
  if (route === undefined) return fine('no route is configured');
  const { blocks } = sampleMessage(route);
  try {
    await callSlack(client, 'blocks.validate', { blocks }, z.unknown());
    return fine('Slack accepts the blocks of an approval message');
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (isMissingMethod(error)) {
      return fine('not checked: this workspace does not have blocks.validate');
    }
    if (error.code !== 'invalid_blocks') return slackFound(error, 'SLACK_BOT_TOKEN', config);
    const where = error.detail === undefined ? '' : ` at ${error.detail}`;
    return wrong(
      `Slack does not accept the blocks of an approval message${where}`,
      'Update Gatepost. If the problem remains, report it with this line.',
    );
  }
}

/** A message with everything an approval can show, for the route: `doctor` has Slack validate it. Nothing is posted. */
function sampleMessage(route: Route): SlackMessage {
  const approval: Approval = {
    token: '',
    source: 'doctor',
    route: route.name,
    channel: route.channel,
    createdAt: 0,
    title: 'Deploy 4.2 to production',
    message: 'Three services restart. To roll back, see https://example.com/runbook.',
    change: '- replicas: 2\n+ replicas: 4',
    fields: [['Version', '4.2']],
    link: 'https://example.com/runs/4711',
    requester: { name: 'Ana' },
    expiresAt: Date.UTC(2030, 0, 1),
    posts: [{ name: 'message', channel: route.channel }],
    watch: { state: 'pending', nextAt: 0 },
    queue: [],
    ballots: [],
    replies: [],
  };
  const needed = Math.max(2, route.quorum);
  const state = { name: 'waiting', approvedBy: [], needed, prompt: true } as const;
  return approvalMessage(`0-${APPROVAL_KIND}-of-the-doctor`, approval, state, { route, asOf: 0 });
}
