import { FRESH_MS } from '../../core/engine/attempt.ts';
import type { Due } from '../../core/engine/first-due.ts';
import type { Applied } from '../../core/engine/flow.ts';
import { type Approval, type Ballot, isOpen } from '../approval.ts';
import type { Accepted } from '../electorate/authorization.ts';
import type { Bar, BarRules, Moment } from '../electorate/bar.ts';
import { ALL_BARS, BARS, electorateOf } from '../electorate/electorate.ts';
import type { StepRules } from '../electorate/step-rules.ts';
import { tally } from '../electorate/tally.ts';
import type { RouteTerms, Terms } from '../electorate/terms.ts';
import { selfApprovalIn, slackIdsOf } from '../electorate/votes.ts';
import { retryUnsent, stopSending } from './decision.ts';
import { refusedEntry, withoutDecision } from './reauthorize.ts';
import type { BarSignal } from './signal.ts';
import { owe } from './transitions.ts';

/**
 * No approval counts, and none is sent or recorded, while the electorate is barred (`electorate/bar.ts`). What bars it is
 * read in time: `plan.ts` has the places of the moments.
 */

type All = typeof BARS;

type ReadOf<Kind extends keyof All> = Parameters<All[Kind]['execute']>[3];

export type ReadBar = { readonly [Kind in keyof All]: ReadOf<Kind> }[keyof All];

type AnyBar = BarRules<ReadBar, { readonly kind: string }>;

const EACH = Object.entries<AnyBar>(BARS);

/** Their steps. */
// as: the keys of the table
export const BAR_STEPS = Object.fromEntries(EACH.map(([kind, bar]) => [kind, stepRules(bar)])) as {
  readonly [Kind in keyof All]: StepRules<ReadOf<Kind>, Awaited<ReturnType<All[Kind]['execute']>>>;
};

/** The first read that is due at that moment. */
export function dueBar(moment: Moment) {
  return (approval: Approval, terms: Terms, now: number): Due<ReadBar> => {
    const dues = EACH.map(([, { due }]) => due[moment]?.(approval, terms, now) ?? null);
    const steps = dues.filter((due) => due !== null && typeof due !== 'number');
    const times = dues.filter((due) => typeof due === 'number');
    return steps[0] ?? (times.length === 0 ? null : Math.min(...times));
  };
}

/** Whether a signal of this kind says that one may have changed: an attempt that is only noted is not sent. */
export function isBarSignal<Body extends { readonly kind: string }>(
  body: Body,
): body is Extract<Body, BarSignal> {
  return ALL_BARS.some(({ signal }) => signal === body.kind);
}

/** It is read again. */
export function receiveBarChange(approval: Approval, { kind, changedAt }: BarSignal): Approval {
  const bar = ALL_BARS.find(({ signal }) => signal === kind);
  return (isOpen(approval) && bar?.changed(approval, changedAt)) || approval;
}

/** Why somebody's approval does not count now; undefined: it does. */
export function barFor(approval: Approval, { self }: Accepted, terms: RouteTerms): Bar | undefined {
  // After its time it is off, unless it was changed: it is read once more before anything is sent.
  const { bar } = electorateOf(approval, terms);
  return self === true && bar?.allowsLoud ? undefined : bar;
}

function stepRules<Step extends { readonly plannedAt: number }, Result>(
  bar: BarRules<Step, Result>,
): StepRules<Step, Result> {
  return {
    execute: bar.execute,

    apply(approval, step, result, terms, now) {
      const { data, isRead } = bar.apply(approval, step, result, terms, now);
      if (data === approval) return { data };
      const on = isRead ? electorateOf(data, { ...terms, asOf: now }).bar : undefined;
      if (on !== undefined) return unsent(data, on, bar, terms, now);
      // A store that always takes this long is as good as away: it would be read again without end.
      const isInTime = isRead && now <= step.plannedAt + FRESH_MS;
      const isToSend = !isInTime && bar.due.send?.(data, terms, now);
      return { data: isToSend ? retried(data, terms, now) : data };
    },
  };
}

/**
 * Without the store's answer nothing is sent: the decision waits, within the time for which a press is good. Other presses
 * are authorized, and it is read again before that.
 */
function retried(approval: Approval, terms: Terms, now: number): Approval {
  const { decision } = approval;
  if (decision === undefined) return approval;
  const failure = { class: 'not-sent', code: 'store_unavailable' } as const;
  const how = { code: 'could-not-check', waitsFor: 'check' } as const;
  return retryUnsent(approval, decision, failure, terms.timing, now, how);
}

/** One that may have been sent is only looked up; of one that was not, the last approval is spent. */
function unsent(
  approval: Approval,
  bar: Bar,
  { spent: noted }: Pick<BarRules<object, object>, 'spent'>,
  terms: Terms,
  now: number,
): Applied<Approval> {
  const { decision } = approval;
  const isPassing = bar.allowsLoud && selfApprovalIn(approval) !== undefined;
  if (decision?.action !== 'approve' || isPassing) return { data: approval };
  const { name, sends } = decision.phase;
  if (name === 'sending' || name === 'settle') return { data: approval };
  if (sends.ambiguous > 0) {
    const note = { why: 'barred', bar } as const;
    return { data: stopSending(approval, decision, terms.timing, now, note) };
  }
  const tried = sends.limited > 0 ? ({ wasTried: true } as const) : {};
  const spent = { code: 'barred', bar, wasCounted: true, ...tried } as const;
  const own = approval.ballots.find(
    (each) => each.action === 'approve' && slackIdsOf(each).includes(decision.by),
  );
  const left = spentUntilShort(approval, own, terms);
  const { channel } = approval;
  const others = left.spent.filter(({ user }) => user !== decision.by);
  const told = others.reduce(
    (owing, { user }) => owe(owing, { user, channel, at: now }, 'spent', spent, 'direct'),
    owe(left.data, decision.asker, 'closed', spent),
  );
  const entries = left.spent.map((ballot) => refusedEntry(ballot, bar.code));
  return withoutDecision(noted(told), terms, now, entries);
}

/** Without the last approval; and, of more than are needed, without the latest of them. */
function spentUntilShort(
  approval: Approval,
  own: Ballot | undefined,
  terms: Terms,
): { readonly data: Approval; readonly spent: readonly Ballot[] } {
  const spent: Ballot[] = [];
  let last = own;
  let data = approval;
  while (last !== undefined) {
    const { user } = last;
    spent.push(last);
    data = { ...data, ballots: data.ballots.filter((each) => each.user !== user) };
    if (!tally(electorateOf(data, terms), data.ballots).isEnough) break;
    last = data.ballots
      .filter(({ action }) => action === 'approve')
      .toSorted((one, other) => other.at - one.at)[0];
  }
  return { data, spent };
}
