import type { Applied, Flow, LastWord } from '../core/engine/flow.ts';
import type { FailureFacts } from '../core/lib/failure.ts';
import { APPROVAL_KIND, type Approval, isOwnGate, messagePost, placeOf } from './approval.ts';
import type { ApprovalCore } from './decision/approval-core.ts';
import { isBarSignal } from './decision/bars.ts';
import { isCallingOff } from './decision/feature-hooks.ts';
import { listsOf } from './decision/lists-of.ts';
import { isPause } from './decision/pause.ts';
import { receiveSignal } from './decision/receive.ts';
import type { ApprovalSignal } from './decision/signal.ts';
import { isUnconfirmed, markUnknown, owe, toldWithdrawn } from './decision/transitions.ts';
import { routeTerms } from './electorate/route-for.ts';
import type { Terms } from './electorate/terms.ts';
import { withHistory } from './history.ts';
import { plan } from './plan.ts';
import {
  applyResult,
  executeStep,
  failureIn,
  markAttempt,
  type Step,
  type StepResult,
} from './steps.ts';
import { decodeApproval, encodeApproval } from './stored-approval.ts';
import { withCallbacks } from './tell/call-back.ts';
import { messageStateOf } from './tell/message/message-state.ts';
import { withStaleHomes } from './tell/refresh-home.ts';
import { deliverReply, worded } from './tell/reply.ts';
import { showState } from './tell/update.ts';

/** How approvals are reconciled. */
export function createApprovalFlow(core: ApprovalCore): Flow<Approval, Step, StepResult> {
  const { config, timing } = core;
  const random = () => core.random.fraction();
  /** Made for each plan and each result: written out, since spread syntax takes several times as long. */
  const terms = (approval: Approval): Terms => {
    const { route, asOf } = routeTerms(core, approval);
    return {
      route,
      asOf,
      timing,
      watchMaxAgeMs: config.watchMaxAgeMs,
      keepMs: config.retention.doneMs,
      decidedMs: config.retention.decidedMs,
      servingSince: core.store.servingSince(),
      wentBackAt: core.store.wentBackAt(),
      budgetPerMinute: config.budgetPerMinute,
      pending: core.pending(),
      isDenying: core.serviceAnswers.isDenying(),
      random,
    };
  };
  const apply = (approval: Approval, step: Step, result: StepResult, now: number) => {
    const rules = terms(approval);
    const applied = applyResult(approval, step, result, rules, now);
    return told(approval, applied, rules, now, readFailure(step, result));
  };
  /** Words the replies, and adds the Home tabs to refresh, the history and the callbacks that the source is owed. */
  const told = (
    before: Approval,
    applied: Applied<Approval>,
    rules: Terms,
    now: number,
    failure?: FailureFacts,
  ) => {
    const replied = worded(withStaleHomes(before, toldWithdrawn(applied.data)), rules);
    const noted = withHistory(before, { ...applied, data: replied }, now, failure);
    const { data } = noted;
    const isWanted = core.callbacks.isWanted(before.source);
    return { ...noted, data: isWanted ? withCallbacks(before, data, now) : data };
  };
  return {
    kind: APPROVAL_KIND,
    decode: (data, place) => decodeApproval({ data, place }),
    encode: encodeApproval,
    placeOf,
    listsOf,
    // With a token, the service knows the outcome too.
    mustLast: (noted, learned) =>
      isOwnGate(learned) && noted.outcome === undefined && learned.outcome !== undefined,
    receive(approval, signal, now) {
      // as: only `encodeSignal` writes it
      const body = JSON.parse(signal.body) as ApprovalSignal;
      const rules = terms(approval);
      return told(approval, receiveSignal(approval, signal, body, rules), rules, now);
    },
    // A late authorization is too old to decide by, and the decision may have changed since: the click is authorized
    // again. A late pause is too long: the time until another worker took over does not count towards it. A Home tab may
    // have become stale again, and the store may have lost the alert or the signals to a resumed list.
    isTooLate: (step) =>
      step.kind === 'authorize' ||
      isPause(step) ||
      step.kind === 'refresh-home' ||
      step.kind === 'alert' ||
      step.kind === 'resume' ||
      (step.kind === 'respond' && step.isOwn === true),
    // A decision that was withdrawn, replaced or undone in time, or whose route was closed, is not sent.
    callsOff({ body }, step) {
      const signal = JSON.parse(body) as ApprovalSignal; // as: only `encodeSignal` writes it
      const isAskedAgain = signal.kind === 'check' && signal.again !== undefined;
      return (
        isAskedAgain ||
        CALLS_OFF.has(signal.kind) ||
        isCallingOff(signal.kind) ||
        isBarSignal(signal) ||
        (isPause(step) && signal.kind === 'ballot')
      );
    },
    plan: (approval, now) => plan(approval, terms(approval), now),
    markAttempt(approval, step, now) {
      const marked = markAttempt(approval, step, timing, now);
      return marked && withHistory(approval, marked, now);
    },
    execute: (approval, step, id) => executeStep(core, id, approval, step),
    apply,
    describe: (step, result) => {
      const failure = failureIn(result);
      const beside = failure === undefined && 'beside' in result ? result.beside?.look : undefined;
      if (beside?.kind === 'failed') {
        return { step: 'read-status', result: beside.kind, failure: beside.failure };
      }
      const look = result.kind === 'status' ? result : beside;
      const unknownWord = look?.kind === 'status' ? look.answer.raw : null;
      return {
        step: step.kind,
        result: result.kind,
        ...(failure && { failure }),
        ...(unknownWord !== null && { unknownWord }),
      };
    },
    lastWord: (learned, noted, id, now) => lastWord(core, id, learned, noted, now),
  };
}

