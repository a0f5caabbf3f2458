import { describe, expect, test } from 'vitest';
import { TRUE_TIME } from '../../src/lib/timing.ts';
import type { Addressee, Notice } from '../../src/notices/notice.ts';
import {
  beginDelivery,
  foldDelivered,
  type NoticeStep,
  planNotice,
  SILENCE_MS,
} from '../../src/notices/notice-flow.ts';

const NOW = 1_790_000_000_000;
const dana = { kind: 'person', id: 'U0DANA' } as const;
const admins = { kind: 'group', id: 'S0ADM' } as const;
const failed = (failure: object) =>
  ({ kind: 'failed', failure: { class: 'ambiguous', code: 'x', ...failure } }) as const;

function noticeFor(...addressees: Addressee[]): Notice {
  return { v: 1, about: 'approvals.sealed', text: 'A key is missing.', addressees };
}

/** One try, as the loop makes it. */
function tried(notice: Notice, step: NoticeStep, result: Parameters<typeof foldDelivered>[2]) {
  return foldDelivered(beginDelivery(notice, step), step, result, TRUE_TIME, NOW);
}

const finished = { kind: 'finish', keepMs: SILENCE_MS };

describe('a notice', () => {
  test('is given to one addressee after the other, and then kept so that it is not repeated', () => {
    const notice = noticeFor({ kind: 'log', id: 'log' }, dana);
    expect(planNotice(notice, NOW)).toEqual({ kind: 'step', step: { kind: 'log', id: 'log' } });
    const logged = tried(notice, { kind: 'log', id: 'log' }, { kind: 'done' });
    expect(planNotice(logged, NOW)).toEqual({ kind: 'step', step: dana });
    expect(planNotice(tried(logged, dana, { kind: 'done' }), NOW)).toEqual(finished);
  });

  test('goes to the members of a group, once to each', () => {
    const notice = tried(noticeFor(dana, admins), admins, {
      kind: 'members',
      users: ['U0ANA', 'U0DANA'],
    });
    expect(notice.addressees).toEqual([
      dana,
      { ...admins, tries: 1, done: true },
      { kind: 'person', id: 'U0ANA' },
    ]);
  });

  test('does not wait for a group that cannot be read just now', () => {
    const notice = tried(noticeFor(admins, dana), admins, failed({}));
    expect(planNotice(notice, NOW)).toEqual({ kind: 'step', step: dana });
    expect(planNotice(tried(notice, dana, { kind: 'done' }), NOW)).toEqual({
      kind: 'wait',
      until: NOW + 1_000,
      lane: 'people',
    });
  });

  test.each<[string, object, number]>([
    ['waits as long as Slack says', { class: 'refused', status: 429, retryAfterMs: 7_000 }, 7_000],
    ['waits ten seconds when it may have arrived', { class: 'ambiguous' }, 10_000],
    ['waits ten seconds when the answer cannot be read', { class: 'unreadable' }, 10_000],
    ['waits a second when Slack was not reached', { class: 'not-sent' }, 1_000],
  ])('%s', (_how, failure, waitMs) => {
    expect(tried(noticeFor(dana), dana, failed(failure)).addressees).toEqual([
      { ...dana, tries: 1, notBefore: NOW + waitMs },
    ]);
  });

  test('is not given to whom Slack refuses it', () => {
    const refused = failed({ class: 'refused', code: 'channel_not_found', status: 200 });
    expect(planNotice(tried(noticeFor(dana), dana, refused), NOW)).toEqual(finished);
  });

  /** How long it waits before each try, and how it ends. */
  function triedToTheEnd(failure: Parameters<typeof failed>[0]): number[] {
    let notice = noticeFor(dana);
    const triedAt: number[] = [];
    for (let now = NOW; planNotice(notice, now).kind !== 'finish'; ) {
      triedAt.push(now);
      notice = foldDelivered(beginDelivery(notice, dana), dana, failed(failure), TRUE_TIME, now);
      now = notice.addressees[0]?.notBefore ?? now;
    }
    return triedAt.map((at, number) => at - (triedAt[number - 1] ?? NOW));
  }

  test('is given up after some tries, ever later, although Slack cannot be reached', () => {
    const waits = triedToTheEnd({ class: 'not-sent' });
    expect(waits).toHaveLength(12);
    expect(waits.slice(0, 4)).toEqual([0, 1_000, 2_000, 4_000]);
    expect(Math.max(...waits)).toBe(600_000);
  });

  test('is not sent again and again to who may have it each time', () => {
    expect(triedToTheEnd({ class: 'ambiguous' })).toEqual([
      0, 10_000, 20_000, 40_000, 80_000, 160_000,
    ]);
  });

  test('whose tries all end in a crash is given up too', () => {
    let notice = noticeFor(dana);
    for (let tries = 0; tries < 12; tries++) notice = beginDelivery(notice, dana);
    expect(planNotice(notice, NOW)).toEqual(finished);
  });
});
