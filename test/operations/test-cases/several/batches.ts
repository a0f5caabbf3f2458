import type { BatchRecord, Line } from '../../../../src/operations/test-cases/several/batch.ts';
import { queueOf } from '../../../../src/operations/test-cases/several/queue.ts';

export const places = {
  catalogue: {
    testProjects: [{ id: 'tp1', name: 'Checkout'.repeat(20), space: 'eng', suites: [] }],
  },
  links: { testCase: `https://service.example/${'x'.repeat(400)}/{testProjectId}/{id}` },
  cases: { announce: true },
};

/** A batch whose lines are so; it is over unless `change` says otherwise. */
export function batchWith(lines: readonly Line[], change: Partial<BatchRecord> = {}): BatchRecord {
  return {
    v: 1,
    by: 'U0ANA',
    channel: 'C0',
    place: { spaceSlug: 'eng', projectId: 'tp1' },
    lines,
    announce: true,
    createdAt: 0,
    ...queueOf([], 0),
    allowedAt: 0,
    run: 0,
    page: 0,
    posts: [],
    ...change,
  };
}
