import { expect } from 'vitest';
import type { Message } from '../../sandbox/wire.ts';
import { withResolvers } from '../support/with-resolvers.ts';
import { DEPLOYS, readable } from '../support/world.ts';
import { ANYONE, approves, refused } from './deciders.ts';
import { remakeAnasAccount } from './remake-account.ts';
import { startRestartingBot } from './restarting-bot.ts';
import {
  ANA,
  ANAS_ACCOUNT,
  BEN,
  CLEO,
  failedSteps,
  respondsOf,
  type Stage,
  type StageOptions,
  startStage,
} from './stage.ts';
import { story } from './story.ts';

const DANA = 'U0DANA';

/** A stage whose administrators are Dana and Cleo. */
function startIdentityStage(options: StageOptions = {}): Promise<Stage> {
  return startStage({
    config: (config) => ({ ...config, administrators: { users: [DANA, CLEO], groups: [] } }),
    ...options,
  });
}

function setAddress({ sandbox }: Stage, user: string, email: string): void {
  sandbox.workspace.setUser(user, { profile: { email } });
}

/** An administrator clicks, and is refused by words that are not the notice they may get, too. */
async function administratorRefused(stage: Stage, user: string, why: RegExp): Promise<void> {
  const { ts, token } = await stage.ask();
  const { workspace } = stage.sandbox;
  const before = workspace.ephemerals(user).length;
  await stage.click(user, ts, 'Approve');
  const said = () => workspace.ephemerals(user).slice(before).at(-1)?.text;
  expect(await stage.sandbox.until(said, { what: 'a sentence' })).toMatch(why);
  expect(sentFor(stage, token)).toEqual([]);
}

/** The notice with this button that an administrator has, once there is one. */
async function noticeFor({ sandbox }: Stage, user: string, label: string) {
  const notices = () => sandbox.workspace.directMessages(user);
  const isIt = (notice: Message) => readable(notice).includes(label);
  const { ts, text } = await sandbox.until(() => notices().find(isIt), { what: label });
  return { ts, text };
}

/** An administrator presses the button of a notice, again if Slack shows a failure; gives what they read then. */
async function press(stage: Stage, user: string, label: string): Promise<string> {
  const { workspace } = stage.sandbox;
  const { ts, text: before } = await noticeFor(stage, user, label);
  const channel = `D${user.slice(1)}`;
  const said = workspace.ephemerals(user).length;
  const click = () => workspace.click({ user, channel, ts, label });
  let { acknowledged } = await click();
  for (let tries = 1; !acknowledged && tries < 5; tries += 1) ({ acknowledged } = await click());
  expect(acknowledged).toBe(true);
  const answer = () => {
    const { text } = workspace.message(channel, ts) ?? { text: '' };
    return text === before ? workspace.ephemerals(user).slice(said).at(-1)?.text : text;
  };
  return stage.sandbox.until(answer, { what: 'an answer to the administrator' });
}

function sentFor({ sandbox }: Stage, token: string) {
  return sandbox.service.approval(token).effects.map(({ userId }) => userId);
}

story(
  'people-pinned administrators-told nobody-decides-who-may-not',
  'a re-created account counts once an administrator confirms it',
  async () => {
    await using stage = await startIdentityStage();
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([ANAS_ACCOUNT]);
    const account = remakeAnasAccount(stage);
    await refused(stage, ANA, /belongs to a different account .* than the one you are linked with/);
    expect((await noticeFor(stage, DANA, 'Link the new account')).text).toContain(
      `<@U0ANA> cannot decide: their e-mail address in Slack belongs to the account \`${account}\` in the service. They are linked with \`${ANAS_ACCOUNT}\`.`,
    );
    expect(await press(stage, DANA, 'Link the new account')).toBe(
      `<@U0DANA> confirmed that <@U0ANA> is now linked with the account \`${account}\` instead of \`${ANAS_ACCOUNT}\`. They can press again.`,
    );
    const [notice] = stage.sandbox.workspace.directMessages(DANA);
    expect(readable(notice)).not.toContain('Link the new account');
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([account]);
    // The other administrator was told too, and comes late.
    expect(await press(stage, CLEO, 'Link the new account')).toMatch(
      /^Nothing was linked.*resolved/,
    );
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([account]);
  },
);

