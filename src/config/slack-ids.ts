import { Unfit } from './environment.ts';

/** A channel's id. Throws Unfit. */
export function readChannel(id: string): string {
  if (/^[CG][A-Z0-9]{2,}$/.test(id)) return id;
  throw new Unfit(
    'must be a channel id (C… or G…), not a name: open the channel in Slack, click its name, the id is at the bottom of About',
  );
}

/** A person's id. Throws Unfit. */
export function readUser(id: string): string {
  if (isUserId(id)) return id;
  throw new Unfit(
    'must be a user id (U… or W…), not a name: open the profile in Slack, then More (⋮), Copy member ID',
  );
}

/** A user group's id. Throws Unfit. */
export function readGroup(id: string): string {
  if (isGroupId(id)) return id;
  throw new Unfit(
    'must be a user group id (S…), not a handle: open the group in Slack under Directories, then More (…), Copy group ID',
  );
}

/** A workspace's id. Throws Unfit. */
export function readTeam(id: string): string {
  if (/^T[A-Z0-9]{2,}$/.test(id)) return id;
  throw new Unfit(
    'must be a workspace id (T…), not a name: open the workspace in a browser, the id is in the address after /client/',
  );
}

export function isUserId(id: string): boolean {
  return /^[UW][A-Z0-9]{2,}$/.test(id);
}

export function isGroupId(id: string): boolean {
  return /^S[A-Z0-9]{2,}$/.test(id);
}
