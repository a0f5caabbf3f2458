import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { SlackReply } from './acknowledgement.ts';
import type { IncomingEvent } from './boundary.ts';

/** One request to `/slack/events`, its body read whole. */
export interface SlackRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface EndpointNeeds {
  readonly signingSecret: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly logger: Logger;
  /** Called for each request that is answered 401. */
  readonly onRefused: (refusal: Refusal) => void;
  readonly deliver: (event: IncomingEvent) => Promise<SlackReply>;
}

/** Why a request is refused. */
export const REFUSALS = [
  'not signed',
  'no timestamp',
  'ahead of time',
  'too old',
  'wrongly signed',
] as const;
type Refusal = (typeof REFUSALS)[number];

/** What can be checked before the body is read. */
type Head = Pick<SlackRequest, 'headers'>;

/**
 * The response to a request whose headers alone show that it is not Slack's; undefined: the body decides. Slack checks
 * the certificate of a command's address with a small unsigned request.
 */
export function refuseSlack(
  { headers }: Head,
  needs: Omit<EndpointNeeds, 'deliver'>,
): SlackReply | undefined {
  const mediaType = mediaTypeOf(headers);
  if (mediaType === undefined) return empty(415);
  const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (mediaType === FORM && length <= UNSIGNED_MAX) return undefined;
  const refusal = headerRefusalOf(headers, needs.now());
  return refusal === undefined ? undefined : unauthorized(refusal, needs);
}

/**
 * Answers a request from Slack: 415 for another media type, 401 when the signature or its time is wrong, 400 when it
 * cannot be parsed, otherwise what the listeners acknowledge.
 */
export async function answerSlack(
  request: SlackRequest,
  needs: EndpointNeeds,
): Promise<SlackReply> {
  const mediaType = mediaTypeOf(request.headers);
  if (mediaType === undefined) return empty(415);
  const text = request.body.toString('utf8');
  const form = mediaType === FORM ? new URLSearchParams(text) : undefined;
  // Slack checks the certificate of a command's address with it, unsigned.
  if (form?.get('ssl_check') === '1') return empty(200);
  const refusal = refusalOf(request, needs);
  if (refusal !== undefined) return unauthorized(refusal, needs);
  const body = form ? formBody(form) : jsonBody(text);
  if (body === undefined) return empty(400);
  if (body.type === 'url_verification') {
    return typeof body.challenge === 'string' ? challenge(body.challenge) : empty(400);
  }
  const retryNum = Number(request.headers['x-slack-retry-num']);
  const retryReason = request.headers['x-slack-retry-reason'];
  return needs.deliver({
    body,
    customProperties: { [SENT_AT]: Number(request.headers['x-slack-request-timestamp']) * 1_000 },
    ...(Number.isInteger(retryNum) && { retryNum }),
    ...(typeof retryReason === 'string' && { retryReason }),
  });
}

/** In the context of a listener: when Slack sent the request, in ms, to the second. Not in Socket Mode. */
const SENT_AT = 'sentAtMs';

/** undefined: in Socket Mode. */
export function sentAtIn(context: Readonly<Record<string, unknown>>): number | undefined {
  const { [SENT_AT]: ms } = context;
  return typeof ms === 'number' ? ms : undefined;
}

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const TOLERANCE_S = 300;
/** More than a certificate check sends. */
const UNSIGNED_MAX = 1_024;

function mediaTypeOf(headers: IncomingHttpHeaders): typeof FORM | typeof JSON_TYPE | undefined {
  const name = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return name === FORM || name === JSON_TYPE ? name : undefined;
}

/** Why the headers cannot be Slack's, or are too old. */
function headerRefusalOf(headers: IncomingHttpHeaders, now: number): Refusal | undefined {
  const signature = headers['x-slack-signature'];
  const seconds = headers['x-slack-request-timestamp'];
  if (typeof signature !== 'string' || typeof seconds !== 'string') return 'not signed';
  if (!/^v0=[0-9a-f]{64}$/.test(signature)) return 'not signed';
  if (!/^\d{1,12}$/.test(seconds)) return 'no timestamp';
  const aheadS = Number(seconds) - Math.floor(now / 1000);
  if (aheadS > TOLERANCE_S) return 'ahead of time';
  return aheadS < -TOLERANCE_S ? 'too old' : undefined;
}

/**
 * Why a request is refused; undefined: it is Slack's, and recent
 * (https://docs.slack.dev/authentication/verifying-requests-from-slack).
 */
function refusalOf(
  { headers, body }: SlackRequest,
  { signingSecret, now }: EndpointNeeds,
): Refusal | undefined {
  const refusal = headerRefusalOf(headers, now());
  if (refusal !== undefined) return refusal;
  // Anybody can sign with an empty secret.
  if (signingSecret === '') return 'wrongly signed';
  const mac = createHmac('sha256', signingSecret)
    .update(`v0:${headers['x-slack-request-timestamp']}:`)
    .update(body)
    .digest('hex');
  const given = String(headers['x-slack-signature']); // as long as ours: its form was checked
  return timingSafeEqual(Buffer.from(`v0=${mac}`), Buffer.from(given))
    ? undefined
    : 'wrongly signed';
}

/** Interactions arrive as JSON in the member `payload`, commands as plain members. */
function formBody(form: URLSearchParams): Record<string, unknown> | undefined {
  const payload = form.get('payload');
  return payload === null ? Object.fromEntries(form) : jsonBody(payload);
}

function jsonBody(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function challenge(value: string): SlackReply {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers, body: JSON.stringify({ challenge: value }) };
}

function unauthorized(
  refusal: Refusal,
  { logger, onRefused }: Pick<EndpointNeeds, 'logger' | 'onRefused'>,
): SlackReply {
  logger.warn({ refusal }, 'Refused a request to the Slack endpoint');
  onRefused(refusal);
  return empty(401);
}

function empty(status: number): SlackReply {
  return { status, headers: {}, body: '' };
}
