import type { IntakeCore } from '../approvals/ways-in/intake-calls.ts';
import { openapiRoute } from '../core/http/openapi.ts';
import type { Route } from '../core/http/router.ts';
import type { Listeners } from '../core/slack/listeners.ts';
import { listenToRequestCheck } from '../core/slack/request-check.ts';
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
