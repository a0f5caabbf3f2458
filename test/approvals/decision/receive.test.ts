import { describe, expect, test } from 'vitest';
import {
  type Action,
  type Approval,
  messagePost,
  type Outcome,
} from '../../../src/approvals/approval.ts';
import { receiveSignal as unworded } from '../../../src/approvals/decision/receive.ts';
import { type ApprovalSignal, encodeSignal } from '../../../src/approvals/decision/signal.ts';
import {
  approvalWith,
  DECIDING,
  NOW,
  received,
  receiveSignal,
  said,
  termsWith,
} from '../approvals.ts';

let signals = 0;

function take(approval: Approval, body: ApprovalSignal, at = NOW): Approval {
  signals += 1;
  return received(approval, { id: `s${signals}`, at, body: encodeSignal(body) });
}

function press(
  approval: Approval,
  user: string,
  action: Action,
  { at = NOW, ...how }: { at?: number; responseUrl?: string; reason?: string } = {},
): Approval {
  const { reason, ...way } = how;
  const asker = { user, channel: 'C0PROD', ...way };
  const why = reason === undefined ? {} : { reason };
  return take(approval, { kind: 'ballot', action, asker, message: '17.1', ...why }, at);
}

const queued = ({ queue }: Approval) => queue.map(({ user, action }) => `${user} ${action}`);
const words = ({ replies }: Approval) =>
  replies.map(({ about, user, text }) => `${about} ${user}: ${text}`);
const WITHDRAWN = said({ code: 'withdrawn' });
const WITHDRAWN_STATE = said({ code: 'withdrawn-state' });
const NOTHING_TO_TAKE_BACK = said({ code: 'nothing-to-take-back' });

test('a press on a copy that is gone does not make it the message', () => {
  const posts = [{ name: 'message', channel: 'C0PROD', gone: ['17.1'] }];
  const pressedOn = (message: string) => {
    const asker = { user: 'U0ANA', channel: 'C0PROD' };
    return take(approvalWith({ posts }), { kind: 'ballot', action: 'approve', asker, message });
  };
  expect(messagePost(pressedOn('17.1')).ts).toBeUndefined();
  expect(messagePost(pressedOn('17.2')).ts).toBe('17.2');
});

describe('a queued press', () => {
  const once = press(approvalWith(), 'U0ANA', 'approve', { responseUrl: 'first' });

  test('is not replaced by the opposite press of the same person: both are answered', () => {
    const both = press(once, 'U0ANA', 'reject');
    expect(queued(both)).toEqual(['U0ANA approve', 'U0ANA reject']);
    expect(queued(press(both, 'U0ANA', 'approve'))).toEqual(['U0ANA approve', 'U0ANA reject']);
  });

  test('is not replaced by the same press of somebody else', () => {
    expect(queued(press(once, 'U0BEN', 'approve'))).toEqual(['U0ANA approve', 'U0BEN approve']);
  });

  test('that is repeated keeps its place, with the newest reason and response URL', () => {
    const others = press(once, 'U0BEN', 'approve');
    const newest = { at: NOW + 1_000, responseUrl: 'second', reason: 'sealed' };
    const again = press(others, 'U0ANA', 'approve', newest);
    expect(queued(again)).toEqual(['U0ANA approve', 'U0BEN approve']);
    expect(again.queue[0]).toMatchObject(newest);
    expect(again.queue[1]).toEqual(others.queue[1]);
  });
});

test('a press on an outdated view is told about the change only if the request can still be decided', () => {
  const body = {
    kind: 'ballot',
    action: 'approve',
    asker: { user: 'U0ANA', channel: 'C0PROD', direct: true },
    digest: 'another',
  } as const;
  expect(words(take(approvalWith(), body))).toEqual([
    `refusal U0ANA: ${said({ code: 'changed' })}`,
  ]);
  const withdrawn = take(approvalWith({ withdrawnAt: NOW }), body);
  expect(words(withdrawn)).toEqual([`late U0ANA: ${WITHDRAWN}`]);
});

