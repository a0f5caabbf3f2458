import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../../src/approvals/approval.ts';
import { messageStateOf, stateKey } from '../../../../src/approvals/tell/message/message-state.ts';
import { reminderPost } from '../../../../src/approvals/tell/message/post-content.ts';
import { reminderAt, reminderMessage } from '../../../../src/approvals/tell/message/reminder.ts';
import type { Route } from '../../../../src/core/config/config.ts';
import { approvalWith, LINKS, NOW, plan, routeWith, termsWith, WAITING } from '../../approvals.ts';

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
  ])('double the time between them: %i ms after the request', (age, name, nextAfter) => {
    const due = reminderAt(approvalWith(), remind, NOW + age);
    expect(due).toEqual({
      ...(name !== undefined && { name }),
      ...(nextAfter !== undefined && { nextAt: NOW + nextAfter }),
    });
  });

  test('are off by default', () => {
    expect(reminderAt(approvalWith(), { afterMs: null, times: 3 }, NOW + HOUR)).toEqual({});
    expect(reminderAt(approvalWith(), undefined, NOW + HOUR)).toEqual({});
  });

  test('end at the deadline, with a last call 15 minutes before', () => {
    const approval = approvalWith({ expiresAt: NOW + 2 * HOUR });
    const lastCallAt = NOW + 2 * HOUR - 15 * 60_000;
    expect(reminderAt(approval, remind, NOW + HOUR)).toEqual({
      name: 'reminder-1',
      nextAt: lastCallAt,
    });
    expect(reminderAt(approval, remind, lastCallAt)).toEqual({ name: 'last-call' });
    expect(reminderAt(approval, remind, NOW + 2 * HOUR)).toEqual({});
  });

  test('are planned in the background, and stop once there is nothing to decide', () => {
    const terms = termsWith({ remind });
    const shown = stateKey(WAITING);
    const watch = { state: 'pending', nextAt: NOW + 9 * HOUR } as const;
    const open = approvalWith({ shown, watch });
    expect(plan(open, terms, NOW)).toEqual({ kind: 'wait', until: NOW + HOUR, lane: 'background' });
    expect(plan(open, terms, NOW + HOUR)).toMatchObject({ step: { kind: 'find-absent' } });
    const known = { ...open, absent: { at: NOW + HOUR } };
    expect(plan(known, terms, NOW + HOUR)).toMatchObject({
      step: { kind: 'take-slot', post: 'reminder-1' },
    });
    const withdrawn = { ...open, withdrawnAt: NOW, shown: stateKey({ name: 'withdrawn' }) };
    expect(plan(withdrawn, terms, NOW + HOUR)).toMatchObject({ kind: 'finish' });
  });

  test('mention nobody who has approved, and not the whole channel', () => {
    const ballots = [{ user: 'U0ANA', action: 'approve', at: NOW } as const];
    const terms = { asOf: NOW, route: routeWith(), links: LINKS };
    expect(reminderMessage('reminder-1', approvalWith({ ballots }), terms).text).toBe(
      ':bell: *Reminder* · <@U0BEN>: *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>* still needs a decision.',
    );
    const other = ballots.map((cast) => ({ ...cast, user: 'U1ANA', alsoKnownAs: ['U0ANA'] }));
    expect(reminderMessage('reminder-1', approvalWith({ ballots: other }), terms).text).toContain(
      '*Reminder* · <@U0BEN>:',
    );
    const everyone = { users: [], groups: [], channel: true };
    const all = { asOf: NOW, route: routeWith({ reviewers: everyone }), links: LINKS };
    expect(reminderMessage('last-call', approvalWith({ expiresAt: NOW }), all).text).toBe(
      `:rotating_light: *Last call* · anyone who can decide: *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>* still needs a decision. Deadline: <!date^${NOW / 1000}^{date_short_pretty} at {time}|${new Date(NOW).toISOString()}>`,
    );
  });

  test('mention people who can cover the open needs', () => {
    const need = (name: string, user: string, group: string) => {
      return { name, count: 1, of: { users: [user], groups: [group] } };
    };
    let reviewers: Route['reviewers'] = { users: [], groups: ['S0ALL'], channel: false };
    const needs = [need('SRE', 'U0ANA', 'S0SRE'), need('Security', 'U0CLEO', 'S0SEC')];
    const textAt = (quorum: number, ...users: string[]) => {
      const route = routeWith({ reviewers, need: needs, quorum });
      const ballots = users.map((user) => ({ user, action: 'approve', at: NOW }) as const);
      return reminderMessage('reminder-1', approvalWith({ ballots }), {
        asOf: NOW,
        route,
        links: LINKS,
      }).text;
    };
    expect(textAt(2)).toContain('* · <@U0ANA>, <@U0CLEO>, <!subteam^S0SRE>, <!subteam^S0SEC>: *');
    expect(textAt(2, 'U0ANA')).toContain('* · <@U0CLEO>, <!subteam^S0SEC>: *');
    // Anybody else is needed too.
    expect(textAt(3)).toContain('* · <!subteam^S0ALL>: *');
    expect(textAt(3, 'U0ANA', 'U0CLEO')).toContain('* · <!subteam^S0ALL>: *');
    // In a channel those who can be mentioned are.
    reviewers = { users: [], groups: [], channel: true };
    expect(textAt(3, 'U0ANA')).toContain('* · <@U0CLEO>, <!subteam^S0SEC>: *');
    expect(textAt(3, 'U0ANA', 'U0CLEO')).toContain('* · anyone who can decide: *');
  });

  test('do not mention the requester, unless the route allows self-approval', () => {
    const approval = approvalWith({ requester: { user: 'U0ANA' } });
    const textWith = (selfApproval: boolean) =>
      reminderMessage('reminder-1', approval, {
        asOf: NOW,
        route: routeWith({ selfApproval }),
        links: LINKS,
      }).text;
    expect(textWith(false)).toContain('*Reminder* · <@U0BEN>:');
    expect(textWith(true)).toContain('*Reminder* · <@U0ANA>, <@U0BEN>:');
  });
});

