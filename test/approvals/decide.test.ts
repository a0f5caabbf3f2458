import { describe, expect, test } from 'vitest';
import type { Approval, Ballot, Decision, Phase } from '../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../src/approvals/approval-flow.ts';
import { authorize } from '../../src/approvals/decision/authorize.ts';
import { encodeSignal } from '../../src/approvals/decision/signal.ts';
import { learnOutcome } from '../../src/approvals/decision/transitions.ts';
import type { StepResult } from '../../src/approvals/steps.ts';
import { messageStateOf, stateKey } from '../../src/approvals/tell/message/message-state.ts';
import type { FailureFacts } from '../../src/core/lib/failure.ts';
import { systemTimers } from '../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { Directory } from '../../src/core/people/directory.ts';
import type { Lookup } from '../../src/core/slack/lookup.ts';
import type { Outbox } from '../../src/core/slack/outbox.ts';
import type { Replies } from '../../src/core/slack/replies.ts';
import { type Store, StoreError } from '../../src/core/store/store.ts';
import { coreWith, NO_BOX } from '../support/core-with.ts';
import { fake } from '../support/fake.ts';
import { slackPerson } from '../support/slack-person.ts';
import {
  applied,
  applyResult,
  approvalWith,
  attempted,
  closedSentence,
  DECIDING,
  LINKS,
  NO_STEPS,
  NOW,
  plan,
  received,
  routeWith,
  said,
  termsWith,
  WAITING,
} from './approvals.ts';

const sends = { notSent: 0, limited: 0, ambiguous: 0 };
const asker = { user: 'U0ANA', channel: 'C0PROD', at: NOW };
const respond = { kind: 'respond', plannedAt: NOW } as const;

/** An approval whose message is up to date, so that only the decision is due. */
function deciding(phase: Phase, change: Partial<Approval> = {}): Approval {
  const decision: Decision = {
    action: 'approve',
    by: 'U0ANA',
    serviceUser: 'user-ana',
    at: NOW,
    asker,
    phase,
  };
  const ballots = [{ user: 'U0ANA', action: 'approve', at: NOW }] as const;
  return approvalWith({ decision, ballots, ...change });
}

const checking = { name: 'check', tries: 0, notBefore: NOW, sends } as const;
const send = { name: 'send', sends, askedAt: NOW } as const;

function settle(failure: FailureFacts, change: object = {}): Phase {
  return {
    name: 'settle',
    sends,
    failure,
    endedAt: NOW,
    mustEndBy: NOW + 5_000,
    looks: 0,
    notBefore: NOW,
    ...change,
  };
}

function status(word: 'PENDING' | 'APPROVED' | 'REJECTED' | 'TIMED_OUT' | 'UNKNOWN'): StepResult {
  return { kind: 'status', answer: { status: word, raw: null, resolvedAt: null } };
}

function failed(facts: Omit<FailureFacts, 'code'> & { code?: string }) {
  return { kind: 'failed', failure: { code: 'x', ...facts } } as const;
}

function afterRead(approval: Approval, result: StepResult, at = NOW): Approval {
  const step = { kind: 'read-status', why: 'decide', deadlineMs: 5_000, plannedAt: at } as const;
  return applied(approval, step, result, at);
}

function answered(end: Extract<StepResult, { kind: 'responded' }>['end'], now = NOW): Approval {
  const data = attempted(deciding(send), respond, NOW);
  return applied(data, respond, { kind: 'responded', end }, now);
}

const words = (approval: Approval) => approval.replies.map(({ user, text }) => `${user}: ${text}`);

