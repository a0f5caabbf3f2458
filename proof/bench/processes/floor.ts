import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { Pool } from 'undici';
import { announce } from '../support/announce.ts';
import { Overtaken, openFloorStore } from '../support/floor-store.ts';

/**
 * The least that keeps the promises of a click and a request: signed, stored before it is acknowledged, carried out
 * even if the process dies, sent only after a read, in a signed audit log. It posts nothing and replies to nobody.
 */
const { SERVICE_URL = '', SLACK_API_URL = '', SLACK_SIGNING_SECRET = '' } = process.env;
const [, keyText = ''] = process.env.GATEPOST_KEYS?.split(':') ?? [];
const key = Buffer.from(keyText, 'base64');
const reviewers = new Set(process.env.GATEPOST_REVIEWERS?.split(','));
const secret = sha256(`Bearer ${process.env.GATEPOST_INTAKE_SECRET}`);
const slack = new Pool(new URL(SLACK_API_URL).origin, { connections: 64 });
const service = new Pool(new URL(SERVICE_URL).origin, { connections: 64 });
const store = await openFloorStore(process.env.REDIS_URL ?? '', key);
const logger = pino({ level: process.env.LOG_LEVEL ?? 'info', base: null });

const BODY_MAX = 64 * 1024;
const SIGNED_FOR_S = 300;

interface Approval {
  readonly token: string;
  readonly title: string;
  readonly message: string;
}

interface Ballot {
  readonly user: string;
  readonly action: 'approve' | 'reject';
  readonly channel: string;
  readonly ts: string;
}

async function carryOut(id: string, approval: Approval, ballot: Ballot, state = 'cast') {
  const { user, channel, ts } = ballot;
  const path = `${new URL(SERVICE_URL).pathname}/api/v1/automation/approvals/${open(approval.token)}`;
  const [canDecide, read] = await Promise.all([isReviewer(user), ask(path)]);
  if (state === 'cast' && !canDecide) {
    await store.move(id, { from: state, to: 'waiting', isLast: true });
    logger.info({ record: id, user }, 'refused');
    return;
  }
  const status = read === 'PENDING' ? await respond(id, path, ballot, state) : read;
  if (state !== 'decided') {
    const from = read === 'PENDING' ? 'sending' : state;
    const answered = ['answered', 'floor', { answer: status }] as const;
    await store.move(id, {
      from,
      to: 'decided',
      entries: [answered, ['outcome', user, { status }]],
    });
    logger.info({ record: id, status }, 'outcome');
  }
  const line = `${status} by <@${user}>`;
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: approval.title } },
    { type: 'section', text: { type: 'mrkdwn', text: approval.message } },
    { type: 'section', text: { type: 'mrkdwn', text: line } },
  ];
  await call('chat.update', { channel, ts, text: line, blocks: JSON.stringify(blocks) });
  await store.move(id, { from: 'decided', to: 'shown', isLast: true });
}

/** The attempt is saved before the call. */
async function respond(id: string, path: string, { user, action }: Ballot, from: string) {
  const facts = { action };
  const entries = [['ballot', user, facts] as const, ['respond', user, facts] as const];
  await store.move(id, { from, to: 'sending', entries });
  logger.info({ record: id, action, user }, 'pressed');
  logger.info({ record: id, action, user }, 'sent');
  return ask(path, action);
}

async function isReviewer(user: string): Promise<boolean> {
  const { user: person } = await call('users.info', { user });
  return person !== undefined && person.deleted !== true && reviewers.has(person.id);
}

interface Answer {
  readonly ok: boolean;
  readonly error?: string;
  readonly user?: { readonly id: string; readonly deleted?: boolean };
}

