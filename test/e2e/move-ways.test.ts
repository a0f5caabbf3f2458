import { expect } from 'vitest';
import type { Saying } from '../../sandbox/workspace/user-actions.ts';
import { DEPLOYS, readable } from '../support/world.ts';
import {
  LEDGER,
  type MoveStage,
  OPERATIONS,
  PLATFORM,
  reviewed,
  startMoveStage,
  TREE,
  WEBSITE,
} from './move-stage.ts';
import { ANA, BEN } from './stage.ts';
import { story } from './story.ts';

/** The ways to an item, and what is asked about it. */

const OPS_18 = '3b7d1f00-0000-4000-8000-000000000006';
const LINES = 'tasks.lines';

story('set-up-told', 'an empty catalogue tells administrators what to add', async () => {
  await using stage = await startMoveStage({
    config: (given) => ({
      ...given,
      catalogue: { ...given.catalogue, projects: [] },
      administrators: { users: [ANA], groups: [] },
    }),
  });
  await stage.type('OPS-12');
  expect(await stage.modalOf(/not set up yet/)).toContain('projects:');
  await stage.type('', BEN);
  expect(await stage.modalOf(/not set up yet/, BEN)).toMatch(/Ask a Gatepost administrator\.$/m);
});

story('move-by-hand', 'without a read, lines can be pasted', async () => {
  await using stage = await startMoveStage({ source: 'none' });
  await stage.type('OPS-12 "Website"');
  const asked = await stage.modalOf(/one per line/);
  expect(asked).toContain('Gatepost is not set up to read work items. Enter this one by hand.');
  await stage.submit({ [LINES]: `OPS-12 st-1\n${OPS_18}` });
  expect(stage.sandbox.workspace.modalErrors(ANA)).toEqual({
    [LINES]:
      'Line 1: the id is missing (such as 6f1c4e52-…). Line 2: the status is missing after the id.',
  });
  const { updatedAt } = stage.item('OPS-12');
  const lines = [
    `${TREE[0]} OPS-12 ${updatedAt} ops-in-progress`,
    `${TREE[1]} OPS-13 ops-done`,
    `${TREE[2]} Open`,
    `${TREE[3]} waiting`,
    `${TREE[4]} ops-open`,
  ];
  expect(await stage.submit({ [LINES]: lines.join('\n') })).toContain('As entered');
  await stage.submit({ 'In progress': 'Doing', Open: 'To do', Waiting: 'To do' });
  await stage.submit();
  expect(await stage.modalOf(/Moved/)).toContain('OPS-12 → ');
  expect(stage.item('OPS-15').projectId).toBe(WEBSITE);
});

story('move-by-hand move-changed', 'an item entered by hand is updated by hand', async () => {
  await using stage = await startMoveStage({ source: 'manual' });
  await stage.type('OPS-18 Website');
  await stage.modalOf(/one per line/);
  const { updatedAt } = stage.item('OPS-18');
  await stage.submit({ [LINES]: `${OPS_18} OPS-18 ${updatedAt} ops-open` });
  await stage.submit({ Open: 'Doing' });
  stage.sandbox.service.tasks.edit('OPS-18', { title: 'Another title' });
  await stage.submit();
  await stage.modalOf(/Review again/);
  await stage.press('Review again');
  await stage.modalOf(/one per line/);
  const [, block] = stage.sandbox.workspace.modal(ANA)?.blocks ?? [];
  const entered = [...(stage.sandbox.workspace.modal(ANA)?.blocks ?? []), block]
    .map((each) => JSON.stringify(each))
    .join();
  expect(entered).toContain(`${OPS_18} OPS-18 ${updatedAt} ops-open`);
  const now = stage.item('OPS-18').updatedAt;
  expect(await stage.submit({ [LINES]: `${OPS_18} OPS-18 ${now} ops-open` })).toContain(
    'Open (1) → Doing',
  );
  await stage.submit();
  await stage.modalOf(/1 item moved/);
});

const snapshot = (stage: MoveStage) => {
  const { id, key, title, updatedAt, status, projectId } = stage.item('OPS-18');
  return { id, key, title, updatedAt, status: status.id, projectId };
};

