import { describe, expect, test } from 'vitest';
import type { Action, Approval, Click, Decision } from '../../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../../src/approvals/approval-flow.ts';
import type { ApprovalCore } from '../../../src/approvals/decision/approval-core.ts';
import {
  authorize,
  dueClick,
  dueReauthorization,
} from '../../../src/approvals/decision/authorize.ts';
import { settleOn } from '../../../src/approvals/decision/decision.ts';
import { duePause, pauses } from '../../../src/approvals/decision/pause.ts';
import { respond } from '../../../src/approvals/decision/respond.ts';
import { encodeSignal } from '../../../src/approvals/decision/signal.ts';
import type { Authorization } from '../../../src/approvals/electorate/authorization.ts';
import { ballotButtons, stateBlocks } from '../../../src/approvals/tell/message/message.ts';
import { messageStateOf, stateKey } from '../../../src/approvals/tell/message/message-state.ts';
import { showSending } from '../../../src/approvals/tell/update.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { coreWith } from '../../support/core-with.ts';
import {
  approvalWith,
  DECIDING,
  inWords,
  NOW,
  plan,
  receiveSignal,
  said,
  termsWith,
} from '../approvals.ts';

const HOLD_MS = 10_000;
const terms = termsWith({ hold: HOLD_MS });
const sends = { notSent: 0, limited: 0, ambiguous: 0 };

/** @param gone people who can no longer decide @param account everybody's account in the service */
function pressed(
  to: Approval,
  user: string,
  action: Action,
  at = NOW,
  rules = terms,
  gone: readonly string[] = [],
  account?: string,
) {
  const click: Click = { id: `${user}-${action}`, user, channel: 'C0PROD', at, action };
  const queued = { ...to, queue: [click] };
  const step = dueClick(queued, rules, at);
  if (step === null || typeof step === 'number') throw new Error('a press is due');
  const accepted = { kind: 'accepted', ...(account !== undefined && { account }) } as const;
  const others = Object.fromEntries(
    (step.others ?? []).map((other): [string, Authorization] => [
      other,
      gone.includes(other) ? { kind: 'not-allowed', code: 'inactive' } : accepted,
    ]),
  );
  const result = { ...accepted, beside: { others } };
  return inWords(authorize.apply(queued, step, result, rules, at).data);
}

const held = (change: Partial<Approval> = {}, rules = terms) =>
  pressed(approvalWith(change), 'U0ANA', 'approve', NOW, rules);

const waited = (approval: Approval, ms: number, now: number, piece = 500) =>
  pauses.hold.apply(approval, { kind: 'hold', ms: piece }, { kind: 'waited', ms }, terms, now).data;

/** The last piece, and the empty one after it. */
const over = (approval: Approval, ms: number, now: number) =>
  waited(waited(approval, ms, now), 0, now, 0);

const decisionOf = ({ decision }: Approval): Decision => {
  if (decision === undefined) throw new Error('nothing is decided');
  return decision;
};

function undone(approval: Approval, user: string, at = NOW + 1_000) {
  const asker = { user, channel: 'C0PROD' };
  return receiveSignal(approval, { id: 'u', at, body: '' }, { kind: 'take-back', asker }, terms);
}

const told = ({ replies }: Approval) =>
  replies.map(({ user, text }) => `${user}: ${text.replaceAll(/<!date[^>]*>/gu, 'then')}`);

const ways = ({ replies }: Approval) =>
  replies.map(({ user, about, via }) => `${user} ${about} ${via}`);

