import { expect, test } from 'vitest';
import type { Approval, Outcome } from '../../../src/approvals/approval.ts';
import type { CallBack } from '../../../src/approvals/decision/approval-core.ts';
import { markAttempt, type StepResult } from '../../../src/approvals/steps.ts';
import {
  callBack,
  dueCallback,
  messageOf,
  withCallbacks,
} from '../../../src/approvals/tell/call-back.ts';
import { callbackBody } from '../../../src/approvals/tell/callback-body.ts';
import { CALLBACK_MS } from '../../../src/core/http/callbacks.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { applied, approvalWith, LINKS, NOW, termsWith } from '../approvals.ts';

const HOUR = 3_600_000;
const event = 'approval.decided';
const outcome: Outcome = {
  status: 'REJECTED',
  credit: 'certain',
  by: ['U0ANA'],
  reasons: [{ user: 'U0ANA', text: 'Too late in the day' }],
  learnedAt: NOW,
};
const owing = approvalWith({ outcome, callbacks: [{ event, at: NOW }] });
const failure = { class: 'ambiguous', code: 'http_503', status: 503 } as const;

function stepFor(approval: Approval, now: number): CallBack {
  const due = dueCallback(approval, now);
  if (due === null || typeof due === 'number') throw new Error(`nothing is due: ${due}`);
  return due;
}

/** Sent, with this result, at once. */
function tried(approval: Approval, result: StepResult, now: number): Approval {
  const step = stepFor(approval, now);
  const marked = markAttempt(approval, step, TRUE_TIME, now)?.data ?? approval;
  return applied(marked, step, result, now);
}

test('each event is called back once, in order', () => {
  const unposted = approvalWith({ posts: [{ name: 'message', channel: 'C0PROD' }] });
  const posted = withCallbacks(unposted, approvalWith(), NOW);
  expect(posted.callbacks).toEqual([{ event: 'approval.posted', at: NOW }]);
  expect(withCallbacks(posted, { ...posted, ballots: [] }, NOW + 1).callbacks).toHaveLength(1);
  const decided = withCallbacks(posted, { ...posted, outcome }, NOW + 2);
  expect(decided.callbacks?.map((each) => each.event)).toEqual(['approval.posted', event]);
  const elsewhere = withCallbacks(unposted, { ...approvalWith(), outcome }, NOW);
  expect(elsewhere.callbacks, 'what is over is not told as posted').toHaveLength(1);
});

test('a request is called back as blocked each time that Slack begins to refuse its message', () => {
  const refusedAs = (refused?: string) =>
    approvalWith({ posts: [{ name: 'message', channel: 'C0PROD', ...(refused && { refused }) }] });
  const blocked = refusedAs('is_archived');
  const owed = (before: Approval, after: Approval) => withCallbacks(before, after, NOW).callbacks;
  const at = { event: 'approval.blocked', at: NOW } as const;
  expect(owed(refusedAs(), blocked)).toEqual([at]);
  expect(owed(blocked, refusedAs('not_in_channel')), 'it still is').toBeUndefined();
  const { id, body } = messageOf('0-abc', blocked, at, LINKS);
  expect(id, 'it can be blocked again later').toBe(`0-abc-blocked-${NOW}`);
  expect(callbackBody.parse(JSON.parse(body))).toMatchObject({
    type: 'approval.blocked',
    data: { status: 'BLOCKED', by: [], permalink: null },
  });
});

test('a callback says what was decided, by whom and why', () => {
  const { id, body } = messageOf('0-abc', owing, { event, at: NOW }, LINKS);
  // The same if a store that forgot it learns it again later.
  expect(id).toBe('0-abc-decided');
  expect(callbackBody.parse(JSON.parse(body))).toEqual({
    type: event,
    timestamp: new Date(NOW).toISOString(),
    data: {
      id: '0-abc',
      status: 'REJECTED',
      by: ['U0ANA'],
      reason: 'Too late in the day',
      requester: { known: false },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      permalink: expect.stringContaining('/archives/C0PROD/'),
    },
  });
});

