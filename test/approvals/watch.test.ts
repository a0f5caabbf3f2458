import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { statusOf } from '../../src/approvals/intake-contract.ts';
import { messageStateOf, stateKey } from '../../src/approvals/message/message-state.ts';
import { plan } from '../../src/approvals/plan.ts';
import { type ApprovalSignal, encodeSignal } from '../../src/approvals/receive.ts';
import type { StepResult } from '../../src/approvals/steps/steps.ts';
import { suspensionsOf, UNAUTHORIZED } from '../../src/approvals/suspension.ts';
import { toldWithdrawn } from '../../src/approvals/transitions.ts';
import type { FailureFacts } from '../../src/core/lib/failure.ts';
import { applied, approvalWith, DECIDING, NOW, received, termsWith } from './approvals.ts';

const OLD = NOW + 8 * 86_400_000;
const asker = { user: 'U0ANA', channel: 'C0PROD' };

/** What is next once the message shows the present state and administrators know. */
function next(approval: Approval, now: number) {
  return plan({ ...approval, shown: shownNow(approval, now), alerts: [] }, termsWith(), now);
}

function shownNow(approval: Approval, now = NOW): string {
  return stateKey(messageStateOf(approval, termsWith(), now));
}

function take(approval: Approval, body: ApprovalSignal, at = NOW): Approval {
  const signal = { id: 's1', at, body: encodeSignal(body) };
  return received(approval, signal);
}

function afterRead(
  approval: Approval,
  failure: FailureFacts | 'PENDING' | 'REJECTED' | 'UNKNOWN',
  now = NOW,
) {
  const step = { kind: 'read-status', why: 'watch', deadlineMs: 5_000, plannedAt: now } as const;
  const result =
    typeof failure === 'string'
      ? ({ kind: 'status', answer: { status: failure, raw: null, resolvedAt: null } } as const)
      : ({ kind: 'failed', failure } as const);
  return applied(approval, step, result, now);
}

