import { expect } from 'vitest';
import { withResolvers } from '../support/with-resolvers.ts';
import { DEPLOYS } from '../support/world.ts';
import { ANA, BEN, effectsOf, respondsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** Waits until the outcome is in the thread: all replies were sent before. */
function announced({ sandbox }: Stage, ts: string): Promise<unknown> {
  return sandbox.until(() => sandbox.workspace.thread(DEPLOYS, ts).length > 1, {
    what: 'the outcome in the thread',
  });
}

story(
  'click-race nothing-twice nobody-without-answer',
  'of two simultaneous approvals one counts, and the other person is told',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask();
    await Promise.all([stage.click(ANA, ts, 'Approve'), stage.click(BEN, ts, 'Approve')]);
    const text = await stage.until(ts, /Approved by <@U0(ANA|BEN)>/);
    const [winner, loser] = text.includes('by <@U0ANA>') ? [ANA, BEN] : [BEN, ANA];
    await stage.sandbox.until(() => stage.told(loser).length > 0);
    expect(stage.told(loser)).toEqual([
      `Request *Deploy to production?* was already approved by <@${winner}>. Your approval was not counted.`,
    ]);
    await announced(stage, ts);
    expect(stage.told(winner)).toEqual([]);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    expect(respondsOf(stage, token)).toEqual([200]);
  },
);

story(
  'click-race no-message-lies',
  'of two opposite presses one counts, and the other person is told the outcome',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask();
    await Promise.all([stage.click(ANA, ts, 'Approve'), stage.click(BEN, ts, 'Reject')]);
    const text = await stage.until(ts, /(Approved|Rejected) by <@U0(ANA|BEN)>/);
    const approved = text.includes('Approved by <@U0ANA>');
    expect(approved || text.includes('Rejected by <@U0BEN>')).toBe(true);
    const [winner, loser, word] = approved ? [ANA, BEN, 'approved'] : [BEN, ANA, 'rejected'];
    await stage.sandbox.until(() => stage.told(loser).length > 0);
    expect(stage.told(loser)).toEqual([
      `Request *Deploy to production?* was already ${word} by <@${winner}>. Your ${approved ? 'rejection' : 'approval'} was not counted.`,
    ]);
    expect(effectsOf(stage, token)).toEqual([approved ? 'approve' : 'reject']);
    expect(respondsOf(stage, token)).toEqual([200]);
  },
);

story('click-once nothing-twice', 'a click that Slack delivers twice decides once', async () => {
  await using stage = await startStage();
  const { ts, token } = await stage.ask();
  const press = {
    user: ANA,
    channel: DEPLOYS,
    ts,
    label: 'Approve',
    twice: 'delivered',
  } as const;
  const delivery = await stage.sandbox.workspace.click(press);
  expect([delivery.acknowledged, delivery.second?.acknowledged]).toEqual([true, true]);
  await stage.until(ts, /Approved by <@U0ANA>/);
  expect(respondsOf(stage, token)).toEqual([200]);
  expect(effectsOf(stage, token)).toEqual(['approve']);
  await announced(stage, ts);
  expect(stage.told(ANA)).toEqual([]);
});

story('click-once nothing-twice', 'a double click decides once and says nothing more', async () => {
  await using stage = await startStage();
  const { ts, token } = await stage.ask();
  const press = { user: ANA, channel: DEPLOYS, ts, label: 'Reject', twice: 'pressed' } as const;
  await stage.sandbox.workspace.click(press);
  await stage.until(ts, /Rejected by <@U0ANA>/);
  expect(respondsOf(stage, token)).toEqual([200]);
  expect(effectsOf(stage, token)).toEqual(['reject']);
  await announced(stage, ts);
  expect(stage.told(ANA)).toEqual([]);
});

story(
  'click-quorum click-race',
  'two approvals at once make a quorum of two, sent once',
  async () => {
    await using stage = await startStage({ route: { quorum: 2 } });
    const { ts, token } = await stage.ask();
    await Promise.all([stage.click(ANA, ts, 'Approve'), stage.click(BEN, ts, 'Approve')]);
    await stage.until(ts, /Approved by <@U0(ANA|BEN)> and <@U0(ANA|BEN)>/);
    expect(respondsOf(stage, token)).toEqual([200]);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'click-acknowledged no-click-lost',
  'clicks are acknowledged at once even if the service and Slack are slow',
  async () => {
    await using stage = await startStage({ scale: 1 });
    const { ts, token } = await stage.ask();
    const { promise: until, resolve: goOn } = withResolvers();
    stage.sandbox.service.fault({ kind: 'latency', until, times: 2 });
    stage.sandbox.workspace.fault({ kind: 'latency', until, method: 'users.info', times: 1 });
    const deliveries = await Promise.all([
      stage.click(ANA, ts, 'Approve'),
      stage.click(BEN, ts, 'Approve'),
    ]);
    for (const { acknowledged } of deliveries) expect(acknowledged).toBe(true);
    expect(stage.sandbox.service.requests('respond')).toEqual([]);
    goOn();
    await stage.until(ts, /Approved by <@U0(ANA|BEN)>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story('nothing-twice click-race', 'ten approvals decided at once are each sent once', async () => {
  await using stage = await startStage({ sandbox: { postRate: null } });
  const asked = await Promise.all(
    Array.from({ length: 10 }, (_, at) => stage.ask({ title: `Request ${at}` })),
  );
  await Promise.all(
    asked.flatMap(({ ts }) => [stage.click(ANA, ts, 'Approve'), stage.click(BEN, ts, 'Reject')]),
  );
  for (const { ts, token } of asked) {
    await stage.until(ts, /Approved by <@U0ANA>|Rejected by <@U0BEN>/);
    expect(effectsOf(stage, token)).toHaveLength(1);
    expect(respondsOf(stage, token)).toEqual([200]);
  }
});
