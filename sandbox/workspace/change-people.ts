import { type ChangeNeeds, changing } from './change-workspace.ts';
import { team } from './seed.ts';
import { subteamOf } from './subteam.ts';
import type { UserPatch, Workspace } from './workspace-handle.ts';
import { directId, putUser } from './world.ts';

type PeopleChanges = Pick<Workspace, 'setUser' | 'deactivate' | 'addUserGroup' | 'setUserGroup'>;

/** The part of the handle that changes people and user groups. */
export function changePeople(needs: ChangeNeeds): PeopleChanges {
  const { memory, now, tell } = needs;
  const seconds = (): number => Math.floor(now() / 1000);
  const setUser = (id: string, patch: UserPatch): void =>
    changing(needs, () => {
      const before = memory.world.users.get(id);
      if (!before) throw new Error(`There is no person ${id}.`);
      const profile = { ...before.profile, ...patch.profile };
      const user = { ...before, updated: seconds(), ...patch, profile };
      putUser(memory.world, user);
      // Whoever is back in Slack has their direct messages again.
      if (before.deleted && !user.deleted)
        memory.world.conversations.get(directId(id))?.members.add(id);
      tell({ type: 'user_change', user, cache_ts: user.updated });
    });

  return {
    setUser,
    deactivate: (user) => {
      setUser(user, { deleted: true });
      for (const { members } of memory.world.conversations.values()) members.delete(user);
    },
    addUserGroup: (id, handle, users) =>
      changing(needs, () => {
        const { userGroups } = memory.world;
        if (userGroups.has(id)) throw new Error(`There is a user group ${id}.`);
        const updatedAt = seconds();
        userGroups.set(id, { id, handle, users, enabled: true, updatedAt, teamId: team.id });
      }),
    setUserGroup: (id, patch) =>
      changing(needs, () => {
        const group = memory.world.userGroups.get(id);
        if (!group) throw new Error(`There is no user group ${id}.`);
        const before = { ...group };
        Object.assign(group, patch, { updatedAt: seconds() });
        const dates = { date_previous_update: before.updatedAt, date_update: group.updatedAt };
        const moved = movedBetween(before.users, group.users);
        if (moved.added_users_count + moved.removed_users_count > 0) {
          tell({
            type: 'subteam_members_changed',
            subteam_id: id,
            team_id: group.teamId,
            ...dates,
            ...moved,
          });
        }
        tell({ type: 'subteam_updated', subteam: subteamOf(group) });
      }),
  };
}

function movedBetween(before: readonly string[], after: readonly string[]) {
  const added = after.filter((user) => !before.includes(user));
  const removed = before.filter((user) => !after.includes(user));
  return {
    added_users: added,
    added_users_count: added.length,
    removed_users: removed,
    removed_users_count: removed.length,
  };
}
