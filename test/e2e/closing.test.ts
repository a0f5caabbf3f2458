import { expect } from 'vitest';
import type { Route } from '../../src/core/config/config.ts';
import { DEPLOYS, OUTCOMES } from '../support/world.ts';
import { ANA, BEN, CLEO, effectsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** A closed route: requests wait, and nobody's approval counts. */

const startClosable = (route: Partial<Route> = {}) =>
  startStage({
    route: {
      identity: 'omit',
      reviewers: { users: [ANA, BEN, CLEO], groups: [], channel: false },
      closers: { users: [BEN], groups: [] },
      ...route,
    },
  });

/** What the answer to `/approvals …` says. */
async function typed({ sandbox }: Stage, user: string, words: string): Promise<string> {
  const { workspace, until } = sandbox;
  const before = workspace.ephemerals(user).length;
  await workspace.command({ user, channel: DEPLOYS, text: `/approvals ${words}` });
  await until(() => workspace.ephemerals(user).length > before, { what: words });
  return workspace.ephemerals(user)[before]?.text ?? '';
}

function answered({ sandbox }: Stage, user: string, pattern: RegExp): Promise<boolean> {
  const told = () => sandbox.workspace.ephemerals(user).some(({ text = '' }) => pattern.test(text));
  return sandbox.until(told, { what: `${pattern} for ${user}` });
}

const inThread = ({ sandbox }: Stage, ts: string, pattern: RegExp) =>
  sandbox.workspace.thread(DEPLOYS, ts).filter(({ text = '' }) => pattern.test(text));

const CLOSE = 'close default until tomorrow 08:00: Black Friday';
const CLOSED = /Closed here until .*: Black Friday/;
const OWN_CLOSED = /Closed until .*: Black Friday/;

story(
  'closed closed-told closed-opened nobody-without-answer',
  'while a route is closed nobody approves; when it opens reviewers are mentioned once',
  async () => {
    await using stage = await startClosable();
    const { ts, token } = await stage.ask();
    expect(await typed(stage, BEN, CLOSE)).toMatch(/is closed until .*Closed from /);
    const shown = await stage.until(ts, CLOSED);
    expect(shown).not.toMatch(/<@U0(ANA|BEN|CLEO)>/);
    expect(shown).toContain('it can still time out or be decided in the service');
    await stage.click(ANA, ts, 'Approve');
    await answered(stage, ANA, /is closed until .*: Black Friday\. Your approval does not count\./);
    expect(effectsOf(stage, token)).toEqual([]);
    expect(await typed(stage, BEN, 'open default')).toMatch(/^Route .* is open\. /);
    await stage.until(ts, /Waiting for/);
    await stage.sandbox.until(() => inThread(stage, ts, /Open again/).length > 0);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    expect(inThread(stage, ts, /Open again/)).toHaveLength(1);
  },
);

story(
  'closed closed-told nobody-without-answer',
  'a request that comes while its route is closed is posted, and can be rejected',
  async () => {
    await using stage = await startClosable();
    await typed(stage, BEN, CLOSE);
    const { ts, id } = await stage.ask({ key: 'deploy/1', title: 'Deploy' });
    expect(await stage.until(ts, OWN_CLOSED)).not.toMatch(/<@U0(ANA|BEN|CLEO)>/);
    const { body } = await stage.sandbox.automation.status(id);
    expect(body).toMatchObject({
      status: 'PENDING',
      closed: { until: expect.stringMatching(/^\d{4}-/), why: 'Black Friday' },
    });
    await stage.click(ANA, ts, 'Reject');
    await stage.until(ts, /Rejected by <@U0ANA>/);
  },
);

story(
  'closed closed-told nobody-without-answer',
  'an approval that is held when its route is closed is spent, and earlier ones stay',
  async () => {
    await using stage = await startClosable({ hold: 60_000, quorum: 2 });
    const { ts, token } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals/);
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /will be sent at/);
    await typed(stage, BEN, CLOSE);
    const shown = await stage.until(ts, CLOSED);
    expect(shown).toMatch(/1 of 2 approvals.*Approve has to be pressed again after that/);
    await answered(stage, BEN, /Your approval was not sent and no longer counts/);
    await typed(stage, BEN, 'open default');
    await stage.until(ts, /Waiting for/);
    expect(effectsOf(stage, token)).toEqual([]);
    await stage.click(CLEO, ts, 'Approve');
    await stage.until(ts, /will be sent at/);
  },
);

