import type { Button, KnownBlock } from '@slack/types';
import { callResult, type Failed } from '../engine/call-result.ts';
import { firstReady } from '../engine/first-due.ts';
import type { Flow, Plan } from '../engine/flow.ts';
import { patientWaitMs } from '../engine/patience.ts';
import type { Logger } from '../engine/reconciler.ts';
import { isRefused, isUnclear } from '../lib/failure.ts';
import type { Timing } from '../lib/timing.ts';
import { actions, section } from '../slack/blocks.ts';
import type { Lookup } from '../slack/lookup.ts';
import type { Replies } from '../slack/replies.ts';
import { type Addressee, ALERT_KIND, type Alert, decodeAlert, encodeAlert } from './alert.ts';

export interface DeliverNeeds {
  readonly replies: Replies;
  readonly lookup: Pick<Lookup, 'recent'>;
  readonly logger: Logger;
}

/** Deliver the alert to one addressee. */
export type AlertStep = Pick<Addressee, 'kind' | 'id'>;

type Delivered =
  | { readonly kind: 'done' }
  /** The group is replaced by these people. */
  | { readonly kind: 'members'; readonly users: readonly string[] }
  | Failed;

/** How alerts are reconciled: each addressee is tried a number of times, independently of the others. */
export function createAlertFlow(
  needs: DeliverNeeds & { readonly timing: Timing },
): Flow<Alert, AlertStep, Delivered> {
  const { timing } = needs;
  return {
    kind: ALERT_KIND,
    decode: decodeAlert,
    encode: encodeAlert,
    receive: (alert) => ({ data: alert }),
    plan: planAlert,
    markAttempt: (alert, step) => ({ data: markDelivery(alert, step) }),
    execute: (alert, step) => deliverAlert(needs, alert, step),
    apply: (alert, step, result, now) => ({
      data: applyDelivered(alert, step, result, timing, now),
    }),
  };
}

/** How long after delivery the same alert is not sent again. */
export const SILENCE_MS = 3_600_000;
/** Including waits, a little over half an hour. */
const TRIES_MAX = 12;
/**
 * Fewer tries after an unclear result, to avoid a pile of copies, but enough to survive a few minutes without Slack.
 */
const UNCLEAR_TRIES_MAX = 6;

export function planAlert({ addressees }: Alert, now: number): Plan<AlertStep> {
  const open = addressees.filter(({ done, tries = 0 }) => done !== true && tries < TRIES_MAX);
  const next = firstReady(open, now);
  // The record is kept because its unique key suppresses the same alert.
  if (next === null) return { kind: 'finish', keepMs: SILENCE_MS };
  if (typeof next === 'number') return { kind: 'wait', until: next, lane: 'people' };
  return { kind: 'step', step: { kind: next.kind, id: next.id } };
}

/** Counts the try. */
export function markDelivery(alert: Alert, { id }: AlertStep): Alert {
  return withAddressee(alert, id, (each) => ({ ...each, tries: (each.tries ?? 0) + 1 }));
}

/** Delivers the alert to one addressee; for a group, finds its members. */
export function deliverAlert(
  { replies, lookup, logger }: DeliverNeeds,
  { about, text, button, addressees }: Alert,
  { kind, id }: AlertStep,
): Promise<Delivered> {
  const deliver = async (): Promise<Delivered> => {
    switch (kind) {
      case 'log': {
        const administrators = addressees.filter((each) => each.kind !== 'log').length;
        logger.warn({ about, text, administrators }, 'administrators have to act');
        return { kind: 'done' };
      }
      case 'person':
        await replies.direct({ user: id, text, ...(button && { blocks: blocksOf(text, button) }) });
        return { kind: 'done' };
      case 'group': {
        const { users, missing } = await lookup.recent.groupMembers(id);
        if (missing !== null)
          logger.warn({ group: id, missing }, 'a group of administrators is empty');
        return { kind: 'members', users };
      }
    }
  };
  return callResult(deliver());
}

function blocksOf(text: string, button: Button): KnownBlock[] {
  return [section(text), actions('alerts.actions', [button])];
}

export function applyDelivered(
  alert: Alert,
  { id }: AlertStep,
  result: Delivered,
  timing: Timing,
  now: number,
): Alert {
  if (result.kind === 'failed') {
    return withAddressee(alert, id, (each) => afterFailure(each, result, timing, now));
  }
  const told = withAddressee(alert, id, (each) => ({ ...each, done: true }));
  if (result.kind === 'done') return told;
  const known = new Set(alert.addressees.map((each) => each.id));
  const members = result.users.filter((user) => !known.has(user));
  const people = members.map((user) => ({ kind: 'person', id: user }) as const);
  return { ...told, addressees: [...told.addressees, ...people] };
}

function afterFailure(
  addressee: Addressee,
  { failure }: Failed,
  { alertMs }: Timing,
  now: number,
): Addressee {
  if (isRefused(failure)) return { ...addressee, done: true };
  const { kind, tries = 1 } = addressee;
  const mayHaveIt = isUnclear(failure) && kind === 'person';
  if (mayHaveIt && tries >= UNCLEAR_TRIES_MAX) return { ...addressee, done: true };
  const first = mayHaveIt ? alertMs.unclear : alertMs.first;
  const waitMs = patientWaitMs(tries - 1, first, alertMs.most);
  return { ...addressee, notBefore: now + (failure.retryAfterMs ?? waitMs) };
}

function withAddressee(
  alert: Alert,
  id: string,
  change: (addressee: Addressee) => Addressee,
): Alert {
  const addressees = alert.addressees.map((each) => (each.id === id ? change(each) : each));
  return { ...alert, addressees };
}
