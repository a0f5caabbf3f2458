import { hash } from 'node:crypto';
import type { FinalStatus } from '../../../core/service/approval-status.ts';
import {
  type Action,
  type Approval,
  type Click,
  type Credit,
  type Decision,
  type Gone,
  isOnCourse,
  KEPT_REQUEST,
  messagePost,
  type Reason,
  type UnknownWhy,
  type WaitsFor,
  type Watch,
} from '../../approval.ts';
import type { DecidedFacts, WithdrawnFacts } from '../../decision/feature-hook.ts';
import { decidedFacts, withdrawnFacts } from '../../decision/feature-hooks.ts';
import type { Approved, GuardState } from '../../decision/guard.ts';
import { canBeUndone, guardState, heldUpBy } from '../../decision/guards.ts';
import { isWithdrawn } from '../../decision/transitions.ts';
import { unmentioned } from '../../electorate/asked.ts';
import type { BarFacts } from '../../electorate/bar.ts';
import type { WhoIsAway } from '../../electorate/clause.ts';
import { electorateOf } from '../../electorate/electorate.ts';
import { type OpenPlaces, tally } from '../../electorate/tally.ts';
import type { Terms } from '../../electorate/terms.ts';
import { giversIn, votesFor } from '../../electorate/votes.ts';
import { type Trouble, troubleOf } from '../../failure.ts';
import { SHOW_AFTER_MS, triedUntil } from '../../schedule.ts';
import { isOverflow, overflowCount, saysMore } from './overflow.ts';

/**
 * What the message shows: exactly one state, with everything in it that can change. Equal states render the same
 * message, so a different state means that an update is due.
 */
export type MessageState =
  | (Approved &
      BarFacts & {
        readonly name: 'waiting';
        readonly needed: number;
        /** Which of the people asked are away. */
        readonly absent?: WhoIsAway;
        /** Who cannot decide any more: of those it would mention or, where people are too few, of all. */
        readonly gone?: Gone;
        /** How many more groups of people it was escalated to. */
        readonly escalated?: number;
        /** Places that are still open. */
        readonly open?: readonly OpenPlaces[];
        readonly prompt: boolean;
        /**
         * Somebody pressed, and the service does not answer who they are: until when it is retried. Nobody is named
         * before they are authorized.
         */
        readonly serviceUntil?: number;
        /** How many people can approve, if fewer than needed. */
        readonly able?: number;
        /** Because the only reviewer asked for it. */
        readonly isOnlyRequester?: true;
        /** Needs that the people who can approve cannot fill. */
        readonly lacking?: readonly string[];
        /** Not all overflow replies are posted yet: nobody can decide on part of a request. */
        readonly posting?: true;
        /** When the service last answered, if it no longer does. */
        readonly staleSince?: number | null;
        /** Why not; absent: no answer at all. */
        readonly trouble?: Trouble;
        readonly unwatched?: true;
      })
  | GuardState
  | UndecidedState
  | (Credit &
      DecidedFacts & {
        readonly name: 'decided';
        readonly status: FinalStatus;
        readonly resolvedAt: string | null;
        readonly reasons?: readonly Reason[];
        /** The request is in the thread. */
        readonly folded?: true;
      })
  | (WithdrawnFacts & { readonly name: 'withdrawn' })
  | {
      readonly name: 'unknown';
      readonly why: UnknownWhy;
      /** The service's own words. */
      readonly word?: string;
      /** A decision that was sent without a clear result. */
      readonly unconfirmed?: { readonly action: Action; readonly by: string };
    };

/**
 * A decision by somebody who can decide. unsent: nothing was sent; tried until then. sending: it is being sent.
 * unconfirmed: it was sent, or may have been, and the service has not confirmed it.
 */
export type UndecidedState = { readonly action: Action; readonly by: string } & (
  | {
      readonly name: 'unsent';
      readonly until: number;
      readonly waitsFor?: WaitsFor;
      /** It can be undone until it is sent. */
      readonly canUndo?: true;
    }
  | { readonly name: 'sending' }
  | { readonly name: 'unconfirmed' }
);

type StateTerms = Pick<Terms, 'route' | 'asOf' | 'timing'>;

