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

/** Does what follows from the rules as they were read now. Never rejects for the store's sake. */
export async function followRules(core: IntakeCore): Promise<void> {
  try {
    for (const { ruled } of WIRED) await ruled?.(core);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    core.logger.warn({ err: error }, 'could not look for closed routes in the rules');
  }
}
