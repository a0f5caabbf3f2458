import { expect, it } from 'vitest';
import type { FailureFacts } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { MoveOutcome } from '../../../src/core/service/move-task.ts';
import { applyRead, applySent, beginSend } from '../../../src/operations/flow/progress.ts';
import type { Sent } from '../../../src/operations/flow/rules.ts';
import { MOVE_RULES, type Move, type MoveTypes } from '../../../src/operations/tasks/move.ts';
import {
  AUTHORIZE,
  GONE_THERE,
  moveIn,
  NOW,
  QUIET_AT,
  readBack,
  SEND,
  SENDING,
  SENDS,
  unconfirmed,
} from './moves.ts';

type Result = Sent<MoveTypes>;

const MOVED = {
  kind: 'moved',
  id: '1',
  key: 'WEB-3',
  spaceSlug: 'eng',
  projectSlug: 'website',
  movedCount: 3,
  droppedFieldCount: 0,
} as const;
const { kind: _kind, id: _id, ...facts } = MOVED;
const AS_MOVED = { code: 'moved', ...facts };

const answered = (answer: MoveOutcome): Result => ({ kind: 'answered', answer });
const refused = (kind: Exclude<MoveOutcome['kind'], 'moved'>, detail: string | null = null) =>
  answered({ kind, detail });
const failed = (failure: FailureFacts): Result => ({ kind: 'failed', failure });

const fold = (move: Move, result: Result, plannedAt = NOW) =>
  applySent(MOVE_RULES, move, { plannedAt }, result, TRUE_TIME, NOW + 1_000);
const SENT = moveIn(SENDING);
const SENT_AGAIN = moveIn(SENDING, { unconfirmed });
const LIMITED = { class: 'refused', code: 'http_429', status: 429 } as const;

/** Every row of Interface 7.1, and every way in which there is no answer. */
it.each<[string, Move, Result, object]>([
  ['200', SENT, answered(MOVED), { phase: { name: 'done' }, outcome: AS_MOVED }],
  [
    '401',
    SENT,
    refused('unauthorized', 'Who?'),
    { outcome: { code: 'unauthorized', detail: 'Who?' } },
  ],
  ['403', SENT, refused('forbidden'), { outcome: { code: 'forbidden' } }],
  ['404', SENT, refused('not-found'), { outcome: { code: 'not-found' } }],
  ['409', SENT, refused('changed'), { phase: readBack('changed') }],
  ['422', SENT, refused('invalid', 'No.'), { outcome: { code: 'invalid', detail: 'No.' } }],
  [
    '429',
    SENT,
    failed({ ...LIMITED, retryAfterMs: 9_000 }),
    { phase: { name: 'authorize', sends: { limited: 1 } } },
  ],
  [
    '429 for the third time',
    moveIn({ ...SENDING, sends: { ...SENDS, limited: 2 } }),
    failed(LIMITED),
    { outcome: { code: 'busy' } },
  ],
  [
    'another 4xx',
    SENT,
    failed({ class: 'refused', code: 'http_418', status: 418 }),
    { outcome: { code: 'refused' } },
  ],
  [
    'no connection',
    SENT,
    failed({ class: 'not-sent', code: 'refused' }),
    { phase: { name: 'authorize', sends: { notSent: 1 } } },
  ],
  [
    'no answer',
    SENT,
    failed({ class: 'ambiguous', code: 'timeout' }),
    { phase: readBack('lost'), unconfirmed },
  ],
  ['no key', SENT, { kind: 'no-key' }, { outcome: { code: 'no-key' } }],
  // The same sent again after one was lost: the first one may be why it is refused.
  ['200 to the second', SENT_AGAIN, answered(MOVED), { outcome: AS_MOVED }],
  [
    '409 to the second',
    SENT_AGAIN,
    refused('changed'),
    { phase: readBack('changed'), unconfirmed },
  ],
  [
    '422 to the second',
    SENT_AGAIN,
    refused('invalid', 'No.'),
    { phase: readBack('invalid', { detail: 'No.' }), unconfirmed },
  ],
  [
    '403 to the second',
    SENT_AGAIN,
    refused('forbidden'),
    { outcome: { code: 'forbidden' }, unconfirmed },
  ],
])('the move after the answer %s', (_, move, result, wanted) => {
  const { data } = fold(move, result);
  const at = (phase: object) =>
    'notBefore' in phase ? { ...phase, notBefore: NOW + 1_000 } : phase;
  expect(data).toMatchObject(
    'phase' in wanted ? { ...wanted, phase: at(wanted.phase as object) } : wanted,
  );
  if ('outcome' in wanted) expect(data.phase).toEqual({ name: 'done' });
  else expect(data.outcome).toBeUndefined();
});

