import { describe, expect, test } from 'vitest';
import type { Approval, Reply } from '../../src/approvals/approval.ts';
import type { ApprovalCore } from '../../src/approvals/decision/approval-core.ts';
import { encodeSignal } from '../../src/approvals/decision/signal.ts';
import { lostUntil } from '../../src/approvals/decision/store-rewind.ts';
import { learnOutcome } from '../../src/approvals/decision/transitions.ts';
import type { StepResult } from '../../src/approvals/steps.ts';
import {
  type MessageState,
  messageStateOf,
  stateKey,
} from '../../src/approvals/tell/message/message-state.ts';
import { dueAnnouncements, post as posting } from '../../src/approvals/tell/post.ts';
import { dueUpdate, update } from '../../src/approvals/tell/update.ts';
import { FRESH_MS } from '../../src/core/engine/attempt.ts';
import { type FailureFacts, RemoteFailure } from '../../src/core/lib/failure.ts';
import { systemTimers } from '../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { Post } from '../../src/core/posts/post.ts';
import { duePost, SEEKS_MAX } from '../../src/core/posts/post.ts';
import type { Outbox } from '../../src/core/slack/outbox.ts';
import type { Store } from '../../src/core/store/store.ts';
import { coreWith } from '../support/core-with.ts';
import { fake } from '../support/fake.ts';
import {
  applied,
  applyResult,
  approvalWith,
  attempted,
  LINKS,
  NO_STEPS,
  NOW,
  plan,
  received,
  routeWith,
  termsWith,
  WAITING,
} from './approvals.ts';

function updated(
  approval: Approval,
  result: StepResult,
  now = NOW,
  state: MessageState = WAITING,
): Approval {
  const step = { kind: 'update', state, plannedAt: now } as const;
  return applied(attempted(approval, step, now), step, result, now);
}

const failed = (facts: Partial<FailureFacts>): StepResult => ({
  kind: 'failed',
  failure: { class: 'refused', code: 'x', status: 200, ...facts },
});

describe('an update of the message', () => {
  test('that worked is recorded as shown', () => {
    const { shown, update } = updated(approvalWith(), { kind: 'done' });
    expect(shown).toBe(stateKey(WAITING));
    expect(update).toBeUndefined();
  });

  test('that Slack rate-limits waits as long as Slack says', () => {
    const { update } = updated(approvalWith(), failed({ status: 429, retryAfterMs: 7_000 }));
    expect(update).toEqual({ notBefore: NOW + 7_000 });
  });

  test('without a clear result is repeated soon, and once more later', () => {
    const { update } = updated(approvalWith(), failed({ class: 'ambiguous' }));
    expect(update).toEqual({ tries: 1, notBefore: NOW + 500, againAt: NOW + 30_000 });
  });

  test('of a dead process may arrive late, so it is repeated', () => {
    const step = { kind: 'update', state: WAITING, plannedAt: NOW } as const;
    const again = attempted(attempted(approvalWith(), step, NOW), step, NOW + 12_000);
    expect(again.update?.againAt).toBe(NOW + 37_000);
  });

  test('is repeated once what was in flight has arrived, if the store went back just now', () => {
    const step = { kind: 'update', state: WAITING, plannedAt: NOW } as const;
    const terms = { ...termsWith(), wentBackAt: NOW + 1 };
    const lateUntil = NOW + 1 + 37_000;
    const shownAt = (now: number, createdAt = NOW) => {
      const tried = attempted({ ...approvalWith(), createdAt }, step, NOW);
      return update.apply(tried, step, { kind: 'done' }, terms, now).data;
    };
    const shown = shownAt(NOW + 2);
    expect(shown.update).toEqual({ againAt: lateUntil });
    expect(plan(shown, terms, NOW + 3)).toMatchObject({ kind: 'wait' });
    const again = dueUpdate(shown, terms, lateUntil);
    expect(again).toMatchObject({ kind: 'update', state: WAITING });
    expect(shownAt(lateUntil).update).toBeUndefined();
    expect(shownAt(NOW + 2, NOW + 2).update).toBeUndefined();
  });

  test('that Slack refuses is retried for minutes and then given up, for this state only', () => {
    let approval = approvalWith();
    let now = NOW;
    while (approval.update?.gaveUpOn === undefined) {
      approval = updated(approval, failed({}), now);
      now = approval.update?.notBefore ?? now;
    }
    expect(now - NOW).toBeGreaterThan(3 * 60_000);
    const ballots = [{ user: 'U0BEN', action: 'approve', at: NOW }] as const;
    expect(plan({ ...approval, ballots }, termsWith({ quorum: 2 }), now)).toMatchObject({
      step: { kind: 'update' },
    });
  });
});

