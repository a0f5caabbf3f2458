import { describe, expect, it } from 'vitest';
import type { FailureFacts } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import {
  applyAuthorization,
  applyGivenUp,
  applyRead,
  applySent,
  cancel,
  detailOf,
  dueProgress,
  isRepeatable,
  sendAgain,
} from '../../../src/operations/flow/progress.ts';
import type { Progress, Rules } from '../../../src/operations/flow/rules.ts';
import { firstPhase } from '../../../src/operations/flow/sending.ts';

/** A lamp that is switched on: repeating that is harmless, and a read shows whether it is on. */
interface LampTypes {
  readonly wish: { readonly lamp: string };
  readonly answer: { readonly kind: 'on' | 'broken' };
  readonly reading: { readonly isOn: boolean };
  readonly why: never;
  readonly outcome: { readonly code: 'on' | 'broken' | 'locked' };
  readonly refusal: 'child';
}

const LAMP: Rules<LampTypes> = {
  kind: 'lamp',
  audit: 'lamps',
  factsOf: ({ lamp }, action) => ({ lamp: `${lamp}, ${action}` }),
  outcomeFacts: () => ({}),
  confirms: ({ kind }) => kind === 'on',
  isDoneOnce: true,
  verdict: (_, { kind }) => ({ kind: 'done', outcome: { code: kind } }),
  isSuccess: ({ code }) => code === 'on',
  settling: new Set(['on']),
  repeatable: new Set(['unknown']),
  authorizedForMs: () => 12_000,
  reading: {
    isFirst: () => true,
    verdict(_, phase, { found, readAt, now }) {
      if ('failure' in found) return { kind: 'read-again', notBefore: now + 500 };
      if (found.reading.isOn) return { kind: 'done', outcome: { code: 'on' } };
      return phase.name === 'send'
        ? { kind: 'ready' }
        : { kind: 'send-again', notBefore: readAt + 9 };
    },
  },
};
/** The same without reads. */
const { reading, ...blind } = LAMP;
const BLIND: Rules<LampTypes> = blind;

const NOW = 1_000_000;
const SENDS = { notSent: 0, limited: 0 };
const lamp = (phase: Progress<LampTypes>['phase'], change: Partial<Progress<LampTypes>> = {}) => ({
  by: 'U0ANA',
  channel: 'C0',
  wish: { lamp: 'hall' },
  phase,
  ...change,
});
const send = { name: 'send', authorizedAt: NOW, notBefore: NOW, sends: SENDS } as const;
const sending = {
  name: 'sending',
  attempt: { plannedAt: NOW, mustEndBy: NOW + 7_000 },
  sends: SENDS,
} as const;
const step = { plannedAt: NOW };
const TIMEOUT: FailureFacts = { class: 'ambiguous', code: 'timeout' };
const failed: { kind: 'failed'; failure: FailureFacts } = { kind: 'failed', failure: TIMEOUT };

it('an operation waits for another one that comes first, and is authorized after that', () => {
  const { data } = applyAuthorization(
    LAMP,
    lamp(send),
    { kind: 'wait', waitMs: 2_000 },
    TRUE_TIME,
    NOW,
  );
  expect(dueProgress(LAMP, data, NOW)).toBe(NOW + 2_000);
});

it('an operation that is barred ends with that outcome', () => {
  const barred = { kind: 'barred', outcome: { code: 'locked' } } as const;
  const { data, audit } = applyAuthorization(LAMP, lamp(firstPhase(0)), barred, TRUE_TIME, NOW);
  expect(data).toMatchObject({ phase: { name: 'done' }, outcome: { code: 'locked' } });
  expect(audit).toEqual([
    {
      action: 'lamps.outcome',
      record: null,
      actor: 'U0ANA',
      facts: { lamp: 'hall, outcome', outcome: 'locked' },
    },
  ]);
});

it.each([
  ['Slack', {}, 'could-not-check'],
  ['the service', { of: 'service' }, 'account-not-read'],
  ['the store', { of: 'store' }, 'store-not-read'],
] as const)('an operation ends if %s cannot be asked about the person', (_, of, code) => {
  const tried = lamp({ name: 'authorize', tries: 3, notBefore: 0, sends: SENDS });
  const { data } = applyAuthorization(LAMP, tried, { ...failed, ...of }, TRUE_TIME, NOW);
  expect(data).toMatchObject({ phase: { name: 'done' }, outcome: { code } });
});

