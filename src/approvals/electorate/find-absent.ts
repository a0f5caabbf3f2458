import { isDeepStrictEqual } from 'node:util';
import type { Core } from '../../core/core.ts';
import { callResult } from '../../core/engine/call-result.ts';
import type { Due } from '../../core/engine/first-due.ts';
import { STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { type Absent, type Approval, isOpen, messagePost } from '../approval.ts';
import { isPosted } from '../tell/message/message-state.ts';
import { lastCallAt } from '../tell/message/reminder.ts';
import { isShortOfPeople } from '../tell/message/waited-for.ts';
import { type Absence, absencesNow, substituteIn } from './absence.ts';
import { goneAmong, goneNow } from './gone.ts';
import { askedEver, mentionedEver } from './mentioned.ts';
import type { Terms } from './policy.ts';
import { requesterIds } from './requester.ts';
import { isEscalatedLater, type PresentRoute, presentRoute } from './reviewers.ts';
import { routeFor } from './route-for.ts';
import type { StepRules } from './step-rules.ts';
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
export function dueAbsentFirst(approval: Approval, { route }: Terms, now: number): Due<FindAbsent> {
  const { absent } = approval;
  const { ts, attempt } = messagePost(approval);
  const isToPost = isOpen(approval) && ts === undefined && attempt === undefined;
  const isAsked = absent?.againAt !== undefined;
  const isKnown = absent !== undefined && (isAsked || absent.changedAt === undefined);
  if (isKnown || !isToPost || route === undefined || !asksByName(approval, route)) return null;
  return stepOf(approval, now);
}

/** Before each reminder and escalation, and whenever somebody leaves or returns. */
export function dueAbsent(approval: Approval, { route }: Terms, now: number): Due<FindAbsent> {
  const { decision } = approval;
  const isAsking = isOpen(approval) && decision === undefined && isPosted(approval);
  if (route === undefined || !isAsking) return null;
  const { againAt } = approval.absent ?? {};
  if (againAt !== undefined && now < againAt) return againAt;
  const step = stepOf(approval, now);
  const isKnown = step.changedAt === undefined && lastCallAt(approval, route, now) <= step.seenAt;
  const isSought =
    againAt !== undefined ||
    !isKnown ||
    (isShortOfPeople(approval, route) && isEscalatedLater(approval, route));
  // Last, because every poll gets here, and it is rarely needed.
  return isSought && asksByName(approval, route) ? step : null;
}

function stepOf(approval: Approval, plannedAt: number): FindAbsent {
  const { changedAt } = approval.absent ?? {};
  return { kind: 'find-absent', plannedAt, seenAt: seenAtOf(approval), changedAt };
}

function seenAtOf({ absent, createdAt }: Approval): number {
  return absent?.at ?? createdAt;
}

function asksByName(approval: Approval, route: PresentRoute): boolean {
  const { users, groups } = askedEver(approval, route);
  return users.length + groups.length > 0;
}

export const findAbsent: StepRules<FindAbsent, Found> = {
  /** If the store or Slack does not answer, people are asked anyway. */
  async execute(core, _id, approval) {
    const route = routeFor(core, approval);
    const away = await unlessAway(absencesNow(core.store), null);
    if (away === null) return { kind: 'away' };
    if (route === undefined) return { kind: 'found', absent: {} };
    const absent = away.length === 0 ? {} : await absentOf(core, approval, route, away);
    return { kind: 'found', absent: await withGone(core, approval, route, absent) };
  },

  apply(approval, { plannedAt, seenAt, changedAt }, result, { route }, now) {
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
    const { counted } = approval;
    const isSame = isDeepStrictEqual(found.gone, approval.absent?.gone);
    const isToCount = counted !== undefined && !isSame;
    const known = {
      ...approval,
      absent,
      ...(isToCount && { counted: { ...counted, at: 0, isUnread: true as const } }),
    };
    if (route === undefined) return { data: known };
    const data = escalatedEarly(known, route, now);
    if (data === known) return { data };
    const steps = Object.keys(data.escalatedAt ?? {}).length;
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
  route: PresentRoute,
  away: readonly Absence[],
): Promise<Pick<Absent, 'people' | 'groups'>> {
  const { users, groups } = askedEver(approval, route);
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

/** With those among everybody who would be mentioned that cannot decide. */
async function withGone(
  core: Core,
  approval: Approval,
  route: PresentRoute,
  absent: Pick<Absent, 'people' | 'groups'>,
): Promise<Pick<Absent, 'people' | 'groups' | 'gone' | 'isUnread'>> {
  const mentioned = mentionedEver(approval, route, absent);
  const read = await goneAmong(core, route, mentioned);
  return { ...absent, ...goneNow(approval.absent?.gone, read, mentioned) };
}

/** People it is escalated to later can decide now if too few are left to ask. */
function escalatedEarly(approval: Approval, route: PresentRoute, now: number): Approval {
  if (!isShortOfPeople(approval, route) || !isEscalatedLater(approval, route)) return approval;
  const { after = 0 } = route.escalate[route.escalatedTo?.length ?? 0] ?? {};
  // If it was not posted yet, the message says so from the start.
  const isAsked = messagePost(approval).ts !== undefined;
  const at = isAsked ? now : Math.min(approval.createdAt, now);
  const next = { ...approval, escalatedAt: { ...approval.escalatedAt, [after]: at } };
  const { escalatedTo: _, ...configured } = route;
  return escalatedEarly(next, presentRoute(configured, next, now) ?? route, now);
}
