import { type Approval, type Decision, NO_SENDS } from '../../src/approvals/approval.ts';
import { receiveSignal as receive } from '../../src/approvals/decision/receive.ts';
import type { ServiceAnswers } from '../../src/approvals/decision/service-answers.ts';
import type { ApprovalSignal } from '../../src/approvals/decision/signal.ts';
import type { ClosedCode, Statement } from '../../src/approvals/decision/statement.ts';
import { toldWithdrawn } from '../../src/approvals/decision/transitions.ts';
import type { Terms } from '../../src/approvals/electorate/terms.ts';
import { plan as planned } from '../../src/approvals/plan.ts';
import {
  applyResult as apply,
  markAttempt,
  type Step,
  type StepResult,
} from '../../src/approvals/steps.ts';
import type { MessageState } from '../../src/approvals/tell/message/message-state.ts';
import { replySentence } from '../../src/approvals/tell/message/reply-sentence.ts';
import { worded } from '../../src/approvals/tell/reply.ts';
import type { Route } from '../../src/core/config/config.ts';
import type { Applied, Plan } from '../../src/core/engine/flow.ts';
import { systemTimers } from '../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import { createSlackLinks, type SlackLinks } from '../../src/core/slack/links.ts';
import type { Lookup } from '../../src/core/slack/lookup.ts';
import type { SlackPerson } from '../../src/core/slack/slack-person.ts';
import type { Signal } from '../../src/core/store/store.ts';
import { fake } from '../support/fake.ts';

export const NOW = 1_790_000_000_000;

/** A posted, pending approval, with a test's changes. */
export function approvalWith(change: Partial<Approval> = {}): Approval {
  return {
    token: 'sealed-token',
    source: 'default',
    route: 'production',
    channel: 'C0PROD',
    createdAt: NOW,
    title: 'Deploy 4.2',
    message: 'To production?',
    posts: [{ name: 'message', channel: 'C0PROD', ts: '17.1' }],
    watch: { state: 'pending', nextAt: NOW + 15_000 },
    queue: [],
    ballots: [],
    replies: [],
    ...change,
  };
}

const long = 'x'.repeat(5_000);
const address = `https://example.com/${'x'.repeat(580)}`;

/** Each of its texts is as long as a message ever shows. */
export const LONGEST: Approval = approvalWith({
  title: `${address} ${long}`,
  message: long,
  change: long,
  fields: Array.from({ length: 20 }, (_, at) => [`${at}${long}`, long] as const),
  link: address,
  requester: { name: long },
});

export function routeWith(change: Partial<Route> = {}): Route {
  return {
    name: 'production',
    channel: 'C0PROD',
    outcomes: { thread: true, channel: null, requester: true },
    reviewers: { users: ['U0ANA', 'U0BEN'], groups: [], channel: false },
    quorum: 1,
    need: [],
    escalate: [],
    quiet: { users: [], groups: [] },
    substitutes: false,
    hold: 0,
    selfApproval: false,
    guests: false,
    requester: 'any',
    reason: { approve: 'none', reject: 'none' },
    confirm: false,
    several: false,
    closed: [],
    closers: { users: [], groups: [] },
    closedAllows: 'none',
    identity: 'require',
    remind: { afterMs: null, times: 3 },
    ...change,
  };
}

export function termsWith(change: Partial<Route> = {}): Terms {
  return {
    route: routeWith(change),
    asOf: NOW,
    timing: TRUE_TIME,
    watchMaxAgeMs: 7 * 86_400_000,
    keepMs: 86_400_000,
    decidedMs: 0,
    budgetPerMinute: 240,
    pending: 1,
    isDenying: false,
    servingSince: 0,
    wentBackAt: 0,
    random: () => 0.5,
  };
}

/** People are named by their ids. */
export const LINKS: SlackLinks = createSlackLinks({
  workspaceUrl: 'https://acme.slack.com/',
  lookup: fake<Lookup>({ lastSeen: () => fake<SlackPerson>({ displayName: '' }) }),
  timers: systemTimers,
});

export const WAITING: Extract<MessageState, { name: 'waiting' }> = {
  name: 'waiting',
  approvedBy: [],
  needed: 1,
  prompt: false,
};

/** Ben's approval, before the service was asked. */
export const DECIDING: Decision = {
  action: 'approve',
  by: 'U0BEN',
  at: NOW,
  asker: { user: 'U0BEN', channel: 'C0PROD', at: NOW },
  phase: { name: 'check', tries: 0, notBefore: NOW, sends: NO_SENDS },
};

/** The next step, or what is waited for, on a route that is open: that is read in between. */
export function plan(approval: Approval, terms: Terms, now: number): Plan<Step> {
  const next = planned(approval, terms, now);
  if (next.kind !== 'step' || next.step.kind !== 'read-closing') return next;
  const read = apply(approval, next.step, { kind: 'closing-read', closing: null }, terms, now);
  return planned(read.data, terms, now);
}

/** As it is saved before a step is tried. */
export function attempted(approval: Approval, step: Step, now: number): Approval {
  const marked = markAttempt(approval, step, TRUE_TIME, now);
  if (marked === undefined) throw new Error(`${step.kind} needs no note`);
  return marked.data;
}

/** With the words of its replies. */
export function inWords(approval: Approval): Approval {
  return worded(approval, termsWith());
}

/** What a reply says. */
export function said(statement: Statement): string {
  return replySentence(statement, approvalWith(), termsWith());
}

export function closedSentence(why: ClosedCode, detail?: string): string {
  return said({ code: 'closed', why, detail });
}

/** After a step's result, with the words of its replies. */
export function applyResult(
  approval: Approval,
  step: Step,
  result: StepResult,
  terms: Terms,
  now: number,
): Applied<Approval> {
  const applied = apply(approval, step, result, terms, now);
  return { ...applied, data: worded(toldWithdrawn(applied.data), terms) };
}

/** After a signal, with the words of its replies. */
export function receiveSignal(
  approval: Approval,
  signal: Signal,
  body: ApprovalSignal,
  terms: Terms,
): Applied<Approval> {
  const received = receive(approval, signal, body, terms);
  return { ...received, data: worded(received.data, terms) };
}

/** The approval after a step's result. */
export function applied(
  approval: Approval,
  step: Step,
  result: StepResult,
  now = NOW,
  terms = termsWith(),
): Approval {
  return applyResult(approval, step, result, terms, now).data;
}

export function received(
  approval: Approval,
  signal: Pick<Signal, 'id' | 'at' | 'body'>,
  terms = termsWith(),
): Approval {
  return receiveSignal(approval, signal, JSON.parse(signal.body), terms).data;
}

/** The dependencies of steps in addition to the core, for tests that use none. */
export const NO_STEPS = {
  serviceAnswers: fake<ServiceAnswers>({}),
  pending: () => 0,
  deliverResult: () => {},
};