story(
  'move-pushed move-pushed-once nothing-twice',
  'a reported item is posted once, and moved by its button',
  async () => {
    await using stage = await startMoveStage({ source: 'push' });
    const { workspace } = stage.sandbox;
    const body = { ...snapshot(stage), channel: DEPLOYS };
    expect(await stage.report(body)).toEqual({
      status: 202,
      body: { id: OPS_18, key: 'OPS-18', items: 1 },
    });
    const posts = () => workspace.messages(DEPLOYS);
    await stage.sandbox.until(() => posts().length > 0);
    expect(readable(posts()[0])).toMatch(
      /^\*OPS-18\* Renew the certificates\nwithout sub-items · reported <!date.*\nMove…$/,
    );
    expect((await stage.report(body)).status).toBe(202);
    const place = { user: ANA, channel: DEPLOYS, ts: posts()[0]?.ts ?? '' };
    await workspace.click({ ...place, label: 'Move…' });
    expect(await stage.modalOf(/Project:/)).toContain('As reported by an automation <date>');
    await stage.submit({ Project: WEBSITE });
    await stage.submit({ Open: 'Doing' });
    await stage.submit();
    await stage.modalOf(/1 item moved/);
    await stage.sandbox.until(() => posts().length > 1);
    expect(posts().map((each) => readable(each).includes('Move…'))).toEqual([true, false]);
  },
);

story('move-pushed move-changed', 'a newer report shows what has changed', async () => {
  await using stage = await startMoveStage({ source: 'push' });
  await stage.report(snapshot(stage));
  await reviewed(stage);
  const { tasks } = stage.sandbox.service;
  const { id } = tasks.add({ below: 'OPS-18' }, { title: 'One more', status: 'ops-done' });
  tasks.edit('OPS-18', { title: 'Another title' });
  await stage.report({ ...snapshot(stage), subItems: [{ id, status: 'ops-done' }] });
  await stage.submit();
  expect(await stage.modalOf(/Review again/)).toContain(
    'Since then: 1 sub-item added, last changed',
  );
  await stage.press('Review again');
  expect(await stage.modalOf(/Move 2 items/)).toContain('Open (1) → To do');
});

story(
  'move-pushed move-changed',
  'an outdated report is not reviewed again, and the modal says so',
  async () => {
    await using stage = await startMoveStage({ source: 'push' });
    await stage.report(snapshot(stage));
    await reviewed(stage);
    stage.sandbox.service.tasks.edit('OPS-18', { title: 'Another title' });
    await stage.submit();
    await stage.modalOf(/Review again/);
    await stage.press('Review again');
    expect(await stage.modalOf(/No newer report/)).toContain('Enter it by hand');
    expect((await stage.report(snapshot(stage))).status).toBe(202);
    await stage.sandbox.workspace.closeModal({ user: ANA });
    await stage.type('ops-18 website');
    await stage.modalOf(/Another title/);
  },
);

story(
  'move-pushed',
  'only permitted sources can report work items, and only to their own channels',
  async () => {
    await using stage = await startMoveStage({
      source: 'push',
      config: (config) => ({
        ...config,
        sources: config.sources.map((each) => ({ ...each, channels: ['C0OUTCOMES'] })),
      }),
    });
    const body = snapshot(stage);
    const statusOf = async (more: object) => (await stage.report({ ...body, ...more })).status;
    expect(await statusOf({ channel: 'C0OUTCOMES' })).toBe(202);
    expect(await statusOf({ channel: DEPLOYS })).toBe(202);
    expect(await statusOf({ channel: 'C0SECURITY' })).toBe(403);
    expect(await statusOf({ updatedAt: 'yesterday' })).toBe(422);
    expect(await statusOf({ subItems: [{ id: body.id, status: 's' }] })).toBe(422);
    expect((await stage.report({ ...body, subItems: [{ id: 'x' }] })).body).toMatchObject({
      errors: [{ pointer: '/subItems/0/status' }],
    });
    await using other = await startMoveStage({
      config: (config) => ({
        ...config,
        sources: config.sources.map((each) => ({ ...each, kinds: ['approval'] })),
      }),
    });
    expect((await other.report(body)).status).toBe(403);
  },
);

