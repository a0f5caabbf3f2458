import type { NamedPeople } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { callResult } from '../../core/engine/call-result.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import type { Approval } from '../approval.ts';
import { type Absence, absencesNow, substituteIn } from './absence.ts';
import type { WhoIsAway } from './clause.ts';
import { requesterIds } from './requester.ts';
import { share } from './votes.ts';

/** Who of the people whom a request asks is away, and who decides for them. */

/** A larger group is mentioned as a whole, even if members are away. */
const LISTED_MAX = 40;

/** As last set; null: the store did not answer. */
export async function whoIsAway(
  { lookup, store }: Core,
  approval: Approval,
  { users, groups }: NamedPeople,
): Promise<WhoIsAway | null> {
  const away = await unlessAway(absencesNow(store), null);
  if (away === null || away.length === 0) return away && {};
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
