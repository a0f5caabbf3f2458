import { expect, test } from 'vitest';
import {
  AUDIT,
  approval,
  CHANNEL,
  call,
  calledBack,
  calledBackAtEnd,
  found,
} from './evidence-of.ts';

const refused = { at: 9_500, post: 'message', isHeard: true };
const approvals = [approval({ refusals: [refused] })];
const blocked = calledBack({
  at: 9_800,
  id: 'r1-blocked-9600',
  type: 'approval.blocked',
  saidAt: 9_600,
  status: 'BLOCKED',
  permalink: null,
});
const told = [calledBack(), calledBackAtEnd()];
const LOST = 'lost Slack refused its message, and nobody was called back with that';

test('the checker requires a callback when Slack refuses a message', () => {
  expect(found({ approvals, callbacks: [blocked, ...told] })).toBe('');
  expect(found({ approvals, callbacks: told })).toBe(LOST);
  expect(found({ approvals, callbacks: null })).toBe('');
});

test('except if Gatepost cannot know of the refusal, or the request had ended', () => {
  const callbacks = told;
  const unheard = [approval({ refusals: [{ ...refused, isHeard: false }] })];
  expect(found({ approvals: unheard, callbacks })).toBe('');
  const interruptions = [{ from: 9_400, to: 9_600, what: 'bot-1 is killed' }];
  expect(found({ approvals, callbacks, interruptions })).toBe('');
  const lapses = [{ from: 9_400, at: 9_700, keptAcknowledged: true }];
  expect(found({ approvals, callbacks, lapses })).not.toContain(LOST);
  // Of a request that the store forgot.
  const early = [approval({ refusals: [{ ...refused, at: 5_000 }] })];
  expect(found({ approvals: early, callbacks })).toBe(LOST);
  const before = [{ from: 4_900, at: 5_500, keptAcknowledged: true }];
  expect(found({ approvals: early, callbacks, lapses: before })).not.toContain(LOST);
  const withdrawals = [{ at: 9_400, answeredAt: 9_450 }];
  const taken = [approval({ refusals: [refused], withdrawals })];
  expect(found({ approvals: taken, callbacks })).not.toContain(LOST);
});

test('except while it is unknown how the approval stands', () => {
  const read = {
    operation: 'read',
    action: null,
    serviceUser: null,
    at: 9_000,
    heard: true,
  } as const;
  const after = (...reads: object[]) => [
    approval({
      refusals: [refused],
      calls: [...reads.map((each) => call({ ...read, ...each })), call()],
    }),
  ];
  for (const unknown of [{ readable: false }, { status: 404 }, { heard: false }])
    expect(found({ approvals: after(unknown), callbacks: told })).not.toContain(LOST);
  for (const reads of [
    [{}],
    [{ readable: false }, { at: 9_100 }],
    [{}, { at: 9_600, status: 404 }],
  ])
    expect(found({ approvals: after(...reads), callbacks: told })).toContain(LOST);
});

test('it may be blocked because nobody but its requester is left, for example by other rules', () => {
  const alone = [approval({ reviewers: ['U0ANA', 'U0BEN'], askers: ['U0ANA'] })];
  const off = (change: object) => [
    { at: 1, person: 'U0BEN', can: true, serviceUser: null },
    { at: 9_550, person: 'U0BEN', can: false, serviceUser: null, ...change },
  ];
  const judged = (change: object) =>
    found({ approvals: alone, rights: off(change), callbacks: [blocked, ...told] });
  const WRONG = 'Slack had not refused it';
  for (const change of [{}, { approval: 'A1' }]) expect(judged(change)).not.toContain(WRONG);
  for (const change of [{ can: true }, { approval: 'A2' }, { at: 9_900 }])
    expect(judged(change)).toContain(WRONG);
});

test('the checker requires one, too, when only its requester could decide', () => {
  const entry = { at: 9_500, action: 'approvals.blocked', record: 'r1', actor: 'gatepost' };
  const audit = [...AUDIT, { ...entry, facts: { channel: CHANNEL, code: 'only-requester' } }];
  const ALONE = 'lost Only its requester could decide it, and nobody was called back with that';
  expect(found({ audit, callbacks: told })).toBe(ALONE);
  expect(found({ audit, callbacks: [blocked, ...told] })).not.toContain(ALONE);
  const other = [{ ...entry, record: 'r0', facts: { code: 'only-requester' } }];
  expect(found({ audit: [...AUDIT, ...other], callbacks: told })).toBe('');
  const withdrawals = [{ at: 9_600, answeredAt: 9_650 }];
  const taken = [approval({ withdrawals })];
  expect(found({ approvals: taken, audit, callbacks: told })).not.toContain(ALONE);
});