describe('before a decision is sent', () => {
  test('the attempt records when the call ends, and when the update of the message ends', () => {
    const data = attempted(deciding(send), respond, NOW);
    const { decision, update } = data;
    expect(decision?.phase).toMatchObject({ attempt: { mustEndBy: NOW + 7_000 } });
    expect(update?.attempt?.mustEndBy).toBe(NOW + 8_000);
  });

  test('the status is read first, with a short timeout', () => {
    const step = { kind: 'read-status', why: 'decide', deadlineMs: 1_000, plannedAt: NOW };
    expect(plan(deciding(checking), termsWith(), NOW)).toEqual({ kind: 'step', step });
  });

  test('only PENDING leads to sending', () => {
    const approval = afterRead(deciding(checking), status('PENDING'));
    expect(approval.decision?.phase.name).toBe('send');
    expect(plan(approval, termsWith(), NOW)).toMatchObject({ step: { kind: 'respond' } });
  });

  test('a PENDING that is too old is read again', () => {
    const old = deciding(send, { shown: '' });
    const now = NOW + 6_001;
    const shown = stateKey(messageStateOf(old, termsWith(), now));
    // The approver is authorized again at the same time.
    const step = { kind: 'authorize', look: { plannedAt: now } };
    expect(plan({ ...old, shown }, termsWith(), now)).toMatchObject({ step });
    expect(afterRead(old, status('PENDING'), now).decision?.phase).toMatchObject({ askedAt: now });
    const failure = failed({ class: 'not-sent' });
    expect(afterRead(old, failure, now).decision?.phase).toMatchObject({ name: 'check', tries: 2 });
  });

  test.each(['APPROVED', 'REJECTED', 'TIMED_OUT'] as const)(
    '%s is shown, credits nobody, and the person who clicked is told',
    (word) => {
      const approval = afterRead(deciding(checking), status(word));
      expect(approval.decision).toBeUndefined();
      expect(approval.outcome).toMatchObject({ status: word, credit: 'none', by: [] });
      expect(approval.replies).toHaveLength(1);
    },
  );

  test('a read that timed out is repeated at once, with a longer timeout', () => {
    const again = afterRead(deciding(checking), failed({ class: 'ambiguous', code: 'timeout' }));
    expect(again.decision?.phase).toMatchObject({ name: 'check', tries: 1, notBefore: NOW });
  });

  /** Seconds after the press at which the service was tried, each try taking `lastsMs`, until it was given up. */
  function triedAt(first: Approval, failure: FailureFacts, firstAt = NOW, lastsMs = 0) {
    const times: number[] = [];
    let approval = first;
    for (let now = firstAt; approval.decision?.phase.name === 'check'; ) {
      times.push((now - NOW) / 1_000);
      now += lastsMs;
      approval = afterRead(approval, { kind: 'failed', failure }, now);
      const { phase } = approval.decision ?? {};
      if (phase?.name === 'check') now = phase.notBefore;
    }
    expect(approval.decision).toBeUndefined();
    return { times, words: words(approval) };
  }

  test.each([
    ['cannot be reached', { class: 'not-sent', code: 'connection_refused' }, 'not-reached'],
    ['cuts connections off', { class: 'ambiguous', code: 'connection_lost' }, 'silent'],
    ['answers with errors', { class: 'ambiguous', code: 'http_500', status: 500 }, 'failing'],
  ] as const)(
    'a service that %s is tried for 30 s; then the buttons return',
    (_how, failure, told) => {
      expect(triedAt(deciding(checking), failure)).toEqual({
        times: [0, 0.5, 1.5, 3.5, 7.5, 11.5, 15.5, 19.5, 23.5, 27.5, 30],
        words: [`U0ANA: ${closedSentence(told)}`],
      });
    },
  );

  test('a service that does not respond is tried for 30 s; then the buttons return', () => {
    const timeout = { class: 'ambiguous', code: 'timeout' } as const;
    expect(triedAt(deciding(checking), timeout, NOW, 5_000)).toEqual({
      times: [0, 5, 10, 15, 20, 25],
      words: [`U0ANA: ${closedSentence('silent')}`],
    });
  });

  test('the 30 s count from the press, and a delayed press gets a few tries', () => {
    const refused = { class: 'not-sent', code: 'connection_refused' } as const;
    const after = (ms: number) => triedAt(deciding(checking), refused, NOW + ms).times;
    expect(after(25_000)).toEqual([25, 25.5, 26.5, 28.5, 30]);
    expect(after(50_000)).toEqual([50, 50.5, 51.5, 53.5]);
  });

  test('after failed connections a 503 does not shorten the retries', () => {
    let approval = deciding({ ...checking, tries: 5 });
    approval = afterRead(approval, failed({ class: 'ambiguous', status: 503 }), NOW + 12_000);
    expect(approval.decision?.phase).toMatchObject({ notBefore: NOW + 16_000 });
  });

  test('a service that answers 429 is tried four times; then the buttons return', () => {
    const busy = { class: 'refused', code: 'x', status: 429 } as const;
    let approval = deciding(checking);
    const waits: number[] = [];
    for (let now = NOW; approval.decision?.phase.name === 'check'; now = waits.at(-1) ?? 0) {
      approval = afterRead(approval, { kind: 'failed', failure: busy }, now);
      if (approval.decision?.phase.name === 'check') waits.push(approval.decision.phase.notBefore);
    }
    expect(waits.map((at) => at - NOW)).toEqual([2_000, 4_000, 6_000]);
    expect(approval.decision).toBeUndefined();
    expect(approval.ballots).toEqual([]);
    expect(words(approval)).toEqual([`U0ANA: ${closedSentence('busy')}`]);
  });

  test('a 429 is retried after the time that it names', () => {
    const busy = failed({ class: 'refused', status: 429, retryAfterMs: 7_000 });
    expect(afterRead(deciding(checking), busy).decision?.phase).toMatchObject({
      notBefore: NOW + 7_000,
    });
  });

  test.each([401, 403])('a service that answers %i is not asked again', (code) => {
    const approval = afterRead(deciding(checking), failed({ class: 'refused', status: code }));
    expect(words(approval)).toEqual([`U0ANA: ${closedSentence('denied')}`]);
  });

  test.each([400, 422])('%i is reported as a refused read, and as nothing sent', (code) => {
    const refusal = failed({ class: 'refused', status: code, detail: 'No.' });
    expect(words(afterRead(deciding(checking), refusal))).toEqual([
      'U0ANA: <request>: The service did not let Gatepost read this approval. Nothing was sent. It says: “No.” Ask a Gatepost administrator.',
    ]);
  });

  test.each([404, 410])('%i makes the state unknown, with nothing sent', (code) => {
    const approval = afterRead(deciding(checking), failed({ class: 'refused', status: code }));
    expect(approval.watch).toMatchObject({ state: 'unknown', why: `not-known-${code}` });
    expect(approval.unconfirmed).toBeUndefined();
    expect(approval.decision).toBeUndefined();
    expect(approval.replies).toHaveLength(1);
  });
});

