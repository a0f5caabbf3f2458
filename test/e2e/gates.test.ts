import { expect } from 'vitest';
import type { Config } from '../../src/core/config/config.ts';
import { DEPLOYS } from '../support/world.ts';
import { postsOf } from './aftermath.ts';
import { ANYONE } from './deciders.ts';
import { ANA, BEN, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

const OTHER = 'C0OUTCOMES';

const DEPLOY = {
  key: 'checkout/4711/deploy',
  title: 'Deploy 4.2 to production',
  message: 'All checks are green.',
  fields: { Version: '4.2', Commit: '9f2c1e7' },
};

/** What the intake says of a request. */
async function statusOf({ sandbox }: Stage, id: string): Promise<Record<string, unknown>> {
  const { body } = await sandbox.automation.status(id);
  // as: GET is documented, and a story holds it
  return body as Record<string, unknown>;
}

/** Nothing that the service was asked is about an approval. */
function untouched({ sandbox }: Stage): void {
  expect(sandbox.service.requests('getApproval')).toEqual([]);
  expect(sandbox.service.requests('respond')).toEqual([]);
}

story(
  'gate-own nothing-twice',
  'an own gate is decided in Slack, recorded by Gatepost, and the service is not asked',
  async () => {
    await using stage = await startStage();
    const { id, ts, status, body } = await stage.ask(DEPLOY);
    expect(status).toBe(202);
    expect(body).toEqual({ id, status: 'PENDING', url: `/v1/approvals/${id}` });
    await stage.click(ANA, ts, 'Approve');
    const shown = await stage.until(ts, /Approved by <@U0ANA>/);
    expect(shown).toContain('Recorded by Gatepost');
    const { status: now, outcome } = await statusOf(stage, id);
    expect(now).toBe('APPROVED');
    expect(outcome).toEqual({
      status: 'APPROVED',
      resolvedAt: expect.any(String),
      by: [ANA],
      certain: true,
    });
    const { sandbox } = stage;
    await sandbox.until(() => sandbox.workspace.thread(DEPLOYS, ts).length > 1);
    untouched(stage);
  },
);

story('gate-own nothing-twice', 'a token cannot collide with the key of an own gate', async () => {
  await using stage = await startStage();
  const { token } = stage.sandbox.service.createApproval({ token: '\0default\0deploy/1' });
  const asked = await stage.send({ token, title: 'Harmless' });
  const gate = await stage.send({ key: 'deploy/1', title: 'Drop the table' });
  expect([asked.status, gate.status]).toEqual([202, 202]);
  expect(gate.id).not.toBe(asked.id);
});

story('gate-own', 'an own gate can have no text, and waits for its quorum', async () => {
  await using stage = await startStage();
  const { id, ts } = await stage.ask({ key: 'quorum', title: 'Drop the table', quorum: 2 });
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /1 of 2 approvals/);
  expect(await statusOf(stage, id)).toMatchObject({ status: 'PENDING', approvals: 1 });
  await stage.click(BEN, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
  untouched(stage);
});

story(
  'gate-own click-race nothing-twice',
  'of two opposite presses on an own gate one counts, and the other person is told',
  async () => {
    await using stage = await startStage();
    const { id, ts } = await stage.ask(DEPLOY);
    await Promise.all([stage.click(ANA, ts, 'Approve'), stage.click(BEN, ts, 'Reject')]);
    const shown = await stage.until(ts, /(Approved|Rejected) by <@U0(ANA|BEN)>/);
    const isApproved = shown.includes('Approved by <@U0ANA>');
    const loser = isApproved ? BEN : ANA;
    await stage.sandbox.until(() => stage.told(loser).length > 0);
    expect(stage.told(loser)).toEqual([
      `Request *Deploy 4.2 to production* was already ${isApproved ? 'approved by <@U0ANA>' : 'rejected by <@U0BEN>'}. Your ${isApproved ? 'rejection' : 'approval'} was not counted.`,
    ]);
    expect(await statusOf(stage, id)).toMatchObject({
      status: isApproved ? 'APPROVED' : 'REJECTED',
      outcome: { by: [isApproved ? ANA : BEN] },
    });
    untouched(stage);
  },
);

story(
  'gate-key nothing-twice',
  'the same key continues its request, and other content is refused',
  async () => {
    await using stage = await startStage({
      route: ANYONE,
      config: (config) => ({
        ...config,
        sources: config.sources.map((source) => ({ ...source, channels: [OTHER] })),
      }),
    });
    const { sandbox } = stage;
    const { id, ts } = await stage.ask(DEPLOY);
    const fields = { Commit: '9f2c1e7', Version: '4.2' };
    const more = { expiresAt: new Date(Date.now() + 60_000).toISOString() };
    const again = await sandbox.automation.ask({ ...DEPLOY, ...more, fields });
    expect(again).toMatchObject({ status: 200, body: { id, status: 'PENDING' } });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by/);
    const others = [
      { title: 'Deploy 4.3 to production' },
      { message: 'Some checks are green.' },
      { fields: { Version: '4.3' } },
      { change: '- 4.1\n+ 4.3' },
      { link: 'https://ci.example.com/4712' },
      { reviewers: { users: [ANA] } },
      { quorum: 2 },
    ];
    for (const other of others) {
      const { status, body } = await sandbox.automation.ask({ ...DEPLOY, ...other });
      expect({ other, status }).toEqual({ other, status: 409 });
      expect(JSON.stringify(body)).not.toContain('4.3');
    }
    const elsewhere = await sandbox.automation.ask({ ...DEPLOY, channel: OTHER });
    expect(elsewhere.status).toBe(409);
    const late = await sandbox.automation.ask(DEPLOY);
    expect(late).toMatchObject({ status: 200, body: { id, status: 'APPROVED' } });
    expect(postsOf(sandbox, id).filter((post) => post === 'message')).toHaveLength(1);
  },
);

