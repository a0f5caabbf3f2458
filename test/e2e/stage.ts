import { expect, vi } from 'vitest';
import type { Asked, Question } from '../../sandbox/automation/automation.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Route } from '../../src/core/config/config.ts';
import { DEPLOYS, OUTCOMES, startWorld, type World, type WorldOptions } from '../support/world.ts';
import { type Door, openDoor } from './door.ts';
import { findTokens, type Place } from './token-search.ts';
import { liesIn, malformed, withoutText } from './truth.ts';

export const ANA = 'U0ANA';
export const BEN = 'U0BEN';
export const CLEO = 'U0CLEO';
/** Ana's account in the service. */
export const ANAS_ACCOUNT = '6f1c0d00-0000-4000-8000-000000000001';

/**
 * Nothing unclear is repeated before 15 s after it was noted (in real time): five for the call, ten for what may still
 * be in flight. Between two arrivals it may be less, by the delay of the first.
 */
export function quietMsOf({ timing }: World): number {
  return 0.8 * (timing.stepMs + timing.quietMs);
}

export interface StageOptions extends WorldOptions {
  /** Changes the only route. */
  readonly route?: Partial<Route>;
  /** The service is behind the stage's `door`. */
  readonly hasDoor?: boolean;
  /** A folder or a Redis has other places to search. */
  readonly moreToSearch?: () => Promise<readonly Place[]>;
}

/** One of the two calls for approvals (Interface 4.3, 4.4), or another. */
type ServiceCall = 'look' | 'respond' | 'other';

/** A world for one story. It ends with a search for tokens and for messages that lied. */
export interface Stage extends World {
  /** A proxy in front of the service, with `hasDoor`. */
  readonly door: Door<ServiceCall>;
  /** The automation asks, without waiting for a message. */
  send(question?: Question): Promise<Asked>;
}

export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const door = options.hasDoor === true ? await openDoor(serviceCallOf) : undefined;
  const world = await startWorld({
    ...options,
    env: { ...(door && { SERVICE_URL: door.url }), LOG_LEVEL: 'trace', ...options.env },
    config(given) {
      const changed = options.config?.(given) ?? given;
      const routes = changed.routes.map((route) => ({ ...route, ...options.route }));
      return { ...changed, routes };
    },
  });
  const { sandbox } = world;
  door?.leadTo(sandbox.serviceUrl);
  const asked: Asked[] = [];
  const noted = <Answer extends Asked>(answer: Answer): Answer => {
    asked.push(answer);
    return answer;
  };
  return {
    ...world,
    door: door ?? noDoor(),
    ask: async (question) => noted(await world.ask(question)),
    send: async (question) => noted(await sandbox.automation.ask(question)),
    async [Symbol.asyncDispose]() {
      const seen = await placesOf(world);
      await world[Symbol.asyncDispose]();
      await door?.[Symbol.asyncDispose]();
      const kept = [...storedIn(world), ...((await options.moreToSearch?.()) ?? [])];
      const answers = asked.map(({ body }) => ({ name: 'intake', text: JSON.stringify(body) }));
      judge(sandbox, asked, [...answers, ...seen, ...logOf(world), ...kept]);
      const unacknowledged = world.log.filter((line) =>
        line.includes('no listener for a request from Slack'),
      );
      expect(unacknowledged, 'a listener is missing, or forgot to acknowledge').toEqual([]);
    },
  };
}

/** Checks that every story makes at its end. */
function judge(sandbox: Sandbox, asked: readonly Asked[], places: readonly Place[]): void {
  const { workspace, service, credentials } = sandbox;
  const { botToken, signingSecret, apiKey, scimToken, intakeSecret } = credentials;
  const secrets = [botToken, signingSecret, apiKey, scimToken, intakeSecret];
  const tokens = service.approvals().map(({ token }) => token);
  const found = findTokens(places, [...tokens, ...secrets]);
  expect(found, 'a token is where it must not be').toEqual([]);
  const approvalOf = (record: string) => {
    const found = asked.find(({ id }) => id === record);
    // The service does not know own gates.
    return found && found.token !== '' ? service.approval(found.token) : undefined;
  };
  expect(liesIn(workspace, approvalOf), 'a message lies').toEqual([]);
  expect(withoutText(workspace), 'words without text').toEqual([]);
  expect(malformed(workspace), 'what Slack does not take in this form').toEqual([]);
}