describe('the response of the service', () => {
  test('is the outcome, and credits the person who decided', () => {
    const approval = answered({ kind: 'status', answer: { status: 'APPROVED', resolvedAt: 'T' } });
    expect(approval.outcome).toMatchObject({ credit: 'certain', by: ['U0ANA'], resolvedAt: 'T' });
    expect(approval.replies).toEqual([]);
  });

  test('is the outcome even if it is the opposite of the decision', () => {
    const approval = answered({ kind: 'status', answer: { status: 'REJECTED', resolvedAt: null } });
    expect(approval.outcome).toMatchObject({ status: 'REJECTED', credit: 'none', by: [] });
    expect(approval.replies).toHaveLength(1);
  });

  test.each<[string, FailureFacts, string]>([
    ['401', { class: 'refused', code: 'x', status: 401 }, closedSentence('denied')],
    ['403', { class: 'refused', code: 'x', status: 403 }, closedSentence('denied')],
    [
      '400',
      { class: 'refused', code: 'x', status: 400, detail: 'no <way>' },
      closedSentence('invalid', 'no <way>'),
    ],
    ['422', { class: 'refused', code: 'x', status: 422 }, closedSentence('invalid')],
  ])('%s brings the buttons back, with the reason', (_code, failure, text) => {
    const approval = answered({ kind: 'failed', failure });
    expect(approval.decision).toBeUndefined();
    expect(words(approval)).toEqual([`U0ANA: ${text}`]);
  });

  test.each<[string, FailureFacts]>([
    ['404', { class: 'refused', code: 'x', status: 404 }],
    ['409', { class: 'refused', code: 'x', status: 409 }],
    ['410', { class: 'refused', code: 'x', status: 410 }],
    ['a lost connection', { class: 'ambiguous', code: 'connection_lost' }],
    ['a body that cannot be read', { class: 'unreadable', code: 'x' }],
  ])('%s is followed at once by a read of the status', (_what, failure) => {
    const { phase } = answered({ kind: 'failed', failure }).decision ?? {};
    expect(phase).toMatchObject({ name: 'settle', failure, notBefore: NOW, looks: 0 });
  });

  test.each<[string, FailureFacts]>([
    ['cannot be reached', { class: 'not-sent', code: 'x' }],
    ['refuses to show the request', { class: 'refused', code: 'x', status: 422 }],
  ])('429, after which the service %s, is reported as busy, not as “not sent”', (_how, failure) => {
    const again = { ...checking, tries: 3, sends: { ...sends, limited: 1 } };
    const approval = afterRead(deciding(again), { kind: 'failed', failure }, NOW + 30_000);
    expect(words(approval)).toEqual([`U0ANA: ${closedSentence('busy')}`]);
  });

  test('is tried for 30 s while the service cannot be reached', () => {
    let approval = deciding(send);
    const waits: number[] = [];
    for (let now = NOW; approval.decision !== undefined; now += waits.at(-1) ?? 0) {
      const step = { kind: 'respond', plannedAt: now } as const;
      const data = attempted(afterRead(approval, status('PENDING'), now), step, now);
      const end = failed({ class: 'not-sent' });
      approval = applied(data, step, { kind: 'responded', end }, now);
      const { phase } = approval.decision ?? {};
      if (phase?.name === 'check') waits.push(phase.notBefore - now);
    }
    expect(waits).toEqual([500, 1_000, 2_000, ...Array(6).fill(4_000), 2_500]);
    expect(words(approval)).toEqual([`U0ANA: ${closedSentence('not-reached')}`]);
  });

  test('429 is waited out, the status is read, and the decision is sent again, twice at most', () => {
    const limited = failed({ class: 'refused', status: 429, retryAfterMs: 3_000 });
    let { decision } = answered(limited);
    expect(decision?.phase).toMatchObject({ name: 'check', notBefore: NOW + 3_000 });
    for (const times of [1, 2]) {
      expect(decision?.phase.sends.limited).toBe(times);
      const open = afterRead(approvalWith({ ...(decision && { decision }) }), status('PENDING'));
      const begun = attempted(open, respond, NOW);
      decision = applied(begun, respond, { kind: 'responded', end: limited }).decision;
    }
    expect(decision).toBeUndefined();
  });
});

describe('the reasons shown with an outcome', () => {
  const ana = { user: 'U0ANA', action: 'approve', at: NOW, reason: 'Green.' } as const;
  const ben = { ...ana, user: 'U0BEN', reason: 'Looks fine.' } as const;
  const sentWith = (ballots: Approval['ballots'], change: Partial<Approval> = {}) => {
    const data = attempted(deciding(send, { ballots, ...change }), respond, NOW);
    return (status: 'APPROVED' | 'REJECTED') => {
      const end = { kind: 'status', answer: { status, resolvedAt: null } } as const;
      return applied(data, respond, { kind: 'responded', end }).outcome;
    };
  };

  test('are those of everybody who made the decision', () => {
    expect(sentWith([ana, ben])('APPROVED')?.reasons).toEqual([
      { user: 'U0ANA', text: 'Green.' },
      { user: 'U0BEN', text: 'Looks fine.' },
    ]);
  });

  test('are omitted if it was decided elsewhere', () => {
    const elsewhere = afterRead(deciding(checking, { ballots: [ana, ben] }), status('APPROVED'));
    expect(elsewhere.outcome).toMatchObject({ by: [] });
    expect(elsewhere.outcome).not.toHaveProperty('reasons');
  });

  test('omit those of people who voted the same way but are not credited', () => {
    const unconfirmed = [{ action: 'approve', by: 'U0ANA', quietAt: NOW }] as const;
    const { outcome } = afterRead(
      approvalWith({ unconfirmed, ballots: [ana, ben] }),
      status('APPROVED'),
    );
    expect(outcome).toMatchObject({ by: ['U0ANA'], reasons: [{ user: 'U0ANA' }] });
    expect(outcome?.reasons).toHaveLength(1);
  });

  test('omit those of the opposite decision', () => {
    const rejects = { ...ben, action: 'reject' } as const;
    expect(sentWith([ana, rejects])('APPROVED')?.reasons).toEqual([
      { user: 'U0ANA', text: 'Green.' },
    ]);
    expect(sentWith([ana, rejects])('REJECTED')).not.toHaveProperty('reasons');
    const lost = [{ action: 'reject', by: 'U0ANA', quietAt: NOW }] as const;
    expect(sentWith([ana], { unconfirmed: lost })('REJECTED')).toMatchObject({ by: ['U0ANA'] });
    expect(sentWith([ana], { unconfirmed: lost })('REJECTED')).not.toHaveProperty('reasons');
  });
});

