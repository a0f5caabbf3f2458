import { expect } from 'vitest';
import { withResolvers } from '../support/with-resolvers.ts';
import { DEPLOYS, messageOf, OUTCOMES, readable } from '../support/world.ts';
import { untilAtRest } from './aftermath.ts';
import { openSlackDoor } from './slack-door.ts';
import { ANA, CLEO, effectsOf, quietMsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** All messages of a record in the channel, deleted ones left out. */
function messagesOf({ sandbox }: Stage, record: string): string[] {
  const all = sandbox.workspace.messages(DEPLOYS);
  return all.filter((message) => messageOf([message], record)).map(({ ts }) => ts);
}

async function newMessageOf(stage: Stage, record: string): Promise<string> {
  const found = () => messagesOf(stage, record)[0];
  return stage.sandbox.until(found, { what: 'a new message' });
}

story('post-limited', 'a rate-limited post is repeated when Slack allows', async () => {
  await using stage = await startStage();
  const { workspace } = stage.sandbox;
  workspace.fault({ kind: '429', method: 'chat.postMessage', times: 1, retryAfter: 2 });
  const { ts, id } = await stage.ask();
  const [refused, made] = workspace.calls('chat.postMessage');
  expect(refused?.status).toBe(429);
  expect((made?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(1_800);
  expect(messagesOf(stage, id)).toEqual([ts]);
});

story.long('post-limited', 'a burst of requests is posted at Slack’s rate', async () => {
  // At true time: what takes a slow machine long is short beside the pace.
  await using stage = await startStage({ scale: 1 });
  const asked = await Promise.all(
    Array.from({ length: 8 }, (_, at) => stage.ask({ title: `Request ${at}` })),
  );
  const posts = stage.sandbox.workspace.calls('chat.postMessage');
  // On a busy machine two that were sent apart can arrive together.
  expect(posts.filter(({ status }) => status === 429).length).toBeLessThan(2);
  for (const { id } of asked) expect(messagesOf(stage, id)).toHaveLength(1);
});

story.long(
  'post-limited message-overflow',
  'new requests are posted before the remaining replies of a long one',
  async () => {
    // At true time: the same.
    await using stage = await startStage({ scale: 1 });
    const { workspace } = stage.sandbox;
    const long = await stage.ask({ message: 'x&'.repeat(30_000) });
    const replies = () => workspace.thread(DEPLOYS, long.ts).slice(1);
    await stage.sandbox.until(() => replies().length > 0);
    // All eight have come while the channel rests, however slow the machine is.
    workspace.fault({ kind: '429', method: 'chat.postMessage', times: 1, retryAfter: 12 });
    const refused = await stage.sandbox.until(() =>
      workspace.calls('chat.postMessage').find(({ status }) => status === 429),
    );
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, at) => stage.ask({ title: `Request ${at}` })),
    );
    const last = Math.max(...asked.map(({ ts }) => Number(ts)));
    const between = replies().filter(
      ({ ts }) => Number(ts) * 1_000 > refused.at && Number(ts) < last,
    );
    // One may have had its slot before they came.
    expect(between.length).toBeLessThanOrEqual(1);
    await stage.sandbox.until(() => replies().length === 7);
    await stage.until(long.ts, /More in the thread[\s\S]*\nApprove\nReject$/);
    // The one above, and on a busy machine two that were sent apart can arrive together.
    expect(workspace.calls('chat.postMessage').filter(({ ok }) => !ok).length).toBeLessThan(3);
  },
);

story.long(
  'post-limited no-message-lies',
  'a rate-limited update is repeated when Slack allows',
  async () => {
    await using stage = await startStage();
    const { ts } = await stage.ask();
    const { workspace } = stage.sandbox;
    workspace.fault({ kind: '429', method: 'chat.update', times: 1, retryAfter: 1 });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    const [limited, made] = workspace.calls('chat.update');
    expect([limited?.status, made?.status]).toEqual([429, 200]);
    // The loop's time may be behind by as long as the store's last answer was on its way.
    expect((made?.at ?? 0) - (limited?.at ?? 0)).toBeGreaterThanOrEqual(800);
  },
);

story.long(
  'post-limited',
  'a rate limit on updates applies to every message of this process',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    const first = await stage.ask({ title: 'First' });
    const second = await stage.ask({ title: 'Second' });
    workspace.fault({ kind: '429', method: 'chat.update', times: 1, retryAfter: 2 });
    await stage.click(ANA, first.ts, 'Approve');
    await stage.sandbox.until(() => workspace.calls('chat.update').length === 1);
    await stage.click(ANA, second.ts, 'Approve');
    await stage.until(first.ts, /Approved by/);
    await stage.until(second.ts, /Approved by/);
    const [limited, ...later] = workspace.calls('chat.update');
    for (const { at } of later) expect(at - (limited?.at ?? 0)).toBeGreaterThanOrEqual(1_900);
  },
);

