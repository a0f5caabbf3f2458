import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { system } from '../../../src/core/lib/system.ts';
import { createServiceClient } from '../../../src/core/service/service-client.ts';
import { failureOf } from './test-server.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const chosen = { spaceSlug: 'eng', projectId: 'tp-checkout', title: 'Pay by card' };

async function create(more: object = {}, apiKey = sandbox.credentials.apiKey) {
  await using client = createServiceClient({
    baseUrl: sandbox.serviceUrl,
    scimToken: null,
    apiKey,
    ...system,
  });
  return await client.testCases?.create({ ...chosen, ...more });
}
const cases = () => sandbox.service.testProjects().flatMap((project) => project.cases);

describe('a test case of the sandbox', () => {
  it('is created as it was chosen', async () => {
    const more = { description: '1. Open', priority: 'HIGH', suiteId: 'su-payment' };
    const outcome = await create(more);
    const [made] = cases();
    expect(made).toMatchObject({ ...more, title: 'Pay by card', type: 'MANUAL', status: 'DRAFT' });
    expect(outcome).toEqual({
      kind: 'created',
      id: made?.id,
      title: 'Pay by card',
      priority: 'HIGH',
      type: 'MANUAL',
      status: 'DRAFT',
      testProjectId: 'tp-checkout',
    });
  });

  it.each([
    ['invalid', { title: ' ' }],
    ['invalid', { suiteId: 'su-ranking' }],
    ['not-found', { projectId: 'tp-nowhere' }],
    ['not-found', { spaceSlug: 'nowhere' }],
    ['forbidden', { spaceSlug: 'fin', projectId: 'tp-ledger' }],
  ])('is refused as %s with %j', async (kind, more) => {
    expect(await create(more)).toEqual({ kind, detail: expect.any(String) });
    expect(cases()).toEqual([]);
  });

  it('is refused to a key that the service does not know', async () => {
    expect(await create({}, 'another')).toMatchObject({ kind: 'unauthorized' });
  });

  it.each([
    ['dropBefore', 0],
    ['dropAfter', 1],
  ] as const)('may exist when the answer is lost: %s leaves %i', async (kind, count) => {
    sandbox.service.fault({ kind, operation: 'createTestCase', times: 1 });
    expect(await failureOf(create())).toMatchObject({ class: 'ambiguous' });
    expect(cases()).toHaveLength(count);
  });

  it('counts as created when the answer is unreadable', async () => {
    sandbox.service.fault({ kind: 'unreadable', operation: 'createTestCase', times: 1 });
    expect(await create()).toMatchObject({ kind: 'created', id: null });
    expect(cases()).toHaveLength(1);
  });
});
