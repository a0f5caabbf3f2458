import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { approvalRequest } from './approval-request.ts';
import type { World } from './world.ts';

export interface Asked {
  /** How often each answer came: by status, or `none in 10 s`. */
  readonly answers: Readonly<Record<string, number>>;
  /** Answers 429 and 503 that did not say when to come back. */
  readonly withoutRetryAfter: number;
  /** The approvals that were taken, as Gatepost calls them. */
  readonly approvals: readonly string[];
}

const TIME_OUT_MS = 10_000;
const TAKEN = [200, 202];
const COME_BACK = [429, 503];

/**
 * Asks for an approval in each of the channels, over so many connections that wait for one answer at a
 * time. What is not taken is sent again at once, until `until` is aborted. Throws when it never will be.
 */
export async function ask(
  origin: string,
  connections: number,
  channels: Iterable<string>,
  until?: AbortSignal,
): Promise<Asked> {
  const none = `none in ${TIME_OUT_MS / 1_000} s`;
  const names = [...TAKEN, ...COME_BACK, none];
  const answers: Record<string, number> = Object.fromEntries(names.map((name) => [name, 0]));
  const approvals: string[] = [];
  let withoutRetryAfter = 0;
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: TIME_OUT_MS });
  /** Whether it is taken. */
  const send = async (request: ReturnType<typeof approvalRequest>): Promise<boolean> => {
    const answer = await pool.request(request).catch(() => undefined);
    const text = await answer?.body.text();
    const name = answer === undefined ? none : String(answer.statusCode);
    answers[name] = (answers[name] ?? 0) + 1;
    if (answer === undefined || text === undefined) return false;
    const { statusCode, headers } = answer;
    if (COME_BACK.includes(statusCode) && headers['retry-after'] === undefined)
      withoutRetryAfter += 1;
    if (statusCode < 500 && !names.includes(statusCode))
      throw new Error(`an approval was answered with ${statusCode}`);
    if (!TAKEN.includes(statusCode)) return false;
    approvals.push(JSON.parse(text).id);
    return true;
  };
  const left = channels[Symbol.iterator]();
  const clients = Array.from({ length: connections }, async () => {
    for (let next = left.next(); !next.done && !until?.aborted; next = left.next()) {
      const request = approvalRequest(next.value);
      while (!(await send(request)) && !until?.aborted);
    }
  });
  await Promise.all(clients);
  await pool.close();
  return { answers, withoutRetryAfter, approvals };
}

export interface AllPosted {
  readonly missing: number;
  readonly twice: number;
  readonly refused: number;
  /** When the last of all was posted; epoch in ms. */
  readonly lastAt: number;
}

const LOOK_MS = 1_000;

/** Waits until all these approvals are posted, or for so long. */
export async function untilPosted(
  world: World,
  approvals: readonly string[],
  withinMs: number,
): Promise<AllPosted> {
  const endAt = performance.now() + withinMs;
  for (;;) {
    await sleep(LOOK_MS);
    const { approvals: posted, refused, lastAt } = await world.channels({ isSilent: false });
    const all = new Set(posted);
    const missing = approvals.filter((id) => !all.has(id)).length;
    if (missing === 0 || performance.now() > endAt)
      return { missing, twice: posted.length - all.size, refused, lastAt };
  }
}
