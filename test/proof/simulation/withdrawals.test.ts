import { expect, test } from 'vitest';
import {
  AUDIT,
  approval,
  audited,
  call,
  evidence,
  found,
  message,
  WAITING,
} from './evidence-of.ts';

const WITHDRAWN = ':no_entry_sign: *Withdrawn*';
const APPROVED = ':white_check_mark: *Approved by <@U0ANA>* · just now';

const late = call({ sentAt: 35_000 });
const withdrawn = (answeredAt: number | null, more: Parameters<typeof approval>[0] = {}) => [
  approval({ withdrawals: [{ at: 33_000, answeredAt }], calls: [late], ...more }),
];
const SENT = 'false approve was sent after its automation knew that it was withdrawn';

test('the checker reports a decision sent after its automation was told of the withdrawal', () => {
  expect(found({ approvals: withdrawn(34_000) })).toBe(SENT);
  // It was on its way, or nobody knew, or nobody knows when it was sent.
  expect(found({ approvals: withdrawn(35_000) })).toBe('');
  expect(found({ approvals: withdrawn(null) })).toBe('');
  expect(found({ approvals: withdrawn(34_000, { calls: [call()] }) })).toBe('');
});

test('the checker reports a lost decision sent again after the withdrawal', () => {
  const first = call({ at: 20_000, sentAt: 19_900, status: null });
  const read = call({ operation: 'read', at: 32_500, action: null, serviceUser: null });
  const presses = [{ ...evidence().presses[0], at: 19_000, acknowledgedAt: 19_100 }] as never;
  const again = { presses, approvals: withdrawn(34_000, { calls: [first, read, late] }) };
  expect(found(again)).toBe(SENT);
});

test('the checker accepts it only if the store went back after the withdrawal', () => {
  const lapse = { from: 32_500, at: 34_500, keptAcknowledged: true };
  const approvals = withdrawn(34_000);
  expect(found({ approvals, lapses: [lapse] })).toBe('');
  expect(found({ approvals, lapses: [{ ...lapse, at: 32_900 }] })).toBe(SENT);
});

test('the checker reports a decision begun after the withdrawal in the log', () => {
  const entry = audited('approvals.withdrawn', 'pipeline', {});
  const [posted, ballot, ...rest] = AUDIT;
  if (posted === undefined || ballot === undefined) throw new Error('there is no log');
  const messages = [
    message([
      [10_000, WAITING],
      [33_500, WITHDRAWN],
      [41_000, APPROVED],
    ]),
    ...evidence().messages.slice(1),
  ];
  const approvals = withdrawn(null);
  const begun = { messages, approvals, audit: [posted, ballot, entry, ...rest] };
  expect(found(begun)).toContain('the log has that approve is sent after its withdrawal');
  const [respond, ...outcome] = rest;
  if (respond === undefined) throw new Error('there is no log');
  const before = { messages, approvals, audit: [posted, ballot, respond, entry, ...outcome] };
  expect(found(before)).toBe('');
  // Another record of it, of a store that had forgotten the first.
  const other = { ...entry, record: 'r0' };
  expect(found({ messages, approvals, audit: [other, ...AUDIT] })).toBe('');
});
