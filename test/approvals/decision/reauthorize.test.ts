import { describe, expect, test } from 'vitest';
import {
  type Approval,
  type Ballot,
  NO_SENDS,
  type Phase,
} from '../../../src/approvals/approval.ts';
import type { Beside } from '../../../src/approvals/decision/authorize.ts';
import { recheckClick, rulesIn } from '../../../src/approvals/decision/reauthorize.ts';
import type { Authorization } from '../../../src/approvals/electorate/authorization.ts';
import { goodForMs, RETRY_GOOD_FOR_MS } from '../../../src/approvals/schedule.ts';
import type { Step, StepResult } from '../../../src/approvals/steps.ts';
import { messageStateOf, stateKey } from '../../../src/approvals/tell/message/message-state.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import {
  applied,
  applyResult,
  approvalWith,
  closedSentence,
  DECIDING,
  NOW,
  plan,
  termsWith,
} from '../approvals.ts';

const A_MINUTE = 60_000;
const LATER = NOW + A_MINUTE + 1;

/** Ben's decision, and the ballots behind it. */
function held(phase: Phase, change: object = {}): Approval {
  const ballot = { user: 'U0BEN', action: 'approve', at: NOW, serviceUser: 'user-ben' } as const;
  const ballots = [{ ...ballot, reason: 'Green.' }];
  const decision = { ...DECIDING, serviceUser: 'user-ben', phase, ...change };
  return approvalWith({ decision, ballots });
}

const checking: Phase = { name: 'check', tries: 1, notBefore: NOW, sends: NO_SENDS };
const send: Phase = { name: 'send', askedAt: LATER, sends: NO_SENDS };
const limited: Phase = { ...send, sends: { ...NO_SENDS, limited: 1 } };

/** The next step, once the message shows the decision. */
function next(approval: Approval, now: number): Step | string {
  const shown = stateKey(messageStateOf(approval, termsWith(), now));
  const planned = plan({ ...approval, shown }, termsWith(), now);
  return planned.kind === 'step' ? planned.step : planned.kind;
}

function recheckOf(approval: Approval): Extract<Step, { kind: 'authorize' }> {
  const step = next(approval, LATER);
  if (typeof step === 'string' || step.kind !== 'authorize') throw new Error('nobody is examined');
  return step;
}

function rechecked(approval: Approval, result: StepResult): Approval {
  return applied(approval, recheckOf(approval), result, LATER);
}

