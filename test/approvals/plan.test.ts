import { describe, expect, test } from 'vitest';
import { type Approval, type Click, NO_SENDS, type Reply } from '../../src/approvals/approval.ts';
import type { Terms } from '../../src/approvals/electorate/terms.ts';
import { plan as planned } from '../../src/approvals/plan.ts';
import type { Step } from '../../src/approvals/steps.ts';
import { messageStateOf, stateKey } from '../../src/approvals/tell/message/message-state.ts';
import { approvalWith, DECIDING, NOW, plan, termsWith } from './approvals.ts';

/** What the other tests of steps do not show: which of several due steps comes first. */

const terms = termsWith();

function stepsOf(approval: Approval, now = NOW, rules: Terms = terms): readonly Step[] {
  const next = plan(approval, rules, now);
  return next.kind === 'step' ? [next.step, ...(next.beside ?? [])] : [];
}
const kindsOf = (...given: Parameters<typeof stepsOf>) => stepsOf(...given).map(({ kind }) => kind);

/** With a message that shows how it stands. */
function shown(approval: Approval, now = NOW, rules: Terms = terms): Approval {
  return { ...approval, shown: stateKey(messageStateOf(approval, rules, now)) };
}

const reply: Reply = {
  ...{ id: 'r1', user: 'U0CLEO', channel: 'C0PROD', at: NOW },
  ...{ about: 'state', text: 'Hello', via: 'ephemeral' },
};
const press: Click = { id: 'p1', user: 'U0BEN', channel: 'C0PROD', at: NOW, action: 'approve' };

describe('the next step', () => {
  test('is a waiting reply, before anything is read for a press', () => {
    const approval = shown(approvalWith({ replies: [reply], queue: [press] }));
    const next = planned(approval, terms, NOW);
    expect(next).toMatchObject({ kind: 'step', step: { kind: 'reply' } });
    const { replies, ...others } = approval;
    const alone = planned({ ...others, replies: [] }, terms, NOW);
    expect(alone).toMatchObject({
      kind: 'step',
      step: { kind: 'read-closing' },
      beside: [{ kind: 'authorize' }],
    });
  });

  test('is the update of a message, together with replies', () => {
    expect(kindsOf(approvalWith({ replies: [reply] }))).toEqual(['update', 'reply']);
  });

  test('runs alone if it is a post that people need in order to decide', () => {
    const posts = [{ name: 'message', channel: 'C0PROD', slot: true as const }];
    const approval = approvalWith({ posts, replies: [reply] });
    expect(kindsOf({ ...approval, absent: { at: NOW } })).toEqual(['post']);
  });

  test('before the first post is the read of its text, then of its requester', () => {
    const { message, ...silent } = approvalWith({
      posts: [{ name: 'message', channel: 'C0PROD' }],
      watch: { state: 'pending', nextAt: NOW },
      requester: { email: 'cleo@example.com', lookups: 0 },
    });
    expect(stepsOf(silent)).toMatchObject([{ kind: 'read-status', why: 'prompt' }]);
    expect(kindsOf({ ...silent, message: 'Ready?' })).toEqual(['identify-requester']);
  });

  test('does not look for absent people before a message was posted', () => {
    const posts = [{ name: 'message', channel: 'C0PROD', notBefore: NOW + 60_000 }];
    const waits = approvalWith({
      posts,
      absent: { at: NOW - 5, changedAt: NOW },
      counted: { at: NOW },
    });
    expect(kindsOf(waits)).not.toContain('find-absent');
    const { posts: _, ...others } = waits;
    const posted = shown({ ...others, posts: approvalWith().posts });
    expect(kindsOf(posted)).toEqual(['find-absent']);
  });
});

describe('the message of a decision that takes long', () => {
  const now = NOW + 2_000;
  const decided = (change: Partial<typeof DECIDING>) =>
    approvalWith({
      ballots: [{ user: 'U0BEN', action: 'approve', at: NOW }],
      decision: { ...DECIDING, ...change },
    });

  test('is updated after a decision that can be sent now', () => {
    const phase = { name: 'send', askedAt: now, sends: NO_SENDS } as const;
    expect(kindsOf(decided({ phase, authorizedAt: now }), now)).toEqual(['respond']);
  });

  test('is updated before people are authorized again', () => {
    const phase = { name: 'send', askedAt: now, sends: NO_SENDS } as const;
    expect(kindsOf(decided({ phase, authorizedAt: 0 }), now)).toEqual(['update']);
  });

  test('is updated while a guard holds the decision up', () => {
    const rules = termsWith({ selfApproval: 'loud' });
    const { token, ...gate } = decided({ phase: { name: 'send', askedAt: now, sends: NO_SENDS } });
    const own = { user: 'U0BEN', action: 'approve', at: NOW, self: true, reason: 'x' } as const;
    const told = { ...gate, key: 'k', requester: { user: 'U0BEN' }, ballots: [own] };
    expect(kindsOf(told, now, rules)).toEqual(['update']);
  });

  test('is updated if the status cannot be read yet, also after the store lost writes', () => {
    const lost = { ...terms, servingSince: NOW + 1 };
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const settle = {
      name: 'settle',
      ...{ sends: { ...NO_SENDS, ambiguous: 1 }, looks: 0, endedAt: NOW, mustEndBy: NOW, failure },
    } as const;
    const later = decided({ phase: { ...settle, notBefore: now + 5_000 } });
    expect(kindsOf(later, now, lost)).toEqual(['update']);
    const due = decided({ phase: { ...settle, notBefore: now } });
    expect(kindsOf(due, now, lost)).toEqual(['read-status']);
  });
});
