import type { Config } from '../config/config.ts';
import type { Flow } from '../reconcile/flow.ts';
import { type Approval, placeOf } from './approval.ts';
import { fold } from './fold.ts';
import { beginPost } from './fold-posted.ts';
import { beginRespond } from './fold-responded.ts';
import { beginUpdate } from './fold-updated.ts';
import { lastWord } from './last-word.ts';
import { listsOf } from './lists.ts';
import { type PerformNeeds, perform } from './perform.ts';
import { plan } from './plan.ts';
import type { Step, StepResult } from './step.ts';
import { decodeApproval, encodeApproval } from './stored-approval.ts';
import { encodeSignal, takeSignal } from './take.ts';
import type { Terms } from './terms.ts';

export interface ApprovalFlowNeeds extends PerformNeeds {
  readonly config: Pick<Config, 'watchMaxAgeMs' | 'retention'>;
  readonly random: () => number;
  /** How many approvals are polled in the background. */
  readonly pending: () => number;
  readonly servingSince: () => number;
}

export const APPROVAL_KIND = 'approval';

/** How approvals are reconciled. */
export function createApprovalFlow(needs: ApprovalFlowNeeds): Flow<Approval, Step, StepResult> {
  const terms = (approval: Approval): Terms => ({
    route: needs.routeNamed(approval.route),
    watchMaxAgeMs: needs.config.watchMaxAgeMs,
    keepMs: needs.config.retention.doneMs,
    servingSince: needs.servingSince(),
    budgetPerMinute: needs.budgetPerMinute,
    pending: needs.pending(),
    random: needs.random,
  });
  const foldResult = (approval: Approval, step: Step, result: StepResult, now: number) =>
    fold(approval, step, result, terms(approval), now);
  return {
    kind: APPROVAL_KIND,
    decode: (data, place) => decodeApproval({ data, place }),
    encode: encodeApproval,
    placeOf,
    listsOf,
    take: (approval, signal, now) =>
      takeSignal(approval, signal, (late, step, result) => foldResult(late, step, result, now)),
    plan: (approval, now) => plan(approval, terms(approval), now),
    begin,
    perform: (approval, step, id) => perform(needs, id, approval, step),
    fold: foldResult,
    resultSignal: (step, result) => encodeSignal({ kind: 'result', step, result }),
    describe: (step, result) => {
      const failure = failureIn(result);
      const beside = failure === undefined && 'beside' in result ? result.beside?.look : undefined;
      if (beside?.kind === 'failed') {
        return { step: 'look', result: beside.kind, failure: beside.failure };
      }
      return { step: step.kind, result: result.kind, ...(failure && { failure }) };
    },
    lastWord: (learned, noted, id, now) => lastWord(needs, id, learned, noted, now),
  };
}

function begin(approval: Approval, step: Step, now: number) {
  switch (step.kind) {
    case 'post':
      // Without the note nobody would look whether it was posted.
      return { data: beginPost(approval, step, now), durable: true };
    case 'update':
      return { data: beginUpdate(approval, step, now) };
    case 'respond':
      return beginRespond(approval, step, now);
    case 'look':
      // It leaves its list first: refused again, it goes to the end, and those behind it have their turn.
      return approval.watch.woken === undefined ? undefined : { data: approval };
    case 'alarm':
    case 'wake':
      // What it is about is saved first: the store may be gone when it is done.
      return { data: approval };
    default:
      return undefined;
  }
}

function failureIn(result: StepResult) {
  const end = result.kind === 'responded' ? result.end : result;
  return end.kind === 'failed' ? end.failure : undefined;
}
