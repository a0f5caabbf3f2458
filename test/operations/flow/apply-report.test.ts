import { describe, expect, it } from 'vitest';
import type { FailureFacts } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { applyReport, beginReport } from '../../../src/operations/flow/apply-report.ts';
import {
  dueModal,
  dueResult,
  type MessageState,
  postNamed,
  type Report,
  type ReportResult,
  type ReportStep,
  stateText,
} from '../../../src/operations/flow/report.ts';

const NOW = 1_000_000;
const DAY_MS = 86_400_000;
const DONE = { state: 'done' };
const WORKING = { state: 'working' };
const posted = { name: 'result', channel: 'D0ANA', ts: '1.1' };
/** The direct message says what held before somebody tried again. */
const told = reportWith({ posts: [posted], told: stateText(WORKING) });

function reportWith(change: Partial<Report> = {}): Report {
  return { by: 'U0ANA', channel: 'C0DEPLOYS', createdAt: 0, posts: [], ...change };
}

const failed = (failure: FailureFacts) => ({ kind: 'failed', failure }) as const;
const silent = failed({ class: 'ambiguous', code: 'timeout' });
const limited = failed({ class: 'refused', code: 'ratelimited', status: 429, retryAfterMs: 7_000 });
const refused = (code: string) => failed({ class: 'refused', code, status: 200 });

type Step = ReportStep<MessageState>;
const apply = (report: Report, step: Step, result: ReportResult, now: number) =>
  applyReport(report, 'cases.post', step, result, TRUE_TIME, now).data;
const dueUpdate = (report: Report, state: MessageState, now: number) => {
  const due = dueResult(report, state, now);
  if (due === null || typeof due === 'number') throw new Error(`nothing is due: ${due}`);
  return due;
};

/** Carries out what is due, one step after the other, with the same answer; gives the report and when each began. */
function live(report: Report, state: MessageState, answer: ReportResult, { tries = 20 } = {}) {
  const begun: number[] = [];
  let now = NOW;
  let present = report;
  while (begun.length < tries) {
    const due = dueModal(present, state, now) ?? dueResult(present, state, now);
    if (due === null) break;
    if (typeof due === 'number') {
      now = due;
      continue;
    }
    begun.push(now);
    const noted = beginReport(present, due, TRUE_TIME, now)?.data ?? present;
    present = apply(noted, due, answer, now);
  }
  return {
    report: present,
    now,
    waits: begun.slice(1).map((at, index) => at - (begun[index] ?? 0)),
  };
}

describe('the direct message with the result', () => {
  it.each([
    ['silent', silent, [500, 1_000, 2_000, 4_000], 60_000],
    [
      'not reached',
      failed({ class: 'not-sent', code: 'connection_refused' }),
      [500, 1_000],
      60_000,
    ],
    ['busy', limited, [7_000, 7_000, 7_000], 7_000],
    ['letting nobody in', refused('invalid_auth'), [60_000, 120_000], 900_000],
  ])('is updated until Slack accepts it: %s', (_, answer, first, longest) => {
    const { report, now, waits } = live(told, DONE, answer);
    expect(waits.slice(0, first.length)).toEqual(first);
    expect(waits.at(-1)).toBe(longest);
    const step = dueUpdate(report, DONE, now + 900_000);
    const after = apply(report, step, { kind: 'done' }, now);
    expect(after.told).toBe(stateText(DONE));
    const { report: end } = live(after, DONE, { kind: 'done' });
    expect(dueResult(end, DONE, now + DAY_MS)).toBeNull();
  });

  it('is given up after a week, so that its record can be deleted', () => {
    const { report, now } = live(told, DONE, silent, { tries: 100_000 });
    expect(report.told).toBe(stateText(DONE));
    expect(now - NOW).toBeGreaterThan(7 * DAY_MS);
    expect(now - NOW).toBeLessThan(7 * DAY_MS + 120_000);
  });

  it.each(['message_not_found', 'edit_window_closed', 'cant_update_message'])(
    'is posted again after %s, under another name than the first one',
    (code) => {
      const step = dueUpdate(told, DONE, NOW);
      const after = apply(told, step, refused(code), NOW);
      expect(postNamed(after, 'result')).toEqual({
        name: 'result',
        channel: 'D0ANA',
        gone: ['1.1'],
      });
      expect(dueResult(after, DONE, NOW)).toMatchObject({ kind: 'slot', post: 'result' });
      const anew = { ...after, posts: [{ ...postNamed(after, 'result'), ts: '2.2' }] };
      expect(apply(anew, step, refused(code), NOW)).toBe(anew);
    },
  );
});

