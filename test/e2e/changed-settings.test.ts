import { expect } from 'vitest';
import { type RestartingBot, startRestartingBot } from './restarting-bot.ts';
import { ANA, BEN } from './stage.ts';
import { story } from './story.ts';

/** The file was changed, and the bot restarted, while a request waited. */

const settings = (route: string, name = 'production') => `
sources:
  - { id: default, secret: GATEPOST_INTAKE_SECRET, routes: [${name}], kinds: [approval, gate] }
routes:
  ${name}: { channel: C0DEPLOYS, ${route} }
`;

/** A request that was posted under the one file and waits under the other. */
async function askedBetween(bot: RestartingBot, before: string, after: string) {
  await bot.restart({}, before);
  const asked = await bot.ask();
  await bot.restart({}, after);
  return asked;
}

async function toldAfterClick(bot: RestartingBot, user: string, ts: string, label: string) {
  const before = bot.told(user).length;
  await bot.click(user, ts, label);
  await bot.sandbox.until(() => bot.told(user).length > before);
  return bot.told(user).at(-1);
}

const BOTH = `reviewers: { users: [${ANA}, ${BEN}] }`;

story(
  'people-meanwhile reason-asked nobody-without-answer',
  'a reason that has become required is asked for at the second press',
  async () => {
    await using bot = await startRestartingBot();
    const { workspace, service } = bot.sandbox;
    const { ts, token } = await askedBetween(
      bot,
      settings(`${BOTH}, reason: { reject: none }`),
      settings(`${BOTH}, reason: { reject: required }`),
    );
    expect(await toldAfterClick(bot, ANA, ts, 'Reject')).toMatch(/needs a reason.*give one\.$/);
    expect(service.approval(token).status).toBe('PENDING');
    await bot.click(ANA, ts, 'Reject');
    await bot.sandbox.until(() => workspace.modal(ANA));
    await workspace.submit({ user: ANA, values: { 'approvals.reason.text': 'Not on Fridays' } });
    expect(await bot.until(ts, /Rejected by <@U0ANA>/)).toContain('\nNot on Fridays');
  },
);

story(
  'people-meanwhile reason-asked nobody-without-answer',
  'a reason that became required after the form opened is asked for again',
  async () => {
    await using bot = await startRestartingBot();
    const { workspace, service } = bot.sandbox;
    await bot.restart({}, settings(`${BOTH}, reason: { approve: optional }`));
    const { ts, token } = await bot.ask();
    await bot.click(BEN, ts, 'Approve');
    await bot.sandbox.until(() => workspace.modal(BEN));
    await bot.restart({}, settings(`${BOTH}, reason: { approve: required }`));
    await workspace.submit({ user: BEN });
    await bot.sandbox.until(() => bot.told(BEN).length > 0);
    expect(bot.told(BEN)).toEqual([expect.stringMatching(/needs a reason/)]);
    expect(service.approval(token).status).toBe('PENDING');
    await bot.click(BEN, ts, 'Approve');
    await bot.sandbox.until(() => workspace.modal(BEN));
    await workspace.submit({ user: BEN, values: { 'approvals.reason.text': 'Checked' } });
    expect(await bot.until(ts, /Approved by <@U0BEN>/)).toContain('\nChecked');
  },
);

story(
  'people-meanwhile people-reviewers',
  'the reviewers of the current file decide, and others are told who they are',
  async () => {
    await using bot = await startRestartingBot();
    const { ts } = await askedBetween(
      bot,
      settings(`reviewers: { users: [${ANA}] }`),
      settings(`reviewers: { users: [${BEN}] }`),
    );
    expect(await toldAfterClick(bot, ANA, ts, 'Approve')).toMatch(/<@U0BEN> can decide\.$/);
    await bot.click(BEN, ts, 'Approve');
    await bot.until(ts, /Approved by <@U0BEN>/);
  },
);

story(
  'people-meanwhile people-nobody nobody-without-answer',
  'nobody can decide a request whose route was removed, and the answer says so',
  async () => {
    await using bot = await startRestartingBot();
    const { ts, token } = await askedBetween(bot, settings(BOTH), settings(BOTH, 'other'));
    expect(await toldAfterClick(bot, ANA, ts, 'Approve')).toMatch(/its route is not configured/);
    expect(bot.sandbox.service.approval(token).status).toBe('PENDING');
  },
);

story(
  'gate-key nothing-twice',
  'a request whose reviewer was removed from the route can be continued by its key or token',
  async () => {
    await using bot = await startRestartingBot();
    const { automation, service } = bot.sandbox;
    await bot.restart({}, settings(BOTH));
    const { token } = service.createApproval({});
    const requests = [{ key: 'deploy/1' }, { token }].map((name) => ({
      ...name,
      title: 'Deploy 4.2',
      reviewers: { users: [ANA, BEN] },
      quorum: 2,
    }));
    const first = await Promise.all(requests.map((each) => automation.ask(each)));
    expect(first.map(({ status }) => status)).toEqual([202, 202]);
    await bot.restart({}, settings(`reviewers: { users: [${ANA}] }`));
    for (const [at, request] of requests.entries()) {
      const again = await automation.ask(request);
      expect(again).toMatchObject({ status: 200, body: { id: first[at]?.id } });
    }
    const other = await automation.ask({ ...requests[0], key: 'deploy/2' });
    expect(other).toMatchObject({
      status: 422,
      body: {
        errors: [{ pointer: '/reviewers/users/1', detail: 'is not a reviewer of this route' }],
      },
    });
  },
);

story(
  'rules-reread nobody-decides-who-may-not',
  'reloaded rules apply at once, and the old ones stay if the file has an error',
  async () => {
    await using bot = await startRestartingBot();
    await bot.restart({}, settings(BOTH));
    const { ts } = await bot.ask({ title: 'Deploy 4.1' });
    await bot.reload(settings(`${BOTH}, quorum: 2`));
    await bot.click(ANA, ts, 'Approve');
    await bot.sandbox.until(() => bot.told(ANA).some((text) => /1 more approval/.test(text)));
    await bot.reload(settings(`${BOTH}, quorm: 1`));
    await bot.click(ANA, ts, 'Approve');
    await bot.sandbox.until(() => bot.told(ANA).some((text) => /already approved/.test(text)));
    await bot.click(BEN, ts, 'Approve');
    await bot.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
    await bot.reload(settings(BOTH));
    const next = await bot.ask({ title: 'Deploy 4.2' });
    await bot.click(BEN, next.ts, 'Approve');
    await bot.until(next.ts, /Approved by <@U0BEN>/);
  },
);
