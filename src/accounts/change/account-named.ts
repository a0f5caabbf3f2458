import { z } from 'zod';
import { cleanLine } from '../../lib/clean-line.ts';
import { clip } from '../../lib/clip.ts';
import type { UserProfile } from '../../service/service-user.ts';
import { accountName } from '../account.ts';

/** An account as a person saw it, and as buttons and forms name it. */
export const accountNamedSchema = z.strictObject({
  id: z.string(),
  userName: z.string(),
  externalId: z.string().nullable(),
  /** One line, not escaped. */
  name: z.string(),
});
export type AccountNamed = z.infer<typeof accountNamedSchema>;

export function accountNamed(user: UserProfile): AccountNamed {
  const { id, userName, externalId } = user;
  return { id, userName, externalId, name: clip(cleanLine(accountName(user)), 150)[0] };
}

export function writeAccount(account: AccountNamed): string {
  return JSON.stringify(account);
}

/** undefined: values come back from outside. */
export function readAccountNamed(text: string): AccountNamed | undefined {
  try {
    return accountNamedSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