describe('a message that Slack refuses to update', () => {
  function givenUp(approval: Approval, state: MessageState): Approval {
    let data = approval;
    for (let now = NOW; data.update?.gaveUpOn === undefined; now += 60_000) {
      data = updated(data, failed({}), now, state);
    }
    return data;
  }

  test.each([
    { kind: 'check' },
    { kind: 'check', asker: { user: 'U0BEN', channel: 'C0PROD' }, message: '17.1' },
    {
      kind: 'ballot',
      action: 'approve',
      asker: { user: 'U0BEN', channel: 'C0PROD' },
      message: '17.1',
    },
  ] as const)('is tried again at the next press or check', (body) => {
    const given = givenUp(approvalWith(), WAITING);
    expect(plan(given, termsWith(), NOW)).toMatchObject({ kind: 'wait' });
    const signal = { id: 's1', at: NOW, body: encodeSignal(body) };
    const data = received(given, signal);
    expect(plan(data, termsWith(), NOW)).toMatchObject({ step: { kind: 'update' } });
    expect(updated(data, failed({})).update).toMatchObject({ tries: 1 });
  });

  test('leads to a direct message with the outcome to everybody who decided', () => {
    const decided = { status: 'APPROVED', credit: 'certain', by: ['U0ANA', 'U0BEN'] } as const;
    const approval = approvalWith({ outcome: { ...decided, learnedAt: NOW } });
    const { replies } = givenUp(approval, { name: 'decided', ...decided, resolvedAt: null });
    expect(replies.map(({ user, via }) => `${user} ${via}`)).toEqual([
      'U0ANA direct',
      'U0BEN direct',
    ]);
    expect(replies[0]?.text).toBe(
      '<request> was approved by <@U0ANA> and <@U0BEN>. Slack does not let Gatepost change its message in <#C0PROD>.',
    );
    expect(givenUp(approvalWith(), WAITING).replies).toEqual([]);
  });
});

describe('a message that is not posted yet', () => {
  const checked = (post: Partial<Post>) => {
    const posts = [{ name: 'message', channel: 'C0PROD', notBefore: NOW + 9_000, ...post }];
    const signal = { id: 's1', at: NOW, body: encodeSignal({ kind: 'check' }) };
    const data = received(approvalWith({ posts, absent: { at: NOW } }), signal);
    return plan({ ...data, watch: { state: 'pending', nextAt: NOW + 15_000 } }, termsWith(), NOW);
  };

  test('is tried again at a check', () => {
    expect(checked({ tries: 1 })).toMatchObject({ step: { kind: 'take-slot' } });
  });

  test('waits as long as Slack says while it is searched for, even at a check', () => {
    const attempt = { plannedAt: NOW - 9_000, mustEndBy: NOW - 2_000 };
    expect(checked({ attempt })).toMatchObject({ kind: 'wait', until: NOW + 9_000 });
  });

  test('waits for its rate-limit slot, even at a check', () => {
    expect(checked({ slot: true })).toMatchObject({ kind: 'wait', until: NOW + 9_000 });
  });
});

