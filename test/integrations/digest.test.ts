import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { digestOf } from '../../src/approvals/digest.ts';
import { approvalRequest } from '../../src/approvals/ways-in/approval-request.ts';
import { approvalWith } from '../approvals/approvals.ts';

/** What makes a digest of what was sent. */

const DIGEST = new URL('../../integrations/curl/digest.sh', import.meta.url).pathname;

test.each<Record<string, unknown>>([
  { title: 'Deploy 4.2' },
  { title: 'Deploy "4.2" – näher 🚀', message: 'Two\nlines\tand\u2028more.', fields: {} },
  {
    title: 'Apply plan',
    change: '+ replicas: 3\n- replicas: 2\n',
    cutFrom: { lines: 466, sha256: 'a'.repeat(64) },
    fields: { Version: '4.2', Region: 'eu & us' },
    link: 'https://ci.example.com/runs/7?tab=log',
  },
  { title: 'Deploy 4.2', fields: { Build: 42, 'Dry run': true, Ticket: null } },
  { title: 'Deploy 4.2', message: null, link: '', fields: { Ticket: null } },
])('digest.sh computes the digest of %j', async (body) => {
  const folder = await mkdtemp(join(tmpdir(), 'digest-'));
  try {
    await writeFile(join(folder, 'request.json'), JSON.stringify(body));
    const run = promisify(execFile)('/bin/sh', [DIGEST, 'request.json'], { cwd: folder });
    const { fields, cutFrom, ...texts } = approvalRequest.parse({ ...body, token: 'a-token' });
    const { message, ...untold } = approvalWith();
    // as: a request has these members
    const approval = {
      ...untold,
      ...texts,
      ...(cutFrom !== undefined && { cutFrom: { ...cutFrom, shown: 2 } }),
      ...(fields !== undefined && { fields: Object.entries(fields) }),
    } as Approval;
    expect((await run).stdout).toBe(`${digestOf(approval)}  -\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('digest.sh prints nothing for what is not a request', async () => {
  const run = promisify(execFile)('/bin/sh', [DIGEST, DIGEST]);
  await expect(run).rejects.toMatchObject({ code: expect.any(Number), stdout: '' });
});
