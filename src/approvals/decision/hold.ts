import type { Due } from '../../core/engine/first-due.ts';
import type { Approval, Decision } from '../approval.ts';
import type { StepRules } from '../electorate/step-rules.ts';
import { afterRewind } from './store-rewind.ts';
import { withPhase } from './transitions.ts';

/**
 * Hold a decision for a moment in which it can be undone. The hold shrinks only by time that a process has waited on
 * its monotonic clock: a changed clock, another replica or a rewound store cannot shorten it.
 */
export interface Hold {
  readonly kind: 'hold';
  readonly ms: number;
}

/** The record is saved before each piece of the hold, which shows whether it was undone. */
const PIECE_MS = 500;
/** The hold ends this long before the deadline. */
const BEFORE_DEADLINE_MS = 2_000;
/** A longer delay by the store's clock is shown to people as a new time. */
const LATE_MS = 1_500;
/** After this long with nothing running, people may have relied on the end they were told. */
const MISSED_MS = 5_000;

export function dueHold({ decision }: Approval): Due<Hold> {
  return decision?.phase.name === 'hold'
    ? { kind: 'hold', ms: Math.min(PIECE_MS, decision.phase.leftMs) }
    : null;
}

export const hold: StepRules<Hold, { readonly kind: 'waited'; readonly ms: number }> = {
  markAttempt: (approval) => ({ data: approval }),

  async execute({ ages, timers }, _id, _approval, { ms }) {
    const startedAt = ages.monotonic();
    await timers.sleep(ms);
    // That clock includes the time a machine was suspended, as far as the wall clock shows.
    return { kind: 'waited', ms: Math.min(ms, ages.monotonic() - startedAt) };
  },

  apply(approval, step, { ms }, terms, now) {
    const { decision } = approval;
    if (decision?.phase.name !== 'hold') return { data: approval };
    const left = afterRewind(approval, terms);
    if (left !== approval) return { data: left };
    const { route } = terms;
    const { until = now } = decision.held ?? {};
    const leftMs = Math.max(0, decision.phase.leftMs - ms);
    if (now - ms > until + MISSED_MS) {
      const forMs = holdMs(approval, route?.hold ?? 0, now);
      return { data: withHold(approval, decision, forMs, { until: now + forMs, isAgain: true }) };
    }
    const endsAt = now + leftMs;
    const held = { ...decision.held, until: endsAt > until + LATE_MS ? endsAt : until };
    // One more, empty piece: the save before it shows what was pressed during the last one.
    if (leftMs === 0 && step.ms > 0) {
      return { data: withPhase(approval, { ...decision, held }, { ...decision.phase, leftMs }) };
    }
    return { data: withHold(approval, decision, leftMs, held, now) };
  },
};

/** How long to hold a complete approval: possibly 0, close to the deadline. */
export function holdMs({ expiresAt }: Approval, forMs: number, now: number): number {
  if (expiresAt === undefined) return forMs;
  return Math.max(0, Math.min(forMs, expiresAt - BEFORE_DEADLINE_MS - now));
}

function withHold(
  approval: Approval,
  decision: Decision,
  leftMs: number,
  held: NonNullable<Decision['held']>,
  now = held.until,
): Approval {
  const { sends } = decision.phase;
  if (leftMs > 0) {
    return withPhase(approval, { ...decision, held }, { name: 'hold', leftMs, sends });
  }
  // It continues as if made now, except that everybody is authorized again.
  const { asker } = decision;
  const ended = { ...decision, held, at: now, asker: { ...asker, at: now }, authorizedAt: 0 };
  return withPhase(approval, ended, { name: 'check', tries: 0, notBefore: now, sends });
}
