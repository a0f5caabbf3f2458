import { describe, expect, test } from 'vitest';
import type { Approval, Ballot, Click, Decision } from '../../src/approvals/approval.ts';
import type { ApprovalCore } from '../../src/approvals/decision/approval-core.ts';
import { encodeSignal } from '../../src/approvals/decision/signal.ts';
import { learnOutcome } from '../../src/approvals/decision/transitions.ts';
import { isUntold } from '../../src/approvals/electorate/self-approval.ts';
import type { Step, StepResult } from '../../src/approvals/steps.ts';
import { holdWords } from '../../src/approvals/tell/message/hold.ts';
import { ballotButtons } from '../../src/approvals/tell/message/message.ts';
import { messageStateOf, stateKey } from '../../src/approvals/tell/message/message-state.ts';
import { outcomeLine } from '../../src/approvals/tell/message/outcome-line.ts';
import { contentOf, metadataFor } from '../../src/approvals/tell/message/post-content.ts';
import { recall } from '../../src/approvals/tell/recall.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { Outbox } from '../../src/core/slack/outbox.ts';
import { fake } from '../support/fake.ts';
import {
  applied,
  applyResult,
  approvalWith,
  attempted,
  DECIDING,
  LINKS,
  NOW,
  plan,
  received,
  termsWith,
} from './approvals.ts';

const terms = termsWith({ selfApproval: 'loud' });
const PRESSED_AT = NOW - 200;
const REPLY = `self-approval-${PRESSED_AT}`;

const OWN: Ballot = {
  user: 'U0ANA',
  action: 'approve',
  at: PRESSED_AT,
  reason: 'The site is down',
  self: true,
};
const { token: _, ...own } = approvalWith({ requester: { user: 'U0ANA' } });
const decision: Decision = {
  ...DECIDING,
  by: 'U0ANA',
  asker: { user: 'U0ANA', channel: 'C0PROD', at: PRESSED_AT },
};
const deciding: Approval = { ...own, key: 'deploy/1', ballots: [OWN], decision };

function stepOf(approval: Approval, now = NOW, rules = terms): Step {
  const next = plan(approval, rules, now);
  if (next.kind !== 'step') throw new Error('nothing is due');
  return next.step;
}

const replyTo = ({ posts }: Approval) => posts.find(({ name }) => name === REPLY);
const words = ({ replies }: Approval) => replies.map(({ user, text }) => `${user}: ${text}`);
const then = (approval: Approval, result: StepResult, now = NOW) =>
  applied(approval, stepOf(approval, now), result, now, terms);

/** It has its slot, and is being posted. */
const posting = () => {
  const slotted = then(deciding, { kind: 'slot', waitMs: 0 });
  return attempted(slotted, stepOf(slotted), NOW);
};
const posted = () => {
  const slotted = then(deciding, { kind: 'slot', waitMs: 0 });
  const step = stepOf(slotted);
  const done = { kind: 'posted', channel: 'C0PROD', ts: '18.1' } as const;
  return applied(attempted(slotted, step, NOW), step, done, NOW, terms);
};

