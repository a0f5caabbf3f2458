import { expect, test } from 'vitest';
import type { Evidence } from '../../../proof/simulation/evidence.ts';
import { approval, evidence, found, message, WAITING } from './evidence-of.ts';

const WATCH = 'S0WATCH';
const of = { users: [], groups: [WATCH] };
/** Ana is in the group. */
const gate = approval({ madeAt: 100_000, needs: [{ name: 'Watch', of, count: 1 }] });
const member = { at: 0, person: 'U0ANA', group: WATCH, isIn: true };
const LACKING = 'Cannot be approved: not enough people from Watch can approve.';

const said = (words: string, more: Partial<Evidence> = {}): string => {
  const main = message([
    [101_000, WAITING],
    [103_000, `${WAITING} ${words}`],
  ]);
  const all = found({ approvals: [gate], messages: [main], memberships: [member], ...more });
  return all.split('\n').find((each) => each.includes('too few people')) ?? '';
};

test('the checker reports a message that says that too few can approve, when enough could', () => {
  const wrong = 'false its message said that too few people can approve it, and enough could';
  expect(said(LACKING)).toBe(wrong);
  expect(said('Nobody pressed yet.')).toBe('');
  const few = 'Cannot be approved: 2 approvals are needed, and only 1 reviewer can approve.';
  const two = { ...gate, quorum: 2 };
  expect(said(few, { approvals: [two] })).toBe(wrong);
  expect(said(few, { approvals: [{ ...two, quorum: 3 }] })).toBe('');
  // What was known of the group, or of her, may be a minute old.
  const out = { ...member, at: 40_000, isIn: false };
  const back = { ...member, at: 50_000 };
  expect(said(LACKING, { memberships: [member, out, back] })).toBe('');
  const left = { at: 40_000, person: 'U0ANA', can: false, serviceUser: 'ana' };
  const { rights } = evidence();
  expect(said(LACKING, { rights: [...rights, left, { ...left, at: 50_000, can: true }] })).toBe('');
  // She is the only one in the group, and asked for it.
  expect(said(LACKING, { approvals: [{ ...gate, askers: ['U0ANA'] }] })).toBe('');
  // Slack knew nobody for a while, or the store forgot what was counted.
  expect(said(LACKING, { doubts: [{ from: 90_000, to: 95_000 }] })).toBe('');
  const lapse = { from: 99_000, at: 102_000, keptAcknowledged: true };
  expect(said(LACKING, { lapses: [lapse] })).toBe('');
});
