import { hash } from 'node:crypto';
import type { Applied } from '../../core/engine/flow.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { Post } from '../../core/posts/post.ts';
import type { FinalStatus } from '../../core/service/approval-status.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import {
  type Approval,
  type Asker,
  type Ballot,
  type Click,
  type Credit,
  type Decision,
  isOwnGate,
  messagePost,
  type Outcome,
  type Reason,
  type Reply,
  type SentenceKind,
  STATUS_OF,
  type Unconfirmed,
  type UnknownWhy,
  type Watch,
  withPost,
} from '../approval.ts';
import { digestOf } from '../digest.ts';
import { electorateOf } from '../electorate/electorate.ts';
import { tally } from '../electorate/tally.ts';
import type { RouteTerms } from '../electorate/terms.ts';
import { approvalsOf, byGiver, giversIn, slackIdsOf, votersFor } from '../electorate/votes.ts';
import { troubleOf } from '../failure.ts';
import { withEvent } from '../history.ts';
import { quietFrom } from '../schedule.ts';
import { canBeUndone, guardCredit } from './guards.ts';
import type { Statement, Unsent } from './statement.ts';

/** Transitions of an approval that several rules share. All are pure. */

/** Adds a reply to a person, `via` or the nearest way to reach them. */
export function owe(
  approval: Approval,
  asker: Asker,
  about: SentenceKind,
  statement: Statement,
  via: Reply['via'] = viaOf(asker),
): Approval {
  const { user, channel, at, responseUrl, direct } = asker;
  const whom = {
    ...{ user, channel, at },
    ...(responseUrl !== undefined && { responseUrl }),
    ...(direct === true && { direct }),
  };
  const { owed = [] } = approval;
  return { ...approval, owed: [...owed, { ...whom, about, statement, via }] };
}

function viaOf({ direct, responseUrl }: Asker): Reply['via'] {
  if (direct === true) return 'direct';
  return responseUrl === undefined ? 'ephemeral' : 'url';
}

/**
 * Ends the decision without an outcome: its ballots are spent, so that a later click is new. `statement` is for the
 * author of the decision. `spent` is for the others whose ballots counted: a direct message, because they may have left Slack,
 * and an ephemeral one would be gone when they return.
 */
export function closeDecision(
  approval: Approval,
  statement: Statement,
  spent?: Statement,
): Approval {
  const { decision, ...rest } = approval;
  if (decision === undefined) return approval;
  const { action, by, at } = decision;
  const { channel } = approval;
  const forOthers = spent ?? ({ code: 'spent', action } as const);
  const ballots = approval.ballots.filter((ballot) => ballot.action !== action);
  const others = votersFor(action, approval.ballots).filter((user) => user !== by);
  const told = owe({ ...rest, ballots }, decision.asker, 'closed', statement);
  return others.reduce(
    (owing, user) => owe(owing, { user, channel, at }, 'spent', forOthers, 'direct'),
    told,
  );
}

/**
 * Takes back somebody's approval, even if it is not authorized yet. If it is part of a decision in progress, only once
 * that fails: the request is noted.
 */
