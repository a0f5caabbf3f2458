import { describe, expect, test } from 'vitest';
import type { Action, Approval, Outcome } from '../../src/approvals/approval.ts';
import {
  CHANGED,
  decidedSentence,
  WITHDRAWN,
  WITHDRAWN_STATE,
} from '../../src/approvals/message/sentences.ts';
import { type ApprovalSignal, encodeSignal, receiveSignal } from '../../src/approvals/receive.ts';
import { approvalWith, NOW, received, termsWith } from './approvals.ts';

let signals = 0;

function take(approval: Approval, body: ApprovalSignal, at = NOW): Approval {
  signals += 1;
  return received(approval, { id: `s${signals}`, at, body: encodeSignal(body) });
}

function press(
  approval: Approval,
  user: string,
  action: Action,
  { at = NOW, ...how }: { at?: number; responseUrl?: string; reason?: string } = {},
): Approval {
  const { reason, ...way } = how;
  const asker = { user, channel: 'C0PROD', ...way };
  const said = reason === undefined ? {} : { reason };
  return take(approval, { kind: 'ballot', action, asker, message: '17.1', ...said }, at);
}

const queued = ({ queue }: Approval) => queue.map(({ user, action }) => `${user} ${action}`);
const words = ({ replies }: Approval) =>
  replies.map(({ about, user, text }) => `${about} ${user}: ${text}`);

describe('a press that waits in the queue', () => {
  const once = press(approvalWith(), 'U0ANA', 'approve', { responseUrl: 'first' });

  test('is not replaced by the opposite one of the same person: both are answered, in their order', () => {
    const both = press(once, 'U0ANA', 'reject');
    expect(queued(both)).toEqual(['U0ANA approve', 'U0ANA reject']);
    expect(queued(press(both, 'U0ANA', 'approve'))).toEqual(['U0ANA approve', 'U0ANA reject']);
  });

  test('is not replaced by the same one of somebody else', () => {
    expect(queued(press(once, 'U0BEN', 'approve'))).toEqual(['U0ANA approve', 'U0BEN approve']);
  });

  test('and is made again is one, in its place, answered the newest way and with the newest reason', () => {
    const others = press(once, 'U0BEN', 'approve');
    const newest = { at: NOW + 1_000, responseUrl: 'second', reason: 'sealed' };
    const again = press(others, 'U0ANA', 'approve', newest);
    expect(queued(again)).toEqual(['U0ANA approve', 'U0BEN approve']);
    expect(again.queue[0]).toMatchObject(newest);
    expect(again.queue[1]).toEqual(others.queue[1]);
  });
});

test('a press on what was shown otherwise says that it changed only where it can still be decided', () => {
  const body = {
    kind: 'ballot',
    action: 'approve',
    asker: { user: 'U0ANA', channel: 'C0PROD', direct: true },
    digest: 'another',
  } as const;
  expect(words(take(approvalWith(), body))).toEqual([`refusal U0ANA: ${CHANGED}`]);
  const withdrawn = take(approvalWith({ withdrawnAt: NOW }), body);
  expect(words(withdrawn)).toEqual([`late U0ANA: ${WITHDRAWN}`]);
});

describe('a withdrawal', () => {
  const waiting = press(press(approvalWith(), 'U0ANA', 'approve'), 'U0BEN', 'reject');

  test('tells everybody whose press waits in the queue, which is empty then', () => {
    const withdrawn = take(waiting, { kind: 'withdraw' });
    expect(withdrawn.queue).toEqual([]);
    expect(words(withdrawn)).toEqual([`late U0ANA: ${WITHDRAWN}`, `late U0BEN: ${WITHDRAWN}`]);
  });

  test('tells whoever presses after it, and queues nothing', () => {
    const late = press(take(approvalWith(), { kind: 'withdraw' }), 'U0ANA', 'approve');
    expect(late.queue).toEqual([]);
    expect(words(late)).toEqual([`late U0ANA: ${WITHDRAWN}`]);
  });
});