describe('nobody has decided here', () => {
  test('the service is asked in the background when its time has come', () => {
    const { nextAt } = approvalWith().watch;
    expect(next(approvalWith(), NOW)).toEqual({ kind: 'wait', until: nextAt, lane: 'background' });
    expect(next(approvalWith(), nextAt)).toMatchObject({
      step: { kind: 'read-status', why: 'watch' },
    });
  });

  test('the budget gives a poll its turn, which holds for that poll alone', () => {
    const step = { kind: 'read-status', why: 'watch', deadlineMs: 5_000, plannedAt: NOW } as const;
    const held = applied(approvalWith(), step, { kind: 'slot', waitMs: 700 });
    expect(held.watch).toMatchObject({ nextAt: NOW + 700, slot: true });
    expect(afterRead(held, 'PENDING').watch).not.toHaveProperty('slot');
    expect(afterRead(held, { class: 'ambiguous', code: 'timeout' }).watch).not.toHaveProperty(
      'slot',
    );
  });

  test("an automation's check waits for no slot of the budget", () => {
    const asked = take(approvalWith(), { kind: 'check' }, NOW + 1);
    expect(asked.watch).toMatchObject({ nextAt: NOW + 1, slot: true });
    expect(afterRead(asked, 'PENDING').watch).not.toHaveProperty('slot');
  });

  describe('Check now', () => {
    const press = (approval: Approval, user: string, at: number) =>
      take(approval, { kind: 'check', asker: { user, channel: 'C0PROD' } }, at);
    const reads = (approval: Approval, at: number) => next(approval, at).kind === 'step';
    const told = ({ replies }: Approval) => replies.map(({ user, text }) => `${user}: ${text}`);
    const waits = '<request> still needs a decision.';
    const first = afterRead(press(approvalWith(), 'U0ANA', NOW), 'PENDING', NOW + 1);

    test('is one read in ten seconds: who presses later gets the answer that is there', () => {
      expect(told(first)).toEqual([`U0ANA: ${waits}`]);
      const second = press(first, 'U0BEN', NOW + 9_999);
      expect(reads({ ...second, replies: [] }, NOW + 9_999)).toBe(false);
      expect(told(second)).toEqual([`U0ANA: ${waits}`, `U0BEN: ${waits}`]);
      const again = press({ ...second, replies: [] }, 'U0BEN', NOW + 9_999);
      expect(told(again)).toEqual([`U0BEN: ${waits}`]);
      expect(reads(press({ ...second, replies: [] }, 'U0BEN', NOW + 10_000), NOW + 10_000)).toBe(
        true,
      );
    });

    test('is answered by the read that is on its way', () => {
      const both = press(press(approvalWith(), 'U0ANA', NOW), 'U0BEN', NOW + 1);
      const thrice = press(both, 'U0ANA', NOW + 2);
      expect(told(afterRead(thrice, 'PENDING', NOW + 3))).toEqual([
        `U0BEN: ${waits}`,
        `U0ANA: ${waits}`,
      ]);
    });

    test('says what was read last, whatever that was', () => {
      const unknown = afterRead(press(approvalWith(), 'U0ANA', NOW), 'UNKNOWN', NOW + 1);
      const [reply] = press({ ...unknown, replies: [] }, 'U0BEN', NOW + 2).replies;
      expect(reply).toMatchObject({ user: 'U0BEN', text: unknown.replies[0]?.text });
    });

    test('outside the channel reads nothing, and is nobody else’s answer', () => {
      const step = {
        kind: 'read-status',
        why: 'watch',
        deadlineMs: 5_000,
        plannedAt: NOW,
      } as const;
      const asked = press(approvalWith(), 'U0GUS', NOW);
      const refused = applied(asked, step, { kind: 'refused-check', outside: ['U0GUS'] }, NOW + 1);
      expect(told(refused)).toEqual([
        'U0GUS: <request> was not checked, because you are not in <#C0PROD>. Join the channel, then press Check now again.',
      ]);
      const quiet = { ...refused, replies: [] };
      expect(next(quiet, NOW + 1)).toMatchObject({ until: approvalWith().watch.nextAt });
      // They may have joined the channel, as they were told to.
      expect(reads(press(quiet, 'U0GUS', NOW + 2), NOW + 2)).toBe(true);
      const inside = press(quiet, 'U0ANA', NOW + 2);
      expect(reads(inside, NOW + 2)).toBe(true);
      const mixed = press(press(approvalWith(), 'U0GUS', NOW), 'U0ANA', NOW);
      const result = { kind: 'status', answer: { status: 'PENDING', raw: null, resolvedAt: null } };
      const both = applied(mixed, step, { ...result, outside: ['U0GUS'] } as StepResult, NOW + 1);
      expect(told(both)).toEqual([expect.stringContaining('U0GUS: '), `U0ANA: ${waits}`]);
    });
  });

  test('a silent service is tried a few times, and then called silent', () => {
    let approval = approvalWith();
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const waits: number[] = [];
    for (let now = NOW; approval.watch.stale !== true; now = approval.watch.nextAt) {
      approval = afterRead(approval, failure, now);
      waits.push(approval.watch.nextAt - now);
    }
    expect(waits.slice(0, 3)).toEqual([500, 1_000, 2_000]);
    expect(waits).toHaveLength(4);
    expect(afterRead(approval, 'PENDING').watch).not.toHaveProperty('stale');
  });

  const refusal = (status: number, detail?: string): FailureFacts => ({
    class: 'refused',
    code: `http_${status}`,
    status,
    ...(detail !== undefined && { detail }),
  });

  test.each([401, 403])(
    'a service that answers %i is asked no more until somebody asks',
    (status) => {
      const denied = afterRead(approvalWith(), refusal(status));
      expect(messageStateOf(denied, termsWith(), NOW)).toMatchObject({
        trouble: { why: 'denied', status },
        unwatched: true,
      });
      expect(next(denied, NOW + 3_600_000)).toEqual({
        kind: 'wait',
        until: NOW + termsWith().watchMaxAgeMs,
        lane: 'background',
      });
      expect(next(denied, OLD)).toMatchObject({ kind: 'finish' });
      const asked = take(denied, { kind: 'check', asker }, NOW + 1);
      expect(next(asked, NOW + 1)).toMatchObject({ step: { kind: 'read-status' } });
      expect(afterRead(asked, refusal(status), NOW + 2).replies.map(({ text }) => text)).toEqual([
        `<request>: The service refuses Gatepost's requests (${status}). Ask a Gatepost administrator. Press Check now to check again.`,
      ]);
      const open = afterRead(asked, 'PENDING', NOW + 2);
      expect(messageStateOf(open, termsWith(), NOW)).toEqual(
        messageStateOf(approvalWith(), termsWith(), NOW),
      );
      expect(open.resumes).toEqual([UNAUTHORIZED]);
      expect(next({ ...open, replies: [], resumes: [] }, NOW + 3)).toMatchObject({
        kind: 'wait',
        lane: 'background',
      });
    },
  );

  describe('that was not let in', () => {
    const denied = afterRead(approvalWith(), refusal(401));
    const resumed = take(denied, { kind: 'resume', list: UNAUTHORIZED }, NOW + 60_000);

    test('stands on a list until it is resumed, and is then looked at once', () => {
      expect(suspensionsOf(denied)).toEqual([UNAUTHORIZED]);
      expect(suspensionsOf(resumed)).toEqual([]);
      // Nothing to be seen has changed yet.
      expect(messageStateOf(resumed, termsWith(), NOW)).toEqual(
        messageStateOf(denied, termsWith(), NOW),
      );
      expect(next(resumed, NOW + 60_000)).toMatchObject({
        step: { kind: 'read-status', why: 'watch' },
      });
    });

    test('wakes the next ones when it is let in, and is watched on', () => {
      const open = afterRead(resumed, 'PENDING', NOW + 60_000);
      expect(open.resumes).toEqual([UNAUTHORIZED]);
      expect(next({ ...open, resumes: [] }, NOW + 60_000)).toMatchObject({ lane: 'background' });
      expect(messageStateOf(open, termsWith(), NOW)).toEqual(
        messageStateOf(approvalWith(), termsWith(), NOW),
      );
    });

    test('wakes nobody when it is not, and stands on the list again', () => {
      const again = afterRead(resumed, refusal(403), NOW + 60_000);
      expect(again).not.toHaveProperty('resumes');
      expect(suspensionsOf(again)).toEqual([UNAUTHORIZED]);
    });

    test.each<[string, FailureFacts]>([
      ['does not know it', refusal(404)],
      ['does not like it', refusal(400, 'No.')],
      ['is too busy', refusal(429)],
      ['fails', { class: 'ambiguous', code: 'http_500', status: 500 }],
      ['cannot be read', { class: 'unreadable', code: 'unreadable_body', status: 200 }],
    ])('wakes the next ones when the service %s', (_what, failure) => {
      const answered = afterRead(resumed, failure, NOW + 60_000);
      expect(answered.resumes).toEqual([UNAUTHORIZED]);
      expect(suspensionsOf(answered)).toEqual([]);
    });

    test('is tried until the service is no longer silent, and resumes the next ones then', () => {
      const silence = { class: 'ambiguous', code: 'timeout' } as const;
      let silent = afterRead(resumed, silence, NOW + 60_000);
      expect(next(silent, NOW + 60_000)).toMatchObject({ until: NOW + 60_500 });
      for (let at = 1; at < 6; at += 1)
        silent = afterRead(silent, silence, NOW + 60_000 + at * 9_000);
      expect(silent).not.toHaveProperty('resumes');
      expect(next(silent, NOW + 106_000)).toMatchObject({ lane: 'background' });
      expect(afterRead(silent, 'PENDING', NOW + 200_000).resumes).toEqual([UNAUTHORIZED]);
    });

    test('is watched again when the store went back before it was resumed, and it failed then', () => {
      const silence = { class: 'ambiguous', code: 'timeout' } as const;
      const late = afterRead(denied, silence, NOW + 60_000);
      expect(next(late, NOW + 60_000)).toMatchObject({ kind: 'wait', until: NOW + 60_500 });
      expect(suspensionsOf(afterRead(late, refusal(401), NOW + 60_500))).toEqual([UNAUTHORIZED]);
    });

    test('wakes the next ones when it becomes too old to be tried', () => {
      const silence = { class: 'ambiguous', code: 'timeout' } as const;
      const tired = { ...resumed, watch: { ...resumed.watch, tries: 3 } };
      const old = afterRead(tired, silence, OLD);
      expect(old.resumes).toEqual([UNAUTHORIZED]);
      expect(next({ ...old, resumes: [] }, OLD + 1)).toMatchObject({ kind: 'finish' });
    });

    test('wakes the next ones when no key opens its token any more', () => {
      const sealed = afterRead(resumed, { class: 'refused', code: 'sealed_text_not_opened' });
      expect(sealed.resumes).toEqual([UNAUTHORIZED]);
    });

    test('wakes the next ones when it is withdrawn before it was looked at', () => {
      expect(take(resumed, { kind: 'withdraw' }).resumes).toEqual([UNAUTHORIZED]);
      expect(take(denied, { kind: 'withdraw' })).not.toHaveProperty('resumes');
    });

    test('wakes the next ones at the answer to somebody who asked, however late it comes', () => {
      const asked = take(denied, { kind: 'check' }, NOW + 1);
      const silent = afterRead(asked, { class: 'not-sent', code: 'connection_refused' }, NOW + 2);
      expect(afterRead(silent, 'PENDING', NOW + 600).resumes).toEqual([UNAUTHORIZED]);
    });

    test.each<['read-status' | 'respond', StepResult]>([
      [
        'read-status',
        { kind: 'status', answer: { status: 'PENDING', raw: null, resolvedAt: null } },
      ],
      ['read-status', { kind: 'failed', failure: refusal(422) }],
      ['respond', { kind: 'responded', end: { kind: 'failed', failure: refusal(422) } }],
    ])('wakes the next ones at a decision whose %s is answered', (kind, result) => {
      const { phase } = DECIDING;
      const attempt = { plannedAt: NOW, mustEndBy: NOW + 5_000 };
      const sending = { name: 'sending', attempt, sends: phase.sends } as const;
      const now = kind === 'read-status' ? phase : sending;
      const step =
        kind === 'read-status'
          ? ({ kind, why: 'decide', deadlineMs: 5_000, plannedAt: NOW } as const)
          : ({ kind, plannedAt: NOW } as const);
      const deciding = { ...denied, decision: { ...DECIDING, phase: now } };
      const data = applied(deciding, step, result);
      expect(data.resumes).toEqual([UNAUTHORIZED]);
      expect(suspensionsOf(data)).toEqual([]);
      expect(messageStateOf(data, termsWith(), NOW)).toMatchObject({ name: 'waiting' });
    });

    test('leaves it to the next ones when somebody decided meanwhile, or it was taken back', () => {
      const outcome = { status: 'REJECTED', credit: 'none', by: [], learnedAt: NOW } as const;
      for (const change of [{ outcome }, { withdrawnAt: NOW }]) {
        const over = take({ ...denied, ...change }, { kind: 'resume', list: UNAUTHORIZED });
        const posts = [{ name: 'outcome-thread', channel: 'C0PROD', ts: '17.2' }];
        expect(over.resumes).toEqual([UNAUTHORIZED]);
        const told = { ...over, resumes: [], posts: [...over.posts, ...posts] };
        expect(next(told, NOW)).toMatchObject({ kind: 'finish' });
      }
    });
  });

  test('the last one that is let in while others are not resumes those when they are to hear again', () => {
    const answer = { status: 'PENDING', raw: null, resolvedAt: null } as const;
    const end = { kind: 'status', answer, tellAgainInMs: 40_000 } as const;
    const step = { kind: 'read-status', why: 'watch', deadlineMs: 5_000, plannedAt: NOW } as const;
    const data = applied(approvalWith(), step, end);
    expect(data).toMatchObject({ resumes: [UNAUTHORIZED], resumeAt: NOW + 40_000 });
    const over = { ...data, withdrawnAt: NOW };
    expect(next(over, NOW)).toMatchObject({ kind: 'wait', until: NOW + 40_000 });
    expect(next(over, NOW + 40_000)).toMatchObject({
      step: { kind: 'resume', list: UNAUTHORIZED },
    });
    const done = applied(over, { kind: 'resume', list: UNAUTHORIZED }, { kind: 'done' });
    expect(done).not.toHaveProperty('resumeAt');
  });

  test('where a part of the store is away, resumes them later, and goes on meanwhile', () => {
    const owing = approvalWith({ resumes: [UNAUTHORIZED], withdrawnAt: NOW });
    const step = { kind: 'resume', list: UNAUTHORIZED } as const;
    expect(next(owing, NOW)).toMatchObject({ step });
    const later = applied(owing, step, { kind: 'away' });
    expect(next(later, NOW)).toMatchObject({ kind: 'wait', until: NOW + 5_000 });
    expect(next(later, NOW + 5_000)).toMatchObject({ step });
  });

  test('the first one that is let in after others were not resumes those', () => {
    const step = { kind: 'read-status', why: 'watch', deadlineMs: 5_000, plannedAt: NOW } as const;
    const answer = { status: 'PENDING', raw: null, resolvedAt: null } as const;
    const news = { kind: 'status', answer, authorizedAgain: true } as const;
    const data = applied(approvalWith(), step, news);
    expect(data.resumes).toEqual([UNAUTHORIZED]);
    expect(plan({ ...data, shown: shownNow(data) }, termsWith(), NOW)).toEqual({
      kind: 'step',
      step: { kind: 'resume', list: UNAUTHORIZED },
    });
    const resumed = applied(data, { kind: 'resume', list: UNAUTHORIZED }, { kind: 'done' });
    expect(resumed).not.toHaveProperty('resumes');
  });

  test('that the service lets us in is not lost on one that was decided meanwhile', () => {
    const outcome = { status: 'REJECTED', credit: 'none', by: [], learnedAt: NOW } as const;
    const step = { kind: 'read-status', why: 'watch', deadlineMs: 5_000, plannedAt: NOW } as const;
    const answer = { status: 'REJECTED', raw: null, resolvedAt: null } as const;
    const news = { kind: 'status', answer, authorizedAgain: true } as const;
    const data = applied(approvalWith({ outcome }), step, news);
    expect(data.resumes).toEqual([UNAUTHORIZED]);
  });

  test('a service that refuses to show it is asked on, and its words are shown', () => {
    const refused = afterRead(approvalWith(), refusal(422, 'No.'));
    const trouble = { why: 'refused', detail: 'No.' };
    expect(messageStateOf(refused, termsWith(), NOW)).toMatchObject({ trouble });
    expect(next(refused, NOW)).toMatchObject({ kind: 'wait', lane: 'background' });
  });

  test('who asks after a week is not told that asking goes on', () => {
    const over = afterRead(approvalWith(), 'PENDING', OLD);
    const asked = take(over, { kind: 'check', asker }, OLD + 1);
    const silent = afterRead(asked, refusal(422), OLD + 2);
    expect(silent.replies.map(({ text }) => text)).toEqual([
      '<request>: The service does not let Gatepost read this approval. Ask a Gatepost administrator. Press Check now to check again.',
    ]);
    expect(messageStateOf(silent, termsWith(), OLD)).toMatchObject({ unwatched: true });
  });

  test('after a week nothing is left to do, except for who asks', () => {
    const over = afterRead(approvalWith(), 'PENDING', OLD);
    expect(over.watch.ended).toBe(true);
    expect(next(over, OLD + 1)).toMatchObject({ kind: 'finish' });
    const asked = take(over, { kind: 'check', asker }, OLD + 2);
    expect(next(asked, OLD + 2)).toMatchObject({ step: { kind: 'read-status' } });
    const answered = afterRead(asked, 'PENDING', OLD + 3);
    expect(answered.replies.map(({ user }) => user)).toEqual(['U0ANA']);
    expect(answered.watch).not.toHaveProperty('askers');
  });

  test('an automation that asks after a week is heard too', () => {
    const over = afterRead(approvalWith(), 'PENDING', OLD);
    const asked = take(over, { kind: 'check' }, OLD + 2);
    expect(next(asked, OLD + 2)).toMatchObject({ step: { kind: 'read-status' } });
    expect(next(afterRead(asked, 'PENDING', OLD + 3), OLD + 4)).toMatchObject({ kind: 'finish' });
  });
});

