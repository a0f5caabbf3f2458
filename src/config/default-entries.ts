import type { Route, Source } from './config.ts';
import type { Environment } from './environment.ts';
import { readReviewers } from './read-reviewers.ts';
import { readIntakeSecrets } from './read-secrets.ts';
import { readChannel } from './slack-ids.ts';

/** What the environment calls its one source and its one route. */
export const DEFAULT = 'default';

/** The source of the environment; undefined when it has none. */
export function defaultSource(from: Environment): Source | undefined {
  const name = 'GATEPOST_INTAKE_SECRET';
  const secrets = from.read(name, () => readIntakeSecrets(from.list(name), 'bearer'), []);
  if (secrets.length === 0) return undefined;
  return {
    id: DEFAULT,
    auth: { kind: 'bearer' },
    secrets,
    routes: [DEFAULT],
    channels: [],
    kinds: ['approval'],
  };
}

/** The route of the environment; undefined when it has none. */
export function defaultRoute(from: Environment): Route | undefined {
  const reviewers = from.list('GATEPOST_REVIEWERS');
  const route: Route = {
    name: DEFAULT,
    channel: from.read('GATEPOST_CHANNEL', readChannel, ''),
    outcomes: {
      thread: true,
      channel: from.read('GATEPOST_OUTCOME_CHANNEL', readChannel, null),
      requester: true,
    },
    reviewers: from.read('GATEPOST_REVIEWERS', () => readReviewers(reviewers), readReviewers([])),
    quorum: 1,
    selfApproval: false,
    guests: false,
    reason: { approve: 'none', reject: 'none' },
    identity: defaultIdentity(from),
    remind: { afterMs: null, times: 3 },
  };
  return from.value('GATEPOST_CHANNEL') === undefined ? undefined : route;
}

/** Without the list of accounts few people could be found in the service. */
export function defaultIdentity(from: Environment): Route['identity'] {
  return from.value('SCIM_TOKEN') === undefined ? 'omit' : 'require';
}