story('move-shortcut', 'the shortcut finds the item of a message, or asks for it', async () => {
  await using stage = await startMoveStage();
  const { workspace } = stage.sandbox;
  const use = async (text: string, extra: Saying['extra'] = {}) => {
    const { ts } = workspace.say({ user: BEN, channel: DEPLOYS, text, extra });
    await workspace.shortcut({ user: ANA, callbackId: 'tasks.move', channel: DEPLOYS, ts });
  };
  await use('Could somebody move <https://service.example/ops/operations/OPS-18|this>?');
  expect(await stage.modalOf(/Project:/)).toContain('*OPS-18* Renew the certificates');
  await workspace.closeModal({ user: ANA });
  await use('OPS-13 and OPS-18 should go');
  expect(await stage.modalOf(/Work items:/)).toContain('All of these move to the same project.');
  expect(await stage.submit({ 'Work items': 'OPS-18' })).toContain('*OPS-18*');
  await workspace.closeModal({ user: ANA });
  await use('nothing here');
  expect(await stage.modalOf(/Work item:/)).toContain('Its key, id or link');
  await workspace.closeModal({ user: ANA });
  const fields = [{ title: 'Item', value: 'OPS-18' }];
  await use('', { bot_id: 'B0MONITOR', attachments: [{ title: 'Certificates end', fields }] });
  expect(await stage.modalOf(/Project:/)).toContain('*OPS-18* Renew the certificates');
  await workspace.closeModal({ user: ANA });
  await use('OPS-18, see below', { attachments: [{ text: 'after OPS-13' }] });
  expect(await stage.modalOf(/Project:/)).toContain('*OPS-18* Renew the certificates');
});

story('move-shortcut', 'a slow read is shown in the modal once it is done', async () => {
  await using stage = await startMoveStage();
  stage.sandbox.service.fault({ kind: 'latency', ms: 2_500, operation: 'readTask', times: 1 });
  await stage.type('');
  await stage.modalOf(/Work item:/);
  const submitted = stage.submit({ 'Work item': 'OPS-18' });
  await stage.modalOf(/Loading…/);
  expect(await submitted).toMatch(/Project:/);
});

story(
  'move-unread',
  'an unreadable item is reported with the reason, and its key can be corrected',
  async () => {
    await using stage = await startMoveStage({ hasDoor: true, env: { SCIM_TOKEN: undefined } });
    await stage.type('OPS-99');
    const said = await stage.modalOf(/does not know this work item/);
    expect(said).toBe(
      [
        'The service does not know this work item. It says: “There is no such work item.” Correct the key.',
        'Work item: ',
        'Its key, id or link, or several of them',
        '[Next]',
      ].join('\n'),
    );
    // It begins with what was typed.
    const form = JSON.stringify(stage.sandbox.workspace.modal(ANA)?.blocks);
    expect(form).toContain('"initial_value":"OPS-99"');
    expect(await stage.submit({ 'Work item': 'OPS-18' })).toContain('*OPS-18* Renew');
    await stage.sandbox.workspace.closeModal({ user: ANA });
    await stage.door.shut();
    await stage.type('OPS-18');
    expect(await stage.modalOf(/could not be reached/)).toContain('Try again in a minute.');
  },
);

story('move-types', 'a type with its own workflow is mapped to that workflow', async () => {
  await using stage = await startMoveStage();
  await stage.type('OPS-19 Platform');
  expect(await stage.modalOf(/Type:/)).toContain('Project: Platform · eng\nType: Default');
  expect(await stage.submit({ Type: 'Bug' })).toContain(
    'What should each status become in Platform?',
  );
  await stage.submit({ 'ops-incident-mitigated': 'Confirmed' });
  await stage.submit();
  await stage.modalOf(/1 item moved/);
  expect(stage.item('OPS-19')).toMatchObject({ type: 'Bug', status: { name: 'Confirmed' } });
  expect(stage.moves()).toMatchObject([{ targetTaskTypeId: 'plat-bug' }]);
});