describe('a requester’s own approval', () => {
  test('is not sent until the reply in the thread is posted', () => {
    expect(stepOf(deciding)).toMatchObject({ kind: 'take-slot', post: REPLY });
    expect(stepOf(deciding)).not.toHaveProperty('turn');
    const later = { ...deciding, decision: { ...decision, at: PRESSED_AT + 25_000 } };
    expect(messageStateOf(later, terms, NOW + 40_000)).toMatchObject({
      ...{ waitsFor: 'telling', until: PRESSED_AT + 25_000 + TRUE_TIME.tryForMs },
    });
    expect(messageStateOf(deciding, terms, NOW + 1_000)).toMatchObject({ waitsFor: 'telling' });
    const told = posted();
    expect(isUntold(told)).toBe(false);
    expect(stepOf(told)).toMatchObject({ kind: 'read-status', why: 'decide' });
  });

  test('does not delay approvals of others', () => {
    const { self, ...ballot } = OWN;
    expect(stepOf({ ...deciding, ballots: [ballot] })).toMatchObject({ kind: 'read-status' });
    const unused = { ...decision, by: 'U0BEN', approvers: ['U0BEN'] };
    expect(isUntold({ ...deciding, decision: unused })).toBe(false);
  });

  test('is announced while it is held', () => {
    const sends = { notSent: 0, limited: 0, ambiguous: 0 };
    const held: Decision = {
      ...decision,
      held: { until: NOW + 9_000 },
      phase: { name: 'hold', leftMs: 9_000, sends },
    };
    expect(stepOf({ ...deciding, decision: held })).toMatchObject({ kind: 'take-slot' });
    const told = { ...posted(), decision: held };
    expect(stepOf(told)).toMatchObject({ kind: 'hold' });
    const untold = { ...deciding, decision: held };
    const line = (of: Approval) => {
      const state = messageStateOf(of, terms, NOW);
      if (state.name !== 'held') throw new Error('it is not held');
      return holdWords.line(state, of);
    };
    expect(line(untold)).toBe('*<@U0ANA> approved* · the other reviewers are told first');
    expect(line(told)).toMatch(/· counts at /);
    const step: Step = { kind: 'find-post', post: REPLY, channel: 'C0PROD', plannedAt: NOW };
    const found = { kind: 'posted', channel: 'C0PROD', ts: '18.1' } as const;
    const after = applied({ ...posting(), decision: held }, step, found, NOW + 20_000);
    expect(after.decision?.held).toEqual({ until: NOW + 29_000 });
    // The others have the whole hold to reject it, and it is not waited for longer than without one.
    const slotted = then({ ...deciding, decision: held }, { kind: 'slot', waitMs: 15_000 });
    const slow = { ...slotted, shown: stateKey(messageStateOf(slotted, terms, NOW)) };
    expect(plan(slow, terms, NOW)).toMatchObject({ kind: 'wait' });
    const late = NOW + TRUE_TIME.tryForMs;
    const unclear = { ...posting(), decision: held };
    const shown = stateKey(messageStateOf(unclear, terms, late));
    expect(stepOf({ ...unclear, shown }, late)).toMatchObject({ kind: 'find-post' });
  });

  test('is not counted if Slack refuses the reply', () => {
    const before = posting();
    const failure = { class: 'refused', code: 'is_archived' } as const;
    const step: Step = { kind: 'post', post: REPLY, channel: 'C0PROD', plannedAt: NOW };
    const after = applied(before, step, { kind: 'failed', failure }, NOW, terms);
    expect(after).toMatchObject({ ballots: [], replies: [{ about: 'closed' }] });
    expect(after.decision).toBeUndefined();
    expect(words(after)).toEqual([
      'U0ANA: <request> was not approved: Slack refused the reply that tells the other reviewers first (`is_archived`). Ask a Gatepost administrator, then press again.',
    ]);
  });

  test('tells nobody any more after the deadline', () => {
    const gate = { ...then(deciding, { kind: 'slot', waitMs: 0 }), expiresAt: NOW + 5_000 };
    const stepAt = (now: number) =>
      stepOf({ ...gate, shown: stateKey(messageStateOf(gate, terms, now)) }, now);
    expect(stepAt(NOW + 4_999)).toMatchObject({ kind: 'post', post: REPLY });
    const late = stepAt(NOW + 5_000);
    expect(late).toMatchObject({ kind: 'find-post', post: REPLY });
    const after = applied(gate, late, { kind: 'not-found' }, NOW + 5_000, terms);
    expect(after.decision).toBeUndefined();
  });

  test('searches for its reply one last time after 30 s', () => {
    const late = NOW + TRUE_TIME.tryForMs;
    const shown = stateKey(messageStateOf(posting(), terms, late));
    const waiting = { ...posting(), shown };
    const step = stepOf(waiting, late);
    expect(step).toEqual({ kind: 'find-post', post: REPLY, channel: 'C0PROD', plannedAt: late });
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    for (const result of [{ kind: 'not-found' }, { kind: 'failed', failure }] as const) {
      const after = applied(waiting, step, result, late, terms);
      expect(after.decision).toBeUndefined();
      expect(words(after)).toEqual([
        'U0ANA: <request> was not approved: Slack did not confirm the reply that tells the other reviewers first. Press again in a minute.',
      ]);
    }
    const found = { kind: 'posted', channel: 'C0PROD', ts: '18.1' } as const;
    const after = applied(waiting, step, found, late, terms);
    expect(after.decision).toEqual(decision);
    expect(replyTo(after)).toMatchObject({ ts: '18.1' });
  });

  test('searches for its reply if the store may have lost it', () => {
    const watch = { ...deciding.watch, checkedAt: NOW };
    const back = { ...terms, servingSince: NOW };
    const step = stepOf({ ...deciding, createdAt: NOW - 9_000, watch }, NOW, back);
    expect(step).toMatchObject({ kind: 'find-post', post: REPLY });
  });
});

