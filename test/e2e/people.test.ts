import { expect } from 'vitest';
import { DEPLOYS } from '../support/world.ts';
import { ANYONE, approves, NOBODY, refused, refusedAnywhere } from './deciders.ts';
import { ANA, BEN, CLEO, respondsOf, sentenceFor, startStage } from './stage.ts';
import { story } from './story.ts';

story(
  'people-reviewers nobody-decides-who-may-not nobody-without-answer',
  'a person who is not a reviewer is told who is',
  async () => {
    await using stage = await startStage();
    await refused(stage, CLEO, /^You are not a reviewer.*count\. <@U0ANA>, <@U0BEN> can decide\.$/);
  },
);

story('people-nobody', 'without reviewers nobody can decide, and the message says so', async () => {
  await using stage = await startStage({ route: { reviewers: NOBODY } });
  const { ts } = await stage.ask();
  expect(stage.read(ts)).toContain('nobody can decide: no reviewers');
  await refused(stage, ANA, /^You are not a reviewer/);
});

story(
  'intake-bad-input people-reviewers',
  'a request that its reviewers can never approve is refused',
  async () => {
    await using stage = await startStage({
      config: (config) => ({
        ...config,
        routes: config.routes.flatMap((route) => [
          { ...route, reviewers: { ...NOBODY, users: [ANA, BEN, CLEO] }, quorum: 2 },
          { ...route, name: 'loud', reviewers: { ...NOBODY, users: [ANA] }, selfApproval: true },
        ]),
        sources: config.sources.map((source) => ({ ...source, routes: ['default', 'loud'] })),
      }),
    });
    const [ana, ben] = [{ slackUser: ANA }, { slackUser: BEN }];
    const both = { users: [ANA, BEN] };
    const cases: [object, string | null][] = [
      [{ requestedBy: ana, quorum: 3 }, '/requestedBy/slackUser'],
      [{ requestedBy: ana, reviewers: both }, '/requestedBy/slackUser'],
      [{ reviewers: { users: [ANA, ANA] } }, '/reviewers'],
      [{ quorum: 4 }, '/quorum'],
      [{ quorum: 3, reviewers: both }, '/quorum'],
      [{ requestedBy: ana }, null],
      [{ requestedBy: { slackUser: 'U0RITA' }, reviewers: both }, null],
      // Who has an address is found after the intake.
      [{ requestedBy: { email: 'ana@example.com' }, reviewers: both }, null],
      [{ requestedBy: ana, route: 'loud' }, null],
      [{ requestedBy: ben, route: 'loud' }, null],
    ];
    for (const [question, pointer] of cases) {
      const { status, body } = await stage.send(question);
      const errors = pointer === null ? {} : { errors: [{ pointer, detail: expect.any(String) }] };
      expect({ question, status, body }).toMatchObject({
        question,
        status: pointer === null ? 202 : 422,
        body: errors,
      });
    }
  },
);

story(
  'people-reviewers nobody-without-answer',
  'the message says if groups or the requester make an approval impossible',
  async () => {
    await using stage = await startStage({
      route: { reviewers: { ...NOBODY, groups: ['S0REL'] } },
      config: (config) => ({ ...config, administrators: { users: [CLEO], groups: [] } }),
    });
    const { workspace } = stage.sandbox;
    workspace.setUserGroup('S0REL', { users: [ANA] });
    const { ts } = await stage.ask({ requestedBy: { email: 'ana@example.com' } });
    await stage.until(ts, /cannot be approved: only its requester can decide/);
    const told = () => workspace.directMessages(CLEO).map(({ text: said }) => said);
    await stage.sandbox.until(() => told().some((said) => /needs more approvals/.test(said)));
    const { ts: fine } = await stage.ask({ requestedBy: { email: 'ben@example.com' } });
    await stage.click(ANA, fine, 'Approve');
    await stage.until(fine, /Approved by <@U0ANA>/);
  },
);

story(
  'people-reviewers',
  'members of a user group can decide, and the group is mentioned',
  async () => {
    await using stage = await startStage({
      route: { reviewers: { ...NOBODY, groups: ['S0REL'] } },
    });
    const { ts } = await stage.ask();
    expect(stage.read(ts)).toContain('*Waiting for* <!subteam^S0REL>');
    await approves(stage, BEN);
    await refused(stage, CLEO, /^You are not a reviewer/);
  },
);

