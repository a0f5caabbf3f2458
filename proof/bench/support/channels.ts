import { createPostPacer } from '../../../sandbox/workspace/post-pacer.ts';

/** What Slack's stand-in has accepted and refused so far. */
export interface ChannelsReport {
  /** The approval of every message, once per post. */
  readonly approvals: readonly string[];
  /** Responses with 429. */
  readonly refused: number;
  /** When the last message was posted; epoch in ms. */
  readonly lastAt: number;
}

interface Message {
  readonly ts: string;
  readonly bot_id: string;
  readonly metadata: { readonly event_payload: { readonly record: string } };
}

/** Slack's documented limit: about one post a second into a channel, with short bursts above that. */
const RATE = { perSecond: 1, burst: 5 };
const PAGE = 200;

/** Slack's channels: each accepts posts at its own rate, and records them. */
export class Channels {
  /** No call is answered, or has an effect. */
  isSilent = false;
  readonly #pacer = createPostPacer(RATE);
  readonly #messages = new Map<string, Message[]>();
  #refused = 0;
  #lastAt = 0;

  /** The milliseconds until the channel accepts a post; 0: it accepts this one. */
  take(form: URLSearchParams): number {
    const waitMs = this.#pacer.take(form.get('channel') ?? '', performance.now());
    if (waitMs > 0) this.#refused += 1;
    return waitMs;
  }

  keep(form: URLSearchParams, ts: string): void {
    const messages = this.#of(form);
    messages.push({ ts, bot_id: 'B0BOT', metadata: JSON.parse(form.get('metadata') ?? '') });
    this.#lastAt = Date.now();
  }

  /** No channel has more than one page here. */
  history(form: URLSearchParams): object {
    return { ok: true, messages: this.#of(form).slice(-PAGE), has_more: false };
  }

  report(): ChannelsReport {
    const messages = [...this.#messages.values()].flat();
    const approvals = messages.map(({ metadata }) => metadata.event_payload.record);
    return { approvals, refused: this.#refused, lastAt: this.#lastAt };
  }

  #of(form: URLSearchParams): Message[] {
    const channel = form.get('channel') ?? '';
    const messages = this.#messages.get(channel) ?? [];
    this.#messages.set(channel, messages);
    return messages;
  }
}