export function takenBack(
  approval: Approval,
  asker: Asker,
  terms: RouteTerms,
  about: SentenceKind,
): Applied<Approval> {
  const { outcome, decision, unconfirmed, queue } = approval;
  const told = (statement: Statement) => ({ data: owe(approval, asker, 'state', statement) });
  if (outcome !== undefined || isWithdrawn(approval)) return told(presentState(approval));
  const own = approvalsOf(approval, asker.user);
  const ids = [asker.user, ...own.flatMap(slackIdsOf)];
  const isPress = ({ user, action }: Click) => ids.includes(user) && action === 'approve';
  const rest = { ...approval, queue: queue.filter((click) => !isPress(click)) };
  // Every press gets an answer, including those of the person's other accounts.
  const pressed = queue.filter(isPress);
  const answered = (data: Approval, about: SentenceKind, statement: Statement) =>
    [...pressed, asker].reduce(
      (owing, each) => owe(owing, each, each === asker ? about : 'state', statement),
      data,
    );
  /** The decision that uses their approval. */
  const theirs = decision?.action === 'approve' && own.length > 0 ? decision : undefined;
  if (theirs !== undefined) {
    // They get it back if the decision fails.
    const takers = [...(theirs.takers ?? []).filter(({ user }) => user !== asker.user), asker];
    const noted = { decision: { ...theirs, takers } };
    if (!canBeUndone(theirs)) {
      return { data: answered({ ...rest, ...noted }, 'state', { code: 'deciding' }) };
    }
    if (theirs.phase.name === 'settle' || isUnconfirmed(theirs)) {
      return { data: owe({ ...approval, ...noted }, asker, 'state', { code: 'too-late' }) };
    }
  }
  if (own.length === 0 && !queue.some(isPress)) {
    const isSent = unconfirmed?.some(({ action }) => action === 'approve');
    return told({ code: isSent ? 'sent-already' : 'nothing-to-take-back' });
  }
  const taken = {
    ballots: approval.ballots.filter((ballot) => !own.includes(ballot)),
    ...withoutProgress(approval, asker),
  };
  const { decision: _, ...without } = rest;
  const left = theirs ? reopened({ ...without, ...taken }, asker) : { ...rest, ...taken };
  const progress = tally(electorateOf(left, terms), left.ballots);
  const undone = { code: 'undone', by: asker.user, progress } as const;
  const isOthers = theirs !== undefined && !ids.includes(theirs.by);
  const heard = isOthers ? owe(left, theirs.asker, 'closed', undone) : left;
  const data = theirs && progress.isEnough ? toldToPress(heard, theirs, undone, asker.at) : heard;
  const facts: NewAuditEntry['facts'] = theirs ? { undone: theirs.by } : {};
  const entry = { action: 'approvals.taken-back', record: null, actor: asker.user, facts };
  // It was only in the queue.
  const isDeciding = left.decision !== undefined;
  const statement = { code: 'taken-back', progress, isDeciding } as const;
  return { data: answered(data, about, statement), audit: [entry] };
}

/** Each of the others could send it now, and had read that it would be sent. */
export function toldToPress(
  approval: Approval,
  { by }: Decision,
  statement: Statement,
  at: number,
): Approval {
  const { channel } = approval;
  return votersFor('approve', approval.ballots)
    .filter((user) => user !== by)
    .reduce(
      (owing, user) => owe(owing, { user, channel, at }, 'closed', statement, 'direct'),
      approval,
    );
}

/** A pending reply that their ballot counted is dropped. */
function withoutProgress({ replies, owed = [] }: Approval, asker: Asker) {
  const stays = ({ user, about }: Pick<Reply, 'user' | 'about'>) =>
    user !== asker.user || about !== 'progress';
  return { replies: replies.filter(stays), owed: owed.filter(stays) };
}

/** After an Undo. Approvals that others gave before it, and that were not authorized yet, do not count either. */
function reopened(approval: Approval, { user, at }: Asker): Approval {
  const isEarlier = ({ action }: Click) => action === 'approve';
  const { queue } = approval;
  const next = { ...approval, queue: queue.filter((click) => !isEarlier(click)) };
  return withNewRound(queue.filter(isEarlier).reduce(turnedAway, next), [user, at]);
}

/** In why of the history. */
export const REOPENED_SINCE = 'reopened';

/** The request was opened again after this press. */
export function turnedAway(approval: Approval, asker: Asker): Approval {
  const event = { kind: 'not-counted', by: asker.user, why: REOPENED_SINCE } as const;
  return withEvent(owe(approval, asker, 'reopened', { code: 'reopened' }), event, asker.at);
}

