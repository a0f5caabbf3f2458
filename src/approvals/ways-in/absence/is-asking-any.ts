import type { Core } from '../../../core/core.ts';
import { callResult } from '../../../core/engine/call-result.ts';
import type { Approval } from '../../approval.ts';
import { askedEver, mentionedEver } from '../../electorate/asked.ts';
import { routeTerms } from '../../electorate/route-for.ts';
import { share } from '../../electorate/votes.ts';

/**
 * Whether an absence of these people, or its end, can change whom a request mentions: it asks one of them by name or in a
 * group, or knows that one is away, stands in, or was in a group of which it names the members. While Slack does not say
 * who is in a group, it can.
 */
export async function isAskingAny(
  core: Core,
  approval: Approval,
  ids: readonly string[],
): Promise<boolean> {
  const { route } = routeTerms(core, approval);
  const { people = [], groups = {} } = approval.absent ?? {};
  const asked = askedEver(approval, { route });
  const named = mentionedEver(asked, { people, groups });
  if (share([...named, ...people.flatMap((each) => each.ids)], ids)) return true;
  const isIn = async (group: string) => {
    const found = await callResult(core.lookup.recent.groupMembers(group));
    return !('users' in found) || share(found.users, ids);
  };
  return (await Promise.all(asked.groups.map(isIn))).includes(true);
}
