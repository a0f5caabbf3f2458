import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { askService } from './ask-service.ts';

/** The examples of RFC 7644, word for word; the test is what it says of each. */
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
  for (const body of [RFC_7644_3_3, SMITH, OMALLEY]) {
    expect(await ask('', { body })).toMatchObject({ status: 201 });
  }
});
afterAll(() => sandbox.close());

const ask = (path: string, question: { readonly body?: object; readonly method?: string }) =>
  askService(sandbox, `/api/scim/v2/Users${path}`, {
    contentType: 'application/scim+json',
    ...question,
  });

const RFC_7644_3_3 = {
  schemas: [CORE],
  userName: 'bjensen',
  externalId: 'bjensen',
  name: { formatted: 'Ms. Barbara J Jensen III', familyName: 'Jensen', givenName: 'Barbara' },
};
const SMITH = { schemas: [CORE], userName: 'jsmith', name: { familyName: 'Smith' } };
const OMALLEY = { schemas: [CORE], userName: 'Jane', name: { familyName: "O'Malley" } };

/** Names of the accounts that match a filter; or the status and reason of its refusal. */
async function filtered(text: string): Promise<readonly string[] | [number, string]> {
  const { status, json } = await ask(`?filter=${encodeURIComponent(text)}`, {});
  if (status !== 200) return [status, Object(json).scimType];
  return Object(json).Resources.map(({ userName }: { userName: string }) => userName);
}

describe('the examples of RFC 7644', () => {
  it('create a user (3.3)', async () => {
    const { json } = await ask('?filter=userName%20eq%20%22bjensen%22', {});
    expect(json).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 1,
      Resources: [{ ...RFC_7644_3_3, id: expect.any(String), meta: { resourceType: 'User' } }],
    });
  });

  it.each([
    ['userName eq "bjensen"', ['bjensen']],
    ['userName Eq "BJensen"', ['bjensen']],
    ['Username eq "bjensen"', ['bjensen']],
    [`name.familyName co "O'Malley"`, ['Jane']],
    ['userName sw "J"', ['jsmith', 'Jane']],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "J"', ['jsmith', 'Jane']],
  ])('filter by %s (3.4.2.2)', async (filter, names) => {
    expect(await filtered(filter)).toEqual(names);
  });

  it.each([
    'title pr',
    'meta.lastModified gt "2011-05-13T04:42:34Z"',
    'title pr and userType eq "Employee"',
    'userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")',
    'emails[type eq "work" and value co "@example.com"]',
  ])('are refused if the service does not support them: %s (3.4.2.2, 3.12)', async (filter) => {
    expect(await filtered(filter)).toEqual([400, 'invalidFilter']);
  });

  it('read a page (3.4.2.4)', async () => {
    const { json } = await ask('?startIndex=1&count=10', {});
    expect(json).toMatchObject({ totalResults: 11, itemsPerPage: 10, startIndex: 1 });
    expect(Object(json).Resources).toHaveLength(10);
    const { json: rest } = await ask('?startIndex=11&count=10', {});
    expect(rest).toMatchObject({ totalResults: 11, itemsPerPage: 1, startIndex: 11 });
    const { json: none } = await ask('?count=0', {});
    expect(none).toMatchObject({ totalResults: 11, Resources: [] });
  });

  it.each([
    ['PATCH', { schemas: [PATCH], Operations: [{ op: 'replace', path: 'title', value: 'x' }] }],
    ['DELETE', undefined],
  ])('get an error for an unknown user from %s (3.12)', async (method, body) => {
    const answer = await ask('/2819c223-7f76-453a-919d-413861904646', {
      method,
      ...(body && { body }),
    });
    expect(answer.status).toBe(404);
    expect(answer.json).toEqual({ schemas: [ERROR], status: '404', detail: expect.any(String) });
  });

  it('get an error for a change of a read-only id (3.12)', async () => {
    const id = sandbox.service.users().at(-1)?.id;
    const Operations = [{ op: 'replace', path: 'id', value: 'x' }];
    const answer = await ask(`/${id}`, { method: 'PATCH', body: { schemas: [PATCH], Operations } });
    expect(answer).toMatchObject({
      status: 400,
      json: { schemas: [ERROR], scimType: 'mutability', status: '400' },
    });
  });
});
