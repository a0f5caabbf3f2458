import { Pool } from 'undici';
import { type Click, signedRequest } from './click.ts';
import type { Answered } from './stand-in.ts';

/** The result of one click, in milliseconds. */
export interface Clicked {
  /** From the request to its acknowledgement. */
  readonly ackMs: number;
  /** From the request until the message's update was answered. */
  readonly shownMs: number;
  /** Of that, the duration of the two calls to the service and of the update, measured at the stand-ins. */
  readonly callsMs: number;
}

/** A click whose outcome is not shown yet. */
interface Waiting {
  callsMs: number;
  readonly show: (at: number) => void;
}

/** People who click. Each clicks again once the outcome of their last click is shown. */
export class Clicker {
  readonly #byMessage = new Map<string, Waiting>();
  readonly #byToken = new Map<string, Waiting>();
  readonly #answered = new Set<string>();
  /** Decisions sent to the service for approvals that already had one. */
  repeated = 0;

  /** Called for every call that the stand-ins answered. */
  noticed({ operation, subject, startedAt, endedAt }: Answered): void {
    if (operation === 'POST') {
      if (this.#answered.has(subject)) this.repeated += 1;
      this.#answered.add(subject);
    }
    const isUpdate = operation === 'chat.update';
    const waiting = (isUpdate ? this.#byMessage : this.#byToken).get(subject);
    if (waiting === undefined) return;
    waiting.callsMs += endedAt - startedAt;
    if (isUpdate) waiting.show(endedAt);
  }

  /** Sends all clicks, `atOnce` at a time, spread over the bots; without `isShown` only until each is acknowledged. */
  async run(
    eventsUrls: readonly string[],
    clicks: readonly Click[],
    atOnce: number,
    isShown = true,
  ): Promise<Clicked[]> {
    const connections = Math.ceil(atOnce / eventsUrls.length);
    const bots = eventsUrls.map((url) => {
      const { origin, pathname } = new URL(url);
      return { pool: new Pool(origin, { connections, pipelining: 1 }), pathname };
    });
    const results: Clicked[] = [];
    const left = clicks.values();
    const people = Array.from({ length: connections }, () =>
      bots.map(async ({ pool, pathname }) => {
        for (const click of left) results.push(await this.#click(pool, pathname, click, isShown));
      }),
    );
    await Promise.all(people.flat());
    await Promise.all(bots.map(({ pool }) => pool.close()));
    return results;
  }

  async #click(pool: Pool, path: string, click: Click, isShown: boolean): Promise<Clicked> {
    const request = signedRequest(click);
    const shown = new Promise<Pick<Waiting, 'callsMs'> & { at: number }>((resolve) => {
      const waiting: Waiting = {
        callsMs: 0,
        show: (at) => resolve({ callsMs: waiting.callsMs, at }),
      };
      this.#byMessage.set(click.message, waiting);
      this.#byToken.set(click.token, waiting);
    });
    const sentAt = performance.now();
    const { statusCode, body } = await pool.request({ method: 'POST', path, ...request });
    const ackMs = performance.now() - sentAt;
    await body.dump();
    if (statusCode !== 200) throw new Error(`a click was answered with ${statusCode}`);
    if (!isShown) return { ackMs, shownMs: ackMs, callsMs: 0 };
    const { at, callsMs } = await shown;
    this.#byMessage.delete(click.message);
    this.#byToken.delete(click.token);
    return { ackMs, shownMs: at - sentAt, callsMs };
  }
}