story(
  'people-pinned nobody-decides-who-may-not',
  'a person who takes over somebody’s address does not get their account',
  async () => {
    await using stage = await startIdentityStage({
      route: ANYONE,
      config: (config) => ({ ...config, administrators: { users: [DANA], groups: [] } }),
    });
    await approves(stage, ANA);
    await approves(stage, BEN);
    setAddress(stage, BEN, 'ana@example.com');
    setAddress(stage, CLEO, 'ana@example.com');
    await refused(stage, BEN, /belongs to a different account/);
    await refused(stage, CLEO, /is linked with somebody else/);
    await stage.sandbox.until(() => stage.told(DANA).length === 2, { what: 'two notices' });
    for (const text of stage.told(DANA)) expect(text).toContain('<@U0ANA> is linked with it.');
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([ANAS_ACCOUNT]);
    // What was told of Cleo, confirmed by Dana: the account has moved.
    await press(stage, DANA, 'Link this account');
    expect(sentFor(stage, await approves(stage, CLEO))).toEqual([ANAS_ACCOUNT]);
    await refused(stage, ANA, /is linked with somebody else/);
  },
);

story(
  'people-pinned',
  'a former administrator, or the person concerned, cannot confirm a link',
  async () => {
    await using stage = await startIdentityStage({
      config: (config) => ({ ...config, administrators: { users: [ANA], groups: ['S0REL'] } }),
    });
    stage.sandbox.workspace.setUserGroup('S0REL', { users: [DANA] });
    await approves(stage, ANA);
    remakeAnasAccount(stage);
    await administratorRefused(stage, ANA, /belongs to a different account/);
    await noticeFor(stage, DANA, 'Link the new account');
    expect(await press(stage, ANA, 'Link the new account')).toMatch(/another administrator has to/);
    stage.sandbox.workspace.setUserGroup('S0REL', { users: [BEN] });
    expect(await press(stage, DANA, 'Link the new account')).toMatch(
      /Only Gatepost administrators/,
    );
    await administratorRefused(stage, ANA, /belongs to a different account/);
  },
);

story('people-pinned', 'a conflict that has changed since the alert is not confirmed', async () => {
  await using stage = await startIdentityStage();
  await approves(stage, ANA);
  const account = remakeAnasAccount(stage);
  await refused(stage, ANA, /belongs to a different account/);
  await noticeFor(stage, DANA, 'Link the new account');
  stage.sandbox.workspace.setUser(ANA, { is_email_confirmed: false });
  expect(await press(stage, DANA, 'Link the new account')).toMatch(
    /^Nothing was linked, because Slack now shows Gatepost no confirmed address/,
  );
  stage.sandbox.workspace.setUser(ANA, { is_email_confirmed: true });
  stage.sandbox.service.setUser(account, { userName: 'ana.again@example.com' });
  expect(await press(stage, DANA, 'Link the new account')).toMatch(/something else was found/);
});

story(
  'people-pinned people-linked',
  'an address that no longer belongs to an account is refused, even if no account is needed',
  async () => {
    await using stage = await startIdentityStage({ route: { identity: 'omit' } });
    const { service } = stage.sandbox;
    await approves(stage, ANA);
    setAddress(stage, ANA, 'ana.new@example.com');
    await refused(
      stage,
      ANA,
      /^You were linked with an account in the service, but no synchronized account/,
    );
    service.setUser(ANAS_ACCOUNT, { userName: 'Ana.New@example.com' });
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([ANAS_ACCOUNT]);
    service.setUser(ANAS_ACCOUNT, { userName: 'other@example.com' });
    await refused(stage, ANA, /but no synchronized account/);
    expect(await press(stage, DANA, 'Unlink them')).toMatch(/unlinked <@U0ANA> from/);
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([null]);
  },
);

/** What administrators are alerted to, as soon as it is decided on. */
function alertsOf({ log }: Stage): string[] {
  const lines = log.map((line) => JSON.parse(line));
  return lines.filter(({ msg }) => msg === 'alert').map(({ about }) => about);
}

const UNSEEN =
  /^Slack shows Gatepost no confirmed address for you, so Gatepost did not look for your account in the service, and your decision on .+ does not count\. Type `\/people me`/;

/** The person clicks and is refused because Slack shows no address that counts; none is looked for in the service. */
async function refusedUnseen(stage: Stage, user: string): Promise<void> {
  const looks = () =>
    stage.sandbox.service
      .requests('listUsers')
      .filter((request) => JSON.stringify(request).includes('userName')).length;
  const before = looks();
  await refused(stage, user, UNSEEN);
  expect(looks()).toBe(before);
}

