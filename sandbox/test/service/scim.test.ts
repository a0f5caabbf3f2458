import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox.ts';
import type { Variant } from '../../service/variant.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { askService, type Question } from './ask-service.ts';
import { BJENSEN } from './rfc-user.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const ANA = '6f1c0d00-0000-4000-8000-000000000001';
const BEN = '6f1c0d00-0000-4000-8000-000000000002';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const ask = (path: string, question: Question) =>
  askService(sandbox, `/api/scim/v2/Users${path}`, {
    contentType: 'application/scim+json',
    ...question,
  });
const post = (attributes: object, question: Question = {}) =>
  ask('', { body: { schemas: [CORE], ...attributes }, ...question });
const patch = (id: string, ...operations: object[]) =>
  ask(`/${id}`, {
    method: 'PATCH',
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: operations,
    },
  });
const remove = (id: string) => ask(`/${id}`, { method: 'DELETE' });
const user = (id: string) =>
  sandbox.service.users().find((each) => each.id === id) ?? expect.unreachable();
const everybody = () => JSON.stringify(sandbox.service.users());
/** As the list shows it. */
async function shown(id: string): Promise<unknown> {
  const { json } = await ask(`?filter=${encodeURIComponent(`id eq "${id}"`)}`, {});
  const { Resources } = Object(json);
  return Resources[0];
}

describe('creating a user', () => {
  it('needs only a userName; the name is the part before the @', async () => {
    const { status, type, json } = await post({ userName: 'una.berg@example.com' });
    expect(status).toBe(201);
    expect(type).toContain('application/scim+json');
    expect(json).toMatchObject({
      schemas: [CORE],
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      userName: 'una.berg@example.com',
      displayName: 'una.berg',
      name: { formatted: 'una.berg' },
      active: true,
      meta: { resourceType: 'User' },
    });
    expect(sandbox.service.users()).toHaveLength(9);
  });

  it('accepts the user of RFC 7643, with the attributes that the service knows', async () => {
    const { id: _, meta: __, ...sent } = BJENSEN;
    const { status, json } = await ask('', { body: sent });
    expect(status).toBe(201);
    const { id } = Object(json);
    expect(id).not.toBe(BJENSEN.id);
    expect(json).toEqual({
      schemas: BJENSEN.schemas,
      id,
      externalId: '701984',
      userName: 'bjensen@example.com',
      name: { formatted: 'Babs Jensen', givenName: 'Barbara', familyName: 'Jensen' },
      displayName: 'Babs Jensen',
      title: 'Tour Guide',
      active: true,
      [ENTERPRISE]: { department: 'Tour Operations' },
      meta: { resourceType: 'User' },
    });
    expect(await shown(id)).toEqual(json);
  });

  it.each([
    [
      { displayName: 'Una B.', name: { formatted: 'Una', givenName: 'U', familyName: 'B' } },
      'Una B.',
    ],
    [{ name: { formatted: 'Una Berg', givenName: 'U' } }, 'Una Berg'],
    [{ name: { givenName: 'Una', familyName: 'Berg' } }, 'Una Berg'],
    [{ name: { familyName: 'Berg' } }, 'Berg'],
    [{ name: { honorificPrefix: 'Dr' } }, 'una'],
  ])('with %j names it %s', async (attributes, displayName) => {
    const { json } = await post({ userName: 'una@example.com', ...attributes });
    expect(json).toMatchObject({ displayName, name: { formatted: displayName } });
  });

  it.each([
    [{}],
    [{ userName: ' ' }],
    [{ userName: 7 }],
    [{ userName: 'una@example.com', active: 'maybe' }],
    [{ userName: 'una@example.com', title: 5 }],
    [{ userName: 'una@example.com', schemas: [] }],
    [{ userName: 'una@example.com', schemas: CORE }],
  ])('is refused for %j', async (attributes) => {
    const before = everybody();
    expect(await post(attributes)).toMatchObject({
      status: 400,
      json: {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
        status: '400',
        scimType: expect.stringMatching(/^invalid(Value|Syntax)$/),
        detail: expect.any(String),
      },
    });
    expect(everybody()).toBe(before);
  });
});

