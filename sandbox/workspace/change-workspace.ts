import type { Conversation } from './conversation.ts';
import type { Events } from './events.ts';
import type { Manifest } from './manifest.ts';
import { knownConversation, type Memory } from './world.ts';

/** What those need who change the workspace as people and administrators do. */
export interface ChangeNeeds {
  readonly memory: Memory;
  readonly manifest: Manifest;
  readonly now: () => number;
  readonly changed: () => void;
  readonly tell: Events['tell'];
}

/** Runs a change, and lets everybody look. */
export function changing<Result>({ changed }: ChangeNeeds, work: () => Result): Result {
  const result = work();
  changed();
  return result;
}

/** The same in a channel that has to be there. */
export function inChannel<Result>(
  needs: ChangeNeeds,
  channel: string,
  work: (conversation: Conversation) => Result,
): Result {
  return changing(needs, () => work(knownConversation(needs.memory, channel)));
}
