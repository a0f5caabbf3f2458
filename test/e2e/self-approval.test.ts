import { expect } from 'vitest';
import type { Route } from '../../src/core/config/config.ts';
import { DEPLOYS, readable } from '../support/world.ts';
import { refused } from './deciders.ts';
import { ANA, BEN, CLEO, type Stage, type StageOptions, startStage } from './stage.ts';
import { story } from './story.ts';

/** A requester approves their own request, on a route with `selfApproval: loud`. */

const LOUD: Partial<Route> = {
  identity: 'omit',
  selfApproval: 'loud',
  reviewers: { users: [ANA, BEN], groups: [], channel: false },
};
const REASON = 'The site is down, and nobody else is awake';

const startLoud = (route: Partial<Route> = {}, options: StageOptions = {}) =>
  startStage({ ...options, route: { ...LOUD, ...route } });

const askAsAna = (stage: Stage) =>
  stage.ask({
    key: 'fix/1',
    title: 'Roll back 4.2',
    message: 'It times out.',
    requestedBy: { slackUser: ANA },
  });

/** Ana presses Approve, and says why. */
async function approveOwn(stage: Stage, ts: string): Promise<void> {
  const { workspace } = stage.sandbox;
  await stage.click(ANA, ts, 'Approve');
  await stage.sandbox.until(() => workspace.modal(ANA), { what: 'the modal' });
  const values = { 'approvals.reason.text': REASON };
  expect((await workspace.submit({ user: ANA, values })).body).toBe('');
}

/** The replies that tell the others. */
const calls = ({ sandbox }: Stage, ts: string) =>
  sandbox.workspace
    .thread(DEPLOYS, ts)
    .filter(({ text = '' }) => text.includes('Approval by its own requester'));

const statusOf = async ({ sandbox }: Stage, id: string) =>
  // as: GET is documented, and a story holds it
  (await sandbox.automation.status(id)).body as Record<string, unknown>;

const toldTo = (stage: Stage, user: string, count = 1) =>
  stage.sandbox.until(() => stage.told(user).length >= count && stage.told(user), {
    what: `a sentence for ${user}`,
  });

story(
  'gate-self-approval gate-reviewed nothing-twice nobody-without-answer',
  'the others are told in the channel before a requester approves their own request, and one of them reviews it',
  async () => {
    await using stage = await startLoud();
    const { id, ts } = await askAsAna(stage);
    expect(stage.read(ts)).toContain('*Waiting for* <@U0BEN>');
    await approveOwn(stage, ts);
    const shown = await stage.until(ts, /Approved by its own requester <@U0ANA>/);
    expect(shown).toContain('Not reviewed yet');
    expect(shown).toContain(REASON);
    const [call, ...others] = calls(stage, ts);
    expect(others).toEqual([]);
    expect(call).toMatchObject({ subtype: 'thread_broadcast' });
    expect(readable(call)).toMatch(
      /own requester\* · <@U0BEN>: .*Ana.* approving it without anybody else/,
    );
    expect(readable(call)).toContain(REASON);
    const { outcome } = await statusOf(stage, id);
    expect(outcome).toEqual({
      status: 'APPROVED',
      resolvedAt: expect.any(String),
      by: [ANA],
      certain: true,
    });
    const said = stage.sandbox.workspace.calls().map(({ args }) => JSON.stringify(args));
    const first = (words: string) => said.findIndex((each) => each.includes(words));
    expect(first('Approval by its own requester')).toBeLessThan(
      first('Approved by its own requester'),
    );
    // Folded, the button is still there.
    await stage.until(ts, /^(?![\s\S]*times out)[\s\S]*^Reviewed$/m);
    await stage.click(ANA, ts, 'Reviewed');
    // The outcome of what she asked for was the first.
    expect(await toldTo(stage, ANA, 2)).toContain(
      'You asked for *Roll back 4.2*, so another reviewer has to press Reviewed.',
    );
    await stage.click(CLEO, ts, 'Reviewed');
    expect(await toldTo(stage, CLEO)).toEqual([
      'Only people who can decide *Roll back 4.2* can mark it as reviewed, so your press was not counted.',
    ]);
    expect(stage.read(ts)).toContain('Not reviewed yet');
    await stage.click(BEN, ts, 'Reviewed');
    const reviewed = await stage.until(ts, /Reviewed by <@U0BEN>/);
    expect(reviewed).not.toMatch(/^Reviewed$/m);
    expect(calls(stage, ts)).toHaveLength(1);
  },
);

