import { expect } from 'vitest';
import { DEPLOYS, readable } from '../support/world.ts';
import { ANA, BEN, CLEO, respondsOf, type Stage, sentenceFor, startStage } from './stage.ts';
import { story } from './story.ts';

const INPUT = 'approvals.reason.text';
const reasonIs = (text: string) => ({ [INPUT]: text });
const rejecting = (rule: 'optional' | 'required') => ({
  route: { reason: { approve: 'none', reject: rule } as const },
});

/** Presses a button that asks for a reason, and waits for the modal. */
async function press(stage: Stage, user: string, ts: string, label: string) {
  expect(await stage.click(user, ts, label)).toMatchObject({ acknowledged: true });
  return stage.sandbox.until(() => stage.sandbox.workspace.modal(user), { what: 'the modal' });
}

story(
  'reason-asked outcome-thread outcome-requester',
  'a reason is shown with the outcome',
  async () => {
    await using stage = await startStage(rejecting('required'));
    const { workspace, service } = stage.sandbox;
    const { ts, token } = await stage.ask({ requestedBy: { slackUser: CLEO } });
    await press(stage, BEN, ts, 'Reject');
    expect(respondsOf(stage, token)).toEqual([]);
    const submitted = await workspace.submit({
      user: BEN,
      values: reasonIs('Not before *Monday* <!here>'),
    });
    expect(submitted).toMatchObject({ acknowledged: true, body: '' });
    expect(workspace.modal(BEN)).toBeUndefined();
    const shown = await stage.until(ts, /Rejected by <@U0BEN>/);
    expect(shown).toContain('\nNot before *Monday* <!here>');
    expect(service.approval(token).effects).toMatchObject([{ action: 'reject' }]);
    await stage.sandbox.until(() => workspace.thread(DEPLOYS, ts).length > 1);
    expect(readable(workspace.thread(DEPLOYS, ts)[1])).toContain('Not before');
    await stage.sandbox.until(() => workspace.directMessages(CLEO).length > 0);
    expect(readable(workspace.directMessages(CLEO)[0])).toContain('Not before');
  },
);

story('reason-asked', 'the modal opens at once however slow the service is', async () => {
  await using stage = await startStage(rejecting('optional'));
  const { ts } = await stage.ask();
  const { service } = stage.sandbox;
  const asked = service.requests().length;
  service.fault({ kind: 'latency', ms: 4_000, operation: 'getApproval', times: 1 });
  await press(stage, ANA, ts, 'Reject');
  expect(service.requests()).toHaveLength(asked);
  await stage.sandbox.workspace.submit({ user: ANA });
  const shown = await stage.until(ts, /Rejected by <@U0ANA>/);
  expect(shown).not.toMatch(/^<@U0ANA>:$/m);
});

story('reason-asked', 'a button without a reason rule opens no form', async () => {
  await using stage = await startStage(rejecting('required'));
  const { ts } = await stage.ask();
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
  expect(stage.sandbox.workspace.modal(ANA)).toBeUndefined();
});

story('reason-closed no-message-lies', 'closing the modal decides nothing', async () => {
  await using stage = await startStage(rejecting('required'));
  const { ts, token } = await stage.ask();
  await press(stage, ANA, ts, 'Reject');
  await stage.sandbox.workspace.closeModal({ user: ANA });
  await stage.click(BEN, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0BEN>/);
  expect(respondsOf(stage, token)).toHaveLength(1);
  expect(stage.told(ANA)).toEqual([]);
});

story(
  'reason-asked nobody-without-answer',
  'a reason that comes too late gets an answer',
  async () => {
    await using stage = await startStage(rejecting('required'));
    const { ts, token } = await stage.ask();
    await press(stage, ANA, ts, 'Reject');
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0BEN>/);
    await stage.sandbox.workspace.submit({ user: ANA, values: reasonIs('Wait') });
    expect(await sentenceFor(stage, ANA)).toMatch(/approved by <@U0BEN>/);
    expect(respondsOf(stage, token)).toHaveLength(1);
  },
);