story(
  'move-suggests move-done',
  'if every status has a suggestion, the review opens at once and marks them',
  async () => {
    await using stage = await startMoveStage();
    await reviewed(stage);
    await stage.submit();
    await stage.modalOf(/1 item moved/);
    const { workspace } = stage.sandbox;
    await workspace.closeModal({ user: ANA });
    // Kept before the channel is told.
    await stage.sandbox.until(() => workspace.messages(DEPLOYS).length > 0);
    stage.sandbox.service.tasks.add(
      { below: 'OPS-14' },
      { title: 'Tell everybody', status: 'ops-done' },
    );
    await stage.type('OPS-14 website');
    const review = await stage.modalOf(/Move 2 items/);
    expect(review).toContain('Open (1) → To do · _suggested: chosen last time_');
    expect(review).toContain('Done (1) → Done · _suggested: same name_');
    await stage.press('Change statuses');
    expect(await stage.modalOf(/Open: To do/)).toContain('1 item · suggested: chosen last time');
    expect(await stage.submit({ Open: 'Doing' })).not.toContain('suggested');
    await stage.submit();
    await stage.modalOf(/2 items moved/);
    expect(stage.item('OPS-14').status.name).toBe('Doing');
  },
);

story('move-suggests', 'a misspelled project is asked for, not guessed', async () => {
  await using stage = await startMoveStage();
  await stage.type('OPS-18 Websites');
  expect(await stage.modalOf(/Project:/)).toContain(
    'There is no project "Websites" that it can be moved to. Did you mean Website? Choose one.',
  );
  expect(await stage.modalOf(/Project: $/m)).not.toContain('Project: Website');
  await stage.choose('Project', PLATFORM);
  await stage.modalOf(/Type:/);
  await stage.choose('Project', WEBSITE);
  expect(await stage.modalOf(/Project: Website/)).not.toContain('Type:');
});

story('move-many', 'lists with too many options are searched while typing', async () => {
  const many = Array.from({ length: 150 }, (_, n) => ({ id: `s-${n}`, name: `Status ${n}` }));
  const projects = many.map(({ id }, n) => ({
    id,
    name: `Project ${n}`,
    space: null,
    slug: null,
    statuses: many,
    types: [],
  }));
  await using stage = await startMoveStage({
    config: (config) => ({ ...config, catalogue: { ...config.catalogue, projects } }),
  });
  const { workspace } = stage.sandbox;
  const search = async (input: string, typed: string) => {
    const found = await workspace.suggest({ user: ANA, surface: 'modal', input, typed });
    return found.options.map((each) => (each as { value: string }).value);
  };
  await stage.type('OPS-18');
  await stage.modalOf(/Project:/);
  expect(await search('Project', 'p')).toHaveLength(100);
  expect(await search('Project', 'ject 149')).toEqual(['s-149']);
  await stage.submit({ Project: 's-149' });
  await stage.modalOf(/ops-open:/);
  expect(await search('ops-open', 'STATUS 14')).toEqual([
    's-14',
    ...Array.from({ length: 10 }, (_, n) => `s-14${n}`),
  ]);
  expect(await stage.submit({ 'ops-open': 's-148' })).toContain('ops-open (1) → Status 148');
});

story('move-many', 'too many statuses for a form are reported', async () => {
  await using stage = await startMoveStage({ source: 'push' });
  const subItems = Array.from({ length: 95 }, (_, n) => ({ id: `sub-${n}`, status: `st-${n}` }));
  await stage.report({ ...snapshot(stage), subItems });
  await stage.type('OPS-18 Website');
  expect(await stage.modalOf(/different statuses/)).toBe(
    'This work item and its sub-items use 96 different statuses. A form in Slack can hold 90. Move it in the service.',
  );
});

