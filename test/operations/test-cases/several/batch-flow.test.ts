import { describe, expect, it } from 'vitest';
import { attemptAt } from '../../../../src/core/engine/attempt.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import { type BatchPress, decodeBatch } from '../../../../src/operations/batch/batch.ts';
import { encodeBatchSignal } from '../../../../src/operations/batch/batch-flow.ts';
import { queueOf } from '../../../../src/operations/batch/queue.ts';
import type { CaseTypes } from '../../../../src/operations/test-cases/case.ts';
import {
  CASE_BATCH,
  type CaseBatch,
  type Line,
} from '../../../../src/operations/test-cases/several/case-batch.ts';
import { caseBatchMessage } from '../../../../src/operations/test-cases/several/case-batch-views.ts';
import {
  applyBatch,
  type BatchResult,
  batchState,
  batchWith,
  beginBatch,
  lineState,
  places,
  planBatch,
  receiveBatchSignal,
} from './batches.ts';

const NOW = 1_000_000;
const created: Line = { title: 'Created', end: { code: 'created', id: '1', status: 'DRAFT' } };
const refused: Line = { title: 'Refused', end: { code: 'invalid', detail: 'No.' } };
const lost: Line = {
  title: 'Lost',
  end: { code: 'unknown' },
  unconfirmed: { quietAt: NOW + 9_000, lost: 1, hasEnded: true },
};
const waiting: Line = { title: 'Waiting' };

const CREATED = {
  kind: 'answered',
  answer: {
    kind: 'created',
    id: '9',
    status: 'DRAFT',
    title: null,
    priority: null,
    type: null,
    testProjectId: null,
  },
} as const satisfies BatchResult;
const REFUSED = {
  kind: 'answered',
  answer: { kind: 'invalid', detail: 'No.' },
} as unknown as BatchResult; // as: what the client knows besides is of no matter here

const NO_ANSWER: BatchResult = {
  kind: 'failed',
  failure: { class: 'ambiguous', code: 'timeout' },
};

const sends = { notSent: 0, limited: 0 };
const sendingPhase = {
  name: 'sending',
  attempt: attemptAt({ plannedAt: NOW }, TRUE_TIME, NOW),
  sends,
} as const;
const send = (line: number, plannedAt = NOW) => ({ kind: 'send', line, plannedAt }) as const;
const states = (batch: CaseBatch) => batch.lines.map(lineState);
const take = (batch: CaseBatch, signal: BatchPress) =>
  receiveBatchSignal(batch, { id: 's', at: NOW, body: encodeBatchSignal(signal) }, NOW).data;

const posted = { name: 'result', channel: 'D0', ts: '1.2' };
const told = (batch: CaseBatch) => JSON.stringify(batchState(batch));

describe('a line is done', () => {
  const batch = batchWith([waiting, waiting], { ...queueOf([0, 1], 0), phase: sendingPhase });

  it('when its call has a result, and the next line follows', () => {
    const after = applyBatch(batch, send(0), CREATED, TRUE_TIME, NOW).data;
    expect(states(after)).toEqual(['succeeded', 'unsent']);
    expect(after).toMatchObject({ queue: [1], phase: { name: 'send' } });
    expect(applyBatch(batch, send(0), REFUSED, TRUE_TIME, NOW).data.queue).toEqual([1]);
  });

  it('by a late confirmation, even while the next line is being sent', () => {
    const later = batchWith([lost, waiting], { ...queueOf([1], 0), phase: sendingPhase });
    const after = applyBatch(later, send(0, 5), CREATED, TRUE_TIME, NOW).data;
    expect(states(after)).toEqual(['succeeded', 'unsent']);
    expect(after).toMatchObject({ queue: [1], phase: sendingPhase });
    expect(after.lines[0]).not.toHaveProperty('unconfirmed');
  });

  it('by a late confirmation, before it is sent again', () => {
    const again = batchWith([lost, created], queueOf([0], NOW));
    const after = applyBatch(again, send(0, 5), CREATED, TRUE_TIME, NOW).data;
    expect(after).toMatchObject({ queue: [], phase: { name: 'done' } });
    expect(states(after)).toEqual(['succeeded', 'succeeded']);
  });

  it('but not by a late refusal of an earlier call', () => {
    const again = batchWith([lost], { ...queueOf([0], 0), phase: sendingPhase });
    expect(applyBatch(again, send(0, 5), REFUSED, TRUE_TIME, NOW).data).toBe(again);
  });

  it('as unknown, if a first call may have created it and a second was refused', () => {
    const again = batchWith([lost], { ...queueOf([0], 0), phase: sendingPhase });
    expect(states(applyBatch(again, send(0), REFUSED, TRUE_TIME, NOW).data)).toEqual(['unknown']);
  });
});

