import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { system } from '../../../src/core/lib/system.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Directory } from '../../../src/core/people/directory.ts';
import { createServiceClient, type UsersClient } from '../../../src/core/service/service-client.ts';
import type { UserProfile } from '../../../src/core/service/service-user.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { Modals } from '../../../src/core/slack/modals.ts';
import type { Store } from '../../../src/core/store/store.ts';
import { accountNamed } from '../../../src/operations/accounts/account.ts';
import {
  type AccountChange,
  type Change,
  isDone,
} from '../../../src/operations/accounts/change.ts';
import { changeOperation } from '../../../src/operations/accounts/change-operation.ts';
import { resultText } from '../../../src/operations/accounts/change-result.ts';
import { digestOf } from '../../../src/operations/accounts/compare-accounts.ts';
import { foreseenIn, foreseeProvisioning } from '../../../src/operations/accounts/provisioning.ts';
import { stateOf } from '../../../src/operations/flow/operation.ts';
import { createOperationFlow, encodeSignal } from '../../../src/operations/flow/operation-flow.ts';
import { firstPhase } from '../../../src/operations/flow/sending.ts';
import { LINKS } from '../../approvals/approvals.ts';
import { cases, IS_AT_LENGTH } from '../../support/cases.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';

const WISHES = ['new', 'link', 'reactivate', 'edit', 'deactivate', 'activate'] as const;
const FAULTS = [null, 'dropBefore', 'dropAfter', '500', '429', 'unreadable', 'html'] as const;

const trial = fc.record({
  wish: fc.constantFrom(...WISHES),
  /** Of one sending after the other. */
  faults: fc.array(fc.constantFrom(...FAULTS), { maxLength: 4 }),
  /** The process dies at the sending with this number. */
  diesAt: fc.constantFrom(0, 0, 1, 2),
  /** What somebody else does, when the person has looked, or right after the first sending. */
  other: fc.constantFrom(null, null, 'title', 'deactivate', 'activate'),
  when: fc.constantFrom('looked', 'sent'),
  again: fc.boolean(),
  status: fc.constantFrom(200, 204),
});
type Trial = typeof trial extends fc.Arbitrary<infer Of> ? Of : never;

const TITLE = 'Lead';

test('an account is changed as requested or not at all, and the person is told which', {
  timeout: 300_000,
}, async () => {
  await using sandbox = await startSandbox();
  const { service } = sandbox;
  await using client = createServiceClient({
    baseUrl: sandbox.serviceUrl,
    scimToken: sandbox.credentials.scimToken,
    ...system,
  });
  const { users } = client;
  if (users === null) throw new Error('there is a token');
  const ends = new Map<string, number>();
  let count = 0;

  await fc.assert(
    fc.asyncProperty(trial, async (given) => {
      count += 1;
      const address = `p${count}@example.com`;
      service.clearFaults();
      service.setVariant({ scimPatchStatus: given.status });
      if (given.wish !== 'new') {
        const active = given.wish !== 'reactivate' && given.wish !== 'activate';
        service.setUser(address, { active, title: 'Engineer' });
      }
      const wanted = await changeFor(users, given, address);
      const account = () => service.users().find(({ userName }) => userName === address);
      const interfere = (when: Trial['when']) => {
        if (given.when !== when || account() === undefined) return;
        if (given.other === 'title') service.setUser(address, { title: 'Director' });
        if (given.other === 'deactivate') service.setUser(address, { active: false });
        if (given.other === 'activate') service.setUser(address, { active: true });
      };
      interfere('looked');
      const before = account();
      const { record, sent } = await carryOut(sandbox, users, wanted, given, () =>
        interfere('sent'),
      );
      const after = account();
      const { outcome } = record;
      const code = outcome?.code ?? '';
      ends.set(code, (ends.get(code) ?? 0) + 1);
      const text = resultText(record, stateOf(record));

      const namesakes = service.users().filter(({ userName }) => userName === address);
      expect(namesakes.length).toBeLessThanOrEqual(1);
      if (given.wish === 'reactivate') expect(sent.length).toBeLessThanOrEqual(given.again ? 6 : 3);
      const isQuiet = given.other === null || given.when === 'looked';
      if (outcome !== undefined && isDone(outcome) && isQuiet) {
        expect(outcome.unlike).toEqual([]);
        expect(after).toMatchObject(endOf(given.wish));
        expect(text).toMatch(/^:white_check_mark:/);
      }
      if (/\*Not \w/.test(text) && isQuiet) expect(after).toEqual(before);
      // Nobody's change is lost without a word.
      if (given.wish === 'edit' && given.other === 'title' && given.when === 'looked') {
        expect(outcome?.code).toBe('changed-meanwhile');
        expect(sent).toEqual([]);
      }
      if (wanted.kind === 'create' && wanted.foreseen.kind === 'new' && given.other === null) {
        expectApart(sent);
      }
    }),
    { numRuns: cases(25, 200) },
  );
  // Otherwise it proves less than it says.
  const codes = ['created-or-linked', 'linked', 'reactivated', 'deactivated', 'not-done'];
  for (const code of IS_AT_LENGTH ? ['changed', ...codes] : ['changed']) {
    expect(ends.get(code), `${code} among ${JSON.stringify([...ends])}`).toBeGreaterThan(0);
  }
});