describe('a decision whose request is withdrawn', () => {
  const withdraw = { id: 'w1', at: NOW + 500, body: encodeSignal({ kind: 'withdraw' }) };
  const isToSend = (approval: Approval, now = NOW + 600) => {
    const shown = stateKey(messageStateOf(approval, termsWith(), now));
    const planned = plan({ ...approval, shown, replies: [] }, termsWith(), now);
    return planned.kind === 'step' && planned.step.kind === 'respond';
  };

  test.each<[string, Phase]>([
    ['waits for the service', { ...checking, tries: 3, notBefore: NOW + 2_000 }],
    ['is about to be sent', send],
  ])('while it %s is not sent, and its author is told', (_when, phase) => {
    expect(isToSend(deciding(send))).toBe(true);
    const withdrawn = received(deciding(phase), withdraw);
    expect(withdrawn.decision).toBeUndefined();
    expect(isToSend(withdrawn)).toBe(false);
    expect(words(withdrawn)).toEqual([`U0ANA: ${said({ code: 'withdrawn' })}`]);
  });

  test.each<[string, FailureFacts]>([
    ['did not reach the service', { class: 'not-sent', code: 'connection_refused' }],
    ['was limited', { class: 'refused', code: 'http_429', status: 429 }],
  ])('during a call that %s is not sent again', (_how, failure) => {
    const sending = received(attempted(deciding(send), respond, NOW), withdraw);
    expect(sending.decision?.phase.name).toBe('sending');
    const end = { kind: 'failed', failure } as const;
    const unsent = applied(sending, respond, { kind: 'responded', end }, NOW + 600);
    expect(unsent.decision?.phase.name).toBe('check');
    const open = afterRead(unsent, status('PENDING'), NOW + 3_000);
    expect(open.decision).toBeUndefined();
    expect(isToSend(open, NOW + 3_000)).toBe(false);
    expect(words(open)).toEqual([`U0ANA: ${said({ code: 'withdrawn' })}`]);
  });

  test('while it waits for its second sending is not sent again, and stays unconfirmed', () => {
    const second = { ...send, sends: { ...sends, ambiguous: 1 } };
    const withdrawn = received(deciding(second), withdraw);
    expect(withdrawn.decision).toBeUndefined();
    expect(isToSend(withdrawn)).toBe(false);
    expect(withdrawn.unconfirmed).toMatchObject([{ action: 'approve', by: 'U0ANA' }]);
    expect(withdrawn.watch).toMatchObject({ state: 'unknown', why: 'unsure' });
  });

  test('after a 409 keeps reading the status, and is not reported as “not sent”', () => {
    const refused = settle({ class: 'refused', code: 'http_409', status: 409 });
    const withdrawn = received(deciding(refused), withdraw);
    expect(withdrawn.decision?.phase).toEqual(refused);
    expect(words(withdrawn)).toEqual([]);
  });

  test('after its response was lost is not sent again, and stays unconfirmed', () => {
    const lost = settle({ class: 'ambiguous', code: 'timeout' });
    const open = afterRead(received(deciding(lost), withdraw), status('PENDING'), NOW + 15_000);
    expect(open.decision).toBeUndefined();
    expect(isToSend(open, NOW + 15_000)).toBe(false);
    expect(open.unconfirmed).toMatchObject([{ action: 'approve', by: 'U0ANA' }]);
  });
});

describe('the message about a decision', () => {
  const shown = (phase: Phase, now = NOW + 1_000) =>
    messageStateOf(deciding(phase), termsWith(), now);
  const whose = { action: 'approve', by: 'U0ANA' } as const;

  test('shows nothing during the first second', () => {
    expect(shown(checking, NOW + 999)).toMatchObject({ name: 'waiting' });
    const short = deciding({ ...checking, notBefore: NOW + 2_000 }, { shown: '' });
    expect(plan(short, termsWith(), NOW + 999)).toMatchObject({ until: NOW + 1_000 });
    expect(plan(short, termsWith(), NOW + 1_000)).toMatchObject({ step: { kind: 'update' } });
  });

  test('says that it is not sent yet, and until when Gatepost tries', () => {
    const unsent = { name: 'unsent', ...whose, until: NOW + 30_000 };
    expect(shown(checking)).toEqual(unsent);
    expect(shown({ ...checking, sends: { ...sends, notSent: 2 } })).toEqual(unsent);
    expect(shown({ ...checking, notBefore: NOW + 60_000 })).toMatchObject({ until: NOW + 60_000 });
  });

  test('says “sending” only until the call must have ended', () => {
    const attempt = { plannedAt: NOW, mustEndBy: NOW + 7_000 };
    const sending = { name: 'sending', attempt, sends } as const;
    expect(shown(sending, NOW + 6_999)).toEqual({ name: 'sending', ...whose });
    // Its process died.
    expect(shown(sending, NOW + 7_000)).toEqual({ name: 'unconfirmed', ...whose });
  });

  test.each<[string, Phase]>([
    ['ended without a clear response', settle({ class: 'ambiguous', code: 'timeout' })],
    ['is to be sent again', { ...send, sends: { ...sends, ambiguous: 1 } }],
    ['was limited', { ...checking, sends: { ...sends, limited: 1 } }],
  ])('says that it is unconfirmed after the call %s', (_how, phase) => {
    expect(shown(phase)).toEqual({ name: 'unconfirmed', ...whose });
  });

  test('shows the outcome once there is one', () => {
    const outcome = { status: 'REJECTED', credit: 'none', by: [], learnedAt: NOW } as const;
    const data = deciding(settle({ class: 'ambiguous', code: 'timeout' }), { outcome });
    expect(messageStateOf(data, termsWith(), NOW + 5_000)).toMatchObject({ name: 'decided' });
  });

  test('is not updated before a decision that can be sent right now', () => {
    const ready = deciding({ ...send, askedAt: NOW + 1_500 }, { shown: '' });
    expect(plan(ready, termsWith(), NOW + 1_500)).toMatchObject({ step: { kind: 'respond' } });
    // A delayed decision is first authorized again, and the status read.
    const later = NOW + 9_000;
    const update = { step: { kind: 'update' } };
    expect(plan(ready, termsWith(), later)).toMatchObject(update);
    const { decision } = ready;
    const authorized = decision && { decision: { ...decision, authorizedAt: later } };
    expect(plan({ ...ready, ...authorized }, termsWith(), later)).toMatchObject(update);
  });
});

