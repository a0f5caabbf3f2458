/** The scopes the bot requests, with the reason for each. `manifest.yml` lists the same; a test compares them. */
export const REQUIRED_SCOPES = {
  'chat:write': 'post and change messages',
  commands: 'receive commands and shortcuts',
  'channels:history': 'find a post in a public channel again, and read a thread for a test case',
  'groups:history': 'find a post in a private channel again, and read a thread for a test case',
  'im:history': 'find a direct message again, and read its thread for a test case',
  'channels:read': 'see who is in a public channel',
  'groups:read': 'see who is in a private channel',
  'im:write': 'tell the requester the outcome',
  'users:read': 'see whether a person is a guest, deactivated or from another company',
  'users:read.email': 'find a person’s account in the service',
  'usergroups:read': 'see who is in a user group',
} as const;

/** Those that Slack did not grant, with the reason for each. */
export function missingScopes(granted: readonly string[]): [scope: string, why: string][] {
  return Object.entries(REQUIRED_SCOPES).filter(([scope]) => !granted.includes(scope));
}