describe('a held approval', () => {
  test('is not sent while a rejection could not be checked yet', () => {
    const rejection: Click = {
      ...{ id: 'r', user: 'U0BEN', channel: 'C0PROD', at: NOW + 5_000, action: 'reject' },
      ...{ tries: 1, notBefore: NOW + 15_000 },
    };
    const ended = over({ ...held(), queue: [rejection] }, HOLD_MS, NOW + HOLD_MS);
    expect(decisionOf(ended).phase).toEqual({ name: 'hold', leftMs: 500, sends });
    expect(dueClick(ended, terms, NOW + 15_000)).toMatchObject({ click: rejection });
    const later = over({ ...ended, queue: [] }, 500, NOW + 15_500);
    expect(decisionOf(later).phase.name).toBe('check');
  });

  test('is not sent, and shows when it will be', () => {
    const approval = held();
    expect(decisionOf(approval)).toMatchObject({
      held: { until: NOW + HOLD_MS },
      phase: { name: 'hold', leftMs: HOLD_MS, sends },
    });
    const state = messageStateOf(approval, terms, NOW + 9_000);
    expect(state).toEqual({ name: 'held', approvedBy: ['U0ANA'], until: NOW + HOLD_MS });
    expect(stateBlocks(approval, state, terms, 100)[0]).toMatchObject({
      text: {
        text: `:hourglass_flowing_sand: *<@U0ANA> approved* · will be sent at <!date^${(NOW + HOLD_MS) / 1_000}^{time_secs}|${new Date(NOW + HOLD_MS).toISOString()}>`,
      },
    });
    const seen = { ...approval, shown: stateKey(state) };
    expect(plan(seen, terms, NOW + 60_000)).toEqual({
      kind: 'step',
      step: { kind: 'hold', ms: 500 },
    });
    expect(pauses.hold.markAttempt?.(seen, { kind: 'hold', ms: 500 }, TRUE_TIME, NOW)).toEqual({
      data: seen,
    });
  });

  test('is held until two seconds before the deadline at most; a rejection is not held', () => {
    const short = held({ expiresAt: NOW + 5_000 });
    expect(decisionOf(short).phase).toMatchObject({ name: 'hold', leftMs: 3_000 });
    expect(decisionOf(held({ expiresAt: NOW + 2_000 })).phase.name).toBe('check');
    expect(decisionOf(pressed(approvalWith(), 'U0ANA', 'reject')).phase.name).toBe('check');
    expect(decisionOf(held({}, termsWith())).held).toBeUndefined();
  });

  test('ends two seconds before the deadline, however long its pieces take', () => {
    const slow = waited(held({ expiresAt: NOW + 14_000 }), 500, NOW + 6_000);
    expect(decisionOf(slow)).toMatchObject({
      held: { until: NOW + 12_000 },
      phase: { name: 'hold', leftMs: 6_000 },
    });
  });

  test('is authorized again after the hold, and then continues as usual', () => {
    const almost = waited(held(), 9_600, NOW + 9_600);
    expect(duePause(almost)).toEqual({ kind: 'hold', ms: 400 });
    const last = waited(almost, 400, NOW + HOLD_MS);
    // Presses in the meantime are received before it continues.
    expect(duePause(last)).toEqual({ kind: 'hold', ms: 0 });
    const ended = waited(last, 0, NOW + HOLD_MS, 0);
    expect(decisionOf(ended)).toMatchObject({
      at: NOW + HOLD_MS,
      asker: { at: NOW + HOLD_MS },
      phase: { name: 'check', notBefore: NOW + HOLD_MS },
    });
    // The message stays as it is unless it takes long.
    const state = messageStateOf(ended, terms, NOW + HOLD_MS);
    expect(state.name).toBe('held');
    expect(messageStateOf(ended, terms, NOW + HOLD_MS + 1_000).name).toBe('unsent');
    const next = plan({ ...ended, shown: stateKey(state) }, terms, NOW + HOLD_MS);
    expect(next).toMatchObject({
      step: { kind: 'authorize', click: { user: 'U0ANA', action: 'approve' }, look: {} },
    });
  });

  test('waits for an earlier decision that may still be in flight', () => {
    const quietAt = NOW + HOLD_MS + 5_000;
    const after = held({ unconfirmed: [{ action: 'reject', by: 'U0BEN', quietAt }] });
    const ended = over(after, HOLD_MS, NOW + HOLD_MS);
    expect(decisionOf(ended).phase).toMatchObject({ notBefore: quietAt, waitsFor: 'earlier' });
    const early = held({ unconfirmed: [{ action: 'reject', by: 'U0BEN', quietAt: NOW + 5 }] });
    expect(decisionOf(over(early, HOLD_MS, NOW + HOLD_MS)).phase).toEqual({
      ...{ name: 'check', tries: 0, notBefore: NOW + HOLD_MS, sends },
    });
  });

  test('is not shortened by a changed clock: only time spent waiting counts', () => {
    const jumped = waited(held(), 500, NOW + 3_600_000);
    expect(decisionOf(jumped)).toMatchObject({
      held: { until: NOW + 3_600_000 + HOLD_MS, isAgain: true },
      phase: { name: 'hold', leftMs: HOLD_MS },
    });
    const back = waited(held(), 500, NOW - 3_600_000);
    expect(decisionOf(back).phase).toMatchObject({ leftMs: HOLD_MS - 500 });
  });

  test('starts its hold over after a downtime past its end, and the message says so', () => {
    const again = waited(held(), 500, NOW + 60_000);
    const state = messageStateOf(again, terms, NOW + 60_000);
    expect(state).toMatchObject({ isAgain: true, until: NOW + 60_000 + HOLD_MS });
    const [line] = stateBlocks(again, state, terms, 100);
    expect(line.text?.text).toMatch(/ · held again after an interruption$/u);
    // A short delay only makes it later, and people are told the new time.
    const later = waited(held(), 500, NOW + 4_000);
    expect(decisionOf(later).held).toEqual({ until: NOW + 13_500 });
  });

  test('waits by the monotonic clock', async () => {
    let tick = 0;
    const core = coreWith({
      ages: { monotonic: () => tick },
      timers: {
        sleep: async (ms: number) => {
          tick += ms + 7;
        },
        after: () => () => {},
      } as never,
    });
    const waitedFor = pauses.hold.execute(core as unknown as ApprovalCore, '0-1', held(), {
      kind: 'hold',
      ms: 500,
    });
    expect(await waitedFor).toEqual({ kind: 'waited', ms: 500 });
  });
});

