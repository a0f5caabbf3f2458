import { expect, test } from 'vitest';
import type { NewAlert } from '../../../src/core/alerts/raise-alert.ts';
import type { Directory, Search } from '../../../src/core/people/directory.ts';
import type { UsersClient } from '../../../src/core/service/service-client.ts';
import type { UserProfile } from '../../../src/core/service/service-user.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import { tellOfLeaver } from '../../../src/operations/accounts/leavers.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';

const ANA: UserProfile = {
  ...{ id: 'a1', userName: 'ana@example.com', externalId: null, active: true, displayName: 'Ana' },
  ...{ formattedName: null, givenName: null, familyName: null, title: null, department: null },
};

const UNLINKED: Search = {
  ...{ identity: { kind: 'none' }, override: null, address: null, account: null, linkedTo: null },
};

interface LeaverWorld {
  readonly search?: Partial<Search>;
  readonly listed?: UserProfile;
  /** Whether Slack shows them as deactivated when it is asked. */
  readonly now?: boolean;
}

/** What administrators are told of somebody who leaves; `listed`: the account with their address. */
async function toldOf(
  leaver: Partial<SlackPerson>,
  { search = {}, listed, now = true }: LeaverWorld = {},
): Promise<readonly NewAlert[]> {
  const told: NewAlert[] = [];
  const byAddress = listed ? ({ kind: 'found', user: listed } as const) : NOBODY;
  const core = coreWith({
    config: { accounts: { tellOfLeavers: true } },
    service: {
      users: fake<UsersClient>({ find: async () => NOBODY, findByEmail: async () => byAddress }),
    },
    lookup: fake<Lookup>({ person: async () => slackPerson({ ...leaver, deleted: now }) }),
    directory: fake<Directory>({ search: async () => ({ ...UNLINKED, ...search }) }),
    workspace: { team: 'T0ACME', enterprise: 'E0ACME', teams: ['T0ALLY'] },
    raise: async (alert) => void told.push(alert),
  });
  await tellOfLeaver(core, slackPerson({ deleted: true, ...leaver }));
  return told;
}

const NOBODY = { kind: 'none' } as const;

test.each<[string, Partial<SlackPerson>, number]>([
  ['a member', {}, 1],
  ['a guest', { isGuest: true }, 1],
  ['a colleague in the organisation', { teamId: 'T0ELSE', enterpriseId: 'E0ACME' }, 1],
  ['a member of another allowed workspace', { teamId: 'T0ALLY' }, 0],
  ['a stranger', { isStranger: true }, 0],
  ['a bot', { isBot: true }, 0],
])('whether %s who leaves is reported', async (_, leaver, count) => {
  expect(await toldOf(leaver, { listed: ANA })).toHaveLength(count);
});

test.each<[string, Partial<Search>]>([
  ['the configuration', { override: 'hidden' }],
  ['their first decision', { linkedTo: 'hidden' }],
])('a leaver whose account, known from %s, is not listed is reported', async (_, search) => {
  expect(await toldOf({}, { search })).toMatchObject([
    { text: expect.stringContaining('shows no account of theirs, but perhaps not all') },
  ]);
  expect(await toldOf({})).toEqual([]);
});

test('a leaver whose address Slack does not show is reported', async () => {
  expect(await toldOf({ email: null })).toMatchObject([
    { text: expect.stringMatching(/shows Gatepost no address .* Check with `\/people`\.$/) },
  ]);
});

test('somebody who is back when a late event arrives is not reported', async () => {
  expect(await toldOf({}, { listed: ANA, now: false })).toEqual([]);
});
