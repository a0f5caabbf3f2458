import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { approvalRequest } from './approval-request.ts';
import type { World } from './world.ts';

export interface Asked {
  /** The number of answers by status, or by the reason why there was none. */
  readonly answers: Readonly<Record<string, number>>;
  /** The longest wait for an answer, or for the failure. */
  readonly slowestMs: number;
  /** Responses 429 and 503 without `Retry-After`. */
  readonly withoutRetryAfter: number;
  /** Accepted approvals, by Gatepost's ids. */
  readonly approvals: readonly string[];
}

const TIME_OUT_MS = 10_000;
const TAKEN = [200, 202];
const COME_BACK = [429, 503];
/** undici's code for no answer within `TIME_OUT_MS`. */
const NO_ANSWER = 'UND_ERR_HEADERS_TIMEOUT';

/** Asks for approvals over a number of connections, each of which waits for one answer at a time. */
export interface Automation extends AsyncDisposable {
  /**
   * Asks for an approval in each of the channels. A refused request is sent again at once, until `until` is aborted.
   * Throws if it can never be accepted.
   */
  ask(channels: Iterable<string>, until?: AbortSignal): Promise<Asked>;
}

/** Connections are opened with the first requests. */
export function startAutomation(origin: string, connections: number): Automation {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: TIME_OUT_MS });
  return {
    ask: (channels, until) => ask(pool, connections, channels, until),
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

async function ask(
  pool: Pool,
  connections: number,
  channels: Iterable<string>,
  until?: AbortSignal,
): Promise<Asked> {
  const names = [...TAKEN, ...COME_BACK, NO_ANSWER];
  const answers: Record<string, number> = Object.fromEntries(names.map((name) => [name, 0]));
  const approvals: string[] = [];
  let withoutRetryAfter = 0;
  let slowestMs = 0;
  /** Returns whether it was accepted. */
  const send = async (request: ReturnType<typeof approvalRequest>): Promise<boolean> => {
    const sentAt = performance.now();
    const answer = await pool.request(request).catch(codeOf);
    slowestMs = Math.max(slowestMs, performance.now() - sentAt);
    const name = typeof answer === 'string' ? answer : answer.statusCode;
    answers[name] = (answers[name] ?? 0) + 1;
    if (typeof answer === 'string') return false;
    const { statusCode, headers, body } = answer;
    const text = await body.text();
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
  return { answers, slowestMs, withoutRetryAfter, approvals };
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.name;
}

export interface AllPosted {
  readonly missing: number;
  readonly twice: number;
  readonly refused: number;
  /** When the last one was posted; epoch in ms. */
  readonly lastAt: number;
}

const LOOK_MS = 1_000;

/** Waits until all these approvals are posted, but no longer than `withinMs`. */
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
