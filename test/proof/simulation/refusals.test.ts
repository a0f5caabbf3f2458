import { describe, expect, test } from 'vitest';
import { approval, call, evidence, found, message, press, told, WAITING } from './evidence-of.ts';

/** Ana approves at 30 s, and it is not decided. */
const seen = (calls: ReturnType<typeof call>[], text: string, reads: readonly number[] = []) => ({
  approvals: [
    approval({
      calls,
      effects: [],
      announced: [],
      tries: reads.map((at) => ({ operation: 'read', at }) as const),
    }),
  ],
  messages: [message([[10_000, WAITING]])],
  audit: evidence().audit?.slice(0, 2) ?? null,
  told: [told(text)],
});

describe('the checker of a reply that nothing was sent', () => {
  const NOTHING =
    '<it>: The service could not be reached. Nothing was sent. Press again in a minute.';
  const wrong = 'that nothing was sent, and the service had got it';
  const failed = call({ at: 31_000, sentAt: 30_900, status: 500 });

  test('reports one about a press that the service had got', () => {
    expect(found(seen([failed], NOTHING))).toContain(wrong);
    expect(found(seen([{ ...failed, status: null }], NOTHING))).toContain(wrong);
    expect(found(seen([], NOTHING))).toBe('');
  });

  test('reports one because its route is closed', () => {
    const closed = (end: string) =>
      found({
        ...seen(
          [failed],
          `<it> is closed until <!date^60^{time}|09:00>: Freeze. ${end} When it opens, press Approve again.`,
        ),
        closings: [{ route: 'r', from: 0, to: 90_000, surelyFrom: null, surelyTo: 0 }],
      });
    expect(closed('Your approval was not sent and no longer counts.')).toContain(wrong);
    expect(closed('The service was too busy to accept your approval.')).not.toContain(wrong);
  });

  test('accepts one about a press that the service refused, or another one', () => {
    expect(found(seen([{ ...failed, status: 429 }], NOTHING))).toBe('');
    expect(found(seen([{ ...failed, serviceUser: 'ben' }], NOTHING))).not.toContain(wrong);
    const presses = [press({ at: 20_000, acknowledgedAt: 20_100 }), press()];
    expect(found({ ...seen([failed], NOTHING), presses })).not.toContain(wrong);
    expect(found({ ...seen([failed], NOTHING), presses: [press({ doubled: true })] })).toBe('');
    const lapses = [{ from: 31_500, at: 32_000, keptAcknowledged: true }];
    expect(found({ ...seen([failed], NOTHING), lapses })).not.toContain(wrong);
  });
});

describe('the checker of a reply that the service refused a decision', () => {
  const REFUSED = '<it>: The service did not accept your decision. Press again.';
  const wrong = 'that it was refused, before anybody looked whether it was decided';
  const refused = (status: number) => [call({ at: 31_000, status })];

  test.each([404, 409, 410])('reports one after %s without a read', (status) => {
    expect(found(seen(refused(status), REFUSED, [30_500]))).toContain(wrong);
    expect(found(seen(refused(status), REFUSED, [30_500, 31_000]))).toBe('');
  });

  test('accepts one after a refusal that is clear', () => {
    expect(found(seen(refused(400), REFUSED))).toBe('');
    expect(found(seen([...refused(400), ...refused(404)], REFUSED))).toBe('');
    const lapses = [{ from: 31_500, at: 32_000, keptAcknowledged: true }];
    expect(found({ ...seen(refused(404), REFUSED), lapses })).not.toContain(wrong);
  });
});