describe('a deleted message', () => {
  const gone = failed({ code: 'message_not_found' });
  const outcome = { status: 'APPROVED', credit: 'none', by: [], learnedAt: NOW } as const;

  test('is posted again with its replies while the request is open', () => {
    const reply = { name: 'overflow-1', channel: 'C0PROD', ts: '17.2' };
    const posts = [...approvalWith().posts, reply];
    const again = updated(approvalWith({ posts }), gone);
    expect(again.posts).toEqual([{ name: 'message', channel: 'C0PROD', gone: ['17.1'] }]);
    const present = { name: 'message', channel: 'C0PROD', ts: '18.1', gone: ['17.1'] };
    const refused = { name: 'outcome-thread', channel: 'C0PROD', tries: 1 };
    const without = { ...again, posts: [present, { ...refused, failed: 'thread_not_found' }] };
    expect(updated({ ...without, outcome }, gone).posts).toMatchObject([{ name: 'message' }]);
    const over = updated({ ...again, posts: [present] }, gone);
    expect(over.posts).toMatchObject([{ gone: ['17.1', '18.1'], failed: 'message_not_found' }]);
  });

  test('is also assumed if Slack does not allow updates: each new state is posted as a new message', () => {
    const closed = failed({ code: 'edit_window_closed' });
    let approval = approvalWith();
    for (let progress = 1; progress <= 4; progress += 1) {
      approval = updated(approval, closed);
      const [message] = approval.posts;
      expect(message).toMatchObject({ name: 'message', channel: 'C0PROD' });
      expect(message).not.toHaveProperty('failed');
      expect(message?.gone).toHaveLength(progress);
      approval = {
        ...approval,
        posts: [{ name: 'message', channel: 'C0PROD', ...message, ts: `18.${progress}` }],
      };
    }
    // A deletion is handled differently.
    const [deleted] = updated(approval, gone).posts;
    expect(deleted).toMatchObject({ gone: { length: 5 } });
    expect(deleted).not.toHaveProperty('failed');
  });

  test('is noticed when a reply to it is refused', () => {
    const shown = stateKey(WAITING);
    const post = 'overflow-1';
    const step = { kind: 'post', post, channel: 'C0PROD', state: WAITING, plannedAt: NOW } as const;
    const refused = (code: string) => {
      const begun = attempted(approvalWith({ shown }), step, NOW);
      return applied(begun, step, failed({ code }));
    };
    expect(refused('cannot_reply_to_message')).not.toHaveProperty('shown');
    expect(refused('is_archived')).toMatchObject({ shown });
  });

  test('is posted again once there is an outcome', () => {
    const present = { name: 'message', channel: 'C0PROD', ts: '18.1', gone: ['17.1'] };
    const again = updated(approvalWith({ outcome, posts: [present] }), gone);
    expect(again.posts).toEqual([{ name: 'message', channel: 'C0PROD', gone: ['17.1', '18.1'] }]);
  });
});

