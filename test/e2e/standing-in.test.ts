import { expect } from 'vitest';
import { DEPLOYS, readable } from '../support/world.ts';
import { ANA, BEN, CLEO, effectsOf, type Stage, type StageOptions, startStage } from './stage.ts';
import { story } from './story.ts';

/** What becomes of requests while somebody is away: whom they mention, and who decides in whose place. */

const DANA = 'U0DANA';

const startOf = (route: StageOptions['route'], options: StageOptions = {}) =>
  startStage({
    ...options,
    route: {
      identity: 'omit',
      reviewers: { users: [ANA, BEN], groups: [], channel: false },
      ...route,
    },
  });

/** Somebody types that they are away, and has been answered; again if the machine was too slow to check something. */
async function leaves({ sandbox }: Stage, user: string, words: string): Promise<void> {
  const { workspace, until } = sandbox;
  for (let tries = 0; tries < 5; tries += 1) {
    const before = workspace.ephemerals(user).length;
    await workspace.command({ user, channel: DEPLOYS, text: `/approvals ${words}` });
    const answer = () => workspace.ephemerals(user)[before];
    const { text } = await until(answer, { what: `an answer: ${words}` });
    if (!text.includes('Try again in a minute')) return;
  }
}

async function toldDirectly({ sandbox }: Stage, user: string, pattern: RegExp): Promise<void> {
  const told = () => sandbox.workspace.directMessages(user).map(readable);
  await sandbox.until(() => told().some((text) => pattern.test(text)), {
    what: `${pattern} for ${user}: ${told().join('|')}`,
    timeoutMs: 60_000,
  });
}

story(
  'away-not-mentioned',
  'a request mentions only people who are present, and a person again who comes back',
  async () => {
    await using stage = await startOf({});
    await leaves(stage, ANA, 'away until tomorrow');
    const { ts } = await stage.ask();
    expect(stage.read(ts)).toContain('*Waiting for* <@U0BEN>');
    expect(stage.read(ts)).not.toContain(ANA);
    await leaves(stage, ANA, 'back');
    await stage.until(ts, /\*Waiting for\* <@U0ANA> or <@U0BEN>/);
    await leaves(stage, BEN, 'away in 2 days');
    await stage.until(ts, /\*Waiting for\* <@U0ANA>$/m);
    // Who is away can decide all the same.
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0BEN>/);
  },
);

story(
  'away-not-mentioned escalated',
  'a request without present reviewers is escalated at once, and mentions everybody if nobody else can decide',
  async () => {
    const escalate = [{ after: 3_600_000, to: { users: [CLEO], groups: [] } }];
    await using stage = await startOf({ escalate });
    const before = await stage.ask({ title: 'Deploy 4.1' });
    await leaves(stage, ANA, 'away until tomorrow');
    await leaves(stage, BEN, 'away until tomorrow');
    await stage.until(before.ts, /\*Waiting for\* <@U0CLEO>$/m);
    const replies = () => stage.sandbox.workspace.thread(DEPLOYS, before.ts).map(readable);
    await stage.sandbox.until(() => replies().some((text) => /Escalated.*U0CLEO/.test(text)), {
      what: 'a reply that mentions Cleo',
    });
    const { ts, token } = await stage.ask({ title: 'Deploy 4.2' });
    expect(stage.read(ts)).toMatch(/\*Waiting for\* <@U0CLEO>$/m);
    await leaves(stage, CLEO, 'away until tomorrow');
    await stage.until(
      ts,
      /<@U0ANA> \(away until .*\), <@U0BEN> \(away until .*\) or <@U0CLEO> \(away until .*\)/,
    );
    await stage.click(CLEO, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0CLEO>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'stands-in nobody-decides-who-may-not nothing-twice',
  'a substitute decides in place of an absent person, who is told',
  async () => {
    await using stage = await startOf({ substitutes: true, quorum: 2 });
    const { ts, token } = await stage.ask({ title: 'Deploy 4.2' });
    await stage.click(DANA, ts, 'Approve');
    await stage.sandbox.until(
      () => stage.told(DANA).some((text) => /^You are not a reviewer/.test(text)),
      { what: 'a refusal' },
    );
    await leaves(stage, ANA, `away until tomorrow <@${DANA}|dana>`);
    await stage.until(ts, /<@U0DANA>/);
    await stage.click(DANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals \(<@U0DANA> for <@U0ANA>\)/);
    // The two fill one place.
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals \(<@U0ANA>\)/);
    expect(effectsOf(stage, token)).toEqual([]);
    await stage.click(DANA, ts, 'Approve');
    await stage.sandbox.until(() => stage.told(DANA).length > 1, { what: 'a word for Dana' });
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    const next = await stage.ask({ title: 'Deploy 4.3' });
    await stage.click(DANA, next.ts, 'Reject');
    await stage.until(next.ts, /Rejected by <@U0DANA> for <@U0ANA>/);
    await toldDirectly(stage, ANA, /Rejected by .*Deploy 4\.3/s);
    expect(stage.sandbox.workspace.directMessages(ANA).map(readable).join()).not.toContain('4.2');
  },
);

story(
  'stands-in nobody-decides-who-may-not',
  'a substitute cannot decide requests of either of them',
  async () => {
    await using stage = await startOf({ substitutes: true, selfApproval: true });
    await leaves(stage, ANA, `away until tomorrow <@${DANA}|dana>`);
    const { ts, token } = await stage.ask({ requestedBy: { slackUser: ANA } });
    await stage.click(DANA, ts, 'Approve');
    await stage.sandbox.until(
      () => stage.told(DANA).some((text) => /The person you stand in for cannot decide/.test(text)),
      { what: 'a refusal' },
    );
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);
