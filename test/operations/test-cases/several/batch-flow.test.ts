import { describe, expect, it } from 'vitest';
import { attemptAt } from '../../../../src/core/engine/attempt.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import {
  applyBatch,
  beginBatch,
} from '../../../../src/operations/test-cases/several/apply-batch.ts';
import {
  type BatchPress,
  type BatchRecord,
  type BatchResult,
  batchState,
  countsOf,
  type Line,
  lineState,
} from '../../../../src/operations/test-cases/several/batch.ts';
import {
  encodeBatchSignal,
  planBatch,
  receiveBatchSignal,
} from '../../../../src/operations/test-cases/several/batch-flow.ts';
import { batchMessage } from '../../../../src/operations/test-cases/several/batch-message.ts';
import { queueOf } from '../../../../src/operations/test-cases/several/queue.ts';
import { batchWith, places } from './batches.ts';

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

const sends = { notSent: 0, limited: 0 };
const sendingPhase = {
  name: 'sending',
  attempt: attemptAt({ plannedAt: NOW }, TRUE_TIME, NOW),
  sends,
} as const;
const send = (line: number, plannedAt = NOW) => ({ kind: 'send', line, plannedAt }) as const;
const states = (batch: BatchRecord) => batch.lines.map(lineState);
const take = (batch: BatchRecord, signal: BatchPress) =>
  receiveBatchSignal(batch, { id: 's', at: NOW, body: encodeBatchSignal(signal) }, NOW).data;

const posted = { name: 'result', channel: 'D0', ts: '1.2' };
const told = (batch: BatchRecord) => JSON.stringify(batchState(batch));

