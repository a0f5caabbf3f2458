import { acceptedIn, type Case, effectBy, mayBeLost, violation, wentBackBetween } from '../case.ts';
import type { Violation } from '../evidence.ts';

/** So long after Slack refused it nothing else may have happened for it to be known as blocked. */
const NOTED_MS = 3_000;

/** A source is told that nobody can be asked, once Gatepost has read that Slack refuses the message. */
export function blocked(seen: Case): Violation[] {
  const { callbacks, approval } = seen;
  const accepted = acceptedIn(seen);
  if (callbacks === null || approval.isCalledBack === false || accepted === undefined) return [];
  if (mayBeLost(seen, accepted.answeredAt ?? accepted.at, accepted.at)) return [];
  const isCertain = ({ at, isHeard }: { readonly at: number; readonly isHeard: boolean }) =>
    isHeard &&
    !isDisturbed(seen, at) &&
    !wentBackBetween(seen, accepted.at, at + NOTED_MS) &&
    !approval.withdrawals.some((each) => each.at <= at + NOTED_MS) &&
    effectBy(seen, at + NOTED_MS).length === 0;
  const refusal = approval.refusals?.find(isCertain);
  const isTold = callbacks.some(({ type }) => type === 'approval.blocked');
  if (refusal === undefined || isTold) return [];
  const what = 'Slack refused its message, and nobody was called back with that';
  return [violation(seen, 'lost', what, { at: refusal.at })];
}

/** Whoever had read it may not have come to note it; what comes after that may find the channel open. */
function isDisturbed({ run }: Case, at: number): boolean {
  return run.interruptions.some(
    ({ from, to, what }) => from <= at + NOTED_MS && to >= at && !/archived|clock/.test(what),
  );
}
