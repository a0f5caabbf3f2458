import { callResult } from '../../core/engine/call-result.ts';
import { type Due, firstReady } from '../../core/engine/first-due.ts';
import type { Applied } from '../../core/engine/flow.ts';
import { type FailureFacts, isRefused } from '../../core/lib/failure.ts';
import { redact } from '../../core/lib/redact.ts';
import type { Timing } from '../../core/lib/timing.ts';
import { FINAL_STATUSES } from '../../core/service/approval-status.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import { type ApprovalAlert, slackAlert } from '../alert.ts';
import { type Approval, type Ballot, type Click, isOnCourse, NO_SENDS } from '../approval.ts';
import { type Asking, beginAsking } from '../electorate/asking.ts';
import type { Authorization, RefusalCode, Unchecked } from '../electorate/authorization.ts';
import { type Electorate, electorateOf } from '../electorate/electorate.ts';
import { withLinked } from '../electorate/requester.ts';
import { routeTerms } from '../electorate/route-for.ts';
import { authorizeAgain, authorizePress } from '../electorate/stand-ins.ts';
import { approversOf, isHelping, tally } from '../electorate/tally.ts';
import type { Terms } from '../electorate/terms.ts';
import { NAMED } from '../electorate/through.ts';
import { isOne, isSamePerson } from '../electorate/votes.ts';
import { isOutage, isSealed, openIn } from '../failure.ts';
import { checkedNext, FIRST_READ_MS, nextTryAt, quietFrom } from '../schedule.ts';
import type { ApprovalCore, ApprovalStep } from './approval-core.ts';
import { authorityOf, type StatusRead } from './authority.ts';
import { barFor } from './bars.ts';
import { guarded, meanwhile } from './guards.ts';
import type { ReadStatus } from './read-status.ts';
import {
  applyReauthorized,
  asFound,
  isReauthorization,
  missingFor,
  type Others,
  othersOf,
  recheckBallots,
  recheckClick,
  rulesIn,
  uncheckedCode,
  withGuardKept,
} from './reauthorize.ts';
import type { Statement } from './statement.ts';
import { owe } from './transitions.ts';

/** Authorize the person who clicked: several look-ups at once. */
export interface Authorize {
  readonly kind: 'authorize';
  readonly click: Click;
  /** Earlier approvers who would decide together with them, and are authorized again. */
  readonly others?: readonly string[];
  /** Their ballot would decide: the status is read in parallel to save time. */
  readonly look?: Pick<ReadStatus, 'deadlineMs' | 'plannedAt'>;
}

/** `rules`: digest of the rules that were applied. */
type Authorized = Authorization & { readonly beside?: Beside; readonly rules?: string | undefined };

/** What was read along with an authorization. */
export interface Beside {
  readonly others: Others;
  readonly look?: StatusRead | undefined;
}

/** Clicks are authorized one at a time, and not while a decision is in progress, unless a guard holds that up. */
export function dueClick(approval: Approval, terms: Terms, now: number): Due<Authorize> {
  const { queue, decision } = approval;
  if (decision !== undefined && isOnCourse(decision.phase)) return null;
  const click = firstReady(rejectionsFirst(queue), now);
  if (click === null || typeof click === 'number') return click;
  if (click.reviews === true) return { kind: 'authorize', click };
  const others = othersOf(approval, click);
  // Needs are counted again later: somebody may have joined a group.
  const { needed } = electorateOf(approval, terms);
  const decides = click.action === 'reject' || others.length + 1 >= needed;
  if (!decides) return { kind: 'authorize', click };
  const look = { deadlineMs: FIRST_READ_MS, plannedAt: now };
  return {
    kind: 'authorize',
    click,
    others,
    // A decision that has to wait reads the status when it continues.
    ...(quietFrom(approval.unconfirmed ?? []) <= now && { look }),
  };
}

/** A person's approval waits for their rejection, older or newer: what closes the gate is never held back by it. */
function rejectionsFirst(queue: readonly Click[]): readonly Click[] {
  const isRejected = ({ user }: Click) =>
    queue.some((each) => each.user === user && each.action === 'reject');
  return queue.filter((click) => click.action === 'reject' || !isRejected(click));
}

/** A delayed decision is authorized again before it is sent. */
export function dueReauthorization(approval: Approval, terms: Terms, now: number): Due<Authorize> {
  const { timing } = terms;
  const { decision } = approval;
  if (decision === undefined) return null;
  const { phase } = decision;
  if (phase.name === 'check' && now < phase.notBefore) return phase.notBefore;
  const click = recheckClick(decision, terms, now);
  if (click === undefined) return null;
  const isFirst = phase.name === 'check' && phase.tries === 0;
  const look = { deadlineMs: isFirst ? FIRST_READ_MS : timing.stepMs, plannedAt: now };
  return { kind: 'authorize', click, others: othersOf(approval, click), look };
}