describe('the author of an unsent decision', () => {
  test.each([checking, send])('is authorized again if the rules have changed (%j)', (phase) => {
    const { route } = termsWith();
    const recheckBy = (rules: string | undefined) =>
      recheckClick(
        { ...DECIDING, phase, authorizedAt: NOW, ...(rules && { rules }) },
        {
          ...termsWith(),
          route,
        },
        NOW + 1,
      );
    expect(recheckBy('other rules')).toMatchObject({ user: DECIDING.by });
    expect(recheckBy(rulesIn(route))).toBeUndefined();
    // Of an earlier version.
    expect(recheckBy(undefined)).toBeUndefined();
  });

  test.each([
    [checking, RETRY_GOOD_FOR_MS],
    [send, goodForMs(TRUE_TIME)],
    [limited, goodForMs(TRUE_TIME)],
  ])('is authorized again once the authorization is too old (%j)', (phase, goodForMs) => {
    expect(next(held(phase), NOW + goodForMs)).not.toMatchObject({ kind: 'authorize' });
    expect(next(held(phase), NOW + goodForMs + 1)).toMatchObject({ kind: 'authorize' });
    expect(recheckOf(held(phase)).click).toMatchObject({ user: 'U0BEN', action: 'approve' });
    expect(next(held(phase, { authorizedAt: LATER }), LATER)).not.toMatchObject({
      kind: 'authorize',
    });
  });

  test('is not authorized again before the service can be called again', () => {
    expect(next(held({ ...checking, notBefore: LATER + 1 }), LATER)).toBe('wait');
  });

  test('sees whether their decision waits for the service or for the check of their account', () => {
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const stateOf = (data: Approval) => messageStateOf(data, termsWith(), LATER);
    const unsent = { name: 'unsent', by: 'U0BEN', action: 'approve', until: expect.any(Number) };
    const waits = rechecked(held(checking), { kind: 'failed', failure });
    expect(stateOf(waits)).toEqual({ ...unsent, waitsFor: 'check' });
    const service = { kind: 'failed', failure, of: 'service' } as const;
    expect(stateOf(rechecked(held(checking), service))).toEqual(unsent);
    const later = applied(
      waits,
      { kind: 'authorize', click: recheckOf(held(checking)).click },
      service,
      LATER,
    );
    expect(stateOf(later)).toEqual(unsent);
  });

  test('is authorized again before a decision with a lost response is sent a second time', () => {
    const lost = held({ ...send, sends: { ...NO_SENDS, ambiguous: 1 } });
    const data = rechecked(lost, { kind: 'accepted', serviceUser: 'user-ben' });
    expect(next(data, LATER)).toMatchObject({ kind: 'respond' });
    const refused = rechecked(lost, { kind: 'not-allowed', code: 'inactive' });
    expect(refused.decision).toBeUndefined();
    expect(refused.watch).toMatchObject({ state: 'unknown', why: 'unsure' });
    expect(refused.unconfirmed).toMatchObject([{ action: 'approve', by: 'U0BEN' }]);
    expect(words(refused)).toEqual([
      'U0BEN: <request>: The decision may not have reached the service. It was not sent again: your account in the service was deactivated. Press Check now to check again.',
    ]);
  });

  test('is recorded with their current account', () => {
    const data = rechecked(held(send), { kind: 'accepted', serviceUser: 'user-ben-2' });
    expect(data.decision).toMatchObject({
      serviceUser: 'user-ben-2',
      authorizedAt: LATER,
      phase: send,
    });
    expect(data.ballots).toMatchObject([{ serviceUser: 'user-ben-2', reason: 'Green.' }]);
    expect(next(data, LATER)).toMatchObject({ kind: 'respond' });
  });

  test('who can no longer decide is told, and the decision is dropped', () => {
    const approval = held(limited);
    const result = { kind: 'not-allowed', code: 'inactive' } as const;
    const { data, audit } = applyResult(approval, recheckOf(approval), result, termsWith(), LATER);
    expect(data.decision).toBeUndefined();
    expect(data.ballots).toEqual([]);
    expect(data.replies.map(({ user, text }) => `${user}: ${text}`)).toEqual([
      'U0BEN: Your approval of <request> does not count. While it was waiting, your account in the service was deactivated. When you can decide it again, press again.',
    ]);
    expect(audit).toMatchObject([{ actor: 'U0BEN', facts: { refused: 'inactive' } }]);
  });

  test('who can no longer decide is not needed: the others are told that one of them has to press', () => {
    const [own] = held(limited).ballots;
    if (own === undefined) throw new Error('somebody approved');
    const result = { kind: 'not-allowed', code: 'inactive' } as const;
    const without = (users: readonly string[], quorum: number, takers: readonly string[] = []) => {
      const ballots = [own, ...users.map((user) => ({ ...own, user, serviceUser: user }))];
      const taken = takers.map((user) => ({ user, channel: 'C0PROD', at: NOW }));
      const approval = { ...held(limited, { takers: taken }), ballots };
      return applyResult(approval, recheckOf(approval), result, termsWith({ quorum }), LATER).data;
    };
    const told = (data: Approval) => words(data).filter((each) => !each.startsWith('U0BEN'));
    const both = without(['U0CLEO', 'U0DANA'], 2);
    expect(both.decision).toBeUndefined();
    expect(both.ballots).toHaveLength(2);
    const sentence =
      'The approval of <request> by <@U0BEN> no longer counts: they can no longer decide it. The other approvals are enough: one of them has to press Approve again.';
    expect(told(both)).toEqual([`U0CLEO: ${sentence}`, `U0DANA: ${sentence}`]);
    expect(told(without(['U0CLEO'], 2))).toEqual([]);
    // One of them took theirs back while it was being sent.
    expect(told(without(['U0CLEO', 'U0DANA'], 2, ['U0DANA']))).toEqual([
      expect.stringMatching(/^U0DANA: You took back your approval/),
    ]);
  });

  test.each([
    ['times out', { class: 'ambiguous', code: 'timeout' }, [0, 0]],
    ['cannot be read', { class: 'unreadable', code: 'x', status: 200 }, [500, 1_000, 2_000]],
  ] as const)(
    'is authorized a few more times if the check %s, and then the buttons return',
    (_how, failure, waits) => {
      let approval = held(send);
      const waited: number[] = [];
      for (let now = LATER; approval.decision !== undefined; now += 10_000) {
        const step = next(approval, now);
        if (typeof step === 'string') throw new Error(`it has to ${step}`);
        approval = applied(approval, step, { kind: 'failed', failure }, now);
        const { phase } = approval.decision ?? {};
        if (phase?.name === 'check') waited.push(phase.notBefore - now);
      }
      expect(waited).toEqual(waits);
      expect(approval.replies).toMatchObject([{ text: closedSentence('could-not-check') }]);
    },
  );

  test('is not affected by a check that ends after the decision has changed', () => {
    const step = recheckOf(held(send));
    const refused = { kind: 'not-allowed', code: 'inactive' } as const;
    const attempt = { plannedAt: LATER, mustEndBy: LATER + 5_000 };
    for (const now of [
      held({ name: 'sending', attempt, sends: NO_SENDS }),
      approvalWith(),
      held(send, { at: NOW + 1 }),
    ]) {
      expect(applied(now, step, refused, LATER)).toBe(now);
    }
  });
});