describe('a line whose call the store forgot is not sent again by itself', () => {
  const end = (batch: CaseBatch, line: number) =>
    applyBatch(batch, send(line, NOW - 3_000), NO_ANSWER, TRUE_TIME, NOW).data;

  it('if it is next', () => {
    const after = end(batchWith([waiting, waiting], queueOf([0, 1], 0)), 0);
    expect(states(after)).toEqual(['unknown', 'unsent']);
    expect(after.queue).toEqual([1]);
  });

  it('if it comes later, because the store forgot earlier lines too', () => {
    const batch = batchWith([waiting, waiting, waiting], queueOf([0, 1, 2], 0));
    const after = end(batch, 1);
    expect(after).toMatchObject({ queue: [0, 2], phase: { name: 'authorize' } });
    expect(after.lines[1]).toMatchObject({ end: { code: 'unknown' }, unconfirmed: { lost: 1 } });
  });

  it('if nothing more is sent', () => {
    const stopped = { code: 'not-allowed', refusal: 'guest' } as const;
    expect(states(end(batchWith([waiting, created], { stopped }), 0))).toEqual([
      'unknown',
      'succeeded',
    ]);
  });
});

describe('between two lines', () => {
  const phase = { name: 'send', authorizedAt: NOW, notBefore: NOW, sends } as const;
  const batch = batchWith([waiting, waiting], { ...queueOf([0, 1], 0), phase, posts: [posted] });
  const slot = (from: CaseBatch, waitMs: number, now: number) => {
    const { data } = applyBatch(from, { kind: 'budget' }, { kind: 'slot', waitMs }, TRUE_TIME, now);
    return { ...data, told: told(data) };
  };

  it('the batch waits for its slot in the budget', () => {
    const shown = { ...batch, told: told(batch) };
    expect(planBatch(shown, NOW)).toEqual({
      kind: 'step',
      step: { kind: 'budget' },
    });
    const later = { kind: 'wait', until: NOW + 700, lane: 'people' };
    expect(planBatch(slot(shown, 700, NOW), NOW)).toEqual(later);
    expect(planBatch(slot(shown, 0, NOW), NOW)).toMatchObject({ step: send(0) });
  });
});

describe('all lines stop', () => {
  const batch = batchWith([created, waiting, waiting], queueOf([1, 2], 0));

  it('when the person is no longer authorized', () => {
    const result = { kind: 'not-allowed', code: 'guest' } as const;
    const { data, audit } = applyBatch(batch, { kind: 'authorize' }, result, TRUE_TIME, NOW);
    expect(data).toMatchObject({ queue: [], phase: { name: 'done' } });
    expect(data.stopped).toEqual({ code: 'not-allowed', refusal: 'guest' });
    expect(batchState(data)).toMatchObject({ succeeded: 1, unknown: 0, failed: 0, unsent: 2 });
    expect(audit).toMatchObject([{ action: 'test-cases.refused', facts: { line: 2 } }]);
  });

  it('when the suite that they share is refused', () => {
    const sending = { ...batch, phase: sendingPhase };
    const detail = 'suiteId is no suite.';
    const result = { ...REFUSED, answer: { kind: 'invalid', detail } } as BatchResult; // as: see above
    expect(applyBatch(sending, send(1), result, TRUE_TIME, NOW).data.queue).toEqual([]);
  });

  it('when three calls one after another may have had an effect', () => {
    const lines = [waiting, waiting, waiting, waiting];
    const afterCalls = (results: readonly BatchResult[]) => {
      let last = batchWith(lines, queueOf([0, 1, 2, 3], 0));
      for (const [line, result] of results.entries()) {
        last = { ...last, phase: sendingPhase };
        last = applyBatch(last, send(line), result, TRUE_TIME, NOW).data;
      }
      return last;
    };
    expect(afterCalls([NO_ANSWER, NO_ANSWER])).toMatchObject({ queue: [2, 3] });
    expect(afterCalls([NO_ANSWER, CREATED, NO_ANSWER])).toMatchObject({ queue: [3] });
    const stopped = afterCalls([NO_ANSWER, NO_ANSWER, NO_ANSWER]);
    expect(stopped).toMatchObject({ queue: [], stopped: { code: 'unknown' } });
    expect(states(stopped)).toEqual(['unknown', 'unknown', 'unknown', 'unsent']);
  });

  it('but not while each authorization succeeds', () => {
    const { data } = applyBatch(batch, { kind: 'authorize' }, { kind: 'allowed' }, TRUE_TIME, NOW);
    expect(data).toMatchObject({ queue: [1, 2], allowedAt: NOW, phase: { name: 'send' } });
  });
});