async function call(method: string, form: Record<string, string>): Promise<Answer> {
  const { body } = await slack.request({
    method: 'POST',
    path: new URL(method, SLACK_API_URL).pathname,
    headers: {
      authorization: `Bearer ${process.env.SLACK_BOT_TOKEN}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(form).toString(),
  });
  // as: Slack's response has this shape
  const answer = (await body.json()) as Answer;
  if (!answer.ok) throw new Error(`${method}: ${answer.error}`);
  return answer;
}

/** The status of the gate, after `action` if there is one. */
async function ask(path: string, action?: string): Promise<string> {
  const { statusCode, body } = await service.request({
    path,
    ...(action === undefined
      ? { method: 'GET' }
      : {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ action }),
        }),
  });
  // as: checked below
  const { status } = (await body.json()) as { readonly status?: unknown };
  if (statusCode !== 200 || typeof status !== 'string') throw new Error(`service: ${statusCode}`);
  return status;
}

/** Stores the ballot; the rest continues after the acknowledgement. */
async function takeClick(body: string): Promise<number> {
  const press = JSON.parse(new URLSearchParams(body).get('payload') ?? '{}');
  const [{ action_id = '', value: id = '' } = {}] = press.actions ?? [];
  const action = { 'approvals.ballot.approve': 'approve', 'approvals.ballot.reject': 'reject' }[
    String(action_id)
  ];
  if (action !== 'approve' && action !== 'reject') return 200;
  const { channel_id: channel, message_ts: ts } = press.container;
  const ballot: Ballot = { user: press.user.id, action, channel, ts };
  const approval = await store.cast(id, press.trigger_id, ballot);
  if (approval !== undefined) carryOut(id, JSON.parse(approval), ballot).catch(note);
  return 200;
}

async function takeRequest(body: string): Promise<[status: number, body: object]> {
  const { token, title, message = '', fields = {}, channel, ...others } = JSON.parse(body);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return [422, { error: `${unknown} is not known` }];
  for (const [name, value] of Object.entries({ token, title, message, channel: channel ?? '' }))
    if (typeof value !== 'string') return [422, { error: `${name} has to be text` }];
  if (token === '' || token.length > 4_096) return [422, { error: 'token: 1 to 4,096 characters' }];
  const isFields = Object.values(fields).every((value) => typeof value === 'string');
  if (!isFields) return [422, { error: 'fields have to be text' }];
  const unique = createHmac('sha256', key).update(token).digest('base64url');
  const clean = cleaner(token);
  const pairs = Object.entries<string>(fields).map(([name, value]) => [clean(name), clean(value)]);
  const texts = { title: clean(title), message: clean(message), fields: pairs };
  const approval = { token: seal(token), ...texts, channel };
  const asked = ['asked', 'default', { channel: channel ?? null }] as const;
  const { id, isNew } = await store.create(unique, approval, asked);
  if (isNew) logger.info({ record: id, source: 'default' }, 'asked');
  return [isNew ? 202 : 200, { id, status: 'PENDING', url: `/v1/approvals/${id}` }];
}

/** Masks a text that contains the token: as it is, or as one encoding of it, in any case. */
function cleaner(token: string): (text: string) => string {
  const bytes = Buffer.from(token);
  // Wherever it begins among the groups of three bytes; the last group may hold other bytes too.
  const base64 = [0, 1, 2].map((at) => {
    const whole = bytes.subarray(at, at + bytes.length - at - ((bytes.length - at) % 3));
    return whole.toString('base64');
  });
  const forms = [token, encodeURIComponent(token), bytes.toString('hex'), ...base64];
  const folded = forms.map((form) => form.toLowerCase());
  return (text) => {
    const lower = text.toLowerCase();
    return folded.some((form) => lower.includes(form)) ? '[token]' : text;
  };
}

function isSigned({ headers }: IncomingMessage, body: string): boolean {
  const at = String(headers['x-slack-request-timestamp']);
  if (!(Math.abs(Date.now() / 1_000 - Number(at)) < SIGNED_FOR_S)) return false;
  const mac = createHmac('sha256', SLACK_SIGNING_SECRET).update(`v0:${at}:${body}`).digest('hex');
  return isSame(Buffer.from(`v0=${mac}`), Buffer.from(String(headers['x-slack-signature'])));
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function sha256(plain: string): Buffer {
  return createHash('sha256').update(plain).digest();
}

function seal(plain: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

function open(sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8');
}

function note(error: unknown): void {
  if (!(error instanceof Overtaken)) logger.error({ err: error }, 'left for later');
}

/** Continues what another process, or this one, left unfinished. */
async function resume(): Promise<void> {
  for (const { id, state, approval, ballot } of await store.claim())
    carryOut(id, JSON.parse(approval), JSON.parse(ballot), state).catch(note);
}
setInterval(() => void resume().catch(note), 1_000);

const server = createServer(async (request, response) => {
  const answer = (status: number, body?: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    if (Number(request.headers['content-length'] ?? Infinity) > BODY_MAX) return answer(413);
    const body = await text(request);
    if (request.url === '/slack/events')
      return answer(isSigned(request, body) ? await takeClick(body) : 401);
    if (request.url !== '/v1/approvals') return answer(404);
    if (!isSame(sha256(String(request.headers.authorization)), secret)) return answer(401);
    return answer(...(await takeRequest(body)));
  } catch (error) {
    note(error);
    return answer(error instanceof SyntaxError ? 400 : 503);
  }
});
server.listen(0, '127.0.0.1', () => announce(server));
