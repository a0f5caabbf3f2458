import * as z from 'zod';
import type { MonotonicClock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { createSharedCache } from '../lib/shared-cache.ts';
import type { SlackClient } from './call-slack.ts';
import { callSlack } from './call-slack.ts';
import type { SlackLinks } from './links.ts';

/**
 * A link to a message; `thread`: the message it replies to. Calls Slack only if the workspace's address is unknown;
 * undefined: there is no link. Never throws.
 */
export type Permalink = (
  channel: string,
  ts: string,
  thread?: string,
) => Promise<string | undefined>;

const DAY_MS = 24 * 60 * 60_000;

/** Caches Slack's links: a message's link does not change. */
export function createPermalinks(needs: {
  readonly client: SlackClient;
  readonly clock: MonotonicClock;
  readonly links: Pick<SlackLinks, 'message'>;
}): Permalink {
  const links = createSharedCache<string | undefined>({
    lifetimeMs: (link) => (link === undefined ? 0 : DAY_MS),
    maxEntries: 10_000,
    clock: needs.clock,
  });
  return async (channel, ts, thread) =>
    needs.links.message(channel, ts, thread) ??
    links.get(`${channel} ${ts}`, () => askPermalink(needs.client, channel, ts));
}

const linked = z.looseObject({ permalink: z.url() });

async function askPermalink(
  client: SlackClient,
  channel: string,
  ts: string,
): Promise<string | undefined> {
  try {
    const parameters = { channel, message_ts: ts };
    return (await callSlack(client, 'chat.getPermalink', parameters, linked)).permalink;
  } catch (error) {
    if (error instanceof RemoteFailure) return undefined;
    throw error;
  }
}
