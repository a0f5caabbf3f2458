import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { listsOf } from '../../src/approvals/decision/lists-of.ts';
import { type ApprovalSignal, encodeSignal } from '../../src/approvals/decision/signal.ts';
import { statusOf } from '../../src/approvals/decision/status.ts';
import { toldWithdrawn } from '../../src/approvals/decision/transitions.ts';
import { blockedIn, DENIED, UNPOLLED } from '../../src/approvals/lists.ts';
import type { StepResult } from '../../src/approvals/steps.ts';
import { messageStateOf, stateKey } from '../../src/approvals/tell/message/message-state.ts';
import type { FailureFacts } from '../../src/core/lib/failure.ts';
import {
  applied,
  approvalWith,
  inWords,
  NOW,
  plan,
  received,
  said,
  termsWith,
} from './approvals.ts';

const OLD = NOW + 8 * 86_400_000;
const asker = { user: 'U0ANA', channel: 'C0PROD' };

/** The next step, once the message is up to date and administrators were alerted. */
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
  terms = termsWith(),
) {
  const step = { kind: 'read-status', why: 'watch', deadlineMs: 5_000, plannedAt: now } as const;
  const result =
    typeof failure === 'string'
      ? ({ kind: 'status', answer: { status: failure, raw: null, resolvedAt: null } } as const)
      : ({ kind: 'failed', failure } as const);
  return applied(approval, step, result, now, terms);
}

const step = { kind: 'read-status', why: 'watch', deadlineMs: 5_000, plannedAt: NOW } as const;

