import { expect } from 'vitest';
import { DEPLOYS, readable } from '../support/world.ts';
import { PLATFORM, startMoveStage, TREE } from './move-stage.ts';
import { ANA, withoutAddresses } from './stage.ts';
import { story } from './story.ts';

const ITEM = [
  '*OPS-12* Bring the checkout to the new cluster in *Operations*, with 4 sub-items:',
  '• OPS-13 Copy the data',
  '• OPS-15 Compare the copies',
  '• OPS-16 Delete the old disks',
  '• OPS-14 Switch the traffic over',
];

story('move-done', 'an item and its sub-items are moved exactly as reviewed', async () => {
  await using stage = await startMoveStage();
  await stage.type('OPS-12');
  expect(await stage.modalOf(/Project:/)).toBe(
    [...ITEM, 'Read from the service <date>', 'Project: ', '[Next]'].join('\n'),
  );
  await stage.choose('Project', PLATFORM);
  expect(await stage.modalOf(/Type:/)).toContain('Type: Default');
  expect(await stage.submit()).toBe(
    [
      ...ITEM,
      'Read from the service <date>',
      'To *Platform · eng*',
      'What should each status become in Platform?',
      'In progress: In progress',
      '1 item · suggested: same name',
      'Done: Done',
      '1 item · suggested: same name',
      'Open: ',
      '2 items',
      'Waiting: ',
      '1 item',
      '[Review]',
    ].join('\n'),
  );
  expect(
    await stage.submit({
      Open: 'Backlog',
      Waiting: 'Backlog',
    }),
  ).toBe(
    [
      ...ITEM,
      'Read from the service <date>',
      'To *Platform · eng*',
      'In progress (1) → In progress',
      'Done (1) → Done',
      'Open (2) → Backlog',
      'Waiting (1) → Backlog',
      'Change statuses',
      'Every item gets a new key; old keys keep working. Field values with no counterpart in the destination are archived.',
      '[Move 5 items]',
    ].join('\n'),
  );
  await stage.submit();
  expect(await stage.modalOf(/Moved/)).toBe(
    [
      ':white_check_mark: *Moved* · OPS-12 → *Platform*',
      'OPS-12 → <https://service.example/eng/platform/PLAT-7|PLAT-7>, 5 items moved, 1 field value archived',
    ].join('\n'),
  );
  expect(stage.moves()).toEqual([
    {
      targetProjectId: PLATFORM,
      statusMapping: {
        'ops-in-progress': 'plat-in-progress',
        'ops-done': 'plat-done',
        'ops-open': 'plat-backlog',
        'ops-waiting': 'plat-backlog',
      },
      baseUpdatedAt: '2026-11-01T09:14:07.120101Z',
      subtreeTaskIds: TREE,
    },
  ]);
  await stage.sandbox.until(() => stage.sandbox.workspace.messages(DEPLOYS).length > 0);
  expect(withoutAddresses(readable(stage.sandbox.workspace.messages(DEPLOYS)[0]))).toBe(
    [
      'Work item moved to *Platform* by <profile of U0ANA|Ana>',
      'OPS-12 → <https://service.example/eng/platform/PLAT-7|PLAT-7>, 5 items moved, 1 field value archived',
      'Bring the checkout to the new cluster',
    ].join('\n'),
  );
  expect(stage.item('OPS-12').key).toBe('PLAT-7');
  expect(stage.told(ANA)).toEqual([]);
});
