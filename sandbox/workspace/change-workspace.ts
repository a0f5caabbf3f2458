import type { Conversation } from './conversation.ts';
import type { Events } from './events.ts';
import type { Manifest } from './manifest.ts';
import { knownConversation, type Memory } from './world.ts';

/** Dependencies of changes that people and administrators make. */
export interface ChangeNeeds {
  readonly memory: Memory;
  readonly manifest: Manifest;
  readonly now: () => number;
  readonly changed: () => void;
  readonly tell: Events['tell'];
}

/** Runs a change, then notifies all waiters. */
export function changing<Result>({ changed }: ChangeNeeds, work: () => Result): Result {
  const result = work();
  changed();
  return result;
}

/** The same in a channel that has to exist. */
export function inChannel<Result>(
  needs: ChangeNeeds,
  channel: string,
  work: (conversation: Conversation) => Result,
): Result {
  return changing(needs, () => work(knownConversation(needs.memory, channel)));
}