test('whoever pressed on their Home tab is answered by direct message, and sees it there', () => {
  const asker = { user: 'U0ANA', channel: 'C0PROD' };
  const told = (way: object) => {
    const body = { kind: 'check', asker: { ...asker, ...way } } as const;
    const { owed } = unworded(
      approvalWith({ withdrawnAt: NOW }),
      { id: 'c', at: NOW, body: '' },
      body,
      termsWith(),
    ).data;
    return owed;
  };
  const answer = { ...asker, at: NOW, about: 'state', statement: { code: 'withdrawn-state' } };
  expect(told({ direct: true })).toEqual([{ ...answer, direct: true, via: 'direct' }]);
  expect(told({ responseUrl: 'sealed' })).toEqual([
    { ...answer, responseUrl: 'sealed', via: 'url' },
  ]);
  expect(told({})).toEqual([{ ...answer, via: 'ephemeral' }]);
});

describe('a withdrawal', () => {
  const waiting = press(press(approvalWith(), 'U0ANA', 'approve'), 'U0BEN', 'reject');

  test('tells everybody whose press is queued, and empties the queue', () => {
    const withdrawn = take(waiting, { kind: 'withdraw' });
    expect(withdrawn.queue).toEqual([]);
    expect(words(withdrawn)).toEqual([`late U0ANA: ${WITHDRAWN}`, `late U0BEN: ${WITHDRAWN}`]);
  });

  test('is told to a person who presses later, and nothing is queued', () => {
    const late = press(take(approvalWith(), { kind: 'withdraw' }), 'U0ANA', 'approve');
    expect(late.queue).toEqual([]);
    expect(words(late)).toEqual([`late U0ANA: ${WITHDRAWN}`]);
  });
});

describe('a withdrawn request', () => {
  const withdraw = { kind: 'withdraw' } as const;
  const check = { kind: 'check', asker: { user: 'U0ANA', channel: 'C0PROD' } } as const;

  test('is in the audit log once, with who withdrew it and when', () => {
    const signal = { id: 'w', at: NOW + 7, body: encodeSignal(withdraw) };
    const { data, audit } = receiveSignal(approvalWith(), signal, withdraw, termsWith());
    expect(data.withdrawnAt).toBe(NOW + 7);
    expect(audit).toEqual([
      { action: 'approvals.withdrawn', record: null, actor: 'default', facts: {} },
    ]);
    const again = receiveSignal(data, { ...signal, at: NOW + 9 }, withdraw, termsWith());
    expect(again).toEqual({ data });
  });

  test('has not been decided before: an outcome is kept', () => {
    const outcome: Outcome = { status: 'APPROVED', credit: 'none', by: [], learnedAt: NOW };
    const decided = approvalWith({ outcome });
    expect(take(decided, withdraw)).toEqual(decided);
  });

  test('is reported to people who pressed Check now before or after the withdrawal', () => {
    const told = [`state U0ANA: ${WITHDRAWN_STATE}`];
    const before = take(take(approvalWith(), check), withdraw);
    expect(words(before)).toEqual(told);
    expect(before.watch).not.toHaveProperty('askers');
    const withdrawn = take(approvalWith(), withdraw);
    const after = take(withdrawn, check);
    expect(words(after)).toEqual(told);
    expect(after.watch).toEqual(withdrawn.watch);
    expect(take(withdrawn, { kind: 'check' })).toEqual(withdrawn);
  });
});

describe('a withdrawal by its requester', () => {
  const asker = { user: 'U0CLEO', channel: 'C0PROD', direct: true } as const;
  const theirs = { kind: 'withdraw', asker } as const;
  const gate = approvalWith({ key: 'k', requester: { user: 'U0CLEO' } });

  test('names them in the record and in the audit log, and tells them and those whose press is queued', () => {
    const waiting = press(gate, 'U0ANA', 'approve');
    const signal = { id: 'w', at: NOW + 7, body: encodeSignal(theirs) };
    const { data, audit } = receiveSignal(waiting, signal, theirs, termsWith());
    expect(data).toMatchObject({ withdrawnAt: NOW + 7, withdrawnBy: 'U0CLEO', queue: [] });
    expect(audit).toEqual([
      { action: 'approvals.withdrawn', record: null, actor: 'U0CLEO', facts: {} },
    ]);
    expect(words(take(waiting, theirs))).toEqual([
      `late U0ANA: ${said({ code: 'requester-withdrew', by: 'U0CLEO' })}`,
      `state U0CLEO: ${said({ code: 'you-withdrew' })}`,
    ]);
  });

  test('drops a decision that was not sent yet, and its author is told whose it was', () => {
    const withdrawn = take({ ...gate, decision: DECIDING }, theirs);
    expect(withdrawn.decision).toBeUndefined();
    expect(words(withdrawn)[0]).toBe(
      `closed U0BEN: ${said({ code: 'requester-withdrew', by: 'U0CLEO' })}`,
    );
  });

  test('waits for a decision that is being carried out, and says so', () => {
    const attempt = { plannedAt: NOW, mustEndBy: NOW + 5_000 };
    const phase = { name: 'sending', attempt, sends: DECIDING.phase.sends } as const;
    const late = take({ ...gate, decision: { ...DECIDING, phase } }, theirs);
    expect(late.decision).toBeDefined();
    expect(words(late)).toEqual([`state U0CLEO: ${said({ code: 'withdrawn-late' })}`]);
  });

  test('after an outcome, or a second time, only says how it is', () => {
    const outcome: Outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: 1 };
    const decided = take({ ...gate, outcome }, theirs);
    expect(decided.withdrawnAt).toBeUndefined();
    expect(words(decided)).toEqual([`state U0CLEO: ${said({ code: 'outcome', outcome })}`]);
    const again = take(take(gate, { kind: 'withdraw' }), theirs);
    expect(again.withdrawnBy).toBeUndefined();
    expect(words(again)).toEqual([`state U0CLEO: ${WITHDRAWN_STATE}`]);
  });
});

