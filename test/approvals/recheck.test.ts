import { describe, expect, test } from 'vitest';
import { type Approval, NO_SENDS, type Phase } from '../../src/approvals/approval.ts';
import { faceKey, faceOf } from '../../src/approvals/face.ts';
import { fold } from '../../src/approvals/fold.ts';
import { plan } from '../../src/approvals/plan.ts';
import { CLOSED } from '../../src/approvals/sentences.ts';
import type { Step, StepResult } from '../../src/approvals/step.ts';
import { approvalWith, DECIDING, NOW, termsWith } from './approvals.ts';

const A_MINUTE = 60_000;
const LATER = NOW + A_MINUTE + 1;

/** Ben's decision, and what it rests on. */
function held(phase: Phase, change: object = {}): Approval {
  const ballot = { user: 'U0BEN', action: 'approve', at: NOW, serviceUser: 'user-ben' } as const;
  const ballots = [{ ...ballot, reason: 'Green.' }];
  const decision = { ...DECIDING, serviceUser: 'user-ben', phase, ...change };
  return approvalWith({ decision, ballots });
}

const look: Phase = { name: 'look', tries: 1, notBefore: NOW, sends: NO_SENDS };
const send: Phase = { name: 'send', askedAt: LATER, sends: NO_SENDS };
const limited: Phase = { ...send, sends: { ...NO_SENDS, limited: 1 } };

/** What is next, once the message shows that it is decided. */
function next(approval: Approval, now: number): Step | string {
  const shown = faceKey(faceOf(approval, termsWith(), now));
  const planned = plan({ ...approval, shown }, termsWith(), now);
  return planned.kind === 'step' ? planned.step : planned.kind;
}

function recheckOf(approval: Approval): Extract<Step, { kind: 'examine' }> {
  const step = next(approval, LATER);
  if (typeof step === 'string' || step.kind !== 'examine') throw new Error('nobody is examined');
  return step;
}

function rechecked(approval: Approval, result: StepResult): Approval {
  return fold(approval, recheckOf(approval), result, termsWith(), LATER).data;
}

describe('whoever made a decision that is not sent yet', () => {
  test.each([look, send, limited])('is examined again after a minute (%j)', (phase) => {
    expect(next(held(phase), NOW + A_MINUTE)).not.toMatchObject({ kind: 'examine' });
    expect(recheckOf(held(phase)).click).toMatchObject({ user: 'U0BEN', action: 'approve' });
    expect(next(held(phase, { examinedAt: LATER }), LATER)).not.toMatchObject({ kind: 'examine' });
  });

  test('is not examined before the service wants to be asked again', () => {
    expect(next(held({ ...look, notBefore: LATER + 1 }), LATER)).toBe('wait');
  });

  test('is not examined again where an answer may have been taken', () => {
    const sends = { ...NO_SENDS, ambiguous: 1 };
    expect(next(held({ ...send, sends }), LATER)).toMatchObject({ kind: 'respond' });
  });

  test('decides as who they are now', () => {
    const data = rechecked(held(send), { kind: 'accepted', serviceUser: 'user-ben-2' });
    expect(data.decision).toMatchObject({
      serviceUser: 'user-ben-2',
      examinedAt: LATER,
      phase: send,
    });
    expect(data.ballots).toMatchObject([{ serviceUser: 'user-ben-2', reason: 'Green.' }]);
    expect(next(data, LATER)).toMatchObject({ kind: 'respond' });
  });

  test('decides nothing any more when they may not, and reads so', () => {
    const approval = held(limited);
    const result = { kind: 'not-allowed', code: 'inactive' } as const;
    const { data, audit } = fold(approval, recheckOf(approval), result, termsWith(), LATER);
    expect(data.decision).toBeUndefined();
    expect(data.ballots).toEqual([]);
    expect(data.tells).toMatchObject([{ user: 'U0BEN', text: CLOSED['may-no-more'] }]);
    expect(audit).toMatchObject([{ actor: 'U0BEN', facts: { refused: 'inactive' } }]);
  });

  test('is examined some times when that fails, and then the buttons come back', () => {
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    let approval = held(send);
    const tries: unknown[] = [];
    for (let now = LATER; approval.decision !== undefined; now += 10_000) {
      const step = next(approval, now);
      tries.push(step);
      if (typeof step === 'string') throw new Error(`it has to ${step}`);
      approval = fold(approval, step, { kind: 'failed', failure }, termsWith(), now).data;
    }
    expect(tries).toHaveLength(3);
    expect(approval.tells).toMatchObject([{ text: CLOSED['could-not-check'] }]);
  });

  test('is not judged by a word that comes too late', () => {
    const step = recheckOf(held(send));
    const refused = { kind: 'not-allowed', code: 'inactive' } as const;
    const attempt = { plannedAt: LATER, mustEndBy: LATER + 5_000 };
    for (const now of [
      held({ name: 'sending', attempt, sends: NO_SENDS }),
      approvalWith(),
      held(send, { at: NOW + 1 }),
    ]) {
      expect(fold(now, step, refused, termsWith(), LATER).data).toBe(now);
    }
  });
});
