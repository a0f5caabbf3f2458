import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { encodeSignal } from '../../src/approvals/decision/signal.ts';
import {
  blockedIn,
  suspendedIn,
  suspensionsOf,
  unshownIn,
  untoldIn,
} from '../../src/approvals/lists.ts';
import type { StepResult } from '../../src/approvals/steps.ts';
import {
  applied,
  applyResult,
  approvalWith,
  attempted,
  NOW,
  plan,
  received,
  termsWith,
  WAITING,
} from './approvals.ts';

const post = {
  kind: 'post',
  post: 'message',
  channel: 'C0PROD',
  state: WAITING,
  plannedAt: NOW,
} as const;
const begun = attempted(
  approvalWith({ posts: [{ name: 'message', channel: 'C0PROD' }], absent: { at: NOW } }),
  post,
  NOW,
);
const refusal: StepResult = {
  kind: 'failed',
  failure: { class: 'refused', code: 'not_in_channel', status: 200 },
};
const posted: StepResult = { kind: 'posted', channel: 'C0PROD', ts: '17.5' };

function ended(approval: Approval, result: StepResult): Approval {
  return applied(approval, post, result);
}

function resumed(approval: Approval, list = blockedIn('C0PROD')): Approval {
  return received(approval, { id: 'woken', at: NOW, body: encodeSignal({ kind: 'resume', list }) });
}

/** The next step, once administrators were alerted. */
function next(approval: Approval) {
  return plan({ ...approval, alerts: [] }, termsWith(), NOW);
}

describe('an approval that Slack refuses to post', () => {
  const blocked = ended(begun, refusal);

  test('is on the list of its channel until it is tried again', () => {
    expect(suspensionsOf(blocked)).toEqual([blockedIn('C0PROD')]);
    expect(next(blocked)).toMatchObject({ kind: 'wait' });
    expect(suspensionsOf(resumed(blocked))).toEqual([]);
    expect(next(resumed(blocked))).toMatchObject({ step: { kind: 'take-slot' } });
  });

  test('is in the audit log with Slack’s error', () => {
    const { audit } = applyResult(begun, post, refusal, termsWith(), NOW);
    const facts = { channel: 'C0PROD', code: 'not_in_channel' };
    expect(audit).toEqual([
      { action: 'approvals.blocked', record: null, actor: 'gatepost', facts },
    ]);
  });

  test('is not resumed while it waits for a slot or is being posted', () => {
    const slot = { kind: 'take-slot', post: 'message', channel: 'C0PROD', plannedAt: NOW } as const;
    const result = { kind: 'slot', waitMs: 900 } as const;
    const turned = applied(resumed(blocked), slot, result);
    const trying = attempted(turned, post, NOW + 900);
    for (const busy of [turned, trying]) {
      expect(suspensionsOf(busy)).toEqual([]);
      expect(resumed(busy)).toEqual(busy);
    }
  });

  test('resumes the next ones once its message is posted or found', () => {
    const trying = attempted(resumed(blocked), post, NOW);
    const found = applied(
      trying,
      { kind: 'find-post', post: 'message', channel: 'C0PROD', plannedAt: NOW },
      posted,
    );
    for (const done of [ended(trying, posted), found]) {
      expect(done.resumes).toEqual([blockedIn('C0PROD'), unshownIn('C0PROD')]);
      expect(suspensionsOf(done)).toEqual([]);
    }
  });

  test('resumes the next ones if a press shows that its message is there', () => {
    const asker = { user: 'U0ANA', channel: 'C0PROD' };
    const body = encodeSignal({ kind: 'ballot', action: 'approve', asker, message: '17.5' });
    const { resumes } = received(blocked, { id: 'press', at: NOW, body });
    expect(resumes).toContain(blockedIn('C0PROD'));
  });

  test('resumes nobody if it is refused again, and returns to the list', () => {
    const again = ended(attempted(resumed(blocked), post, NOW), refusal);
    expect(again).not.toHaveProperty('resumes');
    expect(suspensionsOf(again)).toEqual([blockedIn('C0PROD')]);
  });
});