describe('a line is done', () => {
  const batch = batchWith([waiting, waiting], { ...queueOf([0, 1], 0), phase: sendingPhase });

  it('when its call has a result, and the next line follows', () => {
    const after = applyBatch(batch, send(0), CREATED, TRUE_TIME, NOW).data;
    expect(states(after)).toEqual(['created', 'unsent']);
    expect(after).toMatchObject({ queue: [1], phase: { name: 'send' } });
    expect(applyBatch(batch, send(0), REFUSED, TRUE_TIME, NOW).data.queue).toEqual([1]);
  });

  it('by a late confirmation, even while the next line is being sent', () => {
    const later = batchWith([lost, waiting], { ...queueOf([1], 0), phase: sendingPhase });
    const after = applyBatch(later, send(0, 5), CREATED, TRUE_TIME, NOW).data;
    expect(states(after)).toEqual(['created', 'unsent']);
    expect(after).toMatchObject({ queue: [1], phase: sendingPhase });
    expect(after.lines[0]).not.toHaveProperty('unconfirmed');
  });

  it('by a late confirmation, before it is sent again', () => {
    const again = batchWith([lost, created], queueOf([0], NOW));
    const after = applyBatch(again, send(0, 5), CREATED, TRUE_TIME, NOW).data;
    expect(after).toMatchObject({ queue: [], phase: { name: 'done' } });
    expect(states(after)).toEqual(['created', 'created']);
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

describe('between two lines', () => {
  const phase = { name: 'send', authorizedAt: NOW, notBefore: NOW, sends } as const;
  const batch = batchWith([waiting, waiting], { ...queueOf([0, 1], 0), phase, posts: [posted] });
  const slot = (from: BatchRecord, waitMs: number, now: number) => {
    const { data } = applyBatch(from, { kind: 'budget' }, { kind: 'slot', waitMs }, TRUE_TIME, now);
    return { ...data, told: told(data) };
  };

  it('the batch waits for its slot in the budget', () => {
    const shown = { ...batch, told: told(batch) };
    expect(planBatch(shown, { keepMs: 1 }, NOW)).toEqual({
      kind: 'step',
      step: { kind: 'budget' },
    });
    const later = { kind: 'wait', until: NOW + 700, lane: 'people' };
    expect(planBatch(slot(shown, 700, NOW), { keepMs: 1 }, NOW)).toEqual(later);
    expect(planBatch(slot(shown, 0, NOW), { keepMs: 1 }, NOW)).toMatchObject({ step: send(0) });
  });
});

describe('all lines stop', () => {
  const batch = batchWith([created, waiting, waiting], queueOf([1, 2], 0));

  it('when the person is no longer authorized', () => {
    const result = { kind: 'not-allowed', code: 'guest' } as const;
    const { data, audit } = applyBatch(batch, { kind: 'authorize' }, result, TRUE_TIME, NOW);
    expect(data).toMatchObject({ queue: [], phase: { name: 'done' } });
    expect(data.stopped).toEqual({ code: 'not-allowed', refusal: 'guest' });
    expect(countsOf(data)).toEqual({ created: 1, unknown: 0, failed: 0, unsent: 2 });
    expect(audit).toMatchObject([{ action: 'test-cases.refused', facts: { line: 2 } }]);
  });

  it('when the suite that they share is refused', () => {
    const sending = { ...batch, phase: sendingPhase };
    const detail = 'suiteId is no suite.';
    const result = { ...REFUSED, answer: { kind: 'invalid', detail } } as BatchResult; // as: see above
    expect(applyBatch(sending, send(1), result, TRUE_TIME, NOW).data.queue).toEqual([]);
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
    expect(planBatch(ready, { keepMs: 1 }, NOW)).toEqual({
      kind: 'wait',
      until: NOW + 9_000,
      lane: 'people',
    });
    expect(planBatch(ready, { keepMs: 1 }, NOW + 9_000)).toMatchObject({
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
  const { blocks } = batchMessage('0-a', batch, batchState(batch), places);
  const text = JSON.stringify(blocks);
  expect(text).toContain('May exist twice: an earlier attempt may have created another one.');
  expect(text.match(/may exist twice/g)).toHaveLength(1);
  expect(text.indexOf('may exist twice')).toBeLessThan(text.indexOf('2. Refused'));
});

describe('the progress of a batch', () => {
  it('does not count lines that are still to be sent', () => {
    const again = batchWith([created, refused, refused, lost], queueOf([2], NOW));
    expect(batchState(again)).toMatchObject({ created: 1, failed: 1, unknown: 1, done: 0 });
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
    expect(planBatch(shown, { keepMs: 1 }, NOW)).toMatchObject({ until: NOW + 3_000 });
    const ended = { ...over, told: 'less', quietUntil: NOW + 3_000 };
    expect(planBatch(ended, { keepMs: 1 }, NOW)).toMatchObject({ step: { kind: 'update' } });
  });

  it('is updated until Slack accepts the result', () => {
    let batch: BatchRecord = over;
    for (let tries = 0; tries < 20; tries += 1) {
      batch = applyBatch(batch, update, failed('timeout', 'ambiguous'), TRUE_TIME, NOW).data;
      const plan = planBatch(batch, { keepMs: 1 }, NOW);
      expect(plan).toMatchObject({ kind: 'wait' });
    }
    expect(planBatch(batch, { keepMs: 1 }, NOW + 60_000)).toMatchObject({ step: update });
    const isDone = { kind: 'done' } as const;
    batch = applyBatch(batch, update, isDone, TRUE_TIME, NOW).data;
    // One that was not answered may come behind it.
    const again = NOW + TRUE_TIME.renderAgainMs;
    expect(planBatch(batch, { keepMs: 1 }, NOW)).toMatchObject({ kind: 'wait', until: again });
    batch = beginBatch(batch, update, TRUE_TIME, again)?.data ?? batch;
    batch = applyBatch(batch, update, isDone, TRUE_TIME, again).data;
    expect(planBatch(batch, { keepMs: 1 }, again)).toMatchObject({ kind: 'finish' });
  });

  it('is not updated after it was deleted, while lines are being sent', () => {
    const running = { ...batchWith([waiting, waiting], queueOf([1], NOW + 60_000)) };
    const shown = { ...running, posts: [posted], told: 'less', quietUntil: NOW - 1 };
    const state = batchState(shown);
    const gone = failed('message_not_found', 'refused');
    const after = applyBatch(shown, { ...update, state }, gone, TRUE_TIME, NOW).data;
    const later = { ...after, ...queueOf([0], NOW + 60_000) };
    expect(planBatch({ ...later, queued: 2 }, { keepMs: 1 }, NOW)).toMatchObject({
      kind: 'wait',
      until: NOW + 3_000,
    });
  });

  it('is posted again after it was deleted, for the result or a page', () => {
    const gone = failed('message_not_found', 'refused');
    const anew = applyBatch(over, update, gone, TRUE_TIME, NOW).data;
    expect(planBatch(anew, { keepMs: 1 }, NOW)).toMatchObject({
      step: { kind: 'slot', post: 'result' },
    });
    const second = { name: 'result', channel: 'D0', ts: '2.2', gone: ['1.2'] };
    const again = take({ ...anew, posts: [second], told: told(over) }, { kind: 'page', page: 1 });
    const turned = planBatch(again, { keepMs: 1 }, NOW);
    expect(turned).toMatchObject({ step: { kind: 'update', ts: '2.2' } });
    const step = { ...update, state: batchState(again), ts: '2.2' };
    const third = applyBatch(again, step, gone, TRUE_TIME, NOW).data;
    expect(third.posts).toEqual([{ name: 'result', channel: 'D0', gone: ['1.2', '2.2'] }]);
    expect(planBatch(third, { keepMs: 1 }, NOW)).toMatchObject({
      step: { kind: 'slot', post: 'result' },
    });
  });

  it('stays available for at least a day', () => {
    const done = { ...over, told: told(over) };
    expect(planBatch(done, { keepMs: 1 }, NOW)).toEqual({ kind: 'finish', keepMs: 86_400_000 });
  });
});