export const authorize: ApprovalStep<Authorize, Authorized> = {
  /** Everybody and the status in parallel, all read after the click. */
  async execute(core, _id, approval, { click, others = [], look: looking }) {
    const terms = routeTerms(core, approval);
    const electorate = electorateOf(withLinked(approval, core.config), terms);
    const isFirst = click.tries === undefined && !isReauthorization(approval.decision, click);
    const asking = beginAsking(core, isFirst ? FIRST_READ_MS : undefined);
    const { ballots } = approval;
    const again = others.map(async (user) => {
      return [
        user,
        await authorizeAgain(core, electorate, { ballots, user, asking, action: 'approve' }),
      ] as const;
    });
    const [found, look, ...authorized] = await Promise.all([
      callResult(authorizeClick(core, electorate, approval, click, asking)),
      looking && authorityOf(core, approval).read(approval, { ...looking, isPoll: false }),
      ...again,
    ]);
    const rules = rulesIn(terms.route);
    if (authorized.length === 0 && look === undefined) return { ...found, rules };
    return { ...found, rules, beside: { others: Object.fromEntries(authorized), look } };
  },

  apply(approval, { click }, result, terms, now) {
    const { decision } = approval;
    if (isReauthorization(decision, click)) {
      return applyReauthorized(approval, decision, result, terms, now);
    }
    const waiting = approval.queue.find((each) => each.id === click.id);
    // Already answered: the outcome is known, or another worker authorized it.
    if (waiting === undefined) return { data: approval };
    if (result.kind === 'failed') {
      return { data: tryLater(approval, waiting, result, terms.timing, now) };
    }
    const rest = { ...approval, queue: approval.queue.filter((each) => each !== waiting) };
    if (waiting.reviews === true) return applyReview(rest, waiting, result, now);
    if (result.kind === 'not-allowed') {
      const statement = { code: 'refused', why: result.code } as const;
      const data = owe(upToDate(rest, result.code), waiting, 'refusal', statement);
      return { data, audit: [entry(waiting, { refused: result.code })] };
    }
    const bar = waiting.action === 'approve' ? barFor(approval, result, terms) : undefined;
    if (bar !== undefined) {
      const data = owe(rest, waiting, 'refusal', { code: 'barred', bar });
      return { data, audit: [entry(waiting, { refused: bar.code })] };
    }
    const { user, action, at, direct } = waiting;
    const isBefore = (each: Ballot) => each.user === user && each.for?.user === result.for?.user;
    const { through } = approval.ballots.find(isBefore) ?? {};
    const cast: Ballot = {
      user,
      action,
      at,
      ...(through !== undefined && { through }),
      ...(direct === true && { atHome: direct }),
      ...(result.reason !== undefined && { reason: result.reason }),
    };
    const ballot = asFound(cast, result);
    const others = recheckBallots(rest, result.beside?.others ?? {}, terms, now);
    const counted = { ...others.data, ballots: withBallot(others.data, ballot) };
    const all = { ...result.beside?.others, [ballot.user]: result };
    const failed = missingFor(counted, ballot.action, all, others.failed, terms);
    if (failed !== undefined) {
      const queued = { ...others.data, queue: approval.queue };
      const data = tryLater(queued, waiting, failed, terms.timing, now);
      return { data, audit: others.audit };
    }
    const { dropped } = others;
    const data = count(others.data, ballot, waiting, { dropped, rules: result.rules }, terms, now);
    const place = result.for === undefined ? {} : { for: result.for.user };
    const entitled = { through: ballot.through?.join(',') ?? NAMED };
    const serviceUser = result.serviceUser ?? null;
    const accepted = entry(waiting, { serviceUser, ...place, ...entitled });
    return { data, audit: [...others.audit, accepted] };
  },

  alerts(before, { click }, result) {
    const others = Object.entries(result.beside?.others ?? {});
    const all: readonly (readonly [string, Authorization])[] = [[click.user, result], ...others];
    return all.flatMap(([user, found]) => alertsOf(before, user, found));
  },
};

/** A reviewer reviewed what its requester approved; anybody else is told why it does not count. */
function applyReview(
  approval: Approval,
  { user, ...click }: Click,
  result: Exclude<Authorized, Unchecked>,
  now: number,
): Applied<Approval> {
  const { outcome } = approval;
  const told = (statement: Statement) => ({
    data: owe(approval, { ...click, user }, 'refusal', statement),
  });
  if (outcome?.self === undefined) return { data: approval };
  const { by, reviewed } = outcome.self;
  if (user === by) return told({ code: 'own-review' });
  if (result.kind === 'not-allowed') {
    return told({ code: result.code === 'requester' ? 'own-review' : 'no-review' });
  }
  if (reviewed !== undefined) return told({ code: 'reviewed', by: reviewed.by });
  const self = { ...outcome.self, reviewed: { by: user, at: now } };
  return {
    data: { ...approval, outcome: { ...outcome, self } },
    audit: [
      {
        action: 'approvals.self-approval.reviewed',
        record: null,
        actor: user,
        facts: { of: by, route: approval.route },
      },
    ],
  };
}