describe('an outcome that Slack refuses to show', () => {
  const LIST = unshownIn('C0PROD');
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'] } as const;
  const state = { name: 'decided', ...outcome, resolvedAt: null } as const;
  const decided = approvalWith({ outcome: { ...outcome, learnedAt: NOW } });

  function updated(approval: Approval, result: StepResult, now: number): Approval {
    const step = { kind: 'update', state, plannedAt: now } as const;
    return applied(attempted(approval, step, now), step, result, now);
  }

  function refused(approval: Approval, from: number): Approval {
    let data = approval;
    for (let at = 0; at < 12; at += 1) data = updated(data, refusal, from + at * 60_000);
    return { ...data, alerts: [] };
  }

  const unshown = { ...refused(decided, NOW), replies: [] };

  test('is on a list of its channel for a week, without retries', () => {
    expect(suspensionsOf(unshown)).toEqual([LIST]);
    const endAt = NOW + 11 * 60_000 + 7 * 86_400_000;
    const terms = termsWith({ outcomes: { thread: false, channel: null, requester: false } });
    const reply = { name: 'outcome-request', channel: 'C0PROD', failed: 'is_archived' };
    const data = { ...unshown, posts: [...unshown.posts, reply] };
    expect(plan(data, terms, NOW + 12 * 60_000)).toMatchObject({ until: endAt });
    expect(plan(data, terms, endAt)).toMatchObject({ kind: 'finish' });
  });

  test('is shown when it is resumed, and then resumes the next ones', () => {
    const trying = resumed(unshown, LIST);
    expect(suspensionsOf(trying)).toEqual([]);
    expect(next(trying)).toMatchObject({ step: { kind: 'update', state: { name: 'decided' } } });
    const shown = updated(trying, { kind: 'done' }, NOW);
    expect(shown.update).toBeUndefined();
    expect(shown.resumes).toEqual([LIST]);
    expect(resumed(shown, LIST).resumes).toEqual([LIST]);
  });

  test('that is refused again waits again, and nobody is told twice', () => {
    const again = refused(resumed(unshown, LIST), NOW + 86_400_000);
    expect(again).toMatchObject({ replies: [], update: unshown.update });
    expect(again).not.toHaveProperty('resumes');
    expect(suspensionsOf(again)).toEqual([LIST]);
  });

  test('is posted again if its message was deleted, and the next ones are resumed', () => {
    const gone = { class: 'refused', code: 'message_not_found', status: 200 } as const;
    const posted = updated(resumed(unshown, LIST), { kind: 'failed', failure: gone }, NOW);
    expect(posted.update).toEqual({});
    expect(posted.resumes).toEqual([LIST]);
  });
});

test('an approval that is posted at the first attempt resumes nobody and is on no list', () => {
  expect(ended(begun, posted)).not.toHaveProperty('resumes');
  expect(suspensionsOf(ended(begun, posted))).toEqual([]);
  expect(suspensionsOf(begun)).toEqual([]);
});

describe('an announcement that Slack refuses', () => {
  const LIST = untoldIn('C0ALL');
  const shown = { name: 'message', channel: 'C0PROD', ts: '17.1' };
  const announced = { name: 'outcome-channel', channel: 'C0ALL' };
  const step = { ...post, post: announced.name, channel: announced.channel };
  const outcome = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'] } as const;
  const decided = approvalWith({
    outcome: { ...outcome, learnedAt: NOW },
    posts: [shown, announced],
  });
  const fails = (approval: Approval, failure: object, at = NOW): Approval =>
    applied(
      attempted(approval, { ...step, plannedAt: at }, at),
      { ...step, plannedAt: at },
      { kind: 'failed', failure: { class: 'refused', code: 'not_in_channel', ...failure } },
      at,
    );
  const refused = fails(decided, {});
  const told = ({ posts }: Approval) => posts.find(({ name }) => name === announced.name);

  test('is tried again, for a week', () => {
    expect(told(refused)).toMatchObject({ refused: 'not_in_channel', notBefore: NOW + 60_000 });
    expect(told(refused)).not.toHaveProperty('failed');
    const later = fails(refused, {}, NOW + 8 * 86_400_000);
    expect(told(later)).toMatchObject({ failed: 'not_in_channel' });
    expect(suspensionsOf(later)).toEqual([]);
  });

  test('is not tried again where nobody can read it, or where another one takes its place', () => {
    expect(told(fails(decided, { code: 'user_disabled' }))).toHaveProperty('failed');
    const [, kept] = applied(
      attempted(
        approvalWith({ posts: [shown, { name: 'outcome-request', channel: 'C0PROD' }] }),
        { ...post, post: 'outcome-request' },
        NOW,
      ),
      { ...post, post: 'outcome-request' },
      refusal,
    ).posts;
    expect(kept).toHaveProperty('failed');
  });

  test('is on the list of its channel, and tried at once when it is resumed', () => {
    expect(suspensionsOf(refused)).toEqual([LIST]);
    expect(suspendedIn('C0ALL')).toContain(LIST);
    const trying = resumed(refused, LIST);
    expect(told(trying)).not.toHaveProperty('notBefore');
    expect(suspensionsOf(trying)).toEqual([]);
    const done = applied(attempted(trying, step, NOW), step, { ...posted, channel: 'C0ALL' });
    expect(told(done)).toMatchObject({ ts: '17.5' });
    // Where it is posted, messages can be changed as well: nobody else may have said so.
    expect(done.resumes).toEqual([LIST, unshownIn('C0ALL')]);
    // What waits for Slack's own limit is not hurried.
    const limited = { ...decided, posts: [shown, { ...announced, notBefore: NOW + 60_000 }] };
    expect(resumed(limited, LIST)).toEqual({ ...limited, resumes: [LIST] });
  });

  test('is reported to administrators less and less often', () => {
    const reports = (tries: number) => {
      const before = { ...announced, tries, refused: 'not_in_channel' };
      const approval = attempted({ ...decided, posts: [shown, before], alerts: [] }, step, NOW);
      return applied(approval, step, refusal).alerts?.length ?? 0;
    };
    expect([0, 1, 2, 3, 4, 7].map(reports)).toEqual([1, 1, 0, 1, 0, 1]);
  });
});