const TOO_LATE = [
  {
    name: 'timed out',
    end: ({ sandbox }: Stage, { token }: Gate) => sandbox.service.timeOut(token),
    says: /^Request \*.+\* timed out/,
  },
  {
    name: 'decided elsewhere',
    end: ({ sandbox }: Stage, { token }: Gate) => sandbox.service.decide(token, 'approve'),
    says: /^Request \*.+\* was (already )?approved elsewhere/,
  },
  {
    name: 'withdrawn',
    end: ({ sandbox }: Stage, { id }: Gate) => sandbox.automation.withdraw(id),
    says: /^Request \*.+\* was withdrawn/,
  },
] as const;

type Gate = Awaited<ReturnType<Stage['ask']>>;

for (const { name, end, says } of TOO_LATE) {
  story(
    'reason-asked click-late nobody-without-answer',
    `a reason for a request that was ${name} meanwhile gets an answer, and nothing is sent`,
    async () => {
      await using stage = await startStage(rejecting('required'));
      const gate = await stage.ask();
      await press(stage, ANA, gate.ts, 'Reject');
      await end(stage, gate);
      const submitted = await stage.sandbox.workspace.submit({
        user: ANA,
        values: reasonIs('Wait'),
      });
      expect(submitted).toMatchObject({ acknowledged: true });
      expect(stage.sandbox.workspace.modal(ANA)).toBeUndefined();
      expect(await sentenceFor(stage, ANA)).toMatch(says);
      expect(respondsOf(stage, gate.token)).toEqual([]);
      expect(stage.read(gate.ts)).not.toContain('Wait\n');
    },
  );
}

story(
  'reason-closed reason-asked no-message-lies',
  'a person who closed the modal is asked again at the next press, and can decide',
  async () => {
    await using stage = await startStage(rejecting('optional'));
    const { ts, token } = await stage.ask();
    await press(stage, ANA, ts, 'Reject');
    await stage.sandbox.workspace.closeModal({ user: ANA });
    expect(stage.read(ts)).toContain('Waiting');
    await press(stage, ANA, ts, 'Reject');
    await stage.sandbox.workspace.submit({ user: ANA, values: reasonIs('Now') });
    expect(await stage.until(ts, /Rejected by <@U0ANA>/)).toMatch(/\nNow$/m);
    expect(respondsOf(stage, token)).toEqual([200]);
  },
);

story(
  'reason-asked nobody-decides-who-may-not',
  'a person who cannot decide cannot do so with a reason either',
  async () => {
    await using stage = await startStage(rejecting('optional'));
    const { ts, token } = await stage.ask();
    await press(stage, CLEO, ts, 'Reject');
    await stage.sandbox.workspace.submit({ user: CLEO, values: reasonIs('I say so') });
    expect(await sentenceFor(stage, CLEO)).toMatch(/not a reviewer/);
    expect(respondsOf(stage, token)).toEqual([]);
  },
);

story('reason-asked no-token-shown', 'a token in a reason is not shown', async () => {
  await using stage = await startStage(rejecting('required'));
  const { ts, token } = await stage.ask();
  await press(stage, ANA, ts, 'Reject');
  await stage.sandbox.workspace.submit({ user: ANA, values: reasonIs(`because of ${token}!`) });
  expect(await stage.until(ts, /Rejected by/)).toContain('because of [token]!');
});

story(
  'reason-asked click-quorum nobody-without-answer',
  'a person who already approved is told at a second press, without a form',
  async () => {
    await using stage = await startStage({
      route: { quorum: 2, reason: { approve: 'required', reject: 'none' } },
    });
    const { ts, token } = await stage.ask({ title: 'Deploy 4.2' });
    const modal = await press(stage, ANA, ts, 'Approve');
    expect(JSON.stringify(modal.blocks)).toContain('Approve *Deploy 4.2*?');
    await stage.sandbox.workspace.submit({ user: ANA, values: reasonIs('   ') });
    expect(stage.sandbox.workspace.modalErrors(ANA)).toEqual({ [INPUT]: 'Please give a reason.' });
    await stage.sandbox.workspace.submit({ user: ANA, values: reasonIs('Checked') });
    await stage.until(ts, /1 of 2 approvals/);
    await stage.sandbox.until(() => stage.told(ANA).length === 1);
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => stage.told(ANA).length === 2);
    expect(stage.told(ANA)[1]).toBe(
      'You already approved *Deploy 4.2*. 1 more approval is needed.',
    );
    expect(stage.sandbox.workspace.modal(ANA)).toBeUndefined();
    expect(respondsOf(stage, token)).toEqual([]);
  },
);