story(
  'gate-deadline nobody-without-answer',
  'an own gate times out at its deadline, and a late press is answered',
  async () => {
    await using stage = await startStage();
    const expiresAt = new Date(Date.now() + 3_000).toISOString();
    const { id, ts } = await stage.ask({ ...DEPLOY, expiresAt });
    expect(stage.read(ts)).toContain(' · Deadline: <!date^');
    const shown = await stage.until(ts, /Timed out/);
    expect(shown).not.toContain('Approve\n');
    expect(await statusOf(stage, id)).toMatchObject({
      status: 'TIMED_OUT',
      outcome: { resolvedAt: expiresAt, by: [] },
    });
    untouched(stage);
  },
);

story('gate-own nobody-without-answer', 'an own gate can be withdrawn', async () => {
  await using stage = await startStage();
  const { id, ts } = await stage.ask(DEPLOY);
  const { body } = await stage.sandbox.automation.withdraw(id);
  expect(body).toMatchObject({ status: 'WITHDRAWN' });
  await stage.until(ts, /\*Withdrawn\*/);
  untouched(stage);
});

story('gate-rights', 'a source can use only the kinds that are configured for it', async () => {
  const only = (kind: 'approval' | 'gate') => ({
    config: (given: Config): Config => ({
      ...given,
      sources: given.sources.map((source) => ({ ...source, kinds: [kind] })),
    }),
  });
  await using tokens = await startStage(only('approval'));
  expect(await tokens.sandbox.automation.ask(DEPLOY)).toMatchObject({ status: 403 });
  await using gates = await startStage(only('gate'));
  expect(await gates.sandbox.automation.ask()).toMatchObject({ status: 403 });
  const { ts } = await gates.ask(DEPLOY);
  await gates.click(ANA, ts, 'Reject');
  await gates.until(ts, /Rejected by <@U0ANA>/);
});