test('the reply mentions the other reviewers, and quotes the reason', () => {
  const state = messageStateOf(deciding, terms, NOW);
  const { text, blocks } = contentOf('id', deciding, REPLY, state, {
    asOf: NOW,
    route: terms.route,
    links: LINKS,
  });
  expect(text).toMatch(
    /requester\* · <@U0BEN>: .* asked for .*Deploy 4\.2.* without anybody else\./,
  );
  expect(JSON.stringify(blocks)).toContain('The site is down');
});

test('the reply mentions the route’s reviewers, whatever the request narrows', () => {
  const textOf = (route: Parameters<typeof termsWith>[0], narrowedTo?: Approval['narrowedTo']) => {
    const asked = narrowedTo === undefined ? deciding : { ...deciding, narrowedTo };
    const rules = termsWith({ selfApproval: 'loud', ...route });
    const state = messageStateOf(asked, rules, NOW);
    return contentOf('id', asked, REPLY, state, { asOf: NOW, route: rules.route, links: LINKS })
      .text;
  };
  expect(textOf({}, { users: ['U0ANA'], groups: [] })).toContain('requester* · <@U0BEN>: ');
  const channel = { users: [], groups: [], channel: true };
  expect(textOf({ reviewers: channel })).toContain('requester* · <!here>: ');
  const quiet = { users: ['U0DANA'], groups: [] };
  expect(textOf({ reviewers: { ...channel, channel: false }, quiet })).toContain('· <@U0DANA>: ');
});

const REVIEW: Click = {
  id: 'r',
  user: 'U0BEN',
  action: 'approve',
  channel: 'C0PROD',
  at: NOW + 50,
  reviews: true,
};

