import { type ApprovalRequest, isFinal } from '../../approvals/intake-contract.ts';
import type { System } from '../../core/lib/system.ts';
import { type GateClient, type GateDetails, GateError } from './gate-client.ts';

/** How waiting ended: with how the request stands, or without knowing. */
export type Settled =
  | {
      readonly kind: 'known';
      readonly details: GateDetails;
      /** It had its end before this was asked. */
      readonly isEarlier: boolean;
    }
  /** Its own time is over, and it was taken back before anybody decided. */
  | { readonly kind: 'out-of-time'; readonly details: GateDetails }
  | { readonly kind: 'refused'; readonly reason: string; readonly details: GateDetails | undefined }
  | Unsettled;

/** It ended before anybody could know. */
export interface Unsettled {
  readonly kind: 'unreached' | 'interrupted';
  readonly reason: string;
  /** Of the request, once Gatepost has said that it has one. */
  readonly id: string | undefined;
  /** As it stood when it was last read. */
  readonly details: GateDetails | undefined;
}

interface SettleNeeds extends System {
  readonly client: GateClient;
  readonly signal: AbortSignal;
  /** In milliseconds of the clock. */
  readonly deadlineAt: number;
  /** false: ends with how it stands as soon as it is asked. */
  readonly isPatient: boolean;
  /** Hears each answer that is not the end, and each time there is none. */
  readonly onNews: (news: GateDetails | GateError) => void;
}

const WAIT_S = 50;
/** Until its message is there, whose address is worth knowing. */
const POSTING_S = 2;
/** Gatepost says itself that the time is over, by its own clock, unless the request has a later deadline. */
const LATE_MS = 3_000;
const RETRY_MS = { first: 500, most: 15_000 } as const;
/** For so long after its time Gatepost may be away. */
const GRACE_MS = 15_000;
/** For so long it may be away for whoever does not wait. */
const IMPATIENT_MS = 60_000;
/** For so long a message that Slack refused in an earlier run may take to be posted after all. */
const REPOSTING_MS = 10_000;

/**
 * Asks, and waits for the end: through restarts of Gatepost, and of its network, since every call can be made
 * again. A request that Gatepost no longer knows is asked for again.
 */
export async function settle(request: ApprovalRequest, needs: SettleNeeds): Promise<Settled> {
  const { client, clock, timers, signal, deadlineAt, isPatient, onNews } = needs;
  const graceEndAt = deadlineAt + GRACE_MS;
  const giveUpAt = isPatient ? graceEndAt : Math.min(graceEndAt, clock.now() + IMPATIENT_MS);
  let asked: Asked | undefined;
  let last: GateDetails | undefined;
  let failures = 0;
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
      // The same key may have had a later deadline before: nobody is to approve for who is gone.
      if (leftMs <= 0) return await takenBack(client, asked.id, details, signal);
      // A replica that stops answers at once, and so does a proxy that does not pass `wait` on.
      const isEarly = !isFirst && clock.now() - askedAt < RETRY_MS.first;
      // What interrupts it is seen at the next call.
      if (isEarly) await timers.sleep(RETRY_MS.first, signal).catch(() => undefined);
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      const { code, message: reason } = error;
      if (code === 'unknown') asked = undefined;
      const unsettled = { reason, id: asked?.id, details: last };
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

/** What Gatepost has of it. */
interface Asked {
  readonly id: string;
  /** Until then its message may be posted that Slack refused in an earlier run; `-Infinity`: it is a new one. */
  readonly repostedBy: number;
  readonly wasOver: boolean;
}

/** A new one is never BLOCKED. Slack may take by now what it refused before, and Gatepost tries it rarely by itself. */
async function askFor(
  request: ApprovalRequest,
  { client, clock, signal }: SettleNeeds,
): Promise<Asked> {
  const { id, status } = await client.ask(request, signal);
  const wasOver = isFinal(status);
  if (status !== 'BLOCKED') return { id, repostedBy: Number.NEGATIVE_INFINITY, wasOver };
  await client.check(id, signal);
  return { id, repostedBy: clock.now() + REPOSTING_MS, wasOver };
}

/** While it is posted again the refusal of before is still what Gatepost says. */
function isBeingReposted(
  { status, posting }: GateDetails,
  { repostedBy }: Asked,
  now: number,
): boolean {
  return status === 'BLOCKED' && posting.state === 'blocked' && now < repostedBy;
}

/** The first answer comes at once. */
function waitSFor(last: GateDetails | undefined, leftMs: number): number {
  if (last === undefined) return 0;
  const most = last.permalink === undefined ? POSTING_S : WAIT_S;
  return Math.max(1, Math.min(most, Math.ceil(leftMs / 1_000)));
}

/** What was decided at the last moment counts. */
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
  return { kind: 'unreached', id, details, reason: 'A decision was being sent when time ran out.' };
}

/** A decision that is being sent when time runs out has its end by then, mostly. */
const CLOSING_S = 10;
