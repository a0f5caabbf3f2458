import { expect } from 'vitest';
import { DEPLOYS, OUTCOMES, readable } from '../support/world.ts';
import { startCaseStage } from './case-stage.ts';
import { reviewed, startMoveStage } from './move-stage.ts';
import { ANA, BEN } from './stage.ts';
import { story } from './story.ts';

const OWN = `D${ANA.slice(1)}`;

story(
  'case-announced',
  "what is asked for in the bot's own direct message is told there once",
  async () => {
    await using stage = await startCaseStage();
    const { workspace } = stage.sandbox;
    const text = '/new-case Once --priority low --project Checkout';
    expect(await workspace.command({ user: ANA, channel: OWN, text })).toMatchObject({
      acknowledged: true,
    });
    await stage.directOf(/Created/);
    // Whatever came twice would be there before what is asked for later.
    await stage.type('Later --priority low --project Checkout');
    await stage.directOf(/Later/);
    await stage.sandbox.until(() => stage.announced().length > 0);
    expect(stage.directs(ANA).filter((each) => each.includes('Once'))).toHaveLength(1);
    expect(stage.directs(ANA)).toHaveLength(2);
  },
);

story('case-announced', 'test cases have a channel of their own', async () => {
  await using stage = await startCaseStage({ cases: { announce: OUTCOMES } });
  const { workspace } = stage.sandbox;
  await stage.type('Elsewhere --priority low --project Checkout');
  await stage.directOf(/Created/);
  await stage.sandbox.until(() => workspace.messages(OUTCOMES).length > 0);
  expect(readable(workspace.messages(OUTCOMES)[0])).toContain('Elsewhere');
  expect(stage.announced()).toEqual([]);
});

story('case-announced', 'moves have a channel of their own', async () => {
  await using stage = await startMoveStage({ move: { announce: OUTCOMES } });
  const { workspace } = stage.sandbox;
  await reviewed(stage);
  await stage.submit();
  await stage.modalOf(/1 item moved/);
  await stage.sandbox.until(() => workspace.messages(OUTCOMES).length > 0);
  expect(readable(workspace.messages(OUTCOMES)[0])).toContain('OPS-18 → ');
  expect(workspace.messages(DEPLOYS)).toEqual([]);
});

story(
  'case-announced case-shortcut',
  'a test case that was made from a message is announced in the thread of that message',
  async () => {
    await using stage = await startCaseStage();
    const { workspace } = stage.sandbox;
    const { ts } = workspace.say({ user: BEN, channel: DEPLOYS, text: 'Pay by card' });
    await workspace.shortcut({ user: ANA, callbackId: 'test-cases.create', channel: DEPLOYS, ts });
    await stage.modalOf(/Test project/);
    await stage.choose('Test project', 'tp-checkout');
    await stage.modalOf(/Suite/);
    await stage.submit();
    await stage.modalOf(/Created/);
    const replies = () => workspace.messages(DEPLOYS).filter(({ thread_ts: of }) => of === ts);
    await stage.sandbox.until(() => replies().length > 0);
    expect(readable(replies()[0])).toContain('Pay by card');
  },
);