describe('a decision that was sent without a clear response', () => {
  const lost = { class: 'ambiguous', code: 'connection_lost' } as const;
  const refusal = { class: 'refused', code: 'http_409', status: 409 } as const;

  test('is followed by status reads after 0, 2, 5 and 10 s, and once after the call must have ended', () => {
    let approval = deciding(settle(lost));
    const times: number[] = [];
    for (;;) {
      const { phase } = approval.decision ?? {};
      if (phase?.name !== 'settle') break;
      times.push(phase.notBefore - NOW);
      approval = afterRead(approval, failed({ class: 'not-sent' }), phase.notBefore);
    }
    expect(times).toEqual([0, 2_000, 5_000, 10_000, 15_000]);
    expect(approval.watch).toMatchObject({ state: 'unknown', why: 'unsure' });
    expect(approval.unconfirmed).toMatchObject([{ action: 'approve', by: 'U0ANA' }]);
    expect(approval.replies).toHaveLength(1);
  });

  test('is credited as sent if the status matches it', () => {
    const { outcome } = afterRead(deciding(settle(lost)), status('APPROVED'));
    expect(outcome).toMatchObject({ credit: 'sent', by: ['U0ANA'] });
  });

  test('is credited to nobody if it was refused, or the status is the opposite', () => {
    expect(afterRead(deciding(settle(refusal)), status('APPROVED')).outcome?.credit).toBe('none');
    expect(afterRead(deciding(settle(lost)), status('REJECTED')).outcome?.credit).toBe('none');
  });

  test('is sent again if the status is still PENDING after the quiet time, but never a third time', () => {
    const early = afterRead(deciding(settle(lost)), status('PENDING'), NOW + 14_999);
    expect(early.decision?.phase.name).toBe('settle');
    const again = afterRead(deciding(settle(lost)), status('PENDING'), NOW + 15_000);
    expect(again.decision).toMatchObject({
      action: 'approve',
      phase: { name: 'send', sends: { ambiguous: 1 } },
    });
    const second = settle(lost, { sends: { ...sends, ambiguous: 1 } });
    const over = afterRead(deciding(second), status('PENDING'), NOW + 15_000);
    expect(over.decision).toBeUndefined();
    expect(over.watch).toMatchObject({ state: 'unknown', why: 'unsure' });
  });

  test('twice, is unknown until the next read, within 15 s, says PENDING', () => {
    const old = { createdAt: NOW - 7 * 3_600_000 };
    const second = settle(lost, { sends: { ...sends, ambiguous: 1 } });
    const over = afterRead({ ...deciding(second), ...old }, status('PENDING'), NOW + 15_000);
    const shown = stateKey(messageStateOf(over, termsWith(), NOW + 15_001));
    expect(plan({ ...over, replies: [], shown }, termsWith(), NOW + 15_001)).toEqual({
      kind: 'wait',
      until: NOW + 30_000,
      lane: 'background',
    });
    const open = afterRead({ ...over, replies: [] }, status('PENDING'), NOW + 30_000);
    expect(open.watch.state).toBe('pending');
    expect(words(open)).toEqual(['U0ANA: <request> still needs a decision.']);
  });

  test('and could not be sent again is unconfirmed, not “not sent”', () => {
    const again = { ...checking, tries: 3, sends: { ...sends, ambiguous: 1 } };
    const approval = afterRead(deciding(again), failed({ class: 'not-sent' }), NOW + 30_000);
    expect(approval.watch).toMatchObject({ state: 'unknown', why: 'unsure' });
    expect(words(approval).join()).not.toContain('Nothing was sent');
  });

  test('is not sent again because of a PENDING read before the quiet time ended', () => {
    const step = {
      kind: 'read-status',
      why: 'settle',
      deadlineMs: 5_000,
      plannedAt: NOW + 14_000,
    } as const;
    const approval = applied(deciding(settle(lost)), step, status('PENDING'), NOW + 16_000);
    expect(approval.decision?.phase.name).toBe('settle');
  });

  test('but with a refusal, brings the buttons back if the status stays PENDING', () => {
    const last = settle(refusal, { looks: 3, notBefore: NOW + 10_000 });
    const approval = afterRead(deciding(last), status('PENDING'), NOW + 10_000);
    expect(approval.decision).toBeUndefined();
    expect(approval.unconfirmed).toBeUndefined();
    expect(words(approval)[0]).toContain(closedSentence('refused'));
  });

  test('but with a refusal, is not sent again, however late the status is PENDING', () => {
    const late = afterRead(deciding(settle(refusal)), status('PENDING'), NOW + 60_000);
    expect(late.decision?.phase).toMatchObject({ name: 'settle', looks: 1 });
  });

  test.each<[string, FailureFacts, 'unreadable' | 'unsure']>([
    ['cannot be read', { class: 'unreadable', code: 'no_final_status' }, 'unreadable'],
    ['was lost', lost, 'unsure'],
  ])(
    'because its response %s is reported as such if the status cannot be read',
    (_how, why, told) => {
      const last = settle(why, { looks: 3, mustEndBy: NOW - 10_000 });
      const approval = afterRead(deciding(last), failed({ class: 'not-sent' }), NOW + 10_000);
      expect(approval.watch).toMatchObject({ state: 'unknown', why: told });
      expect(approval.unconfirmed).toMatchObject([{ action: 'approve', by: 'U0ANA' }]);
    },
  );

  test('but with a refusal, is not shown as unconfirmed while the status cannot be read', () => {
    const last = settle(refusal, { looks: 3, notBefore: NOW + 10_000 });
    const approval = afterRead(deciding(last), failed({ class: 'not-sent' }), NOW + 10_000);
    expect(approval.watch).toMatchObject({ state: 'unknown', why: 'silent' });
    expect(approval.unconfirmed).toBeUndefined();
    expect(words(approval)).toEqual([
      'U0ANA: <request>: The service refused a decision and has not reported the status since. Press Check now to check again.',
    ]);
  });

  test.each(['PENDING', 'nothing'] as const)(
    'and was refused at the second sending stays unconfirmed when the service says %s',
    (word) => {
      const second = settle(refusal, { looks: 3, sends: { ...sends, ambiguous: 1 } });
      const result = word === 'PENDING' ? status(word) : failed({ class: 'not-sent' });
      const approval = afterRead(deciding(second), result, NOW + 10_000);
      expect(approval.watch).toMatchObject({ state: 'unknown', why: 'unsure' });
      expect(afterRead(approval, status('APPROVED'), NOW + 60_000).outcome).toMatchObject({
        credit: 'sent',
        by: ['U0ANA'],
      });
    },
  );

  test('and was refused with 403 at the second sending stays unconfirmed, not “not taken”', () => {
    const again = { ...send, sends: { ...sends, ambiguous: 1 } };
    const data = attempted(deciding(again), respond, NOW);
    const end = failed({ class: 'refused', status: 403 });
    const approval = applied(data, respond, { kind: 'responded', end });
    expect(approval.unconfirmed).toMatchObject([{ action: 'approve', by: 'U0ANA' }]);
    expect(words(approval).join()).not.toContain('not taken');
  });

  test('because of a crash is checked and not sent again', () => {
    const crashed = attempted(deciding(send), respond, NOW);
    const before = plan({ ...crashed, shown: '' }, termsWith(), NOW);
    expect(before).toMatchObject({ step: { kind: 'read-status', why: 'settle' } });
    const later = afterRead(crashed, status('PENDING'), NOW + 14_000);
    expect(later.decision?.phase).toMatchObject({
      name: 'settle',
      failure: { code: 'process_ended' },
    });
  });

  test('holds back the decision of somebody else until the quiet time ends', () => {
    const unconfirmed = [{ action: 'reject', by: 'U0BEN', quietAt: NOW + 9_000 }] as const;
    const click = { ...asker, id: 'c1', action: 'approve' } as const;
    const approval = approvalWith({ unconfirmed, queue: [click] });
    const { decision } = applied(approval, { kind: 'authorize', click }, { kind: 'accepted' });
    expect(decision?.phase).toMatchObject({ name: 'check', notBefore: NOW + 9_000 });
  });
});