/** Opens the reason only for somebody who can decide, and redacts the token in it. */
async function authorizeClick(
  core: ApprovalCore,
  electorate: Electorate,
  approval: Approval,
  click: Click,
  asking: Asking,
): Promise<Authorization> {
  const { user, action } = click;
  const press = { ballots: approval.ballots, user, asking, action };
  // A decision that is authorized again already has its reason.
  if (isReauthorization(approval.decision, click)) {
    return authorizeAgain(core, electorate, press);
  }
  if (click.reviews === true) {
    // Requesters cannot review their own request, whatever the route says by now.
    const strict = { ...electorate, selfApproval: false } as const;
    return authorizePress(core, strict, press);
  }
  const result = await authorizePress(core, electorate, press);
  if (result.kind !== 'accepted') return result;
  if (click.reason === undefined) {
    const isMissing = electorate.route?.reason[click.action] === 'required';
    return isMissing || result.self === true
      ? { kind: 'not-allowed', code: 'reason-missing' }
      : result;
  }
  const reason = openIn(core.box, click.reason, 'reason');
  if (approval.token === undefined) return { ...result, reason };
  return { ...result, reason: redact(reason, [openIn(core.box, approval.token, 'token')]) };
}

/**
 * The status that was read along with an authorization, as a step of its own. `counts`: a final status always does. Any
 * other counts only if the decision was made and everybody was authorized.
 */
export function statusBeside(
  { look: looking }: Authorize,
  result: { readonly kind: string; readonly beside?: Beside },
  authorized: Approval,
):
  | {
      readonly step: ReadStatus;
      readonly result: StatusRead;
      readonly counts: boolean;
      readonly isFinal: boolean;
    }
  | undefined {
  const { look, others = {} } = result.beside ?? {};
  if (looking === undefined || look === undefined) return undefined;
  const isFinal = look.kind === 'status' && FINAL.has(look.answer.status);
  const isDecided = authorized.decision !== undefined && result.kind === 'accepted';
  const isKnown = Object.values(others).every(({ kind }) => kind !== 'failed');
  const step = { kind: 'read-status', why: 'decide', ...looking } as const;
  return { step, result: look, counts: isFinal || (isDecided && isKnown), isFinal };
}

const FINAL: ReadonlySet<string> = new Set(FINAL_STATUSES);

/** A button that did not ask for a required reason comes from an older configuration: the message is rendered again. */
function upToDate(approval: Approval, refused: RefusalCode): Approval {
  const { shown, ...rest } = approval;
  return refused === 'reason-missing' ? rest : approval;
}

/** A person's latest ballot counts; one rejection decides, or enough approvals. */
function count(
  approval: Approval,
  ballot: Ballot,
  click: Click,
  { dropped, rules }: { readonly dropped: readonly string[]; readonly rules: string | undefined },
  terms: Terms,
  now: number,
): Approval {
  const counted = { ...approval, ballots: withBallot(approval, ballot) };
  const { decision: held } = approval;
  const electorate = electorateOf(counted, terms);
  const progress = tally(electorate, counted.ballots);
  const own = approval.ballots.filter(
    (each) => each.action === 'approve' && isSamePerson(each, ballot),
  );
  // A third account can show that two approvals are one person's: then they count as one, and the decision may end.
  const isJoined = own.length > 1;
  if (held !== undefined && ballot.action === 'approve' && (progress.isEnough || !isJoined)) {
    // The requester's own approval is not needed, or was already announced to the others. Nobody's counts twice, and a
    // second account takes no place from the first.
    const isOver = ballot.self === true || own.length > 0;
    const told = isOver && !isJoined ? approval : counted;
    return owe(told, click, 'state', meanwhile(held, !isOver, now));
  }
  if (ballot.action === 'approve' && !progress.isEnough) {
    const facts = {
      progress,
      ...(ballot.for !== undefined && { giver: ballot.for.user }),
      ...(dropped.length > 0 && { tooFew: { why: 'dropped' as const, users: dropped } }),
    };
    const before = approval.ballots.find((each) => isOne(each, ballot));
    const statement: Statement = before
      ? { code: 'approved-already', as: before.user, user: ballot.user, ...facts }
      : { code: 'progress', isHelping: isHelping(electorate, counted.ballots, ballot), ...facts };
    return owe(withGuardKept(counted, dropped, terms), click, 'progress', statement);
  }
  // A person who changes their own mind need not be told.
  const isOthers = held !== undefined && !isOne({ user: held.by }, ballot);
  const told = isOthers
    ? owe(counted, held.asker, 'closed', { code: 'stopped', by: ballot.user })
    : counted;
  const { id, action, reason, tries, notBefore, waitsForService, ...asker } = click;
  const guard = ballot.action === 'approve' ? guarded(approval, terms, now) : undefined;
  const approvers = approversOf(electorate, counted.ballots, ballot);
  return {
    ...told,
    decision: {
      action: ballot.action,
      by: ballot.user,
      ...(approvers !== undefined && { approvers }),
      ...(ballot.serviceUser !== undefined && { serviceUser: ballot.serviceUser }),
      at: now,
      asker,
      ...(rules !== undefined && { rules }),
      ...(guard ?? { phase: checkedNext(approval, NO_SENDS, now) }),
    },
  };
}

