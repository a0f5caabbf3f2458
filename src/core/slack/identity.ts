import type { Logger } from 'pino';
import { z } from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import type { Timers } from '../lib/timers.ts';
import { callSlack } from './call-slack.ts';
import { SlackStartError } from './slack-start-error.ts';
import type { SlackClient } from './web-api.ts';

/** Who the bot is, as `auth.test` tells. */
export interface SlackIdentity {
  readonly botUserId: string;
  readonly botId: string | null;
  /** Of its workspace; with the token of a whole organisation the organisation's. */
  readonly teamId: string;
  /** A whole organisation has installed the app, and not one workspace. */
  readonly isOfOrganisation: boolean;
  /** Where the workspace is, with a slash at its end; null: Slack did not say. */
  readonly workspaceUrl: string | null;
  /** null outside Enterprise Grid. */
  readonly enterpriseId: string | null;
  /** null: Slack did not say. */
  readonly appId: string | null;
  /** null: Slack did not say. */
  readonly scopes: readonly string[] | null;
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
  /** Of the header `x-oauth-scopes`. */
  scopes: z.string().optional(),
});

interface IdentityNeeds {
  readonly client: SlackClient;
  readonly logger: Logger;
  readonly timers: Timers;
}

/** Asks until Slack answers, for about half a minute. Throws SlackStartError; at once when Slack said no. */
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

/** A machine or a network that has just started may be slow. */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000];
const LONGEST_WAIT_MS = 30_000;

/** undefined: asking again is of no use. */
function waitAfter(failure: RemoteFailure, tries: number): number | undefined {
  const { class: kind, status, retryAfterMs = 0 } = failure;
  const waitMs = WAITS_MS[tries];
  const isNo = kind === 'refused' && status !== 429;
  if (isNo || waitMs === undefined || retryAfterMs > LONGEST_WAIT_MS) return undefined;
  return Math.max(waitMs, retryAfterMs);
}

/** Asks once. */
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
      scopes: told.scopes?.split(',').map((scope) => scope.trim()) ?? null,
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
/** Slack's most for one page: no organisation has an app in more. */
const WORKSPACES_MOST = 1_000;

/** The workspaces in which the bot's token can be used. Throws RemoteFailure. */
export async function askWorkspaces(client: SlackClient): Promise<readonly SlackWorkspace[]> {
  const parameters = { limit: WORKSPACES_MOST };
  return (await callSlack(client, 'auth.teams.list', parameters, workspaces)).teams;
}