/** Why a read of the status failed, unless it did not count. */
function readFailure(step: Step, result: StepResult): FailureFacts | undefined {
  if (step.kind === 'read-status') return failureIn(result);
  const look = 'beside' in result && result.kind !== 'failed' ? result.beside?.look : undefined;
  return look?.kind === 'failed' ? look.failure : undefined;
}

const CALLS_OFF: ReadonlySet<ApprovalSignal['kind']> = new Set(['withdraw', 'take-back']);

/** Tells people who pressed that nothing was sent, if that is certain. */
function withoutUnsent(approval: Approval): Approval {
  const { decision, ...rest } = approval;
  const isUnsent = decision !== undefined && !isUnconfirmed(decision);
  const askers = isUnsent ? [...approval.queue, decision.asker] : approval.queue;
  return askers.reduce<Approval>(
    (owing, asker) => owe(owing, asker, 'trouble', { code: 'not-stored' }),
    // So that the message does not show them as waiting.
    { ...(isUnsent ? rest : approval), queue: [] },
  );
}

/**
 * The last result for an approval whose record is gone: updates the message, and delivers the replies that are owed. An
 * unconfirmed decision can no longer be looked up.
 */
function lastWord(
  core: ApprovalCore,
  id: string,
  learned: Approval,
  noted: Approval,
  now: number,
): LastWord {
  // Nobody saved it, and an own gate's outcome is what its record says.
  const isUnsaved = isOwnGate(learned) && noted.outcome === undefined;
  const unsent = withoutUnsent(isUnsaved ? noted : learned);
  const ended =
    unsent.decision === undefined ? unsent : markUnknown(unsent, 'unsure', core.timing, now);
  const terms = { ...routeTerms(core, ended), timing: core.timing };
  const last = worded(ended, terms);
  const { outcome, replies } = last;
  const { action } = noted.decision ?? {};
  return {
    facts: {
      ...(action !== undefined && { action }),
      status: outcome?.status ?? (last.watch.state === 'unknown' ? 'UNKNOWN' : 'PENDING'),
    },
    async show() {
      if (messagePost(last).ts !== undefined) {
        await showState(core, id, last, messageStateOf(last, terms, now));
      }
      for (const owed of replies) await deliverReply(core, id, last, owed);
    },
  };
}
