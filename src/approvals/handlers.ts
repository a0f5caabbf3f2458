import type { Config } from '../config/config.ts';
import type { Route } from '../http/router.ts';
import { sourceFinder } from '../http/source-of.ts';
import type { Listeners } from '../slack/register.ts';
import type { SealedText } from './approval.ts';
import { answerTrouble, type TroubleNeeds } from './cast-ballot.ts';
import { type IntakeNeeds, intakeRoutes } from './intake.ts';
import { listingListeners, type ShowNeeds } from './list/slack.ts';
import { approvalListeners, type ListenerNeeds } from './slack.ts';

export interface EntranceNeeds
  extends Omit<IntakeNeeds, 'sourceOf' | 'routeNamed' | 'seal' | 'store'>,
    Omit<ListenerNeeds, 'answerTrouble' | 'seal' | 'store' | 'reconciler'>,
    Omit<ShowNeeds, 'store'>,
    Omit<TroubleNeeds, 'store'> {
  readonly store: IntakeNeeds['store'] & ShowNeeds['store'];
  readonly sources: Config['sources'];
  readonly routes: Config['routes'];
  readonly seal: (plain: string, what: SealedText) => string;
}

/** The ways into approvals: what Slack sends, and what automations send. */
export function approvalEntrances(needs: EntranceNeeds): {
  readonly listeners: readonly Listeners[];
  readonly routes: readonly Route[];
} {
  const presses = approvalListeners({
    ...needs,
    answerTrouble: (kind, press) => answerTrouble(needs, kind, press),
  });
  return {
    listeners: [presses, listingListeners(needs)],
    routes: intakeRoutes({
      ...needs,
      sourceOf: sourceFinder(needs.sources),
      routeNamed: (name) => needs.routes.find((route) => route.name === name),
    }),
  };
}