it('an operation is authorized again when its authorization is too old', () => {
  const read = lamp({ ...send, readAt: NOW + 12_000 });
  expect(dueProgress(LAMP, read, NOW + 12_000)).toMatchObject({ kind: 'send' });
  expect(dueProgress(LAMP, read, NOW + 12_001)).toEqual({ kind: 'authorize' });
});

it('the number of failed reads is kept when the operation is authorized again', () => {
  const unread = applyRead(LAMP, lamp(send), step, failed, TRUE_TIME, NOW).data;
  expect(unread.phase).toMatchObject({ name: 'send', reads: 1, notBefore: NOW + 500 });
  expect(
    applyAuthorization(LAMP, unread, { kind: 'allowed' }, TRUE_TIME, NOW).data.phase,
  ).toMatchObject({
    reads: 1,
  });
});

it('an operation with a lost response is read back, and sent again automatically if that is safe', () => {
  const lost = applySent(LAMP, lamp(sending), step, failed, TRUE_TIME, NOW + 5_000).data;
  expect(lost.unconfirmed).toEqual({ quietAt: NOW + 17_000, lost: 1, hasEnded: true });
  expect(dueProgress(LAMP, lost, NOW + 5_000)).toEqual({ kind: 'read', plannedAt: NOW + 5_000 });
  const off = { kind: 'read', reading: { isOn: false } } as const;
  const again = applyRead(LAMP, lost, step, off, TRUE_TIME, NOW).data;
  expect(again).toMatchObject({ phase: firstPhase(NOW + 9), unconfirmed: { lost: 1 } });
  const on = { kind: 'read', reading: { isOn: true } } as const;
  expect(applyRead(LAMP, lost, step, on, TRUE_TIME, NOW).data).not.toHaveProperty('unconfirmed');
});

it('an operation that cannot be read back is given up, but not before its call has ended', () => {
  const died = lamp(sending);
  expect(dueProgress(BLIND, died, NOW)).toBe(NOW + 7_000);
  expect(dueProgress(BLIND, died, NOW + 7_000)).toEqual({ kind: 'give-up', plannedAt: NOW });
  const { data } = applyGivenUp(BLIND, died, step, TRUE_TIME, NOW + 7_000);
  expect(data).toMatchObject({
    phase: { name: 'done' },
    outcome: { code: 'unknown' },
    unconfirmed: { hasEnded: false },
  });
  expect(applyGivenUp(BLIND, data, step, TRUE_TIME, NOW + 7_000)).toEqual({ data });
});

it('an operation that cannot be read back ends with what came instead of an answer', () => {
  const failure = { ...TIMEOUT, code: 'http_502', status: 502, detail: 'Bad gateway' };
  const { data } = applySent(
    BLIND,
    lamp(sending),
    step,
    { kind: 'failed', failure },
    TRUE_TIME,
    NOW,
  );
  expect(data.outcome).toEqual({ code: 'unknown', status: 502, detail: 'Bad gateway' });
});

it('a call is given up by its own step, not by an earlier one', () => {
  const later = lamp({ ...sending, attempt: { plannedAt: NOW + 9, mustEndBy: NOW + 7_009 } });
  expect(applyGivenUp(BLIND, later, step, TRUE_TIME, NOW + 7_009)).toEqual({ data: later });
});

it.each([
  [send, 'no-key'],
  [{ name: 'read-back', why: 'lost', reads: 0, notBefore: NOW } as const, 'unknown'],
  [sending, 'unknown'],
])('without a key nothing is read: from %j it ends as %s', (phase, code) => {
  const { data } = applyRead(LAMP, lamp(phase), step, { kind: 'no-key' }, TRUE_TIME, NOW);
  expect(data.outcome).toEqual({ code });
});

it('words that the service did not send are left out', () => {
  expect(['Locked', null, undefined].map((detail) => detailOf(detail))).toEqual([
    { detail: 'Locked' },
    {},
    {},
  ]);
});

