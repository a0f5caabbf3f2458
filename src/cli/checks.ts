import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Config, Reviewers } from '../config/config.ts';
import { RemoteFailure } from '../lib/failure.ts';
import type { System } from '../lib/system.ts';
import { TRUE_TIME } from '../lib/timing.ts';
import { createServiceClient, type ServiceClient } from '../service/service-client.ts';
import { callSlack, type SlackClient } from '../slack/call-slack.ts';
import { askIdentityOnce } from '../slack/identity.ts';
import { createLookup } from '../slack/lookup.ts';
import { pressKey, requestCheckMessage } from '../slack/request-check.ts';
import { REQUIRED_SCOPES } from '../slack/scopes.ts';
import { askServerTime } from '../slack/slack-fetch.ts';
import { createWebClients } from '../slack/web-clients.ts';
import { visitStore } from '../store/open-store.ts';
import { type Store, StoreError } from '../store/store.ts';
import { sampleMessage } from './sample-message.ts';

/** What was found out about one thing. */
export interface Found {
  readonly ok: boolean;
  readonly detail: string;
  /** What to do; null: nothing. With `ok` it is advice. */
  readonly fix: string | null;
}

export interface Checked extends Found {
  readonly id: CheckId;
}

export type CheckId = 'config' | 'keys' | (typeof CHECKS)[number]['id'] | 'requests';

interface Needs {
  readonly config: Config;
  readonly system: System;
  readonly service: ServiceClient;
  readonly client: SlackClient;
  /** Opened once; null: there is none yet. Throws StoreError. */
  readonly store: () => Promise<Store | null>;
  /** What the store warned of. */
  readonly warnings: readonly string[];
  readonly signal: AbortSignal;
}

interface Check {
  readonly id: string;
  /** `start` has it checked too, once it is ready, and warns. */
  readonly isQuick: boolean;
  readonly run: (needs: Needs) => Promise<Found>;
}

/** All of what is looked at once the settings could be read, in the order in which it is shown. */
const CHECKS = [
  { id: 'store', isQuick: false, run: checkStore },
  { id: 'service', isQuick: true, run: checkService },
  { id: 'scim', isQuick: true, run: checkScim },
  { id: 'slack', isQuick: false, run: checkSlack },
  { id: 'scopes', isQuick: false, run: checkScopes },
  { id: 'channels', isQuick: true, run: checkChannels },
  { id: 'groups', isQuick: true, run: checkGroups },
  { id: 'blocks', isQuick: false, run: checkBlocks },
  { id: 'clock', isQuick: true, run: checkClock },
] as const satisfies readonly Check[];

/** All together, so that whoever waits has an answer within 15 s. */
const DEADLINE_MS = 12_000;

const fine = (detail: string): Found => ({ ok: true, detail, fix: null });
const advice = (detail: string, fix: string): Found => ({ ok: true, detail, fix });
const wrong = (detail: string, fix: string): Found => ({ ok: false, detail, fix });

/** Looks at everything, or at what is quick, at the same time. Never rejects; ends within 12 s. */
export async function runChecks(
  config: Config,
  system: System,
  { onlyQuick = false } = {},
): Promise<readonly Checked[]> {
  const { timers } = system;
  const warnings: string[] = [];
  const logger = { info() {}, warn: (_: object, message: string) => void warnings.push(message) };
  const service = createServiceClient({ ...config.service, ...system, dialect: config.dialect });
  const silent = { warn() {} };
  const clients = createWebClients(
    { ...config.slack, logger: silent },
    { ...system, timing: TRUE_TIME },
  );
  let opened: Promise<Store | null> | undefined;
  const store = () => {
    opened ??= visitStore(config, { ...system, logger });
    return opened;
  };
  const signal = timers.deadline(DEADLINE_MS);
  const needs = { config, system, service, client: clients.lookup, store, warnings, signal };
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
  return checked;
}

function unexpected(error: unknown): Found {
  const said = error instanceof Error ? error.message : String(error);
  return wrong(
    `could not be checked: ${said}`,
    'Try again. If the problem remains, report it with this line.',
  );
}

async function checkStore(needs: Needs): Promise<Found> {
  const { config, warnings } = needs;
  const { store: settings } = config;
  const variable = settings.kind === 'redis' ? 'REDIS_URL' : 'DATA_DIR';
  try {
    const store = await needs.store();
    if (store === null)
      return await checkEmptyFolder(settings.kind === 'embedded' ? settings.folder : '');
    await store.ping();
    const where =
      settings.kind === 'redis' ? 'Redis takes writes' : `${resolve(settings.folder)} takes writes`;
    if (warnings.length === 0) return fine(where);
    const isStrict = settings.kind === 'redis' && settings.strict;
    return {
      ok: !isStrict,
      detail: `${where}. ${warnings.join(' ')}`,
      fix: 'Change these Redis settings; docs/redis.md explains each one.',
    };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return wrong(
      error.message,
      `Check ${variable}, that the store is running, and that this user can write to it.`,
    );
  }
}

