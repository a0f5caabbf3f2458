import { expect, it } from 'vitest';
import type { FailureFacts } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Task } from '../../../src/core/service/task.ts';
import { applyRead } from '../../../src/operations/flow/progress.ts';
import type { Read } from '../../../src/operations/flow/rules.ts';
import {
  MOVE_RULES,
  type Move,
  type MoveTypes,
  type Outcome,
} from '../../../src/operations/tasks/move.ts';
import {
  ANOTHER_TIME,
  CHILD_CHANGED,
  found,
  GONE_ELSEWHERE,
  GONE_THERE,
  moveIn,
  NOW,
  QUIET_AT,
  readBack,
  SEND,
  SENDING,
  unconfirmed,
} from './moves.ts';

type Result = Read<MoveTypes>;

const read = (task: Task): Result => ({
  kind: 'read',
  reading: { kind: 'found', task },
});
const GONE: Result = { kind: 'read', reading: { kind: 'not-found', detail: null } };
const BLIND: Result = { kind: 'read', reading: { kind: 'blind' } };
const INCOMPLETE: Result = { kind: 'read', reading: { kind: 'incomplete', noMember: 'status' } };
const failed = (failure: Partial<FailureFacts> = {}): Result => ({
  kind: 'failed',
  failure: { class: 'ambiguous', code: 'timeout', ...failure },
});

/** A look that was begun, and ends, at `at`. */
const look = (move: Move, result: Result, at: number) =>
  applyRead(MOVE_RULES, move, { plannedAt: at }, result, TRUE_TIME, at);
const LOST = moveIn(readBack('lost'), { unconfirmed });
const UNTOUCHED = found();
const KEYLESS = found({ projectId: null });

const changes = (change: object) => ({
  code: 'changed',
  changes: { added: 0, removed: 0, statuses: 0, project: false, updatedAt: null, ...change },
});

it.each<[string, Move, Result, number, object | 'looks on']>([
  // After a sending that was lost.
  ['it is there', LOST, read(GONE_THERE), NOW, { code: 'found-moved', key: 'WEB-3' }],
  ['it is untouched, and may still be moved', LOST, read(UNTOUCHED), QUIET_AT - 1, 'looks on'],
  ['it is untouched for good', LOST, read(UNTOUCHED), QUIET_AT, { code: 'not-moved' }],
  ['a status changed, and it may still be moved', LOST, read(CHILD_CHANGED), NOW, 'looks on'],
  ['a status changed', LOST, read(CHILD_CHANGED), QUIET_AT, changes({ statuses: 1 })],
  [
    'it was changed',
    LOST,
    read(ANOTHER_TIME),
    QUIET_AT,
    changes({ updatedAt: ANOTHER_TIME.updatedAt }),
  ],
  ['it is somewhere else', LOST, read(GONE_ELSEWHERE), QUIET_AT, { code: 'moved-or-changed' }],
  ['its place is not told', LOST, read({ ...KEYLESS, key: 'X-1' }), NOW, { code: 'unknown' }],
  ['it is not shown', LOST, GONE, NOW, { code: 'unknown' }],
  ['nothing can be read', LOST, BLIND, NOW, { code: 'unknown' }],
  ['the answer lacks a member', LOST, INCOMPLETE, NOW, 'looks on'],
  ['reading fails', LOST, failed(), NOW, 'looks on'],
  // After 409.
  ['409', moveIn(readBack('changed')), read(UNTOUCHED), NOW, { code: 'changed' }],
  ['409', moveIn(readBack('changed')), read(CHILD_CHANGED), NOW, changes({ statuses: 1 })],
  [
    '409, and it is where it was to go',
    moveIn(readBack('changed')),
    read(GONE_THERE),
    NOW,
    changes({ project: true, updatedAt: 'later' }),
  ],
  ['409, and nothing can be read', moveIn(readBack('changed')), BLIND, NOW, { code: 'changed' }],
  // The same sent again after one was lost.
  [
    '409 to the second, and it is there',
    moveIn(readBack('changed'), { unconfirmed }),
    read(GONE_THERE),
    QUIET_AT,
    { code: 'found-moved', key: 'WEB-3' },
  ],
  [
    '409 to the second, and nothing can be read',
    moveIn(readBack('changed'), { unconfirmed }),
    BLIND,
    QUIET_AT,
    { code: 'moved-or-changed' },
  ],
  [
    '422 to the second, and it is as it was',
    moveIn(readBack('invalid', { detail: 'No.' }), { unconfirmed }),
    read(UNTOUCHED),
    QUIET_AT,
    { code: 'invalid', detail: 'No.' },
  ],
  [
    '422 to the second, and nothing can be read',
    moveIn(readBack('invalid'), { unconfirmed }),
    BLIND,
    QUIET_AT,
    { code: 'moved-or-changed' },
  ],
  [
    'enough reading has failed',
    moveIn(readBack('lost', { reads: 4 }), { unconfirmed }),
    failed(),
    NOW,
    {
      code: 'unknown',
    },
  ],
])('the result of reading back a move when %s', (_, move, result, at, wanted) => {
  const { phase, outcome } = look(move, result, at).data;
  if (wanted === 'looks on') expect([phase.name, outcome]).toEqual(['read-back', undefined]);
  else expect([phase.name, outcome]).toEqual(['done', wanted]);
});

it('a lost move is read back less and less often, and once more when it can no longer arrive', () => {
  const times: number[] = [];
  let move = LOST;
  while (move.phase.name === 'read-back') {
    const { notBefore } = move.phase;
    times.push(notBefore - NOW);
    move = look(move, read(UNTOUCHED), notBefore).data;
  }
  expect(times).toEqual([0, 1_000, 3_000, 8_000, 17_000]);
  expect(move.outcome).toEqual({ code: 'not-moved' });
});

it('a read waits as long as the service says', () => {
  const { phase } = look(LOST, failed({ status: 429, retryAfterMs: 30_000 }), NOW).data;
  expect(phase).toMatchObject({ name: 'read-back', reads: 1, notBefore: NOW + 30_000 });
});

it('a call left behind by a dead process counts as lost', () => {
  const { data } = look(moveIn(SENDING), read(UNTOUCHED), NOW + 12_000);
  expect(data).toMatchObject({
    phase: { name: 'read-back', why: 'lost' },
    unconfirmed: { ...unconfirmed, hasEnded: false },
  });
  expect(look(moveIn(SENDING), read(GONE_THERE), NOW + 12_000).data.outcome).toEqual({
    code: 'found-moved',
    key: 'WEB-3',
  });
});

it.each<[string, Result, Outcome['code'] | undefined]>([
  ['is as it was reviewed', read(UNTOUCHED), undefined],
  ['changed below', read(CHILD_CHANGED), 'changed'],
  ['was moved meanwhile', read(GONE_THERE), 'changed'],
  // The service decides.
  ['is not shown', GONE, undefined],
  ['cannot be read', failed(), undefined],
  ['lacks a member', INCOMPLETE, undefined],
  ['does not tell where it is', read({ ...KEYLESS, key: 'X-1' }), undefined],
])('the read before sending, for an item that %s', (_, result, code) => {
  const { data } = look(moveIn(SEND), result, NOW + 1);
  expect(data.outcome?.code).toBe(code);
  if (code === undefined) expect(data.phase).toEqual({ ...SEND, readAt: NOW + 1 });
});

it('a late read changes nothing about a finished move', () => {
  const over = moveIn({ name: 'done' }, { outcome: { code: 'not-moved' } });
  expect(look(over, read(GONE_THERE), NOW).data).toBe(over);
});
