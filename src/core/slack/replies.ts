import type { KnownBlock } from '@slack/types';
import * as z from 'zod';
import {
  type Connect,
  type Connections,
  classOfStatus,
  headerOf,
  unanswered,
} from '../http/exchange.ts';
import type { Clock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { retryAfterMs } from '../lib/retry-after.ts';
import { type OnCall, seenCall } from '../lib/seen-call.ts';
import type { Timers } from '../lib/timers.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { SlackClient } from './call-slack.ts';
import { anyAnswer, callSlack } from './call-slack.ts';
import type { CallOptions } from './outbox.ts';
import { slackConnections } from './slack-fetch.ts';

/** Messages that one person sees. Texts are escaped markup. All methods throw RemoteFailure within 2 s. */
export interface Replies {
  /** By a `response_url`: 5 uses in 30 minutes. `refused` `foreign_response_url` when the URL is not Slack's. */
  respondUrl(url: string, words: ResponseReply, options?: CallOptions): Promise<void>;
  /** Shown to one person in a channel that they and the bot are in. */
  ephemeral(words: EphemeralReply, options?: CallOptions): Promise<void>;
  /** A direct message from the bot. */
  direct(words: DirectMessage, options?: CallOptions): Promise<void>;
}

export interface ReplyContent {
  /** With blocks, only for notifications and screen readers. */
  readonly text: string;
  readonly blocks?: readonly KnownBlock[];
}

export interface ResponseReply extends ReplyContent {
  /** Replaces the message that the URL came with. */
  readonly replace?: boolean;
}

interface EphemeralReply extends ReplyContent {
  readonly channel: string;
  readonly user: string;
  readonly threadTs?: string;
}

interface DirectMessage extends ReplyContent {
  readonly user: string;
}

interface RepliesNeeds {
  readonly client: SlackClient;
  /** null: Slack's own. Response URLs on its host are also accepted. */
  readonly apiUrl: string | null;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Called for every use of a `response_url`; the client reports its own calls. */
  readonly onCall?: OnCall | undefined;
  /** Default: the network. */
  readonly connect?: Connect;
}

export function createReplies(needs: RepliesNeeds): Replies {
  const { client, apiUrl, clock, onCall } = needs;
  const connections = slackConnections(needs.connect);
  const seen = { monotonic: () => clock.monotonic(), onCall };
  return {
    async respondUrl(url, { text, blocks, replace = false }, options) {
      if (!isResponseUrl(url, apiUrl)) throw refusedBy('foreign_response_url');
      const body = { response_type: 'ephemeral', replace_original: replace, text, blocks };
      const call = seenCall(OPERATION, () => postTo(url, body, connections, needs), seen);
      await waitFor(call, OPERATION, options);
    },
    async ephemeral({ channel, user, text, blocks, threadTs }, options) {
      const parameters = { channel, user, text, blocks, thread_ts: threadTs };
      await callSlack(client, 'chat.postEphemeral', parameters, anyAnswer, options?.signal);
    },
    async direct({ user, text, blocks }, options) {
      const parameters = { channel: user, text, blocks, unfurl_links: false, unfurl_media: false };
      await callSlack(client, 'chat.postMessage', parameters, anyAnswer, options?.signal);
    },
  };
}

const OPERATION = 'response_url';
const TIMEOUT_MS = 2_000;

/** Slack answers with one word or a little JSON. */
const MAX_BODY_BYTES = 1024 * 1024;

async function postTo(
  address: string,
  body: object,
  connections: Connections,
  { clock, timers }: RepliesNeeds,
): Promise<void> {
  const { origin, pathname, search } = new URL(address);
  const request = {
    method: 'POST',
    origin,
    path: pathname + search,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  } as const;
  const limits = { deadline: { ms: TIMEOUT_MS, timers }, maxBodyBytes: MAX_BODY_BYTES };
  const answer = await connections.send(request, limits);
  if (answer.kind === 'failed') throw unanswered(answer, OPERATION, [address]);
  const { status, headers, code } = answer;
  if (answer.body === null) throw new RemoteFailure(OPERATION, { class: 'ambiguous', code });
  if (status >= 200 && status < 300) return readOutcome(answer.body.toString('utf8'));
  const waitMs = retryAfterMs(headerOf(headers, 'retry-after'), clock.now());
  throw new RemoteFailure(OPERATION, {
    class: classOfStatus(status, request.method),
    code: `http_${status}`,
    status,
    ...(status === 429 && waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}

const refusal = z.looseObject({ ok: z.literal(false), error: z.string().optional() });

/** Slack answers "ok"; a used or expired URL may also be reported as JSON. */
function readOutcome(text: string): void {
  if (!text.startsWith('{')) return;
  const refused = refusal.safeParse(parsed(text)).data;
  if (refused === undefined) return;
  throw refusedBy(/^[a-z_]{1,64}$/.exec(refused.error ?? '')?.[0] ?? 'refused');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusedBy(code: string): RemoteFailure {
  return new RemoteFailure(OPERATION, { class: 'refused', code });
}

const SLACK_HOSTS = new Set(['hooks.slack.com', 'hooks.slack-gov.com']);

/** Whether the URL belongs to Slack, or to the server named by the API address that stands in for it. */
export function isResponseUrl(url: string, apiUrl: string | null): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, host, username, password } = new URL(url);
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:' && SLACK_HOSTS.has(host)) return true;
  if (apiUrl === null) return false;
  const api = new URL(apiUrl);
  return host === api.host && protocol === api.protocol;
}
