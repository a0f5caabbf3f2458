import { expect } from 'vitest';
import { DEPLOYS, OUTCOMES } from '../support/world.ts';
import { ANA, BEN, CLEO, callSlack, respondsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

story(
  'telling nobody-without-answer',
  'a reply uses the response_url while there is one',
  async () => {
    await using stage = await startStage();
    const { ts } = await stage.ask();
    await stage.click(CLEO, ts, 'Approve');
    await stage.sandbox.until(() => stage.told(CLEO).length > 0);
    expect(stage.sandbox.workspace.calls('chat.postEphemeral')).toEqual([]);
    expect(stage.sandbox.workspace.directMessages(CLEO)).toEqual([]);
  },
);

story(
  'telling nobody-without-answer',
  'a reply is an ephemeral message after half an hour',
  async () => {
    let aheadMs = 0;
    await using stage = await startStage({ sandbox: { now: () => Date.now() + aheadMs } });
    const { workspace } = stage.sandbox;
    const { ts } = await stage.ask();
    workspace.fault({ kind: 'slowAnswer', ms: 500, method: 'users.info', times: 1 });
    await stage.click(CLEO, ts, 'Approve');
    aheadMs = 31 * 60_000;
    await stage.sandbox.until(() => stage.told(CLEO).length > 0);
    expect(workspace.calls('chat.postEphemeral')).toHaveLength(1);
    expect(stage.told(CLEO)).toEqual([expect.stringMatching(/^You are not a reviewer/)]);
  },
);

story(
  'telling nobody-without-answer',
  'a reply is a direct message if nothing else works',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    const { ts } = await stage.ask();
    workspace.fault({ kind: '500', method: 'response_url' });
    workspace.fault({ kind: '500', method: 'chat.postEphemeral' });
    await stage.click(CLEO, ts, 'Approve');
    await stage.sandbox.until(() => workspace.directMessages(CLEO).length > 0);
    expect(stage.told(CLEO)).toEqual([expect.stringMatching(/^You are not a reviewer/)]);
  },
);

/** Posts in the bot's name what it never posted itself. */
async function forge(stage: Stage, channel: string, blocks: unknown): Promise<string> {
  const { ts } = await callSlack(stage, 'chat.postMessage', { channel, text: 'A copy', blocks });
  return String(ts);
}

story(
  'click-copy nobody-decides-who-may-not nobody-without-answer',
  'a click on a copy of a message links to the original and decides nothing',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    const { ts, token } = await stage.ask();
    const copy = await forge(stage, DEPLOYS, workspace.message(DEPLOYS, ts)?.blocks);
    await stage.click(ANA, copy, 'Approve');
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    const link = `/archives/${DEPLOYS}/p${ts.replace('.', '')}|the original message>`;
    expect(stage.told(ANA)).toEqual([expect.stringContaining(link)]);
    expect(respondsOf(stage, token)).toEqual([]);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
  },
);

story('click-copy', 'a copy in another channel links nowhere and decides nothing', async () => {
  await using stage = await startStage();
  const { workspace } = stage.sandbox;
  const { ts, token } = await stage.ask();
  const copy = await forge(stage, OUTCOMES, workspace.message(DEPLOYS, ts)?.blocks);
  await workspace.click({ user: BEN, channel: OUTCOMES, ts: copy, label: 'Reject' });
  await stage.sandbox.until(() => stage.told(BEN).length > 0);
  expect(stage.told(BEN)).toEqual([
    'This is a copy of *Deploy to production?*, so your press was not counted. Decide on the original message.',
  ]);
  expect(respondsOf(stage, token)).toEqual([]);
});

story(
  'click-copy nobody-without-answer',
  'a button of a request that is not stored says so',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    const { ts, id } = await stage.ask();
    const blocks = JSON.stringify(workspace.message(DEPLOYS, ts)?.blocks).replaceAll(id, 'forged');
    const forged = await forge(stage, DEPLOYS, JSON.parse(blocks));
    await stage.click(ANA, forged, 'Approve');
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA)).toEqual([expect.stringMatching(/no longer stored here/)]);
  },
);
