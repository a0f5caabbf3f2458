import { QUIET_MS } from '../reconcile/flow.ts';
import type { Approval, Decision, Phase, UnknownWhy } from './approval.ts';
import { closedSentence } from './message/sentences.ts';
import { LOST_TWICE_MS, SETTLE_LOOKS_MS } from './timing.ts';
import { closeDecision, loseSight, withPhase } from './transitions.ts';

/** What became of an answer that was sent and never clearly answered is looked up. */

type SettlePhase = Extract<Phase, { name: 'settle' }>;
type Settling = Decision & { readonly phase: SettlePhase };

/** The decision, if it is being looked up. One whose process died while it was sent is looked up too. */
export function settlingOf({ decision }: Approval, now: number): Settling | undefined {
  if (decision === undefined) return undefined;
  const { phase } = decision;
  if (phase.name === 'settle') return { ...decision, phase };
  if (phase.name !== 'sending') return undefined;
  const failure = { class: 'ambiguous', code: 'process_ended' } as const;
  const { mustEndBy } = phase.attempt;
  return { ...decision, phase: settlePhase(phase.sends, failure, now, mustEndBy) };
}

export function settlePhase(
  sends: SettlePhase['sends'],
  failure: SettlePhase['failure'],
  endedAt: number,
  mustEndBy: number,
): SettlePhase {
  return { name: 'settle', sends, failure, endedAt, mustEndBy, looks: 0, notBefore: endedAt };
}

/**
 * Folds a look that did not find a final status. `askedAt` is when it began: what it saw may be as old.
 */
export function foldSettleLook(
  approval: Approval,
  decision: Settling,
  found: 'pending' | 'failed',
  askedAt: number,
): Approval {
  const { phase } = decision;
  const isQuiet = askedAt >= phase.mustEndBy + QUIET_MS;
  if (found === 'pending' && phase.failure.class === 'ambiguous' && isQuiet) {
    return sendAgain(approval, decision, askedAt);
  }
  const looks = phase.looks + 1;
  const notBefore = nextLookAt(phase, looks, askedAt);
  if (notBefore !== undefined) {
    return withPhase(approval, decision, { ...phase, looks, notBefore });
  }
  const isRefused = phase.failure.class === 'refused' && phase.sends.ambiguous === 0;
  if (isRefused && found === 'pending') {
    return closeDecision(approval, closedSentence('refused', phase.failure.detail));
  }
  return loseSight({ ...approval, decision }, whyLost(phase, isRefused), askedAt);
}

function whyLost({ failure }: SettlePhase, isRefused: boolean): UnknownWhy {
  if (isRefused) return 'silent';
  return failure.class === 'unreadable' ? 'unreadable' : 'unsure';
}

/** The same action once more, never the opposite. */
function sendAgain(approval: Approval, decision: Settling, askedAt: number): Approval {
  const { sends } = decision.phase;
  const isWithdrawn = approval.withdrawnAt !== undefined;
  if (isWithdrawn || sends.ambiguous > 0) {
    const unsure = loseSight({ ...approval, decision }, 'unsure', askedAt);
    return isWithdrawn ? unsure : askedSoon(unsure, decision, askedAt);
  }
  const next = { ...sends, ambiguous: sends.ambiguous + 1 };
  return withPhase(approval, decision, { name: 'send', sends: next, askedAt });
}

/**
 * The gate was open after two answers that were lost. At the next look, soon and not at the pace of the
 * approval's age, people can decide again if it still is; whose answer it was is told how it stands.
 */
function askedSoon(approval: Approval, { asker }: Decision, askedAt: number): Approval {
  const nextAt = Math.min(approval.watch.nextAt, askedAt + LOST_TWICE_MS);
  return { ...approval, watch: { ...approval.watch, nextAt, askers: [asker] } };
}

/** undefined: it was looked up often enough. */
function nextLookAt(phase: SettlePhase, looks: number, askedAt: number): number | undefined {
  const offset = SETTLE_LOOKS_MS[looks];
  if (offset !== undefined) return phase.endedAt + offset;
  // What was sent at the last moment may still be on its way: one look after that.
  const quietAt = phase.mustEndBy + QUIET_MS;
  return phase.failure.class === 'ambiguous' && askedAt < quietAt ? quietAt : undefined;
}
