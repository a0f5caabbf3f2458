import { expect, it } from 'vitest';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { applyAuthorization } from '../../../src/operations/flow/progress.ts';
import type { Authorization } from '../../../src/operations/flow/rules.ts';
import { MOVE_RULES, type Move, type MoveTypes } from '../../../src/operations/tasks/move.ts';
import { AUTHORIZE, moveIn, NOW, readBack, SEND, SENDING, unconfirmed } from './moves.ts';

type Result = Authorization<MoveTypes>;

const apply = (move: Move, result: Result, now: number) =>
  applyAuthorization(MOVE_RULES, move, result, TRUE_TIME, now);

const ALLOWED: Result = { kind: 'allowed' };
const REFUSED: Result = { kind: 'not-allowed', code: 'not-named' };
const FAILED: Result = { kind: 'failed', failure: { class: 'ambiguous', code: 'timeout' } };

it('an authorized move is sent', () => {
  expect(apply(moveIn(AUTHORIZE), ALLOWED, NOW).data.phase).toEqual(SEND);
});

it('after a new authorization the item is read again', () => {
  const seen = moveIn({ ...SEND, readAt: NOW });
  expect(apply(seen, ALLOWED, NOW).data.phase).not.toHaveProperty('readAt');
});

it('a refused move ends, and is in the audit log', () => {
  for (const phase of [AUTHORIZE, SEND]) {
    const { data, audit } = apply(moveIn(phase), REFUSED, NOW);
    expect(data).toMatchObject({
      phase: { name: 'done' },
      outcome: { code: 'not-allowed', refusal: 'not-named' },
    });
    expect(audit).toMatchObject([
      { action: 'tasks.move.refused', actor: 'U0ANA', facts: { refusal: 'not-named' } },
    ]);
  }
});

it('a refused repeat stays unconfirmed', () => {
  expect(apply(moveIn(AUTHORIZE, { unconfirmed }), REFUSED, NOW).data.unconfirmed).toEqual(
    unconfirmed,
  );
});

it('a failed authorization is retried a few times, and nothing is sent', () => {
  let move: Move = moveIn(AUTHORIZE);
  const waits: number[] = [];
  while (move.phase.name === 'authorize') {
    const now = move.phase.notBefore;
    move = apply(move, FAILED, now).data;
    if (move.phase.name === 'authorize') waits.push(move.phase.notBefore - now);
  }
  expect(waits).toEqual([500, 1_000, 2_000]);
  expect(move.outcome).toEqual({ code: 'could-not-check' });
});

it.each([SENDING, readBack('lost'), { name: 'done' } as const])(
  'a late authorization changes nothing in $name',
  (phase) => {
    const move = moveIn(phase);
    for (const result of [ALLOWED, REFUSED, FAILED]) {
      expect(apply(move, result, NOW)).toEqual({ data: move });
    }
  },
);
