import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { messageStateOf, stateKey } from '../../src/approvals/tell/message/message-state.ts';
import { reminderMessage } from '../../src/approvals/tell/message/reminder.ts';
import { waitedFor } from '../../src/approvals/tell/message/waited-for.ts';
import type { Route } from '../../src/core/config/config.ts';
import { approvalWith, LINKS, NOW, plan, routeWith, termsWith } from './approvals.ts';

const MINUTE = 60_000;
const LEADS = { users: ['U0LEA'], groups: ['S0LEADS'] };
const escalate: Route['escalate'] = [
  { after: 30 * MINUTE, to: LEADS },
  { after: 60 * MINUTE, to: { users: ['U0CTO'], groups: [] } },
];
const at = (minutes: number, change: Partial<Route> = {}) => ({
  route: routeWith({ escalate, ...change }),
  asOf: NOW + minutes * MINUTE,
});
describe('escalation', () => {
  test('updates the message, is announced once in the thread, and is planned in the background', () => {
    const watch = { state: 'pending', nextAt: NOW + 9 * 60 * MINUTE } as const;
    const later = { watch, counted: { at: NOW } };
    const shownAt = (approval: Approval, minutes: number) => ({
      ...approval,
      shown: stateKey(
        messageStateOf(approval, { ...termsWith(), ...at(minutes) }, NOW + minutes * MINUTE),
      ),
    });
    const planned = (approval: Approval, minutes: number) =>
      plan(approval, { ...termsWith(), ...at(minutes) }, NOW + minutes * MINUTE);
    const open = shownAt(approvalWith(later), 0);
    expect(planned(open, 0)).toEqual({
      kind: 'wait',
      until: NOW + 30 * MINUTE,
      lane: 'background',
    });
    expect(planned(open, 30)).toMatchObject({ step: { kind: 'update', state: { escalated: 1 } } });
    const updated = shownAt(open, 30);
    expect(planned(updated, 30)).toMatchObject({ step: { kind: 'find-absent' } });
    const known = { ...updated, absent: { at: NOW + 30 * MINUTE } };
    expect(planned(known, 30)).toMatchObject({
      step: { kind: 'take-slot', post: 'escalation-1' },
    });
    const posts = [
      ...known.posts,
      { name: 'escalation-1', channel: 'C0PROD', ts: `${(NOW + 30 * MINUTE) / 1_000}.1` },
    ];
    expect(planned({ ...known, posts }, 31)).toEqual({
      kind: 'wait',
      until: NOW + 60 * MINUTE,
      lane: 'background',
    });
    // A message posted later mentions them itself.
    const ts = `${(NOW + 31 * MINUTE) / 1_000}.1`;
    const late = { ...known, posts: [{ name: 'message', channel: 'C0PROD', ts }] };
    expect(planned(late, 32)).toMatchObject({ kind: 'wait', until: NOW + 60 * MINUTE });
  });

  test('is shown as more people who can decide', () => {
    const waiting = (minutes: number) =>
      waitedFor(
        approvalWith(),
        { name: 'waiting', approvedBy: [], needed: 1, prompt: false },
        at(minutes),
      );
    expect(waiting(29)).toBe('*Waiting for* <@U0ANA> or <@U0BEN>');
    expect(waiting(30)).toBe('*Waiting for* <@U0ANA>, <@U0BEN>, <@U0LEA> or <!subteam^S0LEADS>');
    const { text } = reminderMessage('escalation-1', approvalWith(), { ...at(30), links: LINKS });
    expect(text).toBe(
      ':arrow_up: *Escalated* · <@U0LEA>, <!subteam^S0LEADS>: *<https://acme.slack.com/archives/C0PROD/p171|Deploy 4.2>* still needs a decision. You can now decide it too.',
    );
  });
});

describe('quiet reviewers', () => {
  const quiet = { users: ['U0BEN', 'U0EVE'], groups: ['S0AUDIT'] };

  test('can decide and are not mentioned', () => {
    const route = routeWith({ quiet });
    const state = { name: 'waiting', approvedBy: [], needed: 1, prompt: false } as const;
    expect(waitedFor(approvalWith(), state, { asOf: NOW, route })).toBe('*Waiting for* <@U0ANA>');
    const alone = routeWith({ quiet, reviewers: { users: [], groups: [], channel: false } });
    expect(waitedFor(approvalWith(), state, { asOf: NOW, route: alone })).toBe(
      '*Waiting for a decision*',
    );
  });
});
