import { expect, test } from 'vitest';
import type { Approval } from '../../../src/approvals/approval.ts';
import { hashed } from '../../../src/approvals/ways-in/sender.ts';
import { takeReport } from '../../../src/approvals/ways-in/take-report.ts';
import type { Core } from '../../../src/core/core.ts';
import { approvalWith, NOW } from '../approvals.ts';

/** What is answered without any effect: nothing of the core is needed for it. */

// as: whatever is used of it fails
const core = {} as Core;
const APPROVED = { status: 'APPROVED', credit: 'certain', by: ['U0ANA'], learnedAt: NOW } as const;

async function detailOf(approval: Approval, sent: Parameters<typeof takeReport>[3]) {
  const taken = await takeReport(core, '0-1', approval, sent);
  return 'refused' in taken ? [taken.refused.status, taken.refused.body] : taken;
}

test.each([
  ['is open', {}, 'not approved yet'],
  ['was rejected', { outcome: { ...APPROVED, status: 'REJECTED' } }, 'was rejected'],
  ['timed out', { outcome: { ...APPROVED, status: 'TIMED_OUT' } }, 'timed out'],
  ['was withdrawn', { withdrawnAt: NOW }, 'was withdrawn'],
] as const)('no result is taken while the request %s', async (_what, change, words) => {
  const refused = [409, expect.stringContaining(words)];
  expect(await detailOf(approvalWith(change), { state: 'succeeded' })).toEqual(refused);
});

test.each(['running', 'failed'] as const)(
  'of an approval that is %s, another run is refused',
  async (state) => {
    const result = { reports: [{ at: NOW, state }], claim: hashed('run 1') } as const;
    const approval = approvalWith({ outcome: APPROVED, result });
    const own = await detailOf(approval, { state: 'running', claim: 'run 1' });
    expect(own).toEqual({ approval });
    const other = await detailOf(approval, { state: 'running', claim: 'run 2' });
    expect(other).toEqual([409, expect.stringContaining('runs once')]);
  },
);