story(
  'gate-self-approval nobody-without-answer',
  'if Slack refuses the reply nothing is approved, and the requester is told',
  async () => {
    await using stage = await startLoud();
    const { id, ts } = await askAsAna(stage);
    const { workspace } = stage.sandbox;
    const fault = { method: 'chat.postMessage', error: 'restricted_action' } as const;
    workspace.fault({ kind: 'refused', ...fault });
    await approveOwn(stage, ts);
    expect(await toldTo(stage, ANA)).toEqual([
      'Request *Roll back 4.2* was not approved: Slack refused the reply that tells the other reviewers first (`restricted_action`). Ask a Gatepost administrator, then press again.',
    ]);
    expect(await statusOf(stage, id)).toMatchObject({ status: 'PENDING', approvals: 0 });
    expect(stage.read(ts)).toContain('Waiting for');
    workspace.clearFaults();
    await approveOwn(stage, ts);
    await stage.until(ts, /Approved by its own requester/);
    expect(calls(stage, ts)).toHaveLength(1);
  },
);

story(
  'gate-self-approval nothing-twice',
  'while Slack does not accept the reply it is retried as long as a press, and then nothing is approved',
  async () => {
    await using stage = await startLoud();
    const { id, ts } = await askAsAna(stage);
    stage.sandbox.workspace.fault({ kind: '500', method: 'chat.postMessage' });
    await approveOwn(stage, ts);
    expect(await toldTo(stage, ANA)).toEqual([
      'Request *Roll back 4.2* was not approved: Slack did not confirm the reply that tells the other reviewers first. Press again in a minute.',
    ]);
    expect(await statusOf(stage, id)).toMatchObject({ status: 'PENDING', approvals: 0 });
    expect(calls(stage, ts)).toEqual([]);
  },
);

story(
  'gate-self-approval nothing-twice',
  'a reply with a lost response is found, and not posted again',
  async () => {
    await using stage = await startLoud();
    const { ts } = await askAsAna(stage);
    stage.sandbox.workspace.fault({ kind: 'dropAfter', method: 'chat.postMessage', times: 1 });
    await approveOwn(stage, ts);
    await stage.until(ts, /Approved by its own requester/);
    expect(calls(stage, ts)).toHaveLength(1);
  },
);

story(
  'gate-self-approval people-requester nobody-decides-who-may-not',
  'loud self-approval does not apply to approvals of the service, or to people who are not reviewers',
  async () => {
    await using stage = await startLoud();
    await refused(stage, ANA, /^You asked for \*/, { requestedBy: { slackUser: ANA } });
    const { ts } = await stage.ask({ key: 'fix/2', requestedBy: { slackUser: CLEO } });
    const { workspace } = stage.sandbox;
    await stage.click(CLEO, ts, 'Approve');
    await stage.sandbox.until(() => workspace.modal(CLEO));
    await workspace.submit({ user: CLEO, values: { 'approvals.reason.text': REASON } });
    expect((await toldTo(stage, CLEO)).at(-1)).toMatch(/^You are not a reviewer/);
    expect(calls(stage, ts)).toEqual([]);
  },
);

story(
  'gate-self-approval held',
  'with a hold the others are told at its start, and can reject',
  async () => {
    await using stage = await startLoud({ hold: 60_000 });
    const { ts } = await askAsAna(stage);
    await approveOwn(stage, ts);
    await stage.until(ts, /<@U0ANA> approved\* · counts at /);
    await stage.sandbox.until(() => calls(stage, ts).length === 1);
    await stage.click(BEN, ts, 'Reject');
    await stage.until(ts, /Rejected by <@U0BEN>/);
  },
);

story(
  'gate-self-approval click-quorum',
  'with a quorum a self-approval counts as one, and the reply names the others who approve',
  async () => {
    await using stage = await startLoud({
      quorum: 2,
      reviewers: { users: [ANA, BEN, CLEO], groups: [], channel: false },
    });
    const { ts } = await askAsAna(stage);
    await approveOwn(stage, ts);
    await stage.until(ts, /1 of 2 approvals/);
    expect(calls(stage, ts)).toEqual([]);
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by its own requester <@U0ANA>, together with <@U0BEN>/);
    expect(readable(calls(stage, ts)[0])).toContain('together with <@U0BEN>');
  },
);

story(
  'gate-self-approval reason-asked nobody-without-answer',
  'a self-approval needs a reason even if other approvals do not',
  async () => {
    await using stage = await startLoud({ reason: { approve: 'optional', reject: 'none' } });
    const { id, ts } = await askAsAna(stage);
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => stage.sandbox.workspace.modal(ANA));
    await stage.sandbox.workspace.submit({ user: ANA });
    expect(await toldTo(stage, ANA)).toEqual([
      'Request *Roll back 4.2* needs a reason, so your decision does not count. Press again and give one.',
    ]);
    expect(await statusOf(stage, id)).toMatchObject({ status: 'PENDING', approvals: 0 });
    expect(calls(stage, ts)).toEqual([]);
  },
);
