import { randomBytes, randomUUID } from 'node:crypto';
import { readConfig } from '../../../src/app/configuration.ts';
import type { Approval } from '../../../src/approvals/approval.ts';
import { APPROVAL_KIND, KEPT_REQUEST } from '../../../src/approvals/approval.ts';
import { listsOf } from '../../../src/approvals/decision/lists-of.ts';
import { decodeApproval, encodeApproval } from '../../../src/approvals/stored-approval.ts';
import { ACTIONS } from '../../../src/approvals/tell/message/message.ts';
import { messageStateOf, stateKey } from '../../../src/approvals/tell/message/message-state.ts';
import type { Config, Route } from '../../../src/core/config/config.ts';
import { createSecretBox } from '../../../src/core/lib/secret-box.ts';
import { system } from '../../../src/core/lib/system.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { openStore } from '../../../src/core/store/open-store.ts';
import type { NewRecord, Store } from '../../../src/core/store/store.ts';
import type { Env } from './child.ts';
import type { Click } from './click.ts';
import { REVIEWERS } from './environment.ts';

export const HOUR_MS = 3_600_000;
const AT_ONCE = 200;

/** A posted, pending approval, in the form that the store accepts. */
export interface WaitingApproval {
  readonly token: string;
  readonly message: string;
  readonly record: NewRecord;
}

/** When the record is due, and when the approval's status is read next; a record that is due earlier only waits on. */
export interface Due {
  readonly dueInMs: number;
  readonly askInMs: number;
  /** The request cannot be kept in its thread, so nothing follows a decision: no post, no fold. */
  readonly isBare?: boolean;
  /** The requester's Slack id. */
  readonly requester?: string;
  readonly supersedes?: Approval['supersedes'];
}

/** Creates approvals on a route, by default the first, that differ only in token and message. */
export function waitingApprovals(
  config: Config,
  route: Route | undefined = config.routes[0],
): (due: Due) => WaitingApproval {
  const box = createSecretBox(config.keys, system.random);
  const [source] = config.sources;
  if (source === undefined || route === undefined) throw new Error('the environment has both');
  const { channel, name } = route;
  let made = 0;
  return ({ dueInMs, askInMs, isBare = false, requester, supersedes }) => {
    const token = randomUUID();
    const message = `1750000000.${String(made++).padStart(6, '0')}`;
    const now = Date.now();
    const approval: Approval = {
      token: box.seal(token, 'approval.token'),
      source: source.id,
      route: name,
      channel,
      createdAt: now,
      title: 'Deploy 4.2 to production',
      message: 'All checks are green. Shall it go out?',
      ...(requester !== undefined && { requester: { user: requester } }),
      ...(supersedes !== undefined && { supersedes }),
      posts: [
        { name: 'message', channel, ts: message },
        ...(isBare ? [{ name: KEPT_REQUEST, channel, failed: 'msg_too_long' }] : []),
      ],
      watch: { state: 'pending', nextAt: Math.round(now + askInMs), checkedAt: now },
      queue: [],
      ballots: [],
      replies: [],
    };
    const shown = stateKey(messageStateOf(approval, { route, asOf: now, timing: TRUE_TIME }, now));
    const record: NewRecord = {
      kind: APPROVAL_KIND,
      data: encodeApproval({ ...approval, shown }),
      lane: 'background',
      dueInMs,
      place: { channel, message },
      // As long as the product's own, which is part of a hash.
      uniqueKey: randomBytes(32).toString('base64url').slice(0, 22),
      lists: listsOf(approval),
    };
    return { token, message, record };
  };
}

/**
 * Creates approvals that were decided in Slack `agoMs` before their messages folded and only have to be listed.
 * Somebody in Slack requested them.
 */
export function decidedApprovals(config: Config): (when: { readonly agoMs: number }) => NewRecord {
  const make = waitingApprovals(config);
  const [route] = config.routes;
  const [by = '', requester = ''] = REVIEWERS;
  return ({ agoMs }) => {
    const { record, message } = make({ dueInMs: 0, askInMs: 0 });
    const { data, place } = record;
    const waited = decodeApproval({ data, place });
    const { channel } = waited;
    const now = Date.now();
    const learnedAt = now - TRUE_TIME.foldAfterMs - agoMs;
    const approval: Approval = {
      ...waited,
      requester: { user: requester },
      posts: [
        ...waited.posts,
        { name: KEPT_REQUEST, channel, ts: message },
        { name: 'outcome-requester', channel: 'D0BENCH', ts: message },
      ],
      outcome: { status: 'APPROVED', credit: 'certain', by: [by], learnedAt },
      stated: 'folds',
    };
    const shown = stateKey(messageStateOf(approval, { route, asOf: now, timing: TRUE_TIME }, now));
    return { ...record, data: encodeApproval({ ...approval, shown }), lists: listsOf(approval) };
  };
}

/** Stores pending approvals, and returns a click on each. No other process may use an embedded place during this. */
export async function storeClicks(
  env: Env,
  count: number,
  how: Pick<Due, 'isBare' | 'requester'> = {},
): Promise<Click[]> {
  const config = configOf(env);
  const make = waitingApprovals(config);
  await using store = await openQuietStore(config);
  const clicks: Click[] = [];
  await atOnce(count, AT_ONCE, async (number) => {
    const { token, message, record } = make({ dueInMs: HOUR_MS, askInMs: HOUR_MS, ...how });
    const created = await store.create(record, { hold: false });
    if (created.kind !== 'created') throw new Error('tokens are random');
    const user = REVIEWERS[number % REVIEWERS.length] ?? '';
    const place = { channel: record.place?.channel ?? '', message };
    clicks.push({ user, ...place, actionId: ACTIONS.approve, value: created.id, token });
  });
  return clicks;
}

export function configOf(env: Env): Config {
  const read = readConfig(env, { command: 'start' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.config;
}

export function openQuietStore(config: Config): Promise<Store> {
  const logger = { info() {}, warn() {} };
  return openStore(config, { logger, timing: TRUE_TIME, ...system });
}

/** Runs a task `count` times, several at a time. */
export async function atOnce(
  count: number,
  width: number,
  task: (number: number) => Promise<void>,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  const workers = Array.from({ length: width }, async () => {
    for (const number of numbers) await task(number);
  });
  await Promise.all(workers);
}
