import type { IntakeCore } from '../approvals/ways-in/intake-calls.ts';
import { openapiRoute } from '../core/http/openapi.ts';
import type { Route } from '../core/http/router.ts';
import type { Listeners } from '../core/slack/listeners.ts';
import { listenToRequestCheck } from '../core/slack/request-check.ts';
import { StoreError } from '../core/store/store.ts';
import { WIRED } from './wiring.ts';

/** The doctor waits for a minute. */
const REQUEST_CHECK_MS = 600_000;

/** Registers all features' Slack listeners. Returns their HTTP routes. */
export function registerHandlers(app: Listeners, core: IntakeCore): readonly Route[] {
  for (const { off, listen } of WIRED)
    if (off === undefined || core.config.service !== null) listen?.(app, core);
  listenToRequestCheck(app, (key) => core.store.put(key, '1', REQUEST_CHECK_MS));
  const documented = openapiRoute(() => {
    const all = WIRED.map(({ documented }) => documented?.());
    return {
      paths: Object.assign({}, ...all.map((each) => each?.paths)),
      webhooks: Object.assign({}, ...all.map((each) => each?.webhooks)),
    };
  });
  return [...WIRED.flatMap(({ routes }) => routes?.(core) ?? []), documented];
}

export interface RuleFollower {
  /** Does what follows from the rules as they were read now. Never rejects for the store's sake: it tries again later. */
  follow(): Promise<void>;
  stop(): void;
}

type Ruled = (core: IntakeCore) => Promise<void>;

export function createRuleFollower(
  core: IntakeCore,
  all: readonly Ruled[] = WIRED.flatMap(({ ruled }) => ruled ?? []),
): RuleFollower {
  const { logger, timers } = core;
  let cancel = () => {};
  let isStopped = false;
  const noted = (error: unknown) =>
    logger.warn({ err: error }, 'could not look for closed routes in the rules');
  const follow = async () => {
    cancel();
    try {
      for (const ruled of all) await ruled(core);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      noted(error);
      cancel();
      if (!isStopped) cancel = timers.after(RULES_AGAIN_MS, () => void follow().catch(noted));
    }
  };
  return {
    follow,
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

const RULES_AGAIN_MS = 30_000;