/** The request is opened again: presses on what the message showed before do not count. `why` tells rounds apart. */
export function withNewRound(
  approval: Approval,
  why: readonly (string | number)[],
): Omit<Approval, 'shown'> {
  const { shown, round = '', ...rest } = approval;
  return { ...rest, round: hash('sha256', JSON.stringify([round, ...why]), 'hex').slice(0, 10) };
}

/** Whether this decision may have been accepted without confirmation. */
export function isUnconfirmed({ phase }: Decision): boolean {
  if (phase.name === 'sending' || phase.sends.ambiguous > 0) return true;
  return phase.name === 'settle' && phase.failure.class !== 'refused';
}

/** Its source withdrew it, and no earlier decision can become its outcome: nothing changes any more. */
export function isWithdrawn(approval: Approval): boolean {
  const { withdrawnAt, decision, unconfirmed = [], watch } = approval;
  if (withdrawnAt === undefined || decision !== undefined) return false;
  if (approval.unrecalled === true && mayStand(messagePost(approval))) return false;
  if (unconfirmed.length === 0) return true;
  return watch.state === 'pending' && (watch.checkedAt ?? 0) >= quietFrom(unconfirmed);
}

/** Posted, or possibly: includes one the store may have lost, until it was searched for. */
function mayStand({ ts, attempt, soughtAt }: Post): boolean {
  return ts !== undefined || attempt !== undefined || soughtAt === undefined;
}

/**
 * The service no longer reports the state of the gate; a decision in progress ends. `note`: why it was not sent
 * again; `word`: what the service said.
 */
export function markUnknown(
  approval: Approval,
  why: UnknownWhy,
  timing: Timing,
  now: number,
  told: { readonly note?: Unsent | undefined; readonly word?: string | undefined } = {},
): Approval {
  const { decision } = approval;
  const { word } = told;
  if (decision === undefined) return becomeUnknown(approval, why, now, word);
  if (!isUnconfirmed(decision)) {
    const { name, sends } = decision.phase;
    // One that was refused was sent.
    const isUnsent = name !== 'settle' && sends.limited === 0;
    const note: Unsent | undefined = isUnsent
      ? { why: 'not-sent', action: decision.action }
      : undefined;
    return becomeUnknown(
      closeDecision(approval, { code: 'unknown', why, word, note }),
      why,
      now,
      word,
    );
  }
  const used = approval.ballots.filter(({ action }) => action === decision.action);
  const { [decision.by]: giver } = giversIn(used).for ?? {};
  const sent: Unconfirmed = {
    action: decision.action,
    by: decision.by,
    ...(giver !== undefined && { for: giver }),
    quietAt: quietAtOf(decision, timing),
  };
  const others = (approval.unconfirmed ?? []).filter(
    ({ action, by }) => action !== sent.action || by !== sent.by,
  );
  const noted = { ...approval, unconfirmed: [...others, sent] };
  const { action } = decision;
  const closed = closeDecision(
    noted,
    { code: 'unknown', why, sent: action, ...told },
    { code: 'spent', action, unsure: true },
  );
  const unknown = becomeUnknown(closed, why, now, word);
  if (approval.withdrawnAt === undefined) return unknown;
  // Nobody can decide it again: read the decision's effect as soon as it is certain.
  const nextAt = Math.min(unknown.watch.nextAt, sent.quietAt);
  return { ...unknown, watch: { ...unknown.watch, nextAt } };
}

/** When the decision's last call can no longer be in flight. */
function quietAtOf({ phase }: Decision, { quietMs }: Timing): number {
  if (phase.name === 'sending') return phase.attempt.mustEndBy + quietMs;
  return phase.name === 'settle' ? phase.mustEndBy + quietMs : 0;
}

