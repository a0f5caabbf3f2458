import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';
import { announce } from '../support/announce.ts';
import { ACTIONS, note, startFloor, takeClick, takeRequest } from '../support/floor.ts';

/** The floor's work without Bolt and Slack's client; it also takes requests. */
const { SLACK_API_URL = '', SLACK_SIGNING_SECRET = '' } = process.env;
const secret = sha256(`Bearer ${process.env.GATEPOST_INTAKE_SECRET}`);
const slack = new Pool(new URL(SLACK_API_URL).origin, { connections: 64 });

const BODY_MAX = 64 * 1024;
const SIGNED_FOR_S = 300;

startFloor({
  person: async (user) => (await call('users.info', { user })).user,
  update: ({ channel, ts, text, blocks }) =>
    call('chat.update', { channel, ts, text, blocks: JSON.stringify(blocks) }),
});

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

async function takePayload(body: string): Promise<number> {
  const press = JSON.parse(new URLSearchParams(body).get('payload') ?? '{}');
  const [{ action_id: action = '', value: id = '' } = {}] = press.actions ?? [];
  if (isKnown(action)) await takeClick(press, action, id);
  return 200;
}

function isKnown(action: string): action is keyof typeof ACTIONS {
  return Object.hasOwn(ACTIONS, action);
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

const server = createServer(async (request, response) => {
  const answer = (status: number, body?: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  try {
    if (Number(request.headers['content-length'] ?? Infinity) > BODY_MAX) return answer(413);
    const body = await text(request);
    if (request.url === '/slack/events')
      return answer(isSigned(request, body) ? await takePayload(body) : 401);
    if (request.url !== '/v1/approvals') return answer(404);
    if (!isSame(sha256(String(request.headers.authorization)), secret)) return answer(401);
    return answer(...(await takeRequest(body)));
  } catch (error) {
    note(error);
    return answer(error instanceof SyntaxError ? 400 : 503);
  }
});
server.listen(0, '127.0.0.1', () => announce(server));