story('move-who', 'items move only between the listed projects', async () => {
  await using stage = await startMoveStage({ move: { projects: [OPERATIONS, WEBSITE] } });
  await stage.type('PLAT-4');
  expect(await stage.modalOf(/cannot be moved/)).toBe(
    'Work items of this project cannot be moved from Slack. Ask a Gatepost administrator.',
  );
  await stage.sandbox.workspace.closeModal({ user: ANA });
  await stage.type('OPS-18 Platform');
  expect(await stage.modalOf(/Project:/)).toContain(
    'There is no project "Platform" that it can be moved to',
  );
  await stage.sandbox.workspace.closeModal({ user: ANA });
  await reviewed(stage);
  await stage.submit();
  await stage.modalOf(/1 item moved/);
  await using byHand = await startMoveStage({ source: 'manual', move: { projects: [WEBSITE] } });
  await byHand.type('OPS-18 Website');
  await byHand.modalOf(/one per line/);
  const { updatedAt } = byHand.item('OPS-18');
  expect(await byHand.submit({ [LINES]: `${OPS_18} ${updatedAt} ops-open` })).toMatch(
    /it is not known which project this one is in/,
  );
});

story(
  'move-shortcut',
  'help is visible only to the person, and a command delivered twice opens one form',
  async () => {
    await using stage = await startMoveStage();
    const { workspace } = stage.sandbox;
    await stage.type('help');
    expect(stage.told(ANA).join()).toContain('`/move-task OPS-12 Platform`');
    expect(workspace.modal(ANA)).toBeUndefined();
    const text = '/move-task OPS-18';
    await workspace.command({ user: ANA, channel: DEPLOYS, text, twice: 'delivered' });
    await stage.modalOf(/Project:/);
    expect(stage.told(ANA)).toHaveLength(1);
  },
);

const REPORTED = {
  id: OPS_18,
  key: 'OPS-18',
  title: 'Renew the certificates',
  status: 'ops-open',
  projectId: OPERATIONS,
};

story(
  'move-pushed move-moved no-message-lies',
  'an item moved by Gatepost is not offered in its old place, and is found by both keys',
  async () => {
    await using stage = await startMoveStage({ source: 'push' });
    const { workspace } = stage.sandbox;
    const before = snapshot(stage);
    await stage.report(before);
    await reviewed(stage);
    await stage.submit();
    await stage.modalOf(/1 item moved/);
    const said = [
      'OPS-18 was moved to *Website* as <https://service.example/eng/website/WEB-3|WEB-3> by <@U0ANA>, <date>. It has not been reported since. To move it again, have the automation report it again, or enter it by hand.',
      'Enter it by hand',
    ].join('\n');
    for (const name of ['OPS-18', 'web-3', OPS_18]) {
      await workspace.closeModal({ user: ANA });
      await stage.type(name);
      expect(await stage.modalOf(/was moved|Project:/)).toBe(said);
    }
    expect((await stage.report(before)).status).toBe(200);
    await workspace.closeModal({ user: ANA });
    await stage.type('OPS-18 Platform');
    expect(await stage.modalOf(/was moved|Project:/)).toBe(said);
    expect((await stage.report(snapshot(stage))).status).toBe(202);
    await workspace.closeModal({ user: ANA });
    await stage.type('OPS-18');
    expect(await stage.modalOf(/Project:/)).toContain('*WEB-3* Renew the certificates');
    expect(stage.moves()).toHaveLength(1);
  },
);

story(
  'move-moved move-who-where',
  'the new place of an item is shown only to people who can move it',
  async () => {
    await using stage = await startMoveStage({
      source: 'manual',
      move: {
        rules: [{ from: [OPERATIONS], to: [], who: { users: [BEN], groups: [], channel: false } }],
      },
    });
    const { updatedAt } = stage.item('OPS-18');
    await stage.type('OPS-18 Website');
    await stage.modalOf(/one per line/);
    await stage.submit({ [LINES]: `${OPS_18} OPS-18 ${updatedAt} ops-open` });
    await stage.submit({ Open: 'To do' });
    await stage.submit();
    await stage.modalOf(/1 item moved/);
    await stage.type('WEB-3', BEN);
    expect(await stage.modalOf(/not on the list|one per line/, BEN)).toBe(
      'You are not on the list of people who can move work items out of this project. Ask a Gatepost administrator.',
    );
    await stage.sandbox.workspace.closeModal({ user: ANA });
    await stage.type('OPS-18');
    expect(await stage.modalOf(/one per line/)).toMatch(
      /^OPS-18 was moved to \*Website\* as \S+ by <@U0ANA>, <date>\. To move it again, enter it as it is there now\./,
    );
  },
);