story(
  'closed-who nobody-decides-who-may-not',
  'only administrators and closers close a route, and what is not understood changes nothing',
  async () => {
    await using stage = await startClosable();
    expect(await typed(stage, ANA, CLOSE)).toMatch(
      /^Only Gatepost administrators and the closers /,
    );
    expect(await typed(stage, ANA, 'close all until tomorrow: x')).toMatch(
      /^Only Gatepost administrators can close and open all routes\./,
    );
    expect(await typed(stage, BEN, 'close defualt until tomorrow: x')).toMatch(
      /^There is no route `defualt`\. Did you mean `default`\? Nothing was changed\./,
    );
    expect(await typed(stage, BEN, 'close default until tomorrow')).toMatch(/^Why is it closed\?/);
    expect(await typed(stage, BEN, 'close default until whenever: x')).toMatch(
      /does not understand “until whenever” as a time/,
    );
    expect(await typed(stage, BEN, 'open default')).toMatch(
      /is not closed, so nothing was changed/,
    );
    const { ts } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
  },
);

story(
  'closed closed-told closed-who',
  'a time of the file closes a route, which nobody opens before its end',
  async () => {
    const closed = [{ from: 0, until: Date.now() + 3_600_000, why: 'Black Friday' }];
    await using stage = await startClosable({ closed });
    const { ts, token } = await stage.ask();
    await stage.until(ts, CLOSED);
    await stage.sandbox.until(() =>
      stage.sandbox.workspace
        .messages(DEPLOYS)
        .some(({ text = '' }) =>
          /is closed until .*: Black Friday\. gatepost\.yaml says so\./.test(text),
        ),
    );
    await stage.click(ANA, ts, 'Approve');
    await answered(stage, ANA, /Your approval does not count/);
    expect(await typed(stage, BEN, 'open default')).toMatch(
      /stays closed until .*, because gatepost\.yaml says so\./,
    );
    expect(effectsOf(stage, token)).toEqual([]);
  },
);

story('closed-told', 'closing and opening are announced in the channels of the route', async () => {
  await using stage = await startClosable({
    outcomes: { thread: true, channel: OUTCOMES, requester: true },
  });
  const said = (channel: string, pattern: RegExp) =>
    stage.sandbox.until(
      () =>
        stage.sandbox.workspace.messages(channel).filter(({ text = '' }) => pattern.test(text))
          .length === 1,
      { what: `${pattern} in ${channel}` },
    );
  await typed(stage, BEN, CLOSE);
  for (const channel of [DEPLOYS, OUTCOMES]) {
    await said(channel, /is closed until .*: Black Friday\. Closed by <@U0BEN>/);
  }
  await typed(stage, BEN, 'open default');
  for (const channel of [DEPLOYS, OUTCOMES]) await said(channel, /is open again/);
});

story('who-asked', 'who would be asked is shown, and nobody is asked', async () => {
  await using stage = await startClosable({
    quiet: { users: [CLEO], groups: [] },
    reviewers: { users: [ANA, BEN], groups: [], channel: false },
    quorum: 2,
  });
  const before = stage.sandbox.workspace.messages(DEPLOYS).length;
  const shown = await typed(stage, ANA, 'who default');
  expect(shown).toContain('Mentioned: <@U0ANA>, <@U0BEN>\n');
  expect(shown).toContain('Can decide, not mentioned: <@U0CLEO>');
  await typed(stage, BEN, CLOSE);
  const closed = await typed(stage, CLEO, 'who');
  expect(closed).toContain('Mentioned: nobody by name');
  expect(closed).toMatch(/Closed until .*: Black Friday/);
  expect(await typed(stage, 'U0DANA', 'who default')).toMatch(/^Only reviewers of route `default`/);
  expect(await typed(stage, ANA, 'who defualt')).toMatch(/Did you mean `default`\?/);
  expect(stage.sandbox.workspace.messages(DEPLOYS).length - before).toBe(
    stage.sandbox.workspace
      .messages(DEPLOYS)
      .filter(({ text = '' }) => /is closed until/.test(text)).length,
  );
});
