import type { webApi } from '@slack/bolt';
import { z } from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import { callSlack } from './call-slack.ts';
import { SlackStartError } from './slack-start-error.ts';

/** Who the bot is, as `auth.test` tells. */
export interface SlackIdentity {
  readonly botUserId: string;
  readonly botId: string | null;
  readonly teamId: string;
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
  app_id: id,
  // The web client puts the header `x-oauth-scopes` here.
  response_metadata: z.looseObject({ scopes: z.array(z.string()).optional() }).optional(),
});

/** Throws SlackStartError. */
export async function askIdentity(client: webApi.WebClient): Promise<SlackIdentity> {
  try {
    const told = await callSlack(client, 'auth.test', {}, answer);
    return {
      botUserId: told.user_id,
      botId: told.bot_id ?? null,
      teamId: told.team_id,
      enterpriseId: told.enterprise_id ?? null,
      appId: told.app_id ?? null,
      scopes: told.response_metadata?.scopes ?? null,
    };
  } catch (error) {
    if (error instanceof RemoteFailure) throw new SlackStartError(error);
    throw error;
  }
}
