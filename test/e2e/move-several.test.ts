import { expect } from 'vitest';
import { isObject } from '../../sandbox/exchange.ts';
import { DEPLOYS, readable } from '../support/world.ts';
import {
  type MoveOptions,
  OPERATIONS,
  PLATFORM,
  startMoveStage,
  TREE,
  WEBSITE,
} from './move-stage.ts';
import { ANA, BEN, withoutAddresses } from './stage.ts';
import { story } from './story.ts';

/** Several items to one destination. */

async function startSeveral(options: MoveOptions = {}) {
  const stage = await startMoveStage(options);
  const { workspace } = stage.sandbox;
  const shown = (message: Parameters<typeof readable>[0]) =>
    withoutAddresses(readable(message)).replace(/<!date[^>]*>/g, '<date>');
  const directs = () => workspace.directMessages(ANA).map(shown);
  return {
    ...stage,
    directs,
    announced: () => workspace.messages(DEPLOYS).map(shown),
    async directOf(pattern: RegExp) {
      const find = () => directs().find((text) => pattern.test(text));
      return stage.sandbox.until(find, { what: `${pattern} in a direct message` });
    },
    async pressDirect(label: string, actionId?: string) {
      const [last] = workspace.directMessages(ANA).slice(-1);
      const place = { channel: `D${ANA.slice(1)}`, ts: last?.ts ?? '' };
      const which = actionId === undefined ? { label } : { actionId };
      const pressed = await workspace.click({ user: ANA, ...place, ...which });
      expect(pressed).toMatchObject({ acknowledged: true });
    },
    /** A single fault of the service for the move of an item. */
    trouble: (key: string, kind: 'refused' | 'dropAfter' | '500') =>
      stage.sandbox.service.fault({
        operation: 'moveTask',
        kind,
        times: 1,
        when: ({ body }) => isObject(body) && isFor(body, stage.item(key).id),
      }),
  };
}

function isFor({ subtreeTaskIds }: Readonly<Record<string, unknown>>, id: string): boolean {
  return Array.isArray(subtreeTaskIds) && subtreeTaskIds[0] === id;
}

/** OPS-12 with four sub-items, OPS-18 and OPS-19 become ready to move to Website. */
async function review(stage: Awaited<ReturnType<typeof startSeveral>>, words: string) {
  await stage.type(words);
  await stage.modalOf(/Open:/);
  const known = { Open: 'To do', 'In progress': 'Doing', Waiting: 'To do' };
  return stage.submit({ ...known, 'ops-incident-mitigated': 'Done' });
}

story(
  'move-several move-done',
  'several items are reviewed once, and each is moved with the statuses of its own tree',
  async () => {
    await using stage = await startSeveral();
    await stage.type('OPS-12, OPS-13 and OPS-18 to Website');
    expect(await stage.modalOf(/Open:/)).toBe(
      [
        '*2 work items*, with 4 sub-items:',
        '• OPS-12 Bring the checkout to the new… in Operations, with 4 sub-items',
        '• OPS-18 Renew the certificates in Operations',
        'OPS-13 is below OPS-12, and moves with it.',
        'Read from the service <date>',
        'To *Website · eng*',
        'What should each status become in Website?',
        'In progress: ',
        '1 item',
        'Done: Done',
        '1 item · suggested: same name',
        'Open: ',
        '3 items',
        'Waiting: ',
        '1 item',
        '[Review]',
      ].join('\n'),
    );
    const choices = { Open: 'To do', 'In progress': 'Doing', Waiting: 'To do' };
    expect(await stage.submit(choices)).toContain('[Move 6 items]');
    expect(await stage.submit()).toBe(
      ':hourglass_flowing_sand: *Received 2 work items* to *Website*. Progress and results will appear in a direct message.',
    );
    expect(await stage.directOf(/moved\*/)).toBe(
      [
        ':white_check_mark: *All 2 work items moved* → *Website*',
        ':white_check_mark: 1. OPS-12 → <https://service.example/eng/website/WEB-3|WEB-3>, 5 items moved, 4 field values archived',
        ':white_check_mark: 2. OPS-18 → <https://service.example/eng/website/WEB-8|WEB-8>, 1 item moved',
      ].join('\n'),
    );
    const mapping = {
      'ops-in-progress': 'web-doing',
      'ops-done': 'web-done',
      'ops-open': 'web-to-do',
      'ops-waiting': 'web-to-do',
    };
    expect(stage.moves()).toMatchObject([
      { targetProjectId: WEBSITE, statusMapping: mapping, subtreeTaskIds: TREE },
      { targetProjectId: WEBSITE, statusMapping: { 'ops-open': 'web-to-do' } },
    ]);
    expect(stage.moves()[1]).toHaveProperty('statusMapping', { 'ops-open': 'web-to-do' });
    await stage.sandbox.until(() => stage.announced().length === 1);
    expect(stage.announced()[0]).toContain(
      '2 work items moved to *Website* by <profile of U0ANA|Ana>',
    );
    // The mapping is remembered for the next one.
    await stage.sandbox.workspace.closeModal({ user: ANA });
    const next = { title: 'One more', status: 'ops-open' };
    const { key } = stage.sandbox.service.tasks.add({ project: 'operations' }, next);
    await stage.type(`${key} Website`);
    expect(await stage.modalOf(/suggested|Move/)).toContain('chosen last time');
  },
);

