import { expect, it } from 'vitest';
import { foldChecked } from '../../src/tasks/fold-checked.ts';
import type { Move } from '../../src/tasks/move.ts';
import type { MoveStepResult } from '../../src/tasks/move-step.ts';
import { CHECK, lookPhase, moveIn, NOW, QUIET_AT, SEND, SENDING } from './moves.ts';

const ALLOWED: MoveStepResult = { kind: 'allowed' };
const REFUSED: MoveStepResult = { kind: 'not-allowed', code: 'not-named' };
const FAILED: MoveStepResult = { kind: 'failed', failure: { class: 'ambiguous', code: 'timeout' } };

it('lets it be sent when the person may', () => {
  expect(foldChecked(moveIn(CHECK), ALLOWED, NOW).data.phase).toEqual(SEND);
});

it('looks at the item anew when the person was asked about anew', () => {
  const seen = moveIn({ ...SEND, seenAt: NOW });
  expect(foldChecked(seen, ALLOWED, NOW).data.phase).not.toHaveProperty('seenAt');
});

it('ends it when the person may not, for the audit log too', () => {
  for (const phase of [CHECK, SEND]) {
    const { data, audit } = foldChecked(moveIn(phase), REFUSED, NOW);
    expect(data).toMatchObject({
      phase: { name: 'over' },
      outcome: { code: 'not-allowed', refusal: 'not-named' },
    });
    expect(audit).toMatchObject([
      { action: 'tasks.move.refused', actor: 'U0ANA', facts: { refusal: 'not-named' } },
    ]);
  }
});

it('goes on wondering about what was lost when the person may not send it again', () => {
  const doubt = { quietAt: QUIET_AT };
  expect(foldChecked(moveIn(CHECK, { doubt }), REFUSED, NOW).data.doubt).toEqual(doubt);
});

it('asks a few times when Slack does not tell, and lets nobody in meanwhile', () => {
  let move: Move = moveIn(CHECK);
  const waits: number[] = [];
  while (move.phase.name === 'check') {
    const now = move.phase.notBefore;
    move = foldChecked(move, FAILED, now).data;
    if (move.phase.name === 'check') waits.push(move.phase.notBefore - now);
  }
  expect(waits).toEqual([500, 1_000, 2_000]);
  expect(move.outcome).toEqual({ code: 'could-not-check' });
});

it.each([SENDING, lookPhase('lost'), { name: 'over' } as const])(
  'comes too late for $name',
  (phase) => {
    const move = moveIn(phase);
    for (const result of [ALLOWED, REFUSED, FAILED]) {
      expect(foldChecked(move, result, NOW)).toEqual({ data: move });
    }
  },
);
