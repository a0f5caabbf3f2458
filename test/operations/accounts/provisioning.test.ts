import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { system } from '../../../src/core/lib/system.ts';
import {
  createServiceClient,
  type ServiceClient,
} from '../../../src/core/service/service-client.ts';
import { findAccount } from '../../../src/operations/accounts/account.ts';
import {
  foreseeProvisioning,
  provisioningSentence,
} from '../../../src/operations/accounts/provisioning.ts';

let sandbox: Sandbox;
let client: ServiceClient;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = createServiceClient({
    baseUrl: sandbox.serviceUrl,
    scimToken: sandbox.credentials.scimToken,
    ...system,
  });
  return () => client.close();
});
afterAll(() => sandbox.close());
beforeEach(() => {
  sandbox.reset();
  sandbox.service.setUser('ben@example.com', { externalId: 'x-ben' });
  sandbox.service.setUser('della@example.com', { externalId: 'x-della' });
});

const users = () => client.users ?? expect.unreachable();
const accounts = () => sandbox.service.users();

/** What the service does, told by what became of its accounts. */
async function done(user: { userName: string; externalId?: string }) {
  const before = accounts();
  const outcome = await users().create(user);
  if (outcome.kind !== 'provisioned') return { kind: 'collision' };
  const old = before.find(({ id }) => id === outcome.user?.id);
  if (old === undefined) return { kind: 'new' };
  return { kind: old.active ? 'link' : 'reactivate', account: { id: old.id } };
}

describe('the preview of creating an account', () => {
  it.each([
    ['an address that nobody has', { userName: 'una@example.com' }, 'new'],
    ['one that nobody has, and an id', { userName: 'una@example.com', externalId: 'x' }, 'new'],
    ['the address of an account', { userName: 'Ana@Example.com' }, 'link'],
    ['the address of a deactivated account', { userName: 'ivo@example.com' }, 'reactivate'],
    [
      'the external id of an account',
      { userName: 'other@example.com', externalId: 'x-ben' },
      'link',
    ],
    [
      'that of a deactivated account',
      { userName: 'ana@example.com', externalId: 'x-della' },
      'reactivate',
    ],
    [
      'a taken address with a new id',
      { userName: 'ana@example.com', externalId: 'x' },
      'collision',
    ],
  ])('matches what the service does for %s', async (_what, wanted, kind) => {
    const foreseen = await foreseeProvisioning(users(), wanted);
    expect(foreseen.kind).toBe(kind);
    expect(foreseen).toMatchObject(await done(wanted));
  });

  it('reports several accounts with the same address', async () => {
    sandbox.service.setUser('ANA@example.com', {});
    const foreseen = await foreseeProvisioning(users(), { userName: 'ana@example.com' });
    expect(foreseen).toEqual({ kind: 'several', attribute: 'userName' });
  });

  it('says that it is uncertain if the service lists only some accounts', async () => {
    sandbox.service.setVariant({ scimFilter: 'ignored', scimPaging: 'ignored', scimPageSize: 3 });
    const foreseen = await foreseeProvisioning(users(), { userName: 'ivo@example.com' });
    expect(foreseen).toEqual({ kind: 'new', isPartial: true, mayLink: true });
    expect(provisioningSentence(foreseen, 'ivo@example.com')).toMatch(/one that it does not list/);
  });

  it('has a sentence before and after the creation', async () => {
    const said = async (userName: string, externalId?: string) => {
      const foreseen = await foreseeProvisioning(users(), {
        userName,
        ...(externalId !== undefined && { externalId }),
      });
      return provisioningSentence(foreseen, userName);
    };
    expect(await said('una@example.com')).toMatchInlineSnapshot(
      `"This creates an account for una@example.com. If the service has one that it does not list, that account is linked instead, and re-activated if it is deactivated."`,
    );
    expect(await said('una@example.com', 'x')).toMatchInlineSnapshot(
      `"This creates an account for una@example.com."`,
    );
    expect(await said('ana@example.com')).toMatchInlineSnapshot(
      `"This links to Ana Reyes (ana@example.com), which already exists."`,
    );
    expect(await said('ivo@example.com')).toMatchInlineSnapshot(
      `"This re-activates Ivo Novak (ivo@example.com), which is deactivated."`,
    );
    expect(await said('new@example.com', 'x-ben')).toMatchInlineSnapshot(
      `"This links to Ben Okafor (ben@example.com), which already exists. It was found by its external id and keeps its own address."`,
    );
    expect(await said('ana@example.com', 'x')).toMatchInlineSnapshot(
      `"An account has this address, and the service shows no external id for it. Nothing was linked. It is Ana Reyes (ana@example.com). To link to it, leave out the external id; it can be set afterwards."`,
    );
    expect(await said('ben@example.com', 'x')).toMatchInlineSnapshot(
      `"An account with another external id has this address. Nothing was linked. It is Ben Okafor (ben@example.com). To link to it, leave out the external id; it can be changed afterwards."`,
    );
  });
});

describe('an account', () => {
  it('is found by its address or its id', async () => {
    const ana = accounts().find(({ userName }) => userName === 'ana@example.com');
    const found = { kind: 'found', user: { id: ana?.id } };
    expect(await findAccount(users(), ' Ana@example.com ')).toMatchObject(found);
    expect(await findAccount(users(), ana?.id ?? '')).toMatchObject(found);
    expect(await findAccount(users(), 'nobody')).toEqual({ kind: 'none' });
    expect(await findAccount(users(), ' ')).toEqual({ kind: 'none' });
  });
});