describe('creating a user matches', () => {
  it('first by externalId, whatever the address', async () => {
    sandbox.service.setUser(ANA, { externalId: 'x-ana' });
    const answer = await post({ userName: 'ben@example.com', externalId: 'x-ana', title: 'Lead' });
    expect(answer).toMatchObject({
      status: 200,
      json: { id: ANA, userName: 'ana@example.com', externalId: 'x-ana', title: 'Lead' },
    });
    expect(sandbox.service.users()).toHaveLength(8);
  });

  it('an externalId exactly, an address in any case', async () => {
    sandbox.service.setUser(ANA, { externalId: 'x-ana' });
    expect(await post({ userName: 'new@example.com', externalId: 'X-ANA' })).toMatchObject({
      status: 201,
    });
    expect(await post({ userName: 'ANA@Example.com' })).toMatchObject({
      status: 200,
      json: { id: ANA, userName: 'ana@example.com' },
    });
  });

  it('by the address when no externalId is sent, and keeps omitted attributes', async () => {
    sandbox.service.setUser(BEN, { title: 'Engineer', externalId: 'x-ben' });
    expect(await post({ userName: 'ben@example.com', department: 'ignored' })).toMatchObject({
      status: 200,
      json: { id: BEN, displayName: 'Ben Okafor', title: 'Engineer', externalId: 'x-ben' },
    });
    expect(user(BEN)).toMatchObject({ department: null, origin: 'scim' });
  });

  it('nobody with an unknown externalId, and fails if the address is taken', async () => {
    const before = everybody();
    expect(await post({ userName: 'Ben@example.com', externalId: 'x-new' })).toMatchObject({
      status: 409,
      json: { status: '409', scimType: 'uniqueness', detail: expect.any(String) },
    });
    expect(everybody()).toBe(before);
    expect(await post({ userName: 'una@example.com', externalId: 'x-new' })).toMatchObject({
      status: 201,
    });
  });

  it.each([
    ['refused', 409, 9],
    ['made', 201, 10],
  ] as const)('no account created by SCIM: a twin is %s', async (scimTwins, status, count) => {
    sandbox.service.setVariant({ scimTwins });
    await post({ userName: 'una@example.com' });
    expect(await post({ userName: 'una@example.com', externalId: 'x-una' })).toMatchObject({
      status,
    });
    expect(await post({ userName: 'ben@example.com', externalId: 'x-ben' })).toMatchObject({
      status: 409,
    });
    expect(sandbox.service.users()).toHaveLength(count);
  });

  it.each([
    [{}, true],
    [{ active: 'False' }, false],
  ])('a deactivated account and re-activates it with %j: %s', async (attributes, active) => {
    expect(await post({ userName: 'ivo@example.com', ...attributes })).toMatchObject({
      status: 200,
      json: { displayName: 'Ivo Novak', active },
    });
  });
});