/** The state at the service is not known. Polling continues; people can press Check now. */
function becomeUnknown(
  approval: Approval,
  why: UnknownWhy,
  now: number,
  unknown: string | undefined,
): Approval {
  const told = replyToAll(approval, { code: 'unknown', why, word: unknown });
  const { tries, failure, stale, word: _, ...watch } = told.watch;
  const noted = unknown === undefined ? {} : { word: unknown };
  // Without the token the service was not asked.
  const checked = why === 'sealed' ? {} : { checkedAt: now };
  return { ...told, watch: { ...watch, state: 'unknown', why, ...noted, ...checked } };
}

/** The service says that the gate is open. */
export function becomePending(approval: Approval, now: number): Approval {
  const { tries, failure, why, word, stale, ...watch } = approval.watch;
  const pending: Approval = { ...approval, watch: { ...watch, state: 'pending', checkedAt: now } };
  if (approval.withdrawnAt === undefined) return replyToAll(pending, { code: 'waiting' });
  // A decision may still become its outcome: people who asked wait for that.
  return toldWithdrawn(pending);
}

/** The last known state, for people who asked. */
export function presentState(approval: Approval): Statement {
  const { outcome } = approval;
  if (outcome !== undefined) return { code: 'outcome', outcome };
  if (isWithdrawn(approval)) return { code: 'withdrawn-state' };
  const { state, why = 'unsure', word, stale, failure, ended } = approval.watch;
  if (state === 'unknown') return { code: 'unknown', why, word };
  if (stale !== true) return { code: 'waiting' };
  return { code: 'trouble', trouble: troubleOf(failure), goesOn: ended !== true };
}

/** Those who wait for the next read, with this person. */
export function withAsker({ askers = [] }: Watch, asker: Asker): readonly Asker[] {
  return [...askers.filter(({ user }) => user !== asker.user), asker];
}

/** Tells people who pressed Check now, once it is certain that it was withdrawn. */
export function toldWithdrawn(approval: Approval): Approval {
  return isWithdrawn(approval) ? replyToAll(approval, { code: 'withdrawn-state' }) : approval;
}

interface Learned {
  readonly status: FinalStatus;
  readonly resolvedAt: string | null;
  /**
   * confirmed: our call's own response. lost: our call's response was lost, then the status was read. refused: our call
   * was refused, or there was none.
   */
  readonly how: 'confirmed' | 'lost' | 'refused';
  /** The decision that our call sent, and this is its status; absent: the present one. */
  readonly sent?: Sent;
  /** Who decided, if known otherwise. */
  readonly credited?: Credit;
}

/** A decision as it was sent, with the ballots of that time. */
export interface Sent {
  readonly decision: Decision;
  readonly ballots: readonly Ballot[];
}

/** The service's final status. Everybody waiting is told. */
export function learnOutcome(approval: Approval, learned: Learned, now: number): Applied<Approval> {
  if (approval.outcome !== undefined) return { data: approval };
  const { decision, queue, acts, watch: seen, ...rest } = approval;
  // The store may have lost what was sent, and have an earlier decision.
  const made = { ...approval, ...learned.sent };
  const { stale, failure, tries, why, word, ...watch } = seen;
  const outcome: Outcome = {
    status: learned.status,
    ...(learned.resolvedAt !== null && { resolvedAt: learned.resolvedAt }),
    ...(learned.credited ?? creditFor(made, learned)),
    learnedAt: now,
    ...(seen.state === 'pending' && seen.checkedAt !== undefined && { openAt: seen.checkedAt }),
  };
  const credited = made.ballots.filter(
    ({ user, action }) => outcome.by.includes(user) && STATUS_OF[action] === outcome.status,
  );
  const reasons = reasonsIn(credited);
  let data: Approval = {
    ...rest,
    queue: [],
    outcome: reasons.length > 0 ? { ...outcome, reasons } : outcome,
    watch: { ...watch, state: 'pending', checkedAt: now },
  };
  const isTheirs = ({ by, action }: Decision) =>
    outcome.credit === 'certain' && repeats({ user: by, action }, outcome);
  if (decision !== undefined && !isTheirs(decision)) {
    const { asker, action } = decision;
    data = owe(data, asker, 'late', { code: 'decided', outcome, action });
  }
  for (const click of queue) {
    if (!repeats(click, outcome))
      data = owe(data, click, 'late', { code: 'decided', outcome, action: click.action });
  }
  data = reviveMessage(replyToAll(data, { code: 'outcome', outcome }));
  return {
    data,
    audit: [
      outcomeEntry(data, outcome, made.decision),
      ...selfApprovalEntries(rest.route, outcome),
    ],
  };
}