/** The person's only ballot. */
function withBallot({ ballots }: Approval, ballot: Ballot): readonly Ballot[] {
  return [...ballots.filter((each) => !isSamePerson(each, ballot)), ballot];
}

/**
 * Slack, the service or the store did not answer, and nobody decides unauthorized. If the service or part of the store
 * is out, the click is retried for half a minute, like a decision; otherwise only briefly.
 */
function tryLater(
  approval: Approval,
  click: Click,
  failed: Unchecked,
  timing: Timing,
  now: number,
): Approval {
  const { failure, of } = failed;
  const { tries = 0 } = click;
  const isOut = of !== undefined && isOutage(failure);
  // Also when the service is back but Slack now fails.
  const isPatient = isOut || click.waitsForService === true;
  const notBefore = isPatient
    ? laterInTime(failure, click, timing, now)
    : later(failure, tries, timing, now);
  const others = approval.queue.filter((each) => each !== click);
  if (isRefused(failure) || notBefore === undefined) {
    const detail = isOut && of === 'service' ? failure.detail : undefined;
    const why = isSealed(failure) ? 'sealed' : uncheckedCode(failed);
    return owe({ ...approval, queue: others }, click, 'trouble', { code: 'closed', why, detail });
  }
  // To the end of the queue: another person's authorization may succeed.
  const waits = isOut && of === 'service' ? { waitsForService: true as const } : {};
  const { waitsForService, ...press } = click;
  const again = { ...press, tries: tries + 1, notBefore, ...waits };
  return { ...approval, queue: [...others, again] };
}

/** undefined: give up. */
function laterInTime(
  { code, status, retryAfterMs = 0 }: FailureFacts,
  { tries = 0, at: pressedAt }: Click,
  timing: Timing,
  now: number,
): number | undefined {
  const nextAt = nextTryAt({ pressedAt, tries, isTimeout: code === 'timeout' }, timing, now);
  // A 503 may also name a time, but is retried like a service that does not answer.
  return nextAt && Math.max(nextAt, status === 429 ? now + retryAfterMs : 0);
}

/** Longer than this, people are told to come back. */
const LONGEST_WAIT_MS = 10_000;

/** undefined: retrying would not help, or take too long. */
function later(
  { retryAfterMs = 0 }: FailureFacts,
  tries: number,
  { retryMs }: Timing,
  now: number,
): number | undefined {
  const waitMs = retryMs[tries];
  if (waitMs === undefined || retryAfterMs > LONGEST_WAIT_MS) return undefined;
  return now + Math.max(waitMs, retryAfterMs);
}

function entry(click: Click, facts: NewAuditEntry['facts']): NewAuditEntry {
  return {
    action: 'approvals.ballot',
    record: null,
    actor: click.user,
    facts: { action: click.action, ...facts },
  };
}

function alertsOf(
  { route }: Approval,
  user: string,
  result: Authorization,
): readonly ApprovalAlert[] {
  if (result.kind === 'failed') {
    const { failure, of } = result;
    const alert = of === 'service' ? peopleDenied(failure) : slackAlert(failure);
    return alert === undefined ? [] : [alert];
  }
  const { missingGroups = [], noGroupsInPlan } = result;
  const alerts: ApprovalAlert[] = noGroupsInPlan
    ? [{ cause: 'no-user-groups' }]
    : missingGroups.map((subject) => ({ cause: 'group-missing', subject }));
  if (result.kind === 'accepted') return alerts;
  if (result.code === 'several-accounts') alerts.push({ cause: 'several-accounts', subject: user });
  if (result.code === 'no-route') alerts.push({ cause: 'route-missing', subject: route });
  return alerts;
}

/** What the service refuses here it refuses for everybody: the token, the licence, the list. */
function peopleDenied(failure: FailureFacts): ApprovalAlert | undefined {
  const said = String(failure.status ?? failure.code);
  return isRefused(failure) ? { cause: 'people-denied', said } : undefined;
}