describe('what the store may have lost', () => {
  const terms = { ...termsWith(), servingSince: NOW + 1 };
  const outcome = { status: 'APPROVED', credit: 'none', by: [], learnedAt: NOW } as const;
  const approval = approvalWith({ outcome });
  const recall = { kind: 'recall' } as const;
  const recalled = (result: StepResult) => applyResult(approval, recall, result, terms, NOW).data;
  const next = (data: Approval, now = NOW) => plan(data, terms, now);

  test('is read from the message before an outcome without names is shown', () => {
    expect(next(approval)).toEqual({ kind: 'step', step: recall });
    expect(plan(approval, termsWith(), NOW)).toMatchObject({ step: { kind: 'update' } });
    const timedOut = { ...outcome, status: 'TIMED_OUT' } as const;
    expect(next(approvalWith({ outcome: timedOut }))).toMatchObject({ step: { kind: 'update' } });
  });

  test('is credited as the message says, and the message is left as it is', () => {
    const named = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'] } as const;
    const known = recalled({ kind: 'recalled', named, isShown: true });
    expect(known.outcome).toEqual({ ...outcome, credit: 'certain', by: ['U0ANA'] });
    const find = { step: { kind: 'find-post', post: 'outcome-request' } };
    expect(next(known, NOW + 1)).toMatchObject(find);
    const overwritten = recalled({ kind: 'recalled', named, isShown: false });
    expect(overwritten.outcome).toEqual(known.outcome);
    expect(next(overwritten)).toMatchObject({ step: { kind: 'update' } });
  });

  test('is shown without names if the message names nobody, or has another outcome', () => {
    const other = { status: 'REJECTED', credit: 'certain', by: ['U0ANA'] } as const;
    for (const named of [null, other]) {
      const known = recalled({ kind: 'recalled', named, isShown: true });
      expect(known.outcome).toEqual(outcome);
      expect(next(known)).toMatchObject({ step: { kind: 'update' } });
    }
    expect(next(recalled(failed({ code: 'missing_scope' })))).toMatchObject({
      step: { kind: 'update' },
    });
  });

  test('is read again from the message that was posted in the place of a deleted one', () => {
    const silent = recalled({ kind: 'recalled', named: null, isShown: false });
    const again = updated(silent, failed({ code: 'message_not_found' }));
    const [message] = again.posts;
    const found = { ...again, posts: [{ ...message, name: 'message', ts: '18.1' }] };
    expect(next(found)).toEqual({ kind: 'step', step: recall });
  });

  test('is read again if Slack could not be read, and nothing is announced in the meantime', () => {
    const limited = recalled(failed({ status: 429, retryAfterMs: 7_000 }));
    expect(next(limited)).toMatchObject({ kind: 'wait', until: NOW + 7_000 });
    expect(next(limited, NOW + 7_000)).toEqual({ kind: 'step', step: recall });
  });

  test('is read before “being decided” is shown in a message that may already show the outcome', () => {
    const rewound = approvalWith({
      watch: { state: 'pending', nextAt: NOW + 900_000, checkedAt: NOW },
      decision: {
        action: 'approve',
        by: 'U0ANA',
        at: NOW - 4_000,
        asker: { user: 'U0ANA', channel: 'C0PROD', at: NOW - 4_000 },
        phase: {
          name: 'sending',
          sends: { notSent: 0, limited: 0, ambiguous: 0 },
          attempt: { plannedAt: NOW - 3_000, mustEndBy: NOW + 2_000 },
        },
      },
    });
    expect(plan(rewound, termsWith(), NOW)).toMatchObject({ step: { kind: 'update' } });
    expect(next(rewound)).toMatchObject({ step: { kind: 'read-status', why: 'settle' } });
  });

  test('leads to a read of the status before a message that may show more is updated', () => {
    const rewound = approvalWith({
      watch: { state: 'pending', nextAt: NOW + 900_000, checkedAt: NOW },
    });
    expect(next(rewound, NOW + 1)).toMatchObject({ step: { kind: 'read-status', why: 'watch' } });
    const remind = { ...terms, route: routeWith({ remind: { afterMs: 1, times: 1 } }) };
    const shown = { ...rewound, shown: stateKey(WAITING), absent: { at: NOW + 2 } };
    expect(plan(shown, remind, NOW + 2)).toMatchObject({ kind: 'wait', until: NOW + 900_000 });
    const tried = { ...rewound, watch: { ...rewound.watch, tries: 1, nextAt: NOW + 500 } };
    expect(next(tried, NOW + 1)).toMatchObject({ kind: 'wait', until: NOW + 500 });
    const read = { kind: 'read-status', why: 'watch', deadlineMs: 1, plannedAt: NOW + 1 } as const;
    const answer = { status: 'PENDING', raw: null, resolvedAt: null } as const;
    const known = applyResult(rewound, read, { kind: 'status', answer }, terms, NOW + 1).data;
    expect(next(known, NOW + 1)).toMatchObject({ step: { kind: 'update' } });
  });

  test('includes the message: it is searched for, and posted if it is not found or cannot be searched for', () => {
    const posts = [{ name: 'message', channel: 'C0PROD' }];
    const asked = approvalWith({ posts, absent: { at: NOW } });
    const plannedAt = NOW + 1;
    const find = { kind: 'find-post', post: 'message', channel: 'C0PROD', plannedAt } as const;
    expect(next(asked, plannedAt)).toEqual({ kind: 'step', step: find });
    const sought = (from: Approval, result: StepResult) =>
      applyResult(from, find, result, terms, NOW).data;
    const slot = { kind: 'step', step: { kind: 'take-slot', post: 'message', channel: 'C0PROD' } };
    expect(next(sought(asked, { kind: 'not-found' }))).toMatchObject(slot);
    expect(next(sought(asked, failed({ code: 'missing_scope' })))).toMatchObject(slot);
    const found = sought(asked, { kind: 'posted', channel: 'C0PROD', ts: '17.9' });
    expect(found.posts).toEqual([{ name: 'message', channel: 'C0PROD', ts: '17.9' }]);
    let unclear = asked;
    for (let tries = 0; tries < SEEKS_MAX; tries += 1) {
      unclear = sought(unclear, failed({ class: 'ambiguous' }));
    }
    expect(next(unclear, NOW + 60_000)).toMatchObject(slot);
    const again = { ...terms, servingSince: NOW + 2 };
    const waiting = sought(asked, { kind: 'not-found' });
    expect(plan(waiting, again, NOW + 2)).toMatchObject({ step: { kind: 'find-post' } });
  });

  describe('an announcement', () => {
    const { stepMs } = terms.timing;
    /**
     * The announcements after the update of an approval that was decided when the service had last said PENDING at
     * `openAt`.
     */
    function afterwards(openAt: number, { isOwn = false, servingSince = NOW + 1 } = {}) {
      const before = approvalWith({
        ...(isOwn && { key: 'k' }),
        watch: { state: 'pending', nextAt: NOW + 900_000, checkedAt: openAt },
      });
      const learned = { status: 'APPROVED', resolvedAt: null, how: 'confirmed' } as const;
      const credited = { credit: 'certain', by: ['U0ANA'] } as const;
      const at = openAt + 500;
      const { data } = learnOutcome(before, { ...learned, credited }, at);
      const key = stateKey(messageStateOf(data, terms, at));
      const [first] = dueAnnouncements({ ...data, shown: key }, { ...terms, servingSince }, at);
      return first;
    }

    test('is not searched for if the service said PENDING after this process started to write', () => {
      expect(afterwards(NOW + 2 + stepMs)).toMatchObject({ kind: 'take-slot' });
    });

    test('is searched for if that read was earlier, or may have started earlier', () => {
      expect(afterwards(NOW)).toMatchObject({ kind: 'find-post' });
      expect(afterwards(NOW + 1 + stepMs)).toMatchObject({ kind: 'find-post' });
    });

    test('is searched for if the store went back since', () => {
      const openAt = NOW + 2 + stepMs;
      const servingSince = openAt + 100;
      expect(afterwards(openAt, { servingSince })).toMatchObject({ kind: 'find-post' });
    });

    test('is searched for with an own gate, which only the store knows', () => {
      expect(afterwards(NOW + 2 + stepMs, { isOwn: true })).toMatchObject({ kind: 'find-post' });
    });
  });

  test('includes a withdrawn request’s message: it is searched for, and not posted if it is not found', () => {
    const posts = [{ name: 'message', channel: 'C0PROD' }];
    const withdrawn = approvalWith({ posts, withdrawnAt: NOW });
    const plannedAt = NOW + 1;
    const find = { kind: 'find-post', post: 'message', channel: 'C0PROD', plannedAt } as const;
    expect(next(withdrawn, plannedAt)).toEqual({ kind: 'step', step: find });
    expect(plan(withdrawn, termsWith(), NOW)).toMatchObject({ kind: 'finish' });
    const sought = (result: StepResult) =>
      applyResult(withdrawn, find, result, terms, terms.servingSince).data;
    expect(next(sought({ kind: 'not-found' }))).toMatchObject({ kind: 'finish' });
    const found = sought({ kind: 'posted', channel: 'C0PROD', ts: '17.9' });
    expect(next(found)).toMatchObject({ step: { kind: 'update', state: { name: 'withdrawn' } } });
  });

  test('is searched for from the time of the attempt, in a channel with many messages since the request', async () => {
    const searches: { sinceAt: number }[] = [];
    const outbox = fake<Outbox>({
      findByMetadata: async (search) => {
        searches.push(search);
        return undefined;
      },
    });
    const DAY = 86_400_000;
    const attempt = { plannedAt: NOW + 4 * DAY, mustEndBy: NOW + 4 * DAY };
    const tried = { name: 'outcome-channel', channel: 'C0ALL', attempt };
    const asked = approvalWith({ posts: [...approvalWith().posts, tried] });
    for (const [post, channel] of [
      ['outcome-channel', 'C0ALL'],
      ['outcome-thread', 'C0PROD'],
    ] as const) {
      const step = { kind: 'find-post', post, channel, plannedAt: NOW } as const;
      await posting.execute(coreWith({ ...NO_STEPS, outbox }), '0-abc', asked, step);
    }
    expect(searches).toMatchObject([{ sinceAt: NOW + 4 * DAY - 600_000 }, { sinceAt: NOW }]);
  });

  test('is searched for only after calls in flight have ended, if the store went back just now', () => {
    const { stepMs, quietMs } = terms.timing;
    const arrivedBy = NOW + 1 + FRESH_MS + stepMs + quietMs;
    const wentBack = { ...terms, wentBackAt: NOW + 1 };
    const lost = lostUntil(approval, wentBack);
    expect(lost).toBe(arrivedBy);
    expect(lostUntil(approval, terms)).toBe(NOW + 1);
    expect(lostUntil({ ...approval, createdAt: NOW + 2 }, wentBack)).toBe(0);
    const post = { name: 'message', channel: 'C0PROD' };
    expect(duePost(post, NOW + 2, lost)).toBe(arrivedBy);
    expect(duePost({ ...post, soughtAt: NOW + 2 }, NOW + 3, lost)).toBe(arrivedBy);
    expect(duePost(post, arrivedBy, lost)).toBe('find');
    expect(duePost({ ...post, soughtAt: arrivedBy }, arrivedBy, lost)).toBe('slot');
  });
});