test('a request that is asked for again in the name of somebody else has them too, and is not read', () => {
  const asked = approvalWith({ requester: { user: 'U0CLEO' } });
  const again = take(asked, { kind: 'check', again: { requester: { user: 'U0DEV' } } });
  expect(again.alsoAskedBy).toMatchObject([{ user: 'U0DEV' }]);
  expect(again.watch).toEqual(asked.watch);
});

describe('a person who presses Check now', () => {
  const check = { kind: 'check', asker: { user: 'U0ANA', channel: 'C0PROD' } } as const;

  test('twice is queued once', () => {
    const twice = take(take(approvalWith(), check), check, NOW + 1);
    expect(twice.watch.askers).toMatchObject([{ user: 'U0ANA', at: NOW + 1 }]);
  });

  test('gets one read, without restarting a watch that has ended', () => {
    const { watch } = approvalWith();
    const ended = approvalWith({ watch: { ...watch, ended: true } });
    expect(take(ended, check).watch).toMatchObject({ ended: true, nextAt: NOW });
    expect(take(ended, check).watch).not.toHaveProperty('slot');
    expect(take(ended, { kind: 'check' }).watch).not.toHaveProperty('ended');
  });

  test('does not delay an automation’s check', () => {
    const checked = take(approvalWith(), check);
    const { askers, ...watch } = checked.watch;
    const answered = { ...checked, watch: { ...watch, nextAt: NOW + 15_000 } };
    expect(take(answered, { kind: 'check' }, NOW + 1).watch).toMatchObject({
      nextAt: NOW + 1,
      slot: true,
    });
  });
});

