import { createHmac } from 'node:crypto';
import { slackRoute } from '../../../src/app/serve.ts';
import { createHttpListener } from '../../../src/core/http/listener.ts';
import { createMetrics } from '../../../src/core/http/metrics.ts';
import { system } from '../../../src/core/lib/system.ts';
import type { Timers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { createSlackApp, type SlackApp } from '../../../src/core/slack/bolt-app.ts';
import { createBoundary } from '../../../src/core/slack/boundary.ts';
import { HttpReceiver } from '../../../src/core/slack/http-receiver.ts';
import { createReplies } from '../../../src/core/slack/replies.ts';
import { createWebClients } from '../../../src/core/slack/web-clients.ts';
import { type Answer, startFakeSlack } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';

const SIGNING_SECRET = 'signing-secret';
const NOW = 1_800_000_000_000;

export interface Signing {
  readonly secret?: string;
  /** How far the request's time is ahead of ours. */
  readonly aheadS?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a feature does with Bolt's app. */
export type Listen = (bolt: SlackApp['bolt'], listeners: SlackApp['listeners']) => void;

/** The app behind the real listener, in front of a stand-in for Slack. */
export async function startStage(listen: Listen = () => {}, answer?: Answer) {
  const slack = await startFakeSlack(answer);
  const sink = createLogSink();
  const { logger } = sink;
  const { apiUrl } = slack;
  const limits = new Map<() => void, number>();
  const { interactive } = createWebClients(
    { botToken: 'xoxb-secret', apiUrl, logger },
    { ...system, timing: TRUE_TIME },
  );
  const refused: string[] = [];
  let waiting = 0;
  const timers: Timers = {
    ...system.timers,
    after(ms, callback) {
      limits.set(callback, ms);
      return () => void limits.delete(callback);
    },
  };
  const boundary = createBoundary({
    replies: createReplies({ client: interactive, apiUrl, ...system }),
    logger,
    timers,
    giveWay: {
      begin() {
        waiting += 1;
        return () => {
          waiting -= 1;
        };
      },
    },
    newReference: () => 'REF7',
    offSentence: (id) => (id === '/off' || id === 'off.press' ? 'This is off.' : undefined),
  });
  const receiver = new HttpReceiver({
    signingSecret: SIGNING_SECRET,
    boundary,
    logger,
    timers,
    clock: system.clock,
    now: () => NOW,
    onRefused: (refusal) => refused.push(refusal),
    onAnswered: () => {},
  });
  const me = { botUserId: 'UBOT', botId: 'B1' };
  const app = createSlackApp({ me, receiver, boundary, logger });
  listen(app.bolt, app.listeners);
  const http = await createHttpListener({
    host: '127.0.0.1',
    port: 0,
    routes: [slackRoute(receiver)],
    isReady: () => true,
    metrics: createMetrics(),
    logger,
    ...system,
  });
  const endpoint = `${http.url}/slack/events`;

  /** Sends a text as Slack would, signed. */
  const sendText = async (text: string, contentType: string, signing: Signing = {}) => {
    const response = await fetch(endpoint, {
      method: 'POST',
      body: text,
      headers: {
        'content-type': contentType,
        ...signatureHeaders({ text, ...signing }),
        ...signing.headers,
      },
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    slack,
    sink,
    app,
    /** Why requests were refused. */
    refused,
    /** Advances the time for deadlines; otherwise there is no limit. */
    pass(forMs: number) {
      for (const [over, ms] of [...limits]) if (ms <= forMs) over();
    },
    /** How many requests others make way for. */
    waiting: () => waiting,
    endpoint,
    metrics: async () => (await fetch(`${http.url}/metrics`)).text(),
    sendText,
    /** An interaction. */
    interact: (payload: object, signing?: Signing) =>
      sendText(new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), FORM, signing),
    command: (members: Record<string, string>) =>
      sendText(new URLSearchParams({ ...TYPED, ...person, ...members }).toString(), FORM),
    event: (body: object) => sendText(JSON.stringify(body), 'application/json'),
    /** What people were told outside the acknowledgement, by method and text. */
    told: () => slack.calls.map(({ method, body }) => [method, String(body.text)]),
    async [Symbol.asyncDispose]() {
      await http.stop(1_000);
      await slack[Symbol.asyncDispose]();
    },
  };
}

/** As Slack signs a text. */
export function signatureHeaders({
  text,
  secret = SIGNING_SECRET,
  aheadS = 0,
}: Omit<Signing, 'headers'> & { readonly text: string }): Record<string, string> {
  const time = String(NOW / 1000 + aheadS);
  const signature = createHmac('sha256', secret).update(`v0:${time}:${text}`).digest('hex');
  return { 'x-slack-signature': `v0=${signature}`, 'x-slack-request-timestamp': time };
}

export const FORM = 'application/x-www-form-urlencoded';
const person = { user_id: 'U1', team_id: 'T1', channel_id: 'C1', text: '' };

/** What every command has. */
const TYPED = { text: '', channel_id: 'C1', trigger_id: '1.2.3' };

/** A click on a button in a message. */
export function click(actionId: string, responseUrl: string | undefined): object {
  return {
    type: 'block_actions',
    user: { id: 'U1', team_id: 'T1' },
    team: { id: 'T1' },
    channel: { id: 'C1' },
    container: { type: 'message', channel_id: 'C1', message_ts: '1.2' },
    actions: [{ type: 'button', action_id: actionId, value: 'v' }],
    response_url: responseUrl,
  };
}

export function submission(callbackId: string, blocks: object[] = []) {
  return {
    type: 'view_submission',
    user: { id: 'U1', team_id: 'T1' },
    team: { id: 'T1' },
    view: {
      id: 'V1',
      hash: 'h',
      callback_id: callbackId,
      private_metadata: '',
      blocks,
      state: { values: {} },
    },
  };
}
