import * as z from 'zod';
import { isFinal } from '../../../../ask/contract/approval-details.ts';
import type { Core } from '../../../core/core.ts';
import type { Approval } from '../../approval.ts';
import { statusOf } from '../../decision/status.ts';
import { decodeApproval } from '../../stored-approval.ts';
import { uniqueKeyOf } from '../ask-approval.ts';
import { hashed, ownNameOf, proofOf, type Sender } from '../sender.ts';

/**
 * An attempt to pass a gate asks once, and may ask anew once it has ended and nobody calls for its answer any more. Its
 * requests are own gates, numbered in their keys; a note in the store says which one is the last.
 */
export interface Attempt {
  /** Of its present request, or of the one that has to be asked. */
  readonly key: string;
  /** undefined: it is not asked yet. */
  readonly asked?: { readonly id: string; readonly approval: Approval };
}

/** How long no call came for an ended attempt until the next one asks anew. */
const SILENCE_MS = 600_000;
/** How exactly the last call is noted. */
const NOTED_MS = 10_000;
/** Longer than any request waits, with the day that its approval is good for. */
const NOTE_LIFETIME_MS = 32 * 86_400_000;

/** Of calls at the same moment one is first each time. */
const TRIES_MAX = 5;

interface Call {
  readonly forMs: number;
  readonly isAsking: boolean;
}

const note = z.object({ number: z.int(), calledAt: z.number().optional() });

/**
 * Finds an attempt, and notes that a call came for it. `name`: unique among the source's. `isAsking`: false: nothing is
 * asked, so that an attempt that has ended stays the last one. Throws StoreError; safe to repeat.
 */
export async function findAttempt(
  core: Core,
  sender: Sender,
  name: string,
  call: Call,
  tries = 0,
): Promise<Attempt> {
  const { store } = core;
  const { forMs, isAsking } = call;
  const hash = hashed(ownNameOf('gates', sender.source, name, proofOf(sender)));
  const at = `gates:${hash}`;
  const text = await store.get(at);
  const before = text === undefined ? { number: 1 } : note.parse(JSON.parse(text));
  const now = store.now();
  let ended: Attempt | undefined;
  for (let number = before.number; ; number += 1) {
    const key = `gate/${hash}/${number}`;
    const asked = await askedWith({ store }, sender, key);
    if (asked === undefined && ended !== undefined && !isAsking) return ended;
    const present: Attempt = { key, ...(asked && { asked }) };
    const calledAt = number === before.number ? before.calledAt : undefined;
    const endedAt = asked && endOf(asked.approval, forMs);
    const lastAt = endedAt === undefined ? undefined : Math.max(endedAt, calledAt ?? 0);
    if (lastAt !== undefined && now - lastAt >= SILENCE_MS) {
      ended = present;
      continue;
    }
    const isCalled = lastAt !== undefined && (calledAt === undefined || now - calledAt >= NOTED_MS);
    if (number !== before.number || isCalled) {
      const next = JSON.stringify({ number, ...(isCalled && { calledAt: now }) });
      // A call that read an older note must not replace a newer one.
      const isNoted =
        text === undefined
          ? await store.putIfAbsent(at, next, NOTE_LIFETIME_MS)
          : await store.replace(at, text, next, NOTE_LIFETIME_MS);
      // Another call came in between, for which the attempt may go on.
      const isOutdated = !isNoted && number !== before.number;
      if (isOutdated && tries < TRIES_MAX) return findAttempt(core, sender, name, call, tries + 1);
    }
    return present;
  }
}

/** The request with this key; undefined: it is not asked yet. */
export async function askedWith(
  { store }: Pick<Core, 'store'>,
  sender: Sender,
  key: string,
): Promise<Attempt['asked']> {
  const record = await store.find(uniqueKeyOf(sender.source, { key }, proofOf(sender)));
  return record && { id: record.id, approval: decodeApproval(record) };
}

/** When its answer became final, an approval's when its time is over; undefined: it can still change. */
function endOf(approval: Approval, forMs: number): number | undefined {
  const status = statusOf(approval);
  if (!isFinal(status)) return undefined;
  const { outcome, withdrawnAt = 0 } = approval;
  if (outcome === undefined) return withdrawnAt;
  return status === 'APPROVED' ? goodUntil(outcome, forMs) : outcome.learnedAt;
}

/** Until when an approval answers 200. */
export function goodUntil(
  { resolvedAt = '', learnedAt }: NonNullable<Approval['outcome']>,
  forMs: number,
): number {
  const givenAt = Date.parse(resolvedAt);
  return (Number.isNaN(givenAt) ? learnedAt : givenAt) + forMs;
}
