import type { Folded } from '../reconcile/flow.ts';
import type { Approval, Click, Decision } from './approval.ts';
import { foldDecideFailure } from './fold-decide.ts';
import { CLOSED } from './sentences.ts';
import type { StepResult } from './step.ts';
import { EXAMINED_GOOD_FOR_MS } from './timing.ts';
import { closeDecision } from './transitions.ts';
import { isUnreached } from './trouble.ts';

/** Whoever made a decision that was held up is examined again before it is sent. */

/** The press to examine again; undefined: the word that its person may decide is young enough. */
export function dueRecheck(decision: Decision, now: number): Click | undefined {
  const { phase, examinedAt = decision.at } = decision;
  const isUnsent = phase.name === 'look' || phase.name === 'send';
  // What may have been taken is sent again as it was.
  if (!isUnsent || phase.sends.ambiguous > 0) return undefined;
  return now > examinedAt + EXAMINED_GOOD_FOR_MS ? clickOf(decision) : undefined;
}

function clickOf({ at, by, action, asker }: Decision): Click {
  return { id: `again-${at}`, user: by, channel: asker.channel, at, action };
}

/** Whether a press is that of `dueRecheck`, of this very decision. */
export function isRecheck(decision: Decision | undefined, { id }: Click): decision is Decision {
  return decision !== undefined && id === clickOf(decision).id;
}

/** Folds what was found out about a person whose decision is not sent yet. */
export function foldRechecked(
  approval: Approval,
  decision: Decision,
  result: StepResult,
  now: number,
): Folded<Approval> {
  const { phase, by, action } = decision;
  if (phase.name !== 'look' && phase.name !== 'send') return { data: approval };
  if (result.kind === 'failed') {
    const { failure, of } = result;
    const isRefused = failure.class === 'refused' && failure.status !== 429;
    const passing = of === 'service' && isUnreached(failure) ? undefined : 'could-not-check';
    const code = isRefused ? 'may-not-check' : passing;
    return { data: foldDecideFailure(approval, decision, failure, now, code) };
  }
  if (result.kind === 'not-allowed') {
    const facts = { action, refused: result.code };
    const audit = [{ action: 'approvals.ballot', record: null, actor: by, facts }];
    return { data: closeDecision(approval, CLOSED['may-no-more']), audit };
  }
  if (result.kind !== 'accepted') throw new Error(`an examination does not end as ${result.kind}`);
  const { serviceUser, ...rest } = decision;
  const examined = { ...rest, ...userIn(result), examinedAt: now };
  const ballots = approval.ballots.map(({ serviceUser: before, ...ballot }) => ({
    ...ballot,
    ...userIn(ballot.user === by ? result : { serviceUser: before }),
  }));
  return { data: { ...approval, ballots, decision: examined } };
}

function userIn({ serviceUser }: { readonly serviceUser?: string | undefined }) {
  return serviceUser === undefined ? {} : { serviceUser };
}