describe('a person who takes back an approval', () => {
  const of = (user: string, more: object = {}) =>
    ({ user, action: 'approve', at: NOW, ...more }) as const;
  const two = termsWith({ quorum: 3 });
  const back = (approval: Approval, user = 'U0ANA', terms = two) => {
    const asker = { user, channel: 'C0PROD' };
    const body = { kind: 'take-back', asker } as const;
    return receiveSignal(approval, { id: 't', at: NOW, body: '' }, body, terms);
  };
  const both = approvalWith({ ballots: [of('U0ANA'), of('U0BEN')] });

  test('no longer counts, and is told how many approvals are missing', () => {
    const { data, audit } = back(both);
    expect(data.ballots).toEqual([of('U0BEN')]);
    const told = 'U0ANA: You took back your approval of <request>. 2 more approvals are needed.';
    expect(words(data)).toEqual([`taken-back ${told}`]);
    expect(audit).toEqual([
      { action: 'approvals.taken-back', record: null, actor: 'U0ANA', facts: {} },
    ]);
  });

  test('on the message itself is answered beside it: there is no reply to replace', () => {
    const asker = { user: 'U0ANA', channel: 'C0PROD' };
    const after = take(both, { kind: 'take-back', asker, message: '17.1' });
    expect(words(after)).toEqual([expect.stringMatching(/^state U0ANA: You took back/)]);
  });

  test('is told which groups are missing, if there are needs', () => {
    const need = [
      { name: 'SRE', count: 1, of: { users: ['U0ANA', 'U0BEN'], groups: [] } },
      { name: 'Security', count: 1, of: { users: ['U0CLEO'], groups: [] } },
    ];
    expect(words(back(both, 'U0ANA', termsWith({ need })).data)).toEqual([
      'taken-back U0ANA: You took back your approval of <request>. Still needed: 1 of Security.',
    ]);
    const alone = approvalWith({ ballots: [of('U0ANA')] });
    expect(words(back(alone, 'U0ANA', termsWith({ need, quorum: 3 })).data)).toEqual([
      'taken-back U0ANA: You took back your approval of <request>. Still needed: 1 of SRE, 1 of Security, 1 more reviewer.',
    ]);
  });

  test('gets no earlier message that the approval counts', () => {
    const progress = {
      id: 'p',
      about: 'progress',
      text: 'It counts.',
      via: 'url',
      at: NOW,
    } as const;
    const replies = [
      { ...progress, user: 'U0ANA', channel: 'C0PROD' },
      { ...progress, id: 'q', user: 'U0BEN', channel: 'C0PROD' },
      { ...progress, id: 'r', user: 'U0ANA', channel: 'C0PROD', about: 'state', text: 'It waits.' },
    ] as const;
    expect(words(back({ ...both, replies }).data)).toEqual([
      'progress U0BEN: It counts.',
      'state U0ANA: It waits.',
      expect.stringMatching(/^taken-back U0ANA: You took back/),
    ]);
  });

  test('removes their queued approval, but no queued rejection', () => {
    const queue = press(press(approvalWith(), 'U0ANA', 'approve'), 'U0BEN', 'approve');
    const { data } = back(queue);
    expect(queued(data)).toEqual(['U0BEN approve']);
    expect(words(data)).toEqual([expect.stringMatching(/^taken-back U0ANA: You took back/)]);
    const rejected = press(approvalWith({ ballots: [of('U0ANA')] }), 'U0ANA', 'reject');
    expect(queued(back(rejected).data)).toEqual(['U0ANA reject']);
  });

  test('removes the approval of another account of theirs', () => {
    const una = of('U0UNA', { alsoKnownAs: ['U0ANA'] });
    expect(back(approvalWith({ ballots: [una, of('U0BEN')] })).data.ballots).toEqual([of('U0BEN')]);
    // Found to be one person only after both had pressed.
    const twice = [of('U0ANA', { account: 'ana' }), of('U0UNA', { account: 'ana' }), of('U0BEN')];
    const { data } = back(approvalWith({ ballots: twice }));
    expect(data.ballots).toEqual([of('U0BEN')]);
    expect(words(data)).toEqual([expect.stringMatching(/2 more approvals are needed\.$/)]);
  });

  test('gets an answer for a press with another account that waits as well', () => {
    const una = of('U0UNA', { alsoKnownAs: ['U0ANA'] });
    const waiting = approvalWith({ ballots: [una, of('U0BEN')] });
    const queue = press(press(waiting, 'U0UNA', 'approve'), 'U0CLEO', 'approve');
    const { data } = back(queue);
    expect(queued(data)).toEqual(['U0CLEO approve']);
    const told = 'You took back your approval of <request>. 2 more approvals are needed.';
    expect(words(data)).toEqual([`state U0UNA: ${told}`, `taken-back U0ANA: ${told}`]);
  });

  test('that a decision uses gets it back once if the decision fails, however often they ask', () => {
    const first = back({ ...both, decision: DECIDING }).data;
    expect(words(first)).toEqual([`state U0ANA: ${said({ code: 'deciding' })}`]);
    const { decision } = back(back(first, 'U0BEN').data).data;
    expect(decision?.takers?.map(({ user }) => user)).toEqual(['U0BEN', 'U0ANA']);
  });

  test('while a rejection is decided has it back at once, and the rejection goes on', () => {
    const decision = { ...DECIDING, action: 'reject' } as const;
    const { data } = back({ ...both, decision });
    expect(data.ballots).toEqual([of('U0BEN')]);
    expect(data.decision).toEqual(decision);
    expect(words(data)).toEqual([expect.stringMatching(/It is being decided without yours\.$/)]);
  });

  test('after a decision without an answer is told that it was sent, unless it was a rejection', () => {
    const told = (action: Action) => {
      const unconfirmed = [{ action, by: 'U0BEN', quietAt: NOW }];
      return words(back(approvalWith({ unconfirmed })).data);
    };
    expect(told('approve')).toEqual([`state U0ANA: ${said({ code: 'sent-already' })}`]);
    const two = ['approve', 'reject'] as const;
    const unconfirmed = two.map((action) => ({ action, by: 'U0BEN', quietAt: NOW }));
    expect(words(back(approvalWith({ unconfirmed })).data)).toEqual(told('approve'));
    expect(told('reject')).toEqual([`state U0ANA: ${NOTHING_TO_TAKE_BACK}`]);
  });

  test('without an approval is told that there is none', () => {
    for (const approval of [both, back(both, 'U0CLEO').data]) {
      const { data, audit } = back(approval, 'U0CLEO');
      expect(words(data)).toEqual([`state U0CLEO: ${NOTHING_TO_TAKE_BACK}`]);
      expect(data.ballots).toEqual(both.ballots);
      expect(audit).toBeUndefined();
    }
    const reject = [{ ...of('U0ANA'), action: 'reject' as const }];
    expect(words(back(approvalWith({ ballots: reject })).data)).toEqual([
      `state U0ANA: ${NOTHING_TO_TAKE_BACK}`,
    ]);
  });

  test('is too late once a decision uses it, or the request has ended', () => {
    const told = (change: Partial<Approval>) => {
      const { data, audit } = back({ ...both, ...change });
      expect(data.ballots).toEqual(both.ballots);
      expect(audit).toBeUndefined();
      return words(data);
    };
    expect(told({ decision: DECIDING })).toEqual([`state U0ANA: ${said({ code: 'deciding' })}`]);
    expect(told({ withdrawnAt: NOW })).toEqual([`state U0ANA: ${WITHDRAWN_STATE}`]);
    const outcome: Outcome = { status: 'REJECTED', credit: 'none', by: [], learnedAt: NOW };
    for (const change of [{ outcome }, { outcome, withdrawnAt: NOW }]) {
      expect(told(change)).toEqual([`state U0ANA: ${said({ code: 'outcome', outcome })}`]);
    }
  });
});