describe('the requester’s address', () => {
  const step = { kind: 'identify-requester', index: 0 } as const;
  const email = 'rita@example.com';
  const afterLookup = (approval: Approval, status: number) => {
    const result = failed({ code: 'ratelimited', status, retryAfterMs: 30_000 });
    return applyResult(approval, step, result, { ...termsWith(), random: () => 0.5 }, NOW).data;
  };

  test('is looked up once before the message, and later as often as Slack allows', () => {
    const first = afterLookup(approvalWith({ requester: { email, lookups: 0 } }), 429);
    expect(first.requester).toMatchObject({ lookups: 1, notBefore: NOW + 45_000 });
    let many = first;
    for (let times = 0; times < 20; times += 1) many = afterLookup(many, 429);
    expect(many.requester).toEqual(first.requester);
  });
});

describe('a reply', () => {
  const owed: Reply = {
    id: '1',
    user: 'U0ANA',
    channel: 'C0PROD',
    at: NOW,
    responseUrl: 'sealed',
    about: 'state',
    text: 'It has timed out.',
    via: 'url',
  };
  const delivered = (owe: Reply, result: StepResult) =>
    applyResult(
      approvalWith({ replies: [owe] }),
      { kind: 'reply', reply: '1', via: owe.via },
      result,
      termsWith(),
      NOW,
    );
  const told = (owe: Reply, result: StepResult) => delivered(owe, result).data.replies[0];

  test('that was delivered is removed', () => {
    expect(told(owed, { kind: 'done', text: 'It has timed out.' })).toBeUndefined();
  });

  test.each<[Reply['via'], Reply['via']]>([
    ['url', 'ephemeral'],
    ['ephemeral', 'direct'],
  ])('that fails by %s goes by %s', (via, next) => {
    expect(told({ ...owed, via }, failed({}))).toEqual({ ...owed, via: next });
    expect(told({ ...owed, via }, failed({ class: 'ambiguous' }))).toEqual({ ...owed, via: next });
  });

  test('is in the audit log verbatim once it is delivered, and not before', () => {
    const text = `*Deploy*: ${'long '.repeat(400)}`;
    const { audit } = delivered(owed, { kind: 'done', text });
    const facts = { user: 'U0ANA', about: 'state', via: 'url', text: text.slice(0, 1_000) };
    expect(audit).toEqual([{ action: 'approvals.told', record: null, actor: 'gatepost', facts }]);
    expect(delivered(owed, failed({})).audit).toBeUndefined();
  });

  test('that was not sent is retried the same way a few times', () => {
    const again = told(owed, failed({ class: 'not-sent' }));
    expect(again).toEqual({ ...owed, tries: 1, notBefore: NOW + 500 });
    expect(told({ ...owed, tries: 3 }, failed({ class: 'not-sent' }))?.via).toBe('ephemeral');
  });

  test('is kept while Slack is away, however long', () => {
    const last: Reply = { ...owed, via: 'direct', tries: 500 };
    for (const failure of [{ class: 'not-sent' }, { class: 'ambiguous' }] as const) {
      expect(told(last, failed(failure))).toMatchObject({ via: 'direct', notBefore: NOW + 60_000 });
    }
  });

  test('that Slack refuses on the last way is given up', () => {
    expect(told({ ...owed, via: 'direct' }, failed({}))).toBeUndefined();
  });
});

