import type { IncomingHttpHeaders } from 'node:http';
import {
  type BufferedIncomingMessage,
  HTTPModuleFunctions,
  isValidSlackRequest,
} from '@slack/bolt';
import type { SlackReply } from './incoming.ts';
import { type ReceiverNeeds, SlackReceiver } from './slack-receiver.ts';

/** One request to `/slack/events`, its body read whole. */
interface HttpRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface HttpReceiverNeeds extends ReceiverNeeds {
  readonly signingSecret: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called for each request that is answered 401. */
  readonly onRefused: (refusal: Refusal) => void;
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

/**
 * Receives `POST /slack/events`, signed by Slack, at Gatepost's own server. Bolt's own receiver does not limit a body
 * before it is read, accepts times ahead, and does not say why it refuses.
 */
export class HttpReceiver extends SlackReceiver {
  readonly isConnected = true;
  readonly failed = new Promise<never>(() => {});
  readonly #needs: HttpReceiverNeeds;

  constructor(needs: HttpReceiverNeeds) {
    super(needs);
    this.#needs = needs;
  }

  /** The server also has other routes, and is started and stopped with them. */
  async start(): Promise<void> {}
  async stop(): Promise<void> {}

  /**
   * The response to a request whose headers alone show that it is not Slack's; undefined: the body decides. Slack checks
   * the certificate of a command's address with a small unsigned request.
   */
  refuse({ headers }: Pick<HttpRequest, 'headers'>): SlackReply | undefined {
    const mediaType = mediaTypeOf(headers);
    if (mediaType === undefined) return empty(415);
    const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (mediaType === FORM && length <= UNSIGNED_MAX) return undefined;
    const refusal = headerRefusalOf(headers, this.#needs.now());
    return refusal === undefined ? undefined : this.#unauthorized(refusal);
  }

  /**
   * Answers a request from Slack: 415 for another media type, 401 when the signature or its time is wrong, 400 when it
   * cannot be parsed, otherwise what the listeners acknowledge.
   */
  async handle(request: HttpRequest): Promise<SlackReply> {
    const { headers } = request;
    const mediaType = mediaTypeOf(headers);
    if (mediaType === undefined) return empty(415);
    const text = request.body.toString('utf8');
    if (mediaType === FORM && isCertificateCheck(text)) return empty(200);
    const refusal = this.#refusalOf(headers, text);
    if (refusal !== undefined) return this.#unauthorized(refusal);
    // as: no more of a request is read. Bolt knows its media type only without a charset.
    const buffered = {
      headers: { ...headers, 'content-type': mediaType },
      rawBody: request.body,
    } as BufferedIncomingMessage;
    const body = parsedBody(buffered);
    if (body === undefined) return empty(400);
    if (body.type === 'url_verification') {
      return typeof body.challenge === 'string' ? challenge(body.challenge) : empty(400);
    }
    const retryNum = HTTPModuleFunctions.extractRetryNumFromHTTPRequest(buffered);
    const retryReason = HTTPModuleFunctions.extractRetryReasonFromHTTPRequest(buffered);
    return this.receive({
      body,
      customProperties: { [SENT_AT]: Number(headers['x-slack-request-timestamp']) * 1_000 },
      ...(retryNum !== undefined && { retryNum }),
      ...(retryReason !== undefined && { retryReason }),
    });
  }

  /** Why a request is refused; undefined: it is Slack's, and recent. */
  #refusalOf(headers: IncomingHttpHeaders, body: string): Refusal | undefined {
    const { signingSecret, now } = this.#needs;
    const nowMilliseconds = now();
    const refusal = headerRefusalOf(headers, nowMilliseconds);
    if (refusal !== undefined) return refusal;
    const signed = {
      'x-slack-signature': String(headers['x-slack-signature']),
      'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
    };
    // It refuses everything if the secret is empty: anybody can sign with that.
    const isValid = isValidSlackRequest({ signingSecret, body, headers: signed, nowMilliseconds });
    return isValid ? undefined : 'wrongly signed';
  }

  #unauthorized(refusal: Refusal): SlackReply {
    this.#needs.logger.warn({ refusal }, 'Refused a request to the Slack endpoint');
    this.#needs.onRefused(refusal);
    return empty(401);
  }
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

/** Slack checks the certificate of a command's address with it, unsigned. Nothing else in it is read. */
function isCertificateCheck(form: string): boolean {
  return form.length <= UNSIGNED_MAX && new URLSearchParams(form).get('ssl_check') === '1';
}

/** Interactions arrive as JSON in the member `payload`, commands as plain members. */
function parsedBody(request: BufferedIncomingMessage): Record<string, unknown> | undefined {
  try {
    const value: unknown = HTTPModuleFunctions.parseHTTPRequestBody(request);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function challenge(value: string): SlackReply {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers, body: JSON.stringify({ challenge: value }) };
}

function empty(status: number): SlackReply {
  return { status, headers: {}, body: '' };
}