story(
  'move-several move-refused move-again nothing-twice',
  'an item that fails stops no other, and can be moved again alone',
  async () => {
    await using stage = await startSeveral();
    expect(await review(stage, 'OPS-12 OPS-18 OPS-19 Website')).toMatch(/\[Move \d+ items\]/);
    // Changed since it was reviewed.
    stage.sandbox.service.tasks.edit('OPS-12', { title: 'Another title' });
    await stage.submit();
    const said = await stage.directOf(/failed\*/);
    expect(said).toContain(':warning: *1 of 3 failed* → *Website* · 2 moved');
    expect(said).toContain(':no_entry_sign: 1. ');
    expect(said).toContain('> The item or its sub-items have changed since they were read.');
    expect(stage.item('OPS-18').projectId).toBe(WEBSITE);
    expect(stage.item('OPS-19').projectId).toBe(WEBSITE);
    const before = stage.moves().length;
    await stage.pressDirect('Review again');
    await stage.modalOf(/\[Review\]|\[Move/);
    const reviewed = await stage.modalOf(/./);
    if (reviewed.includes('[Review]')) {
      await stage.submit({ Waiting: 'To do', 'In progress': 'Doing', Open: 'To do' });
    }
    await stage.submit();
    await stage.modalOf(/Moved/);
    expect(stage.moves()).toHaveLength(before + 1);
    // Where the command was typed, like the others.
    await stage.sandbox.until(() => stage.announced().length === 2);
  },
);

story(
  'move-several move-lost nothing-twice no-message-lies',
  'a lost answer is looked up, and an item found unmoved is sent again when the person says so',
  async () => {
    await using stage = await startSeveral();
    await review(stage, 'OPS-12 OPS-18 OPS-19 Website');
    stage.trouble('OPS-12', 'dropAfter');
    stage.trouble('OPS-18', '500');
    await stage.submit();
    const said = await stage.directOf(/failed\*/);
    expect(said).toContain(':warning: *1 of 3 failed* → *Website* · 2 moved');
    expect(said).toContain('The service gave no clear answer, but the item was found there.');
    expect(said).toContain('and the item is still where it was.');
    const before = stage.moves().length;
    expect(before).toBe(3);
    await stage.pressDirect('Send again', 'tasks.line.2 tasks.batch.again-one');
    await stage.directOf(/All 3 work items moved/);
    expect(stage.moves()).toHaveLength(before + 1);
    expect(stage.moves().at(-1)).toEqual(stage.moves()[1]);
  },
);

story(
  'move-several move-unread move-who',
  'items that cannot be read or moved are left out and named, and the others go on',
  async () => {
    await using stage = await startSeveral({
      move: { projects: [OPERATIONS, WEBSITE, PLATFORM], rules: [] },
    });
    await stage.type('OPS-18 OPS-99 LED-1 WEB-2 Website');
    const said = await stage.modalOf(/\[/);
    expect(said).toContain('*1 work item*, without sub-items:');
    expect(said).toContain(':warning: Not included:');
    expect(said).toContain('• OPS-99: the service does not know it');
    expect(said).toContain('• LED-1: Work items of this project cannot be moved from Slack.');
    expect(said).toContain('WEB-2 is already there, and stays.');
  },
);

story(
  'move-several move-shortcut',
  'the shortcut on a message with several items offers all of them',
  async () => {
    await using stage = await startSeveral();
    const { workspace } = stage.sandbox;
    const text = 'OPS-18 and <https://service.example/ops/operations/OPS-19|this> go to Website';
    const { ts } = workspace.say({ user: BEN, channel: DEPLOYS, text });
    await workspace.shortcut({ user: ANA, callbackId: 'tasks.move', channel: DEPLOYS, ts });
    await stage.modalOf(/Work items:/);
    const form = JSON.stringify(workspace.modal(ANA)?.blocks);
    expect(form).toContain('"initial_value":"OPS-19\\nOPS-18"');
    expect(await stage.submit({ 'Work items': 'OPS-19\nOPS-18' })).toContain('*2 work items*');
    await stage.choose('Project', WEBSITE);
    await stage.submit();
    expect(await stage.modalOf(/\[Review\]|\[Move/)).toContain('What should each status become');
  },
);

story(
  'move-several',
  'more than fifty items are said with what to do, and without a source they go one at a time',
  async () => {
    await using stage = await startSeveral();
    const keys = Array.from({ length: 60 }, (_, index) => `OPS-${100 + index}`);
    await stage.type(`${keys.join(' ')} Website`);
    expect(await stage.modalOf(/At most 50/)).toContain('You named 60 work items.');
    const form = JSON.stringify(stage.sandbox.workspace.modal(ANA)?.blocks);
    expect(form).toContain('OPS-149"');
    expect(form).not.toContain('OPS-150');
    await using other = await startSeveral({ source: 'manual' });
    await other.type('OPS-12 OPS-18 Website');
    expect(await other.modalOf(/Work item/)).toContain('can only be moved one at a time');
  },
);

/** An item as an automation reports it. */
const reported = (key: string, { id, updatedAt }: { id: string; updatedAt: string }) => ({
  ...{ id, key, updatedAt, title: `Title of ${key}`, status: 'ops-open' },
  projectId: OPERATIONS,
});

story(
  'move-several move-pushed no-message-lies',
  'reported items are moved at once, and each one is known as moved',
  async () => {
    await using stage = await startSeveral({ source: 'push' });
    for (const key of ['OPS-18', 'OPS-12']) {
      const tree = { subItems: key === 'OPS-12' ? TREE.slice(1).map(open) : [] };
      expect(await stage.report({ ...reported(key, stage.item(key)), ...tree })).toMatchObject({
        status: 202,
      });
    }
    await stage.type('OPS-18 OPS-12 OPS-19 Website');
    const said = await stage.modalOf(/Open:/);
    expect(said).toContain('As reported by an automation, the oldest <date>');
    expect(said).toContain('• OPS-19: no automation has reported it in the last 7 days');
    expect(await stage.submit({ Open: 'To do' })).toContain('[Move 6 items]');
    await stage.submit();
    // The reports say that all of the tree is open, and the service that it is not.
    const result = await stage.directOf(/failed\*/);
    expect(result).toContain('1 of 2 failed* → *Website* · 1 moved');
    expect(result).toMatch(/:no_entry_sign: 2\. [^\n]*OPS-12[^\n]*\n> The service did not accept/);
    await stage.sandbox.workspace.closeModal({ user: ANA });
    await stage.type('OPS-18 OPS-12 Website');
    expect(await stage.modalOf(/Not included/)).toContain(
      '• OPS-18: it was moved, and has not been reported since',
    );
  },
);

const open = (id: string) => ({ id, status: 'ops-open' });

story('move-several move-many', 'too many statuses are said, with what to begin with', async () => {
  await using stage = await startSeveral({ source: 'push' });
  for (const [at, key] of ['OPS-12', 'OPS-18', 'OPS-19'].entries()) {
    const subItems = Array.from({ length: 40 }, (_, index) => {
      const end = String(at * 100 + index).padStart(12, '0');
      return { id: `5b7d1f00-0000-4000-8000-${end}`, status: `status-${at}-${index}` };
    });
    await stage.report({ ...reported(key, stage.item(key)), subItems });
  }
  await stage.type('OPS-12 OPS-18 OPS-19 Website');
  expect(await stage.modalOf(/different statuses/)).toBe(
    'These work items and their sub-items use 121 different statuses. A form in Slack can hold 90. Move fewer at once: those from OPS-12 to OPS-18 first, and then the others.',
  );
});