describe('Undo', () => {
  test('is on the message until sending begins, while the service does not answer', () => {
    const waiting: Decision = {
      ...DECIDING,
      action: 'approve',
      held: { until: NOW },
      phase: { name: 'check', tries: 2, notBefore: NOW + 3_000, sends },
    };
    const labels = (decision: Decision) => {
      const data = approvalWith({ decision });
      const state = messageStateOf(data, terms, NOW + 2_000);
      return ballotButtons('0-1', data, state, terms).map(({ text }) => text.text);
    };
    expect(labels(waiting)).toEqual(['Undo']);
    const { held, ...never } = waiting;
    expect(labels(never)).toEqual([]);
    const attempt = { plannedAt: NOW, mustEndBy: NOW + 5_000 };
    expect(labels({ ...waiting, phase: { name: 'sending', sends, attempt } })).toEqual([]);
  });

  test('ends the hold, takes the approval back and is answered', () => {
    const { data, audit } = undone(held(), 'U0ANA');
    expect(data.decision).toBeUndefined();
    expect(data.ballots).toEqual([]);
    const facts = { undone: 'U0ANA' };
    expect(audit).toMatchObject([{ action: 'approvals.taken-back', actor: 'U0ANA', facts }]);
    expect(told(data)).toEqual([
      expect.stringMatching(
        /^U0ANA: You took back your approval of .*1 more approval is needed\.$/u,
      ),
    ]);
    expect(messageStateOf(data, terms, NOW + 2_000).name).toBe('waiting');
  });

  test('by one of two approvers keeps the approval of the other, who is told', () => {
    const two = termsWith({ hold: HOLD_MS, quorum: 2 });
    const first = pressed(approvalWith(), 'U0BEN', 'approve', NOW, two);
    const both = pressed({ ...first, replies: [] }, 'U0ANA', 'approve', NOW, two);
    expect(decisionOf(both)).toMatchObject({ by: 'U0ANA', phase: { name: 'hold' } });
    const third = { user: 'U0DEE', action: 'approve', at: NOW } as const;
    const more = { ...both, ballots: [...both.ballots, third] };
    const asker = { user: 'U0BEN', channel: 'C0PROD' };
    const signal = { id: 'u', at: NOW + 1, body: '' };
    const { data } = receiveSignal(both, signal, { kind: 'take-back', asker }, two);
    expect(data.decision).toBeUndefined();
    expect(data.ballots.map(({ user }) => user)).toEqual(['U0ANA']);
    expect(told(data)).toEqual([
      expect.stringMatching(/^U0ANA: <@U0BEN> took back their approval of .*\. /u),
      expect.stringMatching(/^U0BEN: You took back your approval/u),
    ]);
    // Those who cannot decide it at once need not know.
    const four = termsWith({ hold: HOLD_MS, quorum: 4 });
    const after = receiveSignal(more, signal, { kind: 'take-back', asker }, four).data;
    expect(ways(after)).toEqual(['U0ANA closed ephemeral', 'U0BEN taken-back ephemeral']);
  });

  test('when the other approvals are enough tells the others to press Approve again', () => {
    const two = pressed(held(), 'U0BEN', 'approve', NOW + 500);
    const { data } = undone({ ...two, replies: [] }, 'U0ANA');
    expect(data.decision).toBeUndefined();
    expect(data.ballots.map(({ user }) => user)).toEqual(['U0BEN']);
    expect(told(data)).toEqual([
      expect.stringMatching(/^U0BEN: <@U0ANA> took back .* press Approve again\.$/u),
      expect.stringMatching(/^U0ANA: You took back .* press Approve again\.$/u),
    ]);
    expect(ways(data)).toEqual(['U0BEN closed direct', 'U0ANA taken-back ephemeral']);
    // Whoever decided is answered where they pressed.
    const three = pressed({ ...two, replies: [] }, 'U0CLEO', 'approve', NOW + 700);
    expect(ways(undone({ ...three, replies: [] }, 'U0BEN').data)).toEqual([
      'U0ANA closed ephemeral',
      'U0CLEO closed direct',
      'U0BEN taken-back ephemeral',
    ]);
    const decided = pressed({ ...data, replies: [] }, 'U0BEN', 'approve', NOW + 2_000);
    expect(decisionOf(decided)).toMatchObject({ by: 'U0BEN', phase: { name: 'hold' } });
  });

  test('of a press that is still queued removes only that press', () => {
    const click = {
      id: 'b',
      at: NOW,
      user: 'U0BEN',
      channel: 'C0PROD',
      action: 'approve',
    } as const;
    const { data } = undone({ ...held(), queue: [click] }, 'U0BEN');
    expect(data.queue).toEqual([]);
    expect(decisionOf(data)).toMatchObject({ by: 'U0ANA', phase: { name: 'hold' } });
    expect(told(data)).toEqual([
      expect.stringMatching(/^U0BEN: You took back .*\. It is being decided without yours\.$/u),
    ]);
  });

  test('after an attempt that may not have arrived takes the approval back, so that it is not sent again', () => {
    const decision = {
      ...decisionOf(held()),
      phase: {
        name: 'settle',
        sends: { ...sends, ambiguous: 0 },
        failure: { class: 'ambiguous', code: 'timeout' },
        endedAt: NOW,
        mustEndBy: NOW,
        looks: 0,
        notBefore: NOW,
      },
    } as const;
    const readOpen = (approval: Approval) => {
      const settling = { ...decisionOf(approval), phase: decision.phase };
      return settleOn(approval, settling, 'pending', TRUE_TIME, NOW + 60_000);
    };
    const late = undone({ ...held(), decision }, 'U0ANA', NOW + 1).data;
    expect(decisionOf(late).takers).toMatchObject([{ user: 'U0ANA' }]);
    const found = readOpen(late);
    expect(found.decision).toBeUndefined();
    expect(found.watch.state).toBe('unknown');
    // Otherwise it is: if nobody took it back, or it had no hold.
    const { held: _, ...unheld } = decisionOf(late);
    for (const other of [decision, unheld])
      expect(readOpen({ ...late, decision: other }).decision?.phase.name).toBe('send');
  });

  test('by somebody who did not approve changes nothing, and says so', () => {
    const { data } = undone(held(), 'U0BEN');
    expect(decisionOf(data).phase.name).toBe('hold');
    expect(told(data)).toEqual([expect.stringMatching(/^U0BEN: You have no approval of /u)]);
  });

  test('takes effect until the attempt is saved, and is too late after that', () => {
    const ended = over(held(), HOLD_MS, NOW + HOLD_MS);
    expect(undone(ended, 'U0ANA').data.decision).toBeUndefined();
    const decision = decisionOf(ended);
    const ready = {
      ...ended,
      decision: { ...decision, phase: { name: 'send', sends, askedAt: NOW } },
    } as const;
    expect(undone(ready, 'U0ANA').data.decision).toBeUndefined();
    const step = { kind: 'respond', plannedAt: NOW } as const;
    const { data: sending } = respond(showSending).markAttempt?.(ready, step, TRUE_TIME, NOW) ?? {
      data: ready,
    };
    const tooLate = /^U0ANA: Your approval of .* can no longer be undone\./u;
    const refused = { class: 'refused', code: 'http_403', status: 403 } as const;
    const looks = { endedAt: NOW, mustEndBy: NOW, looks: 0, notBefore: NOW };
    const again = { name: 'send', sends: { ...sends, ambiguous: 1 }, askedAt: NOW } as const;
    for (const phase of [
      decisionOf(sending).phase,
      { name: 'settle', sends, failure: refused, ...looks } as const,
      again,
    ]) {
      const late = undone({ ...sending, decision: { ...decision, phase } }, 'U0ANA').data;
      expect(decisionOf(late).phase).toEqual(phase);
      expect(told(late)).toEqual([expect.stringMatching(tooLate)]);
      expect(late.replies).toMatchObject([{ about: 'state' }]);
    }
  });

  test('that is stored before the attempt cancels the sending, also for an own gate', () => {
    const step = { kind: 'respond', plannedAt: NOW } as const;
    const core = coreWith({ config: { routes: [] }, timing: TRUE_TIME });
    const flow = createApprovalFlow(core as unknown as ApprovalCore);
    const asker = { user: 'U0ANA', channel: 'C0PROD' };
    const body = encodeSignal({ kind: 'take-back', asker });
    expect(flow.callsOff?.({ id: 'u', at: NOW, body }, step)).toBe(true);
    // A wait that ended after another worker took the record does not count.
    expect(flow.isTooLate?.({ kind: 'hold', ms: 500 })).toBe(true);
    // Only the save decides an own gate.
    expect(flow.isTooLate?.({ ...step, isOwn: true })).toBe(true);
    expect(flow.isTooLate?.(step)).toBe(false);
    const gate = held({ key: 'one', expiresAt: NOW + 60_000 });
    const decision = { ...decisionOf(gate), phase: { name: 'send', sends, askedAt: NOW } } as const;
    const ready = { ...gate, decision };
    expect(respond(showSending).markAttempt?.(ready, step, TRUE_TIME, NOW)).toEqual({
      data: ready,
    });
  });
});

