import { describe, expect, test } from 'vitest';
import type { ActedAt } from '../../../src/approvals/acted-at.ts';
import type { Approval } from '../../../src/approvals/approval.ts';
import { dueClick } from '../../../src/approvals/decision/authorize.ts';
import { type ApprovalSignal, encodeSignal } from '../../../src/approvals/decision/signal.ts';
import { shownOf } from '../../../src/approvals/tell/message/elsewhere.ts';
import { approvalMessage, roundIn } from '../../../src/approvals/tell/message/message.ts';
import { messageStateOf } from '../../../src/approvals/tell/message/message-state.ts';
import {
  approvalWith,
  DECIDING,
  NOW,
  received,
  receiveSignal,
  routeWith,
  termsWith,
} from '../approvals.ts';

const EARLIER = 'You have decided on <request> since, so this earlier press was not counted.';
const asker = { user: 'U0ANA', channel: 'C0PROD' };

let signals = 0;
function take(approval: Approval, body: ApprovalSignal): Approval {
  signals += 1;
  return received(approval, { id: `s${signals}`, at: NOW + signals, body: encodeSignal(body) });
}

const press = (to: Approval, action: 'approve' | 'reject', acted?: ActedAt, user = 'U0ANA') =>
  take(to, {
    kind: 'ballot',
    action,
    asker: { ...asker, user },
    message: '17.1',
    ...(acted && { acted }),
  });
const undo = (to: Approval, acted?: ActedAt) =>
  take(to, { kind: 'take-back', asker, message: '17.1', ...(acted && { acted }) });
const queued = ({ queue }: Approval) => queue.map(({ user, action }) => `${user} ${action}`);
const told = ({ replies }: Approval) => replies.map(({ text }) => text);

describe('a press that arrives after a newer one of the same person', () => {
  const newer = press(approvalWith(), 'reject', { ms: 5_000.5 });

  test('is not counted, and they are told', () => {
    const after = press(newer, 'approve', { ms: 5_000.4 });
    expect(queued(after)).toEqual(['U0ANA reject']);
    expect(told(after)).toEqual([expect.stringContaining(EARLIER.slice(16))]);
    expect(after.history?.events).toMatchObject([{ kind: 'not-counted', why: 'earlier' }]);
  });

  test('is counted if it was made later, or is another person’s', () => {
    expect(queued(press(newer, 'approve', { ms: 5_000.6 }))).toHaveLength(2);
    expect(queued(press(newer, 'approve', { ms: 1 }, 'U0BEN'))).toHaveLength(2);
  });

  test('does not bring back an approval that was undone', () => {
    const decision = { ...DECIDING, by: 'U0ANA', held: { until: NOW + 9_000 } };
    const hold = { name: 'hold', leftMs: 9_000, sends: DECIDING.phase.sends } as const;
    const ballots = [{ user: 'U0ANA', action: 'approve', at: NOW }] as const;
    const held = approvalWith({ ballots, decision: { ...decision, phase: hold } });
    const undone = undo(held, { ms: 9_000 });
    expect(undone.decision).toBeUndefined();
    expect(queued(press(undone, 'approve', { ms: 8_000 }))).toEqual([]);
    expect(queued(press(undone, 'approve', { ms: 10_000 }))).toEqual(['U0ANA approve']);
  });

  test('cannot take back what was approved since', () => {
    const approved = press(approvalWith(), 'approve', { ms: 5_000 });
    expect(queued(undo(approved, { ms: 4_000 }))).toEqual(['U0ANA approve']);
    expect(queued(undo(approved, { ms: 6_000 }))).toEqual([]);
  });

  test('is compared by the second if a form gives only that', () => {
    const form = { ms: 5_000, isWhole: true } as const;
    expect(queued(press(newer, 'approve', form))).toHaveLength(2);
    expect(queued(press(newer, 'approve', { ms: 4_000, isWhole: true }))).toHaveLength(1);
    const sent = press(approvalWith(), 'reject', form);
    expect(queued(press(sent, 'approve', { ms: 5_900 }))).toHaveLength(2);
    expect(queued(press(sent, 'approve', { ms: 4_999 }))).toHaveLength(1);
  });

  test('closes the gate if its time may be later, and does not open it', () => {
    const least = { ms: 4_000, isLeast: true } as const;
    const approved = press(approvalWith(), 'approve', { ms: 5_000 });
    expect(queued(press(approved, 'reject', least))).toContain('U0ANA reject');
    expect(queued(press(newer, 'approve', least))).toEqual(['U0ANA reject']);
  });

  test('is counted if an earlier version received it, which knows no time', () => {
    expect(queued(press(newer, 'approve'))).toHaveLength(2);
  });
});

