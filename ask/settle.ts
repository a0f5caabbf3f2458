import type { System } from '../src/core/lib/system.ts';
import type { ApprovalBody } from './contract/approval-body.ts';
import { isFinal } from './contract/approval-details.ts';
import { GateError } from './contract/gate-error.ts';
import type { GateClient, GateDetails } from './gate-client.ts';

/** The result of waiting: the request's state, or the reason why it is not known. */
export type Settled =
  | {
      readonly kind: 'known';
      readonly details: GateDetails;
      /** It had already ended when it was asked for. */
      readonly isEarlier: boolean;
    }
  /** Its time is over, and it was withdrawn undecided. */
  | { readonly kind: 'out-of-time'; readonly details: GateDetails }
  | { readonly kind: 'refused'; readonly reason: string; readonly details: GateDetails | undefined }
  | Unsettled;

/** Nobody can be asked. */
export function isBlocked(settled: Settled): settled is Extract<Settled, { kind: 'known' }> {
  return settled.kind === 'known' && settled.details.status === 'BLOCKED';
}

/** Waiting ended without a result. */
export interface Unsettled {
  readonly kind: 'unreached' | 'interrupted';
  readonly reason: string;
  /** The request's id, once Gatepost has confirmed it. */
  readonly id: string | undefined;
  /** false: nothing of it can have arrived. */
  readonly mayBeMade: boolean;
  /** As last read. */
  readonly details: GateDetails | undefined;
}

interface SettleNeeds extends System {
  readonly client: GateClient;
  readonly signal: AbortSignal;
  /** In milliseconds of the clock. */
  readonly deadlineAt: number;
  /** false: returns the current state right after asking. */
  readonly isPatient: boolean;
  /** Called with each interim answer, and with each failure. */
  readonly onNews: (news: GateDetails | GateError) => void;
}

const WAIT_S = 50;
/** Until its message is posted, so that its address is known. */
const POSTING_S = 2;
/** Gatepost itself ends it in time, by its own clock, unless the request has a later deadline. */
const LATE_MS = 3_000;
const RETRY_MS = { first: 500, most: 15_000 } as const;
/** How long Gatepost may be unavailable after the end of its time. */
const GRACE_MS = 15_000;
/** How long Gatepost may be unavailable if the command does not wait. */
const IMPATIENT_MS = 60_000;
/** How long reposting a message that Slack refused in an earlier run may take. */
const REPOSTING_MS = 10_000;

/**
 * Asks, and waits for the outcome: survives restarts of Gatepost and network failures, because every call can be
 * repeated. A request that Gatepost no longer knows is asked for again.
 */
export async function settle(request: ApprovalBody, needs: SettleNeeds): Promise<Settled> {
  const { client, clock, timers, signal, deadlineAt, isPatient, onNews } = needs;
  const graceEndAt = deadlineAt + GRACE_MS;
  const giveUpAt = isPatient ? graceEndAt : Math.min(graceEndAt, clock.now() + IMPATIENT_MS);
  let asked: Asked | undefined;
  let last: GateDetails | undefined;
  let failures = 0;
  let mayBeMade = false;
  for (;;) {
    try {
      asked ??= await askFor(request, needs);
      const askedAt = clock.now();
      const leftMs = deadlineAt + LATE_MS - askedAt;
      const isFirst = last === undefined;
      const details = await client.read(asked.id, isPatient ? waitSFor(last, leftMs) : 0, signal);
      failures = 0;
      last = details;
      if (!isBeingReposted(details, asked, askedAt)) {
        const isOver = details.final || details.status === 'BLOCKED';
        if (!isPatient || isOver) return { kind: 'known', details, isEarlier: asked.wasOver };
      }
      onNews(details);
      // An earlier run may have set a later deadline for the same key: nobody should approve for a command that is
      // gone.
      if (leftMs <= 0) return await takenBack(client, asked.id, details, signal);
      // A replica that shuts down answers at once, and so does a proxy that drops `wait`.
      const isEarly = !isFirst && clock.now() - askedAt < RETRY_MS.first;
      // An interruption is noticed at the next call.
      if (isEarly) await timers.sleep(RETRY_MS.first, signal).catch(() => undefined);
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      const { code, message: reason } = error;
      if (code === 'unknown') asked = undefined;
      mayBeMade ||= error.isSent || last !== undefined;
      const unsettled = { reason, id: asked?.id, mayBeMade, details: last };
      if (code === 'aborted') return { kind: 'interrupted', ...unsettled };
      if (code === 'refused') return { kind: 'refused', reason, details: last };
      onNews(error);
      const patienceMs = Math.min(RETRY_MS.first * 2 ** failures, RETRY_MS.most);
      const waitMs = Math.max(patienceMs, error.retryAfterMs);
      failures += 1;
      if (clock.now() + waitMs > giveUpAt) return { kind: 'unreached', ...unsettled };
      await timers.sleep(waitMs, signal).catch(() => undefined);
    }
  }
}

/** Gatepost's answer to the request. */
interface Asked {
  readonly id: string;
  /** When a message that Slack refused in an earlier run should be posted; `-Infinity`: it is a new request. */
  readonly repostedBy: number;
  readonly wasOver: boolean;
}

/**
 * A new request is never BLOCKED. Slack may accept by now what it refused earlier, and Gatepost itself retries rarely.
 */
async function askFor(
  request: ApprovalBody,
  { client, clock, signal }: SettleNeeds,
): Promise<Asked> {
  const { id, status } = await client.ask(request, signal);
  const wasOver = isFinal(status);
  if (status !== 'BLOCKED') return { id, repostedBy: Number.NEGATIVE_INFINITY, wasOver };
  await client.check(id, signal);
  return { id, repostedBy: clock.now() + REPOSTING_MS, wasOver };
}

/** Until it is posted again, Gatepost reports the earlier refusal. */
function isBeingReposted(
  { status, posting }: GateDetails,
  { repostedBy }: Asked,
  now: number,
): boolean {
  return status === 'BLOCKED' && posting.state === 'blocked' && now < repostedBy;
}

/** The first answer should come at once. */
function waitSFor(last: GateDetails | undefined, leftMs: number): number {
  if (last === undefined) return 0;
  const most = last.permalink === undefined ? POSTING_S : WAIT_S;
  return Math.max(1, Math.min(most, Math.ceil(leftMs / 1_000)));
}

/** A decision at the last moment counts. */
async function takenBack(
  client: GateClient,
  id: string,
  before: GateDetails,
  signal: AbortSignal,
): Promise<Settled> {
  const { status } = await client.withdraw(id, signal);
  if (status === 'WITHDRAWN') return { kind: 'out-of-time', details: before };
  const details = await client.read(id, CLOSING_S, signal);
  if (details.status === 'WITHDRAWN') return { kind: 'out-of-time', details };
  if (details.final || details.status === 'UNKNOWN')
    return { kind: 'known', details, isEarlier: false };
  const reason = 'A decision was being sent when time ran out.';
  return { kind: 'unreached', id, mayBeMade: true, details, reason };
}

/** A decision that is being sent when time runs out usually ends within this time. */
const CLOSING_S = 10;