export function messageStateOf(approval: Approval, terms: StateTerms, now: number): MessageState {
  const { outcome, watch, decision } = approval;
  if (outcome !== undefined) {
    return {
      name: 'decided',
      status: outcome.status,
      credit: outcome.credit,
      by: outcome.by,
      ...(outcome.for !== undefined && { for: outcome.for }),
      resolvedAt: outcome.resolvedAt ?? null,
      ...(outcome.reasons !== undefined && { reasons: outcome.reasons }),
      ...(outcome.self !== undefined && { self: outcome.self }),
      ...decidedFacts(approval, now),
      ...(now >= (foldsAt(approval, terms) ?? Number.POSITIVE_INFINITY) && { folded: true }),
    };
  }
  const votes = votesFor('approve', approval.ballots);
  const approved = { approvedBy: votes.map(({ user }) => user), ...giversIn(votes) };
  const isPressShown = now >= (pressShownFrom(approval) ?? Number.POSITIVE_INFINITY);
  const isPaused = decision !== undefined && !isOnCourse(decision.phase);
  const isGuarded = isPaused || !isPressShown;
  const guard = isGuarded ? decision && guardState(decision, approved) : undefined;
  if (guard !== undefined) return guard;
  if (decision !== undefined && isPressShown) return undecidedState(approval, decision, terms, now);
  if (isWithdrawn(approval)) return { name: 'withdrawn', ...withdrawnFacts(approval) };
  if (watch.state === 'unknown' || approval.withdrawnAt !== undefined) {
    const unconfirmed = approval.unconfirmed?.at(-1);
    return {
      name: 'unknown',
      why: watch.why ?? 'unsure',
      ...(watch.word !== undefined && { word: watch.word }),
      ...(unconfirmed !== undefined && { unconfirmed }),
    };
  }
  const electorate = electorateOf(approval, terms);
  const { needed, open } = tally(electorate, approval.ballots);
  const { able, isOnlyRequester, needs: lacking } = electorate.lacking;
  const escalated = electorate.begun.length;
  const { away: people, membersOf: groups, bar } = electorate;
  const isShort = able !== undefined || lacking.length > 0 || terms.route === undefined;
  const gone = isShort ? electorate.gone : unmentioned(approval, electorate);
  return {
    name: 'waiting',
    ...approved,
    needed,
    ...(escalated > 0 && { escalated }),
    ...(people.length > 0 && {
      absent: { people, ...(Object.keys(groups).length > 0 && { groups }) },
    }),
    ...(gone !== undefined && Object.keys(gone).length > 0 && { gone }),
    ...(open.length > 0 && { open }),
    ...bar?.facts,
    prompt: approval.message === undefined && approval.prompt !== undefined,
    ...(decision === undefined && isPressShown && { serviceUntil: waitsUntil(approval, terms) }),
    ...(able !== undefined && able < needed && { able }),
    ...(isOnlyRequester && { isOnlyRequester }),
    ...(lacking.length > 0 && { lacking }),
    ...(!isWhole(approval) && { posting: true as const }),
    ...(watch.stale === true && staleness(watch)),
    ...(watch.ended === true && { unwatched: true as const }),
  };
}

/**
 * When the message folds to its outcome: a while later, so that the person who pressed still sees the request, and only
 * after the reply that keeps the request is posted. undefined: it does not fold, or that reply is missing. A recalled
 * message does not fold: only it has the reasons.
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

/** The message shows this state, and no earlier call can change that. */
export function withShown(approval: Approval, state: MessageState): Approval {
  const { stated = 'folds' } = approval;
  return { ...approval, shown: stateKey(state), ...(state.name === 'decided' && { stated }) };
}

/** Whether the message and its overflow replies are posted. */
export function isPosted(approval: Approval): boolean {
  return messagePost(approval).ts !== undefined && isWhole(approval);
}

function isWhole(approval: Approval): boolean {
  const posted = approval.posts.filter(({ name, ts }) => isOverflow(name) && ts !== undefined);
  return posted.length >= overflowCount(approval);
}

/**
 * When the message starts to show a press: its decision, or that it is waiting for the service. undefined: there is
 * none to show.
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

/** Until when the service is retried for the last of the waiting presses. */
function waitsUntil(approval: Approval, { timing }: StateTerms): number {
  const ends = waitingClicks(approval).map(({ at, notBefore = 0 }) =>
    triedUntil(at, notBefore, timing),
  );
  return Math.max(...ends);
}

function undecidedState(
  approval: Approval,
  decision: Decision,
  { timing }: StateTerms,
  now: number,
): UndecidedState {
  const { action, by, at, asker, phase } = decision;
  const { name, sends } = phase;
  // An expired attempt was left by a process that died.
  if (name === 'sending' && now < phase.attempt.mustEndBy) return { name, action, by };
  const isUnsent = (name === 'check' || name === 'send') && sends.ambiguous + sends.limited === 0;
  if (!isUnsent) return { name: 'unconfirmed', action, by };
  const { notBefore = 0, waitsFor: reason } = name === 'check' ? phase : {};
  const heldUp = heldUpBy(approval);
  const waitsFor = heldUp ?? reason;
  // What holds it up is tried from the decision on.
  const since = heldUp === undefined ? asker.at : at;
  const until = triedUntil(since, heldUp === undefined ? notBefore : 0, timing);
  return {
    name: 'unsent',
    action,
    by,
    until,
    ...(waitsFor !== undefined && { waitsFor }),
    ...(action === 'approve' && canBeUndone(decision) && { canUndo: true as const }),
  };
}

function staleness({ checkedAt, failure }: Watch) {
  const trouble = troubleOf(failure);
  return { staleSince: checkedAt ?? null, ...(trouble.why !== 'silent' && { trouble }) };
}

/** A short key, because each approval stores one; unique among the states of one message. */
export function stateKey(state: MessageState): string {
  const text = JSON.stringify(state);
  const known = KEYS.get(text);
  if (known !== undefined) return known;
  const key = hash('sha256', text, 'base64url').slice(0, 8);
  if (KEYS.size === KEYS_MAX) KEYS.clear();
  KEYS.set(text, key);
  return key;
}

/** Cached by state: most approvals are in the same one, and every poll needs its key. */
const KEYS = new Map<string, string>();
const KEYS_MAX = 1_000;
