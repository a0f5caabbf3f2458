import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channels } from './channels.ts';
import { membersOf, TEAM } from './environment.ts';

/** An answered call, in milliseconds of this process's `performance.now()`. */
export interface Answered {
  /** `chat.update`, …, or the HTTP method of a call to the service. */
  readonly operation: string;
  /** Its subject: the `ts` of an update, the token of a call to the service. */
  readonly subject: string;
  /** The body of a call to Slack. */
  readonly form: URLSearchParams | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
}

interface Slowness {
  readonly slackMs?: number;
  readonly serviceMs?: number;
  readonly holdMs: number;
  readonly channels: Channels | undefined;
}

/**
 * The parts of Slack's Web API (`/api/`) and of the service (`/service/`, Interface 4.3 and 4.4) that are needed,
 * answered at once, or after `slackMs` and `serviceMs`. `holdMs`: how long the service delays a status response;
 * `channels`: accepts posts no faster than Slack does; without it there is no limit.
 */
export async function startStandIn(
  { slackMs = 0, serviceMs = 0, holdMs, channels }: Slowness,
  onAnswered: (call: Answered) => void,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    const startedAt = performance.now();
    const body = await textOf(request);
    const { url = '', method = '' } = request;
    const path = url.split('?', 1)[0] ?? '';
    const name = path.slice(path.lastIndexOf('/') + 1);
    const isSlack = path.startsWith('/api/');
    const form = isSlack ? new URLSearchParams(body) : undefined;
    if (form && channels?.isSilent) return;
    const waitMs = form && name === 'chat.postMessage' ? (channels?.take(form) ?? 0) : 0;
    if (waitMs > 0) return refuse(response, waitMs);
    const keptMs = isSlack ? slackMs : serviceMs + (method === 'GET' ? holdMs : 0);
    if (keptMs > 0) await sleep(keptMs);
    send(response, form ? slackAnswer(name, form, channels) : serviceAnswer(method));
    const operation = form ? name : method;
    const subject = form ? (form.get('ts') ?? '') : name;
    onAnswered({ operation, subject, form, startedAt, endedAt: performance.now() });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

let posts = 0;
const changedGroups = new Map<string, readonly string[]>();

/** From now on these are the group's members. */
export function changeGroup(group: string, members: readonly string[]): void {
  changedGroups.set(group, members);
}

function slackAnswer(
  method: string,
  form: URLSearchParams,
  channels: Channels | undefined,
): object {
  switch (method) {
    case 'auth.test':
      return { ok: true, user_id: 'U0BOT', bot_id: 'B0BOT', team_id: TEAM, app_id: 'A0BENCH' };
    case 'chat.postMessage': {
      posts += 1;
      const ts = `1750000000.${100_000 + posts}`;
      channels?.keep(form, ts);
      return { ok: true, channel: form.get('channel'), ts };
    }
    case 'conversations.history':
    case 'conversations.replies':
      return channels?.history(form) ?? { ok: true, messages: [], has_more: false };
    case 'conversations.open':
      return { ok: true, channel: { id: `D${form.get('users')}` } };
    case 'chat.update':
      return { ok: true, channel: form.get('channel'), ts: form.get('ts') };
    case 'users.info':
      return { ok: true, user: { id: form.get('user'), team_id: TEAM, is_email_confirmed: true } };
    case 'chat.getPermalink': {
      const place = `${form.get('channel')}/p${form.get('message_ts')}`;
      return { ok: true, permalink: `https://bench.slack.com/archives/${place}` };
    }
    case 'usergroups.users.list': {
      const group = form.get('usergroup') ?? '';
      return { ok: true, users: changedGroups.get(group) ?? membersOf(group) };
    }
    case 'views.open':
    case 'views.update':
      return { ok: true, view: { id: 'V0BENCH', hash: '1.bench' } };
    default:
      return { ok: true };
  }
}

function serviceAnswer(method: string): object {
  if (method === 'GET') return { status: 'PENDING', prompt: 'Shall it go out?' };
  return { status: 'APPROVED', resolvedAt: '2026-01-01T00:00:00.000Z' };
}

function send(response: ServerResponse, value: object): void {
  const body = JSON.stringify(value);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function refuse(response: ServerResponse, waitMs: number): void {
  response.writeHead(429, {
    'content-type': 'application/json',
    'retry-after': String(Math.ceil(waitMs / 1_000)),
  });
  response.end(JSON.stringify({ ok: false, error: 'ratelimited' }));
}

function textOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => resolve(text));
  });
}
