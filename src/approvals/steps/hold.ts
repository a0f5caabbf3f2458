import type { Due } from '../../core/engine/first-due.ts';
import type { Approval, Decision } from '../approval.ts';
import { withPhase } from '../transitions.ts';
import type { StepRules } from './step-rules.ts';

/**
 * Hold a decision for a moment, in which it can be undone. What is left of the hold only shrinks by what a process has
 * waited by its monotonic clock: no clock that is set, no other replica and no store that went back makes it shorter.
 */
export interface Hold {
  readonly kind: 'hold';
  readonly ms: number;
}

/** Before each piece of the hold the record is saved, which shows whether somebody undid it. */
const PIECE_MS = 500;
/** So long before the deadline it ends. */
const BEFORE_DEADLINE_MS = 2_000;
/** So late may it be by the store's clock before people are told another time. */
const LATE_MS = 1_500;
/** Nothing ran for so long: people may have relied on the end that they were told. */
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
    // That clock adds what a suspended machine missed, as far as a clock that can be set tells.
    return { kind: 'waited', ms: Math.min(ms, ages.monotonic() - startedAt) };
  },

  apply(approval, step, { ms }, { route }, now) {
    const { decision } = approval;
    if (decision?.phase.name !== 'hold') return { data: approval };
    const { until = now } = decision.held ?? {};
    const leftMs = Math.max(0, decision.phase.leftMs - ms);
    if (now - ms > until + MISSED_MS) {
      const forMs = holdMs(approval, route?.hold ?? 0, now);
      return { data: withHold(approval, decision, forMs, { until: now + forMs, isAgain: true }) };
    }
    const endsAt = now + leftMs;
    const held = { ...decision.held, until: endsAt > until + LATE_MS ? endsAt : until };
    // One more piece of nothing: the save before it shows what was pressed during the last one.
    if (leftMs === 0 && step.ms > 0) {
      return { data: withPhase(approval, { ...decision, held }, { ...decision.phase, leftMs }) };
    }
    return { data: withHold(approval, decision, leftMs, held, now) };
  },
};

/** How long an approval that is enough is held: nothing may be left of its time. */
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
  // It goes on as if it was made now, but that everybody is authorized once more.
  const { asker } = decision;
  const ended = { ...decision, held, at: now, asker: { ...asker, at: now }, authorizedAt: 0 };
  return withPhase(approval, ended, { name: 'check', tries: 0, notBefore: now, sends });
}