describe('a service that does not show it', () => {
  const missing = (status: number): FailureFacts => ({
    class: 'refused',
    code: `http_${status}`,
    status,
  });
  const why = (approval: Approval) => approval.watch.why;

  test('does not know it, until it has shown it once', () => {
    const never = afterRead(approvalWith(), missing(404));
    expect(why(never)).toBe('not-known-404');
    expect(why(afterRead(never, missing(410)))).toBe('not-known-410');
    const shown = afterRead(never, 'PENDING');
    expect(why(afterRead(shown, missing(404)))).toBe('gone');
  });

  test('was not asked while no key opened its token', () => {
    const sealed = afterRead(approvalWith(), { class: 'refused', code: 'sealed_text_not_opened' });
    expect(next(sealed, NOW)).toMatchObject({ kind: 'finish' });
    expect(why(afterRead(sealed, missing(404)))).toBe('not-known-404');
  });

  test('is asked on at the usual pace, and administrators hear of the first time alone', () => {
    const never = afterRead(approvalWith(), missing(404));
    expect(never.alerts).toEqual([{ cause: 'look-not-known', said: '404' }]);
    expect(next(never, NOW)).toMatchObject({ until: NOW + 15_000, lane: 'background' });
    expect(afterRead({ ...never, alerts: [] }, missing(404)).alerts).toEqual([]);
    for (const other of [
      afterRead(approvalWith(), missing(410)),
      afterRead(afterRead(approvalWith(), 'PENDING'), missing(404)),
    ]) {
      expect(other).not.toHaveProperty('alerts');
    }
  });
});