const FAILED = { kind: 'failed', failure: { class: 'ambiguous', code: 'timeout' } } as const;
const status = (word: 'PENDING' | 'APPROVED') =>
  ({ kind: 'status', answer: { status: word, raw: null, resolvedAt: null } }) as const;
const words = ({ replies }: Approval) => replies.map(({ user, text }) => `${user}: ${text}`);

/** Ben and Cleo press Approve after Ana did; three approvals are needed. */
describe('the press that completes a quorum', () => {
  const quorum = { quorum: 3 };
  const press = { id: 'c', user: 'U0CLEO', channel: 'C0PROD', at: NOW, action: 'approve' } as const;
  const of = (user: string, more: object = {}) =>
    ({ user, action: 'approve', at: NOW, ...more }) as const;
  const waiting = (change: Partial<Approval> = {}) =>
    approvalWith({ ballots: [of('U0ANA'), of('U0BEN')], queue: [press], ...change });

  function examination(approval: Approval): Extract<Step, { kind: 'authorize' }> {
    const shown = stateKey(messageStateOf(approval, termsWith(quorum), NOW));
    const planned = plan({ ...approval, shown }, termsWith(quorum), NOW);
    if (planned.kind !== 'step' || planned.step.kind !== 'authorize')
      throw new Error('not examined');
    return planned.step;
  }

  /** Applies the authorization of Cleo, with those of others and the status. */
  function examined(approval: Approval, beside: Beside, own: Authorization = { kind: 'accepted' }) {
    return applyResult(approval, examination(approval), { ...own, beside }, termsWith(quorum), NOW);
  }

  test('authorizes everybody whose approval counts, and reads the status in parallel', () => {
    expect(examination(waiting())).toMatchObject({
      others: ['U0ANA', 'U0BEN'],
      look: { deadlineMs: 1_000, plannedAt: NOW },
    });
    expect(examination(waiting({ ballots: [of('U0ANA')] }))).toEqual({
      kind: 'authorize',
      click: { ...press, isPastClosing: true },
    });
    expect(examination(waiting({ queue: [{ ...press, action: 'reject' }] }))).toMatchObject({
      others: [],
      look: {},
    });
  });

  test('reads no status while an earlier decision may still arrive', () => {
    const unconfirmed = [{ action: 'approve', by: 'U0ANA', quietAt: NOW + 1 }] as const;
    expect(examination(waiting({ unconfirmed }))).not.toHaveProperty('look');
  });

  test('decides if everybody is still authorized, with their current accounts', () => {
    const others = {
      U0ANA: { kind: 'accepted', serviceUser: 'user-ana' },
      U0BEN: { kind: 'accepted' },
    } as const;
    const { data } = examined(waiting(), { others, look: status('PENDING') });
    expect(data.decision).toMatchObject({ by: 'U0CLEO', phase: { name: 'send', askedAt: NOW } });
    expect(data.ballots[0]).toMatchObject({ user: 'U0ANA', serviceUser: 'user-ana' });
    expect(data.replies).toEqual([]);
  });

  test('drops the approval of somebody who can no longer decide, tells both, and the request keeps waiting', () => {
    const others = {
      U0ANA: { kind: 'not-allowed', code: 'deactivated' },
      U0BEN: { kind: 'accepted' },
    } as const;
    const { data, audit } = examined(waiting(), { others, look: status('PENDING') });
    expect(data.decision).toBeUndefined();
    expect(data.ballots.map(({ user }) => user)).toEqual(['U0BEN', 'U0CLEO']);
    expect(words(data)).toEqual([
      'U0ANA: Your approval of <request> no longer counts: your Slack account was deactivated. When you can decide it again, press again.',
      'U0CLEO: Your approval of <request> counts: 2 of 3. 1 more approval is needed. The approval of <@U0ANA> no longer counts: they can no longer decide this request.',
    ]);
    expect(audit).toMatchObject([
      { actor: 'U0ANA', facts: { refused: 'deactivated' } },
      { actor: 'U0CLEO', facts: { action: 'approve' } },
    ]);
  });

  test('is retried while one of them cannot be checked, whatever the status is', () => {
    const others = { U0ANA: FAILED, U0BEN: { kind: 'accepted' } } as const;
    for (const look of [status('PENDING'), FAILED]) {
      const { data } = examined(waiting(), { others, look });
      expect(data.decision).toBeUndefined();
      expect(data.ballots.map(({ user }) => user)).toEqual(['U0ANA', 'U0BEN']);
      expect(data.queue).toMatchObject([{ user: 'U0CLEO', tries: 1 }]);
    }
  });

  test('drops nobody else if its own author is refused or cannot be checked', () => {
    const others = { U0ANA: { kind: 'not-allowed', code: 'inactive' }, U0BEN: FAILED } as const;
    const { data } = examined(waiting(), { others }, { kind: 'not-allowed', code: 'guest' });
    expect(data.ballots).toHaveLength(2);
    expect(data.replies).toMatchObject([{ user: 'U0CLEO' }]);
    expect(examined(waiting(), { others }, FAILED).data.ballots).toHaveLength(2);
  });

  test('ends with the outcome if it was decided elsewhere, whoever pressed', () => {
    const look = status('APPROVED');
    for (const own of [
      { kind: 'accepted' },
      { kind: 'not-allowed', code: 'guest' },
      FAILED,
    ] as const) {
      const { data } = examined(waiting(), { others: {}, look }, own);
      expect(data.outcome).toMatchObject({ status: 'APPROVED', credit: 'none' });
      expect(data.queue).toEqual([]);
    }
  });

  test('leads to another read if only the status could not be read', () => {
    const others = { U0ANA: { kind: 'accepted' }, U0BEN: { kind: 'accepted' } } as const;
    const { data } = examined(waiting(), { others, look: FAILED });
    expect(data.decision?.phase).toMatchObject({ name: 'check', tries: 1, notBefore: NOW });
    const refused = examined(
      waiting(),
      { others: {}, look: FAILED },
      { kind: 'not-allowed', code: 'bot' },
    );
    expect(refused.data.watch).toEqual(waiting().watch);
  });
});