describe('a press on a finished batch', () => {
  const over = batchWith([created, refused, lost, waiting, lost], { run: 3, told: 'something' });

  it('sends again exactly the lines that were certainly not created', () => {
    const after = take(over, { kind: 'again', run: 3 });
    expect(after).toMatchObject({ queue: [1, 3], queued: 2, run: 4, phase: { name: 'authorize' } });
  });

  it('sends again a line that may exist, once its first call can no longer arrive', () => {
    const after = take(over, { kind: 'again-one', run: 3, line: 4 });
    expect(after.queue).toEqual([4]);
    const phase = { name: 'send', authorizedAt: NOW, notBefore: NOW, sends } as const;
    const sent = { ...after, phase, slot: true as const, posts: [posted] };
    const ready = { ...sent, told: told(sent) };
    expect(planBatch(ready, NOW)).toEqual({
      kind: 'wait',
      until: NOW + 9_000,
      lane: 'people',
    });
    expect(planBatch(ready, NOW + 9_000)).toMatchObject({
      step: { kind: 'send', line: 4 },
    });
  });

  it.each<[string, BatchPress]>([
    ['an old button', { kind: 'again', run: 2 }],
    ['an old button of a line', { kind: 'again-one', run: 2, line: 4 }],
    ['a line that was created', { kind: 'again-one', run: 3, line: 0 }],
    ['a line that was refused', { kind: 'again-one', run: 3, line: 1 }],
    ['a line that is none', { kind: 'again-one', run: 3, line: 9 }],
  ])('on %s sends nothing, and shows the current state', (_what, signal) => {
    const { told: _, ...shownAnew } = over;
    expect(take(over, signal)).toEqual(shownAnew);
  });

  it('while lines are being sent sends nothing', () => {
    const { told: _, ...shownAnew } = { ...over, ...queueOf([3], 0) };
    expect(take({ ...over, ...queueOf([3], 0) }, { kind: 'again', run: 3 })).toEqual(shownAnew);
  });
});

it('a line that may exist twice says so, before the refused lines', () => {
  const [unconfirmed] = [lost.unconfirmed].filter((each) => each !== undefined);
  const again: Line = { ...created, title: 'Again', ...(unconfirmed && { unconfirmed }) };
  const batch = batchWith([created, refused, again]);
  const { blocks } = caseBatchMessage('0-a', batch, batchState(batch), places);
  const text = JSON.stringify(blocks);
  expect(text).toContain('May exist twice: an earlier attempt may have created another one.');
  expect(text.match(/may exist twice/g)).toHaveLength(1);
  expect(text.indexOf('may exist twice')).toBeLessThan(text.indexOf('2. Refused'));
});

describe('the progress of a batch', () => {
  it('does not count lines that are still to be sent', () => {
    const again = batchWith([created, refused, refused, lost], queueOf([2], NOW));
    expect(batchState(again)).toMatchObject({ succeeded: 1, failed: 1, unknown: 1, done: 0 });
  });
});