describe('who presses Check now', () => {
  test('is answered once, however often they press', () => {
    const once = take(approvalWith(), { kind: 'check', asker });
    const twice = take(once, { kind: 'check', asker }, NOW + 1);
    expect(afterRead(twice, 'PENDING').replies).toHaveLength(1);
  });

  test.each<[string, FailureFacts | 'UNKNOWN']>([
    ['gives a new status', 'UNKNOWN'],
    ['shows it no longer', { class: 'refused', code: 'http_404', status: 404 }],
    ['cannot be read', { class: 'unreadable', code: 'x' }],
    ['does not let us in', { class: 'refused', code: 'http_403', status: 403 }],
  ])('is told that the service %s', (_what, failure) => {
    const { replies } = afterRead(take(approvalWith(), { kind: 'check', asker }), failure);
    expect(replies.map(({ text }) => text)).toEqual([expect.stringMatching(/[Pp]ress Check now/)]);
  });

  test('after the outcome is told the outcome', () => {
    const outcome = { status: 'TIMED_OUT', credit: 'none', by: [], learnedAt: NOW } as const;
    const { replies } = take(approvalWith({ outcome }), { kind: 'check', asker });
    expect(replies).toMatchObject([{ user: 'U0ANA', text: expect.stringContaining('timed out') }]);
    expect(take(approvalWith({ outcome }), { kind: 'check' }).replies).toEqual([]);
  });

  test('reads nothing of an answer that they never gave', () => {
    const elsewhere = '<request> was rejected elsewhere.';
    const outcome = { status: 'REJECTED', credit: 'none', by: [], learnedAt: NOW } as const;
    const late = take(approvalWith({ outcome }), { kind: 'check', asker });
    expect(late.replies.map(({ text }) => text)).toEqual([elsewhere]);
    const found = afterRead(take(approvalWith(), { kind: 'check', asker }), 'REJECTED');
    expect(found.replies.map(({ text }) => text)).toEqual([elsewhere]);
  });
});