story(
  'people-address administrators-once administrators-told',
  'a person with an unconfirmed or hidden address is told, and administrators only of a missing scope',
  async () => {
    await using stage = await startIdentityStage();
    const { workspace } = stage.sandbox;
    await approves(stage, ANA);
    workspace.setUser(ANA, { is_email_confirmed: false });
    // What was known of her before was read ahead.
    await refused(stage, ANA, UNSEEN);
    await refusedUnseen(stage, ANA);
    expect(alertsOf(stage)).toEqual([]);
    for (const user of [ANA, BEN]) {
      setAddress(stage, user, '');
      await refusedUnseen(stage, user);
    }
    expect(alertsOf(stage)).toEqual(['people.address-hidden']);
    await stage.sandbox.until(() => stage.told(DANA).length > 0, { what: 'an alert' });
    expect(stage.told(DANA)).toEqual([expect.stringContaining('the scope `users:read.email`')]);
    setAddress(stage, ANA, 'ana@example.com');
    workspace.setUser(ANA, { is_email_confirmed: true });
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([ANAS_ACCOUNT]);
  },
);

story(
  'people-address people-linked',
  'if no account is needed, a person with an unconfirmed address decides without a user id, linked or not',
  async () => {
    await using stage = await startIdentityStage({ route: { identity: 'omit' } });
    await approves(stage, ANA);
    for (const user of [ANA, BEN]) {
      stage.sandbox.workspace.setUser(user, { is_email_confirmed: false });
      expect(sentFor(stage, await approves(stage, user))).toEqual([null]);
    }
    expect(alertsOf(stage)).toEqual([]);
    const byAddress = { requestedBy: { email: 'nobody@example.com' } };
    await refused(stage, BEN, /no confirmed address for you.*`identity\.emails: any`/u, byAddress);
    stage.sandbox.service.setUser(ANAS_ACCOUNT, { active: false });
    await refused(stage, ANA, /^Your account in the service is deactivated/);
  },
);

story(
  'people-address people-linked nobody-decides-who-may-not',
  'with emails: any, an unconfirmed address links a full member, but no guest',
  async () => {
    await using stage = await startIdentityStage({
      route: { ...ANYONE, guests: true },
      config: (config) => ({ ...config, identityEmails: 'any' }),
    });
    for (const user of [ANA, 'U0GUS']) {
      stage.sandbox.workspace.setUser(user, { is_email_confirmed: false });
    }
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([ANAS_ACCOUNT]);
    const byAddress = { requestedBy: { email: 'nobody@example.com' } };
    expect(sentFor(stage, await approves(stage, ANA, byAddress))).toEqual([ANAS_ACCOUNT]);
    await refusedUnseen(stage, 'U0GUS');
    setAddress(stage, 'U0GUS', 'ana@example.com');
    await refusedUnseen(stage, 'U0GUS');
  },
);

story(
  'people-address people-override',
  'an override works without a confirmed address, or any address',
  async () => {
    await using stage = await startOverriddenStage(ANAS_ACCOUNT);
    stage.sandbox.workspace.setUser(ANA, { is_email_confirmed: false });
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([ANAS_ACCOUNT]);
    setAddress(stage, ANA, '');
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([ANAS_ACCOUNT]);
    expect(alertsOf(stage)).toEqual([]);
  },
);

story('people-pinned', 'an administrator can unlink an account', async () => {
  await using stage = await startIdentityStage();
  const { workspace } = stage.sandbox;
  const forget = async (user: string, who: string) => {
    const before = workspace.ephemerals(user).length;
    await workspace.command({ user, channel: DEPLOYS, text: `/people forget ${who}`.trim() });
    const said = () => workspace.ephemerals(user).slice(before).at(-1)?.text;
    return stage.sandbox.until(said, { what: 'an answer' });
  };
  await approves(stage, ANA);
  await approves(stage, BEN);
  const account = remakeAnasAccount(stage);
  expect(await forget(BEN, ANA)).toMatch(/Only Gatepost administrators/);
  expect(await forget(DANA, '@ana')).toMatch(/needs the member id of one person/);
  expect(await forget(DANA, DANA)).toMatch(/another administrator/);
  expect(await forget(DANA, 'U0NOBODY')).toMatch(/is not linked with any account/);
  await refused(stage, ANA, /belongs to a different account/);
  expect(await forget(DANA, ANA)).toBe(
    `<@U0ANA> was unlinked from the account \`${ANAS_ACCOUNT}\`. Their next decision links them with the account that has their address then.`,
  );
  expect(sentFor(stage, await approves(stage, ANA))).toEqual([account]);
});