describe('without a decision here', () => {
  test('the status is polled in the background at its time', () => {
    const { nextAt } = approvalWith().watch;
    expect(next(approvalWith(), NOW)).toEqual({ kind: 'wait', until: nextAt, lane: 'background' });
    expect(next(approvalWith(), nextAt)).toMatchObject({
      step: { kind: 'read-status', why: 'watch' },
    });
  });

  test('a poll waits for its slot in the budget, which is used up by one read', () => {
    const held = applied(approvalWith(), step, { kind: 'slot', waitMs: 700 });
    expect(held.watch).toMatchObject({ nextAt: NOW + 700, slot: true });
    expect(afterRead(held, 'PENDING').watch).not.toHaveProperty('slot');
    expect(afterRead(held, { class: 'ambiguous', code: 'timeout' }).watch).not.toHaveProperty(
      'slot',
    );
  });

  test('an automation’s check waits for no slot in the budget', () => {
    const asked = take(approvalWith(), { kind: 'check' }, NOW + 1);
    expect(asked.watch).toMatchObject({ nextAt: NOW + 1, slot: true });
    expect(afterRead(asked, 'PENDING').watch).not.toHaveProperty('slot');
  });

  describe('Check now', () => {
    const press = (approval: Approval, user: string, at: number) =>
      take(approval, { kind: 'check', asker: { user, channel: 'C0PROD' } }, at);
    const reads = (approval: Approval, at: number) => {
      const planned = next({ ...approval, replies: [] }, at);
      return planned.kind === 'step' && planned.step.kind === 'read-status';
    };
    const told = ({ replies }: Approval) => replies.map(({ user, text }) => `${user}: ${text}`);
    const waits = '<request> still needs a decision.';
    const first = afterRead(press(approvalWith(), 'U0ANA', NOW), 'PENDING', NOW + 1);

    test('reads once in ten seconds: later presses get the same answer', () => {
      expect(told(first)).toEqual([`U0ANA: ${waits}`]);
      const second = press(first, 'U0BEN', NOW + 9_999);
      expect(reads(second, NOW + 9_999)).toBe(false);
      expect(second.replies).toMatchObject([{ about: 'state' }, { about: 'state' }]);
      expect(told(second)).toEqual([`U0ANA: ${waits}`, `U0BEN: ${waits}`]);
      const again = press({ ...second, replies: [] }, 'U0BEN', NOW + 9_999);
      expect(told(again)).toEqual([`U0BEN: ${waits}`]);
      expect(reads(press({ ...second, replies: [] }, 'U0BEN', NOW + 10_000), NOW + 10_000)).toBe(
        true,
      );
    });

    test('is answered by a read that is already running', () => {
      const both = press(press(approvalWith(), 'U0ANA', NOW), 'U0BEN', NOW + 1);
      const thrice = press(both, 'U0ANA', NOW + 2);
      expect(told(afterRead(thrice, 'PENDING', NOW + 3))).toEqual([
        `U0BEN: ${waits}`,
        `U0ANA: ${waits}`,
      ]);
    });

    test('returns whatever was read last', () => {
      const unknown = afterRead(press(approvalWith(), 'U0ANA', NOW), 'UNKNOWN', NOW + 1);
      const [reply] = press({ ...unknown, replies: [] }, 'U0BEN', NOW + 2).replies;
      expect(reply).toMatchObject({ user: 'U0BEN', text: unknown.replies[0]?.text });
    });

    test.each<[Partial<Approval['watch']>, string]>([
      [
        { state: 'unknown', why: 'new-status', word: 'ESCALATED' },
        said({ code: 'unknown', why: 'new-status', word: 'ESCALATED' }),
      ],
      [
        { stale: true, failure: { class: 'ambiguous', code: 'timeout' } },
        said({ code: 'trouble', trouble: { why: 'silent' }, goesOn: true }),
      ],
      [
        {
          stale: true,
          ended: true,
          failure: { class: 'refused', code: 'http_403', status: 403 },
        },
        said({ code: 'trouble', trouble: { why: 'denied', status: 403 }, goesOn: false }),
      ],
    ])('repeats the problem of the last read: %j', (wrong, text) => {
      const watch = { ...first.watch, ...wrong };
      const second = press({ ...first, watch, replies: [] }, 'U0BEN', NOW + 2);
      expect(told(second)).toEqual([`U0BEN: ${text}`]);
    });

    test('is refused to people outside the channel, which does not count as an answer for others', () => {
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

  test('a service that does not answer is retried a few times and then shown as silent', () => {
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

  test.each([401, 403])('a service that answers %i is polled on at the usual pace', (status) => {
    const denied = afterRead(approvalWith(), refusal(status));
    const state = messageStateOf(denied, termsWith(), NOW);
    expect(state).toMatchObject({ trouble: { why: 'denied', status } });
    expect(state).not.toHaveProperty('unwatched');
    expect(next(denied, NOW)).toEqual({ kind: 'wait', until: NOW + 15_000, lane: 'background' });
    const hourOld = afterRead(denied, refusal(status), NOW + 3_600_000);
    expect(next(hourOld, NOW + 3_600_000)).toMatchObject({ until: NOW + 3_900_000 });
    expect(next(afterRead(denied, refusal(status), OLD), OLD)).toMatchObject({ kind: 'finish' });
    const asked = take(denied, { kind: 'check', asker }, NOW + 1);
    expect(next(asked, NOW + 1)).toMatchObject({ step: { kind: 'read-status' } });
    expect(afterRead(asked, refusal(status), NOW + 2).replies.map(({ text }) => text)).toEqual([
      `<request>: The service refuses Gatepost's requests (${status}). Ask a Gatepost administrator. Gatepost keeps trying. Press Check now to check again.`,
    ]);
    const open = afterRead(asked, 'PENDING', NOW + 2);
    expect(messageStateOf(open, termsWith(), NOW)).toEqual(
      messageStateOf(approvalWith(), termsWith(), NOW),
    );
  });

  describe('a denied approval', () => {
    const denied = afterRead(approvalWith(), refusal(401));
    const silence = { class: 'ambiguous', code: 'timeout' } as const;

    test('is counted until there is another answer, or it is closed', () => {
      const outcome = { status: 'REJECTED', credit: 'none', by: [], learnedAt: NOW } as const;
      expect(listsOf(denied)).toContain(DENIED);
      for (const other of [
        afterRead(denied, 'PENDING'),
        afterRead(denied, refusal(404)),
        afterRead(denied, silence),
        { ...denied, outcome },
        { ...denied, withdrawnAt: NOW },
      ]) {
        expect(listsOf(other)).not.toContain(DENIED);
      }
    });

    test('tries once a minute while every approval is denied, or less often if many wait', () => {
      const terms = { ...termsWith(), isDenying: true };
      const at = (approval: Approval, pending = 1) =>
        afterRead(approval, refusal(401), NOW + 3_600_000, { ...terms, pending }).watch.nextAt;
      expect(at(denied)).toBe(NOW + 3_660_000);
      expect(at(denied, 336)).toBe(NOW + 3_720_000);
      expect(afterRead(denied, silence, NOW + 3_600_000, terms).watch.nextAt).toBe(NOW + 3_600_500);
    });

    test('is skipped while another one tries, and only its next poll changes', () => {
      const terms = { ...termsWith(), isDenying: true };
      const asked = { ...denied, shown: 'x' };
      const out = applied(asked, step, { kind: 'left-out' }, NOW + 3_600_000, terms);
      expect(out).toEqual({ ...asked, watch: { ...denied.watch, nextAt: NOW + 3_660_000 } });
    });
  });

  describe('an approval that version 0.1 stopped polling', () => {
    const failure = refusal(401);
    const watch = { state: 'pending', nextAt: NOW, ended: true, stale: true, failure } as const;

    test('is read, and polled again', () => {
      // as: it kept that, too, of those that were about to be read
      const trying = { ...watch, resumed: true } as Approval['watch'];
      for (const old of [approvalWith({ watch }), approvalWith({ watch: trying })]) {
        expect(next(old, NOW)).toMatchObject({ step: { kind: 'read-status', why: 'watch' } });
        for (const found of ['PENDING', refusal(401), refusal(404)] as const) {
          expect(next(afterRead(old, found), NOW)).toMatchObject({ until: NOW + 15_000 });
        }
        const silent = afterRead(old, { class: 'ambiguous', code: 'timeout' });
        expect(next(silent, NOW)).toMatchObject({ until: NOW + 500 });
      }
    });

    test('is not read if it is too old', () => {
      expect(next(approvalWith({ watch }), OLD)).toMatchObject({ kind: 'finish' });
    });

    test('leads to a read of the next ones', () => {
      const signalled = take(approvalWith({ watch }), { kind: 'resume', list: UNPOLLED });
      expect(signalled.resumes).toEqual([UNPOLLED]);
      expect(listsOf(signalled)).not.toContain(UNPOLLED);
    });
  });

  test('retries to resume others later if part of the store is away, and continues in the meantime', () => {
    const list = blockedIn('C0PROD');
    const owing = approvalWith({ resumes: [list], withdrawnAt: NOW });
    const step = { kind: 'resume', list } as const;
    expect(next(owing, NOW)).toMatchObject({ step });
    const later = applied(owing, step, { kind: 'away' });
    expect(next(later, NOW)).toMatchObject({ kind: 'wait', until: NOW + 5_000 });
    expect(next(later, NOW + 5_000)).toMatchObject({ step });
    expect(applied(later, step, { kind: 'done' })).not.toHaveProperty('resumeAt');
  });

  test('a service that refuses to show the request is polled on, and its text is shown', () => {
    const refused = afterRead(approvalWith(), refusal(422, 'No.'));
    const trouble = { why: 'refused', detail: 'No.' };
    expect(messageStateOf(refused, termsWith(), NOW)).toMatchObject({ trouble });
    expect(next(refused, NOW)).toMatchObject({ kind: 'wait', lane: 'background' });
  });

  test('a person who presses Check now after a week is not told that polling continues', () => {
    const over = afterRead(approvalWith(), 'PENDING', OLD);
    const asked = take(over, { kind: 'check', asker }, OLD + 1);
    const silent = afterRead(asked, refusal(422), OLD + 2);
    expect(silent.replies.map(({ text }) => text)).toEqual([
      '<request>: The service does not let Gatepost read this approval. Ask a Gatepost administrator. Press Check now to check again.',
    ]);
    expect(messageStateOf(silent, termsWith(), OLD)).toMatchObject({ unwatched: true });
  });

  test('after a week the watch ends, except for people who press Check now', () => {
    const over = afterRead(approvalWith(), 'PENDING', OLD);
    expect(over.watch.ended).toBe(true);
    expect(next(over, OLD + 1)).toMatchObject({ kind: 'finish' });
    const asked = take(over, { kind: 'check', asker }, OLD + 2);
    expect(next(asked, OLD + 2)).toMatchObject({ step: { kind: 'read-status' } });
    const answered = afterRead(asked, 'PENDING', OLD + 3);
    expect(answered.replies.map(({ user }) => user)).toEqual(['U0ANA']);
    expect(answered.watch).not.toHaveProperty('askers');
  });

  test('an automation that checks after a week gets an answer too', () => {
    const over = afterRead(approvalWith(), 'PENDING', OLD);
    const asked = take(over, { kind: 'check' }, OLD + 2);
    expect(next(asked, OLD + 2)).toMatchObject({ step: { kind: 'read-status' } });
    expect(next(afterRead(asked, 'PENDING', OLD + 3), OLD + 4)).toMatchObject({ kind: 'finish' });
  });
});

describe('a service that does not show the request', () => {
  const missing = (status: number): FailureFacts => ({
    class: 'refused',
    code: `http_${status}`,
    status,
  });
  const why = (approval: Approval) => approval.watch.why;

  test('is reported as never having known it, until it has shown it once', () => {
    const never = afterRead(approvalWith(), missing(404));
    expect(why(never)).toBe('not-known-404');
    expect(why(afterRead(never, missing(410)))).toBe('not-known-410');
    const shown = afterRead(never, 'PENDING');
    expect(why(afterRead(shown, missing(404)))).toBe('gone');
  });

  test('is reported as never having known it, if its token could not be opened before', () => {
    const sealed = afterRead(approvalWith(), { class: 'refused', code: 'sealed_text_not_opened' });
    expect(next(sealed, NOW)).toMatchObject({ kind: 'finish' });
    expect(why(afterRead(sealed, missing(404)))).toBe('not-known-404');
  });

  test('is polled on at the usual pace, and administrators are alerted once', () => {
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

describe('a person who presses Check now', () => {
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
    expect(replies).toMatchObject([
      { user: 'U0ANA', about: 'state', text: expect.stringContaining('timed out') },
    ]);
    expect(take(approvalWith({ outcome }), { kind: 'check' }).replies).toEqual([]);
  });

  test('is not told about a decision that they did not make', () => {
    const elsewhere = '<request> was rejected elsewhere.';
    const outcome = { status: 'REJECTED', credit: 'none', by: [], learnedAt: NOW } as const;
    const late = take(approvalWith({ outcome }), { kind: 'check', asker });
    expect(late.replies.map(({ text }) => text)).toEqual([elsewhere]);
    const found = afterRead(take(approvalWith(), { kind: 'check', asker }), 'REJECTED');
    expect(found.replies.map(({ text }) => text)).toEqual([elsewhere]);
  });
});

test('an unknown state is polled, and ends with the next clear answer', () => {
  const unknown = afterRead(approvalWith(), 'UNKNOWN');
  expect(messageStateOf(unknown, termsWith(), NOW)).toEqual({ name: 'unknown', why: 'new-status' });
  expect(next(unknown, NOW)).toMatchObject({ kind: 'wait', lane: 'background' });
  expect(messageStateOf(afterRead(unknown, 'PENDING'), termsWith(), NOW)).toMatchObject({
    name: 'waiting',
  });
});

describe('a withdrawn request whose decision may have been accepted', () => {
  const asker = { user: 'U0BEN', channel: 'C0PROD' };
  const unconfirmed = [{ action: 'approve', by: 'U0ANA', quietAt: NOW + 9_000 }] as const;
  const watch = { state: 'unknown', why: 'unsure', nextAt: NOW + 900_000, ended: true } as const;
  const withdrawn = take(approvalWith({ unconfirmed, watch }), { kind: 'withdraw' });

  test('is read once the decision can no longer arrive, even if it was no longer watched', () => {
    expect(statusOf(withdrawn)).toBe('UNKNOWN');
    expect(next(withdrawn, NOW)).toMatchObject({ until: NOW + 9_000 });
    expect(next(withdrawn, NOW + 9_000)).toMatchObject({ step: { kind: 'read-status' } });
    expect(statusOf(afterRead(withdrawn, 'PENDING', NOW + 8_000))).toBe('UNKNOWN');
    expect(statusOf(afterRead(withdrawn, 'PENDING', NOW + 9_000))).toBe('WITHDRAWN');
    expect(statusOf(afterRead(withdrawn, 'REJECTED', NOW + 9_000))).toBe('REJECTED');
  });

  test('is reported as withdrawn to people who press Check now, once that is certain', () => {
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
    expect(inWords(closed).replies).toHaveLength(1);
  });
});
