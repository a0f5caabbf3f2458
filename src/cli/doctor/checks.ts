/**
 * `doctor` checks everything that `start` depends on: one check for each thing (`CHECKS`, this file), all with the same
 * form of result (`found.ts`).
 */

import type { Config } from '../../core/config/config.ts';
import { connectThrough } from '../../core/http/exchange.ts';
import type { System } from '../../core/lib/system.ts';
import { TRUE_TIME } from '../../core/lib/timing.ts';
import { createFinder } from '../../core/people/directory.ts';
import { noService } from '../../core/service/no-service.ts';
import { createServiceClient } from '../../core/service/service-client.ts';
import { createLookup } from '../../core/slack/lookup.ts';
import { createWebClients } from '../../core/slack/web-clients.ts';
import { visitStore } from '../../core/store/open-store.ts';
import type { Store } from '../../core/store/store.ts';
import { checkCallbacks } from './callback-check.ts';
import { checkCatalogue } from './catalogue-check.ts';
import { checkChannels } from './channel-checks.ts';
import { checkClock } from './clock-check.ts';
import { type CheckNeeds, type Found, wrong } from './found.ts';
import { checkIssuers } from './issuer-check.ts';
import { checkOverrides } from './override-check.ts';
import { checkProxy } from './proxy-check.ts';
import { checkRequesters } from './requester-check.ts';
import { checkScim, checkService } from './service-checks.ts';
import { checkBlocks, checkScopes, checkSlack, TOKEN_REFUSED } from './slack-checks.ts';
import { checkStore } from './store-check.ts';
import { checkGroups, checkPeople } from './try-people.ts';

export interface Checked extends Found {
  readonly id: CheckId;
}

type CheckId = 'config' | 'keys' | 'manifest' | (typeof CHECKS)[number]['id'] | 'requests';

interface Check {
  readonly id: string;
  /** Also run by `start`, which logs warnings once it is ready. */
  readonly isQuick: boolean;
  readonly run: (needs: CheckNeeds) => Promise<Found>;
}

/** All checks that need valid settings, in display order. */
const CHECKS = [
  { id: 'store', isQuick: false, run: checkStore },
  { id: 'proxy', isQuick: false, run: checkProxy },
  { id: 'service', isQuick: true, run: checkService },
  { id: 'scim', isQuick: true, run: checkScim },
  { id: 'slack', isQuick: false, run: checkSlack },
  { id: 'scopes', isQuick: false, run: checkScopes },
  { id: 'channels', isQuick: true, run: checkChannels },
  // Slack's limit for look-ups of people and groups is needed by decisions right after a start.
  { id: 'people', isQuick: false, run: checkPeople },
  { id: 'groups', isQuick: false, run: checkGroups },
  { id: 'overrides', isQuick: true, run: checkOverrides },
  { id: 'blocks', isQuick: false, run: checkBlocks },
  { id: 'requesters', isQuick: false, run: checkRequesters },
  { id: 'catalogue', isQuick: false, run: checkCatalogue },
  { id: 'callbacks', isQuick: true, run: checkCallbacks },
  { id: 'issuers', isQuick: true, run: checkIssuers },
  { id: 'clock', isQuick: true, run: checkClock },
] as const satisfies readonly Check[];

/** For all checks together, so that there is an answer within 15 s. */
const DEADLINE_MS = 12_000;

/** Runs all checks, or only the quick ones, in parallel. Never rejects; ends within 12 s. */
export async function runChecks(
  config: Config,
  system: System,
  { onlyQuick = false } = {},
): Promise<readonly Checked[]> {
  const { timers } = system;
  const warnings: string[] = [];
  const advised: string[] = [];
  const logger = {
    info() {},
    warn: (facts: object, message: string) =>
      void ('isAdvice' in facts ? advised : warnings).push(message),
  };
  const { dialect } = config;
  const connect = connectThrough(config.proxies);
  const service =
    config.service === null
      ? noService()
      : createServiceClient({ ...config.service, ...system, connect, dialect });
  const silent = { warn() {} };
  const clients = createWebClients(
    { ...config.slack, logger: silent },
    { ...system, timing: TRUE_TIME, connect },
  );
  let opened: Promise<Store | null> | undefined;
  const store = () => {
    opened ??= visitStore(config, { ...system, logger });
    return opened;
  };
  const signal = timers.deadline(DEADLINE_MS);
  const client = clients.lookup;
  const lookup = createLookup({ client, ...system, timing: TRUE_TIME });
  const { users } = service;
  const accounts = users === null ? null : createFinder({ users, ...system });
  const needs = {
    ...{ config, system, connect, service, client, lookup, accounts, store, warnings },
    ...{ advised, signal },
  };
  const late = new Promise<Found>((give) => {
    signal.addEventListener('abort', () =>
      give(wrong('no answer in time', 'Try again, and check the network.')),
    );
  });
  const rows = CHECKS.filter(({ isQuick }) => isQuick || !onlyQuick);
  const checked = await Promise.all(
    rows.map(async ({ id, run }) => ({
      id,
      ...(await Promise.race([run(needs).catch(unexpected), late])),
    })),
  );
  await Promise.allSettled(
    [service.close(), opened?.then((each) => each?.[Symbol.asyncDispose]())].map((closing) =>
      Promise.race([closing, late]),
    ),
  );
  return saidOnce(checked);
}

/** What is wrong with the bot's token is said by the first check that needs it. */
function saidOnce(checked: readonly Checked[]): readonly Checked[] {
  const first = checked.find(({ ok, detail }) => !ok && detail.includes(TOKEN_REFUSED));
  if (first === undefined) return checked;
  return checked.map((each) => {
    const isSame = each !== first && !each.ok && each.detail.includes(TOKEN_REFUSED);
    return isSame ? { ...each, detail: `not checked: see ${first.id}`, fix: null } : each;
  });
}

function unexpected(error: unknown): Found {
  const said = error instanceof Error ? error.message : String(error);
  return wrong(
    `could not be checked: ${said}`,
    'Try again. If the problem remains, report it with this line.',
  );
}
