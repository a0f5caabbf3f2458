import type { Logger } from 'pino';
import * as z from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import type { Timers } from '../lib/timers.ts';
import type { SlackClient } from './call-slack.ts';
import { callSlack } from './call-slack.ts';
import { SlackStartError } from './slack-start-error.ts';

/** Who the bot is, according to `auth.test`. */
export interface SlackIdentity {
  readonly botUserId: string;
  readonly botId: string | null;
  /** The workspace, or the organisation for an organisation's token. */
  readonly teamId: string;
  /** The app is installed for a whole organisation. */
  readonly isOfOrganisation: boolean;
  /** The workspace's address, with a trailing slash; null: Slack did not say. */
  readonly workspaceUrl: string | null;
  /** null outside Enterprise Grid. */
  readonly enterpriseId: string | null;
  /** null: Slack did not say. */
  readonly appId: string | null;
  /** null: Slack did not say. */
  readonly scopes: readonly string[] | null;
}

/** null: not known. One app can have several bot ids, and Slack does not always name the app. */
export type OwnIds = Pick<SlackIdentity, 'botUserId' | 'appId' | 'botId'>;

/** Whether a message is our own: any id that both sides know matches. */
export function isOwnMessage(
  { botUserId, appId, botId }: OwnIds,
  message: {
    readonly user?: string | undefined;
    readonly app_id?: string | undefined;
    readonly bot_id?: string | undefined;
  },
): boolean {
  const isSameApp = appId !== null && message.app_id === appId;
  const isSameBot = botId !== null && message.bot_id === botId;
  return message.user === botUserId || isSameApp || isSameBot;
}

const id = z.string().min(1).nullish();
const answer = z.looseObject({
  user_id: z.string(),
  team_id: z.string(),
  bot_id: id,
  enterprise_id: id,
  is_enterprise_install: z.boolean().nullish(),
  url: z
    .url({ protocol: /^https?$/ })
    .nullish()
    .catch(null),
  app_id: id,
  /** From the header `x-oauth-scopes`. */
  response_metadata: z
    .looseObject({ scopes: z.array(z.string()).optional() })
    .optional()
    .catch(undefined),
});

interface IdentityNeeds {
  readonly client: SlackClient;
  readonly logger: Logger;
  readonly timers: Timers;
}

/** Asks until Slack answers, for about half a minute. Throws SlackStartError, at once if Slack refused. */
export async function askIdentity({
  client,
  logger,
  timers,
}: IdentityNeeds): Promise<SlackIdentity> {
  for (let tries = 0; ; tries += 1) {
    const told = await askIdentityOnce(client);
    if (!(told instanceof RemoteFailure)) return told;
    const waitMs = waitAfter(told, tries);
    if (waitMs === undefined) throw new SlackStartError(told);
    logger.warn({ code: told.code }, 'could not ask Slack who the bot is');
    await timers.sleep(waitMs);
  }
}

/** A machine or network that has just started may be slow. */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000];
const LONGEST_WAIT_MS = 30_000;

/** undefined: asking again would not help. */
function waitAfter(failure: RemoteFailure, tries: number): number | undefined {
  const { class: kind, status, retryAfterMs = 0 } = failure;
  const waitMs = WAITS_MS[tries];
  const isNo = kind === 'refused' && status !== 429;
  if (isNo || waitMs === undefined || retryAfterMs > LONGEST_WAIT_MS) return undefined;
  return Math.max(waitMs, retryAfterMs);
}

export async function askIdentityOnce(client: SlackClient): Promise<SlackIdentity | RemoteFailure> {
  try {
    const told = await callSlack(client, 'auth.test', {}, answer);
    return {
      botUserId: told.user_id,
      botId: told.bot_id ?? null,
      teamId: told.team_id,
      isOfOrganisation: told.is_enterprise_install ?? false,
      workspaceUrl: told.url?.replace(/(?<!\/)\/*$/, '/') ?? null,
      enterpriseId: told.enterprise_id ?? null,
      appId: told.app_id ?? null,
      scopes: told.response_metadata?.scopes ?? null,
    };
  } catch (error) {
    if (error instanceof RemoteFailure) return error;
    throw error;
  }
}

interface SlackWorkspace {
  readonly id: string;
  readonly name: string;
}

const workspaces = z.looseObject({
  teams: z.array(z.looseObject({ id: z.string(), name: z.string().catch('') })),
});
/** Slack's maximum for one page; no organisation has the app in more. */
const WORKSPACES_MOST = 1_000;

/** The workspaces in which the bot's token can be used. Throws RemoteFailure. */
export async function askWorkspaces(client: SlackClient): Promise<readonly SlackWorkspace[]> {
  const parameters = { limit: WORKSPACES_MOST };
  return (await callSlack(client, 'auth.teams.list', parameters, workspaces)).teams;
}
