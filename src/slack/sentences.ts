import type { PayloadKind } from './payload.ts';
import { ReadError } from './read-error.ts';

/** What a person reads who used something that no code of this version listens to. null: nothing. */
export const OUTDATED = {
  action: 'That button is no longer valid. Please use a newer message.',
  command: 'That command is not available here.',
  event: null,
  options: null,
  other: 'That button is no longer valid. Please use a newer message.',
  shortcut: 'That shortcut is no longer available.',
  view: 'That form is no longer valid. Please close it and open it again.',
  view_closed: null,
} as const satisfies Record<PayloadKind, string | null>;

/** What a person reads when something broke that should not. */
export function brokenSentence(error: unknown, reference: string): string {
  if (error instanceof ReadError) {
    return `This could not be read just now; nothing was changed. Please try again in a minute. If it stays like this, tell an administrator this reference: ${reference}`;
  }
  return `Something went wrong here, and it is not known whether it took effect. Please look before you try again. If it stays like this, tell an administrator this reference: ${reference}`;
}
