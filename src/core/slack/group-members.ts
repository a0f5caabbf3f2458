import * as z from 'zod';
import type { MonotonicClock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import type { SlackClient } from './call-slack.ts';
import { callSlack } from './call-slack.ts';
import { askWorkspaces } from './identity.ts';

export interface GroupMembers {
  readonly users: readonly string[];
  /** Why there are no members; null when the group exists. */
  readonly missing: 'unknown_group' | 'no_groups_in_plan' | null;
}

/**
 * Asks who is in a group. `homes`: the workspaces of the people looked for, which are tried first. Throws
 * RemoteFailure.
 */
type AskGroup = (group: string, homes: readonly string[]) => Promise<GroupMembers>;

/**
 * A user group belongs to one workspace, and with the token of a whole organisation Slack has to be told which. The
 * workspace is searched once for each group; a search that hits Slack's limit (some 20 groups a minute) continues where
 * it stopped. `ofOrganisation`: as `auth.test` says; when unknown, learned from Slack's error here.
 */
export function createGroupAsker(
  client: SlackClient,
  clock: MonotonicClock,
  ofOrganisation = false,
): AskGroup {
  let isOfOrganisation = ofOrganisation;
  const workspaceOf = new Map<string, string>();
  /** Workspaces where a group was not found, and since when the search has been running. */
  const notIn = new Map<string, { readonly asked: Set<string>; readonly since: number }>();
  return async (group, homes) => {
    if (!isOfOrganisation) {
      try {
        return await askGroup(client, { usergroup: group });
      } catch (error) {
        if (!(error instanceof RemoteFailure) || error.code !== 'missing_argument') throw error;
        isOfOrganisation = true;
      }
    }
    const known = workspaceOf.get(group);
    if (known !== undefined) return askGroup(client, { usergroup: group, team_id: known });
    const begun = notIn.get(group);
    const isRecent = begun !== undefined && clock.monotonic() - begun.since < SEARCH_MS;
    const search = isRecent ? begun : { asked: new Set<string>(), since: clock.monotonic() };
    notIn.set(group, search);
    const { asked } = search;
    const askIn = async (teams: readonly string[]) => {
      for (const team of teams) {
        if (asked.has(team)) continue;
        const members = await askGroup(client, { usergroup: group, team_id: team });
        if (members.missing === null) workspaceOf.set(group, team);
        if (members.missing !== 'unknown_group') return members;
        asked.add(team);
      }
      return undefined;
    };
    const found =
      (await askIn(homes)) ?? (await askIn((await askWorkspaces(client)).map(({ id }) => id)));
    notIn.delete(group);
    return found ?? { users: [], missing: 'unknown_group' };
  };
}

/** After this long the search starts over: the group may have been created. */
const SEARCH_MS = 10 * 60_000;

const groupList = z.looseObject({ users: z.array(z.string()) });

/** Disabled groups are included: otherwise Slack answers as if the group never existed. */
async function askGroup(
  client: SlackClient,
  which: { readonly usergroup: string; readonly team_id?: string },
): Promise<GroupMembers> {
  try {
    const { users } = await callSlack(client, 'usergroups.users.list', which, groupList);
    return { users, missing: null };
  } catch (error) {
    const missing = error instanceof RemoteFailure ? MISSING[error.code] : undefined;
    if (missing === undefined) throw error;
    return { users: [], missing };
  }
}

/** Slack's error codes, including older ones. */
const MISSING: Readonly<Record<string, GroupMembers['missing']>> = {
  no_such_subteam: 'unknown_group',
  subteam_not_found: 'unknown_group',
  // A workspace without the app, where the person who clicked may be at home.
  team_access_not_granted: 'unknown_group',
  team_not_found: 'unknown_group',
  invalid_team: 'unknown_group',
  plan_upgrade_required: 'no_groups_in_plan',
  paid_teams_only: 'no_groups_in_plan',
  paid_only: 'no_groups_in_plan',
  upgrade_required: 'no_groups_in_plan',
};
