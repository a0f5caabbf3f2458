import type { Flow, Plan } from '../engine/flow.ts';
import type { Timing } from '../lib/timing.ts';
import { type Addressee, ALERT_KIND, type Alert, decodeAlert, encodeAlert } from './alert.ts';
import { type Delivered, type DeliverNeeds, deliverAlert } from './deliver-alert.ts';

/** To give the alert to one addressee. */
export type AlertStep = Pick<Addressee, 'kind' | 'id'>;

/** How alerts are reconciled: every addressee has some tries, and waits for no other. */
export function createAlertFlow(
  needs: DeliverNeeds & { readonly timing: Timing },
): Flow<Alert, AlertStep, Delivered> {
  const { timing } = needs;
  return {
    kind: ALERT_KIND,
    decode: decodeAlert,
    encode: encodeAlert,
    placeOf: () => null,
    receive(alert, { body }, now) {
      // as: written by `resultSignal` alone
      const { step, result } = JSON.parse(body) as { step: AlertStep; result: Delivered };
      return { data: applyDelivered(alert, step, result, timing, now) };
    },
    plan: planAlert,
    markAttempt: (alert, step) => ({ data: markDelivery(alert, step) }),
    execute: (alert, step) => deliverAlert(needs, alert, step),
    apply: (alert, step, result, now) => ({
      data: applyDelivered(alert, step, result, timing, now),
    }),
    resultSignal: (step, result) => JSON.stringify({ step, result }),
    describe: (step, result) => ({
      step: `alert-${step.kind}`,
      result: result.kind,
      ...(result.kind === 'failed' && { failure: result.failure }),
    }),
  };
}

/** How long after everybody had an alert the same is not said again. */
export const SILENCE_MS = 3_600_000;
/** With the waits between them: half an hour and a little. */
const TRIES_MAX = 12;
/** Whoever may have it is spared a pile of copies, and still hears of it when Slack is away for minutes. */
const UNCLEAR_TRIES_MAX = 6;

export function planAlert({ addressees }: Alert, now: number): Plan<AlertStep> {
  const open = addressees.filter(({ done, tries = 0 }) => done !== true && tries < TRIES_MAX);
  const ready = open.find(({ notBefore = now }) => notBefore <= now);
  if (ready !== undefined) return { kind: 'step', step: { kind: ready.kind, id: ready.id } };
  // The record is kept to hold its unique key: that is what keeps others from saying it again.
  if (open.length === 0) return { kind: 'finish', keepMs: SILENCE_MS };
  const until = Math.min(...open.map(({ notBefore = now }) => notBefore));
  return { kind: 'wait', until, lane: 'people' };
}

/** Counts the try. */
export function markDelivery(alert: Alert, { id }: AlertStep): Alert {
  return withAddressee(alert, id, (each) => ({ ...each, tries: (each.tries ?? 0) + 1 }));
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
  { failure }: Extract<Delivered, { kind: 'failed' }>,
  { alertMs }: Timing,
  now: number,
): Addressee {
  if (failure.class === 'refused' && failure.status !== 429) return { ...addressee, done: true };
  const { kind, tries = 1 } = addressee;
  const isUnclear = failure.class === 'ambiguous' || failure.class === 'unreadable';
  const mayHaveIt = isUnclear && kind === 'person';
  if (mayHaveIt && tries >= UNCLEAR_TRIES_MAX) return { ...addressee, done: true };
  const first = mayHaveIt ? alertMs.unclear : alertMs.first;
  const waitMs = Math.min(first * 2 ** (tries - 1), alertMs.most);
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