describe('an update before the result', () => {
  it('is tried a few times, and the result gets its own tries', () => {
    const { report, now, waits } = live({ ...told, told: '' }, WORKING, silent);
    expect(waits).toEqual([500, 1_000, 2_000]);
    expect(report.told).toBe(stateText(WORKING));
    expect(live(report, DONE, silent, { tries: 2 }).waits).toEqual([500]);
    expect(now).toBe(NOW + 3_500);
  });

  it('does not lengthen the waits of the result', () => {
    const step = dueUpdate({ ...told, told: '' }, WORKING, NOW);
    const twice = apply(apply(told, step, silent, NOW), step, silent, NOW);
    expect(live(twice, DONE, silent, { tries: 3 }).waits).toEqual([500, 1_000]);
  });

  it('leaves no wait for the result, except one that Slack asked for', () => {
    const step = dueUpdate({ ...told, told: '' }, WORKING, NOW);
    const after = apply(told, step, limited, NOW);
    expect(dueResult(after, DONE, NOW)).toBe(NOW + 7_000);
    expect(live(after, DONE, silent, { tries: 2 }).waits).toEqual([500]);
  });
});

describe('a modal', () => {
  const open = reportWith({ modal: 'V1' });

  it('that cannot show what goes on is left as it is after a few tries', () => {
    const { report, waits } = live(open, WORKING, silent, { tries: 9 });
    expect(waits).toHaveLength(3);
    expect(report).toMatchObject({ modal: 'V1', shown: stateText(WORKING) });
  });

  it('that was closed leaves nothing behind for the direct message', () => {
    const step = { kind: 'show', state: WORKING } as const;
    const unclear = apply(open, step, silent, NOW);
    expect(apply(unclear, step, refused('not_found'), NOW)).toEqual(reportWith());
  });

  it('that cannot show the result is followed by a direct message', () => {
    const { report } = live(open, DONE, silent, { tries: 4 });
    expect(report.modal).toBeUndefined();
    expect(dueResult(report, DONE, NOW)).toMatchObject({ kind: 'open', post: 'result' });
  });

  it('that Slack rate-limits is tried again', () => {
    const { report, waits } = live(open, DONE, limited);
    expect(new Set(waits)).toEqual(new Set([7_000]));
    expect(report.modal).toBe('V1');
  });
});

describe('a promised direct message', () => {
  const promised = reportWith();
  const opened = reportWith({ posts: [{ name: 'result', channel: 'D0ANA', slot: true }] });
  const resultOf = (report: Report) => postNamed(report, 'result');

  it.each([
    ['silent', silent, 60_000],
    ['not reached', failed({ class: 'not-sent', code: 'connection_refused' }), 60_000],
    ['busy', limited, 7_000],
    [
      'behind a proxy that refuses',
      failed({ class: 'refused', code: 'http_403', status: 403 }),
      900_000,
    ],
    ['given another token', refused('invalid_auth'), 900_000],
  ])('is tried for a week while Slack is %s', (_, answer, longest) => {
    const { report, waits } = live(promised, DONE, answer, { tries: 200 });
    expect(waits.at(-1)).toBe(longest);
    expect(resultOf(report)).not.toHaveProperty('failed');
    const late = { ...report, posts: [{ ...resultOf(report), since: NOW - 7 * DAY_MS }] };
    const { report: ended } = live(late, DONE, answer, { tries: 2 });
    expect(resultOf(ended)).toHaveProperty('failed');
    expect(dueResult(ended, DONE, NOW)).toBeNull();
  });

  it.each(['user_not_found', 'user_disabled', 'cannot_dm_bot'])(
    'is given up at once after %s, because nobody can read it',
    (code) => {
      const { report } = live(promised, DONE, refused(code));
      expect(resultOf(report)).toMatchObject({ failed: code });
      const after = live(opened, DONE, refused(code));
      expect(resultOf(after.report)).toMatchObject({ failed: code });
    },
  );

  it('is retried until it is posted', () => {
    const begin = (report: Report, now: number) => {
      const step = dueUpdate(report, DONE, now);
      return { step, begun: beginReport(report, step, TRUE_TIME, now)?.data ?? report };
    };
    const first = begin(opened, NOW);
    const after = apply(first.begun, first.step, refused('missing_scope'), NOW);
    expect(resultOf(after)).toMatchObject({ refused: 'missing_scope', notBefore: NOW + 60_000 });
    const slot = { ...after, posts: [{ ...resultOf(after), slot: true as const }] };
    const second = begin(slot, NOW + 60_000);
    const taken = { kind: 'posted', channel: 'D0ANA', ts: '1.1' } as const;
    expect(resultOf(apply(second.begun, second.step, taken, NOW + 60_000))).toEqual(posted);
  });
});

