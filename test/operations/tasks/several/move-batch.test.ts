import { describe, expect, it } from 'vitest';
import { attemptAt } from '../../../../src/core/engine/attempt.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import { applyBatch, beginBatch } from '../../../../src/operations/batch/apply-batch.ts';
import { type BatchResult, batchState } from '../../../../src/operations/batch/batch.ts';
import { linesFor, planBatch } from '../../../../src/operations/batch/batch-flow.ts';
import { queueOf } from '../../../../src/operations/batch/queue.ts';
import type { Operation } from '../../../../src/operations/flow/operation.ts';
import type { Places } from '../../../../src/operations/tasks/destinations.ts';
import type { MoveTypes } from '../../../../src/operations/tasks/move.ts';
import { tooManyStatuses } from '../../../../src/operations/tasks/sentences.ts';
import {
  MOVE_BATCH,
  type MoveBatch,
  type MoveLine,
  wishOf,
} from '../../../../src/operations/tasks/several/move-batch.ts';
import { moveBatchViews } from '../../../../src/operations/tasks/several/move-batch-views.ts';
import { LINKS } from '../../../approvals/approvals.ts';
import { coreWith } from '../../../support/core-with.ts';
import { draftOf, found, NOW } from '../moves.ts';

const { reference, from, readAt, target, choices } = draftOf();
const PLACES: Places = {
  catalogue: { projects: [] },
  move: {
    source: 'http',
    who: { users: [], groups: [], channel: false },
    projects: [],
    identity: 'omit',
    rules: [],
    announce: true,
  },
  links: { task: 'https://service.example/{key}' },
};
const lineOf = (id: string, change: Partial<MoveLine> = {}): MoveLine => {
  const item = { ...found(), id, key: `OPS-${id}`, subItems: [], status: 'open' };
  return { reference, from, readAt, item, ...change };
};

function batchWith(lines: readonly MoveLine[], change: Partial<MoveBatch> = {}): MoveBatch {
  return {
    ...{ v: 1, by: 'U0ANA', channel: 'C0', announce: true, createdAt: 0 },
    ...{ target, choices, draftId: 'd', lines, ...queueOf([...lines.keys()], 0) },
    ...{ allowedAt: 0, run: 0, page: 0, posts: [{ name: 'result', channel: 'D0', ts: '1.2' }] },
    ...change,
  };
}

const sends = { notSent: 0, limited: 0 };
const ready = { name: 'send', authorizedAt: NOW, notBefore: NOW, sends, readAt: NOW } as const;
const sending = {
  name: 'sending',
  attempt: attemptAt({ plannedAt: NOW }, TRUE_TIME, NOW),
  sends,
} as const;
const send = { kind: 'send', line: 0, plannedAt: NOW } as const;
const operation = (remembers: boolean): Operation<MoveTypes> => ({
  rules: MOVE_BATCH.rules,
  authorize: async () => ({ kind: 'allowed' }),
  send: null,
  keepMs: 1,
  ...(remembers && { remember: async () => {} }),
});
const planned = (record: MoveBatch, remembers = false) => {
  const told = JSON.stringify(batchState(MOVE_BATCH.rules, record));
  const batch = { ...MOVE_BATCH, operation: operation(remembers) };
  return planBatch(batch, { ...record, told }, NOW);
};
const apply = (record: MoveBatch, step: typeof send, result: BatchResult<MoveTypes>) =>
  applyBatch(MOVE_BATCH, record, step, result, TRUE_TIME, NOW).data;

const MOVED = {
  kind: 'answered',
  answer: {
    kind: 'moved',
    id: '1',
    key: 'WEB-1',
    spaceSlug: null,
    projectSlug: null,
    movedCount: 1,
    droppedFieldCount: 0,
  },
} as const satisfies BatchResult<MoveTypes>;
const answered = (answer: object) => ({ kind: 'answered', answer }) as BatchResult<MoveTypes>; // as: only what counts

