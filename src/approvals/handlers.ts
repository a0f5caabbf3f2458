import type { Route } from '../http/router.ts';
import type { Listeners } from '../slack/register.ts';
import { type IntakeDependencies, intakeRoutes } from './intake.ts';
import { listingListeners, type ShowDependencies } from './list/slack.ts';
import { approvalListeners, type ListenerDependencies } from './slack.ts';

export type ApprovalDependencies = ListenerDependencies & IntakeDependencies & ShowDependencies;

/** The ways into approvals: what Slack sends, and what automations send. */
export function approvalHandlers(dependencies: ApprovalDependencies): {
  readonly listeners: readonly Listeners[];
  readonly routes: readonly Route[];
} {
  return {
    listeners: [approvalListeners(dependencies), listingListeners(dependencies)],
    routes: intakeRoutes(dependencies),
  };
}
