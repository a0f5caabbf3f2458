import * as z from 'zod';
import type { Config, Route } from '../../core/config/config.ts';
import { connectThrough } from '../../core/http/exchange.ts';
import type { System } from '../../core/lib/system.ts';
import { TRUE_TIME } from '../../core/lib/timing.ts';
import { callSlack } from '../../core/slack/call-slack.ts';
import { pressKey, requestCheckMessage } from '../../core/slack/request-check.ts';
import { createWebClients } from '../../core/slack/web-clients.ts';
import { visitStore } from '../../core/store/open-store.ts';
import { type Store, StoreError } from '../../core/store/store.ts';
import type { Checked } from './checks.ts';
import { fine, wrong } from './found.ts';
import { checkRoute, NO_PRESS } from './route-check.ts';
import { slackFound } from './slack-checks.ts';

const PRESS_MS = 60_000;
const LOOK_MS = 250;

interface RequestCheckNeeds {
  /** To ask on; absent: a button is posted in the first route's channel. */
  readonly route?: Route | undefined;
  readonly actor: string;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
}

/**
 * Posts a button, and waits until its press has reached the running bot, which notes it in the shared store. With a
 * route it asks there instead.
 */
export async function checkRequests(
  config: Config,
  system: System,
  { signal, say, actor, ...asked }: RequestCheckNeeds,
): Promise<Checked> {
  const id = 'requests';
  const [first] = config.routes;
  const route = asked.route ?? first;
  const store = await visitStore(config, system).catch(() => null);
  if (store === null || route === undefined) {
    const fix = 'Start Gatepost with this store, then check again.';
    return { id, ...wrong('no store of a running bot was found', fix) };
  }
  const unpressed =
    config.slack.mode === 'socket'
      ? "Check that Gatepost runs with this store, and that Socket Mode is on in the app's settings."
      : 'Check that Gatepost runs with this store, and that the Request URL under Interactivity ends with /slack/events.';
  const { outbox } = createWebClients(
    { ...config.slack, logger: { warn() {} } },
    { ...system, timing: TRUE_TIME, connect: connectThrough(config.proxies) },
  );
  try {
    if (asked.route !== undefined) {
      const needs = { store, route, system, actor, signal, say, unpressed };
      return { id, ...(await checkRoute(needs)) };
    }
    const { channel } = route;
    const press = system.random.uuid();
    const message = requestCheckMessage(press);
    const { ts } = await callSlack(outbox, 'chat.postMessage', { channel, ...message }, posted);
    say(`Press the button in ${channel} within a minute.`);
    const hasCome = await untilPressed(store, system, press, signal);
    const text = hasCome ? 'Check finished: the press arrived.' : 'Check finished.';
    await callSlack(outbox, 'chat.update', { channel, ts, text, blocks: [] }, posted);
    if (hasCome) return { id, ...fine('a press reached the running bot') };
    return { id, ...wrong(NO_PRESS, unpressed) };
  } catch (error) {
    if (error instanceof StoreError) {
      return { id, ...wrong(error.message, 'See the check store, then check again.') };
    }
    return { id, ...slackFound(error, 'SLACK_BOT_TOKEN', config) };
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

const posted = z.looseObject({ ts: z.string() });

async function untilPressed(
  store: Store,
  { clock, timers }: System,
  press: string,
  signal: AbortSignal,
): Promise<boolean> {
  const endAt = clock.monotonic() + PRESS_MS;
  while (clock.monotonic() < endAt && !signal.aborted) {
    if ((await store.take(pressKey(press))) !== undefined) return true;
    await timers.sleep(LOOK_MS);
  }
  return false;
}