describe('a failed authorization', () => {
  const click = { ...asker, id: 'c1', action: 'approve' } as const;
  const checked = (failure: FailureFacts) =>
    applied(
      approvalWith({ queue: [click] }),
      { kind: 'authorize', click },
      { kind: 'failed', failure },
    );

  test('is retried after half a second, and the person is not told', () => {
    const { queue, replies } = checked({ class: 'ambiguous', code: 'timeout' });
    expect(queue).toMatchObject([{ id: 'c1', tries: 1, notBefore: NOW + 500 }]);
    expect(replies).toEqual([]);
  });

  test('because of a Slack rate limit is retried after a wait of up to 10 s, and given up if Slack asks for more', () => {
    const limited = (retryAfterMs: number) =>
      checked({ class: 'refused', code: 'ratelimited', status: 429, retryAfterMs });
    expect(limited(10_000).queue).toMatchObject([{ id: 'c1', notBefore: NOW + 10_000 }]);
    const approval = limited(10_001);
    expect(approval.queue).toEqual([]);
    expect(words(approval)).toEqual([`U0ANA: ${closedSentence('could-not-check')}`]);
  });

  test('a denied request (401, 403) is reported at once, without asking anybody to press again', () => {
    const approval = checked({ class: 'refused', code: 'missing_scope', status: 200 });
    expect(approval.queue).toEqual([]);
    expect(words(approval)).toEqual([`U0ANA: ${closedSentence('may-not-check')}`]);
  });

  test('because no key opens the sealed text says so', () => {
    const approval = checked({ class: 'refused', code: 'sealed_text_not_opened' });
    expect(words(approval)).toEqual([`U0ANA: ${closedSentence('sealed')}`]);
  });
});

