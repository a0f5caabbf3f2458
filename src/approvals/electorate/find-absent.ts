import { isDeepStrictEqual } from 'node:util';
import type { NamedPeople, Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { Due } from '../../core/engine/first-due.ts';
import { STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import { type Absent, type Approval, isOpen, messagePost } from '../approval.ts';
import { askedEver, isShortOfPeople, mentionedEver } from './asked.ts';
import type { WhoIsAway } from './clause.ts';
import { countedAgain } from './count-reviewers.ts';
import { electorateOf, hastened } from './electorate.ts';
import { goneAmong, goneNow } from './gone.ts';
import { remindersOf } from './reminder-times.ts';
import { routeTerms } from './route-for.ts';
import { whoIsAway } from './stand-ins.ts';
import type { StepRules } from './step-rules.ts';
import type { RouteTerms, Terms } from './terms.ts';

/** Find out who of the people asked is away, or cannot decide any more, before anybody is mentioned. */
export interface FindAbsent {
  readonly kind: 'find-absent';
  readonly plannedAt: number;
  /** When it was last read; a newer reading takes precedence. */
  readonly seenAt: number;
  /** The last change at the time of planning: a later one causes another read. */
  readonly changedAt: number | undefined;
}

type Found =
  | {
      readonly kind: 'found';
      readonly absent: WhoIsAway & Pick<Absent, 'asked' | 'gone' | 'isUnread'>;
    }
  /** The store did not answer. */
  | { readonly kind: 'away' };

/** Before posting. */
export function dueAbsentFirst(approval: Approval, terms: Terms, now: number): Due<FindAbsent> {
  const { absent } = approval;
  const { ts, attempt } = messagePost(approval);
  const isToPost = isOpen(approval) && ts === undefined && attempt === undefined;
  const isAsked = absent?.againAt !== undefined;
  const isKnown = absent !== undefined && (isAsked || absent.changedAt === undefined);
  if (isKnown || !isToPost || !asksByName(approval, terms)) return null;
  return stepOf(approval, now);
}

/** Before each reminder, and whenever other people are asked, or somebody leaves or returns: while it asks. */
export function dueAbsent(approval: Approval, terms: Terms, now: number): Due<FindAbsent> {
  const isAsking = isOpen(approval) && approval.decision === undefined;
  if (!isAsking || terms.route === undefined) return null;
  const { againAt } = approval.absent ?? {};
  if (againAt !== undefined && now < againAt) return againAt;
  const step = stepOf(approval, now);
  const isKnown = step.changedAt === undefined && lastAskedAt(approval, terms, now) <= step.seenAt;
  const isSought =
    againAt !== undefined || !isKnown || asksOthers(approval, terms) || isToHasten(approval, terms);
  // Last, because every poll gets here, and it is rarely needed.
  return isSought && asksByName(approval, terms) ? step : null;
}

/** When a reminder was last due, or more people were added; 0: not yet. */
function lastAskedAt(approval: Approval, terms: RouteTerms, now: number): number {
  const { begun } = electorateOf(approval, terms);
  const calls = [...remindersOf(approval, terms.route?.remind), ...begun];
  return Math.max(0, ...calls.map(({ at }) => at).filter((at) => at <= now));
}

/** Too few are left to ask, and more people could be. */
function isToHasten(approval: Approval, terms: RouteTerms): boolean {
  const electorate = electorateOf(approval, terms);
  return (
    electorate.bar === undefined &&
    hastened(approval, electorate, terms.asOf) !== undefined &&
    isShortOfPeople(electorate, approval.ballots)
  );
}

function stepOf(approval: Approval, plannedAt: number): FindAbsent {
  const { changedAt } = approval.absent ?? {};
  return { kind: 'find-absent', plannedAt, seenAt: seenAtOf(approval), changedAt };
}

function seenAtOf({ absent, createdAt }: Approval): number {
  return absent?.at ?? createdAt;
}

/** The rules were reloaded since: nobody tells a request of the absences of people whom its route does not name. */
function asksOthers(approval: Approval, terms: RouteTerms): boolean {
  const { asked } = approval.absent ?? {};
  return asked !== undefined && !isDeepStrictEqual(asked, namesOf(askedEver(approval, terms)));
}

function namesOf({ users, groups }: NamedPeople): readonly string[] {
  return [...users, ...groups];
}

function asksByName(approval: Approval, terms: RouteTerms): boolean {
  if (terms.route === undefined) return false;
  const { users, groups } = askedEver(approval, terms);
  return users.length + groups.length > 0;
}

export const findAbsent: StepRules<FindAbsent, Found> = {
  /** If the store or Slack does not answer, people are asked anyway. */
  async execute(core, _id, approval) {
    const { route } = routeTerms(core, approval);
    const asked = askedEver(approval, { route });
    const absent = await whoIsAway(core, approval, asked);
    if (absent === null) return { kind: 'away' };
    if (route === undefined) return { kind: 'found', absent: {} };
    const gone = await goneOf(core, approval, route, mentionedEver(asked, absent));
    return { kind: 'found', absent: { asked: namesOf(asked), ...absent, ...gone } };
  },

  apply(approval, { plannedAt, seenAt, changedAt }, result, terms, now) {
    if (seenAtOf(approval) !== seenAt) return { data: approval };
    if (result.kind === 'away') {
      const { absent: known } = approval;
      const again = { ...known, at: plannedAt, againAt: now + STORE_AGAIN_MS };
      return { data: { ...approval, absent: again } };
    }
    const { absent: found } = result;
    const since = approval.absent?.changedAt;
    const isChanged = since !== undefined && since !== changedAt;
    const absent = {
      at: plannedAt,
      ...found,
      ...(isChanged && { changedAt: since }),
    };
    const isSame = isDeepStrictEqual(found.gone, approval.absent?.gone);
    const known = isSame ? { ...approval, absent } : countedAgain({ ...approval, absent });
    const { data, steps } = hastenedNow({ data: known, steps: 0 }, terms, now);
    if (data === known) return { data };
    const facts = { route: data.route, why: 'away', steps };
    return {
      data,
      audit: [{ action: 'approvals.escalated', record: null, actor: 'gatepost', facts }],
    };
  },
};

/** Which of everybody who would be mentioned cannot decide. */
async function goneOf(
  core: Core,
  { absent }: Approval,
  route: Route,
  mentioned: readonly string[],
): Promise<Pick<Absent, 'gone' | 'isUnread'>> {
  const read = await goneAmong(core, route, mentioned);
  return goneNow(absent?.gone, read, mentioned);
}

/** More people can decide now if too few are left to ask. */
function hastenedNow(before: Hastened, terms: RouteTerms, now: number): Hastened {
  const { data: approval } = before;
  const present = { ...terms, asOf: now };
  if (!isToHasten(approval, present)) return before;
  // If it was not posted yet, the message says so from the start.
  const isAsked = messagePost(approval).ts !== undefined;
  const at = isAsked ? now : Math.min(approval.createdAt, now);
  const after = hastened(approval, electorateOf(approval, present), at);
  return after === undefined ? before : hastenedNow(after, terms, now);
}

type Hastened = NonNullable<ReturnType<typeof hastened>>;