/** How the account is when the wish is fulfilled. */
function endOf(wish: Trial['wish']): object {
  if (wish === 'edit') return { title: TITLE };
  if (wish === 'new' || wish === 'link' || wish === 'reactivate') {
    return { active: true, title: TITLE };
  }
  return { active: wish === 'activate' };
}

/** As a person asks for it, who looked before. */
async function changeFor(users: UsersClient, { wish }: Trial, address: string): Promise<Change> {
  if (wish === 'new' || wish === 'link' || wish === 'reactivate') {
    const user = { userName: address, title: TITLE };
    const foreseen = foreseenIn(await foreseeProvisioning(users, user));
    if (foreseen === null) throw new Error('it can be created');
    return { kind: 'create', user, foreseen };
  }
  const match = await users.find('userName', address);
  if (match.kind !== 'found') throw new Error('it is there');
  const account = accountNamed(match.user);
  if (wish !== 'edit') return { kind: wish, account };
  return {
    kind: 'edit',
    account,
    values: { title: TITLE },
    base: { title: digestOf(match.user.title) },
  };
}

interface Sent {
  /** In the record's time. */
  readonly at: number;
  /** It is known that nothing was done with it. */
  readonly isRefused: boolean;
}

/** What may have arrived is not sent again before nothing of it can come any more. */
function expectApart(sent: readonly Sent[]): void {
  for (const [index, { at }] of sent.entries()) {
    const last = sent[index - 1];
    if (last !== undefined && !last.isRefused) expect(at - last.at).toBeGreaterThanOrEqual(15_000);
  }
}

/** Works on the record as the loop does, in a time of its own, against the real service. */
async function carryOut(
  { service }: Sandbox,
  users: UsersClient,
  change: Change,
  { faults, diesAt, again }: Trial,
  onSent: () => void,
): Promise<{ record: AccountChange; sent: readonly Sent[] }> {
  const flow = createOperationFlow(
    changeOperation(
      coreWith({
        service: { users },
        config: {
          administrators: { users: ['U0ANA'], groups: [] },
          retention: { doneMs: 1 },
        },
        ...quietSlack(),
      }),
    ),
    TRUE_TIME,
  );
  const sent: Sent[] = [];
  let hasAgain = again;
  let record: AccountChange = {
    v: 1,
    channel: '',
    announce: false,
    run: 0,
    by: 'U0ANA',
    wish: { change },
    createdAt: 0,
    phase: firstPhase(0),
    modal: 'V1',
    posts: [],
  };
  for (let now = 1; ; now += 1) {
    const plan = flow.plan(record, now);
    if (plan.kind === 'wait') {
      now = plan.until - 1;
      continue;
    }
    if (plan.kind === 'finish') {
      if (!hasAgain) return { record, sent };
      hasAgain = false;
      const signal = { id: 's', at: now, body: encodeSignal({ kind: 'again', run: record.run }) };
      record = flow.receive(record, signal, now).data;
      continue;
    }
    const { step } = plan;
    record = flow.markAttempt(record, step, now)?.data ?? record;
    if (step.kind !== 'send') {
      record = flow.apply(record, step, await flow.execute(record, step, 'r1'), now).data;
      continue;
    }
    service.clearFaults();
    const kind = faults[sent.length] ?? null;
    const operation = change.kind === 'create' ? 'createUser' : 'patchUser';
    if (kind !== null) service.fault({ kind, operation, times: 1, retryAfter: 1 });
    const result = await flow.execute(record, step, 'r1');
    sent.push({ at: now, isRefused: result.kind === 'failed' && result.failure.status === 429 });
    if (sent.length === 1) onSent();
    if (sent.length === diesAt) {
      // Nobody folds the result; another holder finds the record when the lease ends.
      sent[sent.length - 1] = { at: now, isRefused: false };
      now += 12_000;
      continue;
    }
    record = flow.apply(record, step, result, now).data;
  }
}

/** As much of Slack and of administrators as a change needs that is shown without trouble. */
function quietSlack() {
  const person = slackPerson();
  const account: UserProfile['id'] = '6f1c0d00-0000-4000-8000-000000000001';
  return {
    timers: systemTimers,
    timing: TRUE_TIME,
    workspace: { team: 'T0ACME', enterprise: null, teams: [] },
    lookup: fake<Lookup>({
      person: async () => person,
      isMember: async () => true,
      groupMembers: async () => ({ users: [], missing: null }),
    }),
    directory: fake<Directory>({
      known: async () => ({ override: null, linkedTo: null }),
      search: async () => ({
        identity: { kind: 'linked', userId: account, active: true } as const,
        override: null,
        address: 'ana@example.com',
        account,
        linkedTo: null,
      }),
    }),
    modals: fake<Modals>({ update: async (modal) => modal }),
    links: LINKS,
    outbox: {
      post: async () => ({ channel: 'C0DEPLOYS', ts: '1.1' }),
      update: async () => {},
      findByMetadata: async () => undefined,
      readMessage: async () => undefined,
      openDirectMessage: async () => 'D0ANA',
    },
    store: fake<Store>({
      pace: async () => 0,
      pause: async () => {},
      now: () => 0,
      get: async () => undefined,
      putIfAbsent: async () => true,
    }),
  };
}
