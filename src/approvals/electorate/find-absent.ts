import { isDeepStrictEqual } from 'node:util';
import type { NamedPeople, Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { callResult } from '../../core/engine/call-result.ts';
import type { Due } from '../../core/engine/first-due.ts';
import { type Applied, STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type Absent, type Approval, isOpen, messagePost } from '../approval.ts';
import { type Absence, absencesNow, substituteIn } from './absence.ts';
import { askedEver, isShortOfPeople, mentionedEver } from './asked.ts';
import { growsLater } from './clause.ts';
import { countedAgain } from './count-reviewers.ts';
import { electorateOf, hastened } from './electorate.ts';
import { goneAmong, goneNow } from './gone.ts';
import { remindersOf } from './reminder-times.ts';
import { requesterIds } from './requester.ts';
import { routeTerms } from './route-for.ts';
import type { StepRules } from './step-rules.ts';
import type { RouteTerms, Terms } from './terms.ts';
import { share } from './votes.ts';

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
      readonly absent: Pick<Absent, 'people' | 'groups' | 'gone' | 'isUnread'>;
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

/** Before each reminder and whenever more people are added, and whenever somebody leaves or returns: while it asks. */
export function dueAbsent(approval: Approval, terms: Terms, now: number): Due<FindAbsent> {
  const isAsking = isOpen(approval) && approval.decision === undefined;
  if (!isAsking || terms.route === undefined) return null;
  const { againAt } = approval.absent ?? {};
  if (againAt !== undefined && now < againAt) return againAt;
  const step = stepOf(approval, now);
  const isKnown = step.changedAt === undefined && lastAskedAt(approval, terms, now) <= step.seenAt;
  const isSought = againAt !== undefined || !isKnown || isToHasten(approval, terms);
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
  return growsLater(electorate) && isShortOfPeople(electorate, approval.ballots);
}

function stepOf(approval: Approval, plannedAt: number): FindAbsent {
  const { changedAt } = approval.absent ?? {};
  return { kind: 'find-absent', plannedAt, seenAt: seenAtOf(approval), changedAt };
}

function seenAtOf({ absent, createdAt }: Approval): number {
  return absent?.at ?? createdAt;
}

function asksByName(approval: Approval, terms: RouteTerms): boolean {
  if (terms.route === undefined) return false;
  const { users, groups } = askedEver(approval, terms);
  return users.length + groups.length > 0;
}

/** Somebody whom it may ask left or came back. */
export function receiveAbsences(
  approval: Approval,
  _body: unknown,
  _terms: unknown,
  changedAt: number,
): Applied<Approval> {
  const { absent = { at: approval.createdAt } } = approval;
  if (!isOpen(approval)) return { data: approval };
  return { data: { ...approval, absent: { ...absent, changedAt } } };
}

export const findAbsent: StepRules<FindAbsent, Found> = {
  /** If the store or Slack does not answer, people are asked anyway. */
  async execute(core, _id, approval) {
    const { route } = routeTerms(core, approval);
    const absences = await unlessAway(absencesNow(core.store), null);
    if (absences === null) return { kind: 'away' };
    if (route === undefined) return { kind: 'found', absent: {} };
    const asked = askedEver(approval, { route });
    const absent = absences.length === 0 ? {} : await absentOf(core, approval, asked, absences);
    const gone = await goneOf(core, approval, route, mentionedEver(asked, absent));
    return { kind: 'found', absent: { ...absent, ...gone } };
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

/** A larger group is mentioned as a whole, even if members are away. */
const LISTED_MAX = 40;

async function absentOf(
  { lookup }: Core,
  approval: Approval,
  { users, groups }: NamedPeople,
  away: readonly Absence[],
): Promise<Pick<Absent, 'people' | 'groups'>> {
  const absenceOf = (user: string) => away.find(({ ids }) => ids.includes(user));
  const concerned = new Set(users.flatMap((user) => absenceOf(user) ?? []));
  const substituteOf = (absence: Absence): string | undefined => {
    const substitute = substituteIn(absence)?.at(-1);
    const isThere = substitute !== undefined && absenceOf(substitute) === undefined;
    const hasAsked = share(substituteIn(absence) ?? [], requesterIds(approval));
    return isThere && !hasAsked ? substitute : undefined;
  };
  const read = groups.map(async (group): Promise<[string, readonly string[]][]> => {
    const found = await callResult(lookup.recent.groupMembers(group));
    const known = approval.absent?.groups?.[group] ?? [];
    const members = 'users' in found ? found.users : known;
    const absences = members.flatMap((user) => absenceOf(user) ?? []);
    if (absences.length === 0 || members.length > LISTED_MAX) return [];
    for (const each of absences) concerned.add(each);
    return [[group, members]];
  });
  const partly = Object.fromEntries((await Promise.all(read)).flat());
  if (concerned.size === 0) return {};
  // In a fixed order, because the message shows it.
  const people = away
    .filter((each) => concerned.has(each))
    .map((absence) => {
      const substitute = substituteOf(absence);
      const { ids, until } = absence;
      return { ids, until, ...(substitute !== undefined && { substitute }) };
    });
  return { people, ...(Object.keys(partly).length > 0 && { groups: partly }) };
}

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