/** A repeated press by somebody whose decision was accepted: the message already says so. */
export function repeats(
  click: { readonly user: string; readonly action: 'approve' | 'reject' },
  outcome: Outcome,
): boolean {
  return STATUS_OF[click.action] === outcome.status && outcome.by.includes(click.user);
}

function creditFor(approval: Approval, { status, how }: Learned): Credit {
  const { decision } = approval;
  const asked = decision !== undefined && STATUS_OF[decision.action] === status;
  if (asked && how !== 'refused') {
    const { approvers = votersFor(decision.action, approval.ballots) } = decision;
    const voters = new Set([...approvers, decision.by]);
    const by = [...voters];
    const { action } = decision;
    const used = approval.ballots.filter((each) => each.action === action && voters.has(each.user));
    const credit = how === 'confirmed' ? 'certain' : 'sent';
    return { credit, by, ...guardCredit(approval), ...giversIn(used) };
  }
  const isIt = ({ action }: Unconfirmed) => STATUS_OF[action] === status;
  const unconfirmed = approval.unconfirmed?.filter(isIt) ?? [];
  if (unconfirmed.length === 0) return { credit: 'none', by: [] };
  return {
    credit: 'sent',
    by: [...new Set(unconfirmed.map(({ by }) => by))],
    ...byGiver(unconfirmed.map(({ by, for: giver }) => [by, giver])),
  };
}

/** The reasons given with the credited ballots. */
function reasonsIn(ballots: readonly Ballot[]): Reason[] {
  return ballots.flatMap(({ user, reason }) =>
    reason === undefined ? [] : [{ user, text: reason }],
  );
}

/** A deleted message is given up after a while, but posted again to state the outcome. */
function reviveMessage(approval: Approval): Approval {
  const { failed, notBefore, tries, ...post } = messagePost(approval);
  return failed === undefined ? approval : withPost(approval, post);
}

/** Answers people who pressed Check now. */
function replyToAll(approval: Approval, statement: Statement): Approval {
  const { askers, ...watch } = approval.watch;
  if (askers === undefined) return approval;
  return askers.reduce((told, asker) => owe(told, asker, 'state', statement), {
    ...approval,
    watch,
  });
}

function outcomeEntry(
  approval: Approval,
  outcome: Outcome,
  decision: Decision | undefined,
): NewAuditEntry {
  const { route, createdAt } = approval;
  return {
    action: 'approvals.outcome',
    record: null,
    actor: outcome.by.join(',') || 'gatepost',
    facts: {
      route,
      tookMs: Math.max(0, outcome.learnedAt - createdAt),
      status: outcome.status,
      credit: outcome.credit,
      resolvedAt: outcome.resolvedAt ?? null,
      // Of what was decided, as the message showed it.
      digest: digestOf(approval),
      // By which its people were authorized.
      ...(outcome.credit !== 'none' && decision?.rules !== undefined && { rules: decision.rules }),
      // Otherwise the service is the authority.
      ...(isOwnGate(approval) && { authority: 'gatepost' }),
    },
  };
}

/** Extra entries, so that self-approvals can be listed: `gatepost audit list --kind self-approval`. */
function selfApprovalEntries(route: string, { self }: Outcome): NewAuditEntry[] {
  if (self === undefined) return [];
  const actor = self.by;
  return [{ action: 'approvals.self-approval', record: null, actor, facts: { route } }];
}