story('people-reviewers', 'anyone in the channel can decide if the route says so', async () => {
  await using stage = await startStage({ route: ANYONE });
  const { ts } = await stage.ask();
  expect(stage.read(ts)).toContain('*Waiting for anyone in this channel*');
  await approves(stage, CLEO);
});

story('people-at-click', 'a person who left the user group after the post is refused', async () => {
  await using stage = await startStage({
    route: { reviewers: { ...NOBODY, groups: ['S0REL'] } },
  });
  const { ts, token } = await stage.ask();
  stage.sandbox.workspace.setUserGroup('S0REL', { users: [BEN] });
  await stage.click(ANA, ts, 'Approve');
  await stage.sandbox.until(() => stage.told(ANA).length > 0);
  expect(stage.told(ANA)[0]).toMatch(/^You are not a reviewer/);
  expect(respondsOf(stage, token)).toEqual([]);
});

story(
  'people-meanwhile people-reviewers',
  'a person added to a user group can decide at once, and a removed one no longer',
  async () => {
    const reviewers = { ...NOBODY, groups: ['S0REL'] };
    await using stage = await startStage({ route: { reviewers } });
    const { workspace } = stage.sandbox;
    await approves(stage, ANA);
    await refused(stage, CLEO, /^You are not a reviewer/);
    workspace.setUserGroup('S0REL', { users: [CLEO] });
    await approves(stage, CLEO);
    await refused(stage, ANA, /^You are not a reviewer/);
  },
);

story(
  'people-meanwhile people-reviewers',
  'a click is not refused while Slack rate-limits the read of groups',
  async () => {
    const reviewers = { ...NOBODY, groups: ['S0REL'] };
    await using stage = await startStage({ route: { reviewers } });
    await approves(stage, ANA);
    const method = 'usergroups.users.list';
    stage.sandbox.workspace.fault({ kind: '429', method, retryAfter: 30 });
    await approves(stage, ANA);
    const { ts } = await stage.ask();
    await stage.click(CLEO, ts, 'Approve');
    await stage.sandbox.until(() => stage.told(CLEO).length > 0);
    expect(stage.told(CLEO)).toEqual([
      expect.stringMatching(/^Request \*.+\*: Gatepost could not check/),
    ]);
  },
);

story(
  'people-meanwhile people-reviewers',
  'a person who joined the channel can decide at once',
  async () => {
    await using stage = await startStage({ route: ANYONE });
    const { workspace } = stage.sandbox;
    workspace.remove(DEPLOYS, CLEO);
    await approves(stage, ANA);
    workspace.invite(DEPLOYS, CLEO);
    await approves(stage, CLEO);
  },
);

story('people-requester', 'the requester named by Slack id does not decide', async () => {
  await using stage = await startStage();
  await refused(stage, ANA, /^You asked for \*/, { requestedBy: { slackUser: ANA } });
  await approves(stage, BEN, { requestedBy: { slackUser: ANA } });
});

story('people-requester', 'the requester named by an address does not decide', async () => {
  await using stage = await startStage();
  const requestedBy = { email: 'ANA@Example.com' };
  await refused(stage, ANA, /^You asked for \*/, { requestedBy });
});

story(
  'people-requester',
  'a requester whose address Slack could not look up still does not decide',
  async () => {
    await using stage = await startStage();
    stage.sandbox.workspace.fault({ kind: '500', method: 'users.lookupByEmail' });
    const requestedBy = { email: 'ana@example.com' };
    await refused(stage, ANA, /^You asked for \*/, { requestedBy });
  },
);

story('people-requester', 'the requester decides if the route allows it', async () => {
  await using stage = await startStage({ route: { selfApproval: true } });
  await approves(stage, ANA, { requestedBy: { slackUser: ANA } });
});

story('people-members', 'an app does not decide', async () => {
  await refusedAnywhere(CLEO, /^Apps cannot decide/, ({ sandbox }) =>
    sandbox.workspace.setUser(CLEO, { is_bot: true }),
  );
});

