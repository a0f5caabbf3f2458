import type { Timing } from '../lib/timing.ts';
import type { Flow, Plan } from '../reconcile/flow.ts';
import { type Delivered, type DeliverNeeds, deliverNotice } from './deliver-notice.ts';
import { type Addressee, decodeNotice, encodeNotice, NOTICE_KIND, type Notice } from './notice.ts';

/** To give the notice to one addressee. */
export type NoticeStep = Pick<Addressee, 'kind' | 'id'>;

/** How notices are reconciled: every addressee has some tries, and waits for no other. */
export function createNoticeFlow(
  needs: DeliverNeeds & { readonly timing: Timing },
): Flow<Notice, NoticeStep, Delivered> {
  const { timing } = needs;
  return {
    kind: NOTICE_KIND,
    decode: decodeNotice,
    encode: encodeNotice,
    placeOf: () => null,
    take(notice, { body }, now) {
      // as: written by `resultSignal` alone
      const { step, result } = JSON.parse(body) as { step: NoticeStep; result: Delivered };
      return { data: foldDelivered(notice, step, result, timing, now) };
    },
    plan: planNotice,
    begin: (notice, step) => ({ data: beginDelivery(notice, step) }),
    perform: (notice, step) => deliverNotice(needs, notice, step),
    fold: (notice, step, result, now) => ({
      data: foldDelivered(notice, step, result, timing, now),
    }),
    resultSignal: (step, result) => JSON.stringify({ step, result }),
    describe: (step, result) => ({
      step: `notice-${step.kind}`,
      result: result.kind,
      ...(result.kind === 'failed' && { failure: result.failure }),
    }),
  };
}

/** How long after everybody had a notice the same is not said again. */
export const SILENCE_MS = 3_600_000;
/** With the waits between them: half an hour and a little. */
const TRIES_MAX = 12;
/** Whoever may have it is spared a pile of copies, and still hears of it when Slack is away for minutes. */
const UNCLEAR_TRIES_MAX = 6;

export function planNotice({ addressees }: Notice, now: number): Plan<NoticeStep> {
  const open = addressees.filter(({ done, tries = 0 }) => done !== true && tries < TRIES_MAX);
  const ready = open.find(({ notBefore = now }) => notBefore <= now);
  if (ready !== undefined) return { kind: 'step', step: { kind: ready.kind, id: ready.id } };
  // The record is kept to hold its unique key: that is what keeps others from saying it again.
  if (open.length === 0) return { kind: 'finish', keepMs: SILENCE_MS };
  const until = Math.min(...open.map(({ notBefore = now }) => notBefore));
  return { kind: 'wait', until, lane: 'people' };
}

/** Counts the try. */
export function beginDelivery(notice: Notice, { id }: NoticeStep): Notice {
  return withAddressee(notice, id, (each) => ({ ...each, tries: (each.tries ?? 0) + 1 }));
}

export function foldDelivered(
  notice: Notice,
  { id }: NoticeStep,
  result: Delivered,
  timing: Timing,
  now: number,
): Notice {
  if (result.kind === 'failed') {
    return withAddressee(notice, id, (each) => afterFailure(each, result, timing, now));
  }
  const told = withAddressee(notice, id, (each) => ({ ...each, done: true }));
  if (result.kind === 'done') return told;
  const known = new Set(notice.addressees.map((each) => each.id));
  const members = result.users.filter((user) => !known.has(user));
  const people = members.map((user) => ({ kind: 'person', id: user }) as const);
  return { ...told, addressees: [...told.addressees, ...people] };
}

function afterFailure(
  addressee: Addressee,
  { failure }: Extract<Delivered, { kind: 'failed' }>,
  { noticeMs }: Timing,
  now: number,
): Addressee {
  if (failure.class === 'refused' && failure.status !== 429) return { ...addressee, done: true };
  const { kind, tries = 1 } = addressee;
  const isUnclear = failure.class === 'ambiguous' || failure.class === 'unreadable';
  const mayHaveIt = isUnclear && kind === 'person';
  if (mayHaveIt && tries >= UNCLEAR_TRIES_MAX) return { ...addressee, done: true };
  const first = mayHaveIt ? noticeMs.unclear : noticeMs.first;
  const waitMs = Math.min(first * 2 ** (tries - 1), noticeMs.most);
  return { ...addressee, notBefore: now + (failure.retryAfterMs ?? waitMs) };
}

function withAddressee(
  notice: Notice,
  id: string,
  change: (addressee: Addressee) => Addressee,
): Notice {
  const addressees = notice.addressees.map((each) => (each.id === id ? change(each) : each));
  return { ...notice, addressees };
}