describe('a withdrawn request', () => {
  const withdraw = { kind: 'withdraw' } as const;
  const check = { kind: 'check', asker: { user: 'U0ANA', channel: 'C0PROD' } } as const;

  test('is in the audit log once, with who withdrew it and when', () => {
    const signal = { id: 'w', at: NOW + 7, body: encodeSignal(withdraw) };
    const { data, audit } = receiveSignal(approvalWith(), signal, withdraw, termsWith());
    expect(data.withdrawnAt).toBe(NOW + 7);
    expect(audit).toEqual([
      { action: 'approvals.withdrawn', record: null, actor: 'default', facts: {} },
    ]);
    const again = receiveSignal(data, { ...signal, at: NOW + 9 }, withdraw, termsWith());
    expect(again).toEqual({ data });
  });

  test('is not withdrawn once it was decided', () => {
    const outcome: Outcome = { status: 'APPROVED', credit: 'none', by: [], learnedAt: NOW };
    const decided = approvalWith({ outcome });
    expect(take(decided, withdraw)).toEqual(decided);
  });

  test('is told as that to who pressed Check now, before it or after', () => {
    const told = [`state U0ANA: ${WITHDRAWN_STATE}`];
    const before = take(take(approvalWith(), check), withdraw);
    expect(words(before)).toEqual(told);
    expect(before.watch).not.toHaveProperty('askers');
    const withdrawn = take(approvalWith(), withdraw);
    const after = take(withdrawn, check);
    expect(words(after)).toEqual(told);
    expect(after.watch).toEqual(withdrawn.watch);
    expect(take(withdrawn, { kind: 'check' })).toEqual(withdrawn);
  });
});

describe('who presses Check now', () => {
  const check = { kind: 'check', asker: { user: 'U0ANA', channel: 'C0PROD' } } as const;

  test('again waits once', () => {
    const twice = take(take(approvalWith(), check), check, NOW + 1);
    expect(twice.watch.askers).toMatchObject([{ user: 'U0ANA', at: NOW + 1 }]);
  });

  test('begins no watch that has ended: that read is for them alone', () => {
    const { watch } = approvalWith();
    const ended = approvalWith({ watch: { ...watch, ended: true } });
    expect(take(ended, check).watch).toMatchObject({ ended: true, nextAt: NOW });
    expect(take(ended, check).watch).not.toHaveProperty('slot');
    expect(take(ended, { kind: 'check' }).watch).not.toHaveProperty('ended');
  });

  test('keeps no automation from a read of its own soon after', () => {
    const checked = take(approvalWith(), check);
    const { askers, ...watch } = checked.watch;
    const answered = { ...checked, watch: { ...watch, nextAt: NOW + 15_000 } };
    expect(take(answered, { kind: 'check' }, NOW + 1).watch).toMatchObject({
      nextAt: NOW + 1,
      slot: true,
    });
  });
});

describe('a press after the outcome', () => {
  const outcome: Outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW };
  const decided = approvalWith({ outcome });

  test.each([
    ['U0BEN', 'approve'],
    ['U0BEN', 'reject'],
    ['U0ANA', 'reject'],
  ] as const)('is told that it was too late: %s, %s', (user, action) => {
    const late = press(decided, user, action);
    expect(late.queue).toEqual([]);
    expect(words(late)).toEqual([`late ${user}: ${decidedSentence(outcome, action)}`]);
  });

  test('is told the outcome where the request was withdrawn before that was known', () => {
    const late = press({ ...decided, withdrawnAt: NOW }, 'U0BEN', 'approve');
    expect(words(late)).toEqual([`late U0BEN: ${decidedSentence(outcome, 'approve')}`]);
  });

  test('that repeats the decision that was taken needs no word: the message tells', () => {
    expect(press(decided, 'U0ANA', 'approve')).toEqual(decided);
  });
});