describe('the message of a batch', () => {
  const failed = (code: string, kind: 'refused' | 'ambiguous') =>
    ({
      kind: 'failed',
      failure: { class: kind, code, status: null, detail: null },
    }) as unknown as BatchResult; // as: what else is known of it is of no matter here
  const over = batchWith([created], { posts: [posted], announce: false });
  const update = { kind: 'update', state: batchState(over), ts: posted.ts } as const;

  it('shows progress every few seconds, and the result at once', () => {
    const running = {
      ...batchWith([created, waiting], queueOf([1], NOW + 60_000)),
      posts: [posted],
    };
    const shown = { ...running, told: 'less', quietUntil: NOW + 3_000 };
    expect(planBatch(shown, NOW)).toMatchObject({ until: NOW + 3_000 });
    const ended = { ...over, told: 'less', quietUntil: NOW + 3_000 };
    expect(planBatch(ended, NOW)).toMatchObject({ step: { kind: 'update' } });
  });

  it('is updated until Slack accepts the result', () => {
    let batch: CaseBatch = over;
    for (let tries = 0; tries < 20; tries += 1) {
      batch = applyBatch(batch, update, failed('timeout', 'ambiguous'), TRUE_TIME, NOW).data;
      const plan = planBatch(batch, NOW);
      expect(plan).toMatchObject({ kind: 'wait' });
    }
    expect(planBatch(batch, NOW + 60_000)).toMatchObject({ step: update });
    const isDone = { kind: 'done' } as const;
    batch = applyBatch(batch, update, isDone, TRUE_TIME, NOW).data;
    // One that was not answered may come behind it.
    const again = NOW + TRUE_TIME.renderAgainMs;
    expect(planBatch(batch, NOW)).toMatchObject({ kind: 'wait', until: again });
    batch = beginBatch(batch, update, TRUE_TIME, again)?.data ?? batch;
    batch = applyBatch(batch, update, isDone, TRUE_TIME, again).data;
    expect(planBatch(batch, again)).toMatchObject({ kind: 'finish' });
  });

  it('is not updated after it was deleted, while lines are being sent', () => {
    const running = { ...batchWith([waiting, waiting], queueOf([1], NOW + 60_000)) };
    const shown = { ...running, posts: [posted], told: 'less', quietUntil: NOW - 1 };
    const state = batchState(shown);
    const gone = failed('message_not_found', 'refused');
    const after = applyBatch(shown, { ...update, state }, gone, TRUE_TIME, NOW).data;
    const later = { ...after, ...queueOf([0], NOW + 60_000) };
    expect(planBatch({ ...later, queued: 2 }, NOW)).toMatchObject({
      kind: 'wait',
      until: NOW + 3_000,
    });
  });

  it('is posted again after it was deleted, for the result or a page', () => {
    const gone = failed('message_not_found', 'refused');
    const anew = applyBatch(over, update, gone, TRUE_TIME, NOW).data;
    expect(planBatch(anew, NOW)).toMatchObject({
      step: { kind: 'slot', post: 'result' },
    });
    const second = { name: 'result', channel: 'D0', ts: '2.2', gone: ['1.2'] };
    const again = take({ ...anew, posts: [second], told: told(over) }, { kind: 'page', page: 1 });
    const turned = planBatch(again, NOW);
    expect(turned).toMatchObject({ step: { kind: 'update', ts: '2.2' } });
    const step = { ...update, state: batchState(again), ts: '2.2' };
    const third = applyBatch(again, step, gone, TRUE_TIME, NOW).data;
    expect(third.posts).toEqual([{ name: 'result', channel: 'D0', gone: ['1.2', '2.2'] }]);
    expect(planBatch(third, NOW)).toMatchObject({
      step: { kind: 'slot', post: 'result' },
    });
  });

  it('stays available for at least a day', () => {
    const done = { ...over, told: told(over) };
    expect(planBatch(done, NOW)).toEqual({ kind: 'finish', keepMs: 86_400_000 });
  });
});

it('a batch that an earlier version stored goes on, and could go back to it', () => {
  const stored = `{"v":1,"by":"U0ANA","channel":"C0","announce":true,"announceIn":{"channel":"C0"},
    "place":{"spaceSlug":"eng","projectId":"tp1"},"createdAt":0,
    "lines":[{"title":"Pay","end":{"code":"created","id":"1","status":"DRAFT"}},
      {"title":"Lost","priority":"HIGH","end":{"code":"unknown"},
        "unconfirmed":{"quietAt":5,"lost":1,"hasEnded":true}},{"title":"Refund"}],
    "queue":[2],"queued":3,"phase":{"name":"send","authorizedAt":${NOW},"notBefore":${NOW},
      "sends":{"notSent":0,"limited":0}},"allowedAt":${NOW},"slot":true,"unclear":1,"run":0,"page":0,
    "posts":[{"name":"result","channel":"D0","ts":"1.2"}],"quietUntil":${NOW + 3_000},
    "told":"{\\"state\\":\\"working\\",\\"created\\":1}"}`;
  const before = decodeBatch<CaseTypes, CaseBatch>(CASE_BATCH, stored);
  expect(planBatch(before, NOW)).toMatchObject({ step: send(2) });
  const sending = beginBatch(before, send(2), TRUE_TIME, NOW)?.data ?? before;
  const { data } = applyBatch(sending, send(2), CREATED, TRUE_TIME, NOW);
  expect(data).toMatchObject({ queue: [], phase: { name: 'done' }, unclear: 0 });
  expect(states(data)).toEqual(['succeeded', 'unknown', 'succeeded']);
  // Nothing that the earlier version does not know.
  const { slot, ...known } = before;
  expect(Object.keys(data).sort()).toEqual(Object.keys(known).sort());
  expect(Object.keys(data.lines[2] ?? {}).sort()).toEqual(['end', 'title']);
});
