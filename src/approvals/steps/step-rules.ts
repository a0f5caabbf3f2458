import type { Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { Applied, MarkedAttempt } from '../../core/engine/flow.ts';
import type { CallbackEnd } from '../../core/http/callbacks.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { ApprovalAlert } from '../alert.ts';
import type { Approval, CallbackEvent } from '../approval.ts';
import type { Terms } from '../policy.ts';
import { type PresentRoute, presentRoute } from '../reviewers.ts';
import type { ServiceAnswers } from '../service-answers.ts';

/**
 * All that is said of one kind of step, but for when it is due, which `plan.ts` asks in order. A step
 * is one thing to do next: at most one external call.
 */
export interface StepRules<Step, Result> {
  /**
   * Notes that the step is about to be tried, to be saved before it is. Left out, or undefined: it
   * changes nothing elsewhere, and needs no note.
   */
  markAttempt?(
    approval: Approval,
    step: Step,
    timing: Timing,
    now: number,
  ): MarkedAttempt<Approval> | undefined;
  /** Makes the one external call. What fails elsewhere is a result; only our own mistakes throw. */
  execute(core: ApprovalCore, id: string, approval: Approval, step: Step): Promise<Result>;
  /** Applies the result: pure, and the same for a result that comes late or twice. */
  apply(
    approval: Approval,
    step: Step,
    result: Result,
    terms: Terms,
    now: number,
  ): Applied<Approval>;
  /**
   * What administrators have to know of a step that ended so, and made `after` of `before`. Left out:
   * what Slack refuses.
   */
  alerts?(before: Approval, step: Step, result: Result, after: Approval): readonly ApprovalAlert[];
}

/** Tell the source of something: the one step whose call goes on when it has ended. */
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
  /** Puts the result of a step that goes on without the lease into its record's inbox, once it is there. */
  readonly deliverResult: (id: string, step: CallBack, result: Promise<CallbackEnd>) => void;
}

/** undefined: it is not configured any more. */
export function routeNamed({ config }: Core, name: string): Route | undefined {
  return config.routes.find((route) => route.name === name);
}

/** The approval's route as it stands now. */
export function routeFor(core: Core, approval: Approval): PresentRoute | undefined {
  const route = routeNamed(core, approval.route);
  const isFixed = route === undefined || route.escalate.length === 0;
  return isFixed ? route : presentRoute(route, approval, core.store.now());
}

/** What is said in Slack of an approval needs that. */
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
