import { expect, test } from 'vitest';
import type { Approval } from '../../../../src/approvals/approval.ts';
import { isAskingAny } from '../../../../src/approvals/ways-in/absence/is-asking-any.ts';
import { RemoteFailure } from '../../../../src/core/lib/failure.ts';
import type { Lookup } from '../../../../src/core/slack/lookup.ts';
import { coreWith } from '../../../support/core-with.ts';
import { fake } from '../../../support/fake.ts';
import { approvalWith, NOW, routeWith } from '../../approvals.ts';

const SILENT = new RemoteFailure('silent', { class: 'ambiguous', code: 'timeout' });
const MEMBERS: Readonly<Record<string, readonly string[]>> = { S0SRE: ['U0CARL', 'U0DAN'] };

function asks(user: string, change: Partial<Approval>, groups: readonly string[] = []) {
  const recent = fake<Lookup['recent']>({
    groupMembers: async (group) => {
      const users = MEMBERS[group];
      if (users === undefined) throw SILENT;
      return { users, missing: null };
    },
  });
  const reviewers = { users: ['U0ANA'], groups, channel: false };
  const escalate = [{ after: 60_000, to: { users: ['U0LEA'], groups: [] } }];
  const core = coreWith({
    lookup: fake<Lookup>({ recent }),
    config: { routes: [routeWith({ reviewers, escalate })] },
  });
  return isAskingAny(core, approvalWith(change), [user]);
}

const absent = (ids: readonly [string], substitute: string) => ({
  absent: {
    at: NOW,
    people: [{ ids, until: NOW + 1, substitute }],
    groups: { S0SRE: ['U0CARL', 'U0LEFT'] },
  },
});

test.each<[string, boolean, string, Partial<Approval>, readonly string[]]>([
  ['somebody it names', true, 'U0ANA', {}, []],
  ['somebody it would be escalated to', true, 'U0LEA', {}, []],
  ['a member of a group', true, 'U0DAN', {}, ['S0SRE']],
  ['somebody else', false, 'U0EVE', {}, ['S0SRE']],
  ['a reviewer who was left out', false, 'U0ANA', { narrowedTo: { users: [], groups: [] } }, []],
  ['whoever may be in a group that cannot be read', true, 'U0EVE', {}, ['S0GONE']],
  ['who was away when it last asked', true, 'U0OLD', absent(['U0OLD'], 'U0SUB'), []],
  [
    'who is named for a group they have left',
    true,
    'U0LEFT',
    absent(['U0CARL'], 'U0SUB'),
    ['S0SRE'],
  ],
  ['who stood in when it last asked', true, 'U0SUB', absent(['U0OLD'], 'U0SUB'), []],
])('an absence of %s can change a request: %s', async (_, isSo, user, change, groups) => {
  expect(await asks(user, change, groups)).toBe(isSo);
});