describe('an escalation', () => {
  const LEADS = { users: ['U0LEA'], groups: ['S0LEADS'] };
  const HEADS = { users: [], groups: ['S0HEADS'] };
  const escalate = [
    { after: HOUR, to: LEADS },
    { after: 2 * HOUR, to: HEADS },
  ];
  const tsAt = (at: number) => (at / 1_000).toFixed(6);
  const message = { name: 'message', channel: 'C0PROD', ts: tsAt(NOW + 1_000) };
  const posted = (name: string, end: object) => ({ name, channel: 'C0PROD', ...end });

  const due = (age: number, route: Partial<Route> = {}, change: Partial<Approval> = {}) => {
    const approval = approvalWith({ posts: [message], ...change });
    const terms = { route: routeWith({ escalate, ...route }), asOf: NOW + age };
    const { post, nextAt } = reminderPost(approval, terms, NOW + age);
    return [post?.name, nextAt === undefined ? undefined : (nextAt - NOW) / HOUR];
  };
  const text = (name: string, age: number, route: Partial<Route> = {}, change: object = {}) => {
    const approval = approvalWith(change);
    const terms = { route: routeWith({ escalate, ...route }), asOf: NOW + age };
    return reminderMessage(name, approval, { ...terms, links: LINKS }).text;
  };

  test('is announced in the thread at its time, once and in order', () => {
    expect(due(0)).toEqual([undefined, 1]);
    expect(due(HOUR - 1)).toEqual([undefined, 1]);
    expect(due(HOUR)).toEqual(['escalation-1', 2]);
    // After a long outage both are sent.
    expect(due(9 * HOUR)).toEqual(['escalation-1', undefined]);
    const told = [message, posted('escalation-1', { ts: '18.1' })];
    expect(due(HOUR, {}, { posts: told })).toEqual([undefined, 2]);
    expect(due(9 * HOUR, {}, { posts: told })).toEqual(['escalation-2', undefined]);
    const refused = [message, posted('escalation-1', { failed: 'is_archived' })];
    expect(due(9 * HOUR, {}, { posts: refused })).toEqual(['escalation-2', undefined]);
  });

  test('whose reply may have been posted before a crash is searched for before it is posted', () => {
    const route = routeWith({ escalate });
    const attempt = { plannedAt: NOW + HOUR, mustEndBy: NOW + HOUR + 5_000 };
    const approval = approvalWith({
      posts: [message, posted('escalation-1', { attempt })],
      watch: { state: 'pending', nextAt: NOW + 9 * HOUR },
      absent: { at: NOW + HOUR },
    });
    const now = NOW + HOUR + 60_000;
    const terms = { ...termsWith(), route, asOf: now };
    const shown = stateKey(messageStateOf(approval, terms, now));
    expect(plan({ ...approval, shown }, terms, now)).toMatchObject({
      step: { kind: 'find-post', post: 'escalation-1' },
    });
  });

  test('is not announced below a message that already mentions its people', () => {
    const at = (age: number) => [{ ...message, ts: tsAt(NOW + age) }];
    expect(due(HOUR + 60_000, {}, { posts: at(HOUR + 30_000) })).toEqual([undefined, 2]);
    // It may have been rendered before the escalation, and posted late.
    expect(due(HOUR + 60_000, {}, { posts: at(HOUR + 1_000) })).toEqual(['escalation-1', 2]);
  });

  test('is planned in the background, updates the message, and then posts to the thread', () => {
    const route = routeWith({ escalate });
    const watch = { state: 'pending', nextAt: NOW + 9 * HOUR } as const;
    const counted = { at: NOW };
    const approval = approvalWith({
      posts: [message],
      watch,
      counted,
      shown: stateKey(WAITING),
    });
    const planAt = (age: number, change: Partial<Approval> = {}) => {
      const terms = { ...termsWith(), route, asOf: NOW + age };
      return plan({ ...approval, ...change }, terms, NOW + age);
    };
    expect(planAt(0)).toEqual({ kind: 'wait', until: NOW + HOUR, lane: 'background' });
    const escalated = {
      name: 'waiting',
      approvedBy: [],
      needed: 1,
      escalated: 1,
      prompt: false,
    } as const;
    expect(planAt(HOUR)).toMatchObject({ step: { kind: 'update', state: escalated } });
    const updated = { shown: stateKey(escalated) };
    expect(planAt(HOUR, updated)).toMatchObject({ step: { kind: 'find-absent' } });
    expect(planAt(HOUR, { ...updated, absent: { at: NOW + HOUR } })).toMatchObject({
      step: { kind: 'take-slot', post: 'escalation-1' },
    });
    const withdrawn = { withdrawnAt: NOW + 1, shown: stateKey({ name: 'withdrawn' }) };
    expect(planAt(HOUR, withdrawn)).toMatchObject({ kind: 'finish' });
  });

  test('comes before a reminder that is due at the same time', () => {
    const route = { remind };
    expect(due(HOUR, route)).toEqual(['escalation-1', 2]);
    const told = { posts: [message, posted('escalation-1', { ts: '18.1' })] };
    expect(due(HOUR, route, told)).toEqual(['reminder-1', 2]);
    expect(text('reminder-1', HOUR, route)).toContain('*Reminder* · <@U0ANA>, <@U0BEN>: ');
    expect(text('reminder-2', 3 * HOUR, route)).toContain(
      '*Reminder* · <@U0ANA>, <@U0BEN>, <@U0LEA>, <!subteam^S0LEADS>, <!subteam^S0HEADS>: ',
    );
  });

  test('mentions only its people, and says that they can decide', () => {
    expect(text('escalation-1', HOUR, {}, { expiresAt: NOW + 3 * HOUR })).toBe(
      `:arrow_up: *Escalated* · <@U0LEA>, <!subteam^S0LEADS>: *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>* still needs a decision. You can now decide it too. Deadline: <!date^${NOW / 1000 + 3 * 3_600}^{date_short_pretty} at {time}|${new Date(NOW + 3 * HOUR).toISOString()}>`,
    );
    expect(text('escalation-2', 2 * HOUR)).toContain('*Escalated* · <!subteam^S0HEADS>: ');
  });

  test('is not announced if nobody is left to mention', () => {
    const to = (users: readonly string[], needs?: readonly string[]) => {
      return [{ after: HOUR, to: { users, groups: [], ...(needs !== undefined && { needs }) } }];
    };
    const only = (step: Route['escalate'], route: Partial<Route> = {}, change = {}) =>
      due(HOUR, { escalate: step, ...route }, change)[0];
    expect(only(to(['U0LEA']))).toBe('escalation-1');
    expect(only(to(['U0LEA']), { quiet: { users: ['U0LEA'], groups: [] } })).toBeUndefined();
    expect(only(to(['U0LEA']), {}, { requester: { user: 'U0LEA' } })).toBeUndefined();
    const ballots = [{ user: 'U0ANA', action: 'approve', at: NOW }];
    expect(only(to(['U0ANA']), { quorum: 2 }, { ballots })).toBeUndefined();
    // Ana covers SRE, and Lea could cover nothing else.
    const need = (name: string, user: string) => {
      return { name, count: 1, of: { users: [user], groups: [] } };
    };
    const needs = { need: [need('SRE', 'U0ANA'), need('Security', 'U0BEN')] };
    expect(only(to(['U0LEA'], ['SRE']), needs, { ballots })).toBeUndefined();
    expect(only(to(['U0LEA'], ['Security']), needs, { ballots })).toBe('escalation-1');
    expect(only(to(['U0LEA']), needs, { ballots })).toBe('escalation-1');
  });

  test('is not announced after the deadline', () => {
    expect(due(3 * HOUR, {}, { expiresAt: NOW + 2 * HOUR })).toEqual(['escalation-1', undefined]);
    expect(due(0, {}, { expiresAt: NOW + HOUR })).toEqual([undefined, undefined]);
    expect(due(HOUR, {}, { expiresAt: NOW + HOUR })).toEqual([undefined, undefined]);
  });
});