describe('while an approval is held', () => {
  test('a rejection ends the hold and decides, and the approver is told', () => {
    const rejected = pressed(held(), 'U0BEN', 'reject', NOW + 1_000);
    expect(decisionOf(rejected)).toMatchObject({
      action: 'reject',
      by: 'U0BEN',
      phase: { name: 'check' },
    });
    expect(decisionOf(rejected).held).toBeUndefined();
    expect(told(rejected)).toEqual([
      expect.stringMatching(/^U0ANA: <@U0BEN> rejected .* before your approval took effect\.$/u),
    ]);
  });

  test('an approver who rejects is not told about their own rejection', () => {
    const rejected = pressed(held(), 'U0ANA', 'reject', NOW + 1_000);
    expect(decisionOf(rejected)).toMatchObject({ action: 'reject', by: 'U0ANA' });
    expect(rejected.ballots.map(({ action }) => action)).toEqual(['reject']);
    expect(told(rejected)).toEqual([]);
  });

  test('another approval counts, and its author is told when it is sent', () => {
    const more = pressed(held(), 'U0BEN', 'approve', NOW + 1_000);
    expect(decisionOf(more)).toMatchObject({ by: 'U0ANA', phase: { name: 'hold' } });
    expect(more.ballots.map(({ user }) => user)).toEqual(['U0ANA', 'U0BEN']);
    expect(told(more)).toEqual([
      expect.stringMatching(
        /^U0BEN: .* is already approved and will be sent at then\. Your approval counts too\.$/u,
      ),
    ]);
  });

  test('a second press by its approver is not counted again', () => {
    const again = pressed(held(), 'U0ANA', 'approve', NOW + 1_000);
    expect(again.ballots).toEqual(held().ballots);
    expect(told(again)).toEqual([expect.stringMatching(/ will be sent at then\.$/u)]);
  });

  test('a second press by the same person with another account is not counted and fills no other place', () => {
    const need = [{ name: 'On call', of: { users: ['U0ANA'], groups: [] }, count: 1 }];
    const rules = termsWith({ hold: HOLD_MS, need });
    const press = (to: Approval, user: string) =>
      pressed(to, user, 'approve', NOW, rules, [], 'one account');
    const first = press(approvalWith(), 'U0ANA');
    const again = press(first, 'U0OTHER');
    expect(again.ballots).toEqual(first.ballots);
    expect(messageStateOf(again, rules, NOW)).toMatchObject({
      name: 'held',
      approvedBy: ['U0ANA'],
    });
    expect(told(again)).toEqual([expect.stringMatching(/^U0OTHER: .* will be sent at then\.$/u)]);
  });

  test('two approvals count as one when a third account shows that they are one person’s', () => {
    const rules = termsWith({ hold: HOLD_MS, quorum: 2 });
    const both = held({}, termsWith({ hold: HOLD_MS }));
    const joined: Approval = {
      ...both,
      ballots: [
        { user: 'U0ANA', action: 'approve', at: NOW, account: 'a' },
        { user: 'U0BEN', action: 'approve', at: NOW, account: 'b', alsoKnownAs: ['W1'] },
      ],
    };
    const click: Click = {
      id: 'third',
      user: 'U0DEE',
      channel: 'C0PROD',
      at: NOW,
      action: 'approve',
    };
    const queued = { ...joined, queue: [click] };
    const step = dueClick(queued, rules, NOW);
    if (step === null || typeof step === 'number') throw new Error('a press is due');
    const accounts: Record<string, Authorization> = {
      U0ANA: { kind: 'accepted', account: 'a' },
      U0BEN: { kind: 'accepted', account: 'b', alsoKnownAs: ['W1'] },
    };
    const beside = { others: accounts };
    const third = { kind: 'accepted', account: 'a', alsoKnownAs: ['W1'], beside } as const;
    const after = inWords(authorize.apply(queued, step, third, rules, NOW).data);
    expect(after.ballots.map(({ user }) => user)).toEqual(['U0DEE']);
    expect(after.decision).toBeUndefined();
    expect(messageStateOf(after, rules, NOW)).toMatchObject({ name: 'waiting' });
    expect(told(after)).toEqual([expect.stringMatching(/^U0DEE: .*1 more approval/u)]);
  });

  test('the hold ends when its approver may no longer decide, and starts again with the next approver', () => {
    const more = pressed(held(), 'U0BEN', 'approve', NOW + 1_000, terms, ['U0ANA']);
    expect(decisionOf(more)).toMatchObject({ by: 'U0BEN', held: { until: NOW + 1_000 + HOLD_MS } });
    expect(more.ballots.map(({ user }) => user)).toEqual(['U0BEN']);
    expect(told(more)).toEqual([
      expect.stringMatching(/^U0ANA: Your approval .* no longer counts/u),
    ]);
  });

  test('the hold ends when too few approvals are left, and its approver is told', () => {
    const three = termsWith({ hold: HOLD_MS, quorum: 3 });
    const press = (to: Approval, user: string, gone: readonly string[] = []) =>
      pressed({ ...to, replies: [] }, user, 'approve', NOW, three, gone);
    const all = press(press(press(approvalWith(), 'U0BEN'), 'U0CLEO'), 'U0ANA');
    const fewer = press(all, 'U0DANA', ['U0BEN', 'U0CLEO']);
    expect(fewer.decision).toBeUndefined();
    expect(told(fewer).filter((each) => /^U0(?:ANA|DANA)/.test(each))).toEqual([
      expect.stringMatching(/^U0ANA: Your approval of .* counts: 1 of 3\. .* no longer count/u),
      expect.stringMatching(/^U0DANA: Your approval of .* counts: 2 of 3\. .* no longer count/u),
    ]);
  });

  test('a request that its source withdraws is not sent', () => {
    const signal = { id: 'w', at: NOW + 1_000, body: '' };
    const { data } = receiveSignal(held(), signal, { kind: 'withdraw' }, terms);
    expect(data.decision).toBeUndefined();
    expect(duePause(data)).toBeNull();
  });
});

