import { describe, expect, test } from 'vitest';
import type { Evidence } from '../../../proof/simulation/evidence.ts';
import { audited, evidence, found, message, press, told, WAITING } from './evidence-of.ts';

/** Ana approves at 30 s, and undoes that at 33 s. */
const undo = { person: 'U0ANA', approval: 'A1', at: 33_000, acknowledgedAt: 33_050, shown: null };
const cast = (person: string, more = {}) =>
  audited('approvals.ballot', person, { action: 'approve', ...more });
const undone = audited('approvals.taken-back', 'U0ANA', {});
const HELD =
  ':hourglass_flowing_sand: *<@U0ANA> approved* · will be sent at <!date^40^{time}|then>';

const wrong = 'was counted that was made before U0ANA undid it';
const after = (more: Partial<Evidence>, held = HELD) =>
  found({
    takeBacks: [undo],
    messages: [
      message([
        [10_000, WAITING],
        [30_200, held],
      ]),
      ...evidence().messages.slice(1),
    ],
    ...more,
  });

describe('the checker of the order of presses', () => {
  test('reports an approval of the same person that was held back until they had undone it', () => {
    const audit = [cast('U0ANA'), undone, cast('U0ANA')];
    expect(after({ audit })).toContain(`an approval of U0ANA ${wrong}`);
    const again = press({ at: 35_000, acknowledgedAt: 35_100 });
    expect(after({ audit, presses: [press(), again] })).not.toContain(wrong);
    // Only the second of a form is known.
    const soon = press({ at: 32_500, acknowledgedAt: 32_600 });
    expect(after({ audit, presses: [press(), soon] })).toContain(wrong);
    for (const form of [{ isWithReason: true }, { isElsewhere: true, isOfSeveral: true }])
      expect(after({ audit, presses: [press(), { ...soon, ...form }] })).not.toContain(wrong);
    const refused = cast('U0ANA', { refused: 'guest' });
    expect(after({ audit: [cast('U0ANA'), undone, refused] })).not.toContain(wrong);
  });

  test('reports a reject that arrived after an approval that the same person made later', () => {
    const reject = press({ action: 'reject', at: 28_000, acknowledgedAt: 33_000 });
    const counted = 'a reject of U0ANA was counted after the approval that they pressed later';
    const rejected = audited('approvals.ballot', 'U0ANA', { action: 'reject' });
    const presses = [reject, press()];
    expect(found({ audit: [cast('U0ANA'), rejected], presses })).toContain(counted);
    expect(found({ audit: [rejected, cast('U0ANA')], presses })).not.toContain(counted);
    // They changed their mind, or only the second of a form is known.
    for (const at of [32_000, 29_500]) {
      const later = [press(), { ...reject, at }];
      expect(found({ audit: [cast('U0ANA'), rejected], presses: later })).not.toContain(counted);
    }
    const refused = audited('approvals.ballot', 'U0ANA', { action: 'reject', refused: 'guest' });
    expect(found({ audit: [cast('U0ANA'), refused], presses })).not.toContain(counted);
  });

  test('reports an approval of somebody else that was made before the request was opened again', () => {
    const audit = [cast('U0ANA'), undone, cast('U0BEN')];
    const bens = press({ person: 'U0BEN', at: 29_000, acknowledgedAt: null, shown: 'late' });
    const presses = [bens, press()];
    expect(after({ audit, presses })).toContain(`an approval of U0BEN ${wrong}`);
    // It was not held, or they did not press on its message.
    expect(after({ audit, presses }, WAITING)).not.toContain(wrong);
    const isElsewhere = true;
    expect(after({ audit, presses: [{ ...bens, isElsewhere }, press()] })).not.toContain(wrong);
  });

  test('reports that somebody is told of a later press, and they made none', () => {
    const since = 'You have decided on <it> since, so this earlier press was not counted.';
    const said = [told(since, { at: 34_000 })];
    const once = 'that they have decided since, and they had pressed only once';
    expect(found({ told: said })).toContain(once);
    expect(found({ told: said, takeBacks: [undo] })).not.toContain(once);
    // The press that opened a form was delivered twice, the second time too late for another form.
    const presses = [press({ isWithReason: true })];
    expect(found({ told: said, presses })).not.toContain(once);
  });
});