const need = (name: string, group: string) => ({
  name,
  count: 1,
  of: { users: [], groups: [group] },
});
const NEEDS = [need('SRE', 'S0SRE'), need('Security', 'S0SEC')];
const inBoth = ['S0SRE', 'S0SEC'];
const approves = (user: string, ...through: string[]) =>
  ({ user, action: 'approve', at: NOW, ...(through.length > 0 && { through }) }) as const;
const of = (...through: string[]) => ({ kind: 'accepted', through }) as const;
const GONE = { kind: 'not-allowed', code: 'deactivated' } as const;

/** Ana, Ben and Cleo are SRE; Dana, who is Security, presses. */
describe('the press that covers the last need', () => {
  const press = { id: 'd', user: 'U0DANA', channel: 'C0PROD', at: NOW, action: 'approve' } as const;
  const sres = ['U0ANA', 'U0BEN', 'U0CLEO'].map((user) => approves(user, 'S0SRE'));
  const pressed = (others: Beside['others'], own: Authorization = of('S0SEC'), ballots = sres) => {
    const approval = approvalWith({ ballots, queue: [press] });
    const terms = termsWith({ need: NEEDS });
    const shown = stateKey(messageStateOf(approval, terms, NOW));
    const planned = plan({ ...approval, shown }, terms, NOW);
    if (planned.kind !== 'step' || planned.step.kind !== 'authorize')
      throw new Error('not checked');
    const result = { ...own, beside: { others, look: status('PENDING') } };
    return { step: planned.step, ...applyResult(approval, planned.step, result, terms, NOW) };
  };
  const all = { U0ANA: of('S0SRE'), U0BEN: of('S0SRE'), U0CLEO: of('S0SRE') };

  test('decides with the people who cover the needs, after authorizing all who approved', () => {
    const { step, data } = pressed(all);
    expect(step.others).toEqual(['U0ANA', 'U0BEN', 'U0CLEO']);
    expect(data.decision).toMatchObject({ by: 'U0DANA', approvers: ['U0ANA', 'U0DANA'] });
    expect(data.ballots).toHaveLength(4);
  });

  test('uses another approver if one of those needed can no longer decide', () => {
    const { data } = pressed({ ...all, U0ANA: GONE });
    expect(data.decision).toMatchObject({ by: 'U0DANA', approvers: ['U0BEN', 'U0DANA'] });
    expect(words(data)).toEqual([expect.stringMatching(/^U0ANA: .* no longer counts/)]);
  });

  test('uses another approver if one of those needed has left only the group', () => {
    const { data } = pressed({ ...all, U0ANA: of('S0OPS') });
    expect(data.decision).toMatchObject({ approvers: ['U0BEN', 'U0DANA'] });
    expect(data.ballots.map(({ user }) => user)).toContain('U0ANA');
    expect(data.replies).toEqual([]);
  });

  test('assigns the needs again if an approver has joined a group since', () => {
    const { data } = pressed({ ...all, U0CLEO: of(...inBoth) }, of());
    expect(data.decision).toMatchObject({ approvers: ['U0ANA', 'U0CLEO', 'U0DANA'] });
    const one = pressed({ U0ANA: of(...inBoth) }, of('S0SRE'), sres.slice(0, 1)).data;
    expect(one.decision).toMatchObject({ approvers: ['U0ANA', 'U0DANA'] });
  });

  test('is told what is missing if the approvers who can no longer decide were needed', () => {
    const { data, audit } = pressed({ U0ANA: GONE }, of('S0SEC'), sres.slice(0, 1));
    expect(data.decision).toBeUndefined();
    expect(words(data)).toEqual([
      'U0ANA: Your approval of <request> no longer counts: your Slack account was deactivated. When you can decide it again, press again.',
      'U0DANA: Your approval of <request> counts. Still needed: 1 of SRE. The approval of <@U0ANA> no longer counts: they can no longer decide this request.',
    ]);
    expect(audit).toMatchObject([{ actor: 'U0ANA' }, { actor: 'U0DANA' }]);
  });

  test('that covers no need is kept, and its author is told what is missing', () => {
    const { data } = pressed(all, of('S0SRE'));
    expect(data.decision).toBeUndefined();
    expect(data.ballots).toHaveLength(4);
    expect(words(data)).toEqual([
      'U0DANA: Your approval of <request> is recorded. Still needed: 1 of Security, which you cannot cover.',
    ]);
  });

  test('counts for the quorum if it covers no need', () => {
    const approval = approvalWith({ ballots: sres.slice(0, 1), queue: [press] });
    const terms = termsWith({ need: NEEDS, quorum: 4 });
    const step = { kind: 'authorize', click: press } as const;
    const { data } = applyResult(approval, step, of(), terms, NOW);
    expect(words(data)).toEqual([
      'U0DANA: Your approval of <request> counts. Still needed: 1 of Security, 1 more reviewer.',
    ]);
  });

  test('is retried while one of the approvers cannot be checked', () => {
    const { data } = pressed({ ...all, U0BEN: FAILED });
    expect(data.decision).toBeUndefined();
    expect(data.queue).toMatchObject([{ user: 'U0DANA', tries: 1 }]);
  });

  test('is retried if an approver who cannot be checked might be in the missing group', () => {
    const { data } = pressed({ U0ANA: FAILED }, of('S0SEC'), [approves('U0ANA', 'S0SEC')]);
    expect(data.decision).toBeUndefined();
    expect(data.queue).toMatchObject([{ user: 'U0DANA', tries: 1 }]);
    const inNone = pressed({ U0ANA: FAILED }, of(), [approves('U0ANA', 'S0SRE')]).data;
    expect(inNone.queue).toEqual([]);
    expect(words(inNone)).toEqual([expect.stringMatching(/Still needed: 1 of Security/)]);
  });

  describe('while Slack does not say who is in a group', () => {
    const unread = (...groups: string[]) => ({ unread: { groups, failure: FAILED.failure } });

    test('is used if the group makes no difference', () => {
      const { data } = pressed({ ...all, U0BEN: { ...of(), ...unread('S0SEC') } });
      expect(data.decision).toMatchObject({ by: 'U0DANA', approvers: ['U0ANA', 'U0DANA'] });
    });

    test('is retried if the group decides', () => {
      const { data } = pressed(all, { ...of('S0SRE'), ...unread('S0SEC') });
      expect(data.decision).toBeUndefined();
      expect(data.queue).toMatchObject([{ user: 'U0DANA', tries: 1 }]);
    });

    test('decides nothing on remembered groups, and keeps them', () => {
      const found = { U0ANA: { ...of(), ...unread('S0SRE') } };
      const { data } = pressed(found, of('S0SEC'), sres.slice(0, 1));
      expect(data.decision).toBeUndefined();
      expect(data.queue).toMatchObject([{ user: 'U0DANA', tries: 1 }]);
      expect(data.ballots).toMatchObject([{ user: 'U0ANA', through: ['S0SRE'] }]);
    });

    test('leaves what an earlier press of the same person covers', () => {
      const again = { ...press, user: 'U0ANA' };
      const step = { kind: 'authorize', click: again } as const;
      const result = { ...of(), ...unread('S0SRE') };
      const pressedAgain = (ballots: readonly Ballot[]) => {
        const approval = approvalWith({ ballots, queue: [again] });
        return applyResult(approval, step, result, termsWith({ need: NEEDS }), NOW).data;
      };
      const data = pressedAgain([approves('U0ANA', 'S0SRE')]);
      expect(data.ballots).toMatchObject([{ user: 'U0ANA', at: NOW, through: ['S0SRE'] }]);
      expect(words(data)).toEqual([
        'U0ANA: You already approved <request>. Still needed: 1 of Security.',
      ]);
      // In another place they covered what that person covers.
      const inPlace = { ...approves('U0ANA', 'S0SRE'), for: { user: 'U0BEN' } };
      expect(pressedAgain([inPlace]).ballots[0]).not.toHaveProperty('through');
    });

    test('is told what is missing if the group would not be enough either', () => {
      const { data } = pressed(all, { ...of('S0SRE'), ...unread('S0OPS') });
      expect(data.queue).toEqual([]);
      expect(words(data)).toEqual([
        expect.stringMatching(/Still needed: 1 of Security, which you cannot cover\.$/),
      ]);
    });
  });

  test('alerts administrators if the group of a need does not exist, and counts nobody for it', () => {
    const missingGroups = ['S0SEC'];
    const { data } = pressed(all, { ...of('S0SRE'), missingGroups });
    expect(data.decision).toBeUndefined();
    expect(data.alerts).toEqual([{ cause: 'group-missing', subject: 'S0SEC' }]);
    expect(words(data)).toEqual([
      expect.stringMatching(/Still needed: 1 of Security, which you cannot cover\.$/),
    ]);
  });

  test('is not needed for a rejection', () => {
    const reject = { ...press, action: 'reject' } as const;
    const approval = approvalWith({ ballots: sres, queue: [reject] });
    const step = { kind: 'authorize', click: reject } as const;
    const { data } = applyResult(approval, step, of('S0SRE'), termsWith({ need: NEEDS }), NOW);
    expect(data.decision).toMatchObject({ action: 'reject', by: 'U0DANA' });
    expect(data.decision).not.toHaveProperty('approvers');
  });
});

