import { expect } from 'vitest';
import { withResolvers } from '../support/with-resolvers.ts';
import { DEPLOYS, OUTCOMES, readable } from '../support/world.ts';
import { startCaseStage } from './case-stage.ts';
import { reviewed, startMoveStage } from './move-stage.ts';
import { startRestartingBot } from './restarting-bot.ts';
import { ANA, BEN } from './stage.ts';
import { story } from './story.ts';

const OWN = `D${ANA.slice(1)}`;

story(
  'case-announced',
  "a command in the bot's own direct message gets its result there once",
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
    await stage.sandbox.until(() => stage.announced().length > 0);
    expect(stage.directs(ANA).filter((each) => each.includes('Once'))).toHaveLength(1);
    expect(stage.directs(ANA)).toHaveLength(1);
  },
);

story('case-announced', 'test cases can have a channel of their own', async () => {
  await using stage = await startCaseStage({ cases: { announce: OUTCOMES } });
  const { workspace } = stage.sandbox;
  await stage.type('Elsewhere --priority low --project Checkout');
  await stage.directOf(/Created/);
  await stage.sandbox.until(() => workspace.messages(OUTCOMES).length > 0);
  expect(readable(workspace.messages(OUTCOMES)[0])).toContain('Elsewhere');
  expect(stage.announced()).toEqual([]);
});

story('case-announced', 'moves can have a channel of their own', async () => {
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
  "a test case created from a message is announced in that message's thread",
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

const SETTINGS = `
sources:
  - { id: default, secret: GATEPOST_INTAKE_SECRET, routes: [production] }
routes:
  production:
    channel: ${DEPLOYS}
    reviewers: { users: [${ANA}] }
    reason: { approve: none }
    outcomes: { thread: false, channel: ${OUTCOMES}, requester: false }
`;

/** Decided by Ana, and announced by a bot that has just started: it has not seen her yet. */
async function announcedByAnother(isSilent: boolean): Promise<string> {
  await using bot = await startRestartingBot();
  const { workspace } = bot.sandbox;
  let isShut = true;
  const refused = () =>
    workspace.calls('chat.postMessage').filter(({ args }) => args.channel === OUTCOMES);
  workspace.fault({
    method: 'chat.postMessage',
    kind: '429',
    when: ({ channel }) => isShut && channel === OUTCOMES,
  });
  await bot.restart({}, SETTINGS);
  const { ts } = await bot.ask();
  await bot.click(ANA, ts, 'Approve');
  await bot.until(ts, /Approved by <@U0ANA>/);
  await bot.sandbox.until(() => refused().length > 0, { what: 'an announcement' });
  await bot.stop();
  isShut = false;
  const { promise: until, resolve: goOn } = withResolvers();
  if (isSilent) workspace.fault({ method: 'users.info', kind: 'slowAnswer', until });
  await bot.restart({}, SETTINGS);
  await bot.sandbox.until(() => workspace.messages(OUTCOMES).length > 0);
  goOn();
  return readable(workspace.messages(OUTCOMES)[0]);
}

story('outcome-channel', 'an announcement after a restart says who decided, by name', async () => {
  expect(await announcedByAnother(false)).toMatch(/Approved by <[^|>]+\/U0ANA\|Ana>/);
});

story(
  'outcome-channel slack-fails',
  "an announcement is posted even if Slack does not return a person's name",
  async () => {
    expect(await announcedByAnother(true)).toMatch(/Approved by <[^|>]+\/U0ANA\|U0ANA>/);
  },
);