describe('an update without a clear result', () => {
  const AGAIN_AT = NOW + 30_000;

  it('cannot hide the result in a direct message: it is updated again later', () => {
    const old = apply(told, dueUpdate({ ...told, told: '' }, WORKING, NOW), silent, NOW);
    const { report } = live(old, DONE, { kind: 'done' });
    expect(report.told).toBe(stateText(DONE));
    const { now } = live(old, DONE, { kind: 'done' }, { tries: 2 });
    expect(now).toBe(AGAIN_AT);
    expect(dueResult(report, DONE, AGAIN_AT + 60_000)).toBeNull();
  });

  it('is repeated only if nothing else is in the modal, and otherwise sent as a direct message', () => {
    const open = reportWith({ modal: 'V1' });
    const old = apply(open, { kind: 'show', state: WORKING }, silent, NOW);
    const ended = apply(
      old,
      { kind: 'show', state: DONE },
      { kind: 'done', hash: 'h1' },
      NOW + 600,
    );
    expect(dueModal(ended, DONE, NOW + 600)).toBe(AGAIN_AT);
    const step = dueModal(ended, DONE, AGAIN_AT);
    expect(step).toEqual({ kind: 'show', state: DONE, hash: 'h1' });
    const after = live(ended, DONE, refused('hash_conflict'), { tries: 1 }).report;
    expect(dueResult(after, DONE, AGAIN_AT)).toMatchObject({ kind: 'open', post: 'result' });
    const { report } = live(ended, DONE, { kind: 'done', hash: 'h2' });
    expect(dueModal(report, DONE, AGAIN_AT + 60_000)).toBeNull();
  });

  it('may come from a process that died', () => {
    const begin = (report: Report, state: MessageState, now: number) => {
      const step = dueUpdate(report, state, now);
      return { step, begun: beginReport(report, step, TRUE_TIME, now)?.data ?? report };
    };
    const died = begin({ ...told, told: '' }, WORKING, NOW).begun;
    const next = begin(died, DONE, NOW + 12_000);
    const ended = apply(next.begun, next.step, { kind: 'done' }, NOW + 12_000);
    expect(dueResult(ended, DONE, NOW + 12_000)).toBe(NOW + 7_000 + 30_000);
  });

  it('may come from a process that died while it changed the modal', () => {
    const open = reportWith({ modal: 'V1' });
    const begin = (report: Report, state: MessageState, now: number) =>
      beginReport(report, { kind: 'show', state }, TRUE_TIME, now)?.data ?? report;
    const died = begin(open, WORKING, NOW);
    const step = { kind: 'show', state: DONE } as const;
    const ended = apply(begin(died, DONE, NOW + 12_000), step, { kind: 'done' }, NOW + 12_000);
    expect(dueModal(ended, DONE, NOW + 12_000)).toBe(NOW + 7_000 + 30_000);
    const repeated = begin(ended, DONE, NOW + 37_000);
    expect(dueModal(repeated, DONE, NOW + 37_000)).toEqual(step);
  });

  it('may have arrived after a result that was sent before that and confirmed later', () => {
    const step = { kind: 'update', state: DONE, ts: '1.1' } as const;
    const before = { ...told, again: { at: NOW + 1_000 } };
    const begun = beginReport(before, step, TRUE_TIME, NOW)?.data ?? before;
    const ended = apply(begun, step, { kind: 'done' }, NOW + 2_000);
    expect(dueResult(ended, DONE, NOW + 2_000)).toEqual(step);
  });

  it('needs no repetition once it can no longer arrive', () => {
    const { report, waits } = live({ ...told, again: { at: NOW } }, DONE, { kind: 'done' });
    expect(waits).toEqual([]);
    expect(report).toEqual({ ...told, told: stateText(DONE) });
  });

  it('is not assumed if Slack answered', () => {
    const { report } = live({ ...told, told: '' }, DONE, { kind: 'done' });
    expect(report).toEqual({ ...told, told: stateText(DONE) });
    const { report: busy, now } = live({ ...told, told: '' }, DONE, limited, { tries: 1 });
    expect(live(busy, DONE, { kind: 'done' }).report).toEqual(report);
    expect(now).toBe(NOW);
  });
});

