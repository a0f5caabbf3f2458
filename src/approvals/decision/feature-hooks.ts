import type { Due } from '../../core/engine/first-due.ts';
import type { Applied } from '../../core/engine/flow.ts';
import type { Approval } from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';
import type { DecidedFacts, FeatureHooks, Withdraw, WithdrawnFacts } from './feature-hook.ts';
import { receiveReport, results } from './result.ts';
import type { FeatureSignal, FeatureSignals } from './signal.ts';
import type { Statement } from './statement.ts';
import { receiveSupersede, supersede, superseding } from './supersede.ts';
import { withdrawing } from './withdrawing.ts';

/** What each feature adds, in the order in which it is stored. */
const FEATURES: readonly FeatureHooks[] = [superseding, withdrawing, results];

type Receive<Kind extends keyof FeatureSignals> = (
  approval: Approval,
  body: FeatureSignal<Kind>,
  terms: Terms,
  at: number,
  withdraw: Withdraw,
) => Applied<Approval>;

/** Their signals. */
const RECEIVERS: { readonly [Kind in keyof FeatureSignals]: Receive<Kind> } = {
  report: receiveReport,
  supersede: receiveSupersede,
};

/** Their steps, which people wait for least. */
export const FEATURE_STEPS = {
  supersede,
};

type FeatureSteps = typeof FEATURE_STEPS;

export type FeatureStep = Parameters<FeatureSteps[keyof FeatureSteps]['execute']>[3];

export function dueFeatureSteps(
  approval: Approval,
  _terms: Terms,
  now: number,
): readonly Due<FeatureStep>[] {
  return Object.values(FEATURE_STEPS).map(({ due }) => due(approval, now));
}

export function receiveByFeature(
  approval: Approval,
  body: FeatureSignal,
  terms: Terms,
  at: number,
  withdraw: Withdraw,
): Applied<Approval> {
  // as: the receiver of its kind
  const receive = RECEIVERS[body.kind] as Receive<keyof FeatureSignals>;
  return receive(approval, body, terms, at, withdraw);
}

/** The store's lists that an open approval is on. */
export function featureLists(approval: Approval): readonly string[] {
  return FEATURES.flatMap((hooks) => hooks.lists?.(approval) ?? []);
}

/** What the message shows of an outcome. */
export function decidedFacts(approval: Approval, now: number): DecidedFacts {
  return merged((hooks) => hooks.decided?.(approval, now));
}

/** What it shows of a withdrawn request. */
export function withdrawnFacts(approval: Approval): WithdrawnFacts {
  return merged((hooks) => hooks.left?.(approval));
}

/** When that changes without anything else happening; undefined: never. */
export function changesAt(approval: Approval): number | undefined {
  const times = FEATURES.flatMap((hooks) => hooks.changesAt?.(approval) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Whether lists show the two differently. */
export function isNews(before: Approval, after: Approval): boolean {
  return FEATURES.some((hooks) => hooks.isNews?.(before, after));
}

/** For somebody who decided a request that was withdrawn. */
export function withdrawn(approval: Approval): Statement {
  for (const hooks of FEATURES) {
    const statement = hooks.withdrawn?.(approval);
    if (statement !== undefined) return statement;
  }
  return { code: 'withdrawn' };
}

/** Whether a signal of this kind keeps a decision from being sent. */
export function isCallingOff(kind: string): boolean {
  return FEATURES.some(({ callsOff }) => callsOff === kind);
}

function merged<Facts extends object>(
  ask: (hooks: FeatureHooks) => Facts | undefined,
): Facts | object {
  return Object.assign({}, ...FEATURES.map(ask));
}