story(
  'people-active people-at-click nobody-decides-who-may-not',
  'a deactivated person is refused at once, and decides again once active',
  async () => {
    await using stage = await startIdentityStage();
    const { service, workspace } = stage.sandbox;
    await approves(stage, ANA);
    service.setUser(ANAS_ACCOUNT, { active: false });
    await refused(stage, ANA, /^Your account in the service is deactivated/);
    service.setUser(ANAS_ACCOUNT, { active: true });
    await approves(stage, ANA);
    workspace.setUser(ANA, { deleted: true });
    await refused(stage, ANA, /^This Slack account is deactivated/);
    workspace.setUser(ANA, { deleted: false });
    await approves(stage, ANA);
  },
);

story(
  'people-at-click click-acknowledged',
  'the account and the status are read while Slack looks up the person',
  async () => {
    await using stage = await startIdentityStage();
    const { service, workspace } = stage.sandbox;
    await approves(stage, ANA);
    const { ts, token } = await stage.ask();
    const { promise: until, resolve: goOn } = withResolvers();
    workspace.fault({ kind: 'slowAnswer', until, method: 'users.info', times: 1 });
    const [lists, looks] = ['listUsers', 'getApproval'].map(
      (each) => service.requests(each as 'listUsers' | 'getApproval').length,
    );
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => service.requests('listUsers').length > (lists ?? 0));
    await stage.sandbox.until(() => service.requests('getApproval').length > (looks ?? 0));
    expect(respondsOf(stage, token)).toEqual([]);
    goOn();
    await stage.until(ts, /Approved by <@U0ANA>/);
    const again = service.requests('listUsers').length - (lists ?? 0) - 1;
    // Only where the machine was so slow that the first try, of a second, was given up.
    expect(again).toBeLessThanOrEqual(failedSteps(stage).length);
  },
);

story(
  'people-at-click people-pinned',
  'an account is found by the address that Slack returns after the click',
  async () => {
    await using stage = await startIdentityStage();
    await approves(stage, ANA);
    setAddress(stage, ANA, 'ana.new@example.com');
    stage.sandbox.service.setUser(ANAS_ACCOUNT, { userName: 'ana.new@example.com' });
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([ANAS_ACCOUNT]);
  },
);

story('people-active', 'a click that is retried looks up the account again', async () => {
  await using stage = await startIdentityStage();
  const { service } = stage.sandbox;
  const { ts } = await stage.ask();
  service.fault({ kind: '500', operation: 'listUsers', times: 1 });
  await stage.click(ANA, ts, 'Approve');
  await stage.sandbox.until(() => service.requests('listUsers').length > 0, { what: 'a look' });
  service.setUser(ANAS_ACCOUNT, { active: false });
  await stage.sandbox.until(() => stage.told(ANA).length > 0, { what: 'a sentence' });
  expect(stage.told(ANA)).toEqual([expect.stringMatching(/^Your account .* is deactivated/)]);
});

/** A decision of Ana's is held up for longer than an authorization holds; in the meantime something changes. */
async function heldUp(
  change: (stage: Stage) => void,
  why: RegExp,
  options: StageOptions = {},
): Promise<void> {
  await using stage = await startIdentityStage(options);
  const { service } = stage.sandbox;
  const { ts, token } = await stage.ask();
  service.fault({ kind: '429', operation: 'respond', times: 1, retryAfter: 3 });
  await stage.click(ANA, ts, 'Approve');
  await stage.sandbox.until(() => respondsOf(stage, token).length > 0, { what: 'an answer' });
  change(stage);
  await stage.sandbox.until(() => stage.told(ANA).length > 0, { what: 'a sentence' });
  expect(stage.told(ANA)).toEqual([expect.stringMatching(why)]);
  await stage.until(ts, /Waiting/);
  expect(respondsOf(stage, token)).toEqual([429]);
}

