import type { UserGroup } from './world.ts';

/** A user group in Slack's shape. */
export function subteamOf({ id, teamId, handle, enabled, users, updatedAt }: UserGroup) {
  return {
    id,
    team_id: teamId,
    is_usergroup: true,
    is_subteam: true,
    name: handle,
    description: '',
    handle,
    is_external: false,
    date_create: 1_767_225_600,
    date_update: updatedAt,
    date_delete: enabled ? 0 : updatedAt,
    auto_type: null,
    auto_provision: false,
    created_by: 'U0DANA',
    updated_by: 'U0DANA',
    deleted_by: enabled ? null : 'U0DANA',
    prefs: { channels: [], groups: [] },
    users,
    user_count: users.length,
  };
}
