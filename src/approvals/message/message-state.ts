import { hash } from 'node:crypto';
import type { FinalStatus } from '../../core/service/approval-status.ts';
import {
  type Absent,
  type Action,
  type Approval,
  type Click,
  type Decision,
  KEPT_REQUEST,
  messagePost,
  type Outcome,
  type Reason,
  type SelfApproval,
  type SupersededBy,
  type UnknownWhy,
  type WaitsFor,
  type Watch,
} from '../approval.ts';
import { type Trouble, troubleOf } from '../failure.ts';
import type { Terms } from '../policy.ts';
import { type ShownResult, shownResult } from '../result/result.ts';
import { SHOW_AFTER_MS, triedUntil } from '../schedule.ts';
import { isUntold } from '../self-approval.ts';
import { isWithdrawn } from '../transitions.ts';
import { type OpenPlaces, placesIn, progressOf, votesFor } from '../votes.ts';
import { isOverflow, overflowCount, saysMore } from './overflow.ts';

/**
 * What the message shows: exactly one state, and everything in it that can change. Two equal states
 * are one message, so that it tells whether an update is due.
 */
export type MessageState =
  | {
      readonly name: 'waiting';
      readonly approvedBy: readonly string[];
      /** In whose place some of them approved. */
      readonly for?: NonNullable<Outcome['for']>;
      readonly needed: number;
      /** Who of those it asks is away. */
      readonly absent?: Pick<Absent, 'people' | 'groups'>;
      /** To how many further groups of people it was escalated. */
      readonly escalated?: number;
      /** Places that somebody has to fill yet. */
      readonly open?: readonly OpenPlaces[];
      readonly prompt: boolean;
      /**
       * Somebody pressed, and the service does not answer who they are: until when it is tried. Nobody is
       * named before it is known that they can decide.
       */
      readonly serviceUntil?: number;
      /** So many can approve it, which is fewer than are needed. */
      readonly able?: number;
      /** Needs that those who can approve it cannot fill. */
      readonly lacking?: readonly string[];
      /** What did not fit is not all posted yet: nobody can decide on a part of it. */
      readonly posting?: true;
      /** When the service last told, if it has stopped telling. */
      readonly staleSince?: number | null;
      /** What it does instead; absent: nothing. */
      readonly trouble?: Trouble;
      readonly unwatched?: true;
    }
  | {
      readonly name: 'held';
      readonly approvedBy: readonly string[];
      readonly for?: NonNullable<Outcome['for']>;
      /** When it is sent. */
      readonly until: number;
      /** Nothing ran when the first hold was over. */
      readonly isAgain?: true;
    }
  | UndecidedState
  | {
      readonly name: 'decided';
      readonly status: FinalStatus;
      readonly credit: 'certain' | 'sent' | 'none';
      readonly by: readonly string[];
      readonly for?: NonNullable<Outcome['for']>;
      readonly resolvedAt: string | null;
      readonly reasons?: readonly Reason[];
      readonly self?: SelfApproval;
      readonly result?: ShownResult;
      /** What was decided is in the thread. */
      readonly folded?: true;
    }
  | { readonly name: 'withdrawn'; readonly supersededBy?: SupersededBy }
  | {
      readonly name: 'unknown';
      readonly why: UnknownWhy;
      /** What the service said. */
      readonly word?: string;
      /** Whose decision was sent without a clear end. */
      readonly unconfirmed?: { readonly action: Action; readonly by: string };
    };

/**
 * A decision of somebody who can decide. unsent: nothing was sent, and until when that is tried. sending:
 * it is being sent. unconfirmed: it was sent, or may have been, and the service has not confirmed it.
 */
export type UndecidedState = { readonly action: Action; readonly by: string } & (
  | { readonly name: 'unsent'; readonly until: number; readonly waitsFor?: WaitsFor }
  | { readonly name: 'sending' }
  | { readonly name: 'unconfirmed' }
);

type StateTerms = Pick<Terms, 'route' | 'timing'>;

