import { expect } from 'vitest';
import type { SandboxOptions } from '../../sandbox/sandbox.ts';
import { DEPLOYS, readable } from '../support/world.ts';
import { ANYONE, approves, NOBODY, refused } from './deciders.ts';
import { openSlackDoor } from './slack-door.ts';
import { ANA, BEN, CLEO, effectsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** People of several workspaces: an organisation's (Enterprise Grid), and other companies'. */

const ORGANISATION: SandboxOptions = { enterprise: { id: 'E0ACME', name: 'Acme Group' } };
const STAN = 'U0STR';

/** Cleo's home is another workspace, of this organisation or another. */
function moveCleo({ sandbox }: Stage, organisation: string, globalId = CLEO): void {
  sandbox.workspace.setUser(CLEO, {
    team_id: 'T0SISTER',
    enterprise_user: { enterprise_id: organisation, id: globalId },
  });
}

/** An organisation that has installed the app as a whole, in two workspaces. */
const INSTALLED: SandboxOptions = {
  enterprise: {
    id: 'E0ACME',
    name: 'Acme Group',
    installedIn: [
      { id: 'T0ACME', name: 'Acme' },
      { id: 'T0SISTER', name: 'Sister' },
    ],
  },
};

/** As Slack tells of people in a channel that is shared with their company. */
function shareWithStan({ sandbox }: Stage, patch: object = {}): void {
  sandbox.workspace.setUser(STAN, { is_stranger: false, ...patch });
  sandbox.service.setUser('stan@partner.example', { userName: 'stan@partner.example' });
}

story(
  'people-organisation',
  'a colleague of another workspace of the organisation decides',
  async () => {
    await using stage = await startStage({ sandbox: ORGANISATION, route: ANYONE });
    moveCleo(stage, 'E0ACME');
    await approves(stage, CLEO);
    await approves(stage, ANA);
  },
);

story(
  'people-organisation people-members',
  'a person from another organization does not decide',
  async () => {
    await using stage = await startStage({ sandbox: ORGANISATION, route: ANYONE });
    moveCleo(stage, 'E0OTHER');
    await refused(stage, CLEO, /^Members of your Slack workspace cannot decide/);
  },
);

story(
  'people-organisation people-members',
  'an organization is ignored if the bot belongs to none',
  async () => {
    await using stage = await startStage({ route: ANYONE });
    moveCleo(stage, 'E0ACME');
    await refused(stage, CLEO, /^Members of your Slack workspace cannot decide/);
  },
);

story(
  'people-organisation outcome-requester people-requester',
  'people whose ids start with W can request, decide with a reason and are told',
  async () => {
    await using stage = await startStage({
      sandbox: ORGANISATION,
      route: {
        reviewers: { ...NOBODY, users: ['W0CLEO', 'W0BEN'] },
        reason: { approve: 'optional', reject: 'none' },
      },
    });
    const { workspace } = stage.sandbox;
    for (const [id, globalId] of [
      ['U0CLEO', 'W0CLEO'],
      ['U0BEN', 'W0BEN'],
    ] as const) {
      workspace.setUser(id, { id: globalId });
      workspace.invite(DEPLOYS, globalId);
    }
    const { ts, token } = await stage.ask({ requestedBy: { slackUser: 'W0BEN' } });
    expect(stage.read(ts)).toContain('*Waiting for* <@W0CLEO>');
    for (const user of ['W0BEN', 'W0CLEO']) {
      await stage.click(user, ts, 'Approve');
      await stage.sandbox.until(() => workspace.modal(user));
      await workspace.submit({ user, values: { 'approvals.reason.text': 'Checked' } });
    }
    await stage.until(ts, /Approved by <@W0CLEO>/);
    expect(stage.told('W0BEN')[0]).toMatch(/^You asked for \*/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    await stage.sandbox.until(() => workspace.directMessages('W0BEN').length > 0);
    const [told] = workspace.directMessages('W0BEN');
    expect(readable(told)).toMatch(/Approved by <[^|]*\/team\/W0CLEO\|/);
  },
);

story(
  'people-organisation people-requester nobody-decides-who-may-not',
  'a requester named by their organization id does not decide under their workspace id',
  async () => {
    await using stage = await startStage({ sandbox: ORGANISATION, route: ANYONE });
    moveCleo(stage, 'E0ACME', 'W0CLEO');
    const requestedBy = { slackUser: 'W0CLEO' };
    await refused(stage, CLEO, /^You asked for \*/, { requestedBy });
  },
);

story(
  'people-organisation people-reviewers',
  'a reviewer named by the id of the organisation decides',
  async () => {
    const reviewers = { ...NOBODY, users: ['W0CLEO'] };
    await using stage = await startStage({ sandbox: ORGANISATION, route: { reviewers } });
    moveCleo(stage, 'E0ACME', 'W0CLEO');
    await approves(stage, CLEO);
    await refused(stage, ANA, /^You are not a reviewer/);
  },
);

story(
  'people-members nobody-without-answer',
  'a person from a company that the channel is shared with does not decide',
  async () => {
    await using stage = await startStage({ route: ANYONE });
    shareWithStan(stage);
    await refused(stage, STAN, /^Members of your Slack workspace cannot decide/);
  },
);

story('people-members', 'a person of an allowed workspace decides', async () => {
  await using stage = await startStage({
    route: ANYONE,
    config: (config) => ({ ...config, teams: ['T0OTHER'] }),
  });
  shareWithStan(stage);
  await approves(stage, STAN);
});

story(
  'people-members',
  'a stranger from an allowed workspace decides if the route allows guests',
  async () => {
    await using stage = await startStage({
      route: { ...ANYONE, guests: true },
      config: (config) => ({ ...config, teams: ['T0OTHER'] }),
    });
    shareWithStan(stage, { is_stranger: true });
    await approves(stage, STAN);
  },
);

story(
  'people-members people-linked',
  'a person of an allowed workspace whose address Slack does not show is not linked',
  async () => {
    await using stage = await startStage({
      route: ANYONE,
      config: (config) => ({ ...config, teams: ['T0OTHER'] }),
    });
    const { profile, ...stan } = stage.sandbox.workspace.user(STAN) ?? {};
    expect(profile).toBeDefined();
    shareWithStan(stage, { ...stan, is_stranger: false, profile: { email: '' } });
    await refused(stage, STAN, /^Slack shows Gatepost no confirmed address for you/);
  },
);

for (const error of ['user_not_visible', 'user_not_found']) {
  story(
    'people-members nobody-decides-who-may-not',
    `a person whom Slack answers with ${error} does not decide`,
    async () => {
      await using slack = await openSlackDoor();
      await using stage = await startStage({ route: ANYONE, config: slack.config });
      slack.answer((method) =>
        method === 'users.info' ? { status: 200, body: { ok: false, error } } : undefined,
      );
      await refused(stage, STAN, /^People from other companies cannot decide/);
    },
  );
}

story(
  'people-organisation people-reviewers people-one-vote',
  'with an app installed in an organization, a group of one workspace decides, and each person once',
  async () => {
    await using stage = await startStage({
      sandbox: INSTALLED,
      route: { reviewers: { ...NOBODY, groups: ['S0REL'] }, quorum: 2, identity: 'omit' },
    });
    const { workspace } = stage.sandbox;
    const ofAcme = (id: string) => ({ enterprise_user: { enterprise_id: 'E0ACME', id } });
    // Ana has an account in either workspace; Ben is of the first one, and the group of the second.
    workspace.setUser(ANA, ofAcme('W0ANA'));
    workspace.setUser(BEN, ofAcme('W0BEN'));
    workspace.setUser(CLEO, {
      ...ofAcme('W0ANA'),
      team_id: 'T0SISTER',
      profile: { email: 'ana@example.com' },
    });
    workspace.setUserGroup('S0REL', { users: [ANA, BEN, CLEO], teamId: 'T0SISTER' });
    const { ts, token } = await stage.ask({});
    await stage.click(CLEO, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals/);
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA).at(-1)).toMatch(/A person counts once, whichever account they use/);
    await stage.click('U0DANA', ts, 'Approve');
    await stage.sandbox.until(() => stage.told('U0DANA').length > 0);
    expect(effectsOf(stage, token)).toEqual([]);
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);
