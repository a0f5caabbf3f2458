import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { Variant } from '../../../sandbox/service/variant.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { system } from '../../../src/core/lib/system.ts';
import {
  createServiceClient,
  type ServiceClient,
  type UsersClient,
} from '../../../src/core/service/service-client.ts';
import { failureOf } from './test-server.ts';

const ANA = '6f1c0d00-0000-4000-8000-000000000001';
let sandbox: Sandbox;
let client: ServiceClient;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => {
  sandbox.reset();
  client = clientWith(sandbox.credentials.scimToken);
  return () => client.close();
});

const clientWith = (scimToken: string) =>
  createServiceClient({ baseUrl: sandbox.serviceUrl, scimToken, ...system });
const users = (of: ServiceClient = client): UsersClient => of.users ?? expect.unreachable();
const account = (id: string) => sandbox.service.users().find((each) => each.id === id);

const everything = {
  displayName: 'Una B.',
  givenName: 'Una',
  familyName: 'Berg',
  title: 'Lead',
  externalId: 'x-una',
  department: 'Tours',
};

const variants: [string, Partial<Variant>][] = [
  ['as it usually is', {}],
  [
    'a bare array, unfiltered, in text',
    { scimList: 'array', scimFilter: 'ignored', scimActive: 'string' },
  ],
  ['filtering by address alone', { scimFilter: 'address' }],
  ['refusing filters, three rows a page', { scimFilter: 'refused', scimPageSize: 3 }],
  ['ignoring pages, taking plain JSON', { scimPaging: 'ignored', scimMedia: 'json' }],
  [
    'silent after writes',
    { scimPatchStatus: 204, scimCreateStatus: 201, scimErrorStatus: 'number' },
  ],
  ['otherwise about collisions', { scimCollision: 400, scimDeleteStatus: 200 }],
  ['plain about collisions', { scimCollision: 'plain-409', scimCreateStatus: 200 }],
];

describe.each(variants)('accounts of a service that is %s', (_what, variant) => {
  beforeEach(() => sandbox.service.setVariant(variant));

  it('are found by address and by id, and listed', async () => {
    const found = { kind: 'found', user: { id: ANA, active: true, givenName: 'Ana' } };
    expect(await users().findByEmail('Ana@example.com')).toMatchObject(found);
    expect(await users().find('id', ANA)).toMatchObject(found);
    expect(await users().find('externalId', 'x')).toEqual({ kind: 'none' });
    const ids: string[] = [];
    for await (const batch of users().pages({ filter: null })) {
      ids.push(...batch.users.map(({ id }) => id));
    }
    expect(ids).toEqual(sandbox.service.users().map(({ id }) => id));
  });

  it('are made with all their attributes', async () => {
    const outcome = await users().create({ userName: 'una@example.com', ...everything });
    expect(outcome).toMatchObject({ kind: 'provisioned', user: { ...everything, active: true } });
    const found = await users().findByEmail('una@example.com');
    expect(found).toMatchObject({ user: { ...everything, formattedName: 'Una B.' } });
  });

  it('are linked by address, but refused with a new external id', async () => {
    expect(await users().create({ userName: 'ivo@example.com' })).toMatchObject({
      kind: 'provisioned',
      user: { displayName: 'Ivo Novak', active: true },
    });
    const taken = { userName: 'ana@example.com', externalId: 'x-new' };
    expect(await users().create(taken)).toEqual({ kind: 'taken', detail: expect.any(String) });
  });

  it('are changed, by path and as one object', async () => {
    const { displayName, title, externalId, department } = everything;
    const outcome = await users().patch(ANA, [
      { op: 'add', attribute: 'title', value: title },
      { op: 'replace', attribute: 'formattedName', value: displayName },
      { op: 'replace', attribute: 'department', value: 'Before' },
      { op: 'replace', values: { externalId, department, active: false } },
    ]);
    expect(outcome).toMatchObject({ kind: 'changed' });
    expect(account(ANA)).toMatchObject({
      displayName,
      title,
      externalId,
      department,
      active: false,
    });
    await users().patch(ANA, [{ op: 'replace', values: { givenName: 'A', familyName: 'R' } }]);
    expect(account(ANA)).toMatchObject({ displayName: 'A R', givenName: 'A', familyName: 'R' });
  });

  it('are deactivated by a PATCH and by a DELETE', async () => {
    const deactivate = { op: 'replace', attribute: 'active', value: false } as const;
    const activate = { op: 'replace', attribute: 'active', value: true } as const;
    expect(await users().patch(ANA, [deactivate])).toMatchObject({ kind: 'changed' });
    expect(account(ANA)?.active).toBe(false);
    await users().patch(ANA, [activate]);
    expect(await users().delete(ANA)).toEqual({ kind: 'deactivated' });
    expect(account(ANA)?.active).toBe(false);
    expect(await users().delete('nobody')).toMatchObject({ kind: 'gone' });
    expect(await users().patch('nobody', [activate])).toMatchObject({ kind: 'gone' });
  });
});

describe('accounts of a service', () => {
  it.each([
    ['forbidden', 403, 'forbidden', 'forbidden'],
    ['absent', 404, 'absent', 'gone'],
  ] as const)(
    'that is %s can be neither read nor changed',
    async (scimAccess, status, create, change) => {
      sandbox.service.setVariant({ scimAccess });
      expect(await failureOf(users().findByEmail('ana@example.com'))).toMatchObject({ status });
      expect(await users().create({ userName: 'una@example.com' })).toMatchObject({ kind: create });
      expect(await users().patch(ANA, [])).toMatchObject({ kind: change });
      expect(await users().delete(ANA)).toMatchObject({ kind: change });
    },
  );

  it('cannot be read or deactivated with a wrong token', async () => {
    await using stranger = clientWith('another');
    expect(await failureOf(users(stranger).find('id', ANA))).toMatchObject({ status: 401 });
    expect(await users(stranger).delete(ANA)).toMatchObject({ kind: 'unauthorized' });
    expect(account(ANA)?.active).toBe(true);
  });

  it('that ignores filters and paging are reported with that', async () => {
    sandbox.service.setVariant({ scimFilter: 'ignored', scimPaging: 'ignored', scimPageSize: 5 });
    const filter = { attribute: 'displayName', operator: 'co', value: 'reyes' } as const;
    const batches = [];
    for await (const batch of users().pages({ filter })) batches.push(batch);
    expect(batches.flatMap((batch) => batch.users.map(({ id }) => id))).toEqual([ANA]);
    expect(batches.at(-1)).toMatchObject({
      ignoresFilter: true,
      ignoresPaging: true,
      totalResults: 8,
    });
  });

  it('cannot take the external id of another account', async () => {
    sandbox.service.setUser('ben@example.com', { externalId: 'x' });
    const set = { op: 'replace', attribute: 'externalId', value: 'x' } as const;
    expect(await users().patch(ANA, [set])).toMatchObject({ kind: 'taken' });
  });

  it('may exist when a create is not answered, and the list tells', async () => {
    const una = { userName: 'una@example.com' };
    sandbox.service.fault({ kind: 'dropAfter', operation: 'createUser', times: 1 });
    expect(await failureOf(users().create(una))).toMatchObject({ class: 'ambiguous' });
    expect(await users().findByEmail(una.userName)).toMatchObject({ kind: 'found' });
  });
});
