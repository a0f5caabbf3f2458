import { isAdministrators } from './administrator.ts';
import type { Change } from './change.ts';
import type { Session } from './session.ts';

const OWN_ACCOUNT = 'This may be your own account: it has the name you are logged in with here.';
const ADMINISTRATOR = 'This is the account of an administrator of Gatepost.';

/** What has to be said before access is taken from those who are missed most. */
export async function warningsOf(
  { terminal, store }: Pick<Session, 'terminal' | 'store'>,
  change: Change,
): Promise<string[]> {
  if (change.kind !== 'deactivate' && change.kind !== 'delete') return [];
  const { id, userName } = change.account;
  const isOwn = userName.split('@')[0]?.toLowerCase() === terminal.user.toLowerCase();
  const isOne = await isAdministrators(terminal.env, store, id);
  return [...(isOwn ? [OWN_ACCOUNT] : []), ...(isOne ? [ADMINISTRATOR] : [])];
}
