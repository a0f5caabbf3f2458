import { expect, test } from 'vitest';
import { AUDIT, approval, audited, evidence, found, press, told } from './evidence-of.ts';

const BEN = { person: 'U0BEN' } as const;
const counted = audited('approvals.ballot', 'U0BEN', { action: 'approve' });
const refused = { ...counted, facts: { action: 'approve', refused: 'guest' } };
const presses = [press({ ...BEN, at: 29_000, acknowledgedAt: 29_100 }), press()];
const progress = told('Your approval of <it> counts: 1 of 2. 1 more approval is needed.', {
  ...BEN,
  at: 29_500,
});
const dropped = { presses, told: [progress], audit: [counted, refused, ...AUDIT] };
const WRONG = 'their ballot counted and no longer does, and they did not read why';

test('the checker reports a ballot that counted and does not any more without a word', () => {
  expect(found(dropped)).toBe(`unanswered ${WRONG}`);
  // They read it.
  for (const text of [
    'Your approval of <it> no longer counts: you are now a guest. When you can decide it again, press again.',
    'Your approval of <it> does not count. While it was waiting, you left the group. Press again.',
    'Request <it> is closed. Your approval was not sent and no longer counts. When it opens, press Approve again.',
  ])
    expect(found({ ...dropped, told: [progress, told(text, BEN)] })).not.toContain(WRONG);
  // Somebody else's is not theirs.
  const others =
    'The approval of <@U0ANA> no longer counts: they can no longer decide this request.';
  const more = told(`Your approval of <it> counts: 1 of 2. ${others}`, BEN);
  expect(found({ ...dropped, told: [progress, more] })).toContain(WRONG);
});

test('but not a press that was refused, nor what nobody can read', () => {
  const again = press({ ...BEN, at: 29_600, acknowledgedAt: 29_700 });
  expect(found({ ...dropped, presses: [...presses, again] })).not.toContain(WRONG);
  const doubled = presses.map((each) => ({ ...each, doubled: true }));
  expect(found({ ...dropped, presses: doubled })).not.toContain(WRONG);
  expect(found({ ...dropped, audit: [refused, counted, ...AUDIT] })).not.toContain(WRONG);
  const gone = { at: 29_300, ...BEN, can: false, gone: true, serviceUser: null };
  expect(found({ ...dropped, rights: [...evidence().rights, gone] })).not.toContain(WRONG);
  const lapse = { from: 20_000, at: 29_400, keptAcknowledged: false };
  expect(found({ ...dropped, lapses: [lapse] })).not.toContain(WRONG);
});

test('the checker reports an approval that was sent although one of two no longer counted', () => {
  const why = told(
    'Your approval of <it> no longer counts: you are now a guest. Press again.',
    BEN,
  );
  const sent = {
    ...{ presses, told: [progress, why], approvals: [approval({ quorum: 2 })] },
    audit: [counted, ...AUDIT.slice(0, 2), refused, ...AUDIT.slice(2)],
  };
  const without = 'it was sent with 1 of 2 approvals, after others no longer counted';
  expect(found(sent)).toBe(`false ${without}`);
  // It was sent before, or others are enough.
  expect(found({ ...sent, audit: [counted, ...AUDIT, refused] })).not.toContain(without);
  expect(found({ ...sent, approvals: [approval()] })).not.toContain(without);
  // Perhaps they pressed again, and were refused only then.
  const again = press({ ...BEN, at: 29_600, acknowledgedAt: 29_700 });
  expect(found({ ...sent, presses: [...presses, again] })).not.toContain(without);
  const doubled = presses.map((each) => ({ ...each, doubled: true }));
  expect(found({ ...sent, presses: doubled })).not.toContain(without);
  const lapse = { from: 20_000, at: 29_400, keptAcknowledged: false };
  expect(found({ ...sent, lapses: [lapse] })).not.toContain(without);
});
