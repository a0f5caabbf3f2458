import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../sandbox.ts';
import { startSandbox } from '../../start-sandbox.ts';
import { askService, type Question } from './ask-service.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const create = (body: unknown, place = 'eng/tp-checkout', question: Question = {}) =>
  askService(sandbox, `/api/v1/test-management/${place}/cases`, { body, ...question });
const cases = () => sandbox.service.testProjects().flatMap((project) => project.cases);

describe('a test case', () => {
  it('is a manual draft of medium priority by default', async () => {
    const { status, json } = await create({ title: 'Pay by card' });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/./),
      title: 'Pay by card',
      priority: 'MEDIUM',
      type: 'MANUAL',
      status: 'DRAFT',
      testProjectId: 'tp-checkout',
    });
    expect(cases()).toMatchObject([{ title: 'Pay by card', description: null, suiteId: null }]);
  });

  it.each([
    ['LOW', 'MANUAL'],
    ['MEDIUM', 'AUTOMATED'],
    ['HIGH', 'EXPLORATORY'],
    ['CRITICAL', 'MANUAL'],
  ])('can have priority %s and type %s', async (priority, type) => {
    const body = { title: 'x', description: '1. Open', priority, type, suiteId: 'su-smoke' };
    expect(await create(body)).toMatchObject({
      status: 201,
      json: { priority, type, status: 'DRAFT' },
    });
    expect(cases()).toMatchObject([body]);
  });

  it('is created again by the same request', async () => {
    await create({ title: 'Twice' });
    await create({ title: 'Twice' });
    expect(new Set(cases().map(({ id }) => id)).size).toBe(2);
  });

  it('belongs to the project in the path', async () => {
    await create({ title: 'Rank' }, 'eng/tp-search');
    const projects = sandbox.service.testProjects();
    expect(projects.map((project) => project.cases.length)).toEqual([0, 1, 0]);
    expect(sandbox.service.requests()).toMatchObject([
      { operation: 'createTestCase', ids: ['eng', 'tp-search'], body: { title: 'Rank' } },
    ]);
  });
});

describe('a test case is refused', () => {
  it.each<[number, string, unknown, string?]>([
    [400, 'no title', {}],
    [400, 'a blank title', { title: ' ' }],
    [400, 'a title that is a number', { title: 7 }],
    [400, 'a priority in small letters', { title: 'x', priority: 'high' }],
    [400, 'a type nobody knows', { title: 'x', type: 'UNIT' }],
    [400, 'a description that is no text', { title: 'x', description: null }],
    [400, 'a suite of another project', { title: 'x', suiteId: 'su-ranking' }],
    [400, 'a status', { title: 'x', status: 'READY' }],
    [400, 'a list', ['x']],
    [400, 'what is no JSON', '{"title"'],
    [404, 'a space that is not there', { title: 'x' }, 'nowhere/tp-checkout'],
    [404, 'a project that is not there', { title: 'x' }, 'eng/tp-nowhere'],
    [404, 'a project of another space', { title: 'x' }, 'ops/tp-checkout'],
    [403, 'a space that may not be written to', { title: 'x' }, 'fin/tp-ledger'],
    [400, 'a query', { title: 'x' }, 'eng/tp-checkout/cases?dryRun=1&'],
  ])('with %i for %s', async (status, _what, body, place) => {
    const path = place?.includes('?') ? place : `${place ?? 'eng/tp-checkout'}/cases`;
    const answer = await askService(sandbox, `/api/v1/test-management/${path}`, { body });
    expect(answer).toMatchObject({ status, json: { error: expect.any(String) } });
    expect(cases()).toEqual([]);
  });

  it('in the documented error shape, whatever shape other errors have', async () => {
    sandbox.service.setVariant({ errorShape: 'html' });
    const shape = { error: expect.any(String) };
    expect(await create({})).toMatchObject({ status: 400, json: shape });
    const stranger = await create({}, undefined, { credential: null });
    expect(stranger).toMatchObject({ status: 401, json: shape });
  });

  it('with 401 without the API key, and 403 without write access', async () => {
    for (const credential of [null, 'other']) {
      const answer = await create({ title: 'x' }, undefined, { credential });
      expect(answer).toMatchObject({ status: 401 });
    }
    sandbox.service.permit('eng', { writeTestCases: false });
    expect(await create({ title: 'x' })).toMatchObject({ status: 403 });
    expect(cases()).toEqual([]);
  });

  it('with 405 for another method and 415 for another type', async () => {
    const read = await askService(sandbox, '/api/v1/test-management/eng/tp-checkout/cases');
    expect(read).toMatchObject({ status: 405 });
    const plain = await create({ title: 'x' }, undefined, { contentType: 'text/plain' });
    expect(plain).toMatchObject({ status: 415 });
  });
});

it.each([
  ['dropBefore', 0],
  ['dropAfter', 1],
] as const)('a fault of kind %s leaves %i case', async (kind, count) => {
  sandbox.service.fault({ kind, operation: 'createTestCase', times: 1 });
  await expect(create({ title: 'x' })).rejects.toThrow('fetch failed');
  expect(cases()).toHaveLength(count);
});
