import type { Route } from '../../core/config/config.ts';
import { groupsIn } from '../../core/config/places.ts';
import { digestOf } from '../../core/config/rules.ts';
import type { Applied } from '../../core/engine/flow.ts';
import { isRefused } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import {
  type Action,
  type Approval,
  type Ballot,
  type Click,
  type Decision,
  isOnCourse,
} from '../approval.ts';
import {
  type Accepted,
  type Authorization,
  knownBy,
  type RefusalCode,
  type Unchecked,
} from '../electorate/authorization.ts';
import { electorateOf } from '../electorate/electorate.ts';
import { approversOf, isHelping, type Tally, tally } from '../electorate/tally.ts';
import type { RouteTerms, Terms } from '../electorate/terms.ts';
import { CHANNEL } from '../electorate/through.ts';
import { votersFor } from '../electorate/votes.ts';
import { isOutage } from '../failure.ts';
import { goodForMs, RETRY_GOOD_FOR_MS } from '../schedule.ts';
import { outageCode, retryUnsent, stopSending } from './decision.ts';
import { canBeUndone } from './guards.ts';
import type { ChangeCode, ClosedCode, TooFew } from './statement.ts';
import { afterRewind } from './store-rewind.ts';
import { owe, takenBack, toldToPress } from './transitions.ts';

/**
 * Every ballot that counts is authorized again when the decision is made, and once more before sending if that is
 * delayed, or repeated because the first response was lost.
 */

/** Authorizations of others, by user id. */
export type Others = Readonly<Record<string, Authorization>>;

/** The click to authorize again; undefined: the authorization is recent and by the same rules. */
export function recheckClick(
  decision: Decision,
  { timing, route }: Pick<Terms, 'timing' | 'route'>,
  now: number,
): Click | undefined {
  const { phase, rules, authorizedAt = decision.at } = decision;
  const isUnsent = phase.name === 'check' || phase.name === 'send';
  if (!isUnsent) return undefined;
  const isRetry = phase.name === 'check' && phase.tries > 0;
  const isGoodForMs = isRetry ? RETRY_GOOD_FOR_MS : goodForMs(timing);
  // Another replica may have other rules, or they were reloaded.
  const isChanged = rules !== undefined && rules !== rulesIn(route);
  return isChanged || now > authorizedAt + isGoodForMs ? clickOf(decision) : undefined;
}

function clickOf({ at, by, action, asker }: Decision): Click {
  return { id: `again-${at}`, user: by, channel: asker.channel, at, action };
}

/** Digest of the route's rules; undefined: no longer configured. */
export function rulesIn(route: Route | undefined): string | undefined {
  if (route === undefined) return undefined;
  const known = DIGESTS.get(route);
  if (known !== undefined) return known;
  const digest = digestOf(route);
  DIGESTS.set(route, digest);
  return digest;
}

/** Each plan after a press asks for it several times. */
const DIGESTS = new WeakMap<Route, string>();

/** Whether a click is that of `recheckClick` for this decision. */
export function isReauthorization(
  decision: Decision | undefined,
  { id }: Click,
): decision is Decision {
  return decision !== undefined && id === clickOf(decision).id;
}

/** Approvers whose ballots count along with a click. A rejection decides alone. */
export function othersOf({ ballots }: Approval, { user, action }: Click): readonly string[] {
  if (action === 'reject') return [];
  return votersFor('approve', ballots).filter((other) => other !== user);
}

/** Ballots after they were authorized again. */
interface Rechecked {
  readonly data: Approval;
  readonly audit: readonly NewAuditEntry[];
  /** Whose ballots no longer count. */
  readonly dropped: readonly string[];
  /** One that could not be authorized. */
  readonly failed: Unchecked | undefined;
}

/** Drops the ballots of people who can no longer decide, and tells them why. */
export function recheckBallots(
  approval: Approval,
  others: Others,
  terms: Terms,
  now: number,
): Rechecked {
  const audit: NewAuditEntry[] = [];
  const dropped: string[] = [];
  let data = approval;
  let failed: Unchecked | undefined;
  for (const ballot of approval.ballots) {
    const found = others[ballot.user];
    if (found === undefined) continue;
    if (found.kind === 'failed') failed = found;
    else if (found.kind === 'accepted') data = withBallot(data, asFound(ballot, found));
    else {
      const { user, action } = ballot;
      const change = changeOf(found.code, ballot, approval, terms);
      const asker = { user, channel: approval.channel, at: now };
      // A direct message: they may have left Slack, and an ephemeral one would be gone when they return.
      const statement = { code: 'dropped', action, change } as const;
      data = owe(withoutBallot(data, ballot), asker, 'dropped', statement, 'direct');
      audit.push(refusedEntry(ballot, found.code));
      dropped.push(user);
    }
  }
  return { data: withGuardKept(data, dropped, terms), audit, dropped, failed };
}