test('an unknown state is looked after, and ends with the next clear answer', () => {
  const unknown = afterRead(approvalWith(), 'UNKNOWN');
  expect(messageStateOf(unknown, termsWith(), NOW)).toEqual({ name: 'unknown', why: 'new-status' });
  expect(next(unknown, NOW)).toMatchObject({ kind: 'wait', lane: 'background' });
  expect(messageStateOf(afterRead(unknown, 'PENDING'), termsWith(), NOW)).toMatchObject({
    name: 'waiting',
  });
});

describe('a withdrawn request of which an answer may have been taken', () => {
  const asker = { user: 'U0BEN', channel: 'C0PROD' };
  const unconfirmed = [{ action: 'approve', by: 'U0ANA', quietAt: NOW + 9_000 }] as const;
  const watch = { state: 'unknown', why: 'unsure', nextAt: NOW + 900_000, ended: true } as const;
  const withdrawn = take(approvalWith({ unconfirmed, watch }), { kind: 'withdraw' });

  test('is read once nothing can be on its way, also if it was not watched any more', () => {
    expect(statusOf(withdrawn)).toBe('UNKNOWN');
    expect(next(withdrawn, NOW)).toMatchObject({ until: NOW + 9_000 });
    expect(next(withdrawn, NOW + 9_000)).toMatchObject({ step: { kind: 'read-status' } });
    expect(statusOf(afterRead(withdrawn, 'PENDING', NOW + 8_000))).toBe('UNKNOWN');
    expect(statusOf(afterRead(withdrawn, 'PENDING', NOW + 9_000))).toBe('WITHDRAWN');
    expect(statusOf(afterRead(withdrawn, 'REJECTED', NOW + 9_000))).toBe('REJECTED');
  });

  test('is told as withdrawn to whoever asks, when that is certain', () => {
    const asked = take(withdrawn, { kind: 'check', asker }, NOW + 1);
    expect(asked.replies).toEqual([]);
    const early = afterRead(asked, 'PENDING', NOW + 8_000);
    expect(early.replies).toEqual([]);
    const sentences = afterRead(early, 'PENDING', NOW + 9_000).replies.map(({ text }) => text);
    expect(sentences).toEqual(['<request> was withdrawn. No decision is needed.']);
    const { unconfirmed: _, ...unsent } = withdrawn;
    const waiting = { ...unsent, watch: { ...unsent.watch, askers: [{ ...asker, at: NOW }] } };
    const closed = toldWithdrawn({ ...waiting, watch: { ...waiting.watch, state: 'pending' } });
    expect(closed.watch).not.toHaveProperty('askers');
    expect(closed.replies).toHaveLength(1);
  });
});
