import { expect } from 'vitest';
import type { EphemeralMessage } from '../../sandbox/wire.ts';
import { DEPLOYS, readable } from '../support/world.ts';
import { ANYONE, approves, refused } from './deciders.ts';
import { hurried } from './hurried.ts';
import { remakeAnasAccount } from './remake-account.ts';
import { ANA, ANAS_ACCOUNT, CLEO, type Stage, type StageOptions, startStage } from './stage.ts';
import { story } from './story.ts';

const [DANA, IVO, UNA, GUEST] = ['U0DANA', 'U0IVO', 'U0UNA', 'U0GUS'];
const TELL = 'Tell an administrator';

function startMeStage(options: StageOptions = {}) {
  const administrators = { users: [DANA], groups: [] };
  return startStage({
    route: ANYONE,
    ...options,
    config: (config) => ({ ...(options.config?.(config) ?? config), administrators }),
  });
}

function lastFor({ sandbox }: Stage, user: string): EphemeralMessage {
  const last = sandbox.workspace.ephemerals(user).at(-1);
  if (last === undefined) throw new Error(`${user} reads nothing`);
  return last;
}

/** The person types the command, and reads alone what was looked for. */
async function me(stage: Stage, user: string): Promise<string> {
  const { workspace, until } = stage.sandbox;
  const before = workspace.ephemerals(user).length;
  const typed = await workspace.command({ user, channel: DEPLOYS, text: '/people me' });
  expect(typed).toMatchObject({ acknowledged: true, shown: null });
  await until(() => workspace.ephemerals(user).length > before, { what: 'an answer' });
  return readable(lastFor(stage, user));
}

/** The person presses the button of what they read, and reads on. */
async function tellOf(stage: Stage, user: string, twice = false): Promise<string> {
  const { workspace, until } = stage.sandbox;
  const { channel, ts } = lastFor(stage, user);
  const press = { user, channel, ts, label: TELL };
  await workspace.click(twice ? { ...press, twice: 'pressed' } : press);
  const said = () => readable(lastFor(stage, user)).includes('have been told');
  await until(said, { what: 'that administrators have been told' });
  return readable(lastFor(stage, user));
}

story('people-me', '/people me shows the linked account', async () => {
  await using stage = await startMeStage();
  expect(await me(stage, ANA)).toContain('Linked with: not yet');
  await approves(stage, ANA);
  const after = await me(stage, ANA);
  expect(after).toContain(`• Linked with: \`${ANAS_ACCOUNT}\``);
  expect(after).not.toContain(TELL);
  // Looking links nobody.
  expect(await me(stage, CLEO)).toContain('Linked with: not yet');
  expect(await me(stage, CLEO)).toContain('Linked with: not yet');
});

story(
  'people-me people-override',
  '/people me shows that the configuration links the account',
  async () => {
    await using stage = await startMeStage({
      config: (config) => ({ ...config, identityOverrides: { U0UNA: 'una-in-the-service' } }),
    });
    const text = await me(stage, UNA);
    expect(text).toMatch(/^\*The configuration links you/);
    expect(text).toContain('`una-in-the-service`');
    expect(text).not.toContain(TELL);
  },
);

story(
  'people-me people-override people-active',
  '/people me shows that the account linked by the configuration is deactivated',
  async () => {
    await using stage = await startMeStage({
      config: (config) => ({ ...config, identityOverrides: { U0UNA: ANAS_ACCOUNT } }),
    });
    stage.sandbox.service.setUser(ANAS_ACCOUNT, { active: false });
    const text = await me(stage, UNA);
    expect(text).toMatch(/^\*Your account in the service is deactivated, so you cannot decide/);
    expect(text).toContain(`• Linked by the configuration: \`${ANAS_ACCOUNT}\``);
    await tellOf(stage, UNA);
    await stage.sandbox.until(() => stage.told(DANA).length > 0, { what: 'a notice' });
    expect(stage.told(DANA)).toEqual([
      expect.stringContaining(`Their account \`${ANAS_ACCOUNT}\` is deactivated.`),
    ]);
  },
);