export function messageStateOf(approval: Approval, terms: StateTerms, now: number): MessageState {
  const { outcome, watch, decision } = approval;
  if (outcome !== undefined) {
    const result = shownResult(approval, now);
    return {
      name: 'decided',
      status: outcome.status,
      credit: outcome.credit,
      by: outcome.by,
      ...(outcome.for !== undefined && { for: outcome.for }),
      resolvedAt: outcome.resolvedAt ?? null,
      ...(outcome.reasons !== undefined && { reasons: outcome.reasons }),
      ...(outcome.self !== undefined && { self: outcome.self }),
      ...(result !== undefined && { result }),
      ...(now >= (foldsAt(approval, terms) ?? Number.POSITIVE_INFINITY) && { folded: true }),
    };
  }
  const votes = votesFor('approve', approval.ballots);
  const places = placesIn(votes);
  const approved = {
    approvedBy: votes.map(({ user }) => user),
    ...(places !== undefined && { for: places }),
  };
  const isPressShown = now >= (pressShownFrom(approval) ?? Number.POSITIVE_INFINITY);
  const isHeld = decision?.phase.name === 'hold' || !isPressShown;
  if (decision?.held !== undefined && isHeld)
    return { name: 'held', ...approved, ...decision.held };
  if (decision !== undefined && isPressShown) return undecidedState(approval, decision, terms, now);
  const { supersededBy } = approval;
  if (isWithdrawn(approval))
    return { name: 'withdrawn', ...(supersededBy !== undefined && { supersededBy }) };
  if (watch.state === 'unknown' || approval.withdrawnAt !== undefined) {
    const unconfirmed = approval.unconfirmed?.at(-1);
    return {
      name: 'unknown',
      why: watch.why ?? 'unsure',
      ...(watch.word !== undefined && { word: watch.word }),
      ...(unconfirmed !== undefined && { unconfirmed }),
    };
  }
  const { needed, needs, open } = progressOf(approval, terms.route);
  const { able } = approval.counted ?? {};
  const lacking =
    approval.counted?.lacking?.filter((each) => needs.some(({ name }) => name === each)) ?? [];
  const escalated = terms.route?.escalatedTo?.length ?? 0;
  const { people, groups } = approval.absent ?? {};
  return {
    name: 'waiting',
    ...approved,
    needed,
    ...(escalated > 0 && { escalated }),
    ...(people !== undefined && { absent: { people, ...(groups !== undefined && { groups }) } }),
    ...(open.length > 0 && { open }),
    prompt: approval.message === undefined && approval.prompt !== undefined,
    ...(decision === undefined && isPressShown && { serviceUntil: waitsUntil(approval, terms) }),
    ...(able !== undefined && able < needed && { able }),
    ...(lacking.length > 0 && { lacking }),
    ...(!isWhole(approval) && { posting: true as const }),
    ...(watch.stale === true && staleness(watch)),
    ...(watch.ended === true && { unwatched: true as const }),
  };
}

/**
 * When the message folds to its outcome: a while after that, so that the person who pressed sees the request once
 * more, and only once the reply that keeps the request is posted in its thread. undefined: it does not fold, or
 * that reply is not posted yet. A recalled message does not fold: only the message itself has the reasons.
 */
export function foldsAt(approval: Approval, { timing }: StateTerms): number | undefined {
  const { outcome, recalled, posts, stated } = approval;
  if (outcome === undefined || recalled === true) return undefined;
  if (!saysMore(approval)) return outcome.learnedAt;
  if (stated !== 'folds') return undefined;
  const isKept = posts.some(({ name, ts }) => name === KEPT_REQUEST && ts !== undefined);
  const isFirst = messagePost(approval).gone === undefined;
  return isKept && isFirst ? outcome.learnedAt + timing.foldAfterMs : undefined;
}

/** It shows this state, and nothing that was sent before can change that. */
export function withShown(approval: Approval, state: MessageState): Approval {
  const { stated = 'folds' } = approval;
  return { ...approval, shown: stateKey(state), ...(state.name === 'decided' && { stated }) };
}

/** Whether its message is posted, with all that continues it. */
export function isPosted(approval: Approval): boolean {
  return messagePost(approval).ts !== undefined && isWhole(approval);
}

function isWhole(approval: Approval): boolean {
  const posted = approval.posts.filter(({ name, ts }) => isOverflow(name) && ts !== undefined);
  return posted.length >= overflowCount(approval);
}

/**
 * From when on the message shows a press: its decision, or else that the service is waited for.
 * undefined: there is none to show.
 */
export function pressShownFrom(approval: Approval): number | undefined {
  const { decision } = approval;
  const presses = decision === undefined ? waitingClicks(approval) : [decision.asker];
  if (presses.length === 0) return undefined;
  return Math.min(...presses.map(({ at }) => at)) + SHOW_AFTER_MS;
}

function waitingClicks({ queue }: Approval): readonly Click[] {
  return queue.filter(({ waitsForService }) => waitsForService === true);
}

/** Of all who wait: the service is tried as long as for the last of them. */
function waitsUntil(approval: Approval, { timing }: StateTerms): number {
  const ends = waitingClicks(approval).map(({ at, notBefore = 0 }) =>
    triedUntil(at, notBefore, timing),
  );
  return Math.max(...ends);
}

function undecidedState(
  approval: Approval,
  { action, by, asker, phase }: Decision,
  { timing }: StateTerms,
  now: number,
): UndecidedState {
  const { name, sends } = phase;
  // A process that died while it sent leaves that behind.
  if (name === 'sending' && now < phase.attempt.mustEndBy) return { name, action, by };
  const isUnsent = (name === 'check' || name === 'send') && sends.ambiguous + sends.limited === 0;
  if (!isUnsent) return { name: 'unconfirmed', action, by };
  const { notBefore = 0, waitsFor: reason } = name === 'check' ? phase : {};
  const waitsFor = isUntold(approval) ? 'telling' : reason;
  const until = triedUntil(asker.at, notBefore, timing);
  return { name: 'unsent', action, by, until, ...(waitsFor !== undefined && { waitsFor }) };
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
