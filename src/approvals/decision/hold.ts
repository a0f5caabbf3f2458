import { shortDuration } from '../../core/config/values.ts';
import { type Approval, type Decision, NO_SENDS, withPhase } from '../approval.ts';
import { checkedNext } from '../schedule.ts';
import type { Begun, Guard, PauseRules } from './guard.ts';

/**
 * Hold a decision for a moment in which it can be undone. The hold shrinks only by time that a process has waited on
 * its monotonic clock: a changed clock, another replica or a rewound store cannot shorten it, except near the deadline.
 */

declare module '../approval.ts' {
  interface GuardPhases {
    /** By a monotonic clock. */
    readonly hold: { readonly leftMs: number };
  }
  interface Decision {
    /** The hold before it is sent, in which it can be undone. */
    readonly held?: Held;
  }
}

declare module '../../core/config/file.ts' {
  interface RouteMembers {
    /** How long an approval waits before it is sent, and can be undone. */
    readonly hold: number;
  }
}

declare module './guard.ts' {
  interface GuardStates {
    readonly held: Held;
  }
}

declare module './statement.ts' {
  interface StatementFacts {
    /** During a hold. */
    readonly held: { readonly until: number; readonly counts: boolean };
    readonly 'lost-hold': unknown;
  }
}

/** `until`: as shown to people. isAgain: it is held a second time, because nothing ran when the first hold ended. */
interface Held {
  readonly until: number;
  readonly isAgain?: true;
}

/** The record is saved before each piece of the hold, which shows whether it was undone. */
const PIECE_MS = 500;
/** The hold ends this long before the deadline. */
const BEFORE_DEADLINE_MS = 2_000;
/** A longer delay by the store's clock is shown to people as a new time. */
const LATE_MS = 1_500;
/** After this long with nothing running, people may have relied on the end they were told. */
const MISSED_MS = 5_000;

export const hold: Guard = {
  pieces: { hold: shortDuration.prefault('0s') },

  begin(approval, { route }, now): Begun | undefined {
    const leftMs = holdMs(approval, route?.hold ?? 0, now);
    if (leftMs === 0) return undefined;
    return { held: { until: now + leftMs }, phase: { name: 'hold', leftMs, sends: NO_SENDS } };
  },

  goAhead(approval, now) {
    const { decision } = approval;
    if (decision?.phase.name !== 'hold') return undefined;
    const until = now + holdMs(approval, decision.phase.leftMs, now);
    return { ...approval, decision: { ...decision, held: { ...decision.held, until } } };
  },

  pause: ({ phase }) =>
    phase.name === 'hold' ? { kind: 'hold', ms: Math.min(PIECE_MS, phase.leftMs) } : undefined,

  shown: ({ held }, approved) => held && { name: 'held', ...approved, ...held },

  meanwhile: ({ held }, counts, now) => ({ code: 'held', until: held?.until ?? now, counts }),

  canBeUndone: ({ held }) => held !== undefined,

  isOn: (route) => route.hold > 0,

  lost: { code: 'lost-hold' },
};

export const holdRules: PauseRules = {
  markAttempt: (approval) => ({ data: approval }),

  async execute({ ages, timers }, _id, _approval, { ms }) {
    const startedAt = ages.monotonic();
    await timers.sleep(ms);
    // That clock includes the time a machine was suspended, as far as the wall clock shows.
    return { kind: 'waited', ms: Math.min(ms, ages.monotonic() - startedAt) };
  },

  apply(approval, step, { ms }, { route }, now) {
    const { decision } = approval;
    if (decision?.phase.name !== 'hold') return { data: approval };
    const { until = now } = decision.held ?? {};
    // A delay shortens it near the deadline.
    const leftMs = holdMs(approval, Math.max(0, decision.phase.leftMs - ms), now);
    if (now - ms > until + MISSED_MS) {
      const forMs = holdMs(approval, route?.hold ?? 0, now);
      return { data: withHold(approval, decision, forMs, { until: now + forMs, isAgain: true }) };
    }
    const endsAt = now + leftMs;
    const held = { ...decision.held, until: endsAt > until + LATE_MS ? endsAt : until };
    // A rejection that could not be checked yet would end it.
    if (leftMs === 0 && approval.queue.some(({ action }) => action === 'reject')) {
      const again = { ...decision.phase, leftMs: PIECE_MS };
      return { data: withPhase(approval, { ...decision, held }, again) };
    }
    // One more, empty piece: the save before it shows what was pressed during the last one.
    if (leftMs === 0 && step.ms > 0) {
      return { data: withPhase(approval, { ...decision, held }, { ...decision.phase, leftMs }) };
    }
    return { data: withHold(approval, decision, leftMs, held, now) };
  },
};

/** How long to hold a complete approval: possibly 0, close to the deadline. */
function holdMs({ expiresAt }: Approval, forMs: number, now: number): number {
  if (expiresAt === undefined) return forMs;
  return Math.max(0, Math.min(forMs, expiresAt - BEFORE_DEADLINE_MS - now));
}

function withHold(
  approval: Approval,
  decision: Decision,
  leftMs: number,
  held: Held,
  now = held.until,
): Approval {
  const { sends } = decision.phase;
  if (leftMs > 0) {
    return withPhase(approval, { ...decision, held }, { name: 'hold', leftMs, sends });
  }
  // It continues as if made now, except that everybody is authorized again.
  const { asker } = decision;
  const ended = { ...decision, held, at: now, asker: { ...asker, at: now }, authorizedAt: 0 };
  return withPhase(approval, ended, checkedNext(approval, sends, now));
}
