import { expect, test } from 'vitest';
import type { ListSeen } from '../../../proof/simulation/evidence.ts';
import { approval, evidence, found, press } from './evidence-of.ts';

const LIST: ListSeen = {
  person: 'U0BEN',
  from: 20_000,
  until: 25_000,
  titles: ['Deploy 4.2'],
  isWhole: true,
};
const listed = (more: Partial<ListSeen> = {}) => ({ lists: [{ ...LIST, ...more }] });
const MISSING = 'lost it waited for a decision, and was not listed';

test('the checker reports a waiting request missing from the pages that a person read', () => {
  expect(found(listed())).toBe('');
  expect(found(listed({ titles: [] }))).toBe(MISSING);
  // They did not turn all of the pages, or read that something could not be checked.
  expect(found(listed({ titles: [], isWhole: false }))).toBe('');
});

test.each([
  ['it was asked later', { approvals: [approval({ intake: intakeAt(20_500) })] }],
  ['somebody had pressed', { presses: [press({ at: 24_000, acknowledgedAt: 24_100 })] }],
  ['it is not theirs', { lists: [{ ...LIST, titles: [], person: 'U0CLEO' }] }],
  ['they have just come back', { rights: rightsSince(19_000) }],
  ['the store went back', { lapses: [{ from: 9_000, at: 22_000, keptAcknowledged: false }] }],
  ['Slack said of people what is not so', { doubts: [{ from: 15_000, to: 21_000 }] }],
  [
    'its deadline was near',
    { approvals: [approval({ authority: 'gatepost', deadlineAt: 60_000 })] },
  ],
])('the checker reports nothing missing if %s', (_why, more) => {
  const open = { ...listed({ titles: [] }), ...more };
  expect(found(open)).not.toContain(MISSING);
});

test('the checker reports a listed request that has ended or is not theirs', () => {
  const late = { from: 72_000, until: 73_000 };
  expect(found(listed(late))).toBe('false it was over, and was listed');
  // It may be the answer to an earlier command.
  expect(found(listed({ from: 70_500, until: 73_000 }))).toBe('');
  expect(found(listed({ person: 'U0CLEO' }))).toBe('false it was listed for who cannot decide it');
  // The store went back since, and nobody knew it any more.
  const lapses = [{ from: 39_000, at: 72_500, keptAcknowledged: false }];
  expect(found({ ...listed(late), lapses })).toBe('');
});

test('the checker reports a decided request missing from the pages of decided ones', () => {
  const pages = { isOfDecided: true, from: 42_000, until: 50_000 };
  expect(found(listed(pages))).toBe('');
  const missing = listed({ ...pages, titles: [] });
  const MISSING_THERE = 'lost it was decided, and was not listed';
  expect(found(missing)).toBe(MISSING_THERE);
  expect(found(listed({ ...pages, titles: [], isWhole: false }))).toBe('');
  expect(found(listed({ ...pages, titles: [], from: 40_500 }))).toBe('');
  expect(found({ ...missing, rights: rightsSince(41_000) })).not.toContain(MISSING_THERE);
  const lapses = [{ from: 39_000, at: 42_500, keptAcknowledged: false }];
  expect(found({ ...missing, lapses })).not.toContain(MISSING_THERE);
  // It is escalated later than it is decided.
  const later = listed({ ...pages, titles: [], from: 142_000, until: 150_000 });
  const escalates = [{ afterMs: 60_000, users: ['U0BEN'] }];
  expect(found(later)).toBe(MISSING_THERE);
  const approvals = [approval({ asked: [], escalates })];
  expect(found({ ...later, approvals })).not.toContain(MISSING_THERE);
  const early = listed({ ...pages, from: 20_000, until: 30_000 });
  expect(found(early)).toBe('false it was listed as decided, and was not');
});

function intakeAt(at: number) {
  return [{ at: 9_100, answeredAt: at, status: 202, record: 'r1' }];
}

function rightsSince(at: number) {
  const ben = { person: 'U0BEN', serviceUser: 'ben' };
  const others = evidence().rights.filter(({ person }) => person !== 'U0BEN');
  return [...others, { ...ben, at: 0, can: false }, { ...ben, at, can: true }];
}
