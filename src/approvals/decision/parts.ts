import type { Approval, Ballot, Decision, Unconfirmed } from '../approval.ts';
import type { CreditFacts, DecidedFacts, Part, WithdrawnFacts } from './part.ts';
import { results } from './result.ts';
import type { Statement } from './statement.ts';
import { substitution } from './substitution.ts';
import { superseding } from './superseding.ts';

/** What each feature adds, in the order in which it is stored. */
const PARTS: readonly Part[] = [substitution, superseding, results];

/** What features add to whose ballots these are. */
export function castIn(ballots: readonly Ballot[]): CreditFacts {
  return merged((part) => part.cast?.(ballots));
}

/** What is kept of a decision whose effect is unknown. */
export function unconfirmedFacts(approval: Approval, decision: Decision): Partial<Unconfirmed> {
  return merged((part) => part.unconfirmed?.(approval, decision));
}

/** If one of these became the outcome. */
export function creditOfUnconfirmed(sent: readonly Unconfirmed[]): CreditFacts {
  return merged((part) => part.creditOf?.(sent));
}

/** The store's lists that an open approval is on. */
export function partLists(approval: Approval): readonly string[] {
  return PARTS.flatMap((part) => part.lists?.(approval) ?? []);
}

/** What the message shows of an outcome. */
export function decidedFacts(approval: Approval, now: number): DecidedFacts {
  return merged((part) => part.decided?.(approval, now));
}

/** What it shows of a withdrawn request. */
export function withdrawnFacts(approval: Approval): WithdrawnFacts {
  return merged((part) => part.left?.(approval));
}

/** When that changes without anything else happening; undefined: never. */
export function changesAt(approval: Approval): number | undefined {
  const times = PARTS.flatMap((part) => part.changesAt?.(approval) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Whether lists show the two differently. */
export function isNews(before: Approval, after: Approval): boolean {
  return PARTS.some((part) => part.isNews?.(before, after));
}

/** For somebody who decided a request that was withdrawn. */
export function withdrawn(approval: Approval): Statement {
  for (const part of PARTS) {
    const statement = part.withdrawn?.(approval);
    if (statement !== undefined) return statement;
  }
  return { code: 'withdrawn' };
}

/** Whether a signal of this kind keeps a decision from being sent. */
export function isCallingOff(kind: string): boolean {
  return PARTS.some(({ callsOff }) => callsOff === kind);
}

function merged<Facts extends object>(ask: (part: Part) => Facts | undefined): Facts | object {
  return Object.assign({}, ...PARTS.map(ask));
}