describe('a result that is shown again because a lost update may overwrite it', () => {
  const owing = reportWith({ posts: [posted], told: stateText(DONE), again: { at: NOW } });
  const step = { kind: 'update', state: DONE, ts: '1.1' } as const;
  const begun = beginReport(owing, step, TRUE_TIME, NOW)?.data ?? owing;

  it('is repeated until Slack accepts it, even after a crash', () => {
    const after = apply(begun, step, limited, NOW);
    expect(dueResult(after, DONE, NOW)).toBe(NOW + 7_000);
    expect(dueResult(after, DONE, NOW + 7_000)).toEqual(step);
    expect(dueResult(begun, DONE, NOW)).toEqual(step);
  });

  it('stays due if it was shown again too early', () => {
    const early = { ...owing, again: { at: NOW + 5_000 } };
    expect(dueResult(apply(early, step, { kind: 'done' }, NOW), DONE, NOW)).toBe(NOW + 5_000);
  });

  it('is not repeated after that', () => {
    expect(dueResult(apply(begun, step, { kind: 'done' }, NOW), DONE, NOW)).toBeNull();
  });
});

describe('a post of a report', () => {
  const attempt = { plannedAt: NOW, mustEndBy: NOW + 7_000 };
  const announcing = { name: 'announcement', channel: 'C0DEPLOYS', attempt } as const;
  const telling = { name: 'result', channel: 'D0ANA', attempt } as const;
  const both = reportWith({ posts: [announcing, telling] });
  const stepOf = (kind: 'post' | 'find', post: 'announcement' | 'result') =>
    ({ kind, post, state: DONE, plannedAt: NOW }) as const;
  const taken = (channel: string) => ({ kind: 'posted', channel, ts: '1.1' }) as const;

  it.each([
    [stepOf('post', 'result'), 'D0ANA', stateText(DONE)],
    [stepOf('find', 'result'), 'D0ANA', undefined],
    [stepOf('post', 'announcement'), 'C0DEPLOYS', undefined],
  ])(
    'is in the audit log, and its state is known only if it was just sent: %j',
    (step, channel, state) => {
      const { data, audit } = applyReport(both, 'cases.post', step, taken(channel), TRUE_TIME, NOW);
      const facts = { post: step.post, channel, ts: '1.1' };
      expect(audit).toEqual([{ action: 'cases.post', record: null, actor: 'gatepost', facts }]);
      expect(data.told).toBe(state);
      const other = step.post === 'result' ? announcing : telling;
      expect(postNamed(data, step.post)).toEqual({ name: step.post, channel, ts: '1.1' });
      expect(data.posts).toContain(other);
      const again = applyReport(data, 'cases.post', step, taken(channel), TRUE_TIME, NOW);
      expect(again).toEqual({ data });
    },
  );

  it('is not in the audit log before it is posted, and is saved before it is sent', () => {
    const step = { ...stepOf('post', 'result'), kind: 'slot' } as const;
    const slot = { kind: 'slot', waitMs: 0 } as const;
    const unsent = reportWith({ posts: [{ name: 'result', channel: 'D0ANA' }] });
    const applied = applyReport(unsent, 'cases.post', step, slot, TRUE_TIME, NOW);
    expect(applied).not.toHaveProperty('audit');
    expect(beginReport(unsent, step, TRUE_TIME, NOW)).toBeUndefined();
    const begun = beginReport(applied.data, stepOf('post', 'result'), TRUE_TIME, NOW);
    expect(begun).toMatchObject({ data: { posts: [{ attempt }] }, durable: true });
  });

  it('that announces is not tried again where Slack refuses it', () => {
    const step = stepOf('post', 'announcement');
    const after = apply(both, step, refused('not_in_channel'), NOW);
    expect(postNamed(after, 'announcement')).toMatchObject({ failed: 'not_in_channel' });
  });
});
