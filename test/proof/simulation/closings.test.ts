import { expect, test } from 'vitest';
import type { Lapse } from '../../../proof/simulation/evidence.ts';
import { approval, found, message, press, told } from './evidence-of.ts';

const closing = { route: 'prod', from: 20_000, to: 90_000, surelyFrom: 34_000, surelyTo: 80_000 };

test('the checker of closed routes reports a message that keeps asking, unless the store lost its request', () => {
  const open = approval({ route: 'prod', effects: [], calls: [], announced: [] });
  const asking = (lapses: readonly Lapse[], deletedAt: number | null = null) =>
    found({
      approvals: [open],
      messages: [
        message([[10_000, ':hourglass: *Waiting for* <@U0ANA> or <@U0BEN>']], { deletedAt }),
      ],
      presses: [],
      audit: null,
      closings: [closing],
      lapses,
    });
  const ASKED = 'its message asked people while it was closed';
  expect(asking([])).toContain(ASKED);
  expect(asking([{ from: 12_000, at: 15_000, keptAcknowledged: false }])).toContain(ASKED);
  expect(asking([{ from: 9_000, at: 12_000, keptAcknowledged: false }])).not.toContain(ASKED);
  expect(asking([], 63_000)).toContain(ASKED);
  expect(asking([], 61_000)).not.toContain(ASKED);
  expect(asking([], 36_000)).not.toContain(ASKED);
});

test('while a route is closed an escalation waits with its clock', () => {
  const escalates = [{ afterMs: 20_000, users: ['U0CLEO'] }];
  const reviewers = ['U0ANA', 'U0BEN', 'U0CLEO'];
  const waiting = { effects: [], calls: [], announced: [], asked: ['U0ANA', 'U0BEN'] };
  const refusedAt = (at: number, route: string) =>
    found({
      approvals: [approval({ route, reviewers, escalates, ...waiting })],
      presses: [press({ person: 'U0CLEO', at, acknowledgedAt: at + 10 })],
      told: [
        told('You are not a reviewer of <it>, so your decision does not count.', {
          person: 'U0CLEO',
          at: at + 100,
        }),
      ],
      rights: [{ at: 0, person: 'U0CLEO', can: true, serviceUser: 'cleo' }],
      messages: [],
      audit: null,
      closings: [closing],
    });
  const REFUSED = 'that they cannot decide, when they could';
  expect(refusedAt(60_000, 'other')).toContain(REFUSED);
  expect(refusedAt(60_000, 'prod')).not.toContain(REFUSED);
  expect(refusedAt(110_000, 'prod')).not.toContain(REFUSED);
  expect(refusedAt(150_000, 'prod')).toContain(REFUSED);
});

test('a request that came after the opening is not said to be closed', () => {
  const lock = ':lock: *Closed here until 10:00*: Freeze';
  const said = (madeAt: number, lapses: readonly Lapse[] = []) =>
    found({
      approvals: [approval({ route: 'prod', madeAt, effects: [], calls: [], announced: [] })],
      messages: [message([[madeAt + 1_000, lock]])],
      presses: [press({ at: madeAt + 2_000, acknowledgedAt: madeAt + 2_010 })],
      told: [told('<it> is closed until <!date^1^>: Freeze.', { at: madeAt + 2_100 })],
      audit: null,
      closings: [closing],
      lapses,
    });
  const WRONG = ['message said that it is closed', 'U0ANA was told that it is closed'];
  for (const wrong of WRONG) {
    expect(said(91_000)).toContain(wrong);
    expect(said(89_000)).not.toContain(wrong);
    // The store may have forgotten the opening.
    expect(said(91_000, [{ from: 80_000, at: 92_000, keptAcknowledged: true }])).not.toContain(
      wrong,
    );
    // The same of the closing: the command may arrive a second time.
    const forgotten = {
      from: closing.from - 500,
      at: closing.from + 2_000,
      keptAcknowledged: true,
    };
    expect(said(91_000, [forgotten])).not.toContain(wrong);
    expect(said(151_000, [forgotten])).toContain(wrong);
  }
});

test('after an approval that was not sent so many are left that more are needed, unless places are open', () => {
  const left = (progress: string, of: Partial<Parameters<typeof approval>[0]> = {}) =>
    found({
      approvals: [
        approval({ route: 'prod', quorum: 2, effects: [], calls: [], announced: [], ...of }),
      ],
      messages: [
        message([
          [10_000, ':hourglass: *Waiting for a decision*'],
          [
            36_000,
            `:lock: *Closed here until <!date^80^{time}|08:00>*: Freeze${progress} · Approve has to be pressed again after that`,
          ],
        ]),
      ],
      presses: [press({ at: 20_000, acknowledgedAt: 20_010 })],
      audit: null,
      closings: [closing],
    });
  const ENOUGH = 'said that Approve has to be pressed again, and U0ANA, U0BEN were enough';
  expect(left(' · approved by <@U0ANA> and <@U0BEN>')).toContain(ENOUGH);
  expect(left(' · 2 of 2 approvals (<@U0ANA> and <@U0BEN>)')).toContain(ENOUGH);
  expect(left(' · 1 of 2 approvals (<@U0ANA>)')).not.toContain('were enough');
  expect(left('', { quorum: 1 })).not.toContain('were enough');
  const needs = [{ name: 'On call', of: { users: ['U0CLEO'], groups: [] }, count: 1 }];
  expect(left(' · approved by <@U0ANA> and <@U0BEN>', { needs })).not.toContain('were enough');
});
