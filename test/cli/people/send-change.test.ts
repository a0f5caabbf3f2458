import { expect, test } from 'vitest';
import type { PatientUsers } from '../../../src/cli/people/patient-users.ts';
import { type SendNeeds, sendChange } from '../../../src/cli/people/send-change.ts';
import { RemoteFailure } from '../../../src/lib/failure.ts';
import type { UserProfile } from '../../../src/service/service-user.ts';

const ANA: UserProfile = {
  ...{ id: '1', userName: 'ana@example.com', externalId: null, active: true, displayName: null },
  ...{ formattedName: null, givenName: null, familyName: null, title: null, department: null },
};

const no = async () => expect.unreachable();
const deactivating = { kind: 'deactivate', account: ANA, values: { active: false } } as const;

function needsOf(users: Partial<PatientUsers>): SendNeeds {
  const all = { find: no, create: no, patch: no, delete: no, ...users };
  return { users: all, sleep: async () => {}, onLost() {} };
}

test('an account is looked up by its address where a service knows no ids in filters', async () => {
  const needs = needsOf({
    patch: async () => ({ kind: 'changed', user: null }),
    find: async (key) =>
      key === 'userName' ? { kind: 'found', user: { ...ANA, active: false } } : { kind: 'none' },
  });
  const result = await sendChange(needs, deactivating);
  expect(result).toMatchObject({ kind: 'done', account: { active: false } });
});

test('who interrupts what is sent once more reads that it is not known', async () => {
  let sent = 0;
  const needs = needsOf({
    async patch() {
      sent += 1;
      if (sent === 1) throw new RemoteFailure('patch user', { class: 'ambiguous', code: 'reset' });
      throw new DOMException('interrupted', 'AbortError');
    },
    find: async () => ({ kind: 'found', user: ANA }),
  });
  expect(await sendChange(needs, deactivating)).toEqual({ kind: 'unknown' });
});