describe('an account check while the service does not answer', () => {
  const ana = { ...asker, id: 'c1', action: 'approve' } as const;
  const ben = { ...ana, id: 'c2', user: 'U0BEN', at: NOW + 2_000 };
  const refused: FailureFacts = { class: 'not-sent', code: 'connection_refused' };
  const checked = (
    approval: Approval,
    click: typeof ana | typeof ben,
    now: number,
    failure = refused,
  ) =>
    applied(
      approval,
      { kind: 'authorize', click },
      { kind: 'failed', failure, of: 'service' },
      now,
    );

  test.each<[string, FailureFacts, 'not-reached' | 'silent' | 'failing']>([
    ['cannot be reached', refused, 'not-reached'],
    ['says nothing', { class: 'ambiguous', code: 'connection_lost' }, 'silent'],
    [
      'answers with errors',
      { class: 'ambiguous', code: 'http_503', status: 503, retryAfterMs: 60_000 },
      'failing',
    ],
  ])(
    'because it %s is retried for 30 s from the press, and then reported as such',
    (_how, failure, told) => {
      let approval = approvalWith({ queue: [ana] });
      const times: number[] = [];
      for (let now = NOW; approval.queue.length > 0; now = approval.queue[0]?.notBefore ?? now) {
        times.push((now - NOW) / 1_000);
        approval = checked(approval, ana, now, failure);
      }
      expect(times).toEqual([0, 0.5, 1.5, 3.5, 7.5, 11.5, 15.5, 19.5, 23.5, 27.5, 30]);
      expect(words(approval)).toEqual([`U0ANA: ${closedSentence(told)}`]);
    },
  );

  test('has a short timeout at first, and a longer one after that', async () => {
    const deadlines: (number | undefined)[] = [];
    const dependencies = coreWith({
      ...NO_STEPS,
      config: { routes: [routeWith()] },
      lookup: fake<Lookup>({
        lastSeen: () => undefined,
        person: async (id) => slackPerson({ id, teamId: 'T0' }),
      }),
      directory: fake<Directory>({
        readAhead: (_person, { deadlineMs }) => void deadlines.push(deadlineMs),
        async serviceUserFor(_person, reading) {
          deadlines.push(reading?.deadlineMs);
          const identity = { kind: 'linked', userId: 'user-ana', active: true } as const;
          return { identity, address: null, account: null, alsoKnownAs: [] };
        },
      }),
      workspace: { team: 'T0', enterprise: null, teams: [] },
      timing: TRUE_TIME,
      timers: systemTimers,
      ages: { monotonic: () => 0 },
    });
    for (const click of [ana, { ...ana, tries: 1 }]) {
      const step = { kind: 'authorize', click } as const;
      const found = await authorize.execute(dependencies, '0-abc', approvalWith(), step);
      expect(found).toMatchObject({ kind: 'accepted' });
    }
    expect(deadlines).toEqual([1_000, 1_000, 5_000, 5_000]);
  });

  test('is also retried for 30 s if the store fails, and reported as could not check', () => {
    const { facts: failure } = new StoreError('unavailable', 'get: not connected to Redis');
    let approval = approvalWith({ queue: [ana] });
    let endedAt = NOW;
    for (let now = NOW; approval.queue.length > 0; now = approval.queue[0]?.notBefore ?? now) {
      const result = { kind: 'failed', failure, of: 'store' } as const;
      approval = applied(approval, { kind: 'authorize', click: ana }, result, now);
      endedAt = now;
    }
    expect(endedAt).toBe(NOW + 30_000);
    expect(words(approval)).toEqual([`U0ANA: ${closedSentence('could-not-check')}`]);
  });

  test('shows that the service is waited for, without a name, from one second after the press', () => {
    const waiting = checked(approvalWith({ queue: [ana], shown: '' }), ana, NOW + 100);
    const stateAt = (now: number) => messageStateOf(waiting, termsWith(), now);
    expect(stateAt(NOW + 999)).toEqual(WAITING);
    expect(stateAt(NOW + 1_000)).toEqual({ ...WAITING, serviceUntil: NOW + 30_000 });
    expect(plan(waiting, termsWith(), NOW + 100)).toMatchObject({ until: NOW + 600 });
    expect(plan(waiting, termsWith(), NOW + 1_000)).toMatchObject({ step: { kind: 'update' } });
  });

  test('shows the later deadline of two presses', () => {
    let approval = checked(approvalWith({ queue: [ana] }), ana, NOW);
    approval = checked({ ...approval, queue: [...approval.queue, ben] }, ben, NOW + 2_000);
    const state = messageStateOf(approval, termsWith(), NOW + 2_000);
    expect(state).toEqual({ ...WAITING, serviceUntil: NOW + 32_000 });
  });

  test('is replaced in the message by the decision of somebody who could be checked', () => {
    const approval = checked(approvalWith({ queue: [ana, ben] }), ana, NOW);
    const step = { kind: 'authorize', click: ben } as const;
    const decided = applied(approval, step, { kind: 'accepted' }, NOW + 2_000);
    expect(messageStateOf(decided, termsWith(), NOW + 3_000)).toEqual({
      name: 'unsent',
      action: 'approve',
      by: 'U0BEN',
      until: NOW + 32_000,
    });
  });

  test('does not delay the presses of other people', () => {
    let approval = checked(approvalWith({ queue: [ana] }), ana, NOW + 1_500);
    approval = checked({ ...approval, queue: [...approval.queue, ben] }, ben, NOW + 2_000);
    const next = { ...approval, queue: [...approval.queue, { ...ben, id: 'c3', user: 'U0CLEO' }] };
    const shown = stateKey(messageStateOf(next, termsWith(), NOW + 2_100));
    const planned = plan({ ...next, shown }, termsWith(), NOW + 1_900);
    expect(planned).toMatchObject({ step: { kind: 'authorize', click: { user: 'U0CLEO' } } });
  });

  test('is no longer shown once Slack is what fails', () => {
    const waiting = checked(approvalWith({ queue: [ana] }), ana, NOW);
    const [click] = waiting.queue;
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const step = { kind: 'authorize', click: click ?? ana } as const;
    const slack = applied(waiting, step, { kind: 'failed', failure }, NOW + 1_500);
    expect(slack.queue).toMatchObject([{ id: ana.id }]);
    expect(messageStateOf(slack, termsWith(), NOW + 2_000)).toEqual(WAITING);
  });

  test('continues with the latest press of the same person', () => {
    const waiting = checked(approvalWith({ queue: [ana] }), ana, NOW);
    const { at, ...who } = asker;
    const body = { kind: 'ballot', action: 'approve', asker: who, message: '17.1' } as const;
    const signal = { id: 'c9', at: NOW + 20_000, body: encodeSignal(body) };
    const again = received(waiting, signal);
    expect(again.queue).toMatchObject([{ id: 'c9', at: NOW + 20_000, waitsForService: true }]);
  });
});

/** A flow whose sentences are collected. */
function flowShownIn(read: string[]) {
  return createApprovalFlow(
    coreWith({
      ...NO_STEPS,
      config: { routes: [routeWith()], sources: [], service: null },
      timing: TRUE_TIME,
      links: LINKS,
      box: NO_BOX,
      store: fake<Store>({ now: () => NOW, servingSince: () => 0 }),
      outbox: fake<Outbox>({ update: async ({ text = '' }) => void read.push(text) }),
      replies: fake<Replies>({ ephemeral: async ({ text }) => void read.push(text) }),
    }),
  );
}

test('a person whose record was deleted while their press waits for the service reads a final answer', async () => {
  const click = { ...asker, id: 'c1', action: 'approve', waitsForService: true } as const;
  const read: string[] = [];
  const flow = flowShownIn(read);
  const waiting = approvalWith({ queue: [click] });
  await flow.lastWord?.(waiting, waiting, '0-abc', NOW + 2_000).show();
  expect(read).toEqual([
    'Decision needed: Deploy 4.2',
    expect.stringMatching(/no longer stored here, so your press was not counted/),
  ]);
});

test('a deleted own gate does not state an outcome that nobody saved', async () => {
  const read: string[] = [];
  const flow = flowShownIn(read);
  const { token: _, ...gate } = approvalWith({ key: 'k', decision: DECIDING });
  const answered = { status: 'APPROVED', resolvedAt: null, how: 'confirmed' } as const;
  const { data: learned } = learnOutcome(gate, answered, NOW + 1_000);
  await flow.lastWord?.(learned, gate, '0-abc', NOW + 2_000).show();
  expect(read).toEqual(['Decision needed: Deploy 4.2', expect.stringMatching(/was not/)]);
  // What was saved stays.
  read.length = 0;
  await flow.lastWord?.(learned, learned, '0-abc', NOW + 2_000).show();
  expect(read[0]).toBe('Approved: Deploy 4.2');
});