test('an outcome that becomes known after a week is still posted if the message never was', () => {
  const post = { name: 'message', channel: 'C0PROD', tries: 9 };
  const weekLater = NOW + 8 * 86_400_000;
  const waiting = approvalWith({
    posts: [post],
    watch: { state: 'pending', nextAt: 0, ended: true },
  });
  expect(plan(waiting, termsWith(), weekLater)).toMatchObject({ kind: 'finish' });
  const outcome = { status: 'TIMED_OUT', credit: 'none', by: [], learnedAt: weekLater } as const;
  expect(plan({ ...waiting, outcome }, termsWith(), weekLater)).toMatchObject({
    step: { kind: 'take-slot', post: 'message' },
  });
});

describe('an update that states an outcome again, after a restart', () => {
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0BEN'], learnedAt: NOW } as const;
  const step = (approval: Approval) =>
    ({
      kind: 'update',
      state: messageStateOf(approval, termsWith(), NOW),
      plannedAt: NOW,
    }) as const;

  async function shownWith(
    found: object | Error,
    change: Partial<Approval> = {},
    servingSince = NOW + 1,
  ) {
    const sent: unknown[] = [];
    const approval = approvalWith({ outcome, ...change });
    const core = coreWith({
      ...NO_STEPS,
      config: { routes: [routeWith()], sources: [], service: null },
      links: LINKS,
      timing: TRUE_TIME,
      timers: systemTimers,
      store: fake<Store>({ now: () => NOW, servingSince: () => servingSince }),
      outbox: fake<Outbox>({
        update: async ({ metadata }) => void sent.push(metadata?.claim),
        async readMessage() {
          if (found instanceof Error) throw found;
          // as: nothing else is read
          return { metadata: found } as Awaited<ReturnType<Outbox['readMessage']>>;
        },
      }),
    });
    const { kind } = await update.execute(
      core as unknown as ApprovalCore,
      '0-abc',
      approval,
      step(approval),
    );
    return [kind, ...sent];
  }
  const claimed = { record: '0-abc', status: 'APPROVED', claim: 'run-1' };

  test('keeps the claim of a run that the store may have lost', async () => {
    expect(await shownWith(claimed)).toEqual(['done', 'run-1']);
    // Another message, another outcome, no message.
    expect(await shownWith({ ...claimed, record: '0-xyz' })).toEqual(['done', undefined]);
    expect(await shownWith({ ...claimed, status: 'REJECTED' })).toEqual(['done', undefined]);
  });

  test('waits for Slack to show the message, but not in a channel that it cannot read', async () => {
    const silent = new RemoteFailure('silent', { class: 'ambiguous', code: 'timeout' });
    expect(await shownWith(silent)).toEqual(['failed']);
    const refused = new RemoteFailure('no', { class: 'refused', code: 'missing_scope' });
    expect(await shownWith(refused)).toEqual(['done', undefined]);
  });

  test('does not read the message where the record knows the claim, or is new', async () => {
    const unread = new Error('it was read');
    expect(await shownWith(unread, {}, 0)).toEqual(['done', undefined]);
    const result = { reports: [{ state: 'running', at: NOW }], claim: 'run-2' } as const;
    expect(await shownWith(unread, { result })).toEqual(['done', 'run-2']);
  });
});
