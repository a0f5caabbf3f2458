import { expect } from 'vitest';
import { textsOf } from '../support/world.ts';
import { open } from './message-menu.ts';
import { ANA, BEN, CLEO, type Stage, sentenceFor, startStage } from './stage.ts';
import { story } from './story.ts';

/** A requester withdraws their own request in Slack. */

const asked = { key: 'deploy/4.2', title: 'Deploy 4.2', requestedBy: { slackUser: CLEO } };

const withdrawIn = async ({ sandbox }: Stage, user: string, surface: 'modal' | 'home') => {
  const pressed = await sandbox.workspace.click({ user, surface, label: 'Withdraw' });
  expect(pressed).toMatchObject({ acknowledged: true });
};

const isOffered = ({ sandbox }: Stage, user: string): boolean =>
  textsOf(sandbox.workspace.modal(user)?.blocks ?? []).includes('Withdraw');

story(
  'withdrawn-own no-message-lies nobody-without-answer',
  'the person who asked withdraws it in Details; message, source, approvers and they themselves are told',
  async () => {
    await using stage = await startStage({ route: { quorum: 2 } });
    const { ts, id } = await stage.ask(asked);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals/);
    await open(stage, CLEO, ts, 'Details…');
    await withdrawIn(stage, CLEO, 'modal');
    await stage.until(ts, /:no_entry_sign: \*Withdrawn\* by its requester <@U0CLEO>/);
    expect(await sentenceFor(stage, CLEO)).toMatch(/^You withdrew .*Deploy 4\.2/);
    expect(await stage.sandbox.automation.status(id)).toMatchObject({
      body: { status: 'WITHDRAWN', final: true, withdrawnBy: CLEO, names: { [CLEO]: 'Cleo' } },
    });
    expect(await open(stage, BEN, ts, 'Details…')).toContain('Withdrawn by <@U0CLEO>');
    expect(isOffered(stage, BEN)).toBe(false);
  },
);

story('withdrawn-own home-fresh', 'their requests on the Home tab have the button', async () => {
  await using stage = await startStage();
  const { ts } = await stage.ask(asked);
  const { workspace, until } = stage.sandbox;
  const texts = () => textsOf(workspace.home(CLEO)?.blocks ?? []);
  const isOffered = () => texts().includes('Withdraw');
  for (let tries = 0; tries < 20 && !isOffered(); tries += 1) {
    workspace.openHome(CLEO);
    await until(isOffered, { timeoutMs: 3_000 }).catch(() => {});
  }
  expect(
    await workspace.click({ user: CLEO, surface: 'home', label: 'Withdraw', confirm: false }),
  ).toMatchObject({ acknowledged: false });
  expect(stage.read(ts)).toContain('Waiting for');
  await withdrawIn(stage, CLEO, 'home');
  await stage.until(ts, /\*Withdrawn\* by its requester/);
  await until(() => texts().includes('You have no open requests.'));
});

story(
  'withdrawn-own nobody-decides-who-may-not',
  'it is offered to nobody else, and not for an approval of the service',
  async () => {
    await using stage = await startStage();
    const { ts } = await stage.ask(asked);
    await open(stage, ANA, ts, 'Details…');
    expect(isOffered(stage, ANA)).toBe(false);
    // The service has no way to withdraw an approval.
    const ofService = await stage.ask({ title: 'Deploy 4.3', requestedBy: { slackUser: CLEO } });
    await open(stage, CLEO, ofService.ts, 'Details…');
    expect(isOffered(stage, CLEO)).toBe(false);
  },
);

story(
  'withdrawn-own no-message-lies nobody-without-answer',
  'a press that is too late says how it was decided',
  async () => {
    await using stage = await startStage();
    const { ts, id } = await stage.ask(asked);
    await open(stage, CLEO, ts, 'Details…');
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    await stage.sandbox.until(() => stage.told(CLEO).length > 0, { what: 'the outcome' });
    const before = stage.told(CLEO).length;
    await withdrawIn(stage, CLEO, 'modal');
    await stage.sandbox.until(() => stage.told(CLEO).length > before, { what: 'the answer' });
    expect(stage.told(CLEO).at(-1)).toMatch(/Deploy 4\.2.* was approved by <@U0ANA>\./);
    expect(await stage.sandbox.automation.status(id)).toMatchObject({
      body: { status: 'APPROVED' },
    });
  },
);

story(
  'withdrawn-own nothing-twice no-message-lies',
  'of a withdrawal and an approval at the same time one counts, and both people are told',
  async () => {
    await using stage = await startStage();
    for (const number of [1, 2, 3]) {
      const { ts, id } = await stage.ask({ ...asked, key: `race/${number}` });
      await open(stage, CLEO, ts, 'Details…');
      const [ana, cleo] = [ANA, CLEO].map((user) => stage.told(user).length);
      await Promise.all([stage.click(ANA, ts, 'Approve'), withdrawIn(stage, CLEO, 'modal')]);
      const text = await stage.until(ts, /Approved by <@U0ANA>|\*Withdrawn\* by its requester/);
      const status = text.includes('Approved by') ? 'APPROVED' : 'WITHDRAWN';
      expect(await stage.sandbox.automation.status(id)).toMatchObject({ body: { status } });
      await stage.sandbox.until(() => stage.told(CLEO).length > (cleo ?? 0), { what: 'CLEO told' });
      if (status === 'APPROVED') continue;
      await stage.sandbox.until(() => stage.told(ANA).length > (ana ?? 0), { what: 'ANA told' });
      expect(stage.told(ANA).at(-1)).toMatch(/was withdrawn by its requester <@U0CLEO>/);
    }
  },
);
