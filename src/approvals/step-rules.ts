import type { Route } from '../core/config/config.ts';
import type { Core } from '../core/core.ts';
import type { Applied, MarkedAttempt } from '../core/engine/flow.ts';
import type { CallbackEnd } from '../core/http/callbacks.ts';
import type { Timing } from '../core/lib/timing.ts';
import type { ApprovalAlert } from './alert.ts';
import type { Approval, CallbackEvent } from './approval.ts';
import type { ServiceAnswers } from './decision/service-answers.ts';
import type { Terms } from './electorate/policy.ts';
import { type PresentRoute, presentRoute } from './electorate/reviewers.ts';

/**
 * Everything about one kind of step, except when it is due, which `plan.ts` asks in order. A step is one thing to do
 * next, with at most one external call.
 */
export interface StepRules<Step, Result> {
  /**
   * Notes an attempt at the step, to be saved before it is executed. Left out or undefined: it changes nothing
   * elsewhere.
   */
  markAttempt?(
    approval: Approval,
    step: Step,
    timing: Timing,
    now: number,
  ): MarkedAttempt<Approval> | undefined;
  /** Makes the external call. Failures of other systems are results; only our own mistakes throw. */
  execute(core: ApprovalCore, id: string, approval: Approval, step: Step): Promise<Result>;
  /** Applies the result. Pure; handles late and repeated results. */
  apply(
    approval: Approval,
    step: Step,
    result: Result,
    terms: Terms,
    now: number,
  ): Applied<Approval>;
  /** Alerts for administrators after a step with this result. Default: what Slack refuses. */
  alerts?(before: Approval, step: Step, result: Result, after: Approval): readonly ApprovalAlert[];
}

/** Send a callback: the only step whose call outlives it. */
export interface CallBack {
  readonly kind: 'call-back';
  readonly event: CallbackEvent;
  readonly at: number;
  readonly plannedAt: number;
}

/** What steps work with. */
export interface ApprovalCore extends Core {
  readonly serviceAnswers: ServiceAnswers;
  /** How many approvals are polled in the background. */
  readonly pending: () => number;
  /** Adds the result of a call that outlives its step to the record's inbox. */
  readonly deliverResult: (id: string, step: CallBack, result: Promise<CallbackEnd>) => void;
}

/** undefined: no longer configured. */
export function routeNamed({ config }: Core, name: string): Route | undefined {
  return config.routes.find((route) => route.name === name);
}

/** The approval's route as it is now. */
export function routeFor(core: Core, approval: Approval): PresentRoute | undefined {
  const route = routeNamed(core, approval.route);
  const isFixed = route === undefined || route.escalate.length === 0;
  return isFixed ? route : presentRoute(route, approval, core.store.now());
}

/** The terms that its messages need. */
export function messageTerms(core: Core, approval: Approval) {
  const { config, links } = core;
  const { callback } = config.sources.find(({ id }) => id === approval.source) ?? {};
  const usual = [config.service?.baseUrl, callback?.url];
  const usualHosts = usual.flatMap((url) => (url === undefined ? [] : [hostOf(url)]));
  return { route: routeFor(core, approval), links, usualHosts };
}

function hostOf(url: string): string {
  const host = HOSTS.get(url) ?? new URL(url).host;
  HOSTS.set(url, host);
  return host;
}

/** By addresses of the configuration. */
const HOSTS = new Map<string, string>();
