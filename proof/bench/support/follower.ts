import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { approvalRequest } from './approval-request.ts';
import { signedRequest } from './click.ts';
import type { Answered } from './stand-in.ts';
import type { AskRequest, BurstRequest, TellRequest } from './world.ts';

/** A person who waits until Slack has what they are to see. */
export class Follower {
  /** When each post was answered, by its approval and its name. */
  readonly #posted = new Map<string, number>();
  #tell = () => {};

  /** Called for every call that the stand-ins answered. */
  noticed({ operation, subject, form, endedAt }: Answered): void {
    if (operation === 'chat.update') this.#posted.set(`${subject} shown`, endedAt);
    const metadata = operation === 'chat.postMessage' ? form?.get('metadata') : undefined;
    if (metadata) {
      const { record, post } = JSON.parse(metadata).event_payload;
      this.#posted.set(`${record} ${post}`, endedAt);
    }
    this.#tell();
  }

  /** Channels accept a post a second: the next press waits until the slots of the last one have passed. */
  async tell({ eventsUrl, told, names }: TellRequest): Promise<Record<string, number>[]> {
    const { origin, pathname: path } = new URL(eventsUrl);
    const pool = new Pool(origin, { connections: 1 });
    const times: Record<string, number>[] = [];
    // Messages of an earlier round had the same names.
    this.#posted.clear();
    for (const click of told) {
      const sentAt = performance.now();
      await acknowledged(pool, path, signedRequest(click));
      const time: Record<string, number> = {
        shown: (await this.#until(`${click.message} shown`)) - sentAt,
      };
      for (const post of names) time[post] = (await this.#until(`${click.value} ${post}`)) - sentAt;
      times.push(time);
      await sleep(SLOT_MS);
    }
    await pool.close();
    return times;
  }

  async ask({ botUrl, asks }: AskRequest): Promise<number[]> {
    const pool = new Pool(botUrl, { connections: 1 });
    const took: number[] = [];
    for (let number = 0; number < asks; number += 1) {
      const sentAt = performance.now();
      const { body } = await pool.request(approvalRequest());
      // as: a bot's response has this shape
      const { id } = (await body.json()) as { readonly id: string };
      took.push((await this.#until(`${id} message`)) - sentAt);
      await sleep(SLOT_MS / 2);
    }
    await pool.close();
    return took;
  }

  async burst({ eventsUrl, presses, withinMs }: BurstRequest): Promise<number[]> {
    const { origin, pathname: path } = new URL(eventsUrl);
    const pool = new Pool(origin, { connections: presses.length, pipelining: 1 });
    const startedAt = performance.now();
    const took = presses.map(async (click, at) => {
      await sleep(startedAt + (at * withinMs) / presses.length - performance.now());
      const request = signedRequest(click);
      const sentAt = performance.now();
      await acknowledged(pool, path, request);
      return performance.now() - sentAt;
    });
    const all = await Promise.all(took);
    await pool.close();
    return all;
  }

  async #until(name: string): Promise<number> {
    for (;;) {
      const at = this.#posted.get(name);
      if (at !== undefined) return at;
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
  }
}

const SLOT_MS = 1_200;

async function acknowledged(
  pool: Pool,
  path: string,
  request: ReturnType<typeof signedRequest>,
): Promise<void> {
  const { statusCode, body } = await pool.request({ method: 'POST', path, ...request });
  await body.dump();
  if (statusCode !== 200) throw new Error(`a click was answered with ${statusCode}`);
}
