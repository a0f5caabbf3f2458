import type { Route } from '../../core/config/config.ts';
import type { RoutePieces } from '../../core/config/file.ts';
import type { Approval, Decision, GuardPhases, WaitsFor } from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';
import type {
  Approved,
  Begun,
  CreditFacts,
  Guard,
  GuardState,
  Pause,
  PauseRules,
} from './guard.ts';
import { hold, holdRules } from './hold.ts';
import type { Statement } from './statement.ts';
import { toldFirst } from './told-first.ts';

/** Every guard, in the order in which they are asked. */
const GUARDS: readonly Guard[] = [toldFirst, hold];

/** Their keys of a route. */
export const GUARD_PIECES: Partial<RoutePieces> = Object.assign(
  {},
  ...GUARDS.map(({ pieces }) => pieces),
);

/** What those with a phase do in it. */
export const PAUSES: { readonly [Name in keyof GuardPhases]: PauseRules } = {
  hold: holdRules,
};

/** How the decision begins whose approval is now complete; undefined: it can be sent. */
export function guarded(
  approval: Approval,
  terms: Pick<Terms, 'route'>,
  now: number,
): Begun | undefined {
  return firstOf(({ begin }) => begin?.(approval, terms, now));
}

/** What has to be done before anything goes ahead with the decision; undefined: nothing. */
export function heldUpBy(approval: Approval): WaitsFor | undefined {
  return firstOf(({ waitsFor }) => waitsFor?.(approval));
}

/** The decision after what held it up was done: what a guard has said about its time begins now. */
export function goingAhead(approval: Approval, now: number): Approval {
  return GUARDS.reduce((after, { goAhead }) => goAhead?.(after, now) ?? after, approval);
}

/** What guards add to who decided. */
export function guardCredit(approval: Approval): CreditFacts {
  return Object.assign({}, ...GUARDS.map(({ credit }) => credit?.(approval)));
}

export function pauseOf(decision: Decision): Pause | undefined {
  return firstOf(({ pause }) => pause?.(decision));
}

export function guardState(decision: Decision, approved: Approved): GuardState | undefined {
  return firstOf(({ shown }) => shown?.(decision, approved));
}

/** For whoever approves while the decision is not sent yet; `counts`: so does their approval. */
export function meanwhile(decision: Decision, counts: boolean, now: number): Statement {
  return firstOf((guard) => guard.meanwhile?.(decision, counts, now)) ?? { code: 'waiting' };
}

/** Whether the decision can be undone until it is sent. */
export function canBeUndone(decision: Decision): boolean {
  return GUARDS.some((guard) => guard.canBeUndone?.(decision));
}

/** Whether decisions on this route can be undone. */
export function isUndoOn(route: Route): boolean {
  return GUARDS.some(({ isOn }) => isOn?.(route));
}

/** For the author of one that is not sent, because the store may have lost that it was undone. */
export function lostUndo(decision: Decision): Statement {
  const guard = GUARDS.find((each) => each.canBeUndone?.(decision));
  return guard?.lost ?? { code: 'reopened' };
}

function firstOf<Found>(ask: (guard: Guard) => Found | undefined): Found | undefined {
  for (const guard of GUARDS) {
    const found = ask(guard);
    if (found !== undefined) return found;
  }
  return undefined;
}
