import { hash } from 'node:crypto';
import type { Action, Approval, FinalStatus, Reason, UnknownWhy, Watch } from './approval.ts';
import { quorumOf, type Terms, votersFor } from './terms.ts';
import { SHOW_DECIDING_AFTER_MS } from './timing.ts';
import { type Trouble, troubleOf } from './trouble.ts';

/**
 * What the message shows: exactly one state, and everything in it that can change. Two equal faces
 * are one message, so that a face tells whether an update is due.
 */
export type Face =
  | {
      readonly state: 'waiting';
      readonly approvedBy: readonly string[];
      readonly needed: number;
      readonly prompt: boolean;
      /** When the service last told, if it has stopped telling. */
      readonly staleSince?: number | null;
      /** What it does instead; absent: nothing. */
      readonly trouble?: Trouble;
      readonly unwatched?: true;
    }
  | { readonly state: 'deciding'; readonly action: Action; readonly by: string }
  | {
      readonly state: 'decided';
      readonly status: FinalStatus;
      readonly credit: 'certain' | 'sent' | 'none';
      readonly by: readonly string[];
      readonly resolvedAt: string | null;
      readonly reasons?: readonly Reason[];
    }
  | { readonly state: 'withdrawn' }
  | {
      readonly state: 'unknown';
      readonly why: UnknownWhy;
      /** Whose answer was sent without a clear end. */
      readonly doubt?: { readonly action: Action; readonly by: string };
    };

export function faceOf(approval: Approval, terms: Pick<Terms, 'route'>, now: number): Face {
  const { outcome, decision, watch } = approval;
  if (outcome !== undefined) {
    return {
      state: 'decided',
      status: outcome.status,
      credit: outcome.credit,
      by: outcome.by,
      resolvedAt: outcome.resolvedAt ?? null,
      ...(outcome.reasons !== undefined && { reasons: outcome.reasons }),
    };
  }
  if (decision !== undefined && now >= decision.at + SHOW_DECIDING_AFTER_MS) {
    return { state: 'deciding', action: decision.action, by: decision.by };
  }
  if (approval.withdrawnAt !== undefined) return { state: 'withdrawn' };
  if (watch.state === 'unknown') {
    const doubt = approval.doubts?.at(-1);
    return { state: 'unknown', why: watch.why ?? 'unsure', ...(doubt !== undefined && { doubt }) };
  }
  return {
    state: 'waiting',
    approvedBy: votersFor('approve', approval.ballots),
    needed: quorumOf(approval, terms.route),
    prompt: approval.message === undefined && approval.prompt !== undefined,
    ...(watch.stale === true && staleness(watch)),
    ...(watch.ended === true && { unwatched: true as const }),
  };
}

function staleness({ checkedAt, failure }: Watch) {
  const trouble = troubleOf(failure);
  return { staleSince: checkedAt ?? null, ...(trouble.why !== 'silent' && { trouble }) };
}

/** Short, because each approval keeps one; no two faces that a message has in its life share it. */
export function faceKey(face: Face): string {
  return faceTextKey(JSON.stringify(face));
}

/** `faceKey`, of a face in JSON. */
export function faceTextKey(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 8);
}
