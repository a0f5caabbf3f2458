import { expect } from 'vitest';
import type { Config } from '../../src/core/config/config.ts';
import { DEPLOYS } from '../support/world.ts';
import { creating, TEST_PROJECTS } from './case-stage.ts';
import {
  CATALOGUE,
  LEDGER,
  type MoveStage,
  PLATFORM,
  startMoveStage,
  WEBSITE,
} from './move-stage.ts';
import { ANA } from './stage.ts';
import { story } from './story.ts';

const NOW = () => new Date().toISOString();

function projectWith(id: string, change: object = {}) {
  const found = CATALOGUE.projects.find((project) => project.id === id);
  return { ...found, ...change };
}

/** Of the file only what an item is moved from; the source may describe Platform, Website and Checkout. */
async function startCatalogue(change: (given: Config) => Partial<Config> = () => ({})) {
  return startMoveStage({
    config: (given) => ({
      ...given,
      catalogue: {
        projects: given.catalogue.projects.filter(({ id }) => ![PLATFORM, WEBSITE].includes(id)),
        testProjects: [],
      },
      cases: { ...given.cases, who: { users: [ANA], groups: [], channel: false } },
      sources: given.sources.map((source) => ({
        ...source,
        kinds: ['approval', 'task', 'catalogue'],
        projects: [PLATFORM, WEBSITE, 'tp-checkout'],
      })),
      ...change(given),
    }),
  });
}

async function report({ app, sandbox }: MoveStage, body: unknown) {
  const answer = await fetch(`${app.url}/v1/catalogue`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandbox.credentials.intakeSecret}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

story(
  'catalogue-reported catalogue-own',
  'a reported project is offered at once, and its id stands beside its name',
  async () => {
    await using stage = await startCatalogue();
    const types = [{ id: 'plat-chore', name: 'Chore', statuses: null }];
    const platform = projectWith(PLATFORM, { types });
    expect(await report(stage, { readAt: NOW(), project: platform })).toEqual({
      status: 202,
      body: { id: PLATFORM, used: true },
    });
    await stage.type('OPS-18');
    expect(await stage.modalOf(/Project: /)).toContain('Project: ');
    await stage.choose('Project', PLATFORM);
    await stage.modalOf(/Platform · eng/);
    expect(await stage.modalOf(/Platform/)).toContain(`Platform · eng · ${PLATFORM}`.slice(0, 74));
    await stage.submit();
    const review = await stage.submit({ Open: 'Backlog' });
    expect(review).toContain(
      `To *Platform · eng* (\`${PLATFORM}\`)\nAs reported by default <date>\nOpen (1) → Backlog`,
    );
    await stage.submit();
    await stage.modalOf(/Moved/);
    expect(stage.sandbox.service.requests('moveTask')).toMatchObject([
      { body: { targetProjectId: PLATFORM } },
    ]);
  },
);

story('catalogue-reported', 'a reported test project is offered with its suites', async () => {
  await using stage = await startCatalogue();
  const cases = creating(stage);
  await cases.type('Pay');
  await cases.modalOf(/not set up yet/);
  const [testProject] = TEST_PROJECTS;
  expect(await report(stage, { readAt: NOW(), testProject })).toMatchObject({ status: 202 });
  await cases.type('Pay');
  expect(await cases.modalOf(/Suite/)).toContain('Test project: Checkout · eng · tp-checkout');
  await cases.submit({ Suite: 'Smoke' });
  await cases.modalOf(/Created/);
  expect(cases.sent()).toEqual([{ title: 'Pay', suiteId: 'su-smoke' }]);
});

story('catalogue-reported', 'gatepost.yaml takes precedence over a report', async () => {
  await using stage = await startCatalogue(() => ({ catalogue: CATALOGUE }));
  const renamed = projectWith(WEBSITE, { name: 'Renamed' });
  expect(await report(stage, { readAt: NOW(), project: renamed })).toEqual({
    status: 202,
    body: { id: WEBSITE, used: false },
  });
  await stage.type('OPS-18 Website');
  await stage.modalOf(/Open:/);
  expect(await stage.submit({ Open: 'To do' })).toContain('To *Website · eng*\nOpen');
});

story(
  'catalogue-own nobody-decides-who-may-not',
  "somebody else's project, an older report and a bad one are refused",
  async () => {
    await using stage = await startCatalogue();
    const readAt = NOW();
    const earlier = new Date(Date.now() - 60_000).toISOString();
    const website = projectWith(WEBSITE);
    expect((await report(stage, { readAt, project: projectWith(LEDGER) })).body).toMatchObject({
      status: 403,
      detail: 'This source cannot describe this project: its id is not among its projects',
    });
    expect(await report(stage, { readAt, project: website })).toMatchObject({ status: 202 });
    const old = projectWith(WEBSITE, { name: 'Old' });
    expect(await report(stage, { readAt: earlier, project: old })).toEqual({
      status: 200,
      body: { id: WEBSITE, used: true },
    });
    await stage.type('OPS-18 Old');
    expect(await stage.modalOf(/There is no project/)).toContain('Old');
    const named = (...ids: string[]) => ids.map((id) => ({ id, name: id }));
    const later = new Date(Date.now() + 600_000).toISOString();
    const wrong: readonly (readonly [body: object, pointer: string, detail: RegExp])[] = [
      [{ readAt: later, project: website }, '/readAt', /later than now/],
      [{ readAt: 'soon', project: website }, '/readAt', /must be a time/],
      [{ project: website }, '/readAt', /must be string/],
      [{ readAt }, '', /either project or testProject/],
      [{ readAt, project: website, testProject: TEST_PROJECTS[0] }, '', /either/],
      [{ readAt, project: { id: WEBSITE } }, '/project/name', /must be string/],
      [
        { readAt, project: projectWith(WEBSITE, { statuses: named('a', 'b', 'a') }) },
        '/project/statuses',
        /must not have an id twice/,
      ],
      [
        { readAt, project: projectWith(WEBSITE, { statuses: named(...range(201)) }) },
        '/project/statuses',
        /200/,
      ],
      [{ readAt, project: projectWith(WEBSITE, { color: 'red' }) }, '/project/color', /./],
    ];
    for (const [body, pointer, detail] of wrong) {
      const { status, body: said } = await report(stage, body);
      expect({
        status,
        pointers: said.errors?.map((each: { pointer: string }) => each.pointer),
      }).toEqual({ status: 422, pointers: [pointer] });
      expect(said.errors[0].detail).toMatch(detail);
    }
    // In the audit log only what changes what people read.
    const again = { readAt: NOW(), project: website };
    expect(await report(stage, again)).toMatchObject({ status: 202 });
  },
);

function range(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `s${index}`);
}

story('catalogue-own', 'a source without the kind is refused', async () => {
  await using stage = await startMoveStage();
  const body = { readAt: NOW(), project: projectWith(PLATFORM) };
  expect(await report(stage, body)).toMatchObject({
    status: 403,
    body: { detail: 'This source cannot describe projects: its kinds do not include catalogue' },
  });
  expect(stage.sandbox.workspace.messages(DEPLOYS)).toEqual([]);
});