it('a person can cancel what is not sent yet; of a sent call the effect is still read', () => {
  const rules: Rules<LampTypes> = { ...LAMP, cancelled: { code: 'locked' } };
  const cancelled = cancel(rules, lamp(send)).data;
  expect(cancelled).toMatchObject({ phase: { name: 'done' }, outcome: { code: 'locked' } });
  expect(cancel(rules, cancelled)).toEqual({ data: cancelled });
  const readBack = { name: 'read-back', why: 'lost', reads: 0, notBefore: NOW } as const;
  for (const phase of [sending, readBack]) {
    expect(cancel(rules, lamp(phase)).data).toEqual(lamp(phase, { cancelled: true }));
  }
  // What cannot be cancelled goes on.
  expect(cancel(LAMP, lamp(send)).data).toEqual(lamp(send));
});

it('a person can send an operation again once the lost call can no longer arrive', () => {
  const unconfirmed = { quietAt: NOW + 17_000, lost: 3, hasEnded: true };
  const unknown = lamp({ name: 'done' }, { outcome: { code: 'unknown' }, unconfirmed });
  expect(isRepeatable(LAMP, unknown)).toBe(true);
  const { data, audit } = sendAgain(LAMP, unknown, NOW);
  expect(audit).toEqual([
    { action: 'lamps.again', record: null, actor: 'U0ANA', facts: { lamp: 'hall, again' } },
  ]);
  expect(data).toEqual(
    lamp(firstPhase(NOW + 17_000), { unconfirmed: { ...unconfirmed, lost: 0 } }),
  );
});

it.each([
  ['tells of every sending of what can be done but once', LAMP, 'done'],
  [
    'tells nothing of another sending of what can be done twice',
    { ...LAMP, isDoneOnce: false },
    'sending',
  ],
] as const)('a late confirmation %s', (_, rules, phase) => {
  const later = lamp({ ...sending, attempt: { plannedAt: NOW + 9, mustEndBy: NOW + 7_009 } });
  const on = { kind: 'answered', answer: { kind: 'on' } } as const;
  expect(applySent(rules, later, step, on, TRUE_TIME, NOW + 9).data.phase.name).toBe(phase);
});

describe('the late, unclear end of a call', () => {
  const late = { plannedAt: NOW - 3_000 };
  const lostLate = { quietAt: NOW + 17_000, lost: 1, hasEnded: true };
  const end = (rules: Rules<LampTypes>, progress: Progress<LampTypes>, result = failed) =>
    applySent(rules, progress, late, result, TRUE_TIME, NOW).data;

  it.each([firstPhase(0), send])(
    'whose note the store lost is like any other lost answer: %j is not sent',
    (phase) => {
      expect(end(LAMP, lamp(phase))).toMatchObject({
        phase: { name: 'read-back', why: 'lost' },
        unconfirmed: lostLate,
      });
      const unknown = end(BLIND, lamp(phase));
      expect(unknown).toMatchObject({
        phase: { name: 'done' },
        outcome: { code: 'unknown' },
        unconfirmed: lostLate,
      });
      const on = { kind: 'answered', answer: { kind: 'on' } } as const;
      const confirmed = applySent(BLIND, unknown, late, on, TRUE_TIME, NOW).data;
      expect(confirmed.outcome).toEqual({ code: 'on' });
      expect(confirmed).not.toHaveProperty('unconfirmed');
    },
  );

  it('counts too if the answer could not be read, with what came instead', () => {
    const failure = { class: 'unreadable', code: 'body', status: 200 } as const;
    const { outcome } = end(BLIND, lamp(send), { kind: 'failed', failure });
    expect(outcome).toEqual({ code: 'unknown', status: 200 });
  });

  it('is noted beside another open attempt, whose own result decides', () => {
    expect(end(LAMP, lamp(sending))).toEqual(lamp(sending, { unconfirmed: lostLate }));
  });

  it('is noted beside an outcome that does not settle it', () => {
    const over = (code: 'broken' | 'on') => lamp({ name: 'done' }, { outcome: { code } });
    const broken = over('broken');
    expect(end(LAMP, broken)).toEqual({ ...broken, unconfirmed: lostLate });
    const on = over('on');
    expect(end(LAMP, on)).toBe(on);
  });

  it('adds nothing if that call is known to be lost, but one planned since then does', () => {
    const again = (quietAt: number) =>
      lamp(send, { unconfirmed: { quietAt, lost: 0, hasEnded: true } });
    const known = again(late.plannedAt + 1);
    expect(end(BLIND, known)).toBe(known);
    expect(end(BLIND, again(late.plannedAt))).toMatchObject({
      phase: { name: 'done' },
      unconfirmed: lostLate,
    });
  });
});