describe('a press after the outcome', () => {
  const outcome: Outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW };
  const decided = approvalWith({ outcome });

  test.each([
    ['U0BEN', 'approve'],
    ['U0BEN', 'reject'],
    ['U0ANA', 'reject'],
  ] as const)('is told that it came too late: %s, %s', (user, action) => {
    const late = press(decided, user, action);
    expect(late.queue).toEqual([]);
    expect(words(late)).toEqual([`late ${user}: ${said({ code: 'decided', outcome, action })}`]);
  });

  test('is told the outcome even if the request was also withdrawn', () => {
    const late = press({ ...decided, withdrawnAt: NOW }, 'U0BEN', 'approve');
    expect(words(late)).toEqual([
      `late U0BEN: ${said({ code: 'decided', outcome, action: 'approve' })}`,
    ]);
  });

  test('that repeats the decision with this outcome gets no reply', () => {
    expect(press(decided, 'U0ANA', 'approve')).toEqual(decided);
  });
});

describe('a press on Reviewed', () => {
  const asker = { user: 'U0BEN', channel: 'C0PROD' };
  const review = (approval: Approval) => take(approval, { kind: 'reviewed', asker });
  const alone = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;
  const approved: Outcome = { ...alone, self: { by: 'U0ANA' } };

  test('is checked like an approval, once', () => {
    const queue = review(review(approvalWith({ outcome: approved }))).queue;
    expect(queue).toMatchObject([{ user: 'U0BEN', action: 'approve', reviews: true }]);
  });

  test('after another one names who was first', () => {
    const self = { by: 'U0ANA', reviewed: { by: 'U0CLEO', at: NOW } };
    const late = review(approvalWith({ outcome: { ...approved, self } }));
    expect(late.queue).toEqual([]);
    expect(words(late)).toEqual([`state U0BEN: ${said({ code: 'reviewed', by: 'U0CLEO' })}`]);
  });

  // The store lost the approval after the button was shown.
  test('of what nobody has approved alone says how the request is', () => {
    const outcome: Outcome = alone;
    const states = [
      [{}, said({ code: 'waiting' })],
      [{ outcome }, said({ code: 'outcome', outcome })],
      [{ withdrawnAt: NOW }, WITHDRAWN_STATE],
    ] as const;
    for (const [change, text] of states) {
      const told = review(approvalWith(change));
      expect(told.queue).toEqual([]);
      expect(words(told)).toEqual([`state U0BEN: ${text}`]);
    }
  });
});