/** A decision that a guard holds up continues only with enough approvals, including its author's. */
export function withGuardKept(
  approval: Approval,
  dropped: readonly string[],
  terms: RouteTerms,
): Approval {
  const { decision, ...rest } = approval;
  if (decision === undefined || isOnCourse(decision.phase)) return approval;
  const own = rest.ballots.find(({ user }) => user === decision.by);
  if (own === undefined) return rest;
  const electorate = electorateOf(rest, terms);
  const progress = tally(electorate, rest.ballots);
  if (progress.isEnough) return approval;
  return owe(rest, decision.asker, 'progress', {
    code: 'progress',
    progress,
    isHelping: isHelping(electorate, rest.ballots, own),
    tooFew: tooFewOf(rest, dropped, progress),
  });
}

/**
 * Applies the authorization of a decision that is not sent yet. It continues if enough people can still decide;
 * otherwise the request waits again, with the ballots that still count.
 */
export function applyReauthorized(
  approval: Approval,
  decision: Decision,
  result: Authorization & {
    readonly beside?: { readonly others: Others };
    readonly rules?: string | undefined;
  },
  terms: Terms,
  now: number,
): Applied<Approval> {
  const { phase, by, action, asker } = decision;
  if (phase.name !== 'check' && phase.name !== 'send') return { data: approval };
  const left = canBeUndone(decision) ? afterRewind(approval, terms) : approval;
  if (left !== approval) return { data: left };
  if (result.kind === 'failed') return tryAgain(approval, decision, result, terms.timing, now);
  const others = result.beside?.others ?? {};
  const { data, audit, dropped, failed } = recheckBallots(approval, others, terms, now);
  const own = data.ballots.find(({ user }) => user === by) ?? { user: by, action, at: decision.at };
  const wasSent = phase.sends.ambiguous > 0;
  if (result.kind === 'not-allowed') {
    const change = changeOf(result.code, own, approval, terms);
    const refused = [...audit, refusedEntry(own, result.code)];
    const left = withoutBallot(data, own);
    if (wasSent) {
      const note = { why: 'changed', change } as const;
      return { data: stopSending(left, decision, terms.timing, now, note), audit: refused };
    }
    const told = owe(left, asker, 'refusal', { code: 'overtaken', action, change });
    return withoutItsAuthor(withoutDecision(told, terms, now, refused), decision, terms, now);
  }
  const current = withBallot(data, asFound(own, result));
  const all = { ...others, [by]: result };
  const unknown = missingFor(current, action, all, failed, terms);
  if (unknown !== undefined) {
    const again = tryAgain(current, decision, unknown, terms.timing, now);
    return { data: again.data, audit };
  }
  const electorate = electorateOf(current, terms);
  const progress = tally(electorate, current.ballots);
  if (action === 'approve' && !progress.isEnough) {
    const tooFew = tooFewOf(current, dropped, progress);
    if (wasSent) {
      const note = { why: 'too-few', tooFew } as const;
      return { data: stopSending(current, decision, terms.timing, now, note), audit };
    }
    const helps = isHelping(electorate, current.ballots, own);
    const statement = { code: 'progress', progress, isHelping: helps, tooFew } as const;
    return withoutDecision(owe(current, asker, 'progress', statement), terms, now, audit);
  }
  const { serviceUser, approvers: _, rules: __, ...rest } = decision;
  const { rules } = result;
  const approvers = approversOf(electorate, current.ballots, own);
  const authorized = {
    ...rest,
    ...userIn(result),
    ...(approvers !== undefined && { approvers }),
    authorizedAt: now,
    ...(rules !== undefined && { rules }),
  };
  return { data: { ...current, decision: authorized }, audit };
}

function tryAgain(
  approval: Approval,
  decision: Decision,
  failed: Unchecked,
  timing: Timing,
  now: number,
): Applied<Approval> {
  const code = uncheckedCode(failed);
  const waits = failed.of === 'service' ? {} : { waitsFor: 'check' as const };
  const how = { code, ...waits };
  return { data: retryUnsent(approval, decision, failed.failure, timing, now, how) };
}

/** Why somebody could not be authorized. */
export function uncheckedCode({ failure, of }: Unchecked): ClosedCode {
  if (isRefused(failure)) return 'may-not-check';
  if (of !== 'service' || !isOutage(failure)) return 'could-not-check';
  return outageCode(failure);
}

function tooFewOf(
  { ballots }: Approval,
  dropped: readonly string[],
  { have, open }: Tally,
): TooFew {
  if (dropped.length > 0) return { why: 'dropped', users: dropped };
  if (ballots.length > have) return { why: 'one-person' };
  return { why: open.length > 0 ? 'needs-changed' : 'quorum-raised' };
}