describe('a request approved by its requester', () => {
  const learned = learnOutcome(
    posted(),
    { status: 'APPROVED', resolvedAt: null, how: 'confirmed' },
    NOW,
  );
  const decided = learned.data;
  const stateOf = (approval: Approval) => messageStateOf(approval, terms, NOW + 100);
  const review = (user: string, to = decided) => {
    const body = encodeSignal({ kind: 'reviewed', asker: { user, channel: 'C0PROD' } });
    return received(to, { id: 'r', at: NOW + 50, body }, terms);
  };
  const reviewed = (result: StepResult, user = 'U0BEN') => {
    const click = { ...REVIEW, user };
    return applyResult(review(user), { kind: 'authorize', click }, result, terms, NOW + 60);
  };

  test('says so in its message and in the audit log', () => {
    expect(decided.outcome).toMatchObject({ by: ['U0ANA'], self: { by: 'U0ANA' } });
    expect(learned.audit).toContainEqual({
      action: 'approvals.self-approval',
      record: null,
      actor: 'U0ANA',
      facts: { route: 'production' },
    });
    const state = stateOf(decided);
    if (state.name !== 'decided') throw new Error('it is decided');
    expect(outcomeLine(state)).toBe(':rotating_light: *Approved by its own requester <@U0ANA>*');
    expect(metadataFor('id', decided, 'message', state)).toMatchObject({ self: 'U0ANA' });
  });

  test('can be reviewed by another reviewer, which the message shows', () => {
    expect(review('U0BEN').queue).toEqual([REVIEW]);
    const { data, audit } = reviewed({ kind: 'accepted' });
    expect(data.queue).toEqual([]);
    expect(data.outcome?.self).toEqual({ by: 'U0ANA', reviewed: { by: 'U0BEN', at: NOW + 60 } });
    expect(audit).toMatchObject([
      {
        action: 'approvals.self-approval.reviewed',
        actor: 'U0BEN',
        facts: { of: 'U0ANA', route: 'production' },
      },
    ]);
    expect(stateKey(stateOf(data))).not.toBe(stateKey(stateOf(decided)));
    const buttons = (approval: Approval) =>
      ballotButtons('v', approval, stateOf(approval), terms).map(({ text }) => text.text);
    expect(buttons(decided)).toEqual(['Reviewed']);
    expect(buttons(data)).toEqual([]);
    expect(metadataFor('id', data, 'message', stateOf(data))).toMatchObject({
      self: `U0ANA,U0BEN,${NOW + 60}`,
    });
    expect(words(review('U0BEN', data)).at(-1)).toBe(
      'U0BEN: <request> was already marked as reviewed by <@U0BEN>.',
    );
  });

  test('keeps that in its message, even if the store has lost it', async () => {
    const { data } = reviewed({ kind: 'accepted' });
    const metadata = metadataFor('id', data, 'message', stateOf(data));
    const outbox = fake<Outbox>({
      readMessage: async () => ({ text: 'Approved: Deploy 4.2', metadata }),
    });
    const core = fake<ApprovalCore>({ outbox });
    const found = await recall.execute(core, 'id', deciding, { kind: 'recall' });
    const lost = { ...deciding, ballots: [], createdAt: NOW - 9_000 };
    const { decision: _, ...undecided } = lost;
    const back = { ...terms, servingSince: NOW + 70 };
    const { outcome } = recall.apply(undecided, { kind: 'recall' }, found, back, NOW + 80).data;
    expect(outcome).toMatchObject({ by: ['U0ANA'], self: data.outcome?.self });
  });

  test('cannot be reviewed by the requester or by people who cannot decide it', () => {
    const asked = 'You asked for <request>, so another reviewer has to press Reviewed.';
    const other =
      'Only people who can decide <request> can mark it as reviewed, so your press was not counted.';
    const cases = [
      [{ kind: 'not-allowed', code: 'requester' }, 'U0ANA', asked],
      [{ kind: 'not-allowed', code: 'not-a-reviewer' }, 'U0EVE', other],
    ] as const;
    for (const [result, user, text] of cases) {
      const { data, audit = [] } = reviewed(result, user);
      expect(data.outcome?.self).toEqual({ by: 'U0ANA' });
      expect(words(data)).toEqual([`${user}: ${text}`]);
      expect(audit).toEqual([]);
    }
  });
});

test('no reply is posted for a requester’s approval that a held decision does not use', () => {
  const sends = { notSent: 0, limited: 0, ambiguous: 0 };
  const ballot: Ballot = { user: 'U0BEN', action: 'approve', at: NOW };
  const click: Click = { ...REVIEW, id: 'a', user: 'U0ANA' };
  const { reviews, ...press } = click;
  const held: Approval = {
    ...deciding,
    ballots: [ballot],
    queue: [press],
    decision: {
      ...DECIDING,
      held: { until: NOW + 9_000 },
      phase: { name: 'hold', leftMs: 9_000, sends },
    },
  };
  const result = { kind: 'accepted', self: true, reason: 'Now' } as const;
  const after = applied(held, { kind: 'authorize', click: press }, result, NOW, terms);
  expect(after.ballots).toEqual([ballot]);
  expect(words(after)[0]).toMatch(/is already approved and counts at/);
  expect(words(after)[0]).not.toContain('counts too');
});
