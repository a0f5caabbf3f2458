import { describe, expect, test } from 'vitest';
import { stateKey } from '../../src/approvals/message/message-state.ts';
import { reminderAt, reminderMessage } from '../../src/approvals/message/reminder.ts';
import { plan } from '../../src/approvals/plan.ts';
import { approvalWith, LINKS, NOW, routeWith, termsWith, WAITING } from './approvals.ts';

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
    const terms = { route: routeWith(), links: LINKS };
    expect(reminderMessage('reminder-1', approvalWith({ ballots }), terms).text).toBe(
      ':bell: *Reminder* · <@U0BEN>: *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>* still needs a decision.',
    );
    const other = ballots.map((cast) => ({ ...cast, user: 'U1ANA', alsoKnownAs: ['U0ANA'] }));
    expect(reminderMessage('reminder-1', approvalWith({ ballots: other }), terms).text).toContain(
      '*Reminder* · <@U0BEN>:',
    );
    const everyone = { users: [], groups: [], channel: true };
    const all = { route: routeWith({ reviewers: everyone }), links: LINKS };
    expect(reminderMessage('last-call', approvalWith({ expiresAt: NOW }), all).text).toBe(
      `:rotating_light: *Last call* · anyone who can decide: *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>* still needs a decision. Deadline: <!date^${NOW / 1000}^{date_short_pretty} at {time}|${new Date(NOW).toISOString()}>`,
    );
  });

  test('wake those who can cover what is still needed', () => {
    const need = (name: string, user: string, group: string) => {
      return { name, count: 1, of: { users: [user], groups: [group] } };
    };
    const reviewers = { users: [], groups: ['S0ALL'], channel: false };
    const needs = [need('SRE', 'U0ANA', 'S0SRE'), need('Security', 'U0CLEO', 'S0SEC')];
    const textWith = (quorum: number, ...users: string[]) => {
      const route = routeWith({ reviewers, need: needs, quorum });
      const ballots = users.map((user) => ({ user, action: 'approve', at: NOW }) as const);
      return reminderMessage('reminder-1', approvalWith({ ballots }), { route, links: LINKS }).text;
    };
    expect(textWith(2)).toContain('* · <@U0ANA>, <@U0CLEO>, <!subteam^S0SRE>, <!subteam^S0SEC>: *');
    expect(textWith(2, 'U0ANA')).toContain('* · <@U0CLEO>, <!subteam^S0SEC>: *');
    // More are needed than fill places.
    expect(textWith(3, 'U0ANA')).toContain('* · <!subteam^S0ALL>: *');
    expect(textWith(3, 'U0ANA', 'U0CLEO')).toContain('* · <!subteam^S0ALL>: *');
  });

  test('do not wake whoever asked, unless they can decide too', () => {
    const approval = approvalWith({ requester: { user: 'U0ANA' } });
    const textWith = (selfApproval: boolean) =>
      reminderMessage('reminder-1', approval, {
        route: routeWith({ selfApproval }),
        links: LINKS,
      }).text;
    expect(textWith(false)).toContain('*Reminder* · <@U0BEN>:');
    expect(textWith(true)).toContain('*Reminder* · <@U0ANA>, <@U0BEN>:');
  });
});
