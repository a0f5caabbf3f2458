import { expect } from 'vitest';
import { type AccountsOptions, DANA, startAccountsStage } from './accounts-stage.ts';
import { CLEO } from './stage.ts';
import { story } from './story.ts';

const telling: AccountsOptions = {
  config: (given) => ({ ...given, accounts: { tellOfLeavers: true } }),
};

async function startLeavers(options: AccountsOptions = telling) {
  const stage = await startAccountsStage(options);
  const { workspace } = stage.sandbox;
  return {
    ...stage,
    /** The first direct message that an administrator has. */
    async notice(): Promise<{ readonly ts: string; readonly text: string }> {
      await stage.sandbox.until(() => stage.directs().length > 0, { what: 'a notice' });
      const [message] = workspace.directMessages(DANA);
      return { ts: message?.ts ?? '', text: message?.text ?? '' };
    },
    press: (ts: string, more: object = {}) =>
      workspace.click({
        user: DANA,
        channel: `D${DANA.slice(1)}`,
        ts,
        label: 'Deactivate account',
        ...more,
      }),
  };
}

story(
  'accounts-leavers',
  'administrators are told of a leaver, and deactivate the account with a button',
  async () => {
    await using stage = await startLeavers();
    const { workspace, service } = stage.sandbox;
    workspace.repeatEvents(true);
    workspace.deactivate(CLEO);
    const { ts, text } = await stage.notice();
    expect(text).toBe(
      '<@U0CLEO> was deactivated in Slack. Their account in the service, Cleo Martin (cleo@example.com), is still active. If they have left, deactivate it.',
    );
    await stage.press(ts, { confirm: false });
    await stage.press(ts, { twice: 'delivered' });
    const done = () => stage.directs().some((each) => each.includes('*Deactivated* · Cleo Martin'));
    await stage.sandbox.until(done, { what: 'the result' });
    expect(service.requests('patchUser')).toHaveLength(1);
    expect(stage.account('cleo@example.com')).toMatchObject({ active: false });
    expect(stage.directs()).toHaveLength(2);
  },
);

story(
  'accounts-leavers people-override',
  'for a leaver linked by the configuration, the account with that external id is shown',
  async () => {
    await using stage = await startLeavers({
      config: (given) => ({
        ...given,
        accounts: { tellOfLeavers: true },
        identityUserId: 'externalId',
        identityOverrides: { [CLEO]: 'x-77' },
      }),
    });
    const { workspace, service } = stage.sandbox;
    service.setUser('cleo@example.com', { externalId: 'x-77' });
    workspace.setUser(CLEO, { profile: { email: 'cleo@elsewhere.example' } });
    workspace.deactivate(CLEO);
    expect((await stage.notice()).text).toContain(
      'Cleo Martin (cleo@example.com), is still active',
    );
  },
);

story('accounts-leavers', 'leavers without an active account are not reported', async () => {
  await using stage = await startLeavers();
  const { workspace } = stage.sandbox;
  for (const user of ['U0IVO', 'U0UNA']) workspace.deactivate(user);
  // Two who gave themselves somebody else's address.
  workspace.setUser('U0STR', { is_stranger: false, profile: { email: 'dana@example.com' } });
  workspace.setUser('U0BEN', { is_email_confirmed: false });
  for (const user of ['U0STR', 'U0BEN']) workspace.deactivate(user);
  workspace.setUser('U0GUS', { real_name: 'August Lind' });
  await stage.sandbox.until(() => workspace.events('user_change').every(({ over }) => over));
  workspace.deactivate(CLEO);
  expect((await stage.notice()).text).toMatch(/^<@U0CLEO>/);
  expect(stage.directs()).toHaveLength(1);
});

story(
  'accounts-leavers people-address',
  'a leaver with an unconfirmed address is reported if any address counts',
  async () => {
    await using stage = await startLeavers({
      config: (given) => ({
        ...given,
        accounts: { tellOfLeavers: true },
        identityEmails: 'any',
      }),
    });
    const { workspace } = stage.sandbox;
    workspace.setUser(CLEO, { is_email_confirmed: false });
    workspace.deactivate(CLEO);
    expect((await stage.notice()).text).toMatch(/^<@U0CLEO> .* Cleo Martin/);
  },
);

story(
  'accounts-leavers accounts-told',
  'the notice says if the service refuses the list of accounts',
  async () => {
    await using stage = await startLeavers();
    stage.sandbox.service.setVariant({ scimAccess: 'forbidden' });
    stage.sandbox.workspace.deactivate(CLEO);
    expect((await stage.notice()).text).toContain('Check with `/people find cleo@example.com`.');
  },
);

story(
  'accounts-leavers accounts-told',
  'the notice says if several accounts may belong to the leaver',
  async () => {
    await using stage = await startLeavers();
    stage.sandbox.service.setUser('CLEO@example.com', {});
    stage.sandbox.workspace.deactivate(CLEO);
    expect((await stage.notice()).text).toBe(
      '<@U0CLEO> was deactivated in Slack. Several accounts in the service may be theirs, so it is not known which one to deactivate. Check with `/people find cleo@example.com`.',
    );
  },
);

story(
  'accounts-leavers accounts-told',
  'the notice says if the service may hide accounts',
  async () => {
    await using stage = await startLeavers();
    const { workspace, service } = stage.sandbox;
    service.setVariant({ scimFilter: 'ignored', scimPaging: 'ignored', scimPageSize: 1 });
    workspace.deactivate('U0UNA');
    expect((await stage.notice()).text).toBe(
      '<@U0UNA> was deactivated in Slack. The service shows no account of theirs, but perhaps not all of its accounts. Check in the service itself.',
    );
  },
);

story('accounts-leavers', 'leavers are not reported by default', async () => {
  await using stage = await startLeavers({});
  stage.sandbox.workspace.deactivate(CLEO);
  const { workspace, service } = stage.sandbox;
  await stage.sandbox.until(() => workspace.events('user_change').every(({ over }) => over));
  // Longer than it takes to look for an account.
  await stage.see('list');
  expect(service.requests('listUsers')).toHaveLength(1);
  expect(stage.directs()).toEqual([]);
});
