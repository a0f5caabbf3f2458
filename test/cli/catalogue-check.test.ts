import { expect, test } from 'vitest';
import { checkCatalogue } from '../../src/cli/doctor/catalogue-check.ts';
import type { CheckNeeds } from '../../src/cli/doctor/found.ts';
import { keepReport } from '../../src/operations/catalogue/reported.ts';
import { configWith } from '../core/config/environment-of-tests.ts';
import { openEmbeddedWorld } from '../core/store/embedded-world.ts';
import { fake } from '../support/fake.ts';

const SETTINGS = `
routes: { production: { channel: C0PROD } }
sources:
  - { id: deploys, secret: INTAKE_DEPLOYS, routes: [production] }
  - { id: inventory, secret: INTAKE_TESTS, kinds: [catalogue], projects: [p1, p2] }
catalogue: { projects: [{ id: p2, name: Web, statuses: [] }] }
`;
const HOUR = 3_600_000;

async function checked(
  ages: Readonly<Record<string, number>>,
  testProjects: readonly string[] = [],
) {
  await using world = await openEmbeddedWorld();
  const [store] = world.stores;
  for (const [id, hours] of Object.entries(ages)) {
    const place = { id, name: `Name of ${id}`, space: null, slug: null, statuses: [], types: [] };
    const at = store.now() - hours * HOUR;
    const report = { v: 1, source: 'inventory', readAt: '2030-01-01T00Z', at } as const;
    await keepReport(store, { ...report, is: { kind: 'project', place } });
    if (!testProjects.includes(id)) continue;
    const tests = { id, name: `Tests of ${id}`, space: 'eng', suites: [] };
    await keepReport(store, { ...report, is: { kind: 'testProject', place: tests } });
  }
  const needs = { config: configWith(SETTINGS), store: async () => store };
  return await checkCatalogue(fake<CheckNeeds>(needs));
}

test('doctor says how old each report is, and what the file describes', async () => {
  expect(await checked({ p1: 3, p2: 50 })).toEqual({
    ok: true,
    detail:
      'Name of p1 (p1): reported 3 h ago by inventory; Name of p2 (p2): reported 2 days ago by inventory, but gatepost.yaml takes precedence',
    fix: null,
  });
});

test('doctor advises where a report is missing or old', async () => {
  expect(await checked({ p2: 24 * 8 })).toEqual({
    ok: true,
    detail:
      'p1: never reported by inventory; Name of p2 (p2): reported 8 days ago by inventory, but gatepost.yaml takes precedence',
    fix: 'Have the automation of inventory post to /v1/catalogue every day.',
  });
});

test('doctor names a project and a test project with the same id, and which of them the file describes', async () => {
  const { detail } = await checked({ p1: 3, p2: 3 }, ['p2']);
  expect(detail).toBe(
    'Name of p1 (p1): reported 3 h ago by inventory; Name of p2 (p2): reported 3 h ago by inventory, but gatepost.yaml takes precedence; Tests of p2 (p2): reported 3 h ago by inventory',
  );
});
