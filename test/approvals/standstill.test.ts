import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { blockedIn, standstillsOf } from '../../src/approvals/lists.ts';
import { plan } from '../../src/approvals/plan.ts';
import { encodeSignal } from '../../src/approvals/receive.ts';
import { applyResult, type StepResult } from '../../src/approvals/steps/steps.ts';
import { approvalWith, attempted, NOW, received, termsWith, WAITING } from './approvals.ts';

const post = {
  kind: 'post',
  part: 'message',
  channel: 'C0PROD',
  face: WAITING,
  plannedAt: NOW,
} as const;
const begun = attempted(
  approvalWith({ parts: [{ name: 'message', channel: 'C0PROD' }] }),
  post,
  NOW,
);
const refusal: StepResult = {
  kind: 'failed',
  failure: { class: 'refused', code: 'not_in_channel', status: 200 },
};
const posted: StepResult = { kind: 'posted', channel: 'C0PROD', ts: '17.5' };

function ended(approval: Approval, result: StepResult): Approval {
  return applyResult(approval, post, result, termsWith(), NOW).data;
}

function woken(approval: Approval): Approval {
  const signal = {
    id: 'woken',
    at: NOW,
    body: encodeSignal({ kind: 'woken', list: blockedIn('C0PROD') }),
  };
  return received(approval, signal);
}

/** What is next, once administrators know. */
function next(approval: Approval) {
  return plan({ ...approval, alarms: [] }, termsWith(), NOW);
}

describe('an approval that Slack does not take', () => {
  const blocked = ended(begun, refusal);

  test('stands on the list of its channel until it tries again', () => {
    expect(standstillsOf(blocked)).toEqual([blockedIn('C0PROD')]);
    expect(next(blocked)).toMatchObject({ kind: 'wait' });
    expect(standstillsOf(woken(blocked))).toEqual([]);
    expect(next(woken(blocked))).toMatchObject({ step: { kind: 'turn' } });
  });

  test('is not woken while its turn comes, or its post is on its way', () => {
    const turn = { kind: 'turn', part: 'message', channel: 'C0PROD' } as const;
    const result = { kind: 'turn', waitMs: 900 } as const;
    const turned = applyResult(woken(blocked), turn, result, termsWith(), NOW).data;
    const trying = attempted(turned, post, NOW + 900);
    for (const busy of [turned, trying]) {
      expect(standstillsOf(busy)).toEqual([]);
      expect(woken(busy)).toEqual(busy);
    }
  });

  test('wakes the next ones once it stands in Slack, found or posted', () => {
    const trying = attempted(woken(blocked), post, NOW);
    const found = applyResult(
      trying,
      { kind: 'find', part: 'message', channel: 'C0PROD', plannedAt: NOW },
      posted,
      termsWith(),
      NOW,
    ).data;
    for (const done of [ended(trying, posted), found]) {
      expect(done.wakes).toEqual([blockedIn('C0PROD')]);
      expect(standstillsOf(done)).toEqual([]);
    }
  });

  test('wakes nobody when it is refused again, and stands on the list again', () => {
    const again = ended(attempted(woken(blocked), post, NOW), refusal);
    expect(again).not.toHaveProperty('wakes');
    expect(standstillsOf(again)).toEqual([blockedIn('C0PROD')]);
  });
});

test('an approval that is posted at once wakes nobody and is on no list', () => {
  expect(ended(begun, posted)).not.toHaveProperty('wakes');
  expect(standstillsOf(ended(begun, posted))).toEqual([]);
  expect(standstillsOf(begun)).toEqual([]);
});
