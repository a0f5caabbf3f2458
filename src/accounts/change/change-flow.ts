import { applyReport, beginReport } from '../../operations/apply-report.ts';
import { firstPhase } from '../../operations/sending.ts';
import type { Begun, Flow, Folded } from '../../reconcile/flow.ts';
import type { Signal } from '../../store/store.ts';
import {
  type AccountChange,
  CHANGE_KIND,
  decodeChange,
  encodeChange,
  isRepeatable,
} from './account-change.ts';
import type { ChangeStep, ChangeStepResult } from './change-step.ts';
import { entryOf } from './ending.ts';
import { foldChecked, foldGuarded } from './fold-checked.ts';
import { foldLook } from './fold-look.ts';
import { beginSend, foldSent } from './fold-sent.ts';
import { type PerformChangeNeeds, performChange } from './perform-change.ts';
import { planChange } from './plan-change.ts';

/** What happens to a change from outside, as its inbox holds it. Written and read by Gatepost alone. */
export type ChangeSignal =
  /** The person wants the same tried once more; `run`: what they saw. */
  | { readonly kind: 'again'; readonly run?: number }
  /** A result that its worker could not save, because somebody else holds the record. */
  | { readonly kind: 'result'; readonly step: ChangeStep; readonly result: ChangeStepResult };

export interface ChangeFlowNeeds extends PerformChangeNeeds {
  /** How long a finished change is kept. */
  readonly keepMs: number;
}

/** How changes of accounts are reconciled. */
export function createChangeFlow(
  needs: ChangeFlowNeeds,
): Flow<AccountChange, ChangeStep, ChangeStepResult> {
  return {
    kind: CHANGE_KIND,
    decode: decodeChange,
    encode: encodeChange,
    placeOf: () => null,
    take: takeChangeSignal,
    plan: (change, now) => planChange(change, needs, now),
    begin,
    perform: (change, step, id) => performChange(needs, id, change, step),
    fold: foldChange,
    resultSignal: (step, result) => encodeChangeSignal({ kind: 'result', step, result }),
    describe: (step, result) => ({
      step: `account-${step.kind}`,
      result: result.kind === 'answered' ? result.answer.kind : result.kind,
      ...(result.kind === 'failed' && { failure: result.failure }),
    }),
  };
}

export function encodeChangeSignal(signal: ChangeSignal): string {
  return JSON.stringify(signal);
}

function takeChangeSignal(
  change: AccountChange,
  { body }: Signal,
  now: number,
): Folded<AccountChange> {
  // as: written by `encodeChangeSignal` alone
  const signal = JSON.parse(body) as ChangeSignal;
  if (signal.kind === 'result') return foldChange(change, signal.step, signal.result, now);
  if (!isRepeatable(change) || (signal.run ?? 0) !== (change.run ?? 0)) return { data: change };
  const { outcome, doubt, ...rest } = change;
  // What was lost must not arrive behind what is sent now.
  const phase = firstPhase(Math.max(now, doubt?.quietAt ?? 0));
  const data = {
    ...rest,
    run: (change.run ?? 0) + 1,
    phase,
    ...(doubt !== undefined && { doubt: { ...doubt, lost: 0 } }),
  };
  return { data, audit: [entryOf(change, 'people.again')] };
}

/** What is noted before it is tried. */
function begin(
  change: AccountChange,
  step: ChangeStep,
  now: number,
): Begun<AccountChange> | undefined {
  switch (step.kind) {
    case 'send':
      return { ...beginSend(change, step, now), durable: true };
    case 'check':
    case 'guard':
    case 'look':
      return undefined;
    default:
      return beginReport(change, step, now);
  }
}

/** Folds a step's result in: pure, and the same for a result that comes late or twice. */
function foldChange(
  change: AccountChange,
  step: ChangeStep,
  result: ChangeStepResult,
  now: number,
): Folded<AccountChange> {
  switch (step.kind) {
    case 'check':
      return foldChecked(change, result, now);
    case 'guard':
      return foldGuarded(change, result, now);
    case 'send':
      return foldSent(change, step, result, now);
    case 'look':
      return foldLook(change, step, result, now);
    default:
      return applyReport(change, 'people.post', step, result, now);
  }
}