/** Ben, who is Security, decided with Ana and Cleo, who are SRE. */
describe('a delayed decision with needs', () => {
  const decided = (): Approval => {
    const approval = held(send, { approvers: ['U0ANA', 'U0BEN'] });
    const ballots = approval.ballots.map((ballot) => ({ ...ballot, through: ['S0SEC'] }));
    return {
      ...approval,
      ballots: [approves('U0ANA', 'S0SRE'), approves('U0CLEO', 'S0SRE'), ...ballots],
    };
  };
  const again = (
    others: Beside['others'],
    own: Authorization = of('S0SEC'),
    route: object = { need: NEEDS },
  ) => {
    const approval = decided();
    const step = recheckOf(approval);
    const result = { ...own, beside: { others, look: status('PENDING') } };
    return applyResult(approval, step, result, termsWith(route), LATER).data;
  };
  const both = { U0ANA: of('S0SRE'), U0CLEO: of('S0SRE') };

  test('authorizes everybody who approved again, including those not needed', () => {
    expect(recheckOf(decided())).toMatchObject({ others: ['U0ANA', 'U0CLEO'] });
    expect(again(both).decision).toMatchObject({
      approvers: ['U0ANA', 'U0BEN'],
      authorizedAt: LATER,
    });
  });

  test('uses an approver who was not needed before', () => {
    const data = again({ ...both, U0ANA: GONE });
    expect(data.decision).toMatchObject({ approvers: ['U0CLEO', 'U0BEN'], authorizedAt: LATER });
    expect(words(data)).toEqual([expect.stringMatching(/^U0ANA: .* no longer counts/)]);
  });

  test('is not sent if nobody else covers the need', () => {
    const data = again({ U0ANA: GONE, U0CLEO: of() });
    expect(data.decision).toBeUndefined();
    expect(data.ballots.map(({ user }) => user)).toEqual(['U0CLEO', 'U0BEN']);
    expect(words(data).at(-1)).toBe(
      'U0BEN: Your approval of <request> counts. Still needed: 1 of SRE. The approval of <@U0ANA> no longer counts: they can no longer decide this request.',
    );
  });

  test('tells its author that somebody left a group, or that the needs were changed', () => {
    const why =
      'While your approval was waiting, the configuration changed who has to approve, or somebody left one of the groups.';
    expect(words(again({ U0ANA: of(), U0CLEO: of() }))).toEqual([
      `U0BEN: Your approval of <request> counts. Still needed: 1 of SRE. ${why}`,
    ]);
    const route = { need: [...NEEDS, need('Legal', 'S0LAW')] };
    expect(words(again(both, of('S0SEC'), route))).toEqual([
      `U0BEN: Your approval of <request> counts. Still needed: 1 of Legal. ${why}`,
    ]);
    // The person who decided no longer covers a need.
    expect(words(again(both, of()))).toEqual([
      `U0BEN: Your approval of <request> is recorded. Still needed: 1 of Security, which you cannot cover. ${why}`,
    ]);
  });
});