describe('a press on what the message showed before an Undo', () => {
  const decision = { ...DECIDING, by: 'U0ANA', held: { until: NOW + 9_000 } };
  const hold = { name: 'hold', leftMs: 9_000, sends: DECIDING.phase.sends } as const;
  const ballots = [{ user: 'U0ANA', action: 'approve', at: NOW }] as const;
  const shown = 'as before';
  const undone = undo(approvalWith({ ballots, shown, decision: { ...decision, phase: hold } }));
  const pressIn = (round: string | undefined, to = undone) =>
    take(to, {
      kind: 'ballot',
      action: 'approve',
      asker: { ...asker, user: 'U0BEN' },
      message: '17.1',
      ...(round !== undefined && { round }),
    });

  test('is not counted, and answered with the buttons of now', () => {
    const after = pressIn('');
    expect(queued(after)).toEqual([]);
    expect(after.replies.at(-1)).toMatchObject({ user: 'U0BEN', about: 'reopened' });
    expect(after.shown).toBeUndefined();
    expect(after.history?.events.at(-1)).toMatchObject({ kind: 'not-counted', why: 'reopened' });
  });

  test('is told apart by who undid it and when: the store may have lost another Undo', () => {
    const held = approvalWith({ ballots, shown, decision: { ...decision, phase: hold } });
    const ballot = { user: 'U0CLEO', action: 'approve', at: NOW } as const;
    const both = { ...held, ballots: [...ballots, ballot] };
    const undoneBy = (user: string, at: number) =>
      received(both, {
        ...{ id: 'u', at },
        body: encodeSignal({ kind: 'take-back', asker: { user, channel: 'C0PROD' } }),
      }).round;
    const rounds = [undoneBy('U0ANA', NOW), undoneBy('U0ANA', NOW + 1), undoneBy('U0CLEO', NOW)];
    expect(new Set(rounds).size).toBe(3);
  });

  test('is not counted where it arrived before the Undo and nobody has checked it yet', () => {
    const click = {
      id: 'c',
      user: 'U0BEN',
      channel: 'C0PROD',
      at: NOW,
      action: 'approve',
    } as const;
    const rejected = { ...click, id: 'r', user: 'U0CLEO', action: 'reject' } as const;
    const held = approvalWith({
      ...{ ballots, shown, decision: { ...decision, phase: hold } },
      queue: [click, rejected],
    });
    const after = undo(held);
    expect(queued(after)).toEqual(['U0CLEO reject']);
    expect(after.replies).toContainEqual(
      expect.objectContaining({ user: 'U0BEN', about: 'reopened' }),
    );
    expect(after.history?.events.at(-1)).toMatchObject({ by: 'U0BEN', why: 'reopened' });
  });

  test('is counted with the new buttons, elsewhere, or where an earlier version received it', () => {
    expect(queued(pressIn(undone.round))).toEqual(['U0BEN approve']);
    expect(queued(pressIn(undefined))).toEqual(['U0BEN approve']);
    expect(queued(pressIn('', approvalWith()))).toEqual(['U0BEN approve']);
  });

  test('is not counted elsewhere either, where what was shown is of before', () => {
    const pressed = (shown: string, to = undone) =>
      take(to, {
        ...{ kind: 'ballot', action: 'approve', asker: { ...asker, user: 'U0BEN' } },
        digest: shown,
      });
    const before = pressed(shownOf(approvalWith()));
    expect(queued(before)).toEqual([]);
    expect(before.replies.at(-1)).toMatchObject({ user: 'U0BEN', about: 'reopened' });
    expect(queued(pressed(shownOf(undone)))).toEqual(['U0BEN approve']);
    expect(queued(pressed(shownOf(approvalWith()), approvalWith()))).toEqual(['U0BEN approve']);
    const other = pressed(shownOf({ ...undone, title: 'Something else' }));
    expect(other.replies.at(-1)).toMatchObject({ about: 'refusal' });
  });

  test('is not counted once after a store went back that may have lost an Undo', () => {
    const terms = { ...termsWith({ hold: 9_000 }), wentBackAt: NOW + 1_000 };
    const ballot = (to: Approval, round: string, later = terms) =>
      receiveSignal(
        to,
        { id: `${to.queue.length}`, at: NOW + 2_000, body: '' },
        {
          kind: 'ballot',
          action: 'approve',
          asker: { ...asker, user: 'U0BEN' },
          message: '17.1',
          round,
        },
        later,
      ).data;
    const refused = ballot(approvalWith(), '');
    expect(queued(refused)).toEqual([]);
    expect(refused.replies.at(-1)).toMatchObject({ user: 'U0BEN', about: 'reopened' });
    const { round = '' } = refused;
    expect(queued(ballot(refused, round))).toEqual(['U0BEN approve']);
    // Another replica noticed it a little later.
    const noticed = { ...terms, wentBackAt: NOW + 20_000 };
    expect(queued(ballot(refused, round, noticed))).toEqual(['U0BEN approve']);
    const again = { ...terms, wentBackAt: NOW + 22_000 };
    expect(queued(ballot(refused, round, again))).toEqual([]);
    // Requests of after that, and those that nobody can undo, lost none.
    expect(queued(ballot(approvalWith({ createdAt: NOW + 1_500 }), ''))).toHaveLength(1);
    expect(
      queued(ballot(approvalWith(), '', { ...termsWith(), wentBackAt: NOW + 1_000 })),
    ).toHaveLength(1);
  });

  test('is told apart by the row of buttons', () => {
    const rowOf = (approval: Approval) => {
      const state = messageStateOf(approval, termsWith(), NOW);
      const { blocks = [] } = approvalMessage('0-1', approval, state, {
        asOf: NOW,
        route: routeWith(),
      });
      return blocks.findLast(({ type }) => type === 'actions')?.block_id ?? '';
    };
    expect(roundIn(rowOf(approvalWith()))).toBe('');
    expect(roundIn(rowOf(undone))).toBe(undone.round);
    expect(roundIn('approvals.answer')).toBeUndefined();
  });
});