story(
  'people-active people-overtaken respond-limited',
  'a delayed decision is not sent for a person deactivated in the meantime',
  async () => {
    await heldUp(
      ({ sandbox }) => sandbox.service.setUser(ANAS_ACCOUNT, { active: false }),
      /^Your approval of \*.+\* does not count\. While it was waiting, your account in the service was deactivated\./,
    );
  },
);

story(
  'people-overtaken people-reviewers',
  'a delayed decision is not sent for a person removed from the user group, and they are told so',
  async () => {
    await heldUp(
      ({ sandbox }) => sandbox.workspace.setUserGroup('S0REL', { users: [BEN] }),
      /While it was waiting, you were removed from the Slack user group/,
      { route: { reviewers: { users: [], groups: ['S0REL'], channel: false } } },
    );
  },
);

story(
  'people-overtaken people-members',
  'a delayed decision is not sent for a person whose Slack account was deactivated',
  async () => {
    await heldUp(
      ({ sandbox }) => sandbox.workspace.setUser(ANA, { deleted: true }),
      /While it was waiting, your Slack account was deactivated/,
    );
  },
);

/** A stage where the configuration links Ana, who has another address. */
async function startOverriddenStage(account: string, options: StageOptions = {}): Promise<Stage> {
  const stage = await startIdentityStage({
    ...options,
    config: (config) => ({ ...config, identityOverrides: { [ANA]: account } }),
  });
  setAddress(stage, ANA, 'ana@elsewhere.example');
  return stage;
}

story(
  'people-override people-active people-at-click nobody-decides-who-may-not',
  'an override to a deactivated account cannot decide',
  async () => {
    await using stage = await startOverriddenStage(ANAS_ACCOUNT);
    const { service } = stage.sandbox;
    service.setUser(ANAS_ACCOUNT, { active: false });
    await refused(stage, ANA, /^Your account in the service is deactivated/);
    service.setUser(ANAS_ACCOUNT, { active: true });
    expect(sentFor(stage, await approves(stage, ANA))).toEqual([ANAS_ACCOUNT]);
    service.setUser(ANAS_ACCOUNT, { active: false });
    await refused(stage, ANA, /^Your account in the service is deactivated/);
  },
);

story(
  'people-override people-unknown',
  'an override can name an account missing from the list, but not while the list cannot be read',
  async () => {
    await using stage = await startOverriddenStage('not-synchronized');
    expect(sentFor(stage, await approves(stage, ANA))).toEqual(['not-synchronized']);
    const env = { SCIM_TOKEN: 'another' };
    await using unread = await startOverriddenStage(ANAS_ACCOUNT, { env });
    await refused(unread, ANA, /was not allowed to check whether you can decide/);
  },
);

story(
  'people-override people-at-click click-acknowledged',
  'an overridden account is read while Slack looks up the person, from the first click on',
  async () => {
    await using stage = await startOverriddenStage(ANAS_ACCOUNT);
    const { service, workspace } = stage.sandbox;
    const { ts, token } = await stage.ask();
    const { promise: until, resolve: goOn } = withResolvers();
    workspace.fault({ kind: 'slowAnswer', until, method: 'users.info', times: 1 });
    const before = service.requests('listUsers').length;
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => service.requests('listUsers').length > before);
    expect(respondsOf(stage, token)).toEqual([]);
    goOn();
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(service.requests('listUsers').length - before - 1).toBeLessThanOrEqual(
      failedSteps(stage).length,
    );
  },
);

story(
  'people-pinned people-override',
  'an override takes precedence over an earlier link',
  async () => {
    await using bot = await startRestartingBot();
    await bot.restart({});
    const decide = async () => {
      const { ts, token } = await bot.ask();
      await bot.click(ANA, ts, 'Approve');
      return { ts, token };
    };
    await bot.until((await decide()).ts, /Approved by <@U0ANA>/);
    const account = remakeAnasAccount(bot);
    await bot.restart({});
    await decide();
    await bot.sandbox.until(() => bot.told(ANA).length > 0, { what: 'a sentence' });
    expect(bot.told(ANA)).toEqual([expect.stringContaining('belongs to a different account')]);
    await bot.restart({}, `identity: { overrides: { U0ANA: ${account} } }`);
    const { ts, token } = await decide();
    await bot.until(ts, /Approved by <@U0ANA>/);
    expect(bot.sandbox.service.approval(token).effects).toMatchObject([{ userId: account }]);
  },
);