story('people-members', 'a deactivated person does not decide', async () => {
  await refusedAnywhere(CLEO, /deactivated/, ({ sandbox }) =>
    sandbox.workspace.setUser(CLEO, { deleted: true }),
  );
});

story('people-members', 'a guest does not decide unless the route allows guests', async () => {
  await refusedAnywhere('U0GUS', /^Guests cannot decide/);
  await using stage = await startStage({ route: { ...ANYONE, guests: true } });
  await approves(stage, 'U0GUS');
});

story('people-members', 'a person of another company does not decide', async () => {
  await refusedAnywhere('U0STR', /^Members of your Slack workspace cannot decide/);
});

story('people-members', 'a stranger from an allowed workspace does not decide', async () => {
  await refusedAnywhere('U0STR', /^People from other companies/, undefined, {
    config: (config) => ({ ...config, teams: ['T0OTHER'] }),
  });
});

story('people-address', 'a person with an unconfirmed address does not decide', async () => {
  await refusedAnywhere(CLEO, /^Slack shows Gatepost no confirmed address for you/, ({ sandbox }) =>
    sandbox.workspace.setUser(CLEO, { is_email_confirmed: false }),
  );
});

story('people-active', 'a person whose account is deactivated does not decide', async () => {
  await refusedAnywhere('U0IVO', /^Your account in the service is deactivated/);
});

story(
  'people-active',
  'nobody decides if the service does not say whether their account is active',
  async () => {
    await refusedAnywhere(CLEO, /does not say whether your account is active/, ({ sandbox }) =>
      sandbox.service.setVariant({ scimActive: 'missing' }),
    );
  },
);

story(
  'people-linked',
  'a person without an account is refused and told how to be linked',
  async () => {
    await refusedAnywhere(
      'U0UNA',
      /^No synchronized account in the service has the e-mail address.*`\/people me`/,
    );
  },
);

story('people-linked', 'a person without an account decides without a user id', async () => {
  await using stage = await startStage({ route: { ...ANYONE, identity: 'omit' } });
  const token = await approves(stage, 'U0UNA');
  expect(stage.sandbox.service.approval(token).effects).toMatchObject([{ userId: null }]);
  const [request] = stage.sandbox.service.requests('respond');
  expect(request?.body).toEqual({ action: 'approve' });
});

story(
  'people-linked',
  'a deactivated account is refused even if accounts are optional',
  async () => {
    await refusedAnywhere('U0IVO', /^Your account in the service is deactivated/, undefined, {
      route: { identity: 'omit' },
    });
  },
);

story('people-one-account', 'several accounts with the same address are refused', async () => {
  await refusedAnywhere(CLEO, /^Several accounts/, ({ sandbox }) => {
    sandbox.service.setUser('other@example.com', { userName: 'other@example.com' });
    sandbox.service.setUser('other@example.com', { userName: 'CLEO@example.com' });
  });
});

story('people-override', 'an override links a person without an account', async () => {
  await using stage = await startStage({
    route: ANYONE,
    config: (config) => ({ ...config, identityOverrides: { U0UNA: 'una-in-the-service' } }),
  });
  const token = await approves(stage, 'U0UNA');
  expect(stage.sandbox.service.approval(token).effects).toMatchObject([
    { userId: 'una-in-the-service' },
  ]);
});

story(
  'people-unknown nobody-without-answer',
  'nobody decides while Slack does not respond',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask();
    stage.sandbox.workspace.fault({ kind: '500', method: 'users.info' });
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA)).toEqual([
      expect.stringMatching(/^Request \*.+\*: Gatepost could not check/),
    ]);
    expect(respondsOf(stage, token)).toEqual([]);
    stage.sandbox.workspace.clearFaults();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
  },
);

story('people-unknown', 'a click is carried out when the account list answers again', async () => {
  await using stage = await startStage();
  const { ts } = await stage.ask();
  stage.sandbox.service.fault({ kind: '500', operation: 'listUsers', times: 1 });
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
});