describe('a hold of before the store went back', () => {
  const lost = { ...terms, wentBackAt: NOW + 1_000 };
  const phase = { name: 'hold', leftMs: 500, sends } as const;
  const held = approvalWith({
    shown: 'as before',
    ballots: [{ user: 'U0BEN', action: 'approve', at: NOW }],
    decision: { ...DECIDING, by: 'U0BEN', held: { until: NOW + 2_000 }, phase },
  });

  test('is not sent, because an Undo may be lost, and its author is told', () => {
    const step = { kind: 'hold', ms: 500 } as const;
    const waited = { kind: 'waited', ms: 500 } as const;
    const data = inWords(pauses.hold.apply(held, step, waited, lost, NOW + 2_000).data);
    expect(data.decision).toBeUndefined();
    expect(data.ballots).toEqual([]);
    expect(data.round).toBeDefined();
    expect(data.shown).toBeUndefined();
    expect(data.replies).toMatchObject([{ user: 'U0BEN', text: said({ code: 'lost-hold' }) }]);
    // Without that it goes on.
    expect(pauses.hold.apply(held, step, waited, terms, NOW + 2_000).data.decision).toBeDefined();
  });

  test('is not sent after its end either', () => {
    const check = { name: 'check', tries: 0, notBefore: NOW, sends } as const;
    const decision = {
      ...DECIDING,
      by: 'U0BEN',
      held: { until: NOW },
      authorizedAt: 0,
      phase: check,
    };
    const step = dueReauthorization({ ...held, decision }, lost, NOW + 2_000);
    if (step === null || typeof step === 'number') throw new Error('it is authorized again');
    const from = { ...held, decision };
    const accepted = { kind: 'accepted' } as const;
    const data = inWords(authorize.apply(from, step, accepted, lost, NOW + 2_000).data);
    expect(data.decision).toBeUndefined();
    expect(data.replies).toMatchObject([{ user: 'U0BEN', text: said({ code: 'lost-hold' }) }]);
  });
});
