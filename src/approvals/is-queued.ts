import { type Approval, messagePart } from './approval.ts';

/** Its message waits behind others in the channel, and has no turn yet: it joined the queue alone. */
export function isQueued(approval: Approval, now: number): boolean {
  const { ts, attempt, turn, tries, notBefore = now } = messagePart(approval);
  const isUntouched = [ts, attempt, turn, tries].every((each) => each === undefined);
  return isUntouched && notBefore > now;
}