/** The change because of which a ballot no longer counts: of an account, a group or the rules. */
function changeOf(
  code: RefusalCode,
  { through = [] }: Ballot,
  approval: Approval,
  terms: RouteTerms,
): ChangeCode {
  if (code !== 'not-a-reviewer' && code !== 'reviewer-no-more') return code;
  const { named, asked, route } = electorateOf(approval, terms);
  const groups = [...asked.groups, ...named.groups];
  if (through.some((group) => groups.includes(group))) return 'left-group';
  const hasLeft = through.includes(CHANNEL) && route?.reviewers.channel === true;
  return hasLeft ? 'left-channel' : code;
}

/** The request waits again, with the ballots that still count and were not taken back. */
export function withoutDecision(
  { decision, ...rest }: Approval,
  terms: Terms,
  now: number,
  audit: readonly NewAuditEntry[],
): Applied<Approval> {
  let left: Applied<Approval> = { data: rest, audit };
  for (const asker of decision?.takers ?? []) {
    // They may have pressed on the message, which must not be replaced.
    const taken = takenBack(left.data, { ...asker, at: now }, terms, 'state');
    left = { data: taken.data, audit: [...(left.audit ?? []), ...(taken.audit ?? [])] };
  }
  return left;
}

/** Its author can no longer decide. The others can be enough, and nobody would press again unless they are told. */
function withoutItsAuthor(
  left: Applied<Approval>,
  decision: Decision,
  terms: Terms,
  now: number,
): Applied<Approval> {
  const { data } = left;
  if (decision.action === 'reject') return left;
  const progress = tally(electorateOf(data, terms), data.ballots);
  if (!progress.isEnough) return left;
  const statement = { code: 'enough-without', by: decision.by, progress } as const;
  return { ...left, data: toldToPress(data, decision, statement, now) };
}

/**
 * What is missing to know whether the approvals are enough: somebody's authorization, or their membership in a group of
 * a need. undefined: nothing.
 */
export function missingFor(
  approval: Approval,
  action: Action,
  all: Others,
  failed: Unchecked | undefined,
  terms: Terms,
): Unchecked | undefined {
  if (action === 'reject') return failed;
  const electorate = electorateOf(approval, terms);
  const unread = (user: string): Accepted['unread'] => {
    const found = all[user];
    if (found?.kind === 'accepted') return found.unread;
    // Somebody who could not be authorized may be in any group.
    const groups = groupsIn(electorate.places);
    return found?.kind === 'failed' ? { groups, failure: found.failure } : undefined;
  };
  // Once without memberships that could not be read, and once with all of them.
  const isEnoughIf = (isIn: boolean) =>
    tally(
      electorate,
      approval.ballots.map((ballot) => {
        const { groups = [] } = unread(ballot.user) ?? {};
        const known = (ballot.through ?? []).filter((group) => !groups.includes(group));
        return { ...ballot, through: isIn ? [...known, ...groups] : known };
      }),
    ).isEnough;
  if (!isEnoughIf(true)) return undefined;
  if (failed !== undefined || isEnoughIf(false)) return failed;
  const first = approval.ballots.map(({ user }) => unread(user)).find((each) => each !== undefined);
  return first && { kind: 'failed', failure: first.failure };
}

function withoutBallot(approval: Approval, { user }: Ballot): Approval {
  return { ...approval, ballots: approval.ballots.filter((each) => each.user !== user) };
}

/** Replaces the person's ballot. */
function withBallot(approval: Approval, ballot: Ballot): Approval {
  const ballots = approval.ballots.map((each) => (each.user === ballot.user ? ballot : each));
  return { ...approval, ballots };
}

/** The ballot with its person's current accounts and groups, as far as Slack answered. */
export function asFound(ballot: Ballot, found: Accepted): Ballot {
  const { serviceUser, account, alsoKnownAs, self, through: before = [], ...cast } = ballot;
  const unread = found.unread?.groups ?? [];
  const through = [...(found.through ?? []), ...before.filter((group) => unread.includes(group))];
  return {
    ...cast,
    ...knownBy(found),
    ...(found.for !== undefined && { for: found.for }),
    ...(found.self === true && { self: true as const }),
    ...(through.length > 0 && { through }),
  };
}

function userIn({ serviceUser }: Accepted) {
  return serviceUser === undefined ? {} : { serviceUser };
}

/** A ballot that was accepted does not count any more. */
export function refusedEntry({ user, action }: Ballot, code: string): NewAuditEntry {
  return {
    action: 'approvals.ballot',
    record: null,
    actor: user,
    facts: { action, refused: code },
  };
}