test('a decision that waits for an earlier one says so in the message', () => {
  const click = { ...asker, user: 'U0BEN', id: 'c1', action: 'approve' } as const;
  const unconfirmed = [{ action: 'reject', by: 'U0ANA', quietAt: NOW + 9_000 }] as const;
  const approval = approvalWith({ queue: [click], unconfirmed });
  const data = applied(approval, { kind: 'authorize', click }, { kind: 'accepted' });
  expect(messageStateOf(data, termsWith(), NOW + 1_500)).toMatchObject({
    name: 'unsent',
    by: 'U0BEN',
    waitsFor: 'earlier',
  });
});

describe('a quorum', () => {
  const click = (user: string, action: 'approve' | 'reject') => ({
    id: user,
    user,
    channel: 'C0PROD',
    at: NOW,
    action,
  });
  const cast = (
    approval: Approval,
    user: string,
    action: 'approve' | 'reject',
    found: Partial<Ballot> = {},
  ) => {
    const one = click(user, action);
    const queued = { ...approval, queue: [one] };
    return applyResult(
      queued,
      { kind: 'authorize', click: one },
      { kind: 'accepted', ...found },
      termsWith({ quorum: 2 }),
      NOW,
    ).data;
  };

  test('is not reached by one person twice', () => {
    const once = cast(approvalWith(), 'U0ANA', 'approve');
    expect(once.decision).toBeUndefined();
    expect(words(once)).toEqual([
      'U0ANA: Your approval of <request> counts: 1 of 2. 1 more approval is needed.',
    ]);
    const again = cast(once, 'U0ANA', 'approve');
    expect(again.decision).toBeUndefined();
    expect(words(again)).toContain(
      'U0ANA: You already approved <request>. 1 more approval is needed.',
    );
  });

  test.each<[string, Partial<Ballot>, Partial<Ballot>]>([
    ['in Slack', { alsoKnownAs: ['W0ANA'] }, { alsoKnownAs: ['W0ANA'] }],
    ['in Slack, linked by an override', {}, { alsoKnownAs: ['U0ANA'] }],
    ['for one in the service', { serviceUser: 'u-1' }, { serviceUser: 'u-1' }],
    [
      'for one in the service, of which nothing is sent',
      { account: 'u-1' },
      { serviceUser: 'u-1', account: 'u-1' },
    ],
  ])('is not reached by one person with two accounts %s', (_where, first, second) => {
    const once = cast(approvalWith(), 'U0ANA', 'approve', first);
    const again = cast(once, 'U0ANA2', 'approve', second);
    expect(again.decision).toBeUndefined();
    expect(again.ballots.map(({ user }) => user)).toEqual(['U0ANA2']);
    expect(words(again)).toContain(
      'U0ANA2: You already approved <request> as <@U0ANA>. A person counts once, whichever account they use. 1 more approval is needed.',
    );
    expect(cast(again, 'U0BEN', 'approve').decision).toMatchObject({ by: 'U0BEN' });
    const rejected = cast(once, 'U0ANA2', 'reject', second);
    expect(rejected.ballots).toMatchObject([{ user: 'U0ANA2', action: 'reject' }]);
  });

  test('decides when it is reached, and all who approved are credited', () => {
    const both = cast(cast(approvalWith(), 'U0ANA', 'approve'), 'U0BEN', 'approve');
    expect(both.decision).toMatchObject({ action: 'approve', by: 'U0BEN' });
    const data = attempted(afterRead(both, status('PENDING')), respond, NOW);
    const end = { kind: 'status', answer: { status: 'APPROVED', resolvedAt: null } } as const;
    const { outcome } = applied(data, respond, { kind: 'responded', end });
    expect(outcome?.by).toEqual(['U0ANA', 'U0BEN']);
  });

  test.each<[string, FailureFacts, RegExp]>([
    [
      'could not be carried out',
      { class: 'refused', code: 'x', status: 403 },
      /Your approval of .* no longer counts, because the decision it was part of could not be carried out\. Press again/,
    ],
    [
      'may have been taken',
      { class: 'unreadable', code: 'x' },
      /was part of a decision, and it is not known .* your approval no longer counts: press again/,
    ],
  ])(
    'of a decision that %s is reset, and everybody who approved is told',
    (_how, failure, text) => {
      const both = cast(cast(approvalWith(), 'U0BEN', 'approve'), 'U0ANA', 'approve');
      const data = attempted(afterRead({ ...both, replies: [] }, status('PENDING')), respond, NOW);
      let approval = applied(data, respond, { kind: 'responded', end: failed(failure) });
      for (let times = 0; times < 4; times++) {
        if (approval.decision !== undefined)
          approval = afterRead(approval, failed({ class: 'not-sent' }));
      }
      expect(approval.decision).toBeUndefined();
      expect(approval.ballots).toEqual([]);
      const [ana, ben] = approval.replies;
      expect(approval.replies.map(({ user }) => user)).toEqual(['U0ANA', 'U0BEN']);
      expect(ben).toMatchObject({ via: 'direct', text: expect.stringMatching(text) });
      expect(ana?.text).not.toBe(ben?.text);
    },
  );

  test('is not needed for a rejection, even by somebody who had approved', () => {
    const one = cast(cast(approvalWith(), 'U0ANA', 'approve'), 'U0ANA', 'reject');
    expect(one.decision).toMatchObject({ action: 'reject', by: 'U0ANA' });
    expect(one.ballots).toMatchObject([{ user: 'U0ANA', action: 'reject' }]);
  });

  test('can be raised by the request, but not lowered', () => {
    const needed = (quorum: number, route: number) => {
      const state = messageStateOf(
        approvalWith({ quorum }),
        { asOf: NOW, route: routeWith({ quorum: route }), timing: TRUE_TIME },
        NOW,
      );
      return state.name === 'waiting' && state.needed;
    };
    expect([needed(3, 2), needed(1, 2)]).toEqual([3, 2]);
  });
});
