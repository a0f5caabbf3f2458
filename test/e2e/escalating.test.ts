import { expect, vi } from 'vitest';
import type { Route } from '../../src/core/config/config.ts';
import { DEPLOYS, readable } from '../support/world.ts';
import { NOBODY, refused } from './deciders.ts';
import { startRestartingBot } from './restarting-bot.ts';
import { ANA, BEN, CLEO, effectsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** Who can decide as well once a request has waited for a while, and who can and is not mentioned. */

const DANA = 'U0DANA';
const LEADS = { users: [], groups: ['S0LEADS'] };
const SOON_MS = 3_000;

/** Cleo is a lead. */
function startOfLeads(route: Partial<Route>, more: Partial<Route> = {}): Promise<Stage> {
  return startStage({
    before: ({ workspace }) => workspace.addUserGroup('S0LEADS', 'leads', [CLEO]),
    config: (config) => ({
      ...config,
      routes: config.routes.flatMap((each) => [each, { ...each, name: 'other', ...more }]),
      sources: config.sources.map((source) => ({ ...source, routes: ['default', 'other'] })),
    }),
    route: { identity: 'omit', ...route },
  });
}

const repliesTo = ({ sandbox }: Pick<Stage, 'sandbox'>, ts: string) =>
  sandbox.workspace.thread(DEPLOYS, ts).slice(1).map(readable);

const escalationsTo = (stage: Pick<Stage, 'sandbox'>, ts: string) =>
  repliesTo(stage, ts).filter((text) => text.includes('Escalated'));

async function escalated(stage: Stage, ts: string): Promise<string | undefined> {
  await stage.sandbox.until(() => escalationsTo(stage, ts).length > 0, { what: 'the reply' });
  return escalationsTo(stage, ts)[0];
}

story(
  'escalated nobody-decides-who-may-not nobody-without-answer',
  'a lead cannot decide before the escalation',
  async () => {
    await using stage = await startStage({
      before: ({ workspace }) => workspace.addUserGroup('S0LEADS', 'leads', [CLEO]),
      route: { identity: 'omit', escalate: [{ after: 3_600_000, to: LEADS }] },
    });
    await refused(stage, CLEO, /^You are not a reviewer of .*<@U0ANA>, <@U0BEN> can decide\.$/);
  },
);

story(
  'escalated nothing-twice nobody-decides-who-may-not',
  'at the escalation the message and one reply mention the leads, and one of them approves',
  async () => {
    await using stage = await startOfLeads({ escalate: [{ after: SOON_MS, to: LEADS }] });
    const { ts, token, id } = await stage.ask({ title: 'Deploy 4.2' });
    expect(await escalated(stage, ts)).toMatch(
      /^:arrow_up: \*Escalated\* · <!subteam\^S0LEADS>: .*Deploy 4\.2.* still needs a decision\. You can now decide it too\.$/,
    );
    expect(stage.read(ts)).toContain('*Waiting for* <@U0ANA>, <@U0BEN> or <!subteam^S0LEADS>');
    expect(await stage.sandbox.automation.status(id)).toMatchObject({
      body: { reviewers: { users: [ANA, BEN], groups: ['S0LEADS'], channel: false } },
    });
    await refused(stage, DANA, /^You are not a reviewer/);
    await stage.click(CLEO, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0CLEO>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    expect(escalationsTo(stage, ts)).toHaveLength(1);
  },
);

story(
  'escalated intake-narrows',
  'people of the escalation can decide even if the request was narrowed to others',
  async () => {
    await using stage = await startOfLeads({ escalate: [{ after: SOON_MS, to: LEADS }] });
    const { ts, token } = await stage.ask({ reviewers: { users: [BEN] } });
    await escalated(stage, ts);
    expect(stage.read(ts)).toContain('*Waiting for* <@U0BEN> or <!subteam^S0LEADS>');
    await stage.click(CLEO, ts, 'Reject');
    await stage.until(ts, /Rejected by <@U0CLEO>/);
    expect(effectsOf(stage, token)).toEqual(['reject']);
  },
);

story('escalated click-needs', 'leads cover only the needs that the escalation names', async () => {
  const need = (name: string, user: string) => {
    return { name, count: 1, of: { users: [user], groups: [] } };
  };
  await using stage = await startOfLeads({
    need: [need('SRE', ANA), need('Security', BEN)],
    escalate: [{ after: SOON_MS, to: { ...LEADS, needs: ['Security'] } }],
  });
  const { ts, token } = await stage.ask({ title: 'Deploy 4.2' });
  await escalated(stage, ts);
  expect(stage.read(ts)).toContain(
    '*Waiting for* 1 of SRE (<@U0ANA>), 1 of Security (<@U0BEN>, <!subteam^S0LEADS>)',
  );
  await stage.click(CLEO, ts, 'Approve');
  await stage.until(ts, /\*Waiting for\* 1 of SRE \(<@U0ANA>\) · approved by <@U0CLEO>/);
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0CLEO> and <@U0ANA>/);
  expect(effectsOf(stage, token)).toEqual(['approve']);
});

story.long(
  'escalated nothing-twice no-message-lies',
  'a decided or withdrawn request is not escalated',
  async () => {
    await using stage = await startOfLeads({ escalate: [{ after: 6_000, to: LEADS }] });
    const [decided, withdrawn, open] = await Promise.all([stage.ask(), stage.ask(), stage.ask()]);
    await stage.click(ANA, decided.ts, 'Approve');
    await stage.sandbox.automation.withdraw(withdrawn.id);
    await stage.until(decided.ts, /Approved by/);
    await stage.until(withdrawn.ts, /Withdrawn/);
    const told = () => [decided, withdrawn].map(({ ts }) => escalationsTo(stage, ts).length);
    const before = told();
    await escalated(stage, open.ts);
    expect(told()).toEqual(before);
  },
);

story(
  'escalated nothing-twice',
  'escalations due while Gatepost was stopped are announced once each, in order',
  async () => {
    await using bot = await startRestartingBot();
    const settings = `
sources: [{ id: default, secret: GATEPOST_INTAKE_SECRET, routes: [production] }]
routes:
  production:
    channel: ${DEPLOYS}
    identity: omit
    reviewers: { users: [${ANA}] }
    remind: { after: 1h }
    escalate:
      - { after: 2s, to: { users: [${BEN}] } }
      - { after: 3s, to: { users: [${CLEO}] } }
`;
    await bot.restart({}, settings);
    const { ts } = await bot.ask();
    const askedAt = Date.now();
    await bot.stop();
    await vi.waitUntil(() => Date.now() > askedAt + 3_500, 60_000);
    await bot.restart({}, settings);
    await bot.sandbox.until(() => escalationsTo(bot, ts).length === 2, { what: 'both replies' });
    await bot.restart({}, settings);
    await bot.click(CLEO, ts, 'Approve');
    await bot.until(ts, /Approved by <@U0CLEO>/);
    expect(escalationsTo(bot, ts)).toEqual([
      expect.stringContaining(`*Escalated* · <@${BEN}>: `),
      expect.stringContaining(`*Escalated* · <@${CLEO}>: `),
    ]);
  },
);

story(
  'quiet-reviewers reminded',
  'a quiet reviewer can decide without being mentioned in the message or a reminder',
  async () => {
    await using stage = await startOfLeads(
      {
        quiet: { users: [DANA], groups: ['S0LEADS'] },
        remind: { afterMs: SOON_MS, times: 1 },
      },
      { reviewers: NOBODY },
    );
    const { ts, token } = await stage.ask();
    expect(stage.read(ts)).toContain('*Waiting for* <@U0ANA> or <@U0BEN>');
    await stage.sandbox.until(() => repliesTo(stage, ts).length === 1, { what: 'the reminder' });
    for (const text of [stage.read(ts), ...repliesTo(stage, ts)]) {
      expect(text).not.toMatch(/U0DANA|S0LEADS/);
    }
    await stage.click(DANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0DANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    // Where all reviewers are quiet nobody is mentioned at all.
    const alone = await stage.ask({ route: 'other' });
    expect(stage.read(alone.ts)).toContain('*Waiting for a decision*');
    await stage.click(CLEO, alone.ts, 'Reject');
    await stage.until(alone.ts, /Rejected by <@U0CLEO>/);
  },
);
