import type { Sandbox } from '../sandbox.ts';
import type { User } from '../wire.ts';
import { channels, people, userGroups } from '../workspace/seed.ts';
import type { PagePerson } from './page-state.ts';

/** Everybody of the seed as they are now, without those who cannot sign in. */
export function peopleState(sandbox: Sandbox): PagePerson[] {
  return everybody(sandbox)
    .filter((user) => !user.is_bot && !user.deleted)
    .map((user) => ({
      id: user.id,
      name: user.real_name,
      directId: `D${user.id.slice(1)}`,
      timeZone: user.tz,
      note: noteOn(user, sandbox),
      isReleaseManager: isReleaseManager(user),
    }));
}

/** Names of people, user groups and channels by id, without a mark in front. */
export function namesState(sandbox: Sandbox): Record<string, string> {
  return Object.fromEntries([
    ...everybody(sandbox).map((user) => [user.id, user.profile.display_name]),
    ...userGroups.map((group) => [group.id, group.handle]),
    ...channels.map((channel) => [channel.id, channel.name]),
  ]);
}

function everybody(sandbox: Sandbox): User[] {
  return people.map((person) => sandbox.workspace.user(person.id) ?? person);
}

function noteOn(user: User, sandbox: Sandbox): string {
  const account = sandbox.service.users().find(({ userName }) => userName === user.profile.email);
  const notes = [
    isReleaseManager(user) && 'release manager',
    user.is_admin && 'administrator',
    user.is_restricted && 'guest',
    user.is_stranger && 'from another company',
    !account && 'unknown to the service',
    account?.active === false && 'deactivated in the service',
  ];
  return notes.filter(Boolean).join(', ');
}

function isReleaseManager(user: User): boolean {
  return userGroups.some((group) => group.users.some((id) => id === user.id));
}