/** Nothing is made here: the bot may run as another user. */
async function checkEmptyFolder(folder: string): Promise<Found> {
  let at = resolve(folder);
  while (!(await exists(at)) && dirname(at) !== at) at = dirname(at);
  try {
    if (!(await stat(at)).isDirectory()) throw new Error('no folder');
    await access(at, constants.W_OK);
    return fine(`${resolve(folder)} is empty; the first start fills it`);
  } catch {
    return wrong(
      `${at} cannot be written to`,
      'Set DATA_DIR to a folder that this user can write to.',
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const ASK_MS = { deadlineMs: 5_000 };

async function checkService({ service, system }: Needs): Promise<Found> {
  try {
    const made = `gatepost-doctor-${system.random.uuid()}`;
    const { status, isSameAsNowhere, isKnown } = await service.probe(made, ASK_MS);
    if (isKnown) {
      return wrong(
        'the service returned an approval for an invented token',
        'Check SERVICE_URL and dialect.approval.',
      );
    }
    if (!isSameAsNowhere) return fine(`reachable; it does not know an invented token (${status})`);
    // Its list of users is below the same address.
    if (await lists(service)) {
      return advice(
        `reachable; it answers an invented token and an invented path the same way (${status})`,
        'Try one real approval to be sure that SERVICE_URL is correct.',
      );
    }
    return wrong(
      `it answers an invented token and an invented path the same way (${status})`,
      'Check SERVICE_URL: it is the base address, without /api/….',
    );
  } catch (error) {
    return serviceFailure(
      error,
      'SERVICE_URL, and dialect.approval.auth where approvals need the key',
    );
  }
}

async function lists({ users }: ServiceClient): Promise<boolean> {
  if (users === null) return false;
  try {
    await users.find('userName', 'doctor@gatepost.invalid', ASK_MS);
    return true;
  } catch (error) {
    if (error instanceof RemoteFailure) return false;
    throw error;
  }
}

function serviceFailure(error: unknown, settings: string): Found {
  if (!(error instanceof RemoteFailure)) throw error;
  const { code, detail } = error;
  const words = detail === undefined ? '' : `: “${detail}”`;
  if (error.class === 'not-sent') {
    return wrong(`cannot be reached (${code})`, 'Check SERVICE_URL, the network and any proxy.');
  }
  if (error.class === 'unreadable') {
    return wrong(
      'the response is not from the service',
      'Check SERVICE_URL: it is the base address, without /api/….',
    );
  }
  return wrong(`answers ${code}${words}`, `Check ${settings}.`);
}

/** An address that nobody can have, and one page of what there is. */
async function checkScim({ service, system }: Needs): Promise<Found> {
  const { users } = service;
  if (users === null) {
    return advice(
      'SCIM_TOKEN is not set: accounts are not checked',
      'Set SCIM_TOKEN, unless identities come only from identity.overrides.',
    );
  }
  const value = `doctor-${system.random.uuid()}@gatepost.invalid`;
  try {
    const filter = { attribute: 'userName', operator: 'eq', value } as const;
    for await (const { ignoresFilter } of users.pages({ filter }, ASK_MS)) {
      if (!ignoresFilter) break;
      return advice(
        'the service lists its users, but ignores the filter',
        'Every lookup reads the whole list. With thousands of users that can be too slow.',
      );
    }
    return fine('the service lists its users and applies the filter');
  } catch (error) {
    return serviceFailure(error, 'SCIM_TOKEN');
  }
}

async function checkSlack({ client, config }: Needs): Promise<Found> {
  const told = await askIdentityOnce(client);
  if (told instanceof RemoteFailure) return slackFound(told, 'SLACK_BOT_TOKEN');
  if (config.slack.mode === 'socket') {
    // Asked with the app's own token: it opens nothing by itself.
    const app = createAppClient(config);
    try {
      await callSlack(app, 'apps.connections.open', {}, z.looseObject({}));
    } catch (error) {
      return slackFound(error, 'SLACK_APP_TOKEN');
    }
  }
  return fine(`the bot is ${told.botUserId} in ${told.teamId}`);
}

function createAppClient({ slack }: Config): SlackClient {
  const silent = { warn() {} };
  const options = { ...slack, botToken: slack.appToken, logger: silent };
  return createWebClients(options, { clock: NO_CLOCK, timing: TRUE_TIME }).lookup;
}

/** One call is made: nothing is waited for. */
const NO_CLOCK = { monotonic: () => 0 };

function slackFound(error: unknown, variable: string): Found {
  if (!(error instanceof RemoteFailure)) throw error;
  const { code } = error;
  if (error.class === 'refused' && error.status === 200) {
    return wrong(
      `Slack does not accept ${variable} (${code})`,
      `Copy ${variable} again from the app's settings.`,
    );
  }
  return wrong(
    `Slack cannot be reached (${code})`,
    'Check the network, any proxy, and SLACK_API_URL.',
  );
}

async function checkScopes({ client }: Needs): Promise<Found> {
  const told = await askIdentityOnce(client);
  if (told instanceof RemoteFailure) return slackFound(told, 'SLACK_BOT_TOKEN');
  const { scopes } = told;
  if (scopes === null) {
    return advice(
      'Slack does not say which scopes the bot has',
      "Compare the app's scopes with manifest.yml.",
    );
  }
  const missing = Object.entries(REQUIRED_SCOPES).filter(([scope]) => !scopes.includes(scope));
  if (missing.length === 0) return fine('all scopes in manifest.yml are granted');
  const what = missing.map(([scope, why]) => `${scope} (${why})`).join(', ');
  return wrong(`missing: ${what}`, 'Add them under OAuth & Permissions, then reinstall the app.');
}

const conversation = z.looseObject({
  channel: z.looseObject({
    name: z.string().optional(),
    is_member: z.boolean().optional(),
    is_archived: z.boolean().optional(),
    is_private: z.boolean().optional(),
  }),
});

async function checkChannels({ client, config }: Needs): Promise<Found> {
  const { routes, sources } = config;
  const named = [
    ...routes.flatMap(({ channel, outcomes }) => [channel, outcomes.channel ?? []].flat()),
    ...sources.flatMap(({ channels }) => channels),
  ];
  const channels = [...new Set(named)];
  const found = await Promise.all(channels.map((channel) => checkChannel(client, channel)));
  return together(found);
}

async function checkChannel(client: SlackClient, channel: string): Promise<Found> {
  try {
    const asked = await callSlack(client, 'conversations.info', { channel }, conversation);
    const { name = channel, is_member: isMember, is_archived: isArchived } = asked.channel;
    if (isArchived)
      return wrong(
        `${channel} (#${name}) is archived`,
        `Unarchive #${name}, or set another channel.`,
      );
    if (isMember === false) {
      return wrong(
        `the bot is not in ${channel} (#${name})`,
        `Type /invite @Gatepost in #${name}.`,
      );
    }
    return fine(`#${name} is ${asked.channel.is_private ? 'private' : 'public'}`);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    const { code } = error;
    if (code === 'channel_not_found') {
      return wrong(
        `${channel} does not exist, or is private and the bot is not in it`,
        'Check the id. If the channel is private, invite the bot.',
      );
    }
    if (code === 'missing_scope') {
      return wrong(
        `${channel} cannot be read (missing_scope)`,
        'Add the scopes from manifest.yml, then reinstall the app.',
      );
    }
    return slackFound(error, 'SLACK_BOT_TOKEN');
  }
}

async function checkGroups({ client, config, system }: Needs): Promise<Found> {
  const { routes, administrators, move, cases } = config;
  const all: readonly Pick<Reviewers, 'groups'>[] = [
    ...routes.map(({ reviewers }) => reviewers),
    administrators,
    move.who,
    ...move.rules.map(({ who }) => who),
    cases.who,
  ];
  const groups = [...new Set(all.flatMap((each) => each.groups))];
  if (groups.length === 0) return fine('none is configured');
  const lookup = createLookup({ client, ...system, timing: TRUE_TIME });
  const found = groups.map(async (group): Promise<Found> => {
    try {
      const { users, missing } = await lookup.groupMembers(group);
      if (missing === 'no_groups_in_plan') {
        return wrong(
          `${group} cannot be read: this Slack plan has no user groups`,
          'Use people instead of groups.',
        );
      }
      if (missing !== null) {
        return wrong(
          `${group} does not exist, or is disabled`,
          'Check the id, or enable the group in Slack.',
        );
      }
      if (users.length === 0) return advice(`${group} has no members`, `Add members to ${group}.`);
      return fine(`${group} has ${users.length === 1 ? '1 member' : `${users.length} members`}`);
    } catch (error) {
      return slackFound(error, 'SLACK_BOT_TOKEN');
    }
  });
  return together(await Promise.all(found));
}

/** Slack judges the message of an approval before one is posted: its limits are not all published. */
async function checkBlocks({ client, config }: Needs): Promise<Found> {
  const [route] = config.routes;
  if (route === undefined) return fine('no route is configured');
  const { blocks } = sampleMessage(route);
  try {
    await callSlack(client, 'blocks.validate', { blocks }, z.unknown());
    return fine('Slack accepts the blocks of an approval message');
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    if (error.code === 'unknown_method') {
      return fine('not checked: this workspace does not have blocks.validate');
    }
    if (error.code !== 'invalid_blocks') return slackFound(error, 'SLACK_BOT_TOKEN');
    const where = error.detail === undefined ? '' : ` at ${error.detail}`;
    return wrong(
      `Slack does not accept the blocks of an approval message${where}`,
      'Update Gatepost. If the problem remains, report it with this line.',
    );
  }
}

/** Slack's requests are refused when they are five minutes old. */
const SKEW_MS = 60_000;
const ADVISED_SKEW_MS = 5_000;

async function checkClock({ config, system, signal, ...needs }: Needs): Promise<Found> {
  const { clock } = system;
  const others: { readonly name: string; readonly skewMs: number }[] = [];
  const sentAt = clock.now();
  const slackAt = await askServerTime(config.slack.apiUrl, signal).catch(() => null);
  // To the second, some time between the question and the answer.
  if (slackAt !== null)
    others.push({ name: 'Slack', skewMs: skewOf(slackAt, sentAt, clock.now(), 1_000) });
  if (config.store.kind === 'redis') {
    const store = await needs.store().catch(() => null);
    if (store !== null) {
      const now = clock.now();
      others.push({ name: 'Redis', skewMs: skewOf(store.now(), now, now, 0) });
    }
  }
  const [worst] = others.toSorted((a, b) => Math.abs(b.skewMs) - Math.abs(a.skewMs));
  if (worst === undefined)
    return advice(
      'neither Slack nor Redis returned the time',
      'Make sure that this machine synchronizes its clock (NTP).',
    );
  const { name, skewMs } = worst;
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  const detail = `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} ${name}`;
  const fix = 'Set the clock of this machine or of Redis, and keep it synchronized (NTP).';
  if (Math.abs(skewMs) > SKEW_MS) return wrong(detail, fix);
  if (Math.abs(skewMs) > ADVISED_SKEW_MS) return advice(detail, fix);
  return fine(`in step with ${others.map((each) => each.name).join(' and ')}`);
}

/** How far the clock here is ahead; 0 while both may agree. */
function skewOf(theirs: number, from: number, until: number, roundedMs: number): number {
  if (from > theirs + roundedMs) return from - theirs - roundedMs;
  return until < theirs ? until - theirs : 0;
}

/** Several of a kind are one line: what is wrong first, then what is advised. */
function together(found: readonly Found[]): Found {
  const bad = found.filter(({ ok }) => !ok);
  const advised = found.filter(({ ok, fix }) => ok && fix !== null);
  const shown = bad.length > 0 ? bad : advised.length > 0 ? advised : found;
  const fixes = [...new Set(shown.flatMap(({ fix }) => fix ?? []))];
  return {
    ok: bad.length === 0,
    detail: shown.map(({ detail }) => detail).join('; '),
    fix: fixes.length === 0 ? null : fixes.join(' '),
  };
}

const PRESS_MS = 60_000;
const LOOK_MS = 250;

/**
 * Posts a button into the first route's channel and waits until its press has reached the running bot,
 * which notes it in the store that both have.
 */
export async function checkRequests(
  config: Config,
  system: System,
  { signal, say }: { readonly signal: AbortSignal; readonly say: (sentence: string) => void },
): Promise<Checked> {
  const id = 'requests';
  const [route] = config.routes;
  const store = await visitStore(config, system).catch(() => null);
  if (store === null || route === undefined) {
    const fix = 'Start Gatepost with this store, then check again.';
    return { id, ...wrong('no store of a running bot was found', fix) };
  }
  const { outbox } = createWebClients(
    { ...config.slack, logger: { warn() {} } },
    { ...system, timing: TRUE_TIME },
  );
  try {
    const { channel } = route;
    const press = system.random.uuid();
    const message = requestCheckMessage(press);
    const { ts } = await callSlack(outbox, 'chat.postMessage', { channel, ...message }, posted);
    say(`Press the button in ${channel} within a minute.`);
    const hasCome = await untilPressed(store, system, press, signal);
    const text = hasCome ? 'Check finished: the press arrived.' : 'Check finished.';
    await callSlack(outbox, 'chat.update', { channel, ts, text, blocks: [] }, posted);
    if (hasCome) return { id, ...fine('a press reached the running bot') };
    const fix =
      config.slack.mode === 'socket'
        ? "Check that Gatepost runs with this store, and that Socket Mode is on in the app's settings."
        : 'Check that Gatepost runs with this store, and that the Request URL under Interactivity ends with /slack/events.';
    return { id, ...wrong('no press reached the running bot within a minute', fix) };
  } catch (error) {
    return { id, ...slackFound(error, 'SLACK_BOT_TOKEN') };
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