story(
  'post-ambiguous nothing-twice',
  'a post with a lost response is found and not repeated',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    workspace.fault({ kind: 'dropAfter', method: 'chat.postMessage', times: 1 });
    const { ts, id } = await stage.ask();
    await stage.sandbox.until(() => workspace.calls('conversations.history').length > 0);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    await stage.sandbox.until(() => workspace.thread(DEPLOYS, ts).length > 1);
    expect(messagesOf(stage, id)).toEqual([ts]);
  },
);

story(
  'post-ambiguous nothing-twice',
  'outcomes with lost responses are found in the thread, the channel and the direct message',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    const { ts } = await stage.ask({ title: 'Lost', requestedBy: { slackUser: CLEO } });
    workspace.fault({ kind: 'dropAfter', method: 'chat.postMessage', times: 3 });
    await stage.click(ANA, ts, 'Approve');
    const announced = () => [
      ...workspace.thread(DEPLOYS, ts).slice(1),
      ...workspace.messages(OUTCOMES),
      ...workspace.directMessages(CLEO),
    ];
    await stage.sandbox.until(() => announced().length === 3);
    await finished(stage);
    expect(announced().map(readable)).toEqual(
      Array(3).fill(expect.stringContaining(':white_check_mark: *Approved')),
    );
  },
);

/** Waits until Slack has answered the last search for the last announcement. */
function finished({ sandbox }: Stage): Promise<unknown> {
  const { workspace } = sandbox;
  const isFound = () =>
    workspace.calls('conversations.replies').some(({ status }) => status === 200) &&
    workspace.calls('conversations.history').filter(({ status }) => status === 200).length >= 2;
  return sandbox.until(isFound, { what: 'the searches' });
}

for (const kind of ['dropBefore', '500'] as const) {
  story.long(
    'post-ambiguous nothing-twice',
    `a post that ended with ${kind} and is not found is posted once more after a while`,
    async () => {
      await using stage = await startStage();
      const { workspace } = stage.sandbox;
      workspace.fault({ kind, method: 'chat.postMessage', times: 1 });
      const { id, ts } = await stage.ask();
      const [first, second, ...more] = workspace.calls('chat.postMessage');
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(quietMsOf(stage));
      expect(more).toEqual([]);
      expect(messagesOf(stage, id)).toEqual([ts]);
    },
  );
}

story(
  'post-ambiguous click-acknowledged no-click-lost',
  'a click on a message whose post is not yet answered is carried out',
  async () => {
    // At true time: it is answered in time, however slow the machine is.
    await using stage = await startStage({ scale: 1 });
    const { workspace } = stage.sandbox;
    const { promise: until, resolve: goOn } = withResolvers();
    workspace.fault({ kind: 'slowAnswer', until, method: 'chat.postMessage', times: 1 });
    const { ts, token, id } = await stage.ask();
    const { acknowledged } = await stage.click(ANA, ts, 'Approve');
    expect(acknowledged).toBe(true);
    goOn();
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    expect(messagesOf(stage, id)).toEqual([ts]);
  },
);

story(
  'post-refused intake-check intake-posting',
  'a refused message is posted after the bot was invited and the approval is checked',
  async () => {
    await using stage = await startStage();
    const { workspace, automation } = stage.sandbox;
    workspace.kickBot(DEPLOYS);
    const { id, status } = await stage.send({ title: 'Outside' });
    expect(status).toBe(202);
    const refused = () => workspace.calls('chat.postMessage').at(-1)?.error === 'not_in_channel';
    await stage.sandbox.until(refused);
    await expect
      .poll(() => automation.status(id))
      .toMatchObject({
        body: { status: 'BLOCKED', posting: { state: 'blocked', reason: 'not_in_channel' } },
      });
    workspace.inviteBot(DEPLOYS);
    await automation.check(id);
    const ts = await newMessageOf(stage, id);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(await automation.status(id)).toMatchObject({ body: { posting: { state: 'posted' } } });
  },
);

