/** What the installed app was granted, unless the sandbox is started with others: what `manifest.yml` asks for. */
export const grantedScopes: readonly string[] = [
  'channels:history',
  'channels:read',
  'chat:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:write',
  'usergroups:read',
  'users:read',
  'users:read.email',
];
