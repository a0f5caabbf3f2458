import { describe, expect, test } from 'vitest';
import type { Addressee, Alert } from '../../../src/core/alerts/alert.ts';
import {
  type AlertStep,
  applyDelivered,
  markDelivery,
  planAlert,
  SILENCE_MS,
} from '../../../src/core/alerts/alert-flow.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';

const NOW = 1_790_000_000_000;
const dana = { kind: 'person', id: 'U0DANA' } as const;
const admins = { kind: 'group', id: 'S0ADM' } as const;
const failed = (failure: object) =>
  ({ kind: 'failed', failure: { class: 'ambiguous', code: 'x', ...failure } }) as const;

function noticeFor(...addressees: Addressee[]): Alert {
  return { v: 1, about: 'approvals.sealed', text: 'A key is missing.', addressees };
}

/** One try, as the loop makes it. */
function tried(alert: Alert, step: AlertStep, result: Parameters<typeof applyDelivered>[2]) {
  return applyDelivered(markDelivery(alert, step), step, result, TRUE_TIME, NOW);
}

const finished = { kind: 'finish', keepMs: SILENCE_MS };

describe('an alert', () => {
  test('is sent to one recipient after another, and then kept so that it is not repeated', () => {
    const alert = noticeFor({ kind: 'log', id: 'log' }, dana);
    expect(planAlert(alert, NOW)).toEqual({ kind: 'step', step: { kind: 'log', id: 'log' } });
    const logged = tried(alert, { kind: 'log', id: 'log' }, { kind: 'done' });
    expect(planAlert(logged, NOW)).toEqual({ kind: 'step', step: dana });
    expect(planAlert(tried(logged, dana, { kind: 'done' }), NOW)).toEqual(finished);
  });

  test('goes to the members of a group, once to each', () => {
    const alert = tried(noticeFor(dana, admins), admins, {
      kind: 'members',
      users: ['U0ANA', 'U0DANA'],
    });
    expect(alert.addressees).toEqual([
      dana,
      { ...admins, tries: 1, done: true },
      { kind: 'person', id: 'U0ANA' },
    ]);
  });

  test('is sent to the others while a group cannot be read', () => {
    const alert = tried(noticeFor(admins, dana), admins, failed({}));
    expect(planAlert(alert, NOW)).toEqual({ kind: 'step', step: dana });
    expect(planAlert(tried(alert, dana, { kind: 'done' }), NOW)).toEqual({
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

  test('is not tried again for a recipient whom Slack refuses', () => {
    const refused = failed({ class: 'refused', code: 'channel_not_found', status: 200 });
    expect(planAlert(tried(noticeFor(dana), dana, refused), NOW)).toEqual(finished);
  });

  /** How long it waits before each try, and how it ends. */
  function triedToTheEnd(failure: Parameters<typeof failed>[0]): number[] {
    let alert = noticeFor(dana);
    const triedAt: number[] = [];
    for (let now = NOW; planAlert(alert, now).kind !== 'finish'; ) {
      triedAt.push(now);
      alert = applyDelivered(markDelivery(alert, dana), dana, failed(failure), TRUE_TIME, now);
      now = alert.addressees[0]?.notBefore ?? now;
    }
    return triedAt.map((at, number) => at - (triedAt[number - 1] ?? NOW));
  }

  test('is given up after 12 tries, with longer and longer waits, when Slack cannot be reached', () => {
    const waits = triedToTheEnd({ class: 'not-sent' });
    expect(waits).toHaveLength(12);
    expect(waits.slice(0, 4)).toEqual([0, 1_000, 2_000, 4_000]);
    expect(Math.max(...waits)).toBe(600_000);
  });

  test('is given up after 6 tries when each of them may have arrived', () => {
    expect(triedToTheEnd({ class: 'ambiguous' })).toEqual([
      0, 10_000, 20_000, 40_000, 80_000, 160_000,
    ]);
  });

  test('is given up even when every try ends in a crash', () => {
    let alert = noticeFor(dana);
    for (let tries = 0; tries < 12; tries++) alert = markDelivery(alert, dana);
    expect(planAlert(alert, NOW)).toEqual(finished);
  });
});
