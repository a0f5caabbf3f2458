import { request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { signatureOf } from './signature.ts';
import type { Delivery } from './workspace-handle.ts';

/** Slack waits this long for an acknowledgement. */
export const patienceMs = 3_000;

export interface Sender {
  readonly eventsUrl: string;
  readonly signingSecret: string;
  readonly now: () => number;
}

/** Sends a payload as Slack sends interactions: a signed form, once, over a connection of its own. */
export async function deliverPayload(payload: unknown, sender: Sender): Promise<Delivery> {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const seconds = Math.floor(sender.now() / 1000);
  const startedAt = performance.now();
  const answer = await post(sender.eventsUrl, body, {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
    accept: 'application/json,*/*',
    'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
    'x-slack-request-timestamp': String(seconds),
    'x-slack-signature': signatureOf(sender.signingSecret, seconds, body),
  });
  const ackMs = performance.now() - startedAt;
  const acknowledged = answer.status === 200 && ackMs <= patienceMs;
  return { sent: true, ...answer, ackMs, acknowledged, shown: shownFor(answer.status) };
}

/** What Slack tells the person beside the button. */
export function shownFor(status: number): string | null {
  if (status === 200) return null;
  return status === 0
    ? 'Operation failed: the app did not respond.'
    : `Operation failed: the app responded with status code ${status}.`;
}

/** Status 0 when nobody answered in time. */
function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const nobody = (): void => resolve({ status: 0, body: '' });
    const outgoing = request(
      url,
      { method: 'POST', headers, agent: false, signal: AbortSignal.timeout(patienceMs) },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part) => parts.push(part));
        incoming.on('error', nobody);
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(parts).toString() }),
        );
      },
    );
    outgoing.on('error', nobody);
    outgoing.end(body);
  });
}
