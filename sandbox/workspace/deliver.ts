import { createHmac } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Timers } from '../timers.ts';
import type { Carried, Notice } from './notice.ts';

interface Sender {
  readonly requestUrl: string;
  readonly signingSecret: string;
  readonly now: () => number;
  /** How long to wait for an acknowledgement. */
  readonly patienceMs: number;
  readonly timers: Pick<Timers, 'monotonic'>;
  readonly post: Post;
}

/** Sends a notice as Slack does over HTTP: signed, once, over its own connection. */
export async function deliverOverHttp(notice: Notice, sender: Sender): Promise<Carried> {
  const { contentType, body } = written(notice);
  const seconds = Math.floor(sender.now() / 1000);
  const startedAt = sender.timers.monotonic();
  const answer = await sender.post(sender, body, {
    'content-type': contentType,
    'content-length': String(Buffer.byteLength(body)),
    accept: 'application/json,*/*',
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    'x-slack-request-timestamp': String(seconds),
    'x-slack-signature': signatureOf(sender.signingSecret, seconds, body),
    ...(notice.retry && {
      'x-slack-retry-num': String(notice.retry.attempt),
      'x-slack-retry-reason': notice.retry.reason,
    }),
  });
  const ackMs = sender.timers.monotonic() - startedAt;
  const acknowledged = answer.status === 200 && ackMs <= sender.patienceMs;
  return {
    sent: true,
    ...answer,
    ackMs,
    acknowledged,
    shown: acknowledged ? null : shownFor(answer.status === 200 ? 0 : answer.status),
  };
}

/** Events are JSON, commands a form, interactions a form with JSON in it. */
function written({ kind, payload }: Notice): { contentType: string; body: string } {
  if (kind === 'events_api') {
    return { contentType: 'application/json', body: JSON.stringify(payload) };
  }
  const fields =
    kind === 'slash_commands'
      ? Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]))
      : { payload: JSON.stringify(payload) };
  return {
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(fields).toString(),
  };
}

/** What Slack shows the person beside the button. */
export function shownFor(status: number): string | null {
  if (status === 200) return null;
  return status === 0
    ? 'Operation failed: the app did not respond.'
    : `Operation failed: the app responded with status code ${status}.`;
}

export type Posted = Pick<Carried, 'status' | 'body' | 'timedOut' | 'noRetry'>;

/** Sends one request to the app. Status 0: no answer in time. Never rejects. */
export type Post = (
  to: Pick<Sender, 'requestUrl' | 'patienceMs'>,
  body: string,
  headers: Readonly<Record<string, string>>,
) => Promise<Posted>;

export const overHttp: Post = ({ requestUrl, patienceMs }, body, headers) => {
  return new Promise((resolve) => {
    const patience = AbortSignal.timeout(patienceMs);
    const nobody = (): void =>
      resolve({ status: 0, body: '', timedOut: patience.aborted, noRetry: false });
    const request = requestUrl.startsWith('https:') ? requestHttps : requestHttp;
    const outgoing = request(
      requestUrl,
      { method: 'POST', headers, agent: false, signal: patience },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part) => parts.push(part));
        incoming.on('error', nobody);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            body: Buffer.concat(parts).toString(),
            timedOut: false,
            noRetry: incoming.headers['x-slack-no-retry'] === '1',
          }),
        );
      },
    );
    outgoing.on('error', nobody);
    outgoing.end(body);
  });
};

/** Slack's signature of a request, version 0. @param seconds since 1970, as in the header. */
function signatureOf(signingSecret: string, seconds: number, body: string): string {
  const mac = createHmac('sha256', signingSecret).update(`v0:${seconds}:${body}`);
  return `v0=${mac.digest('hex')}`;
}