describe('the approvers of a delayed decision', () => {
  const others = (found: Authorization): Beside => ({ others: { U0ANA: found } });
  const both = (): Approval => {
    const approval = held(send);
    const anas = { user: 'U0ANA', action: 'approve', at: NOW, through: ['S0OPS'] } as const;
    return { ...approval, ballots: [anas, ...approval.ballots] };
  };
  const two = (route: object = {}) => termsWith({ quorum: 2, ...route });
  const again = (result: StepResult, terms = two(), approval = both()) =>
    applyResult(approval, recheckOf(approval), result, terms, LATER).data;

  test('are all authorized again', () => {
    expect(recheckOf(both())).toMatchObject({ others: ['U0ANA'], look: { plannedAt: LATER } });
  });

  test('keep the approvals that count if one was dropped', () => {
    const inGroup = { reviewers: { users: [], groups: ['S0OPS'], channel: false } };
    const found = { kind: 'not-allowed', code: 'not-a-reviewer' } as const;
    const data = again({ kind: 'accepted', beside: others(found) }, two(inGroup));
    expect(data.decision).toBeUndefined();
    expect(data.ballots.map(({ user }) => user)).toEqual(['U0BEN']);
    expect(words(data)).toEqual([
      'U0ANA: Your approval of <request> no longer counts: you were removed from the Slack user group whose members can decide it. When you can decide it again, press again.',
      'U0BEN: Your approval of <request> counts: 1 of 2. 1 more approval is needed. The approval of <@U0ANA> no longer counts: they can no longer decide this request.',
    ]);
  });

  test('keep the approvals of others if the author can no longer decide', () => {
    const data = again({
      kind: 'not-allowed',
      code: 'no-route',
      beside: others({ kind: 'accepted' }),
    });
    expect(data.ballots.map(({ user }) => user)).toEqual(['U0ANA']);
    expect(data.replies).toHaveLength(1);
  });

  test('are told that more approvals are needed now', () => {
    const accepted = { kind: 'accepted', beside: others({ kind: 'accepted' }) } as const;
    const data = again(accepted, termsWith({ quorum: 3 }));
    expect(data.decision).toBeUndefined();
    expect(data.ballots).toHaveLength(2);
    expect(words(data)).toEqual([
      'U0BEN: Your approval of <request> counts: 2 of 3. 1 more approval is needed. While your approval was waiting, the number of approvals needed was changed in the configuration.',
    ]);
  });

  test('get back what they asked for, and the author reads nothing else', () => {
    const { decision, ...rest } = both();
    if (decision === undefined) throw new Error('nothing is decided');
    const takers = [{ ...decision.asker, at: NOW + 1 }];
    const accepted = { kind: 'accepted', beside: others({ kind: 'accepted' }) } as const;
    const asked = { ...rest, decision: { ...decision, takers } };
    const data = again(accepted, termsWith({ quorum: 3 }), asked);
    expect(data.ballots.map(({ user }) => user)).toEqual(['U0ANA']);
    expect(words(data)).toEqual([
      'U0BEN: You took back your approval of <request>. 2 more approvals are needed.',
    ]);
  });

  test('are told that two of the approvals came from the same person', () => {
    const own = { kind: 'accepted', account: 'cleo' } as const;
    const data = again({ ...own, beside: others(own) });
    expect(data.decision).toBeUndefined();
    expect(words(data)).toEqual([
      'U0BEN: Your approval of <request> counts: 1 of 2. 1 more approval is needed. While your approval was waiting, two of the approvals turned out to be from the same person. A person counts once, whichever account they use.',
    ]);
  });

  test('are told that somebody left a group of a need, which is open again', () => {
    const need = [{ name: 'SRE', of: { users: [], groups: ['S0SRE'] }, count: 1 }];
    const approval = {
      ...held(send),
      ballots: held(send).ballots.map((each) => ({ ...each, through: ['S0SRE'] })),
    };
    const terms = termsWith({ need });
    const stays = again({ kind: 'accepted', through: ['S0SRE'] }, terms, approval);
    expect(stays.decision).toMatchObject({ approvers: ['U0BEN'], authorizedAt: LATER });
    const data = again({ kind: 'accepted' }, terms, approval);
    expect(data.decision).toBeUndefined();
    expect(words(data)).toEqual([
      'U0BEN: Your approval of <request> is recorded. Still needed: 1 of SRE, which you cannot cover. While your approval was waiting, the configuration changed who has to approve, or somebody left one of the groups.',
    ]);
    expect(messageStateOf(data, terms, LATER)).toMatchObject({
      name: 'waiting',
      open: [{ count: 1, of: ['SRE'] }],
    });
  });

  test('do not have a lost decision sent again if too few are left', () => {
    const lost = { ...both(), ...held({ ...send, sends: { ...NO_SENDS, ambiguous: 1 } }) };
    const approval = { ...lost, ballots: both().ballots };
    const found = { kind: 'not-allowed', code: 'guest' } as const;
    const data = again({ kind: 'accepted', beside: others(found) }, two(), approval);
    expect(data.decision).toBeUndefined();
    expect(data.watch).toMatchObject({ state: 'unknown', why: 'unsure' });
    expect(words(data)).toContain(
      'U0BEN: <request>: The decision may not have reached the service. It was not sent again. The approval of <@U0ANA> no longer counts: they can no longer decide this request. Press Check now to check again.',
    );
  });

  test('are retried while one of them cannot be checked, even if the status was read', () => {
    const data = again({
      kind: 'accepted',
      beside: { ...others(FAILED), look: status('PENDING') },
    });
    expect(data.decision?.phase).toMatchObject({ name: 'check', tries: 2 });
  });

  test.each([
    [['S0OLD'], {}, /the reviewers of this request were changed in Gatepost's configuration/],
    [['channel'], { reviewers: { users: [], groups: [], channel: true } }, /you left the channel/],
    [[], {}, /the reviewers of this request were changed in Gatepost's configuration/],
  ])('are told what changed: %j', (through, route, why) => {
    const approval = held(send);
    const ballots = approval.ballots.map((ballot) => ({ ...ballot, through }));
    const refused = { kind: 'not-allowed', code: 'not-a-reviewer' } as const;
    const { replies } = again(refused, termsWith(route), { ...approval, ballots });
    expect(replies).toMatchObject([{ user: 'U0BEN', text: expect.stringMatching(why) }]);
  });
});
