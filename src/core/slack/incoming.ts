import type { Context } from '@slack/bolt';
import { type Payload, readPayload } from './payload.ts';

/** An HTTP response. */
export interface SlackReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** In Bolt's context. */
const NAME = 'incoming';

/** A request from Slack on its way through Bolt: what it is, and its one response. Only the first response counts. */
export class Incoming {
  readonly payload: Payload;
  /** The response to Slack. */
  readonly answered: Promise<SlackReply>;
  /** For Bolt, which copies it into the context. */
  readonly customProperties = { [NAME]: this };
  #send: ((reply: SlackReply) => void) | undefined;
  #hasFailed = false;

  /** `body`: of any form. */
  constructor(body: unknown) {
    this.payload = readPayload(body);
    this.answered = new Promise((resolve) => {
      this.#send = resolve;
    });
  }

  get isAnswered(): boolean {
    return this.#send === undefined;
  }

  /** The response was a failure, not an acknowledgement. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Acknowledges. False: there was already a response, and nothing was sent. */
  acknowledge(content?: unknown): boolean {
    return this.#answer(replyWith(content));
  }

  /** Makes Slack show the person a failure, unless there was already a response. */
  fail(): void {
    if (this.#answer(FAILED)) this.#hasFailed = true;
  }

  #answer(reply: SlackReply): boolean {
    const send = this.#send;
    this.#send = undefined;
    send?.(reply);
    return send !== undefined;
  }
}

/** The request that a middleware runs for. */
export function incomingIn({ [NAME]: incoming }: Context): Incoming {
  if (incoming instanceof Incoming) return incoming;
  throw new TypeError('The receiver passes on the request');
}

const FAILED: SlackReply = { status: 503, headers: {}, body: '' };

/** Slack shows text or JSON as the response; an empty 200 only acknowledges. */
function replyWith(content: unknown): SlackReply {
  if (content === undefined || content === '') return { status: 200, headers: {}, body: '' };
  if (typeof content === 'string') {
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: content };
  }
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers, body: JSON.stringify(content) };
}
