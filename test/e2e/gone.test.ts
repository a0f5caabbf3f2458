import { expect } from 'vitest';
import { ANA, BEN, CLEO, startStage } from './stage.ts';
import { story } from './story.ts';

/** Reviewers who cannot decide any more: their account is deactivated, or they are guests or apps. */

story(
  'reviewers-gone',
  'a request asks only reviewers who can still decide, and says that they are too few',
  async () => {
    await using stage = await startStage({
      route: {
        identity: 'omit',
        quorum: 2,
        reviewers: { users: [ANA, BEN], groups: [], channel: false },
      },
    });
    const { workspace } = stage.sandbox;
    workspace.deactivate(BEN);
    const { ts } = await stage.ask();
    await stage.until(
      ts,
      /Cannot be approved: 2 approvals are needed, and only 1 reviewer can approve\. Not counted: 1 deactivated account\./,
    );
    expect(stage.read(ts)).toContain('*Waiting for* <@U0ANA>');
    expect(stage.read(ts)).not.toContain(BEN);
    // They are back, and Slack says so.
    workspace.setUser(BEN, { deleted: false });
    await stage.sandbox.until(() => workspace.events('user_change').every(({ over }) => over));
    const next = await stage.ask();
    expect(stage.read(next.ts)).toContain('*Waiting for* <@U0ANA> and <@U0BEN>');
  },
);

story(
  'reviewers-gone',
  'a group of one reviewer, one who left, an app and a guest cannot give two approvals',
  async () => {
    await using stage = await startStage({
      route: {
        identity: 'omit',
        quorum: 2,
        reviewers: { users: [], groups: ['S0TEAM'], channel: false },
      },
      before: ({ workspace }) =>
        workspace.addUserGroup('S0TEAM', 'team', [CLEO, 'U0DEL', 'U0BOTX', 'U0GUS']),
    });
    const { ts } = await stage.ask();
    await stage.until(
      ts,
      /only 1 reviewer can approve\. Not counted: 1 deactivated account, 1 guest, 1 app\. Add reviewers/,
    );
  },
);