it('a lost attempt is no longer unconfirmed once the service confirms the move', () => {
  expect(fold(SENT_AGAIN, answered(MOVED)).data.unconfirmed).toBeUndefined();
});

const UNKNOWN = moveIn({ name: 'done' }, { outcome: { code: 'unknown' }, unconfirmed });

it.each<[string, Move]>([
  ['the item is looked for', moveIn(readBack('lost'), { unconfirmed })],
  ['nobody could tell', UNKNOWN],
  [
    'the same is on its way again',
    moveIn(
      { ...SENDING, attempt: { plannedAt: NOW + 9, mustEndBy: NOW + 5_009 } },
      { unconfirmed },
    ),
  ],
])('a late confirmation of the service is accepted: %s', (_, move) => {
  const { data, audit } = fold(move, answered(MOVED));
  expect(data).toMatchObject({ phase: { name: 'done' }, outcome: AS_MOVED });
  expect(audit).toMatchObject([{ action: 'tasks.move.outcome', facts: { outcome: 'moved' } }]);
});

it('a move that was found in the destination is not reported again by a late confirmation', () => {
  const there = moveIn({ name: 'done' }, { outcome: { code: 'found-moved', key: 'WEB-3' } });
  expect(fold(there, answered(MOVED))).toEqual({ data: there });
});

it.each<[string, Result]>([
  ['answer that refuses it', refused('forbidden')],
  ['failure that refuses it', failed({ class: 'refused', code: 'http_418', status: 418 })],
  ['call that was not sent', failed({ class: 'not-sent', code: 'refused' })],
  ['call without a key', { kind: 'no-key' }],
])('a late %s changes nothing', (_, result) => {
  for (const move of [UNKNOWN, moveIn(AUTHORIZE), SENT]) {
    const late = move === SENT ? NOW + 1 : NOW;
    expect(fold(move, result, late)).toEqual({ data: move });
  }
});

const NO_ANSWER = failed({ class: 'ambiguous', code: 'timeout' });
/** Its end arrives at `NOW + 1_000`. */
const LOST_LATE = { quietAt: QUIET_AT + 1_000, lost: 1, hasEnded: true };

it('a move that is the effect of a call whose note the store lost is found', () => {
  const { data } = fold(moveIn(SEND), NO_ANSWER);
  expect(data).toMatchObject({ phase: { name: 'read-back' }, unconfirmed: LOST_LATE });
  const reading = { kind: 'found', task: GONE_THERE } as const;
  const read = { kind: 'read', reading } as const;
  const found = applyRead(MOVE_RULES, data, { plannedAt: NOW }, read, TRUE_TIME, NOW).data;
  expect(found.outcome).toEqual({ code: 'found-moved', key: GONE_THERE.key });
});

it('a refusal of the second call may be the effect of one whose note the store lost', () => {
  const { data } = fold(SENT, NO_ANSWER, NOW - 3_000);
  expect(data).toEqual({ ...SENT, unconfirmed: LOST_LATE });
  expect(fold(data, refused('invalid')).data.phase.name).toBe('read-back');
});

it('the attempt is recorded before the call, in the audit log too', () => {
  const { data, audit } = beginSend(MOVE_RULES, moveIn(SEND), { plannedAt: NOW }, TRUE_TIME, NOW);
  expect(data.phase).toEqual(SENDING);
  expect(audit).toEqual([
    {
      action: 'tasks.move.send',
      record: null,
      actor: 'U0ANA',
      facts: { task: '1', project: 'web' },
    },
  ]);
});
