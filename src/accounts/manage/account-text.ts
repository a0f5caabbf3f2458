import { cleanLine } from '../../lib/clean-line.ts';
import { clip } from '../../lib/clip.ts';
import type { UserProfile } from '../../service/service-user.ts';
import { bold, escapeMrkdwn } from '../../slack/text.ts';

/** What people read of an account, in mrkdwn, escaped. */

/** One line of somebody else's text; four of them fit into a block, whatever is escaped in them. */
export function shown(text: string): string {
  return escapeMrkdwn(clip(cleanLine(text), 140)[0]);
}

export function stateOf({ active }: Pick<UserProfile, 'active'>): string {
  if (active === null) return ':grey_question: The service does not say whether it is active';
  return active ? ':large_green_circle: Active' : ':no_entry_sign: Deactivated';
}

/** "*Ana Reyes* · ana@example.com", and below it how it stands. */
export function accountLines(user: UserProfile): string {
  const { displayName, userName, title, department } = user;
  const name = shown(displayName ?? '');
  const address = shown(userName);
  const head = name === '' || name === address ? bold(address) : `${bold(name)} · ${address}`;
  const details = [title, department].flatMap((text) => (text === null ? [] : [shown(text)]));
  return `${head}\n${[stateOf(user), ...details].join(' · ')}`;
}
