import { createPostPacer } from '../../../sandbox/workspace/post-pacer.ts';

/** What Slack's stand-in took and refused so far. */
export interface ChannelsReport {
  /** The approval of every message, as often as it was posted. */
  readonly approvals: readonly string[];
  /** Answers with 429. */
  readonly refused: number;
  /** When the last message was posted; epoch in ms. */
  readonly lastAt: number;
}

interface Message {
  readonly ts: string;
  readonly bot_id: string;
  readonly metadata: { readonly event_payload: { readonly record: string } };
}

/** As Slack writes it: about one post a second into a channel, and short bursts above that. */
const RATE = { perSecond: 1, burst: 5 };
const PAGE = 200;

/** Slack's channels: each takes posts at its pace alone, and tells what was posted into it. */
export class Channels {
  /** No call is answered, or does anything. */
  isSilent = false;
  readonly #pacer = createPostPacer(RATE);
  readonly #messages = new Map<string, Message[]>();
  #refused = 0;
  #lastAt = 0;

  /** The milliseconds until the channel takes a post; 0: it takes this one. */
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

  /** No channel gets more than a page here. */
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