story(
  'move-pushed move-times',
  'an older report is not offered, and times are kept unchanged',
  async () => {
    await using stage = await startMoveStage({ source: 'push' });
    const { service, workspace } = stage.sandbox;
    const report = async (updatedAt: string, title: string) =>
      (await stage.report({ ...REPORTED, updatedAt, title, channel: DEPLOYS })).status;
    expect(await report('2031-01-01T10:00:00.123456789+0100', 'The newer')).toBe(202);
    expect(await report('2031-01-01T09:00:00.12345678Z', 'The older')).toBe(200);
    await stage.sandbox.until(() => workspace.messages(DEPLOYS).length > 0);
    for (const time of ['2031-01-01T11:00', '20310101T120000', '2031-01-01T13:00+01']) {
      expect(await report(time, 'Another form')).toBe(202);
      await reviewed(stage);
      await stage.submit();
      await stage.modalOf(/Review again/);
      await workspace.closeModal({ user: ANA });
    }
    expect(service.requests('moveTask').map(({ body }) => body)).toMatchObject([
      { baseUpdatedAt: '2031-01-01T11:00' },
      { baseUpdatedAt: '20310101T120000' },
      { baseUpdatedAt: '2031-01-01T13:00+01' },
    ]);
    expect(
      workspace
        .messages(DEPLOYS)
        .map((each) => readable(each))
        .join(),
    ).not.toContain('older');
    expect(await report('2031-02-30T10:00:00Z', 'No day')).toBe(422);
  },
);

story(
  'move-source nobody-decides-who-may-not',
  'an item belongs to the first source that reported it',
  async () => {
    await using stage = await startMoveStage({
      source: 'push',
      config: (config) => ({
        ...config,
        sources: [
          ...config.sources,
          {
            id: 'other',
            auth: { kind: 'bearer' },
            secrets: ['another-secret-for-the-intake'],
            routes: [],
            channels: [],
            kinds: ['task'],
          },
        ],
      }),
    });
    const reportAs = async (secret: string, body: object) => {
      const answer = await fetch(`${stage.app.url}/v1/tasks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const own = stage.sandbox.credentials.intakeSecret;
    const other = 'another-secret-for-the-intake';
    const at = (updatedAt: string, more: object = {}) => ({ ...REPORTED, updatedAt, ...more });
    expect((await reportAs(own, at('2030-01-02T10:00Z'))).status).toBe(202);
    for (const time of ['2030-01-01T10:00Z', '2030-01-03T10:00Z']) {
      const { status, text } = await reportAs(other, at(time, { projectId: LEDGER }));
      expect(status).toBe(403);
      expect(JSON.parse(text)).toMatchObject({ title: 'Forbidden', status: 403 });
      for (const input of [OPS_18, 'OPS-18', LEDGER, time]) expect(text).not.toContain(input);
    }
    await stage.type('OPS-18');
    expect(await stage.modalOf(/Project:/)).toContain('Renew the certificates');
    // Two at once.
    const item = (id: string) => at('2030-01-01T10:00Z', { id, key: null });
    for (const id of ['x-1', 'x-2', 'x-3', 'x-4']) {
      const answers = await Promise.all([own, other].map((secret) => reportAs(secret, item(id))));
      expect(answers.map(({ status }) => status).sort()).toEqual([202, 403]);
    }
  },
);

story(
  'move-unread',
  'an item read without its list of sub-items is not treated as having none',
  async () => {
    await using stage = await startMoveStage({
      config: (config) => ({
        ...config,
        dialect: { ...config.dialect, task: { path: '/sandbox/v1/tasks', subItems: 'children' } },
      }),
    });
    await stage.type('OPS-12');
    expect(await stage.modalOf(/answer|Project:/)).toBe(
      "The service's answer has no usable member `children`, so it is not known what would be moved. A Gatepost administrator has to set `dialect.task`. You can enter the item by hand.\nEnter it by hand",
    );
  },
);
