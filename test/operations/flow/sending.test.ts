import { expect, it } from 'vitest';
import type { FailureFacts } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import {
  allowed,
  authorizingFailed,
  dueSend,
  firstPhase,
  isUnauthorized,
  type Sending,
  type SendPhase,
  sendBegun,
  sendFailed,
} from '../../../src/operations/flow/sending.ts';

const NOW = 1_000_000;
const NONE = { notSent: 0, limited: 0 };
const sending = (sends: Partial<Sending['sends']> = {}): Sending => ({
  name: 'sending',
  attempt: { plannedAt: NOW, mustEndBy: NOW + 5_000 },
  sends: { ...NONE, ...sends },
});
const notSent: FailureFacts = { class: 'not-sent', code: 'ECONNREFUSED' };
const busy = (retryAfterMs?: number): FailureFacts => ({
  class: 'refused',
  code: 'http_429',
  status: 429,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

it.each<[string, SendPhase, number, ReturnType<typeof dueSend>]>([
  ['at first', firstPhase(NOW), NOW, 'authorize'],
  ['too early', firstPhase(NOW), NOW - 1, NOW],
  ['once allowed', allowed(firstPhase(NOW), NOW), NOW, 'send'],
  ['allowed a minute ago', allowed(firstPhase(NOW), NOW), NOW + 60_000, 'send'],
  ['allowed longer ago', allowed(firstPhase(NOW), NOW), NOW + 60_001, 'authorize'],
  ['left behind by a process that died', sending(), NOW, 'lost'],
])('the next step is known %s', (_, phase, now, due) => {
  expect(dueSend(phase, now)).toBe(due);
});

it.each<[string, Sending, FailureFacts, ReturnType<typeof sendFailed>['kind']]>([
  ['not sent', sending(), notSent, 'again'],
  ['not sent the second time', sending({ notSent: 1 }), notSent, 'again'],
  ['not sent the third time', sending({ notSent: 2 }), notSent, 'done'],
  ['busy', sending(), busy(), 'again'],
  ['busy the third time', sending({ limited: 2 }), busy(), 'done'],
  ['refused', sending(), { class: 'refused', code: 'http_418', status: 418 }, 'done'],
  ['without an answer', sending(), { class: 'ambiguous', code: 'timeout' }, 'lost'],
  ['not readable', sending(), { class: 'unreadable', code: 'body' }, 'lost'],
])(
  'after a call that was %s the operation is sent again, read back or ended',
  (_, phase, failure, kind) => {
    expect(sendFailed(phase, failure, TRUE_TIME, NOW).kind).toBe(kind);
  },
);

it.each([
  [sending({ notSent: 2 }), notSent, 'not-reached'],
  [sending({ limited: 2 }), busy(), 'busy'],
  [sending(), { class: 'refused', code: 'http_418', status: 418 } as const, 'refused'],
  [sending(), { class: 'refused', code: 'http_308', status: 308 } as const, 'redirected'],
])('an operation that ends says why: %j after %j', (phase, failure, code) => {
  expect(sendFailed(phase, failure, TRUE_TIME, NOW)).toEqual({ kind: 'done', code });
});

it('the tries of one kind leave those of the other as they are', () => {
  const after = sendFailed(sending({ limited: 1 }), notSent, TRUE_TIME, NOW);
  expect(after).toMatchObject({ phase: { sends: { notSent: 1, limited: 1 } } });
});

it('an authorization that fails is tried three times, each after a longer wait', () => {
  const failure: FailureFacts = { class: 'ambiguous', code: 'timeout' };
  const waits: number[] = [];
  let phase: SendPhase | null = firstPhase(0);
  while (phase !== null && waits.length < 9) {
    phase = authorizingFailed(phase, failure, TRUE_TIME, NOW);
    if (phase?.name === 'authorize') waits.push(phase.notBefore - NOW);
  }
  expect(waits).toEqual([...TRUE_TIME.retryMs]);
});

it.each([
  [firstPhase(0), true],
  [{ ...firstPhase(0), sends: { notSent: 1, limited: 0 } } as const, false],
  [{ ...firstPhase(0), sends: { notSent: 0, limited: 1 } } as const, false],
  [allowed(firstPhase(0), NOW), false],
])('only an operation that was never authorized promises nothing: %j', (phase, isFirst) => {
  expect(isUnauthorized(phase)).toBe(isFirst);
});

it('the person is authorized again before anything is sent again', () => {
  const after = sendFailed(sending(), busy(59_000), TRUE_TIME, NOW);
  if (after.kind !== 'again') throw new Error('it is sent again');
  expect(dueSend(after.phase, NOW)).toBe(NOW + 59_000);
  expect(dueSend(after.phase, NOW + 59_000)).toBe('authorize');
});

it('the number of tries is kept when the person is authorized again', () => {
  const after = sendFailed(sending({ notSent: 1, limited: 1 }), busy(0), TRUE_TIME, NOW);
  if (after.kind !== 'again') throw new Error('it is sent again');
  const sent = sendBegun(allowed(after.phase, NOW), { plannedAt: NOW }, TRUE_TIME, NOW);
  expect(sent.sends).toEqual({ notSent: 1, limited: 2 });
  expect(sendFailed(sent, busy(0), TRUE_TIME, NOW).kind).toBe('done');
});

it('marking the attempt twice extends its end', () => {
  const noted = sendBegun(allowed(firstPhase(NOW), NOW), { plannedAt: NOW }, TRUE_TIME, NOW);
  const anew = sendBegun(noted, { plannedAt: NOW }, TRUE_TIME, NOW + 3_000);
  expect(anew).toEqual({ ...noted, attempt: { plannedAt: NOW, mustEndBy: NOW + 10_000 } });
});

it('nothing is sent without an authorization', () => {
  for (const phase of [firstPhase(NOW), sending()]) {
    expect(() => sendBegun(phase, { plannedAt: NOW + 1 }, TRUE_TIME, NOW)).toThrow('allowed');
  }
});
