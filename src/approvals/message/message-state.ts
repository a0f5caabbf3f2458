import { hash } from 'node:crypto';
import type { Action, Approval, FinalStatus, Reason, UnknownWhy, Watch } from '../approval.ts';
import { type Trouble, troubleOf } from '../failure.ts';
import { quorumOf, type RouteTerms, votersFor } from '../policy.ts';
import { SHOW_DECIDING_AFTER_MS } from '../timing.ts';
import { isWithdrawn } from '../transitions.ts';
import { isOverflow, overflowCount } from './overflow.ts';

/**
 * What the message shows: exactly one state, and everything in it that can change. Two equal states
 * are one message, so that it tells whether an update is due.
 */
export type MessageState =
  | {
      readonly name: 'waiting';
      readonly approvedBy: readonly string[];
      readonly needed: number;
      readonly prompt: boolean;
      /** What did not fit is not all posted yet: nobody can decide on a part of it. */
      readonly posting?: true;
      /** When the service last told, if it has stopped telling. */
      readonly staleSince?: number | null;
      /** What it does instead; absent: nothing. */
      readonly trouble?: Trouble;
      readonly unwatched?: true;
    }
  | { readonly name: 'deciding'; readonly action: Action; readonly by: string }
  | {
      readonly name: 'decided';
      readonly status: FinalStatus;
      readonly credit: 'certain' | 'sent' | 'none';
      readonly by: readonly string[];
      readonly resolvedAt: string | null;
      readonly reasons?: readonly Reason[];
    }
  | { readonly name: 'withdrawn' }
  | {
      readonly name: 'unknown';
      readonly why: UnknownWhy;
      /** What the service said. */
      readonly word?: string;
      /** Whose decision was sent without a clear end. */
      readonly unconfirmed?: { readonly action: Action; readonly by: string };
    };

export function messageStateOf(approval: Approval, terms: RouteTerms, now: number): MessageState {
  const { outcome, watch } = approval;
  if (outcome !== undefined) {
    return {
      name: 'decided',
      status: outcome.status,
      credit: outcome.credit,
      by: outcome.by,
      resolvedAt: outcome.resolvedAt ?? null,
      ...(outcome.reasons !== undefined && { reasons: outcome.reasons }),
    };
  }
  const going = underWay(approval);
  if (going !== undefined && now >= going.shownFrom) {
    return { name: 'deciding', action: going.action, by: going.by };
  }
  if (isWithdrawn(approval)) return { name: 'withdrawn' };
  if (watch.state === 'unknown' || approval.withdrawnAt !== undefined) {
    const unconfirmed = approval.unconfirmed?.at(-1);
    return {
      name: 'unknown',
      why: watch.why ?? 'unsure',
      ...(watch.word !== undefined && { word: watch.word }),
      ...(unconfirmed !== undefined && { unconfirmed }),
    };
  }
  return {
    name: 'waiting',
    approvedBy: votersFor('approve', approval.ballots),
    needed: quorumOf(approval, terms.route),
    prompt: approval.message === undefined && approval.prompt !== undefined,
    ...(isPosting(approval) && { posting: true as const }),
    ...(watch.stale === true && staleness(watch)),
    ...(watch.ended === true && { unwatched: true as const }),
  };
}

function isPosting(approval: Approval): boolean {
  const count = overflowCount(approval);
  const posted = approval.posts.filter(({ name, ts }) => isOverflow(name) && ts !== undefined);
  return posted.length < count;
}

/** Whose decision is being carried out, or waits for a service that was not reached, and from when on that is shown. */
export function underWay({
  decision,
  queue,
}: Approval): { action: Action; by: string; shownFrom: number } | undefined {
  if (decision !== undefined) {
    const { action, by, asker } = decision;
    return { action, by, shownFrom: asker.at + SHOW_DECIDING_AFTER_MS };
  }
  // The oldest, however they take turns.
  const [click] = queue.filter(({ unreached }) => unreached).toSorted((a, b) => a.at - b.at);
  if (click === undefined) return undefined;
  return { action: click.action, by: click.user, shownFrom: click.at + SHOW_DECIDING_AFTER_MS };
}

function staleness({ checkedAt, failure }: Watch) {
  const trouble = troubleOf(failure);
  return { staleSince: checkedAt ?? null, ...(trouble.why !== 'silent' && { trouble }) };
}

/** Short, because each approval keeps one; no two states that a message has in its life share it. */
export function stateKey(state: MessageState): string {
  const text = JSON.stringify(state);
  const known = KEYS.get(text);
  if (known !== undefined) return known;
  const key = hash('sha256', text, 'base64url').slice(0, 8);
  if (KEYS.size === KEYS_MAX) KEYS.clear();
  KEYS.set(text, key);
  return key;
}

/** By the text of their states: most approvals wait in the same one, and each poll asks for its key. */
const KEYS = new Map<string, string>();
const KEYS_MAX = 1_000;