story(
  'post-deleted no-message-lies',
  'a deleted message is posted once more while its request is waiting',
  async () => {
    await using stage = await startStage();
    const { workspace, automation, service } = stage.sandbox;
    const { ts, id, token } = await stage.ask();
    workspace.deleteMessage(DEPLOYS, ts);
    service.fault({ kind: 'html', operation: 'getApproval', times: 4 });
    await automation.check(id);
    const again = await newMessageOf(stage, id);
    expect(stage.read(again)).toMatch(/\nApprove\nReject$/);
    await stage.click(ANA, again, 'Approve');
    await stage.until(again, /Approved by <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    expect(messagesOf(stage, id)).toEqual([again]);
  },
);

story(
  'post-deleted intake-posting administrators-told',
  'a message deleted twice is reported to its source and to administrators',
  async () => {
    const administrators = { users: ['U0DANA'], groups: [] };
    await using stage = await startStage({ config: (config) => ({ ...config, administrators }) });
    const { workspace, automation, service } = stage.sandbox;
    const { ts, id } = await stage.ask();
    workspace.deleteMessage(DEPLOYS, ts);
    service.fault({ kind: 'html', operation: 'getApproval', times: 4 });
    await automation.check(id);
    const again = await newMessageOf(stage, id);
    expect(stage.read(again)).toContain('has been returning errors');
    workspace.deleteMessage(DEPLOYS, again);
    // The service answers again, which the message would say.
    await automation.check(id);
    await stage.sandbox.until(() => stage.told('U0DANA').length > 0);
    expect(stage.told('U0DANA')).toEqual([
      expect.stringMatching(/^The message of an approval in <#C0DEPLOYS> was deleted again/),
    ]);
    expect(await automation.status(id)).toMatchObject({
      body: { status: 'BLOCKED', posting: { state: 'ended', reason: 'message_not_found' } },
    });
  },
);

story(
  'post-deleted no-message-lies',
  'the outcome of a deleted message is posted again',
  async () => {
    await using stage = await startStage();
    const { workspace, automation, service } = stage.sandbox;
    const { ts, id, token } = await stage.ask();
    workspace.deleteMessage(DEPLOYS, ts);
    service.decide(token, 'reject');
    await automation.check(id);
    const again = await newMessageOf(stage, id);
    await stage.until(again, /Rejected elsewhere/);
    expect(messagesOf(stage, id)).toEqual([again]);
  },
);

story(
  'post-deleted no-message-lies',
  'a message deleted twice is not posted again until there is an outcome',
  async () => {
    await using stage = await startStage();
    const { workspace, automation, service } = stage.sandbox;
    const { ts, id, token } = await stage.ask();
    /** A look that changes the message, so that it is found deleted. */
    const touch = async () => {
      service.fault({ kind: 'html', operation: 'getApproval', times: 4 });
      await automation.check(id);
    };
    workspace.deleteMessage(DEPLOYS, ts);
    await touch();
    const again = await newMessageOf(stage, id);
    workspace.deleteMessage(DEPLOYS, again);
    await automation.check(id);
    const isGone = () => workspace.calls('chat.update').at(-1)?.args.ts === again;
    await stage.sandbox.until(isGone, { what: 'an update of the second message' });
    await untilAtRest(stage.app, 'people');
    expect(messagesOf(stage, id)).toEqual([]);
    service.decide(token, 'approve');
    await automation.check(id);
    const last = await newMessageOf(stage, id);
    await stage.until(last, /Approved elsewhere/);
    expect(workspace.messages(DEPLOYS).filter((each) => messageOf([each], id))).toHaveLength(1);
  },
);

story(
  'update-ambiguous',
  'an update without a clear result is repeated, and once more later',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    const { ts } = await stage.ask();
    const isOutcome = (args: object) => JSON.stringify(args).includes('Approved by');
    workspace.fault({ kind: 'dropAfter', method: 'chat.update', times: 1, when: isOutcome });
    await stage.click(ANA, ts, 'Approve');
    const updates = () => workspace.calls('chat.update').filter(({ args }) => isOutcome(args));
    await stage.sandbox.until(() => updates().length === 3);
    const [first, , third] = updates();
    const { renderAgainMs } = stage.timing;
    expect((third?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(renderAgainMs - 200);
    await stage.until(ts, /Approved by <@U0ANA>/);
  },
);

story.long(
  'update-ambiguous message-sending no-message-lies',
  'an update that arrives late is corrected',
  async () => {
    await using stage = await startStage({ scale: 0.2 });
    const { workspace, service, until } = stage.sandbox;
    const { ts } = await stage.ask();
    const says = (words: string) => (args: object) => JSON.stringify(args).includes(words);
    const updates = () =>
      workspace.calls('chat.update').filter(({ args }) => says('Sending')(args));
    // The decision is answered once the message is to say that it is being sent; that arrives after its outcome.
    const isSaid = until(() => updates().length > 0);
    service.fault({ kind: 'slowAnswer', operation: 'respond', times: 1, until: isSaid });
    const isDecided = stage.until(ts, /Approved by <@U0ANA>/);
    const late = { kind: 'latency', method: 'chat.update', when: says('Sending') } as const;
    workspace.fault({ ...late, times: 1, until: isDecided });
    await stage.click(ANA, ts, 'Approve');
    await isDecided;
    await stage.until(ts, /Sending/);
    await stage.until(ts, /Approved by <@U0ANA>/);
  },
);

for (const error of ['cant_update_message', 'edit_window_closed']) {
  story(
    'update-impossible no-message-lies',
    `an update that Slack refuses as ${error} leads to a new message`,
    async () => {
      await using slack = await openSlackDoor();
      await using stage = await startStage({ config: slack.config });
      const { ts, id } = await stage.ask();
      slack.answer((method) =>
        method === 'chat.update' ? { status: 200, body: { ok: false, error } } : undefined,
      );
      await stage.click(ANA, ts, 'Approve');
      // On a busy machine it may be shown as being sent first, in a message of its own.
      const last = () => messagesOf(stage, id).slice(1).at(-1);
      const isStated = () => stage.read(last() ?? ts).includes('Approved by <@U0ANA>');
      await stage.sandbox.until(isStated, { what: 'a new message with the outcome' });
    },
  );
}
