import { expect } from 'vitest';
import type { Saying } from '../../sandbox/workspace/user-actions.ts';
import { DEPLOYS } from '../support/world.ts';
import { type CaseStage, startCaseStage } from './case-stage.ts';
import { ANA, BEN, CLEO } from './stage.ts';
import { story } from './story.ts';

/** A thread about the basket; returns the places of its first message and of its last reply. */
function discuss(stage: CaseStage, channel = DEPLOYS) {
  const { workspace } = stage.sandbox;
  const say = (user: string, text: string, more: Partial<Saying> = {}) =>
    workspace.say({ user, channel, text, ...more }).ts;
  const root = say(BEN, '*The basket is empty*\n1. Open it\n2) Pay');
  say(CLEO, 'Same here, <@U0BEN>', {
    threadTs: root,
    extra: { files: [{ id: 'F1', name: 'basket.png', title: 'basket.png' }] },
  });
  const last = say(ANA, 'Only on Android', { threadTs: root });
  return { root, last };
}

async function useOn(stage: CaseStage, ts: string, channel = DEPLOYS) {
  const { workspace } = stage.sandbox;
  await workspace.shortcut({ user: ANA, callbackId: 'test-cases.create', channel, ts });
  return stage.modalOf(/whole thread/);
}

async function create(stage: CaseStage, values: Readonly<Record<string, string>> = {}) {
  await stage.choose('Test project', 'tp-checkout');
  await stage.modalOf(/Suite/);
  await stage.submit(values);
  await stage.modalOf(/Created/);
  const created = stage.cases().at(-1);
  const description = created?.description?.replace(/http\S+archives\S+/gu, '<link>');
  return { ...created, description };
}

const LAST_ONLY = 'From: <link>\nThread: <link>';

story('case-thread', 'a whole thread fills the form, without what Gatepost wrote', async () => {
  await using stage = await startCaseStage();
  const { root, last } = discuss(stage);
  expect(await useOn(stage, last)).toBe(
    [
      'Fill the form from this message, or from its whole thread: what people wrote, in order, with their names?',
      'This message',
      'The whole thread',
    ].join('\n'),
  );
  await stage.press('The whole thread');
  await stage.modalOf(/Test project/);
  const created = await create(stage);
  expect(created.title).toBe('The basket is empty');
  expect(created.description).toBe(
    [
      'Ben: The basket is empty\n1. Open it\n2) Pay',
      'Cleo: Same here, @Ben\n\nbasket.png',
      'Ana: Only on Android',
      LAST_ONLY,
    ].join('\n\n'),
  );
  // Announced in that thread, where Gatepost's own reply is not part of the next one.
  await stage.sandbox.until(() => stage.sandbox.workspace.thread(DEPLOYS, root).length === 4);
  await stage.sandbox.workspace.closeModal({ user: ANA });
  expect(await useOn(stage, root)).toContain('The thread (3 replies)');
  await stage.press('The thread (3 replies)');
  await stage.modalOf(/Test project/);
  const again = await create(stage);
  expect(again.description).toBe(created.description?.replace(LAST_ONLY, 'From: <link>'));
});

story('case-thread', 'one message of a thread fills the form alone, with both links', async () => {
  await using stage = await startCaseStage();
  const { last } = discuss(stage);
  await useOn(stage, last);
  await stage.press('This message');
  await stage.modalOf(/Test project/);
  expect(await create(stage)).toMatchObject({ title: 'Only on Android', description: LAST_ONLY });
});

story('case-thread', 'a thread that is too long is cut, and says how much is missing', async () => {
  await using stage = await startCaseStage();
  const { root } = discuss(stage);
  for (let index = 0; index < 20; index += 1) {
    const text = `Reply ${index} `.repeat(30);
    stage.sandbox.workspace.say({ user: BEN, channel: DEPLOYS, text, threadTs: root });
  }
  await useOn(stage, root);
  await stage.press('The thread (22 replies)');
  await stage.modalOf(/Test project/);
  const { description } = await create(stage);
  expect(description).toMatch(
    /^Ben: The basket[\s\S]*…\n\n\[Cut here: \d+ more characters in 1\d messages\]\n\nFrom: <link>$/u,
  );
});

story(
  'case-thread',
  'a thread that Gatepost cannot read leaves the message, and says why',
  async () => {
    await using stage = await startCaseStage();
    const { workspace } = stage.sandbox;
    const { last } = discuss(stage, 'C0NOBOT');
    await useOn(stage, last, 'C0NOBOT');
    await stage.press('The whole thread');
    expect(await stage.modalOf(/Test project/)).toContain(
      'Gatepost cannot read this thread: it is not in this conversation. Invite it to the channel and use the shortcut again. The form is filled from the message only.',
    );
    expect(await create(stage)).toMatchObject({ title: 'Only on Android' });
    await workspace.closeModal({ user: ANA });
    const { root } = discuss(stage);
    for (const [error, said] of [
      ['missing_scope', /its Slack app does not have the scope it needs/],
      ['internal_error', /^Slack did not return the thread\./m],
    ] as const) {
      workspace.fault({ kind: 'refused', method: 'conversations.replies', error, times: 1 });
      await useOn(stage, root);
      await stage.press('The thread (2 replies)');
      expect(await stage.modalOf(/Test project/)).toMatch(said);
      await workspace.closeModal({ user: ANA });
    }
  },
);

story(
  'case-thread case-who',
  'who cannot create test cases is told before any choice',
  async () => {
    await using stage = await startCaseStage();
    const { root } = discuss(stage);
    const place = { callbackId: 'test-cases.create', channel: DEPLOYS, ts: root };
    await stage.sandbox.workspace.shortcut({ user: BEN, ...place });
    expect(await stage.modalOf(/list of people/, BEN)).not.toContain('thread');
  },
);
