import { describe, expect, test } from 'vitest';
import { stateKey } from '../../src/approvals/message/message-state.ts';
import { reminderAt, reminderMessage } from '../../src/approvals/message/reminder.ts';
import { plan } from '../../src/approvals/plan.ts';
import { approvalWith, NOW, routeWith, termsWith, WAITING } from './approvals.ts';

const HOUR = 3_600_000;
const remind = { afterMs: HOUR, times: 3 };

describe('reminders', () => {
  test.each([
    [0, undefined, HOUR],
    [HOUR, 'reminder-1', 3 * HOUR],
    [3 * HOUR - 1, 'reminder-1', 3 * HOUR],
    [3 * HOUR, 'reminder-2', 7 * HOUR],
    [7 * HOUR, 'reminder-3', undefined],
    [99 * HOUR, 'reminder-3', undefined],
  ])('double their wait: %i ms after the request', (age, name, nextAfter) => {
    const due = reminderAt(approvalWith(), remind, NOW + age);
    expect(due).toEqual({
      ...(name !== undefined && { name }),
      ...(nextAfter !== undefined && { nextAt: NOW + nextAfter }),
    });
  });

  test('are off unless the route asks for them', () => {
    expect(reminderAt(approvalWith(), { afterMs: null, times: 3 }, NOW + HOUR)).toEqual({});
    expect(reminderAt(approvalWith(), undefined, NOW + HOUR)).toEqual({});
  });

  test('end with the deadline, a quarter of an hour before which there is a last call', () => {
    const approval = approvalWith({ expiresAt: NOW + 2 * HOUR });
    const lastCallAt = NOW + 2 * HOUR - 15 * 60_000;
    expect(reminderAt(approval, remind, NOW + HOUR)).toEqual({
      name: 'reminder-1',
      nextAt: lastCallAt,
    });
    expect(reminderAt(approval, remind, lastCallAt)).toEqual({ name: 'last-call' });
    expect(reminderAt(approval, remind, NOW + 2 * HOUR)).toEqual({});
  });

  test('wait in the background, and stop when nothing is asked any more', () => {
    const terms = termsWith({ remind });
    const shown = stateKey(WAITING);
    const watch = { state: 'pending', nextAt: NOW + 9 * HOUR } as const;
    const open = approvalWith({ shown, watch });
    expect(plan(open, terms, NOW)).toEqual({ kind: 'wait', until: NOW + HOUR, lane: 'background' });
    expect(plan(open, terms, NOW + HOUR)).toMatchObject({
      step: { kind: 'take-slot', post: 'reminder-1' },
    });
    const withdrawn = { ...open, withdrawnAt: NOW, shown: stateKey({ name: 'withdrawn' }) };
    expect(plan(withdrawn, terms, NOW + HOUR)).toMatchObject({ kind: 'finish' });
  });

  test('wake nobody who has answered, and no whole channel', () => {
    const ballots = [{ user: 'U0ANA', action: 'approve', at: NOW } as const];
    const { reviewers } = routeWith();
    expect(reminderMessage('reminder-1', approvalWith({ ballots }), reviewers).text).toBe(
      ':bell: *Still waiting* · <@U0BEN>: this request waits for a decision.',
    );
    const everyone = { users: [], groups: [], channel: true };
    expect(reminderMessage('reminder-1', approvalWith(), everyone).text).toBe(
      ':bell: *Still waiting* · anyone who can decide: this request waits for a decision.',
    );
  });
});