test('a callback says that an own gate was approved by its own requester', () => {
  const self = { by: 'U0ANA', isLate: true } as const;
  const approved: Approval = {
    ...owing,
    key: 'k',
    outcome: { ...outcome, status: 'APPROVED', self },
  };
  const dataOf = (approval: Approval) =>
    callbackBody.parse(JSON.parse(messageOf('0-abc', approval, { event, at: NOW }, LINKS).body))
      .data;
  expect(dataOf(approved)).toMatchObject({ status: 'APPROVED', ownApproval: true });
  expect(dataOf(owing)).not.toHaveProperty('ownApproval');
});

test('a callback names nobody if it is uncertain whose decision counted', () => {
  const sent = { ...owing, outcome: { ...outcome, credit: 'sent' } } satisfies Approval;
  const { body } = messageOf('0-abc', sent, { event, at: NOW }, LINKS);
  expect(callbackBody.parse(JSON.parse(body)).data).toMatchObject({ by: [], reason: null });
});

test('no callback is sent while the previous call may still run; then the same event is sent again', () => {
  const step = stepFor(owing, NOW);
  const marked = markAttempt(owing, step, TRUE_TIME, NOW)?.data ?? owing;
  const endsAt = Number(dueCallback(marked, NOW + 1));
  expect(endsAt).toBeGreaterThan(NOW + CALLBACK_MS);
  const begun = applied(marked, step, { kind: 'begun' });
  expect(dueCallback(begun, endsAt - 1)).toBe(endsAt);
  expect(stepFor(begun, endsAt)).toMatchObject({ event, at: NOW });
});

test('a refused callback is retried after 1, 5 and 25 s, then at most an hour apart', () => {
  const waits: number[] = [];
  let approval = owing;
  let now = NOW;
  while (approval.callbacks !== undefined && waits.length < 40) {
    approval = tried(approval, { kind: 'not-taken', failure }, now);
    const nextAt = dueCallback(approval, now);
    if (typeof nextAt !== 'number') break;
    waits.push((nextAt - now) / 1_000);
    now = nextAt;
  }
  expect(waits.slice(0, 8)).toEqual([1, 5, 25, 125, 625, 3_125, 3_600, 3_600]);
  expect(now).toBeLessThanOrEqual(NOW + 24 * HOUR);
  expect(now).toBeGreaterThan(NOW + 22 * HOUR);
});

test('a callback is given up after a day, and administrators are alerted', () => {
  const old = approvalWith({ outcome, callbacks: [{ event, at: NOW - 24 * HOUR, tries: 20 }] });
  const given = tried(old, { kind: 'not-taken', failure }, NOW);
  expect(given.callbacks).toBeUndefined();
  expect(given.alerts).toEqual([
    { cause: 'callback-failed', subject: 'default', said: 'http_503' },
  ]);
  expect(tried(owing, { kind: 'not-taken', failure }, NOW).alerts).toBeUndefined();
});

test('after one callback succeeds, those that wait behind it are sent at once', () => {
  const waiting = { event: 'approval.posted', at: NOW - 1, notBefore: NOW + HOUR } as const;
  const approval = { ...owing, callbacks: [waiting, { event, at: NOW } as const] };
  const taken = tried(approval, { kind: 'taken' }, NOW);
  expect(stepFor(taken, NOW)).toMatchObject({ event: 'approval.posted' });
});

test('a late failure changes nothing, but a late success counts', () => {
  const step = stepFor(owing, NOW);
  const again = {
    ...owing,
    callbacks: [{ event, at: NOW, attempt: { plannedAt: NOW + 9, mustEndBy: NOW + 99 } } as const],
  };
  const late = callBack.apply(again, step, { kind: 'not-taken', failure }, termsWith(), NOW + 10);
  expect(late.data).toBe(again);
  const taken = callBack.apply(again, step, { kind: 'taken' }, termsWith(), NOW + 10);
  expect(taken.data.callbacks).toBeUndefined();
});