story(
  'people-me nobody-without-answer administrators-told administrators-once',
  'a refused person sees why, and can tell administrators with a button, once',
  async () => {
    await using stage = await startMeStage();
    await refused(stage, UNA, /Type `\/people me` for details/);
    expect(await me(stage, UNA)).toMatch(
      /^\*No synchronized account in the service has your e-mail address/,
    );
    expect(await tellOf(stage, UNA, true)).not.toContain(`\n${TELL}`);
    await me(stage, UNA);
    await tellOf(stage, UNA);
    await stage.sandbox.until(() => stage.told(DANA).length > 0, { what: 'a notice' });
    // What to do is ready in the message.
    const { workspace } = stage.sandbox;
    const [notice] = workspace.directMessages(DANA);
    const place = { user: DANA, channel: `D${DANA.slice(1)}`, ts: notice?.ts ?? '' };
    await workspace.click({ ...place, label: 'Create account' });
    const shown = () => JSON.stringify(workspace.modal(DANA) ?? '');
    await stage.sandbox.until(() => shown().includes('"initial_value":"una@example.com"'));
    await me(stage, IVO);
    await tellOf(stage, IVO);
    await stage.sandbox.until(() => stage.told(DANA).length > 1, { what: 'another notice' });
    expect(stage.told(DANA)).toEqual([
      '<@U0UNA> asks for help with their account. No synchronized account in the service has their address in Slack, `una@example.com`. Accounts that were not synchronized (SCIM) are not listed. Create one with `/people create una@example.com` or the button, synchronize theirs with this address, or link them in gatepost.yaml with `identity: { overrides: { U0UNA: &lt;id of the account&gt; } }`.',
      expect.stringMatching(
        /^<@U0IVO> asks .* Their account `ivo@example\.com` \(id `.*`\) is deactivated\..*`\/people activate ivo@example\.com`/,
      ),
    ]);
  },
);

story('people-me', '/people me describes every case, for guests too', async () => {
  const { clock, hurry } = hurried();
  await using stage = await startMeStage({ clock });
  const { workspace, service } = stage.sandbox;
  const reads = async (user: string) => {
    hurry(60_000);
    return me(stage, user);
  };
  expect(await reads(GUEST)).toMatch(/^\*Gatepost found your account in the service/);
  service.setVariant({ scimActive: 'missing' });
  expect(await reads(ANA)).toMatch(/^\*The service does not say whether your account is active/);
  service.setVariant({ scimActive: 'boolean' });
  service.setUser('other@example.com', { userName: 'other@example.com' });
  service.setUser('other@example.com', { userName: 'CLEO@example.com' });
  expect(await reads(CLEO)).toMatch(/^\*Several accounts .*[\s\S]*• Found: several accounts/);
  service.fault({ kind: '500', operation: 'listUsers' });
  expect(await reads(ANA)).toMatch(/^\*Gatepost could not read the accounts of the service/);
  service.clearFaults();
  workspace.setUser(ANA, { is_email_confirmed: false });
  expect(await reads(ANA)).toMatch(
    /not confirmed in Slack.*[\s\S]*`ana@example\.com` is not confirmed/,
  );
  workspace.setUser(ANA, { is_email_confirmed: true, profile: { email: '' } });
  expect(await reads(ANA)).toMatch(/^\*Slack does not show Gatepost a confirmed e-mail address/);
  workspace.fault({ kind: '500', method: 'users.info' });
  expect(await reads(ANA)).toMatch(/^\*Slack did not tell Gatepost who you are/);
});

story(
  'people-me people-pinned administrators-once',
  'a person linked to another account sees that, and administrators are alerted as at a decision',
  async () => {
    const { clock, hurry } = hurried();
    await using stage = await startMeStage({ clock });
    await approves(stage, ANA);
    const account = remakeAnasAccount(stage);
    hurry(60_000);
    const changed = await me(stage, ANA);
    expect(changed).toMatch(
      /^\*The e-mail address of your Slack profile belongs to a different account/,
    );
    expect(changed).not.toContain(account);
    await tellOf(stage, ANA);
    await refused(stage, ANA, /belongs to a different account/);
    stage.sandbox.workspace.setUser(CLEO, { profile: { email: 'ana.before@example.com' } });
    hurry(60_000);
    const taken = await me(stage, CLEO);
    expect(taken).toMatch(/is linked with somebody else/);
    expect(taken).not.toContain(ANAS_ACCOUNT);
    expect(taken).not.toContain(ANA);
    stage.sandbox.workspace.setUser(ANA, { profile: { email: 'nobody@example.com' } });
    hurry(60_000);
    expect(await me(stage, ANA)).toMatch(
      /no synchronized account has the e-mail address of your Slack profile now/,
    );
    await stage.sandbox.until(() => stage.told(DANA).length > 0, { what: 'a notice' });
    expect(stage.told(DANA)).toEqual([expect.stringContaining(`\`${account}\``)]);
  },
);

story('people-me', '/people me without administrators has no button to tell them', async () => {
  await using stage = await startStage({ env: { SCIM_TOKEN: undefined } });
  const text = await me(stage, ANA);
  expect(text).toMatch(/^\*Gatepost has no access to the accounts/);
  expect(text).toContain("Gatepost's configuration names no administrator.");
  expect(text).not.toContain(TELL);
});
