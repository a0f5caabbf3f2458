import { type Case, postOf } from '../case.ts';
import { claimsOf } from '../claims.ts';
import type { AuditSeen } from '../evidence.ts';

/** A rule that a run has met, as far as an outside observer can tell. */
export interface RuleMet {
  readonly rule: string;
  /** Whom, which moment or which fault it meets. */
  readonly meets: string;
  /** Only worlds whose store goes back can meet it. */
  readonly isOfLapses?: true;
  /** How often, in all that was seen of one approval. */
  readonly count: (seen: Case) => number;
}

export function row(rule: string, meets: string, count: RuleMet['count']): RuleMet {
  return { rule, meets, count };
}

export const BALLOT = 'approvals.ballot';

/** A press was looked at without disturbance. */
export const SOON_MS = 10_000;

/** How many people read such a sentence. */
export function told({ told: all }: Case, pattern: RegExp): number {
  return all.filter(({ text }) => pattern.test(text)).length;
}

export function logged(
  { audit }: Case,
  action: string,
  isSo: (entry: AuditSeen) => boolean = () => true,
): number {
  return (audit ?? []).filter((each) => each.action === action && isSo(each)).length;
}

/** A decision was noted, and its connection failed. */
export function hasFailed(seen: Case): boolean {
  return logged(seen, 'approvals.answered', ({ facts }) => facts.class === 'not-sent') > 0;
}

/** When its message was there first. */
export function firstPostedAt({ messages }: Case): number | undefined {
  return messages.find((each) => postOf(each) === 'message')?.versions[0]?.at;
}

export function adds(
  { approval }: Case,
  what: NonNullable<Case['approval']['adds']>[number],
): boolean {
  return approval.adds?.includes(what) === true;
}

/** Each hold that its message showed: from then until it said it ends. */
export function holdsIn(seen: Case) {
  const versions = seen.messages.flatMap((each) => each.versions);
  return versions.flatMap((version) => {
    const { held } = claimsOf(version);
    return held === null ? [] : [{ from: version.at, until: held.until }];
  });
}

export function isHeld(seen: Case): boolean {
  return holdsIn(seen).length > 0;
}