describe('changing a user', () => {
  it.each<[string, unknown, object]>([
    ['active', false, { active: false }],
    ['active', 'False', { active: false }],
    ['displayName', 'A. R.', { displayName: 'A. R.', name: { formatted: 'A. R.' } }],
    ['name.formatted', 'A. R.', { displayName: 'A. R.', name: { formatted: 'A. R.' } }],
    ['name.givenName', 'Anita', { displayName: 'Anita Reyes', name: { givenName: 'Anita' } }],
    ['name.familyName', 'Ruiz', { displayName: 'Ana Ruiz', name: { familyName: 'Ruiz' } }],
    ['title', 'Lead', { title: 'Lead' }],
    ['externalId', 'x-ana', { externalId: 'x-ana' }],
    [`${ENTERPRISE}:department`, 'Tours', { [ENTERPRISE]: { department: 'Tours' } }],
    [`${CORE}:title`, 'Lead', { title: 'Lead' }],
    ['NAME.GIVENNAME', 'Anita', { displayName: 'Anita Reyes' }],
    ['name', { givenName: 'A', familyName: 'R' }, { displayName: 'A R' }],
    [ENTERPRISE, { department: 'Tours' }, { [ENTERPRISE]: { department: 'Tours' } }],
  ])('sets %s to %j', async (path, value, expected) => {
    for (const op of ['replace', 'add', 'Replace', 'ADD']) {
      sandbox.reset();
      const answer = await patch(ANA, { op, path, value });
      expect(answer).toMatchObject({ status: 200, json: { id: ANA, ...expected } });
      expect(await shown(ANA)).toEqual(answer.json);
    }
  });

  it.each([
    [
      {
        active: false,
        title: 'Lead',
        name: { givenName: 'Anita' },
        [ENTERPRISE]: { department: 'T' },
      },
    ],
    [
      {
        active: 'false',
        title: 'Lead',
        'name.givenName': 'Anita',
        [`${ENTERPRISE}:department`]: 'T',
      },
    ],
    [
      {
        ACTIVE: 'False',
        TITLE: 'Lead',
        NAME: { GIVENNAME: 'Anita' },
        [ENTERPRISE]: { Department: 'T' },
      },
    ],
  ])('sets several attributes without a path: %j', async (value) => {
    expect(await patch(ANA, { op: 'replace', value })).toMatchObject({
      status: 200,
      json: {
        active: false,
        title: 'Lead',
        displayName: 'Anita Reyes',
        [ENTERPRISE]: { department: 'T' },
      },
    });
  });

  it('keeps a display name until a name is set', async () => {
    await patch(ANA, { op: 'replace', path: 'displayName', value: 'Chief' });
    const titled = await patch(ANA, { op: 'replace', path: 'title', value: 'Lead' });
    expect(titled).toMatchObject({ json: { displayName: 'Chief' } });
    const renamed = await patch(ANA, { op: 'replace', path: 'name.givenName', value: 'Anita' });
    expect(renamed).toMatchObject({ json: { displayName: 'Anita Reyes' } });
  });

  it('applies its operations in order', async () => {
    const answer = await patch(
      ANA,
      { op: 'replace', path: 'displayName', value: 'Chief' },
      { op: 'replace', path: 'title', value: 'One' },
      { op: 'add', path: 'title', value: 'Two' },
      { op: 'replace', value: { name: { familyName: 'Ruiz' } } },
    );
    expect(answer).toMatchObject({ json: { title: 'Two', displayName: 'Ana Ruiz' } });
  });

  it.each<[string, object]>([
    ['mutability', { op: 'replace', path: 'userName', value: 'ana@example.org' }],
    ['mutability', { op: 'replace', value: { title: 'x', USERNAME: 'ana@example.org' } }],
    ['mutability', { op: 'replace', path: 'id', value: 'x' }],
    ['invalidPath', { op: 'replace', path: 'nickName', value: 'Babs' }],
    ['invalidPath', { op: 'add', path: 'emails[type eq "work"].value', value: 'a@example.org' }],
    ['invalidPath', { op: 'replace', path: `${ENTERPRISE}:costCenter`, value: '1' }],
    ['invalidPath', { op: 'replace', path: 'department', value: 'Tours' }],
    ['invalidPath', { op: 'replace', path: 'toString', value: 'x' }],
    ['invalidValue', { op: 'replace', path: 'active', value: 1 }],
    ['invalidValue', { op: 'replace', path: 'title', value: null }],
    ['invalidSyntax', { op: 'remove', path: 'title' }],
    ['invalidSyntax', { op: 'add', value: { title: 'x' } }],
    ['invalidSyntax', { op: 'replace', value: 'x' }],
    ['invalidSyntax', { path: 'title', value: 'x' }],
  ])('is refused as %s for %j, with all earlier operations', async (scimType, operation) => {
    const before = everybody();
    const answer = await patch(ANA, { op: 'replace', path: 'title', value: 'Lead' }, operation);
    expect(answer).toMatchObject({ status: 400, json: { status: '400', scimType } });
    expect(everybody()).toBe(before);
  });

  it.each([
    [{ Operations: [{ op: 'replace', path: 'title', value: 'x' }] }],
    [{ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [] }],
    [{ schemas: [CORE], title: 'x' }],
    ['{"schemas"'],
  ])('is refused for an invalid PATCH: %j', async (body) => {
    const answer = await ask(`/${ANA}`, { method: 'PATCH', body });
    expect(answer).toMatchObject({ status: 400, json: { scimType: 'invalidSyntax' } });
  });

  it('is refused when another account has the externalId, or the account is unknown', async () => {
    const set = { op: 'replace', path: 'externalId', value: 'x' };
    sandbox.service.setUser(BEN, { externalId: 'x' });
    expect(await patch(ANA, set)).toMatchObject({ status: 409, json: { scimType: 'uniqueness' } });
    expect(await patch(BEN, set)).toMatchObject({ status: 200 });
    expect(await patch('nobody', set)).toMatchObject({ status: 404, json: { status: '404' } });
  });
});

describe('deleting a user', () => {
  it('deactivates it, as PATCH does, and can be undone', async () => {
    const before = user(ANA);
    expect(await remove(ANA)).toMatchObject({ status: 204, text: '' });
    expect(user(ANA)).toEqual({ ...before, active: false });
    expect(await remove(ANA)).toMatchObject({ status: 204 });
    expect(await shown(ANA)).toMatchObject({ active: false });
    await patch(BEN, { op: 'replace', path: 'active', value: false });
    expect(user(BEN).active).toBe(false);
    await patch(ANA, { op: 'replace', path: 'active', value: true });
    await post({ userName: 'ben@example.com' });
    expect([user(ANA).active, user(BEN).active]).toEqual([true, true]);
  });

  it('is refused for an unknown user', async () => {
    expect(await remove('nobody')).toMatchObject({ status: 404 });
  });
});

