import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Exchange } from '../../sandbox/exchange.ts';
import type { Chance } from './chance.ts';
import type { CallbackSeen } from './evidence.ts';
import type { Scheduler } from './scheduler.ts';

/** Where it listens, and the secret of its signatures, as Gatepost is configured. */
export const HOOKS = '/hooks';

interface ReceiverNeeds {
  readonly secret: string;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly now: () => number;
  /** How wrong a sender's clock can be on purpose. */
  readonly isOffByS: number;
}

/** The tolerance of the Standard Webhooks library. */
const TOLERANCE_S = 300;
const REFUSALS = [500, 503, 404, 307, 429] as const;
/** After this many refusals its operator fixes it. */
const MOST_REFUSALS = 3;
const RETRY_AFTER = { 'retry-after': '3' };

/**
 * Somebody's server for callbacks. It accepts signed and recent ones, except for three in ten that it refuses, answers
 * some only after the sender gave up, and is away now and then.
 */
export class Receiver {
  readonly #needs: ReceiverNeeds;
  readonly #key: Buffer;
  readonly #refusals = new Map<string, number>();
  /** Called for each that arrived. */
  onReceived: (seen: CallbackSeen) => void = () => {};
  /** Nobody listens there. */
  isAway = false;
  /** It refuses nothing any more. */
  isMended = false;

  constructor(needs: ReceiverNeeds) {
    this.#needs = needs;
    this.#key = Buffer.from(needs.secret.slice('whsec_'.length), 'base64');
  }

  serve({ headers, body, respond }: Exchange): void {
    const { now, chance, scheduler } = this.#needs;
    const text = body.toString();
    const id = headers['webhook-id'] ?? '';
    const isGenuine = this.#isSigned(headers, text);
    const refusal = isGenuine ? this.#refusal(id) : 401;
    const { type, timestamp, data } = JSON.parse(text);
    const { id: record, key = null, status, by, reason, digest, permalink } = data;
    const seen: CallbackSeen = {
      at: now(),
      id,
      isGenuine,
      isTaken: refusal === undefined,
      type,
      saidAt: Date.parse(timestamp),
      record,
      key,
      ...{ status, by, reason, digest, permalink },
    };
    this.onReceived(seen);
    const answer =
      refusal === undefined
        ? { status: 204, body: '' }
        : { status: refusal, body: '', ...(refusal === 429 && { headers: RETRY_AFTER }) };
    // Some are still being processed when the sender has given up.
    const slow = !this.isMended && chance.often(0.05);
    if (slow) scheduler.after(chance.whole(1_000, 20_000), () => respond(answer));
    else respond(answer);
  }

  #refusal(id: string): number | undefined {
    const { chance } = this.#needs;
    const before = this.#refusals.get(id) ?? 0;
    if (this.isMended || before >= MOST_REFUSALS || !chance.often(0.3)) return undefined;
    this.#refusals.set(id, before + 1);
    return chance.pick(REFUSALS);
  }

  #isSigned(headers: Exchange['headers'], body: string): boolean {
    const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': all } = headers;
    if (id === undefined || sentAt === undefined || all === undefined) return false;
    if (Math.abs(this.#needs.now() / 1_000 - Number(sentAt)) > TOLERANCE_S + this.#needs.isOffByS)
      return false;
    const own = createHmac('sha256', this.#key).update(`${id}.${sentAt}.${body}`).digest();
    return all.split(' ').some((each) => {
      const [version, signature = ''] = each.split(',');
      const given = Buffer.from(signature, 'base64');
      return version === 'v1' && given.length === own.length && timingSafeEqual(given, own);
    });
  }
}
