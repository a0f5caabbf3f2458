import { expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { listsOf } from '../../src/approvals/decision/lists-of.ts';
import { encodeApproval } from '../../src/approvals/stored-approval.ts';
import { checkRequesters } from '../../src/cli/doctor/requester-check.ts';
import type { Config, Route } from '../../src/core/config/config.ts';
import { system } from '../../src/core/lib/system.ts';
import { Memory } from '../../src/core/store/memory/memory-store.ts';
import type { NewRecord } from '../../src/core/store/store.ts';
import { approvalWith, routeWith } from '../approvals/approvals.ts';
import { fake } from '../support/fake.ts';

/** What `doctor` says of these requests, each with its source. */
async function said(
  asked: readonly (readonly [source: string, change: Partial<Approval>])[],
  route: Partial<Route> = {},
) {
  await using store = new Memory(system).openStore();
  for (const [source, change] of asked) {
    const { token, ...rest } = approvalWith({ source, ...change });
    const approval = { ...rest, key: 'deploy/1' };
    const record: NewRecord = {
      kind: 'approval',
      data: encodeApproval(approval),
      lane: 'people',
      dueInMs: 60_000,
      place: { channel: 'C0PROD', message: '17.1' },
      lists: listsOf(approval),
      audit: [],
    };
    await store.create(record, { hold: false });
  }
  const config = fake<Config>({ routes: [routeWith(route)] });
  return await checkRequesters(
    fake<Parameters<typeof checkRequesters>[0]>({ config, store: async () => store }),
  );
}

const known = { requester: { user: 'U0BEN', known: true } };

test('doctor names the sources that did not say who asked in any of their last requests', async () => {
  const found = await said([
    ['quiet', {}],
    ['quiet', { requester: { name: 'CI', known: false } }],
    ['open', known],
    ['mixed', {}],
    ['mixed', known],
    ['mixed', known],
  ]);
  expect(found.ok).toBe(true);
  expect(found.detail).toMatch(
    /in requests of (?=.*quiet \(2 of the last 2\))(?=.*mixed \(1 of the last 3\))(?!.*open).*: reviewers could approve their own/,
  );
  expect(found.fix).toMatch(/requester: known/);
});

test('doctor has nothing to say where requesters are known, or need not be', async () => {
  expect((await said([['open', known]])).fix).toBeNull();
  expect((await said([])).fix).toBeNull();
  expect((await said([['gatepost doctor', {}]])).fix).toBeNull();
  expect((await said([['quiet', {}]], { selfApproval: true })).fix).toBeNull();
  expect((await said([['quiet', {}]], { requester: 'known' })).fix).toBeNull();
});
