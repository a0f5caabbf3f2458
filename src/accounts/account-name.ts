import { cleanLine } from '../lib/clean-line.ts';
import type { ServiceUser } from '../service/service-user.ts';

/** What a sentence calls an account: `Ana Reyes (ana@example.com)`. One line, not escaped. */
export function accountName({ displayName, userName }: ServiceUser): string {
  const name = cleanLine(displayName ?? '');
  const address = cleanLine(userName);
  return name === '' || name === address ? address : `${name} (${address})`;
}