describe('each item', () => {
  it('is sent with the statuses of its own tree alone', () => {
    const other = lineOf('2', { item: { ...found(), status: 'done', subItems: [] } });
    const record = batchWith([lineOf('1'), other]);
    expect(wishOf(record, 0).draft.choices).toEqual([{ from: 'open', to: 'todo' }]);
    expect(wishOf(record, 1).draft.choices).toEqual([{ from: 'done', to: 'done' }]);
  });

  it('is authorized for its own project, before the slot of its call', () => {
    const allowed = { phase: sending, slot: true as const, allowedAt: NOW };
    const record = batchWith([lineOf('1'), lineOf('2')], allowed);
    const next = apply(record, send, MOVED);
    expect(next).toMatchObject({ queue: [1], phase: { name: 'authorize' } });
    expect(batchState(MOVE_BATCH.rules, next).state).toBe('working');
    expect(planned(next)).toMatchObject({ step: { kind: 'authorize' } });
    const { slot, ...unslotted } = { ...next, phase: ready };
    expect(planned(unslotted)).toMatchObject({ step: { kind: 'budget' } });
    expect(planned({ ...unslotted, slot: true })).toMatchObject({ step: { kind: 'send' } });
  });

  it('is read before it is sent, and what moved is noted before anybody reads of it', () => {
    const { readAt: _, ...unread } = ready;
    const record = batchWith([lineOf('1'), lineOf('2')], {
      phase: unread,
      slot: true,
      allowedAt: NOW,
    });
    expect(planned(record)).toMatchObject({ step: { kind: 'read', line: 0 } });
    const moved = apply({ ...record, phase: sending }, send, MOVED);
    expect(planned(moved, true)).toMatchObject({ step: { kind: 'remember', line: 0 } });
    const untold = { ...moved, told: 'less' };
    const remembering = { ...MOVE_BATCH, operation: operation(true) };
    expect(planBatch(remembering, untold, NOW)).toMatchObject({ step: { kind: 'remember' } });
    const noted = applyBatch(
      MOVE_BATCH,
      moved,
      { kind: 'remember', line: 0 },
      { kind: 'done' },
      TRUE_TIME,
      NOW,
    ).data;
    expect(planned(noted, true)).toMatchObject({ step: { kind: 'authorize' } });
  });

  it('whose answer was lost is read back first, and the next one waits', () => {
    const failure = { class: 'ambiguous', code: 'timeout', status: null, detail: null } as const;
    const lost = { kind: 'failed', failure } as unknown as BatchResult<MoveTypes>; // as: only what counts
    const record = apply(batchWith([lineOf('1'), lineOf('2')], { phase: sending }), send, lost);
    expect(record).toMatchObject({ queue: [0, 1], phase: { name: 'read-back', why: 'lost' } });
    expect(record.lines[0]).toHaveProperty('unconfirmed');
    expect(planned(record)).toMatchObject({ step: { kind: 'read', line: 0 } });
  });

  it('whose lost call comes late is read before it is sent, in its turn', () => {
    const failure = { class: 'ambiguous', code: 'timeout' } as const;
    const lines = [lineOf('1'), lineOf('2')];
    const late = { ...send, line: 1 } as const;
    const lost = { kind: 'failed', failure } as const;
    const ahead = batchWith(lines, { phase: sending });
    const record = applyBatch(MOVE_BATCH, ahead, late, lost, TRUE_TIME, NOW).data;
    expect(record).toMatchObject({
      queue: [0, 1],
      phase: sending,
      lines: [{}, { unconfirmed: {} }],
    });
    const { readAt: _, ...unread } = ready;
    const turn = { ...record, queue: [1], phase: unread, allowedAt: NOW };
    const there = { ...lineOf('2').item, projectId: target.projectId, key: 'WEB-2' };
    const read = { kind: 'read', reading: { kind: 'found', task: there } } as const;
    const step = { kind: 'read', line: 1, plannedAt: NOW } as const;
    expect(
      applyBatch(MOVE_BATCH, turn, step, read, TRUE_TIME, NOW).data.lines[1]?.end,
    ).toMatchObject({ code: 'found-moved' });
  });
});