function noDoor(): Door<ServiceCall> {
  const missing = (): never => {
    throw new Error('This story has no door: start it with hasDoor.');
  };
  return {
    url: 'no door',
    ...{ leadTo: missing, answer: missing, shut: missing, shutAfter: missing, open: missing },
    cut: missing,
    [Symbol.asyncDispose]: missing,
  };
}

function serviceCallOf({ method, path }: { method: string; path: string }): ServiceCall {
  if (!path.includes('/approvals/')) return 'other';
  return method === 'POST' ? 'respond' : 'look';
}

/** What Slack received and shows, the metrics, and the intake's answers about each approval. */
async function placesOf({ sandbox, app }: World): Promise<Place[]> {
  const { workspace, automation } = sandbox;
  const shown = [DEPLOYS, OUTCOMES].flatMap((channel) => workspace.messages(channel));
  const alone = PEOPLE.flatMap((user) => [
    ...workspace.ephemerals(user),
    ...workspace.directMessages(user),
  ]);
  const records = new Set(shown.map(({ metadata }) => metadata?.event_payload.record));
  const known = [...records].filter((record) => typeof record === 'string');
  const details = await Promise.all(known.map((record) => automation.status(record)));
  const metrics = await fetch(`${app.url}/metrics`);
  return [
    { name: 'metrics', text: await metrics.text() },
    { name: 'calls of the Web API', text: unescaped(workspace.calls()) },
    { name: 'messages', text: unescaped(shown) },
    { name: 'words to one person', text: unescaped(alone) },
    { name: 'status at the intake', text: unescaped(details) },
  ];
}

const PEOPLE = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0GUS', 'U0DANA', 'U0UNA', 'U0IVO', 'U0STR', 'U0DEL'];

function logOf({ log }: World): Place[] {
  return log.map((text) => ({ name: 'log', text }));
}

function storedIn({ stored }: World): Place[] {
  return stored.map((given) => ({ name: 'store', text: unescaped(given) }));
}

/** As JSON and as text: quotations in it would otherwise be escaped a second time. */
function unescaped(value: unknown): string {
  const texts: string[] = [];
  JSON.stringify(value, (_, inner) => {
    if (typeof inner === 'string') texts.push(inner);
    return inner;
  });
  return [JSON.stringify(value), ...texts].join('\n');
}

/** The text with each link to a profile replaced by the person: the workspace's address varies. */
export function withoutAddresses(text: string): string {
  return text.replaceAll(/<[^|>]+\/team\/(\w+)\|/gu, '<profile of $1|');
}

/** How the service answered each respond of a token; 0: it broke the connection. */
export function respondsOf({ sandbox }: World, token: string): readonly (number | null)[] {
  const requests = sandbox.service.requests('respond').filter((each) => each.token === token);
  return requests.map(({ answered }) => answered);
}

/** The only private reply to a person. */
export async function sentenceFor({ sandbox, told }: World, user: string): Promise<string> {
  await sandbox.until(() => told(user).length > 0, { what: 'a sentence' });
  expect(told(user)).toHaveLength(1);
  return told(user)[0] ?? '';
}

/** Actions that took effect in the service for a token. */
export function effectsOf({ sandbox }: World, token: string): readonly string[] {
  return sandbox.service.approval(token).effects.map(({ action }) => action);
}

/** The log lines about failed calls. */
export function failedSteps({ log }: World): readonly Record<string, unknown>[] {
  return log
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ msg }) => msg === 'a step failed');
}

/** Waits until approvals have raised that many alerts. The cause was saved before. */
export async function untilAlarmsAre({ app }: World, count: number, step = 'alert'): Promise<void> {
  const counted = new RegExp(`gatepost_steps_total\\{step="${step}",result="done"\\} (\\d+)`);
  const given = async () => {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    return counted.exec(metrics)?.[1];
  };
  const options = { timeout: 60_000, interval: 100 };
  await vi.waitFor(async () => expect(await given()).toBe(String(count)), options);
}

/** Calls the Web API with the bot's token, without the bot. */
export async function callSlack(
  { sandbox }: World,
  method: string,
  args: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${sandbox.slackApiUrl}${method}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandbox.credentials.botToken}`,
      'content-type': 'application/json; charset=utf-8',
    },
    body: JSON.stringify({ channel: DEPLOYS, ...args }),
  });
  return JSON.parse(await answer.text());
}