story('intake-narrows', 'a request narrows the reviewers of its route', async () => {
  await using stage = await startStage();
  const reviewers = { users: [BEN] };
  const { ts } = await stage.ask({ reviewers });
  expect(stage.read(ts)).toContain('*Waiting for* <@U0BEN>');
  expect(stage.read(ts)).not.toContain('<@U0ANA>');
  await refused(stage, ANA, /^You are not a reviewer/, { reviewers });
  await approves(stage, BEN, { reviewers });
});

story(
  'intake-narrows',
  'a request does not make reviewers of people the route does not name',
  async () => {
    await using stage = await startStage();
    const asked = await stage.sandbox.automation.ask({ reviewers: { users: [ANA, CLEO] } });
    expect(asked).toMatchObject({
      status: 422,
      body: {
        errors: [{ pointer: '/reviewers/users/1', detail: 'is not a reviewer of this route' }],
      },
    });
  },
);

story(
  'intake-narrows',
  'a request with reviewers or a quorum that nobody could fulfill is refused',
  async () => {
    await using stage = await startStage();
    const ask = (question: object) => stage.sandbox.automation.ask(question);
    const pointedAt = (pointer: string) => ({ status: 422, body: { errors: [{ pointer }] } });
    expect(await ask({ reviewers: {} })).toMatchObject(pointedAt('/reviewers'));
    expect(await ask({ quorum: 3 })).toMatchObject(pointedAt('/quorum'));
    expect(await ask({ quorum: 2, reviewers: { users: [ANA] } })).toMatchObject(
      pointedAt('/quorum'),
    );
    expect(await ask({ quorum: 2 })).toMatchObject({ status: 202 });
  },
);

story(
  'intake-narrows people-meanwhile nobody-without-answer',
  'a named person who is no longer a reviewer is told, and nobody else can decide',
  async () => {
    await using stage = await startStage({
      route: { reviewers: { ...NOBODY, groups: ['S0REL'] } },
    });
    const { ts, token, id } = await stage.ask({ reviewers: { users: [BEN] } });
    expect(stage.read(ts)).toContain('*Waiting for* <@U0BEN>, if they review this route');
    stage.sandbox.workspace.setUserGroup('S0REL', { users: [ANA] });
    await stage.click(BEN, ts, 'Approve');
    expect(await sentenceFor(stage, BEN)).toMatch(
      /^You were named to decide.*do not review its route/,
    );
    await stage.click(ANA, ts, 'Approve');
    expect(await sentenceFor(stage, ANA)).toMatch(/^You are not a reviewer/);
    expect(respondsOf(stage, token)).toEqual([]);
    await stage.sandbox.automation.withdraw(id);
    await stage.until(ts, /Withdrawn/);
  },
);

story(
  'intake-narrows people-members',
  'nobody can decide a request for a person who left the company',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask({ reviewers: { users: [BEN] } });
    const press = { user: BEN, channel: DEPLOYS, ts, label: 'Approve' };
    // The press was on its way when the account was closed.
    const { workspace } = stage.sandbox;
    workspace.fault({ kind: 'latency', ms: 700, method: 'users.info', times: 1 });
    const pressed = workspace.click(press);
    workspace.setUser(BEN, { deleted: true });
    await pressed;
    expect(await sentenceFor(stage, BEN)).toMatch(/^This Slack account is deactivated/);
    await stage.click(ANA, ts, 'Approve');
    expect(await sentenceFor(stage, ANA)).toMatch(/<@U0BEN> can decide\.$/);
    expect(respondsOf(stage, token)).toEqual([]);
  },
);

story('intake-narrows', "a request does not lower its route's quorum", async () => {
  await using stage = await startStage({ route: { quorum: 2 } });
  const { ts, token } = await stage.ask({ quorum: 1 });
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /1 of 2 approvals/);
  expect(respondsOf(stage, token)).toEqual([]);
});

story('dialects people-linked', 'accounts are found in every format of the list', async () => {
  const forms = [
    { scimFilter: 'ignored', scimPaging: 'ignored' },
    { scimFilter: 'refused', scimPageSize: 2 },
    { scimList: 'array', scimActive: 'string' },
  ] as const;
  for (const form of forms) {
    await using stage = await startStage();
    stage.sandbox.service.setVariant(form);
    await approves(stage, BEN);
  }
});