describe('a refusal', () => {
  it.each(['forbidden', 'not-found', 'invalid'])('of one item (%s) stops no other', (kind) => {
    const record = batchWith([lineOf('1'), lineOf('2')], { phase: sending });
    const next = apply(record, send, answered({ kind }));
    expect(next).toMatchObject({ queue: [1], lines: [{ end: { code: kind } }, {}] });
    expect(next).not.toHaveProperty('stopped');
  });

  it('that all would share stops them', () => {
    const record = batchWith([lineOf('1'), lineOf('2')], { phase: sending });
    const next = apply(record, send, answered({ kind: 'unauthorized' }));
    expect(next).toMatchObject({ queue: [], stopped: { code: 'unauthorized' } });
    const denied = (code: 'guest' | 'not-from') => {
      const allowance = { kind: 'not-allowed', code } as const;
      const asked = batchWith([lineOf('1'), lineOf('2')]);
      return applyBatch(MOVE_BATCH, asked, { kind: 'authorize' }, allowance, TRUE_TIME, NOW).data;
    };
    expect(denied('guest').queue).toEqual([]);
    expect(denied('not-from').queue).toEqual([1]);
    // Nothing is promised before one of them is allowed.
    expect(batchState(MOVE_BATCH.rules, denied('not-from')).state).toBe('authorizing');
  });
});

it('a press repeats what can be sent as it was reviewed, and alone what asks first', () => {
  const unconfirmed = { quietAt: 0, lost: 1, hasEnded: true };
  const record = batchWith(
    [
      lineOf('1', { end: { code: 'found-moved', key: null } }),
      lineOf('2', { end: { code: 'not-moved' } }),
      lineOf('3', { end: { code: 'unknown' }, unconfirmed }),
      lineOf('4', { end: { code: 'changed' } }),
      lineOf('5'),
      lineOf('6', { end: { code: 'busy' } }),
    ],
    queueOf([], 0),
  );
  expect(linesFor(MOVE_BATCH, record, { kind: 'again', run: 0 })).toEqual([4, 5]);
  const alone = record.lines.map((_, line) =>
    linesFor(MOVE_BATCH, record, { kind: 'again-one', run: 0, line }),
  );
  expect(alone).toEqual([[], [1], [2], [], [], [5]]);
  expect(linesFor(MOVE_BATCH, record, { kind: 'again', run: 1 })).toEqual([]);
});

it('nothing is sent before the attempt is noted, for good', () => {
  const record = batchWith([lineOf('1')], { phase: ready, slot: true });
  const noted = beginBatch(MOVE_BATCH, record, send, TRUE_TIME, NOW);
  expect(noted).toMatchObject({ durable: true, data: { phase: { name: 'sending' } } });
  expect(noted?.audit).toMatchObject([{ action: 'tasks.move.send', facts: { line: 1 } }]);
});

it('the channel reads “sent” if it is not known that the person moved all of them', () => {
  const moved = {
    end: { code: 'moved', key: 'WEB-1', spaceSlug: null, projectSlug: null },
  } as const;
  const certain = { end: { ...moved.end, movedCount: 1, droppedFieldCount: 0 } };
  const found = { end: { code: 'found-moved', key: 'WEB-2' } } as const;
  const { announcement } = moveBatchViews(coreWith({ config: PLACES, links: LINKS }));
  const headOf = (...lines: Partial<MoveLine>[]) =>
    announcement?.(batchWith(lines.map((line) => lineOf('1', line)))).text.split('\n')[0];
  expect(headOf(certain, certain)).toMatch(/^2 work items moved to/);
  expect(headOf(certain, found)).toMatch(/^2 work items sent to/);
});

it('too many statuses are said with how to split', () => {
  expect(tooManyStatuses(97, ['OPS-1', 'OPS-2', 'OPS-3'])).toBe(
    'These work items and their sub-items use 97 different statuses. A form in Slack can hold 90. Move fewer at once: those from OPS-1 to OPS-3 first, and then the others.',
  );
  expect(tooManyStatuses(97, ['OPS-1'])).toContain('Move OPS-1 on its own, and then the others.');
  expect(tooManyStatuses(97, [])).toContain('Move them in the service.');
});