describe('access to SCIM', () => {
  it.each([
    ['GET', ''],
    ['POST', ''],
    ['PATCH', `/${ANA}`],
    ['DELETE', `/${ANA}`],
  ])('by %s%s needs its own token', async (method, path) => {
    const before = everybody();
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    for (const credential of [null, 'other', sandbox.credentials.apiKey]) {
      const answer = await ask(path, { method, body, credential });
      expect(answer).toMatchObject({ status: 401, json: { status: '401' } });
    }
    for (const [scimAccess, status] of [
      ['forbidden', 403],
      ['absent', 404],
    ] as const) {
      sandbox.service.setVariant({ scimAccess });
      expect(await ask(path, { method, body })).toMatchObject({ status });
    }
    expect(everybody()).toBe(before);
  });

  it('does not allow reading or replacing a single user', async () => {
    expect(await ask(`/${ANA}`, {})).toMatchObject({ status: 405 });
    expect(await ask(`/${ANA}`, { method: 'PUT', body: {} })).toMatchObject({ status: 405 });
    expect(await ask('', { method: 'DELETE' })).toMatchObject({ status: 405 });
  });

  it('accepts both media types, or only plain JSON, and no other', async () => {
    const una = { userName: 'una@example.com' };
    expect(await post(una, { contentType: 'application/json' })).toMatchObject({ status: 201 });
    expect(await post(una, { contentType: 'text/plain' })).toMatchObject({ status: 415 });
    sandbox.service.setVariant({ scimMedia: 'json' });
    expect(await post(una)).toMatchObject({ status: 415 });
    expect(await post(una, { contentType: 'application/json' })).toMatchObject({ status: 200 });
  });

  it('records requests, without the token', async () => {
    await patch(ANA, { op: 'replace', path: 'active', value: false });
    await remove(ANA);
    expect(sandbox.service.requests()).toMatchObject([
      {
        operation: 'patchUser',
        ids: [ANA],
        token: null,
        body: { Operations: [{}] },
        answered: 200,
      },
      { operation: 'deleteUser', ids: [ANA], answered: 204 },
    ]);
  });
});

describe('a variant of SCIM', () => {
  const vary = (variant: Partial<Variant>) => sandbox.service.setVariant(variant);

  it.each([200, 201] as const)('answers every create with %i', async (scimCreateStatus) => {
    vary({ scimCreateStatus });
    for (const userName of ['una@example.com', 'ana@example.com']) {
      expect(await post({ userName })).toMatchObject({ status: scimCreateStatus });
    }
  });

  it('answers a PATCH with 204 and a DELETE with 200', async () => {
    vary({ scimPatchStatus: 204, scimDeleteStatus: 200 });
    const answer = await patch(ANA, { op: 'replace', path: 'title', value: 'Lead' });
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(await remove(ANA)).toMatchObject({ status: 200, json: { id: ANA, active: false } });
  });

  it('returns 404 for an account that was already deleted', async () => {
    vary({ scimDeleteAgain: 404 });
    expect(await remove(ANA)).toMatchObject({ status: 204 });
    expect(await remove(ANA)).toMatchObject({ status: 404 });
  });

  it.each([
    [409, 409, 'uniqueness'],
    [400, 400, 'uniqueness'],
    ['plain-409', 409, undefined],
  ] as const)('reports a collision with %s', async (scimCollision, status, scimType) => {
    vary({ scimCollision, scimErrorStatus: 'number' });
    const { json, ...answer } = await post({ userName: 'ana@example.com', externalId: 'new' });
    expect(answer.status).toBe(status);
    expect(json).toMatchObject({ status, detail: expect.any(String) });
    expect(Object(json).scimType).toBe(scimType);
  });

  it('lists only accounts that SCIM created or matched', async () => {
    vary({ scimLists: 'synchronized' });
    await post({ userName: 'ana@example.com' });
    await post({ userName: 'una@example.com' });
    const { json } = await ask('', {});
    expect(json).toMatchObject({
      totalResults: 2,
      Resources: [{ userName: 'ana@example.com' }, { userName: 'una@example.com' }],
    });
  });
});

it.each([
  ['dropBefore', 8],
  ['dropAfter', 9],
] as const)('a fault of kind %s leaves %i accounts', async (kind, count) => {
  sandbox.service.fault({ kind, operation: 'createUser', times: 1 });
  await expect(post({ userName: 'una@example.com' })).rejects.toThrow('fetch failed');
  expect(sandbox.service.users()).toHaveLength(count);
});
