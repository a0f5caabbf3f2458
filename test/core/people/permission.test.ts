import { expect, it } from 'vitest';
import type { IdentityRule } from '../../../src/core/config/config.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Directory } from '../../../src/core/people/directory.ts';
import type { Identity } from '../../../src/core/people/identity.ts';
import { authorizeWithAccount } from '../../../src/core/people/permission.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import { StoreError } from '../../../src/core/store/store.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';

const ANA = slackPerson();
const LINKED: Identity = { kind: 'linked', userId: 'a', active: true };

interface World {
  readonly person?: Partial<SlackPerson>;
  readonly identity?: Identity | RemoteFailure | StoreError;
  readonly rule?: IdentityRule;
  readonly users?: readonly string[];
  /** Of the channel where they press, whose members can decide. */
  readonly members?: readonly string[];
  readonly presses?: string;
}

/** The result of an authorization of Ana, and what happened during it. */
async function ask(world: World) {
  const { person, identity = LINKED, rule = 'require', users = ['U0ANA'], members } = world;
  const told: string[] = [];
  const looks: string[] = [];
  const ahead: object[] = [];
  const core = coreWith({
    timers: systemTimers,
    timing: TRUE_TIME,
    workspace: { team: 'T0ACME', enterprise: null, teams: [] },
    lookup: fake<Lookup>({
      person: async () => ({ ...ANA, ...person }),
      isMember: async (_channel, user) => members?.includes(user) ?? false,
      groupMembers: async () => ({ users: [], missing: null }),
    }),
    async raise({ text }) {
      told.push(text);
    },
    ages: { monotonic: () => 7 },
    directory: fake<Directory>({
      readAhead: ({ id, email }, { since }) => void ahead.push({ id, email, since }),
      async serviceUserFor({ id }, reading) {
        looks.push(id);
        expect(reading?.since).toBe(7);
        if (identity instanceof Error) throw identity;
        return { identity, address: null, account: null, alsoKnownAs: [] };
      },
    }),
  });
  const who = { users, groups: [], channel: members !== undefined };
  const asker = { user: world.presses ?? 'U0ANA', channel: 'C0DEPLOYS' };
  const permission = await authorizeWithAccount(core, { who, identity: rule }, asker);
  const verdict = permission.kind === 'not-allowed' ? permission.code : permission.kind;
  return { permission, verdict, told, looks, ahead };
}

const conflict = (kind: 'changed' | 'lost' | 'taken'): Identity => ({
  kind,
  user: 'U0ANA',
  linkedTo: 'a',
  found: 'b',
  holder: null,
});

it.each<[Identity, string, string]>([
  [LINKED, 'allowed', 'allowed'],
  [{ kind: 'linked', userId: null, active: true }, 'allowed', 'allowed'],
  [{ kind: 'none' }, 'not-linked', 'allowed'],
  [{ kind: 'not-shown' }, 'account-not-shown', 'account-not-shown'],
  [{ kind: 'no-address' }, 'no-address', 'allowed'],
  [{ kind: 'no-directory' }, 'no-directory', 'allowed'],
  // No id is sent for the person.
  [{ kind: 'no-external-id' }, 'allowed', 'allowed'],
  [{ kind: 'inactive' }, 'inactive', 'inactive'],
  [{ kind: 'unknown-activity' }, 'activity-unknown', 'activity-unknown'],
  [{ kind: 'several' }, 'several-accounts', 'several-accounts'],
  [conflict('changed'), 'account-changed', 'account-changed'],
  [conflict('lost'), 'account-lost', 'account-lost'],
  [conflict('taken'), 'account-taken', 'account-taken'],
])('an account that is %j', async (identity, required, omitted) => {
  expect((await ask({ identity })).verdict).toBe(required);
  expect((await ask({ identity, rule: 'omit' })).verdict).toBe(omitted);
});

it('authorizes a member of the channel by either of their ids', async () => {
  const member = { person: { globalId: 'W0ANA' }, users: [], members: ['U0ANA'] };
  for (const presses of ['U0ANA', 'W0ANA']) {
    expect(await ask({ ...member, presses })).toMatchObject({ verdict: 'allowed' });
  }
  expect(await ask({ ...member, members: [] })).toMatchObject({ verdict: 'not-named' });
});

it('reads the account each time, but only for people who are named', async () => {
  expect((await ask({})).looks).toEqual(['U0ANA']);
  expect(await ask({ users: [] })).toMatchObject({ verdict: 'not-named', looks: [] });
});

it('starts to look up an account before Slack says who the person is', async () => {
  expect((await ask({ users: [] })).ahead).toEqual([{ id: 'U0ANA', email: null, since: 7 }]);
});

it('lets an override authorize a person with an unconfirmed address', async () => {
  const asked = await ask({ person: { isEmailConfirmed: false } });
  expect(asked).toMatchObject({ verdict: 'allowed', looks: ['U0ANA'] });
});

it('neither authorizes nor denies when the account cannot be read, and raises an alert if that will last', async () => {
  const failure = (kind: 'ambiguous' | 'refused', status: number) =>
    new RemoteFailure('list users', { class: kind, code: `http_${status}`, status });
  const silent = await ask({ identity: failure('ambiguous', 502) });
  expect(silent).toMatchObject({ permission: { kind: 'failed', of: 'service' }, told: [] });
  expect(await ask({ identity: failure('refused', 429) })).toMatchObject({ told: [] });
  const { verdict, told } = await ask({ identity: failure('refused', 401) });
  expect([verdict, told.length]).toEqual(['failed', 1]);
  expect(told[0]).toContain('(401)');
});

it('neither authorizes nor denies while the store cannot say whose account it is', async () => {
  const away = new StoreError('unavailable', 'get: not connected to Redis');
  const { permission, told } = await ask({ identity: away });
  expect(permission).toMatchObject({ kind: 'failed', of: 'store' });
  expect(told).toEqual([]);
});

it('tells administrators of somebody whose address several accounts have', async () => {
  const { verdict, told } = await ask({ identity: { kind: 'several' } });
  expect(verdict).toBe('several-accounts');
  expect(told).toEqual([expect.stringMatching(/^<@U0ANA> cannot move .* several accounts/)]);
  expect((await ask({ identity: { kind: 'none' } })).told).toEqual([]);
});

it('a person in an organisation can be named by either of their ids', async () => {
  const ofBoth = { globalId: 'W0ANA' };
  expect((await ask({ person: ofBoth, users: ['W0ANA'] })).verdict).toBe('allowed');
  expect((await ask({ users: ['W0ANA'] })).verdict).toBe('not-named');
});