describe('while a press is tried again', () => {
  const click = (user: string, action: 'approve' | 'reject', at: number, notBefore?: number) =>
    ({
      ...{ id: `${user}-${action}`, user, action, channel: 'C0PROD', at },
      ...(notBefore !== undefined && { notBefore }),
    }) as const;
  const dueOf = (...queue: ReturnType<typeof click>[]) => {
    const due = dueClick(approvalWith({ queue }), termsWith(), NOW);
    return due === null || typeof due === 'number' ? due : due.click.id;
  };
  const rejected = click('U0ANA', 'reject', NOW - 2_000, NOW + 500);

  test('an approval by whoever rejected waits for it, whichever was pressed first', () => {
    const again = { ...rejected, notBefore: NOW };
    for (const at of [NOW - 1_000, NOW - 3_000]) {
      expect(dueOf(click('U0ANA', 'approve', at), rejected)).toBe(NOW + 500);
      expect(dueOf(click('U0ANA', 'approve', at), again)).toBe('U0ANA-reject');
    }
  });

  test('a rejection waits for no approval', () => {
    const approved = click('U0ANA', 'approve', NOW - 3_000, NOW + 500);
    expect(dueOf(approved, click('U0ANA', 'reject', NOW - 1_000))).toBe('U0ANA-reject');
  });

  test('other people’s do not', () => {
    expect(dueOf(rejected, click('U0BEN', 'approve', NOW - 1_000))).toBe('U0BEN-approve');
  });
});
