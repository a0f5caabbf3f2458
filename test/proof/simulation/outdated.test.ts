import { expect, test } from 'vitest';
import { approval, evidence, found, message, press, WAITING } from './evidence-of.ts';

const PROMPT = 'May it go on?';
const gate = approval({ prompt: PROMPT });
const described = () => {
  const [, ...others] = evidence().messages;
  const main = message([
    [10_000, WAITING],
    [20_000, `${WAITING} ${PROMPT}`],
    [41_000, `:white_check_mark: *Approved by <@U0ANA>* · just now ${PROMPT}`],
  ]);
  return [main, ...others];
};

test('the checker reports a decision on what was not there yet when it was read', () => {
  const old = press({ isElsewhere: true, read: 'Deploy 4.2' });
  const seen = { approvals: [gate], messages: described() };
  expect(found({ ...seen, presses: [old] })).toBe(
    'false approve counted, and U0ANA had not read what its message said by then',
  );
  expect(found({ ...seen, presses: [{ ...old, read: `Deploy 4.2 ${PROMPT}` }] })).toBe('');
  // On the message itself, or before it was there.
  expect(found({ ...seen, presses: [press()] })).toBe('');
  expect(found({ ...seen, presses: [{ ...old, at: 19_000, acknowledgedAt: 19_100 }] })).toBe('');
  // Another press of theirs may be the one that counted.
  expect(found({ ...seen, presses: [old, press({ at: 31_000 })] })).toBe('');
  // The store has forgotten the description.
  const lapses = [{ from: 19_900, at: 21_000, keptAcknowledged: true }];
  expect(found({ ...seen, presses: [old], lapses })).toBe('');
  const before = [{ from: 12_000, at: 15_000, keptAcknowledged: true }];
  expect(found({ ...seen, presses: [old], lapses: before })).toContain('had not read');
});
