import { expect, test } from 'vitest';
import { AUDIT, approval, audited, evidence, found, press, told } from './evidence-of.ts';

const REJECT = { action: 'reject', serviceUser: 'ben' };
const rejected = audited('approvals.ballot', 'U0BEN', REJECT);
const sent = audited('approvals.respond', 'U0BEN', REJECT);
const presses = [
  press({ person: 'U0BEN', action: 'reject', at: 29_000, acknowledgedAt: 29_100 }),
  press(),
];
const counted = told('Your approval of <it> counts: 0 of 2. 2 more approvals are needed.', {
  person: 'U0BEN',
  at: 29_500,
});
const PASSED_OVER = 'false U0ANA approved it after a reject was accepted';
const [posted, ...approved] = AUDIT;
const LOG = [posted ?? rejected, rejected, ...approved];
const passedOver = { presses, told: [counted], audit: LOG };

test('the checker reports an approval that is sent before an earlier accepted reject', () => {
  expect(found(passedOver)).toBe(PASSED_OVER);
  // It was sent, or was accepted after the approval was; or it is of a record that the store forgot.
  expect(found({ ...passedOver, audit: [...LOG.slice(0, 2), sent, ...approved] })).toBe('');
  expect(found({ ...passedOver, audit: [...AUDIT.slice(0, 3), rejected, ...AUDIT.slice(3)] })).toBe(
    '',
  );
  const forgotten = { ...rejected, record: 'r0' };
  expect(found({ ...passedOver, audit: [forgotten, ...AUDIT] })).not.toContain(PASSED_OVER);
});

test('except if the rejecting person was refused later, or told why it was not sent', () => {
  const refused = { ...rejected, facts: { ...REJECT, refused: 'inactive' } };
  const dropped = { ...passedOver, audit: [...LOG.slice(0, 2), refused, ...approved] };
  expect(found(dropped)).not.toContain(PASSED_OVER);
  const why = told('<it>: The service could not be reached. Nothing was sent. Press again.', {
    person: 'U0BEN',
    at: 29_800,
  });
  expect(found({ ...passedOver, told: [why] })).toBe('');
  expect(found({ ...passedOver, told: [counted, { ...why, at: 28_000 }] })).toBe(PASSED_OVER);
  expect(found({ ...passedOver, told: [counted, { ...why, person: 'U0ANA' }] })).toContain(
    PASSED_OVER,
  );
  const waiting = told('<it> still needs a decision.', { person: 'U0BEN', at: 29_800 });
  expect(found({ ...passedOver, told: [counted, waiting] })).toBe(PASSED_OVER);
  const gone = { at: 29_300, person: 'U0BEN', can: false, gone: true, serviceUser: null };
  expect(found({ ...passedOver, rights: [...evidence().rights, gone] })).toBe('');
});

test('a reject that took effect is not reported as lost if only the log lost its sending', () => {
  const effect = { at: 30_000, status: 'REJECTED', how: 'interface', serviceUser: 'ben' } as const;
  const lost = { presses: presses.slice(0, 1), told: [], audit: LOG.slice(0, 2) };
  const what = 'lost reject was accepted, and neither sent nor its person told why not';
  expect(found({ ...lost, approvals: [approval({ effects: [], calls: [] })] })).toContain(what);
  expect(found({ ...lost, approvals: [approval({ effects: [effect] })] })).not.toContain(what);
});

test('the same holds for an own gate', () => {
  const facts = { status: 'APPROVED', credit: 'certain', authority: 'gatepost' };
  const outcome = audited('approvals.outcome', 'U0ANA', facts);
  const approvals = [approval({ authority: 'gatepost', effects: [], calls: [] })];
  const own = { approvals, presses, told: [counted] };
  const [ballot] = approved;
  expect(found({ ...own, audit: [...LOG.slice(0, 2), ballot ?? rejected, outcome] })).toBe(
    PASSED_OVER,
  );
  const other = { ...outcome, actor: 'U0BEN', facts: { ...facts, status: 'REJECTED' } };
  expect(found({ ...own, audit: [...LOG.slice(0, 2), other] })).not.toContain('after a reject');
});

test('the checker reports an accepted reject that is neither sent nor explained to its person', () => {
  const pending = approval({ effects: [], calls: [], announced: [] });
  const messages = evidence()
    .messages.slice(0, 1)
    .map((each) => ({
      ...each,
      versions: each.versions.slice(0, 1),
    }));
  const waiting = { approvals: [pending], messages, presses: presses.slice(0, 1), told: [counted] };
  const what = 'lost reject was accepted, and neither sent nor its person told why not';
  expect(found({ ...waiting, audit: LOG.slice(0, 2) })).toBe(what);
  expect(found({ ...waiting, audit: [...LOG.slice(0, 2), sent] })).toBe('');
});
