import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import process from 'node:process';
import type { KnownBlock } from '@slack/types';
import { pino } from 'pino';
import { Pool } from 'undici';
import { Overtaken, openFloorStore } from './floor-store.ts';

/**
 * The least that keeps the promises of a click and a request: stored before it is acknowledged, carried out even if the
 * process dies, sent only after a read, in a signed audit log. It posts nothing and replies to nobody. How requests come
 * in, and how Slack is called, is the program's: with Bolt (`processes/floor.ts`) or without (`processes/limit.ts`).
 */
const { SERVICE_URL = '' } = process.env;
const [, keyText = ''] = process.env.GATEPOST_KEYS?.split(':') ?? [];
const key = Buffer.from(keyText, 'base64');
const reviewers = new Set(process.env.GATEPOST_REVIEWERS?.split(','));
const service = new Pool(new URL(SERVICE_URL).origin, { connections: 64 });
const store = await openFloorStore(process.env.REDIS_URL ?? '', key);
const logger = pino({ level: process.env.LOG_LEVEL ?? 'info', base: null });

/** The calls to Slack. */
interface FloorSlack {
  person(id: string): Promise<{ readonly id?: string; readonly deleted?: boolean } | undefined>;
  update(message: Message): Promise<unknown>;
}

interface Message {
  readonly channel: string;
  readonly ts: string;
  readonly text: string;
  readonly blocks: KnownBlock[];
}

let slack: FloorSlack;

/** Carries out clicks from now on, also those that another process, or this one, left unfinished. */
export function startFloor(calls: FloorSlack): void {
  slack = calls;
  setInterval(() => void resume().catch(note), 1_000);
}

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
  const blocks: KnownBlock[] = [
    { type: 'header', text: { type: 'plain_text', text: approval.title } },
    { type: 'section', text: { type: 'mrkdwn', text: approval.message } },
    { type: 'section', text: { type: 'mrkdwn', text: line } },
  ];
  await slack.update({ channel, ts, text: line, blocks });
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
  const person = await slack.person(user);
  return person?.id !== undefined && person.deleted !== true && reviewers.has(person.id);
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

/** What a click on a button says. */
interface Press {
  readonly user: { readonly id: string };
  readonly trigger_id: string;
  readonly container: { readonly channel_id?: string; readonly message_ts?: string };
}

export const ACTIONS = {
  'approvals.ballot.approve': 'approve',
  'approvals.ballot.reject': 'reject',
} as const;

/** Stores the ballot; the rest continues after the acknowledgement. `id`: the button's value. */
export async function takeClick(
  press: Press,
  action: keyof typeof ACTIONS,
  id: string,
): Promise<void> {
  const { channel_id: channel = '', message_ts: ts = '' } = press.container;
  const ballot: Ballot = { user: press.user.id, action: ACTIONS[action], channel, ts };
  const approval = await store.cast(id, press.trigger_id, ballot);
  if (approval !== undefined) carryOut(id, JSON.parse(approval), ballot).catch(note);
}

export async function takeRequest(body: string): Promise<[status: number, body: object]> {
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

export function note(error: unknown): void {
  if (!(error instanceof Overtaken)) logger.error({ err: error }, 'left for later');
}

/** Continues what another process, or this one, left unfinished. */
async function resume(): Promise<void> {
  for (const { id, state, approval, ballot } of await store.claim())
    carryOut(id, JSON.parse(approval), JSON.parse(ballot), state).catch(note);
}
